"""The least type II error: certified from both sides, against the supremum over the corners of a finite pair."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

import pytest
from flint import arb
from hypothesis import given, strategies

from tests.losses.finite import Worlds, worlds
from twoworlds.losses.composition import Composition
from twoworlds.losses.loss import finite, gaussian
from twoworlds.losses.tradeoff import Table, grid, table, type_two

alphas = strategies.fractions(min_value=0, max_value=1, max_denominator=40)


def least_error(pair: Worlds, alpha: Fraction) -> Fraction:
    """sup over x of 1 - d(x) - alpha x, where d bends at the ratios only."""
    ratios = {Fraction(0), *(p / q for p, q in zip(pair.one, pair.other, strict=True))}

    def d(x: Fraction) -> Fraction:
        return sum((max(p - x * q, Fraction(0)) for p, q in zip(pair.one, pair.other, strict=True)), Fraction(0))

    return max(1 - d(x) - alpha * x for x in ratios)


@given(worlds, alphas)
def test_the_error_lies_between_both_bounds(pair: Worlds, alpha: Fraction) -> None:
    """Read at one point or off a table, the truth is inside; the oracle itself is no larger than any test's error."""
    direction, truth = Composition(finite(pair.one, pair.other).remove), least_error(pair, alpha)
    assert all(truth <= beta for a, beta in pair.tests() if a <= alpha)
    low, high = type_two(direction, alpha)
    assert low <= truth <= high and high - low < 1e-3
    if alpha not in (0, 1):
        read = table(direction, grid(direction, Fraction(math.ceil(math.log(pair.ratio())) + 1), 16))
        low, high = read.type_two(alpha)
        assert low <= truth <= high


def test_bounds_hold_to_the_last_digit() -> None:
    """A mean of two lines with weights that were floats, and did not add up to 1, once left the truth out by 2e-17."""
    for one, other, alpha in (((1 - 2e-4, 2e-4), (0.7, 0.3), "29/50"), ((0.2, 0.8), (0.63, 0.37), "29/50")):
        pair = Worlds(*((Fraction(law[0]), 1 - Fraction(law[0])) for law in (one, other)))
        for digits in range(60):
            moved = Worlds(
                tuple(p + sign * Fraction(digits, 10**17) for p, sign in zip(pair.one, (1, -1), strict=True)), pair.other
            )
            low, high = type_two(Composition(finite(moved.one, moved.other).remove), Fraction(alpha))
            assert low <= least_error(moved, Fraction(alpha)) <= high


@pytest.mark.parametrize("alpha", [Fraction(1, 10**6), Fraction(1, 20), Fraction(1, 2), Fraction(9, 10)])
def test_a_gaussians_error_is_known(alpha: Fraction) -> None:
    """Phi(Phi^-1(1 - alpha) - mu), within a thousandth of it."""
    normal = NormalDist()
    truth = normal.cdf(normal.inv_cdf(1 - float(alpha)) - 2)
    low, high = type_two(Composition(gaussian("0.5").remove), alpha)
    assert low * (1 - 1e-9) <= truth <= high * (1 + 1e-9) and high - low < 1e-3


def test_between_the_points_of_a_table_the_worst_is_assumed() -> None:
    """A table of two points knows less than the whole curve: its interval holds the truth and is wide."""
    truth = NormalDist().cdf(NormalDist().inv_cdf(0.7) - 1)
    few = table(Composition(gaussian(1).remove), [Fraction(-1), Fraction(1)])
    low, high = few.type_two(Fraction(3, 10))
    assert low < truth < high and high - low > 0.02
    straight = Table(few.xs, tuple(arb(float(y.upper()) + 0.05) for y in few.ys))  # deltas said to be larger than they are
    assert straight.type_two(Fraction(3, 10))[0] < low, "what is guaranteed follows from the deltas"
