"""Statistical tests that share one false-alarm budget and each show their power.

A test takes the `judge` fixture, which spends a share of the budget on every comparison that is expected to fit, and is refused
at its end if it has not also shown a planted fault that it rejects:

    def test_the_law(judge):
        judge.fits(chi_square(drawn, expected))
        judge.rejects(chi_square(drawn_too_wide, expected), planted="scale x 1.3")

`RUN` bounds the probability that a run of the whole suite fails although every law is right. Shares are fixed, not divided by
the number of tests that happen to be collected, so a threshold never moves; the session fails when the shares add up to more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

RUN = 1e-6
SHARE = 1e-8
_POOLED = 50.0  # the chi-square law is trusted at `SHARE` only for cells with at least this many expected draws


def overspent(shares: Sequence[float]) -> bool:
    """Whether these shares are more than the budget; their sum may be off by rounding."""
    return math.fsum(shares) > RUN * (1 + 1e-9)


@dataclass(frozen=True)
class Comparison:
    """A p-value, valid under the law that was claimed, and the false-alarm probability at which it is read."""

    test: str
    p_value: float
    alpha: float = SHARE

    def __post_init__(self) -> None:
        if not (0 <= self.p_value <= 1 and 0 < self.alpha <= RUN):
            raise ValueError(f"{self.test}: p-value {self.p_value} or alpha {self.alpha} is out of range")

    @property
    def fits(self) -> bool:
        return self.p_value >= self.alpha

    def __str__(self) -> str:
        return f"{self.test}: p = {self.p_value:.3g} at alpha = {self.alpha:.3g}"


@dataclass
class Judge:
    """What one test compares: `spent` of the budget, and the planted faults that it rejects."""

    spent: float = 0.0
    planted: list[str] = field(default_factory=list)
    failed: bool = False

    def fits(self, comparison: Comparison) -> None:
        """The observations fit the claimed law; spends the comparison's alpha."""
        self.spent += comparison.alpha
        self.failed = not comparison.fits
        assert comparison.fits, f"the observations do not fit the claimed law: {comparison}"

    def rejects(self, comparison: Comparison, planted: str) -> None:
        """The same comparison, on observations with this planted fault, sees the fault."""
        self.planted.append(planted)
        self.failed = comparison.fits
        assert not comparison.fits, f"no power: {planted} goes unseen: {comparison}"

    def close(self) -> None:
        """Refuse a test that accepted something and rejected nothing."""
        assert self.failed or self.planted or not self.spent, (
            "this statistical test cannot fail as far as it shows: add judge.rejects(comparison, planted='scale x 1.3')"
        )


def chi_square(counts: Sequence[float], expected: Sequence[float], alpha: float = SHARE) -> Comparison:
    """Pearson's test of counts per cell against expected counts, neighbouring cells pooled until large enough."""
    from scipy.stats import chi2

    if len(counts) != len(expected) or not math.isclose(sum(counts), sum(expected), rel_tol=1e-9):
        raise ValueError(f"counts ({sum(counts)}) and expected ({sum(expected)}) must cover the same cells: give the tail a cell")
    if any(want == 0 and got for got, want in zip(counts, expected, strict=True)):
        return Comparison("chi-square, an impossible cell was hit", 0.0, alpha)
    cells = _pool(counts, expected)
    if len(cells) < 2:
        raise ValueError("fewer than two cells are large enough to compare: draw more")
    statistic = sum((got - want) ** 2 / want for got, want in cells)
    return Comparison(f"chi-square {statistic:.1f} over {len(cells)} cells", float(chi2.sf(statistic, len(cells) - 1)), alpha)


def binomial_test(successes: int, trials: int, probability: float, alpha: float = SHARE) -> Comparison:
    """The exact two-sided test of a success probability (Clopper and Pearson 1934: twice the smaller tail)."""
    from scipy.stats import binom

    if not 0 <= successes <= trials or not 0 <= probability <= 1:
        raise ValueError(f"{successes} of {trials} at probability {probability} is not an experiment")
    below, above = binom.cdf(successes, trials, probability), binom.sf(successes - 1, trials, probability)
    return Comparison(f"{successes} of {trials} at {probability:.6g}", min(1.0, 2 * float(min(below, above))), alpha)


def _pool(counts: Sequence[float], expected: Sequence[float]) -> list[tuple[float, float]]:
    cells: list[tuple[float, float]] = []
    got = want = 0.0
    for count, mean in zip(counts, expected, strict=True):
        got, want = got + count, want + mean
        if want >= _POOLED:
            cells.append((got, want))
            got = want = 0.0
    if cells:
        last_got, last_want = cells.pop()
        cells.append((last_got + got, last_want + want))
    return cells
