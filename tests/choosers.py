"""Two ways to pick for `worlds.neighbours.Chooser`: Hypothesis, which shrinks what fails, and a seed, for loops."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import strategies

T = TypeVar("T")


class HypothesisChooser:
    """Picks through Hypothesis: `HypothesisChooser(data)` with `data` from `strategies.data()`."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def integer(self, low: int, high: int) -> int:
        return int(self.data.draw(strategies.integers(low, high)))

    def choice(self, options: Sequence[T]) -> T:
        return options[self.integer(0, len(options) - 1)]


class SeededChooser:
    """Picks by a seed; equal seeds pick alike."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def choice(self, options: Sequence[T]) -> T:
        return self.random.choice(options)
