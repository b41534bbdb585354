"""Balls at the border to floats: what leaves is on the right side, exactly, and what is no number does not leave."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, strategies

from twoworlds.losses.balls import ball, exact_ends, float_above, float_below, normal_tail, precision, refine, upper
from twoworlds.losses.bounds import above, below, is_at_most
from twoworlds.worlds.errors import BadArgument

RATIONALS = strategies.fractions(min_value=-(10**9), max_value=10**9)


@given(RATIONALS, strategies.integers(-1100, 1000))
def test_floats_enclose_the_number(value: Fraction, power: int) -> None:
    """At any size, subnormal ones included: the floats lie on both sides, and no further than needed."""
    scaled = value * Fraction(2) ** power
    with precision(300):
        enclosed = ball(scaled)
        low, high = float_below(enclosed), float_above(enclosed)
    assert math.isinf(high) or Fraction(high) >= scaled
    assert math.isinf(low) or Fraction(low) <= scaled
    assert abs(low) < 1e-300 or high <= math.nextafter(math.nextafter(low, math.inf), math.inf)


@given(RATIONALS, RATIONALS)
def test_ends_enclose_what_is_computed(one: Fraction, other: Fraction) -> None:
    """A sum and a product in few bits hold the exact ones; exact ends agree with the ledger's."""
    with precision(20):
        for value, truth in ((ball(one) + ball(other), one + other), (ball(one) * ball(other), one * other)):
            low, high = exact_ends(value)
            assert low <= truth <= high
            assert (below(value), above(value)) == (low, high)
            assert is_at_most(value, value)


def test_what_is_no_number_does_not_leave() -> None:
    """NaN is an error at every door; infinity is what it is."""
    for door in (upper, float_above, float_below, above):
        with pytest.raises(BadArgument):
            door(arb("nan"))
    assert float_above(arb("inf")) == math.inf and above(arb("inf")) is None


def test_refining_ends() -> None:
    """A difference that cancels is computed with more bits until it is known; one that is zero ends at the limit."""
    found = refine(lambda: (1 + arb(2) ** -400) - 1)
    assert found.rel_accuracy_bits() >= 45 and found > 0
    assert refine(lambda: (arb(2).sqrt() ** 2) - 2, limit=512).contains(arb(0))
    assert normal_tail(arb(0)).contains(arb(0.5)) and float(normal_tail(arb(40)).mid()) == pytest.approx(
        3.655893540915029e-350 or 0
    )


@pytest.mark.parametrize("x", [1e4, 1e7, 1e9])
def test_tails_far_out_are_known_as_well_as_their_place(x: float) -> None:
    """A ball of 128 bits far out keeps a small relative radius, and holds its ends."""
    with precision():
        place = arb(x) / 3 * 3
        found = normal_tail(place)
    assert found.rel_accuracy_bits() > 50
    with precision(1 << 10):
        assert all(found.contains((end / arb(2).sqrt()).erfc().mid() / 2) for end in (place.lower(), place.mid(), place.upper()))
