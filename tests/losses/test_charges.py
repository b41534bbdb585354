"""Charges: what a release costs in each currency is an upper bound on its pair of worlds, in every form it is handed over."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies
from scipy import stats

from tests.losses.finite import ORDERS, SLACK, Worlds, worlds
from tests.losses.malformed import MALFORMED, accepted
from twoworlds.losses import charges, loss, prices
from twoworlds.losses.moments import renyi_at
from twoworlds.losses.variation import variation_from_divergence, variation_from_information
from twoworlds.losses.written import BY_NAME, loss_as_written, written
from twoworlds.worlds.errors import BadArgument, InfiniteLoss
from twoworlds.worlds.events import Ran


@settings(max_examples=20)
@given(worlds)
def test_a_finite_loss_is_charged_in_every_currency(pair: Worlds) -> None:
    """pure, rho, mu and the Renyi vector of a tabulated pair bound that pair."""
    known = loss.finite(pair.one, pair.other)
    assert charges.pure(known) >= Fraction(max(pair.renyi(40), 0)) * (1 - Fraction(1, 10**9))
    rho, outside = charges.concentrated(known)
    assert outside == 0 and all(pair.renyi(order) <= float(rho) * order + SLACK for order in ORDERS)
    orders = (Fraction(3, 2), Fraction(8))
    assert all(pair.renyi(float(a)) <= float(top) + SLACK for a, top in zip(orders, charges.renyi(known, orders)[0], strict=True))
    mu = float(charges.gaussian(known)) ** 0.5
    for first, second in pair.tests():
        if 0 < first < 1 and 0 < second < 1:
            assert stats.norm.isf(float(first)) - stats.norm.ppf(float(second)) <= mu + 1e-9


@given(strategies.fractions(min_value="1/10", max_value=10), strategies.fractions(min_value="11/10", max_value=50))
def test_a_renyi_limit_keeps_the_goal(epsilon: Fraction, order: Fraction) -> None:
    """A divergence at its limit converts to the goal, and one a little above it may not."""
    delta = Fraction(1, 10**6)
    limit = charges.renyi_limit(order, epsilon, delta)
    if limit > 0:
        assert renyi_at(order, limit).delta(epsilon).upper <= float(delta) * (1 + 1e-12)


@given(worlds)
def test_variation_follows_from_averages(pair: Worlds) -> None:
    """The divergence of a pair bounds its total variation."""
    assert float(pair.variation()) <= float(variation_from_divergence(pair.renyi(1) + 1e-15)) + SLACK


def test_variation_from_averages_in_numbers() -> None:
    """Pinsker where it is small, Bretagnolle and Huber where it is large, and an error where nothing is left."""
    assert float(variation_from_divergence("0.02")) == pytest.approx(0.1)
    assert 0.99 < float(variation_from_divergence(5)) < 1 and float(variation_from_information("0.02")) == pytest.approx(0.2)
    for wrong in (lambda: variation_from_divergence(1000), lambda: variation_from_information("0.5")):
        with pytest.raises(InfiniteLoss, match="says nothing"):
            wrong()


def test_malformed_calls_are_refused() -> None:
    """Nothing that is no release has a charge, and no nats below zero a variation."""
    functions: list[Any] = [charges.pure, charges.concentrated, charges.approximate, charges.gaussian]
    for function in (*functions, lambda wrong: charges.renyi(wrong, (Fraction(2),)), loss_as_written):
        for wrong in (*MALFORMED, prices.Pure("epsilon"), Ran.of("count", "digest", {}), Ran.of("count", BY_NAME, {})):
            with pytest.raises(BadArgument):
                function(wrong)
    assert accepted(variation_from_divergence, {"epsilon": 0.1}) == []
    assert accepted(variation_from_information, {"epsilon": 0.1}) == []
    assert loss_as_written(written("pure", epsilon=1)) == loss.pure(1)
