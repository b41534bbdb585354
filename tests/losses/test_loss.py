"""The currency itself: its dialects of one law agree, post-processing never gains, and no malformed call of it gives a number."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import random
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies

import twoworlds.losses
from tests.losses.finite import SLACK, Worlds, worlds
from tests.losses.malformed import accepted
from twoworlds.losses import (
    account,
    charges,
    conversions,
    filters,
    groups,
    moments,
    odometers,
    pricing,
    reading,
    rules,
    solved,
    subsampling,
    theorems,
    variation,
    verdicts,
    written,
)
from twoworlds.losses.drawn import drawn
from twoworlds.losses.loss import (
    Loss,
    approximate,
    discrete_laplace,
    finite,
    from_points,
    gaussian,
    gaussian_privacy,
    laplace,
    pure,
    randomized_response,
)
from twoworlds.losses.notions import notion, notions
from twoworlds.losses.prices import Pure
from twoworlds.losses.spectra import moments_of
from twoworlds.worlds.errors import BadArgument, InfiniteLoss, MixedNeighbours

SIGMAS = (Fraction(1, 3), Fraction(1), Fraction(5))
RUN = subsampling.poisson_sampled(gaussian(1), "0.1").power(20)

# Every public function that takes numbers, with a call that works, and the values of the malformed ones that it may take.
CALLS: dict[Callable[..., Any], tuple[Mapping[str, Any], Mapping[str, tuple[Any, ...]]]] = {
    pure: ({"epsilon": 1}, {}),
    approximate: ({"epsilon": 1, "delta": 0.1}, {}),
    gaussian_privacy: ({"mu": 1}, {}),
    gaussian: ({"sigma": 1, "sensitivity": 1}, {}),
    laplace: ({"scale": 1, "sensitivity": 1}, {}),
    discrete_laplace: ({"scale": 1, "sensitivity": 1}, {}),
    randomized_response: ({"truth": 0.6, "options": 3}, {}),
    finite: ({"law": [0.5, 0.5], "other_law": [0.4, 0.6]}, {}),
    from_points: ({"points": [(0.2, 0.3)]}, {}),
    drawn: ({"points": [(0.2, 0.3)]}, {}),
    subsampling.poisson_sampled: ({"loss": gaussian(1), "rate": 0.1}, {}),
    subsampling.without_replacement: ({"loss": gaussian(1), "size": 2, "records": 9}, {}),
    subsampling.with_replacement: ({"loss": gaussian(1), "size": 2, "records": 9}, {}),
    moments.concentrated: ({"rho": 1, "delta": 0.1}, {}),
    moments.mean_concentrated: ({"mean": 1, "spread": 1}, {}),
    moments.truncated: ({"rho": 1, "omega": 9}, {}),
    moments.renyi_at: ({"order": 2, "epsilon": 1}, {}),
    moments.pure_moments: ({"epsilon": 1, "delta": 0.1}, {}),
    moments.gaussian_moments: ({"sigma": 1, "sensitivity": 1}, {}),
    moments.laplace_moments: ({"scale": 1, "sensitivity": 1}, {}),
    moments.randomized_response_moments: ({"p": 0.6}, {}),
    moments.subsampled_gaussian_moments: ({"sigma": 1, "rate": 0.1, "sensitivity": 1}, {}),
    moments_of: ({"loss": gaussian(1)}, {}),
    charges.pure: ({"release": Pure(1)}, {}),
    charges.concentrated: ({"release": Pure(1)}, {}),
    charges.approximate: ({"release": Pure(1)}, {}),
    charges.gaussian: ({"release": Pure(1)}, {}),
    pricing.loss_of: ({"event": written.written("gaussian", sigma=1)}, {}),
    pricing.compose: ({}, {}),
    reading.parse: ({"text": "gaussian(sigma=1)"}, {}),
    reading.describe: ({"event": written.written("gaussian", sigma=1)}, {}),
    written.loss_as_written: ({"event": written.written("gaussian", sigma=1)}, {}),
    verdicts.unlikely: ({"loss": gaussian(1), "failure": 0.1}, {}),
    verdicts.posterior: ({"prior": 0.1, "epsilon": 1}, {"epsilon": (math.inf,)}),
    theorems.classical_epsilon: ({"sigma": 9, "sensitivity": 1, "delta": 0.01}, {}),
    theorems.advanced: ({"epsilon": 1, "delta": 0.1, "count": 2, "slack": 0.1}, {}),
    theorems.amplified: ({"epsilon": 1, "rate": 0.1}, {}),
    theorems.basic: ({"epsilon": 1, "delta": 0.1, "count": 2}, {}),
    theorems.optimal: ({"epsilon": 1, "delta": 0.01, "count": 2, "target": 0.1}, {}),
    theorems.older_methods: ({"event": written.written("pure", epsilon=1), "delta": 0.1}, {}),
    written.written: ({"name": "gaussian", "sigma": 1}, {}),
    account.account: ({"what": "pure(epsilon=1)", "delta": 0.1, "records": 9}, {"records": (None,)}),
    charges.renyi: ({"release": Pure(1), "orders": (Fraction(2),)}, {}),
    charges.renyi_limit: ({"order": 2, "epsilon": 1, "delta": 0.1}, {}),
    conversions.convert: ({"price": Pure(1), "target": Pure}, {}),
    filters.filter_from_json: ({"data": filters.PureFilter(1).to_json()}, {}),
    filters.spent_from_json: ({"data": filters.PureFilter(1).start().to_json()}, {}),
    groups.group: ({"price": Pure(1), "size": 2}, {}),
    groups.textbook_delta: ({"epsilon": 1, "delta": 0.1, "size": 2}, {}),
    moments.renyi_curve: ({"points": {2: 1}, "delta": 0, "neighbours": ""}, {"neighbours": ("", "many")}),
    odometers.odometer: ({"budget": filters.PureFilter(1), "delta": 0.1}, {}),
    rules.moments: ({"price": Pure(1)}, {}),
    solved.calibrate: ({"text": "pure(epsilon=1)", "parameter": "epsilon", "epsilon": 1, "delta": 0}, {}),
    variation.variation_from_divergence: ({"epsilon": 0.1}, {}),
    variation.variation_from_information: ({"epsilon": 0.1}, {}),
    verdicts.verdict: ({"epsilon": 1, "delta": 0.1, "farthest": 2}, {"epsilon": (math.inf,), "farthest": (math.inf,)}),
    theorems.classical_sigma: ({"epsilon": 0.5, "sensitivity": 1, "delta": 0.01}, {}),
    notion: ({"name": notions()[0].name}, {}),
}


@pytest.mark.parametrize("function", CALLS, ids=lambda function: f"{function.__module__}.{function.__name__}")
def test_no_malformed_call_gives_a_number(function: Callable[..., Any]) -> None:
    """Each argument in turn replaced by what nobody should get a number for: an error of ours that says what to do."""
    assert accepted(function, *CALLS[function]) == []


INSIDE = re.compile("arb|acb|Composition|Pair|Curve|Terms|Need|Dialect")
"""What the parameters of the functions below are made of that a user never holds; prices are asked for by name above."""


def test_no_public_function_is_left_out() -> None:
    """Whatever takes numbers, texts, laws or losses has its malformed calls above; `identity` and `precision` take none."""
    left = set()
    for found in pkgutil.iter_modules(twoworlds.losses.__path__):
        module = importlib.import_module(f"twoworlds.losses.{found.name}")
        for name in module.__all__:
            function = getattr(module, name)
            if inspect.isfunction(function) and function not in CALLS:
                kinds = [str(one.annotation) for one in inspect.signature(function).parameters.values()]
                left |= set() if any(INSIDE.search(kind) for kind in kinds) else {f"{found.name}.{name}"}
    inner = {"composition.common", "filters.shown"}  # exact rationals of our own making
    assert left == {"balls.precision", "loss.identity", *inner}


@pytest.mark.parametrize("loss", [RUN, moments.concentrated("0.1")], ids=["a Loss", "a MomentBound"])
def test_no_malformed_question_gives_a_number(loss: Any) -> None:
    """The same of every question that a loss can be asked."""
    questions: dict[str, tuple[Mapping[str, Any], Mapping[str, tuple[Any, ...]]]] = {
        "delta": ({"epsilon": 1}, {}),
        "epsilon": ({"delta": 0.1}, {}),
        "tradeoff": ({"alpha": 0.1}, {}),
        "renyi": ({"order": 2}, {"order": (math.inf,)}),
        "finite_epsilon": ({"delta": 0.1}, {}),
        "odds": ({"prior": 0.1}, {}),
        "tradeoff_points": ({"n": 3}, {}),
    }
    for name, (valid, allowed) in questions.items():
        if hasattr(loss, name):
            assert accepted(getattr(loss, name), valid, allowed) == [], name
    assert accepted(loss.power, {"n": 2}) == []
    assert accepted(loss.then, {"function": abs}) == []


@settings(max_examples=40, deadline=None)
@given(worlds, strategies.randoms(use_true_random=False), strategies.sampled_from([0.0, 0.2, 1.0]))
def test_post_processing_never_gains(pair: Worlds, chance: random.Random, epsilon: float) -> None:
    """Any function of the outputs has no larger delta; `.then` keeps the bound and no longer claims that it is attained."""
    merged = [chance.randrange(2) for _ in pair.one]
    first = [sum((p for p, place in zip(pair.one, merged, strict=True) if place == k), Fraction(0)) for k in (0, 1)]
    other = [sum((q for q, place in zip(pair.other, merged, strict=True) if place == k), Fraction(0)) for k in (0, 1)]
    before = finite(pair.one, pair.other)
    after = before.then(lambda output: merged[output])
    assert finite(first, other).delta(epsilon).upper <= after.delta(epsilon).upper + SLACK
    assert after.delta(epsilon).upper == before.delta(epsilon).upper and after.delta(epsilon).lower == 0
    assert after.attained_by is None


@settings(max_examples=5, deadline=None)
@given(worlds)
def test_the_dialects_of_a_table_agree(pair: Worlds) -> None:
    """delta, epsilon, trade-off, Renyi divergence, zCDP, GDP, total variation and odds, each against the two laws."""
    loss = finite(pair.one, pair.other)
    top = math.log(pair.ratio())
    assert loss.renyi(math.inf).upper == pytest.approx(top, abs=1e-9) and loss.epsilon(0).upper >= top - SLACK
    assert loss.advantage.upper == pytest.approx(float(pair.variation()))
    for order in (0.5, 2.0, 7.0):
        found = loss.renyi(order)
        assert found.lower - 1e-9 <= pair.renyi(order) <= found.upper + 1e-9
        assert pair.renyi(order) <= loss.rho * order + 1e-9
    as_gaussian = gaussian_privacy(Fraction(loss.mu))
    for alpha, beta in pair.tests()[:6]:
        assert float(beta) >= loss.tradeoff(alpha).lower - SLACK
        assert float(beta) >= as_gaussian.tradeoff(alpha).lower - 1e-9
    odds = loss.odds("1/4")
    for p, q in zip(pair.one, pair.other, strict=True):
        assert odds.posterior_low - SLACK <= float(p / (p + 3 * q)) <= odds.posterior_high + SLACK
    right = sum(max(p / 4, 3 * q / 4) for p, q in zip(pair.one, pair.other, strict=True))
    assert odds.best_guess.lower - 1e-9 <= float(right) <= odds.best_guess.upper + 1e-9


@pytest.mark.parametrize("sigma", SIGMAS)
def test_the_dialects_of_gaussian_noise(sigma: Fraction) -> None:
    """rho = mu^2 / 2, mu = 1 / sigma, and Renyi divergence rho times the order."""
    loss, mu = gaussian(sigma), float(1 / sigma)
    assert loss.mu == pytest.approx(mu) and loss.mu >= mu - 1e-15 and loss.rho == pytest.approx(mu**2 / 2)
    assert loss.renyi(3).upper == pytest.approx(1.5 * mu**2)
    assert loss.tradeoff("1/2").upper == pytest.approx(math.erfc(mu / math.sqrt(2)) / 2, rel=1e-3)


def test_relations_are_kept_apart_and_finite_epsilons_are_asked_for() -> None:
    """Two named relations do not add up; a loss without a finite epsilon says so when one is asked for."""
    first, second = (finite([0.5, 0.5], [0.4, 0.6], neighbours=name) for name in ("AddRemove(rows)", "Replace(rows)"))
    with pytest.raises(MixedNeighbours, match="AddRemove"):
        first.compose(second)
    with pytest.raises(InfiniteLoss, match="infinite"):
        gaussian(1).finite_epsilon(0)
    with pytest.raises(BadArgument, match="not a Loss"):
        first.compose(moments.concentrated(1))  # type: ignore[arg-type]  # refused on purpose
    assert Loss((), ()).compose(first).neighbours == "AddRemove(rows)"


@pytest.mark.parametrize("order", ["1e9", "1e-9"])
def test_orders_at_the_edge(order: str) -> None:
    """Renyi divergence far out is next to the largest loss, near 0 next to nothing."""
    found = randomized_response("3/4").renyi(order)
    assert found.lower <= found.upper <= math.log(3) + 1e-9


@pytest.mark.parametrize("make", [gaussian, laplace, discrete_laplace], ids=lambda make: make.__name__)
def test_what_is_beyond_all_floats_may_be_anything(make: Callable[[object], Loss]) -> None:
    """Noise of scale 1e-400 hides nothing, and every reading says so; none is a fault or a number."""
    loss = make("1e-400")
    for many in (loss, loss.power(10**9)):
        assert math.isinf(many.epsilon("1e-5").upper)
        assert many.delta(1).upper == 1
        assert math.isinf(many.renyi(2).upper) and math.isinf(many.rho) and math.isinf(many.mu)
        assert many.tradeoff("1/10").lower == 0 and many.tradeoff_points(3)[1][1].lower == 0
        assert many.odds("1/2").posterior_high == 1
