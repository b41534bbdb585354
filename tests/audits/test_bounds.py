"""Bounds from counted guesses hold as often as they say, and no run count can show more than its ceiling."""

import math
from fractions import Fraction

import pytest
from flint import arb, fmpq

from twoworlds.audits.bounds import Counts, ceiling, clopper_pearson, epsilon_lower
from twoworlds.worlds.errors import BadArgument


@pytest.mark.parametrize(("runs", "published"), [(100, 3.28), (1_000, 5.60), (10_000, 7.90), (100_000, 10.21)])
def test_ceiling_is_the_published_one(runs: int, published: float) -> None:
    """Perfect separation in n runs shows no more than this at 95 % (two one-sided bounds of 2.5 %)."""
    assert ceiling(runs, delta=0.0, confidence=0.95) == pytest.approx(published, abs=0.006)


@pytest.mark.parametrize(("hits", "runs"), [(0, 10), (1, 10), (5, 10), (10, 10), (37, 1000), (999, 1000)])
def test_bounds_cover_exactly(hits: int, runs: int) -> None:
    """At the lower bound, seeing this many hits or more has probability alpha at most; at the upper bound, this many or fewer."""
    alpha = 0.005
    low, high = clopper_pearson(hits, runs, alpha)
    assert hits == 0 or _at_least(hits, runs, Fraction(low)) <= alpha
    assert hits == runs or 1 - _at_least(hits + 1, runs, Fraction(high)) <= alpha
    assert low <= hits / runs <= high


def test_delta_is_taken_off_before_the_ratio() -> None:
    """P[E] <= e^eps P'[E] + delta: hits that delta explains show nothing."""
    counts = Counts(hits=50, other_hits=0, runs=1000)
    assert epsilon_lower(counts, delta=0.1, confidence=0.95) == 0.0
    assert epsilon_lower(counts, delta=0.0, confidence=0.95) > epsilon_lower(counts, delta=0.01, confidence=0.95) > 0


def test_equal_counts_show_nothing() -> None:
    """No difference seen, nothing claimed."""
    assert epsilon_lower(Counts(500, 500, 1000), delta=0.0, confidence=0.9) == 0.0


@pytest.mark.parametrize("hits", [-1, 11])
def test_impossible_counts_are_refused(hits: int) -> None:
    """More hits than runs is a mistake of the caller."""
    with pytest.raises(BadArgument, match="Count hits"):
        Counts(hits, 0, 10)


def _at_least(hits: int, runs: int, p: Fraction) -> float:
    """P[Binomial(runs, p) >= hits], as an upper float of a ball."""
    probability = arb(fmpq(p.numerator, p.denominator))
    total = sum(
        (arb(math.comb(runs, k)) * probability**k * (1 - probability) ** (runs - k) for k in range(hits, runs + 1)), arb(0)
    )
    return float(total.mid()) + float(total.rad())
