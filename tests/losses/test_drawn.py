"""Curves from points: the smallest (epsilon, delta) of what was drawn."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies

from tests.losses.finite import EPSILONS, SLACK, Worlds, worlds
from tests.losses.malformed import MALFORMED, accepted
from twoworlds.losses.drawn import drawn
from twoworlds.worlds.errors import BadArgument, InfiniteLoss


@given(worlds, strategies.sampled_from(EPSILONS), strategies.sampled_from([0, 0.01, 0.2]))
def test_the_points_of_all_tests_give_the_pair_back(pair: Worlds, epsilon: float, delta: float) -> None:
    """A curve through the errors of every test of a pair has the pair's delta at every epsilon, and the other way round."""
    curve = drawn(_possible(pair))
    assert curve.delta(epsilon) == pytest.approx(pair.delta(epsilon), abs=SLACK)
    assert pair.delta(curve.epsilon(delta)) <= delta + SLACK


def _possible(pair: Worlds) -> list[tuple[Fraction, Fraction]]:
    return [(a, b) for a, b in pair.tests() if a + b <= 1]


def test_randomized_response_drawn_by_its_corner() -> None:
    """The single corner (1/4, 1/4) is randomized response at ln 3."""
    curve = drawn([("1/4", "1/4")])
    assert curve.epsilon(0) == pytest.approx(math.log(3)) and curve.epsilon(0) >= math.log(3)
    assert curve.delta(0) == 0.5
    assert [curve.tradeoff(alpha) for alpha in (0, "1/8", "1/4", 1)] == [1, Fraction(5, 8), Fraction(1, 4), 0]


def test_a_point_on_the_axis_is_a_failure() -> None:
    """A test without false alarms that detects with probability 1/10 needs delta of 1/10; the error says so."""
    curve = drawn([(0, 0.9)])
    assert curve.epsilon(0.05) == math.inf and curve.epsilon("0.1") == 0
    with pytest.raises(InfiniteLoss, match=r"0\.1 or more"):
        curve.finite_epsilon(0.05)


def test_the_diagonal_is_perfect_privacy() -> None:
    """Guessing is all that is possible: epsilon 0 at delta 0. Points above the hull change nothing."""
    assert drawn([(0.5, 0.5)]).epsilon(0) == 0
    assert drawn([(0.25, 0.25), (0.3, 0.5)]) == drawn([(0.25, 0.25)])


def test_malformed_curves_are_refused() -> None:
    """Points that are no errors, or worse than guessing, are errors; so are malformed questions."""
    for wrong in (*MALFORMED, [(0.5,)], [(0.9, 0.9)], [(0.1, math.nan)], [(-0.1, 0.5)], ["ab"], [3]):
        with pytest.raises(BadArgument):
            drawn(wrong)
    curve = drawn([(0.25, 0.25)])
    assert accepted(curve.delta, {"epsilon": 1}) == []
    assert accepted(curve.epsilon, {"delta": 0.1}) == []
    assert accepted(curve.tradeoff, {"alpha": 0.1}) == []
