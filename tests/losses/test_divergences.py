"""Renyi divergence, and the least zCDP and Gaussian parameters: held against finite worlds, where all can be computed."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

import pytest
from hypothesis import given, strategies

from tests.losses.finite import Worlds, renyi, worlds
from twoworlds.losses.balls import float_above, float_below
from twoworlds.losses.composition import Composition
from twoworlds.losses.divergences import concentration, gaussian_parameter
from twoworlds.losses.divergences import renyi as read
from twoworlds.losses.loss import approximate, finite, gaussian, randomized_response

ORDERS = (Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(9))
NEAR = 1e-7


def sides(pair: Worlds) -> list[tuple[Composition, tuple[Fraction, ...], tuple[Fraction, ...]]]:
    found = finite(pair.one, pair.other)
    return [(Composition(found.remove), pair.one, pair.other), (Composition(found.add), pair.other, pair.one)]


@given(worlds)
def test_divergences_hold_the_sum_over_outputs(pair: Worlds) -> None:
    """One direction at a time, at orders below, at and above 1, and at infinity."""
    for direction, one, other in sides(pair):
        for order in ORDERS:
            truth, found = renyi(one, other, float(order)), read(direction, order)
            assert float_below(found) - NEAR <= truth <= float_above(found) + NEAR
            assert float_above(found) - float_below(found) < 1e-6
        most = math.log(max(p / q for p, q in zip(one, other, strict=True)))
        assert float_above(read(direction, None)) == pytest.approx(most, abs=1e-12)


@given(worlds)
def test_the_concentrated_parameter_is_the_least(pair: Worlds) -> None:
    """No order's divergence per order is above it, and some order comes within a thousandth (or all are nothing)."""
    for direction, one, other in sides(pair):
        rho = float_above(concentration(direction))
        found = [renyi(one, other, 1 + 2.0 ** (k / 8)) / (1 + 2.0 ** (k / 8)) for k in range(-120, 121)]
        assert max(found) <= rho + 1e-9
        assert rho <= max(found) * (1 + 2e-3) + 1e-6


@given(worlds, strategies.sampled_from([0, 1]))
def test_the_gaussian_parameter_bounds_every_test(pair: Worlds, side: int) -> None:
    """N(0, 1) against N(mu, 1) is told apart with smaller errors than any test of the two laws has; less than mu would not do."""
    direction, one, other = sides(pair)[side]
    mu, normal = float_above(gaussian_parameter(direction)), NormalDist()
    for alpha, beta in Worlds(one, other).tests():
        if 0 < alpha < 1 and beta > 0:
            assert normal.cdf(normal.inv_cdf(1 - float(alpha)) - mu) <= float(beta) + 1e-9


@pytest.mark.parametrize("truth", [Fraction(3, 5), Fraction(3, 4), Fraction(99, 100)])
def test_a_coins_gaussian_parameter_is_known(truth: Fraction) -> None:
    """2 Phi^-1(truth), where its one corner lies; and a Gaussian beside it adds in squares."""
    coin = randomized_response(truth)
    exact = 2 * NormalDist().inv_cdf(float(truth))
    assert coin.mu == pytest.approx(exact, rel=1e-9)
    assert coin.compose(gaussian(2)).mu == pytest.approx(math.hypot(exact, 0.5), rel=1e-9)


def test_what_shows_outright_has_no_finite_parameter() -> None:
    """With an infinite loss of any probability there is neither a rho nor a mu nor an order from 1 on."""
    direction = Composition(approximate(1, "1e-9").remove)
    assert float_above(concentration(direction)) == float_above(gaussian_parameter(direction)) == math.inf
    assert float_above(read(direction, Fraction(2))) == float_above(read(direction, None)) == math.inf
