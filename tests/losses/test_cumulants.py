"""Renyi curves: each bounds what the laws it speaks of have, in both directions, at whole orders and between."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, strategies

from tests.losses.finite import Worlds, worlds
from twoworlds.losses.balls import ball, float_above
from twoworlds.losses.cumulants import (
    Coin,
    Curve,
    Laplacian,
    Largest,
    Line,
    Points,
    PoissonSampled,
    PureCurve,
    SubsampledGaussian,
    Summed,
    WithoutReplacementSampled,
)

ORDERS = (Fraction(9, 8), Fraction(3, 2), Fraction(2), Fraction(7, 2), Fraction(8))
NEAR = 1e-9
coins = strategies.fractions(min_value=Fraction(1, 2), max_value=Fraction(99, 100), max_denominator=100).filter(lambda p: p > 0.5)


def at(curve: Curve, order: Fraction) -> float:
    return float_above(curve.renyi(order))


def coin(p: Fraction) -> Worlds:
    return Worlds((p, 1 - p), (1 - p, p))


@given(coins)
def test_a_coin_has_its_own_curve(p: Fraction) -> None:
    """The two laws summed out, and the tight curve of pure privacy at the epsilon of the same coin; rho and most bound them."""
    epsilon = Fraction(math.log(p / (1 - p)))
    for order in ORDERS:
        truth = coin(p).renyi(float(order))
        assert at(Coin(p), order) == pytest.approx(truth, abs=NEAR)
        assert at(PureCurve(epsilon), order) == pytest.approx(truth, abs=NEAR)
        assert truth <= float_above(ball(Coin(p).rho())) * float(order) + NEAR
        assert truth <= float_above(Coin(p).most()) + NEAR
    assert at(Coin(p), Fraction(1)) == pytest.approx(coin(p).renyi(1), abs=NEAR)


@given(worlds)
def test_pure_privacy_bounds_every_pair(pair: Worlds) -> None:
    """No pair with these ratios has a larger divergence than randomized response."""
    curve = PureCurve(Fraction(math.log(pair.ratio())) + Fraction(1, 10**12))
    for order in ORDERS:
        assert pair.renyi(float(order)) <= at(curve, order) + NEAR
        assert at(curve, order) <= float_above(ball(curve.rho())) * float(order) + NEAR


@given(coins, strategies.sampled_from([Fraction(1, 100), Fraction(1, 3)]))
def test_sampled_curves_cover_the_sampled_coin(p: Fraction, rate: Fraction) -> None:
    """Poisson: a mixture against the law without; fixed size: two mixtures with a third law. Sampling costs nothing."""
    one, other = coin(p).one, coin(p).other
    mixed = tuple(rate * a + (1 - rate) * b for a, b in zip(one, other, strict=True))
    half = (Fraction(1, 2), Fraction(1, 2))
    swapped = [tuple(rate * a + (1 - rate) * b for a, b in zip(law, half, strict=True)) for law in (one, other)]
    for order in ORDERS:
        poisson, fixed = at(PoissonSampled(Coin(p), rate), order), at(WithoutReplacementSampled(Coin(p), rate), order)
        assert Worlds(mixed, other).renyi(float(order)) <= poisson + NEAR
        assert Worlds(swapped[0], swapped[1]).renyi(float(order)) <= fixed + NEAR
        assert max(poisson, fixed) <= at(Coin(p), order) + NEAR
    most = math.log(max(Worlds(mixed, other).ratio(), Worlds(swapped[0], swapped[1]).ratio()))
    assert most <= float_above(PoissonSampled(Coin(p), rate).most()) + NEAR


@given(worlds)
def test_between_known_orders_a_bound_holds(pair: Worlds) -> None:
    """Known at orders 2 and 6, convexity bounds all orders up to 6; beyond nothing is known."""
    curve = Points(tuple((Fraction(k), Fraction(pair.renyi(k))) for k in (2, 6)))
    for order in (Fraction(1), Fraction(3, 2), Fraction(3), Fraction(6)):
        assert pair.renyi(float(order)) <= at(curve, order) + NEAR
    assert at(curve, Fraction(7)) == math.inf == float_above(ball(curve.rho()))


def mean(log_ratio: Callable[[float], float], log_density: Callable[[float], float], order: float, reach: float) -> float:
    """The divergence of two densities on a grid of 40,000 points: log of the mean of ratio^order, over order - 1."""
    step = 2 * reach / 40_000
    xs = [-reach + step * (k + 0.5) for k in range(40_000)]
    return math.log(math.fsum(math.exp(order * log_ratio(x) + log_density(x)) for x in xs) * step) / (order - 1)


def test_noise_curves_are_their_integrals() -> None:
    """Laplace noise moved by half its scale, and a Gaussian (sigma = 1) in one sample of five, removed and added."""

    def mixed(x: float) -> float:
        return math.log(0.8 + 0.2 * math.exp(x - 0.5))

    def normal(x: float) -> float:
        return -x * x / 2 - math.log(2 * math.pi) / 2

    for order in (1.5, 3.0):
        laplace = mean(lambda x: abs(x) - abs(x - 0.5), lambda x: -abs(x) - math.log(2), order, 60)
        assert at(Laplacian(Fraction(1, 2)), Fraction(order)) == pytest.approx(laplace, rel=1e-5)
        removed, added = mean(mixed, normal, order, 15), mean(lambda x: -mixed(x), lambda x: normal(x) + mixed(x), order, 15)
        assert at(SubsampledGaussian(Fraction(1), Fraction(1, 5)), Fraction(order)) == pytest.approx(removed, rel=1e-6)
        assert added <= removed


def test_sums_and_the_largest_parts() -> None:
    """Counts multiply, the two largest of three add up, and one unknown part leaves the whole unknown."""
    lines = (Line(Fraction(1)), Line(Fraction(3)), Line(Fraction(2)))
    assert at(Summed(((lines[0], 2), (lines[1], 1))), Fraction(2)) == 10
    assert [at(Largest(lines, parts), Fraction(2)) for parts in (1, 2, 3)] == [6, 10, 12]
    assert float_above(Largest(lines, 2).rho()) == 5 and float_above(Largest(lines, 2).most()) == math.inf
    limited = Line(Fraction(1), below=Fraction(4))
    assert at(limited, Fraction(3)) == 3 and at(limited, Fraction(4)) == math.inf
    assert all(at(limited, order) < math.inf for order in limited.landmarks())
