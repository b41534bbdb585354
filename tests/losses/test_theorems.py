"""Composition theorems: true of composed finite worlds, refused outside their condition, never below the exact account."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies

from tests.losses.finite import SLACK, Worlds, small_worlds
from tests.losses.malformed import MALFORMED, accepted
from twoworlds.losses import loss, theorems
from twoworlds.losses.pricing import loss_of
from twoworlds.losses.reading import parse
from twoworlds.losses.theorems import (
    METHODS,
    advanced,
    amplified,
    basic,
    classical_epsilon,
    classical_sigma,
    older_methods,
    optimal,
)
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Event
from twoworlds.worlds.rationals import Enclosure


def powered(pair: Worlds, count: int) -> Worlds:
    whole = pair
    for _ in range(count - 1):
        whole = whole.times(pair)
    return whole


@given(small_worlds, strategies.integers(1, 4), strategies.sampled_from([0.3, 0.01]))
def test_every_theorem_holds_for_composed_worlds(pair: Worlds, count: int, slack: float) -> None:
    """Basic, advanced and optimal composition of a pair's (epsilon, delta) are true of its product, with and without delta."""
    whole = powered(pair, count)
    for each in (Enclosure(pair.ratio()).log().high, Fraction(1, 10)):
        delta = 0 if each > Fraction(1, 10) else min(pair.delta(0.1) + SLACK, 0.9)
        for epsilon, failure in (basic(each, delta, count), advanced(each, delta, count, slack)):
            assert whole.delta(epsilon) <= failure + SLACK
        target = min(count * Fraction(delta) + Fraction(slack), Fraction(99, 100))
        exact = optimal(each, delta, count, target)
        assert whole.delta(exact) <= target + Fraction(1, 10**10)
        if count * Fraction(delta) + Fraction(slack) < 1:
            assert exact <= min(basic(each, delta, count)[0], advanced(each, delta, count, slack)[0]) * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
@pytest.mark.parametrize("count", [1, 2, 7, 500])
@pytest.mark.parametrize("delta", ["0", "1e-7"])
def test_optimal_composition_is_the_exact_account_of_the_worst_case(epsilon: str, count: int, delta: str) -> None:
    """The closed sum agrees with the certified composition of randomized responses with failures."""
    for target in ("1e-3", "0.2"):
        certified = loss.approximate(epsilon, delta).power(count).epsilon(target, width=1e-6).upper
        assert optimal(epsilon, delta, count, target) == pytest.approx(certified, rel=1e-5, abs=1e-9)


def test_optimal_composition_by_its_integer_formula() -> None:
    """At the corners (k - 2i) epsilon the delta is the published sum over l < i (Kairouz, Oh and Viswanath 2017, theorem 3.3)."""
    epsilon, k = 0.5, 10
    for i in range(1, k // 2 + 1):
        terms = [math.comb(k, j) * (math.exp((k - j) * epsilon) - math.exp((k - 2 * i + j) * epsilon)) for j in range(i)]
        delta = math.fsum(terms) / (1 + math.exp(epsilon)) ** k
        assert optimal(epsilon, 0, k, delta) == pytest.approx((k - 2 * i) * epsilon, abs=1e-9)


@given(small_worlds, strategies.sampled_from([Fraction(1, 100), Fraction(1, 3), Fraction(1)]))
def test_the_sampling_lemma_holds(pair: Worlds, rate: Fraction) -> None:
    """log(1 + q (e^epsilon - 1)) at q delta bounds the mixture against the plain law, in both directions."""
    mixed = tuple(rate * p + (1 - rate) * q for p, q in zip(pair.one, pair.other, strict=True))
    sampled = Worlds(mixed, pair.other)
    for epsilon in (0.0, 0.2, 1.0):
        assert sampled.delta(amplified(epsilon, rate)) <= float(rate) * pair.delta(epsilon) + SLACK


def test_advanced_composition_is_the_printed_formula() -> None:
    """100 steps of 0.1 at slack 1e-6."""
    epsilon, delta = advanced("0.1", "1e-8", 100, "1e-6")
    assert epsilon == pytest.approx(0.1 * math.sqrt(200 * math.log(1e6)) + 10 * math.expm1(0.1), rel=1e-12)
    assert delta == pytest.approx(2e-6)


def test_the_classical_gaussian_refuses_from_one_on() -> None:
    """Below 1 it is sqrt(2 log(1.25 / delta)) / sigma and true; from 1 on it is refused, and the analytic one is named."""
    epsilon = classical_epsilon(10, 1, "1e-5")
    assert (
        epsilon == pytest.approx(math.sqrt(2 * math.log(1.25e5)) / 10) and loss.gaussian(10).delta(Fraction(epsilon)).upper < 1e-5
    )
    assert classical_sigma(Fraction(epsilon), 1, "1e-5") == pytest.approx(10)
    with pytest.raises(BadArgument, match="analytic"):
        classical_epsilon(4, 1, "1e-5")
    with pytest.raises(BadArgument, match="analytic"):
        classical_sigma(1, 1, "1e-5")
    wrong = math.sqrt(2 * math.log(1.25e5)) / 9  # what the formula would say of epsilon = 9: false there
    assert loss.gaussian(Fraction(wrong)).delta(9).lower > 1e-5


def by_name(event: Event, delta: object) -> dict[str, theorems.Priced]:
    return {priced.method: priced for priced in older_methods(event, delta)}


@pytest.mark.parametrize(
    "text",
    [
        "gaussian(sigma=30), 100 times",
        "laplace(scale=10), 100 times",
        "pure(epsilon=0.1), 50 times and gaussian(sigma=40), 20 times",
        "gaussian(sigma=20) sampled at 0.1, 50 times",
        "zcdp(rho=0.001), 10 times",
        "approximate(epsilon=0.01, delta=1e-9), 30 times",
    ],
)
def test_no_method_beats_the_exact_account(text: str) -> None:
    """Every older answer is at or above the certified lower end, and names its theorem; some method always answers."""
    event = parse(text)
    truth, answers = loss_of(event).epsilon("1e-5"), older_methods(event, "1e-5")
    assert [priced.method for priced in answers] == [method.name for method in METHODS]
    assert any(not priced.refused for priced in answers)
    for priced in answers:
        assert priced.theorem
        assert math.isinf(priced.epsilon) if priced.refused else priced.epsilon >= truth.lower


def test_the_naive_total_of_the_course_is_valid_only_below_one_per_step() -> None:
    """epsilon = T sqrt(2 log(1.25 T / delta)) / sigma; at sigma = 1 every step is above 1 and the method refuses."""
    steps, delta = 100, 1e-5
    naive = by_name(parse("gaussian(sigma=30), 100 times"), delta)["naive, textbook Gaussian"]
    assert naive.epsilon == pytest.approx(steps * math.sqrt(2 * math.log(1.25 * steps / delta)) / 30)
    refused = by_name(parse("gaussian(sigma=1) sampled at 0.01, 10000 times"), delta)["naive, textbook Gaussian"]
    assert "below 1" in refused.refused and refused.epsilon == math.inf


def test_sampling_helps_where_it_is_used() -> None:
    """With sampling the methods that use it fall below those that ignore it, and Renyi stays the best of the older ones."""
    answers = by_name(parse("gaussian(sigma=10) sampled at 0.01, 1000 times"), "1e-5")
    assert answers["naive, textbook Gaussian, sampled"].epsilon < answers["naive, textbook Gaussian"].epsilon
    assert answers["RDP"].epsilon == min(priced.epsilon for priced in answers.values())
    assert answers["zCDP"].epsilon > answers["RDP"].epsilon


def test_unequal_steps_and_zero_delta_are_refused_by_those_who_cannot() -> None:
    """Optimal composition takes equal steps only; at delta = 0 only sums of pure steps answer."""
    mixed = by_name(parse("pure(epsilon=0.1) and pure(epsilon=0.2)"), "1e-5")
    assert "not all equal" in mixed["optimal"].refused and "sampled" in mixed["naive, textbook Gaussian, sampled"].refused
    at_zero = by_name(parse("pure(epsilon=0.1), 7 times"), 0)
    assert at_zero["naive"].epsilon == pytest.approx(0.7) and at_zero["advanced"].refused


@settings(max_examples=10)
@given(strategies.integers(1, 200), strategies.integers(1, 40))
def test_optimal_is_below_advanced_for_equal_steps(count: int, tenth: int) -> None:
    """The optimal theorem never loses to the one it replaced."""
    answers = by_name(parse(f"pure(epsilon={tenth}/10), {count} times"), "1e-4")
    assert answers["optimal"].epsilon <= answers["advanced"].epsilon * (1 + 1e-9)


def test_malformed_calls_are_refused() -> None:
    """No theorem gives a number for malformed input."""
    assert accepted(basic, {"epsilon": 1, "delta": 0.1, "count": 2}) == []
    assert accepted(advanced, {"epsilon": 1, "delta": 0.1, "count": 2, "slack": 0.1}) == []
    assert accepted(optimal, {"epsilon": 1, "delta": 0.01, "count": 2, "target": 0.1}) == []
    assert accepted(amplified, {"epsilon": 1, "rate": 0.1}) == []
    assert accepted(classical_epsilon, {"sigma": 10, "sensitivity": 1, "delta": 0.1}) == []
    assert accepted(classical_sigma, {"epsilon": 0.1, "sensitivity": 1, "delta": 0.1}) == []
    assert accepted(older_methods, {"event": parse("pure(epsilon=1)"), "delta": 0.1}) == []
    for wrong in MALFORMED:
        with pytest.raises(BadArgument):
            older_methods(wrong, 0.1)
    with pytest.raises(BadArgument, match="too long"):
        optimal(1, 0, 10**6, 0.1)
