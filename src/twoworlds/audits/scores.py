"""A score that tells two worlds apart: a logistic regression on what stands at each place of an output.

Of every place it sees whether there is an entry, whether it is true, and its number. An event is a score from a threshold on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Score", "event", "fit"]

_PLACES = 24
_FURTHEST = 1_000  # a number further out counts as this far
_STEPS, _RIDGE = 12, 1e-2
_SHOWN = 3
_LEVELS = (0.5, 0.9)


@dataclass(frozen=True)
class Score:
    """Weights of what is seen at each place, in the order of `seen`."""

    weights: tuple[float, ...]

    def of(self, output: Any) -> float:
        return sum(weight * value for weight, value in zip(self.weights, seen(output, len(self.weights) // 3), strict=True))

    def above(self, level: float, output: Any) -> bool:
        return self.of(output) >= level

    def __str__(self) -> str:
        ranked = sorted(range(len(self.weights)), key=lambda at: -abs(self.weights[at]))[:_SHOWN]
        return " ".join(f"{self.weights[at]:+.3g} {_named(at)}" for at in ranked if self.weights[at])


def _named(at: int) -> str:
    place, what = divmod(at - 1, 3)
    return f"[{('has entry', 'true at', 'number at')[what]} {place + 1}]"


def seen(output: Any, places: int) -> list[float]:
    """1, then three numbers for each place: is there an entry that is not None, is it true, and how large is it."""
    values = [1.0]
    flat = _flat(output)[:places]
    for entry in flat:
        number = float(entry) if isinstance(entry, int | float | Fraction) and not isinstance(entry, bool) else 0.0
        values += [float(entry is not None), float(entry is True), max(-_FURTHEST, min(_FURTHEST, number))]
    return values + [0.0] * (3 * (places - len(flat)))


def _flat(output: Any) -> Sequence[Any]:
    if not isinstance(output, list | tuple):
        return [output]
    return [leaf for entry in output for leaf in _flat(entry)]


def fit(one: Sequence[Any], other: Sequence[Any]) -> tuple[Score, tuple[float, ...]]:
    """A score that is higher in the first world, by Newton's method with a small penalty, and levels of it to try."""
    import numpy as np  # noqa: PLC0415  loads only when something is learned

    places = min(_PLACES, max(len(_flat(output)) for output in (*one, *other)))
    table: NDArray[np.float64] = np.array([seen(output, places) for output in (*one, *other)])
    truth = np.array([1.0] * len(one) + [0.0] * len(other))
    spread = np.maximum(np.abs(table).max(axis=0), 1.0)
    scaled, weights = table / spread, np.zeros(table.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(scaled @ weights, -30, 30)))
        slope = scaled.T @ (truth - chance) - _RIDGE * weights
        curve = (scaled * (chance * (1 - chance))[:, None]).T @ scaled + _RIDGE * np.eye(len(weights))
        weights += np.linalg.solve(curve, slope)
    weights[0] = 0.0  # a level of the score says as much
    score = Score(tuple((weights / spread).tolist()))
    reached = np.sort(table[: len(one)] @ (weights / spread))
    return score, tuple(float(reached[int(level * (len(reached) - 1))]) for level in _LEVELS)


def event(score: Score, level: float) -> Any:
    """Whether an output scores this much."""
    return partial(score.above, level)
