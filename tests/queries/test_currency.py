"""From the epsilon that people ask for to what is charged: never more than asked, and no more than a sliver less."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings, strategies

from twoworlds.losses.prices import Concentrated, GaussianPrivacy
from twoworlds.queries.currency import concentrated_for, epsilon_of, gaussian_for

SLIVER = 1 + Fraction(2, 10**5)


@settings(max_examples=60, deadline=None)
@given(strategies.fractions(Fraction(1, 10**4), 200), strategies.integers(1, 40))
def test_what_is_charged_means_what_was_asked(epsilon: Fraction, digits: int) -> None:
    """The rho and the mu of a request mean its (epsilon, delta), and a little more of either would not."""
    delta = Fraction(1, 10**digits)
    for found, price in ((concentrated_for, Concentrated), (gaussian_for, GaussianPrivacy)):
        amount = found(epsilon, delta)
        assert epsilon_of(price(amount), delta) <= epsilon < epsilon_of(price(amount * SLIVER), delta)


def test_few_conversions_are_tried() -> None:
    """Each conversion is dear, so the search takes a handful of them."""
    before = epsilon_of.cache_info().misses
    concentrated_for(Fraction(17, 16), Fraction(1, 10**7))
    assert epsilon_of.cache_info().misses - before <= 8
