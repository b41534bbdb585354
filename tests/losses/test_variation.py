"""Total variation from averages: no pair of worlds is further apart than its divergence or its information allows."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from tests.losses.finite import Worlds, renyi, worlds
from tests.losses.malformed import accepted
from twoworlds.losses.variation import variation_from_divergence, variation_from_information
from twoworlds.worlds.errors import InfiniteLoss

ABOVE = 1 + 1e-9  # the oracle is double precision


@given(worlds)
def test_no_pair_is_further_apart_than_its_divergence_allows(pair: Worlds) -> None:
    """In both directions; where the divergence leaves it unbounded, that is said."""
    for one, other in pair.directions():
        nats = renyi(one, other, 1) * ABOVE + 1e-15
        try:
            assert float(variation_from_divergence(nats)) * ABOVE + 1e-7 >= float(pair.variation())
        except InfiniteLoss:
            assert nats > 1


@given(worlds)
def test_no_pair_is_further_apart_than_its_information_allows(pair: Worlds) -> None:
    """The information of a fair coin about which world it is: the mean divergence from the mixture."""
    mixture = tuple((p + q) / 2 for p, q in zip(pair.one, pair.other, strict=True))
    nats = (renyi(pair.one, mixture, 1) + renyi(pair.other, mixture, 1)) / 2 * ABOVE + 1e-15
    try:
        assert float(variation_from_information(nats)) * ABOVE + 1e-7 >= float(pair.variation())
    except InfiniteLoss:
        assert nats >= 0.5


def test_the_bounds_are_as_small_as_their_theorems() -> None:
    """Pinsker's constant is met by coins near 1/2, and far out the other theorem takes over and stays below 1."""
    half, near = (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 2) + Fraction(1, 1000), Fraction(1, 2) - Fraction(1, 1000))
    assert float(variation_from_divergence(renyi(near, half, 1))) == pytest.approx(1e-3, rel=1e-5)
    assert float(variation_from_divergence(3)) == pytest.approx(math.sqrt(1 - math.exp(-3)), rel=1e-12)
    assert float(variation_from_information("0.02")) == pytest.approx(0.2, rel=1e-12)


def test_malformed_calls_are_refused() -> None:
    """No distance for what is no number of nats, nor for so many that anything may be told apart."""
    assert accepted(variation_from_divergence, {"epsilon": 1}) == []
    assert accepted(variation_from_information, {"epsilon": "0.1"}) == []
    with pytest.raises(InfiniteLoss, match="says nothing"):
        variation_from_information(1)
