"""Group privacy: true along every chain of neighbouring worlds, tight for the curve it knows."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies

from tests.losses.finite import EPSILONS, SLACK, Worlds, laws
from tests.losses.malformed import accepted
from twoworlds.losses.groups import group, group_curve, textbook_delta
from twoworlds.losses.loss import finite, gaussian, pure
from twoworlds.losses.prices import Approximate, Concentrated, GaussianPrivacy, KullbackLeibler, Pure, Renyi, TotalVariation
from twoworlds.worlds.errors import BadArgument, InfiniteLoss
from twoworlds.worlds.rationals import Enclosure

chains = strategies.tuples(strategies.integers(2, 4), strategies.integers(2, 4)).flatmap(
    lambda shape: strategies.lists(laws(shape[0]), min_size=shape[1] + 1, max_size=shape[1] + 1)
)


def links(chain: list[tuple[Fraction, ...]]) -> list[Worlds]:
    return [Worlds(one, other) for one, other in itertools.pairwise(chain)]


@given(chains)
def test_pure_and_variation_add_up_along_the_chain(chain: list[tuple[Fraction, ...]]) -> None:
    """The ends of a chain of k steps are within k epsilon, and within k times the total variation."""
    ends, k = Worlds(chain[0], chain[-1]), len(chain) - 1
    step = max(Enclosure(link.ratio()).log().high for link in links(chain))
    assert Enclosure(ends.ratio()).log().low <= group(Pure(step), k).at()["epsilon"]
    distance = max(link.variation() for link in links(chain))
    if k * distance < 1:
        assert ends.variation() <= group(TotalVariation(distance), k).at()["delta"]


@given(chains, strategies.sampled_from([0.0, 0.1, 0.5]))
def test_approximate_groups_hold_along_the_chain(chain: list[tuple[Fraction, ...]], epsilon: float) -> None:
    """At k epsilon the ends have at most the summed delta, which is never above the other textbook form."""
    ends, k = Worlds(chain[0], chain[-1]), len(chain) - 1
    delta = min(max(link.delta(epsilon) for link in links(chain)) + SLACK, 0.999)
    crude, summed = textbook_delta(epsilon, delta, k)
    assert ends.delta(k * epsilon) <= summed + SLACK and summed <= crude * (1 + 1e-12)
    if summed < 1:
        assert group(Approximate(epsilon, delta), k).at()["delta"] == pytest.approx(summed)


@given(chains)
def test_renyi_groups_hold_along_the_chain(chain: list[tuple[Fraction, ...]]) -> None:
    """Order 16 of each step bounds a smaller order of the ends."""
    ends, k = Worlds(chain[0], chain[-1]), len(chain) - 1
    step = max(link.renyi(16) for link in links(chain)) + SLACK
    numbers = group(Renyi(16, step), k).at()
    assert ends.renyi(float(numbers["order"])) <= float(numbers["epsilon"]) + SLACK


@settings(max_examples=8)
@given(chains)
def test_the_walked_curve_holds_along_the_chain(chain: list[tuple[Fraction, ...]]) -> None:
    """The curve of pure privacy, walked k times, bounds the ends at every epsilon, below k epsilon too, and every test."""
    ends, k = Worlds(chain[0], chain[-1]), len(chain) - 1
    step = max(Enclosure(link.ratio()).log().high for link in links(chain))
    walked = group_curve(pure(step), k)
    for epsilon in EPSILONS:
        assert ends.delta(epsilon) <= walked.delta(Fraction(epsilon)).upper + SLACK
    for first, second in ends.tests()[:6]:
        assert float(second) >= walked.tradeoff(first).lower - SLACK


def test_negative_shares_are_sound() -> None:
    """At epsilon 0 a long chain needs steps of both signs; the walked curve stays above the truth and below 1."""
    weights = [[Fraction(2) ** -abs(i - j) for j in range(3)] for i in range(3)]
    chain = [tuple(weight / sum(row) for weight in row) for row in weights]
    walked = group_curve(finite(chain[0], chain[1]), 2)
    assert float(Worlds(chain[0], chain[2]).variation()) <= walked.delta(0).upper < 1


@pytest.mark.parametrize("size", [2, 3, 10])
@pytest.mark.parametrize("epsilon", ["0.1", "1"])
def test_a_walked_gaussian_is_the_gaussian_at_that_distance(size: int, epsilon: str) -> None:
    """Group privacy of Gaussian curves is exact: k steps of mu are one of k mu (Dong, Roth and Su 2022)."""
    walked, direct = group_curve(gaussian(4), size), gaussian(4, sensitivity=size)
    upper = walked.delta(epsilon).upper
    assert direct.delta(epsilon).lower <= upper <= direct.delta(epsilon).upper * (1 + 2e-3)


def test_the_walked_epsilon_and_tradeoff_of_a_gaussian() -> None:
    """The walked epsilon and trade-off agree with the direct ones."""
    walked, direct = group_curve(gaussian(4), 3), gaussian(4, sensitivity=3)
    assert direct.epsilon("1e-4").lower <= walked.epsilon("1e-4").upper <= direct.epsilon("1e-4").upper * 1.005
    assert direct.tradeoff("0.1").upper >= walked.tradeoff("0.1").lower >= direct.tradeoff("0.1").lower - 1e-3


def test_closed_forms() -> None:
    """zCDP grows with the square, GDP linearly, RDP by Mironov's 3^c at order / 2^c."""
    assert group(Concentrated("0.1"), 3) == Concentrated("9/10")
    assert group(GaussianPrivacy("0.1"), 3) == GaussianPrivacy("3/10")
    assert group(Renyi(16, 1), 4) == Renyi(4, 9) and group(Renyi(16, 1), 3) == Renyi(4, 9)
    assert group(Renyi("3/2", 1), 1) == Renyi("3/2", 1)
    crude, summed = textbook_delta(1, "1e-6", 3)
    assert crude == pytest.approx(3 * math.exp(2) * 1e-6) and summed == pytest.approx((1 + math.e + math.e**2) * 1e-6)


def test_a_large_group_is_not_protected() -> None:
    """Where delta reaches 1, or an order is used up, the answer is an error and not a number above 1."""
    with pytest.raises(InfiniteLoss):
        group(Approximate(1, "1e-6"), 50)
    with pytest.raises(InfiniteLoss):
        group(TotalVariation("0.1"), 10)
    with pytest.raises(BadArgument, match="needs 8"):
        group(Renyi(7, 1), 4)
    with pytest.raises(BadArgument, match="Convert"):
        group(KullbackLeibler(1), 2)
    assert (
        group_curve(finite([Fraction(1, 2), Fraction(1, 2), 0], [0, Fraction(1, 2), Fraction(1, 2)]), 2).epsilon(0.5).upper
        == math.inf
    )


def test_malformed_calls_are_refused() -> None:
    """No group size, epsilon or delta out of range gives a number."""
    assert accepted(lambda size: group(Pure(1), size), {"size": 2}) == []
    assert accepted(textbook_delta, {"epsilon": 1, "delta": 0.1, "size": 2}) == []
    assert accepted(group_curve, {"loss": pure(1), "size": 2}) == []
    curve = group_curve(pure(1), 2)
    assert accepted(curve.delta, {"epsilon": 1}) == []
    assert accepted(curve.epsilon, {"delta": 0.1}) == []
    assert accepted(curve.tradeoff, {"alpha": 0.1}) == []
