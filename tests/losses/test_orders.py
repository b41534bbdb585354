"""Conversions at one order: sound in every finite world, inverse to each other, and searched to the least."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, strategies

from tests.losses.finite import Worlds, worlds
from twoworlds.losses.balls import ball
from twoworlds.losses.orders import GRID, epsilon_at, least_error, least_over_orders, log_delta_at

orders = strategies.sampled_from([Fraction(5, 4), Fraction(2), Fraction(7)])
NEAR = 1e-9


@given(worlds, orders, strategies.sampled_from(["0.3", "0.01", "1e-6"]))
def test_the_epsilon_of_one_order_holds(pair: Worlds, order: Fraction, delta: str) -> None:
    """delta at the converted epsilon is at most the delta asked for, and the two conversions undo each other."""
    divergence, log_delta = arb(pair.renyi(float(order))), ball(Fraction(delta)).log()
    epsilon = epsilon_at(order, divergence, log_delta)
    assert pair.delta(max(float(epsilon.mid()), 0.0)) <= float(delta) + NEAR
    assert float(log_delta_at(order, divergence, epsilon).mid()) == pytest.approx(float(log_delta.mid()), rel=1e-9)


@given(worlds, orders)
def test_no_test_beats_the_error_of_one_order(pair: Worlds, order: Fraction) -> None:
    """Every event of the pair has a type II error of at least what the divergence leaves at its type I error."""
    divergence = arb(pair.renyi(float(order)) + 1e-12)
    for alpha, beta in pair.tests():
        if 0 < alpha < 1:
            assert least_error(alpha, order, divergence, Fraction(0)) <= beta + Fraction(1, 10**9)


def test_the_error_of_one_order_is_met_by_a_coin() -> None:
    """The pair of two coins has its divergence from its one test, so nothing is lost; and a better bound that is known stays."""
    pair = Worlds((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))
    divergence = arb(pair.renyi(2.0))
    assert float(least_error(Fraction(1, 4), Fraction(2), divergence, Fraction(0))) == pytest.approx(1 / 4, rel=1e-6)
    assert least_error(Fraction(1, 4), Fraction(2), divergence, Fraction(1, 3)) == Fraction(1, 3)
    assert least_error(Fraction(1, 4), Fraction(2), arb("inf"), Fraction(0)) == 0


@pytest.mark.parametrize("rho", [1e-6, 0.01, 3.0])
def test_the_search_over_orders_finds_the_least(rho: float) -> None:
    """For rho-zCDP the score has one valley: no order of a fine grid is better by more than a thousandth."""

    def score(order: Fraction) -> arb:
        return epsilon_at(order, arb(rho) * ball(order), arb(1e-6).log())

    found = float(least_over_orders(GRID, score).mid())
    fine = min(float(score(1 + Fraction(math.exp(k / 50))).mid()) for k in range(-250, 1000))
    assert found <= fine * (1 + 1e-3)
