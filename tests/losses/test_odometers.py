"""Odometers: what they report at a stopping time of the analyst's choice is true of the transcripts, all together."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from tests.losses.finite import SLACK
from tests.losses.interaction import Transcript, greedy, played
from tests.losses.malformed import accepted
from tests.losses.test_filters import ALL, COINS, LEAKS, ORDERS_FIXED, analysts
from twoworlds.losses import prices
from twoworlds.losses.filters import ApproximateFilter, ConcentratedFilter, Filter, GaussianFilter, PureFilter, RenyiFilter, Spent
from twoworlds.losses.odometers import Odometer, Reading, odometer
from twoworlds.worlds.errors import BadArgument


def excess(ends: list[Transcript], report: Callable[[Spent], Reading]) -> float:
    """How far the reported epsilons miss: the largest P[E] - sum of e^report Q over events E, in both directions."""
    readings = [math.exp(report(end.state).epsilon) for end in ends]
    return max(
        math.fsum(max(float(p) - growth * float(q), 0.0) for growth, (p, q) in zip(readings, laws, strict=True))
        for laws in ([(end.one, end.other) for end in ends], [(end.other, end.one) for end in ends])
    )


@pytest.mark.parametrize(
    "meter",
    [
        odometer(PureFilter(2)),
        odometer(ConcentratedFilter("0.5"), "0.05"),
        odometer(GaussianFilter("1.2"), "0.05"),
        odometer(RenyiFilter("1.5", "0.2", ORDERS_FIXED), "0.05"),
    ],
    ids=lambda meter: meter.budget.name,
)
@given(ask=analysts(COINS))
def test_readings_hold_at_every_stop(meter: Odometer, ask: Any) -> None:
    """Whenever the analyst stops, P[E] <= sum of e^report Q over E, plus delta."""
    ends = played(meter.budget, ask, 6)
    assert excess(ends, meter.report) <= float(meter.report(ends[0].state).delta) + SLACK


@pytest.mark.parametrize(
    "meter", [odometer(ApproximateFilter(2, "0.05")), odometer(ConcentratedFilter("0.5", "0.05"), "0.02")], ids=["sums", "zCDP"]
)
@given(ask=analysts(LEAKS))
def test_readings_hold_with_failures(meter: Odometer, ask: Any) -> None:
    """The filter's own delta is part of what the odometer reports."""
    ends = played(meter.budget, ask, 4)
    delta = meter.report(ends[0].state).delta
    assert delta >= meter.budget.limits["delta"]
    assert excess(ends, meter.report) <= float(delta) + SLACK


def test_a_reading_that_is_too_small_is_caught() -> None:
    """The harness can fail: half of the pure reading misses by more than nothing."""
    meter = odometer(PureFilter(2))
    ends = played(meter.budget, greedy(COINS), 6)
    assert excess(ends, lambda state: Reading(meter.report(state).epsilon / 2, Fraction(0))) > 0.01


@pytest.mark.parametrize("budget", ALL, ids=lambda budget: budget.name)
def test_readings_start_at_zero_and_grow(budget: Filter) -> None:
    """Nothing spent is no loss; every charge makes the reading no smaller."""
    meter, state = odometer(budget, "1e-6"), budget.start()
    readings = [meter.report(state).epsilon]
    for _ in range(5):
        state = budget.charge(state, prices.Pure("0.02"))
        readings.append(meter.report(state).epsilon)
    assert readings[0] == 0 and readings == sorted(readings) and 0 < readings[-1] < math.inf


def test_an_odometer_costs_little_more_than_a_filter() -> None:
    """Just above a level the reading is at worst about twice what a filter with that very budget would have promised."""
    budget, spent = ConcentratedFilter(1), prices.Concentrated(Fraction(17, 100))
    reading = odometer(budget, "1e-6").report(budget.charge(budget.start(), spent)).epsilon
    assert spent.loss().epsilon("1e-6").upper < reading < 2 * spent.loss().epsilon("1e-6").upper


def test_malformed_odometers_are_refused() -> None:
    """An odometer needs a filter and, where it takes a union, a delta between 0 and 1."""
    assert accepted(odometer, {"budget": ConcentratedFilter(1), "delta": 0.1}) == []
    for delta in (0, 1, 2):
        with pytest.raises(BadArgument, match="delta"):
            odometer(ConcentratedFilter(1), delta)
