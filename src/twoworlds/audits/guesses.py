"""Learning an event that tells two worlds apart, from runs that are not used again.

An event is a set of outputs that a person can read. Families are tried, all from half of the learning runs and judged on the
other half: outputs whose observed frequencies differ most; where outputs are numbers, all values from a threshold on; where they
are lists, all lists from a score on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from operator import ge, le
from typing import Any

from twoworlds.audits.bounds import Counts, epsilon_lower
from twoworlds.audits.scores import event, fit

__all__ = ["Guess", "learn"]


@dataclass(frozen=True)
class Guess:
    """An event: whoever sees an output inside says it came from the first world; `swapped` says the second."""

    text: str
    contains: Callable[[Any], bool]
    swapped: bool = False

    def count(self, one: Sequence[Any], other: Sequence[Any]) -> Counts:
        """How often the event was seen in the world that it speaks for, and in the other."""
        first, second = (other, one) if self.swapped else (one, other)
        return Counts(sum(map(self.contains, first)), sum(map(self.contains, second)), len(one))


def learn(one: Sequence[Any], other: Sequence[Any], *, delta: float, confidence: float) -> Guess:
    """The event that promises the largest bound, chosen on these runs alone; confirm it on fresh ones."""
    half = len(one) // 2
    guesses = [
        guess
        for swapped in (False, True)
        for guess in _candidates(*((other, one) if swapped else (one, other)), half=half, swapped=swapped)
    ]
    return max(
        guesses, key=lambda guess: epsilon_lower(guess.count(one[half:], other[half:]), delta=delta, confidence=confidence)
    )


def _candidates(one: Sequence[Any], other: Sequence[Any], *, half: int, swapped: bool) -> list[Guess]:
    first, second = [key(output) for output in one[:half]], [key(output) for output in other[:half]]
    guesses = [Guess("any output", lambda _: True, swapped)]
    guesses += [_frequent(first, second, level, swapped) for level in (1.1, 1.5, 2, 3, 5, 10, 30)]
    if all(isinstance(output, int | float | Fraction) and not isinstance(output, bool) for output in (*first, *second)):
        guesses += _thresholds(first, second, swapped)
    if any(isinstance(output, list | tuple) for output in (*one[:1], *other[:1])):
        score, levels = fit(one[:half], other[:half])
        guesses += [Guess(f"score {score} >= {level:.3g}", event(score, level), swapped) for level in levels]
    return guesses


def key(output: Any) -> Hashable:
    """An output as something that can be counted."""
    if isinstance(output, list | tuple):
        return tuple(key(entry) for entry in output)
    return output if isinstance(output, Hashable) else repr(output)


def _frequent(first: Sequence[Hashable], second: Sequence[Hashable], level: float, swapped: bool) -> Guess:
    """All outputs seen at least `level` times as often in the first world, with one run added to each count."""
    seen, also = Counter(first), Counter(second)
    chosen = frozenset(output for output, count in seen.items() if (count + 1) / (also[output] + 1) >= level)
    shown = ", ".join(sorted(map(str, chosen))[:4]) + (", ..." if len(chosen) > 4 else "")
    return Guess(f"output is one of {{{shown}}}", lambda output: key(output) in chosen, swapped)


def _thresholds(first: Sequence[Any], second: Sequence[Any], swapped: bool) -> list[Guess]:
    values = sorted({*first, *second})
    picked = values[:: max(1, math.ceil(len(values) / 64))]
    above = [Guess(f"output >= {value}", partial(le, value), swapped) for value in picked]
    return above + [Guess(f"output <= {value}", partial(ge, value), swapped) for value in picked]
