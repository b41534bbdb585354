"""From counted guesses to a lower bound on epsilon that holds with the stated confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass

from twoworlds.worlds.errors import BadArgument

__all__ = ["Counts", "ceiling", "clopper_pearson", "epsilon_lower", "spans"]


@dataclass(frozen=True)
class Counts:
    """How often an event was seen in each world, of so many runs in each."""

    hits: int
    other_hits: int
    runs: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.runs or not 0 <= self.other_hits <= self.runs:
            raise BadArgument("hits", (self.hits, self.other_hits), f"are not from 0 to {self.runs}", "Count hits among the runs")


def clopper_pearson(hits: int, runs: int, alpha: float) -> tuple[float, float]:
    """One-sided bounds on a probability, each wrong with probability at most alpha (Clopper and Pearson 1934)."""
    from scipy.special import betaincinv  # noqa: PLC0415  loaded only when something is audited

    low = 0.0 if hits == 0 else float(betaincinv(hits, runs - hits + 1, alpha))
    high = 1.0 if hits == runs else float(betaincinv(hits + 1, runs - hits, 1 - alpha))
    slack = 1e-9  # scipy's inverse is good to a few units in the last place; this is far more, and costs nothing visible
    return max(0.0, low * (1 - slack)), min(1.0, high * (1 + slack))


def epsilon_lower(counts: Counts, *, delta: float, confidence: float) -> float:
    """The least epsilon for which P[E] <= e^epsilon P'[E] + delta is still believable, at this confidence.

    Two one-sided bounds, each at half the error: P[E] is not below its lower bound, P'[E] not above its upper one.
    """
    alpha = (1 - confidence) / 2
    low = clopper_pearson(counts.hits, counts.runs, alpha)[0]
    high = clopper_pearson(counts.other_hits, counts.runs, alpha)[1]
    return max(0.0, math.log((low - delta) / high)) if low > delta else 0.0


def spans(counts: Counts, *, confidence: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where the test's false positive rate and its false negative rate lie, both at once at this confidence.

    Four one-sided bounds, each at a quarter of the error.
    """
    alpha = (1 - confidence) / 4
    low, high = clopper_pearson(counts.hits, counts.runs, alpha)
    return clopper_pearson(counts.other_hits, counts.runs, alpha), (1 - high, 1 - low)


def ceiling(runs: int, *, delta: float, confidence: float) -> float:
    """The most that so many runs could ever show: what perfect separation of the worlds would give."""
    return epsilon_lower(Counts(runs, 0, runs), delta=delta, confidence=confidence)
