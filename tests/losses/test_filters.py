"""Filters: whatever an adaptive analyst does, the budget holds; played out exactly against small mechanisms."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies

from tests.losses.finite import EPSILONS, ORDERS, SLACK, Worlds
from tests.losses.interaction import Question, curious, greedy, laws, played
from tests.losses.malformed import MALFORMED, accepted
from twoworlds.losses import filters, loss, moments, prices
from twoworlds.losses.filters import (
    ApproximateFilter,
    ConcentratedFilter,
    Filter,
    GaussianFilter,
    PureFilter,
    RenyiFilter,
    filter_from_json,
    spent_from_json,
)
from twoworlds.worlds.errors import BadArgument, Exhausted
from twoworlds.worlds.rationals import Enclosure

ORDERS_FIXED = ("3/2", 2, 4, 8, 32)


def coin(ratio: Fraction) -> Question:
    """Randomized response with e^epsilon = ratio, charged as pure."""
    truth = ratio / (1 + ratio)
    return Worlds((truth, 1 - truth), (1 - truth, truth)), prices.Pure(Enclosure(ratio).log().high)


def leaky(ratio: Fraction, delta: Fraction) -> Question:
    """Randomized response that tells the world with probability delta, charged as approximate."""
    mechanism, price = coin(ratio)
    return mechanism.reveal(delta), prices.Approximate(price.at()["epsilon"], delta)


COINS = [coin(Fraction(ratio)) for ratio in ("11/10", "5/4", "2")]
LEAKS = [leaky(Fraction(5, 4), Fraction(1, 100)), coin(Fraction(3, 2)), leaky(Fraction(11, 10), Fraction(1, 50))]


def analysts(questions: list[Question]) -> strategies.SearchStrategy[Callable[[tuple[int, ...]], Question | None]]:
    return strategies.one_of(
        strategies.integers(0, 10**6).map(lambda seed: curious(seed, questions)), strategies.just(greedy(questions))
    )


@given(analysts(COINS), strategies.sampled_from(["0.3", "1", "1.7"]))
def test_the_pure_filter_holds(ask: Any, epsilon: str) -> None:
    """No transcript has a ratio above e^epsilon."""
    filter_ = PureFilter(epsilon)
    ends = played(filter_, ask, 7)
    assert Enclosure(laws(ends).ratio()).log().low <= filter_.epsilon
    assert all(end.state["epsilon"] <= filter_.epsilon for end in ends)


@given(analysts(COINS), strategies.sampled_from(["0.05", "0.2", "0.4"]))
def test_the_concentrated_filter_holds(ask: Any, rho: str) -> None:
    """The whole transcript is rho-zCDP: every order of both directions."""
    pair = laws(played(ConcentratedFilter(rho), ask, 7))
    for order in ORDERS:
        assert pair.renyi(order) <= float(Fraction(rho)) * order + SLACK


@given(analysts(LEAKS), strategies.sampled_from(["0.1", "0.3"]))
def test_the_concentrated_filter_holds_with_failures(ask: Any, rho: str) -> None:
    """With mechanisms that may fail, the transcript satisfies what approximate zCDP implies at every epsilon."""
    filter_ = ConcentratedFilter(rho, "0.04")
    pair = laws(played(filter_, ask, 4))
    for epsilon in EPSILONS:
        assert pair.delta(epsilon) <= filter_.guarantee().loss().delta(Fraction(epsilon)).upper + SLACK


@given(analysts(LEAKS))
def test_the_approximate_filter_holds(ask: Any) -> None:
    """The transcript is (epsilon, delta)-private."""
    pair = laws(played(ApproximateFilter("0.8", "0.03"), ask, 4))
    assert pair.delta(0.8) <= 0.03 + SLACK


@given(analysts(COINS))
def test_the_gaussian_filter_holds(ask: Any) -> None:
    """The transcript is no easier to tell apart than N(0, 1) and N(mu, 1)."""
    filter_ = GaussianFilter("0.9")
    pair = laws(played(filter_, ask, 7))
    for epsilon in EPSILONS:
        assert pair.delta(epsilon) <= filter_.guarantee().loss().delta(Fraction(epsilon)).upper + SLACK


@given(analysts(LEAKS))
def test_the_renyi_filter_holds(ask: Any) -> None:
    """At its goal epsilon the transcript has at most its goal delta, though the order is never chosen in advance."""
    filter_ = RenyiFilter("1.5", "0.2", ORDERS_FIXED, "0.05")
    pair = laws(played(filter_, ask, 4))
    assert pair.delta(1.5) <= 0.2 + SLACK


def test_a_filter_without_memory_is_caught() -> None:
    """The harness can fail: with a budget that is never checked, the greedy analyst breaks the guarantee."""

    class Forgetful(PureFilter):
        def admits(self, amounts: Any) -> bool:
            return len(amounts) > 0

    pair = laws(played(Forgetful(1), greedy(COINS), 7))
    assert Enclosure(pair.ratio()).log().low > 1


@pytest.mark.parametrize(
    ("filter_", "release", "cost"),
    [
        (PureFilter(1), prices.Pure("0.1"), {"epsilon": Fraction(1, 10)}),
        (PureFilter(1), loss.laplace(10), {"epsilon": Fraction(1, 10)}),
        (ConcentratedFilter(1), loss.gaussian(2), {"rho": Fraction(1, 8), "delta": 0}),
        (ConcentratedFilter(1), moments.gaussian_moments(2).power(3), {"rho": Fraction(3, 8), "delta": 0}),
        (ConcentratedFilter(1, "0.1"), prices.Concentrated("0.3", "1e-6"), {"rho": Fraction(3, 10), "delta": Fraction(1, 10**6)}),
        (GaussianFilter(1), loss.gaussian(2), {"mu_squared": Fraction(1, 4)}),
        (GaussianFilter(1), prices.GaussianPrivacy("0.3"), {"mu_squared": Fraction(9, 100)}),
        (ApproximateFilter(1, "0.1"), prices.Approximate("0.3", "0.01"), {"epsilon": Fraction(3, 10), "delta": Fraction(1, 100)}),
        (ApproximateFilter(1, "0.1"), prices.TotalVariation("0.01"), {"epsilon": 0, "delta": Fraction(1, 100)}),
    ],
)
def test_exact_prices_are_charged_exactly(filter_: Filter, release: Any, cost: dict[str, Fraction]) -> None:
    """A release in the filter's own currency is charged its own number, without rounding."""
    assert filter_.cost(release) == cost


@pytest.mark.parametrize(
    "release", [prices.Pure("0.7"), loss.pure("0.7"), moments.pure_moments("0.7")], ids=["price", "loss", "moments"]
)
def test_a_release_costs_the_same_in_each_form(release: Any) -> None:
    """A price, its loss and its moment bound are charged alike, in every currency."""
    reference = prices.Pure("0.7")
    for filter_ in (
        PureFilter(1),
        ConcentratedFilter(1),
        GaussianFilter(3),
        ApproximateFilter(1, 0.1),
        RenyiFilter(2, 0.1, [2, 8]),
    ):
        ours, theirs = filter_.cost(release), filter_.cost(reference)
        assert all(float(ours[name]) == pytest.approx(float(theirs[name]), rel=1e-12) for name in theirs)
        assert all(theirs[name] > 0 for name in theirs if name != "delta")


def test_charges_are_rounded_up_and_stay_short() -> None:
    """An irrational price is stored as a short rational above it."""
    cost = ConcentratedFilter(1).cost(prices.Pure(1))["rho"]
    assert 0 <= float(cost) - math.tanh(0.5) < 1e-15 and cost.denominator.bit_length() < 80
    tiny = ApproximateFilter(1, 0.1).cost(prices.Approximate(Fraction(1, 3**60), 0))["epsilon"]
    assert 0 < tiny - Fraction(1, 3**60) < Fraction(1, 3**60) / 10**15


@given(strategies.fractions(min_value="1e-9", max_value=50, max_denominator=10**12))
def test_what_is_said_to_be_affordable_is(limit: Fraction) -> None:
    """The numbers in words are rounded down; to the nearest, every second one was refused when it was asked for."""
    for filter_, price in (
        (PureFilter(limit), prices.Pure),
        (GaussianFilter(limit), prices.GaussianPrivacy),
        (ConcentratedFilter(limit), prices.Concentrated),
        (ApproximateFilter(limit, "0.1"), lambda epsilon: prices.Approximate(epsilon, 0)),
    ):
        said = re.search(r"(?:epsilon|mu|rho) = ([0-9.e+-]+)", filter_.largest(filter_.start()))
        assert said is not None
        assert filter_.affords(filter_.start(), price(said[1]))
        assert Fraction(said[1]) > limit * Fraction(99999, 100000)


def test_exhausted_names_what_was_asked_what_is_left_and_what_would_do() -> None:
    """The error carries the request, the remainder and the largest affordable release; nothing was charged."""
    filter_ = ConcentratedFilter("0.5", "1e-6")
    state = filter_.charge(filter_.start(), loss.gaussian("1.25"))
    with pytest.raises(Exhausted, match=r"requested rho = 0\.5, .*remaining rho = 0\.18, .*nothing was charged.*sigma = 0\.6\)"):
        filter_.charge(state, loss.gaussian(1))
    assert filter_.remaining(state)["rho"] == Fraction(18, 100) and state.count == 1
    assert not filter_.affords(state, loss.gaussian(1)) and filter_.affords(state, loss.gaussian(2))
    assert filter_.affords(state, prices.Concentrated("0.18"))


def test_interactive_failures_are_refused() -> None:
    """Sparse vector may be interleaved; an interactive mechanism that may fail may not, where no theorem covers it."""
    risky = prices.Approximate("0.1", "1e-9")
    for filter_ in (ConcentratedFilter(1, "1e-6"), RenyiFilter(1, "1e-5", [16, 64], "1e-6")):
        start = filter_.start()
        assert filter_.charge(start, prices.Pure("0.1"), interactive=True).count == 1
        assert filter_.charge(start, risky).count == 1
        with pytest.raises(BadArgument, match="interleaved"):
            filter_.charge(start, risky, interactive=True)
    assert ApproximateFilter(1, "1e-6").affords(ApproximateFilter(1, "1e-6").start(), risky, interactive=True)


@pytest.mark.parametrize(
    ("filter_", "release"),
    [
        (PureFilter(1), loss.gaussian(1)),
        (PureFilter(1), prices.Approximate("0.1", "1e-9")),
        (ConcentratedFilter(1, 0.1), prices.Renyi(8, "0.1")),
        (ConcentratedFilter(1, 0.1), prices.Truncated("0.1", 8)),
        (GaussianFilter(1), prices.Concentrated("0.1")),
        (ApproximateFilter(1, 0.1), loss.gaussian(1)),
        (RenyiFilter(1, 0.1, [16]), prices.Renyi(8, "0.1")),
    ],
)
def test_what_has_no_price_is_refused(filter_: Filter, release: Any) -> None:
    """Where no theorem leads to the currency, charging is an error with a fix, never an estimate."""
    with pytest.raises(BadArgument) as caught:
        filter_.charge(filter_.start(), release)
    assert caught.value.fix


ALL = [
    PureFilter("1/3"),
    ConcentratedFilter("0.1", "1e-6"),
    GaussianFilter("0.7"),
    ApproximateFilter(1, "1e-6"),
    RenyiFilter(1, "1e-5", ORDERS_FIXED, "1e-7"),
]


@pytest.mark.parametrize("filter_", ALL, ids=lambda filter_: filter_.name)
def test_filters_and_states_survive_json(filter_: Filter) -> None:
    """Filter and state come back from their JSON exactly, and every filter names its theorems."""
    state = filter_.charge(filter_.start(), prices.Pure("0.01"))
    assert filter_from_json(json.loads(json.dumps(filter_.to_json()))) == filter_
    assert spent_from_json(json.loads(json.dumps(state.to_json()))) == state
    assert filter_.theorem and filter_.concurrent and set(filters.FILTERS) == {type(one) for one in ALL}
    assert filter_.guarantee().loss().delta(1).upper < 0.5


def test_a_state_of_another_filter_is_refused() -> None:
    """Charging needs a state of the same currencies."""
    with pytest.raises(BadArgument, match="another filter"):
        PureFilter(1).charge(ConcentratedFilter(1).start(), prices.Pure("0.1"))


def test_malformed_filters_are_refused() -> None:
    """No budget, release, order or stored state out of range is accepted."""
    assert accepted(PureFilter, {"epsilon": 1}) == []
    assert accepted(ConcentratedFilter, {"rho": 1, "delta": 0.1}) == []
    assert accepted(GaussianFilter, {"mu": 1}) == []
    assert accepted(ApproximateFilter, {"epsilon": 1, "delta": 0.1}) == []
    assert accepted(RenyiFilter, {"epsilon": 1, "delta": 0.1, "orders": [2], "failures": 0.01}) == []
    assert accepted(filter_from_json, {"data": PureFilter(1).to_json()}) == []
    assert accepted(spent_from_json, {"data": PureFilter(1).start().to_json()}) == []
    for filter_ in ALL:
        for wrong in (*MALFORMED, prices.Pure("epsilon")):
            with pytest.raises(BadArgument):
                filter_.charge(filter_.start(), wrong)
    for data in ({"filter": "pure"}, {"filter": "pure", "epsilon": "1", "mu": "1"}, {"filter": "pure", "epsilon": "-1"}):
        with pytest.raises(BadArgument):
            filter_from_json(data)
    with pytest.raises(BadArgument, match="failures"):
        RenyiFilter(1, 0.1, [2], 0.1)
    with pytest.raises(BadArgument, match="above 1"):
        RenyiFilter(1, 0.1, [1])


def test_the_order_of_currencies_says_nothing() -> None:
    """A state that went through JSON, whatever order its currencies came back in, equals the one that never did."""
    start = ConcentratedFilter(1, "1/100").start()
    assert spent_from_json(json.loads(json.dumps(start.to_json(), sort_keys=True))) == start
    assert filters.Spent(start.amounts[::-1]) == start
