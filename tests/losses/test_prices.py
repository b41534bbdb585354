"""Prices: formulas that wait for parameters, rounded against us, added up in their own dialect."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies

from tests.losses.malformed import accepted
from twoworlds.losses import prices
from twoworlds.losses.prices import Approximate, Concentrated, Dialect, GaussianPrivacy, MeanConcentrated, Pure, Renyi, Truncated
from twoworlds.worlds.errors import BadArgument, InfiniteLoss

ONE_OF_EACH: list[Dialect] = [
    Pure("epsilon"),
    Approximate("epsilon", "delta"),
    prices.Probabilistic("epsilon", "delta"),
    Concentrated("rho", "delta"),
    Truncated("rho", "omega"),
    MeanConcentrated("mean", "spread"),
    Renyi("order", "epsilon"),
    GaussianPrivacy("mu"),
    prices.KullbackLeibler("epsilon"),
    prices.TotalVariation("delta"),
    prices.MutualInformation("epsilon"),
]
VALUES = {"epsilon": "0.1", "delta": "1e-6", "rho": "0.1", "omega": 64, "mean": "0.1", "spread": "0.3", "order": 8, "mu": "0.4"}


@pytest.mark.parametrize("price", ONE_OF_EACH, ids=lambda price: type(price).__name__)
def test_every_price_evaluates_to_a_loss(price: Dialect) -> None:
    """Each dialect names its parameters, refuses to be evaluated without them, and gives a loss with a delta at epsilon 1."""
    assert price.names == set(price.formulas)
    assert 0 <= price.loss(VALUES).delta(1).upper < 0.5
    with pytest.raises(BadArgument, match="needs a value for"):
        price.loss()


@pytest.mark.parametrize("price", ONE_OF_EACH, ids=lambda price: type(price).__name__)
def test_three_times_is_adding_three_times(price: Dialect) -> None:
    """k times a price is the price added k times, as numbers."""
    thrice, added = price.times(3), price + price + price
    ours, theirs = thrice.at(VALUES), added.at(VALUES)
    assert all(math.isclose(ours[name], theirs[name], rel_tol=1e-12) for name in ours)


@settings(max_examples=20)
@given(strategies.fractions(min_value="1/100", max_value=3), strategies.integers(1, 30))
def test_composed_prices_cover_composed_losses(size: Fraction, count: int) -> None:
    """The loss of a composed price is no smaller than the composed loss: addition in the dialect never under-reports."""
    for price in (Pure(size), Concentrated(size), GaussianPrivacy(size), Truncated(size, 40), MeanConcentrated(size, size)):
        whole, parts = price.times(count).loss(), price.loss().power(count)
        assert whole.delta(1).upper >= parts.delta(1).lower
        if not isinstance(price, Pure):  # the same theorem on both sides, so they agree
            assert whole.delta(1).upper == pytest.approx(parts.delta(1).upper, rel=1e-6, abs=1e-15)


def test_numbers_round_against_us() -> None:
    """Irrational losses round up; an order, which only limits a guarantee, rounds down."""
    price = Renyi("1 + log(k)", "log(k)")
    numbers = price.at({"k": 3})
    assert numbers["order"] < 1 + math.log(3) + 1e-15 and numbers["epsilon"] > numbers["order"] - 1
    assert Pure("log(3)").at()["epsilon"] > Fraction(math.log(3)) - Fraction(1, 10**15)


def test_constants_are_guarantees() -> None:
    """A price without parameters evaluates by itself and is equal to one written alike."""
    assert Pure(1).loss().epsilon(0).upper == 1
    assert Pure("1/3") == Pure(Fraction(1, 3)) and hash(Pure(1)) == hash(Pure("1"))
    assert str(Pure("epsilon")) == "pure epsilon"
    assert str(Concentrated("rho")) == "Concentrated(rho = rho, delta = 0)"


def test_the_count_may_be_a_formula() -> None:
    """A card that runs k times is priced by k."""
    assert Pure("epsilon").times("k").at({"epsilon": "0.1", "k": 7}) == {"epsilon": Fraction(7, 10)}
    assert GaussianPrivacy("mu").times("k").at({"mu": 3, "k": 4}) == {"mu": 6}


def test_dialects_do_not_mix() -> None:
    """Adding prices of two dialects is an error that says what to do."""
    with pytest.raises(BadArgument, match="Convert both"):
        Pure(1) + Concentrated(1)


@pytest.mark.parametrize("price", ONE_OF_EACH, ids=lambda price: type(price).__name__)
def test_malformed_prices_are_refused(price: Dialect) -> None:
    """No price takes NaN, infinity, a negative number, a wrong type or an empty formula; a name is a formula."""
    valid = {name: VALUES[name] for name in price.formulas}
    texts = dict.fromkeys(valid, ("many",))
    assert accepted(type(price), valid, texts) == []
    assert accepted(price.times, {"count": 2}, {"count": ("many",)}) == []
    for name in valid:
        assert accepted(lambda value, name=name: price.at({**VALUES, name: value}), {"value": VALUES[name]}) == []


@pytest.mark.parametrize("wrong", [lambda: Approximate(1, 1), lambda: Renyi(1, 1), lambda: Truncated(1, "1/2"), lambda: Pure(-1)])
def test_constants_out_of_range_are_refused_where_they_are_written(wrong: object) -> None:
    """delta = 1, orders of 1 or less and negative losses never become a price."""
    with pytest.raises(BadArgument):
        wrong()  # type: ignore[operator]  # parametrize knows no callables


def test_information_that_allows_everything_is_no_loss() -> None:
    """Half a nat of mutual information bounds no test, and says so instead of returning a number."""
    for price in (prices.MutualInformation("0.5"), prices.KullbackLeibler(1000)):
        with pytest.raises(InfiniteLoss, match="says nothing"):
            price.loss()
