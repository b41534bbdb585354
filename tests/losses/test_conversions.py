"""Conversions: what the other dialect then says is true of every pair that satisfied the first, and tight where it says so."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import find, given, settings, strategies
from scipy import stats

from tests.losses.finite import EPSILONS, ORDERS, SLACK, Worlds, renyi, worlds
from tests.losses.malformed import MALFORMED, accepted
from twoworlds.losses.conversions import CONVERSIONS, DIALECTS, MISSING, Conversion, convert
from twoworlds.losses.prices import (
    Approximate,
    Concentrated,
    Dialect,
    GaussianPrivacy,
    KullbackLeibler,
    MeanConcentrated,
    MutualInformation,
    Probabilistic,
    Pure,
    Renyi,
    TotalVariation,
    Truncated,
)
from twoworlds.worlds.errors import BadArgument, InfiniteLoss
from twoworlds.worlds.rationals import Enclosure

UP = 1 + 1e-11  # measured numbers are doubles; the guarantee handed in is a little weaker
GRID = [1 + 1.06**step / 1000 for step in range(220)]
GIVEN = {
    "": [{}],
    "delta": [{"delta": delta} for delta in ("0.3", "0.01", "1e-6")],
    "epsilon": [{"epsilon": epsilon} for epsilon in ("0.1", "0.7", "3")],
    "order": [{"order": order} for order in ("1.5", "2", "9")],
    "omega": [{"omega": omega} for omega in ("2", "9")],
}


def mean_loss(first: tuple[Fraction, ...], second: tuple[Fraction, ...]) -> tuple[list[tuple[float, float]], float]:
    """The law of the privacy loss, and its mean."""
    losses = [(math.log(p / q), float(p)) for p, q in zip(first, second, strict=True)]
    return losses, math.fsum(loss * weight for loss, weight in losses)


def spread(pair: Worlds) -> float:
    """A loss within an interval of this length is subgaussian with half of it (Hoeffding)."""
    ranges = [[loss for loss, _ in mean_loss(*direction)[0]] for direction in pair.directions()]
    return max(max(losses) - min(losses) for losses in ranges) / 2


def steepest(pair: Worlds, last: float) -> float:
    """A line through the origin above the curve at all orders up to the last: the curve grows, so a grid brackets it."""
    orders = [order for order in [1.0, *GRID] if order < last]
    steps = [pair.renyi(right) / left for left, right in zip(orders, [*orders[1:], min(last, 1e6)], strict=True)]
    return max(*steps, 0.0)


def information(pair: Worlds) -> float:
    """The largest mutual information between the world and the output, over priors on the two worlds."""

    def at(prior: float) -> float:
        mixture = [prior * float(p) + (1 - prior) * float(q) for p, q in zip(pair.one, pair.other, strict=True)]
        return math.fsum(
            weight * float(p) * math.log(float(p) / m)
            for weight, law in ((prior, pair.one), (1 - prior, pair.other))
            for p, m in zip(law, mixture, strict=True)
        )

    return max(at(step / 200) for step in range(1, 200)) * (1 + 1e-3) + 1e-9


def gaussian(pair: Worlds) -> float:
    """The least mu whose curve lies below the pair's: at each vertex, quantile(1 - a) - quantile(b)."""
    vertices = [(float(a), float(b)) for a, b in pair.tests() if 0 < a < 1 and 0 < b < 1 and a + b < 1]
    return max([float(stats.norm.isf(a) - stats.norm.ppf(b)) for a, b in vertices], default=0.0)


def log_ratio(pair: Worlds) -> Fraction:
    return Enclosure(pair.ratio()).log().high


def up(value: float) -> Fraction:
    return Fraction(value * UP + 1e-15)


MEASURED: dict[type[Dialect], Callable[[Worlds], Dialect]] = {
    Pure: lambda pair: Pure(log_ratio(pair)),
    Approximate: lambda pair: Approximate("0.3", up(pair.delta(0.3))),
    Probabilistic: lambda pair: Probabilistic("0.3", min(up(pair.tail(0.3)), Fraction(99, 100))),
    Concentrated: lambda pair: Concentrated(up(steepest(pair, math.inf))),
    Truncated: lambda pair: Truncated(up(steepest(pair, 10)), 10),
    MeanConcentrated: lambda pair: MeanConcentrated(up(pair.renyi(1)), up(spread(pair))),
    Renyi: lambda pair: Renyi(10, up(pair.renyi(10))),
    GaussianPrivacy: lambda pair: GaussianPrivacy(up(gaussian(pair))),
    KullbackLeibler: lambda pair: KullbackLeibler(up(pair.renyi(1))),
    TotalVariation: lambda pair: TotalVariation(pair.variation()),
    MutualInformation: lambda pair: MutualInformation(up(information(pair))),
}


def satisfies(pair: Worlds, price: Dialect) -> bool:
    """Whether the pair of worlds satisfies the guarantee, by brute force."""
    numbers = {name: float(value) for name, value in price.at().items()}
    if isinstance(price, Pure):
        return Enclosure(pair.ratio()).log().low <= price.at()["epsilon"]
    if isinstance(price, Approximate):
        return pair.delta(numbers["epsilon"]) <= numbers["delta"] + SLACK
    if isinstance(price, Probabilistic):
        return pair.tail(numbers["epsilon"] + SLACK) <= numbers["delta"] + SLACK
    if isinstance(price, Concentrated):
        if numbers["delta"]:
            return all(pair.delta(epsilon) <= price.loss().delta(Fraction(epsilon)).upper + SLACK for epsilon in EPSILONS)
        return all(pair.renyi(order) <= numbers["rho"] * order + SLACK for order in ORDERS)
    if isinstance(price, Truncated):
        return all(pair.renyi(order) <= numbers["rho"] * order + SLACK for order in ORDERS if order < numbers["omega"])
    if isinstance(price, MeanConcentrated):
        return all(_subgaussian(direction, numbers) for direction in pair.directions())
    if isinstance(price, Renyi):
        return pair.renyi(numbers["order"]) <= numbers["epsilon"] + SLACK
    if isinstance(price, GaussianPrivacy):
        return gaussian(pair) <= numbers["mu"] + SLACK
    if isinstance(price, KullbackLeibler):
        return pair.renyi(1) <= numbers["epsilon"] + SLACK
    if isinstance(price, TotalVariation):
        return pair.variation() <= price.at()["delta"]
    assert isinstance(price, MutualInformation)
    return information(pair) <= numbers["epsilon"] * (1 + 1e-3) + 1e-8


def _subgaussian(direction: tuple[tuple[Fraction, ...], tuple[Fraction, ...]], numbers: dict[str, float]) -> bool:
    losses, mean = mean_loss(*direction)
    moments = {t: math.fsum(weight * math.exp(t * (loss - mean)) for loss, weight in losses) for t in (-9, -1, -0.1, 0.1, 1, 9)}
    return mean <= numbers["mean"] + SLACK and all(
        math.log(moment) <= t * t * numbers["spread"] ** 2 / 2 + SLACK for t, moment in moments.items()
    )


@pytest.mark.parametrize("conversion", CONVERSIONS, ids=lambda one: f"{one.source.__name__} to {one.target.__name__}")
@settings(max_examples=20)
@given(pair=worlds, data=strategies.data())
def test_what_the_other_dialect_says_is_true(conversion: Conversion, pair: Worlds, data: strategies.DataObject) -> None:
    """Measure a pair in the first dialect, convert, and check the second by brute force."""
    source = MEASURED[conversion.source](pair)
    assert satisfies(pair, source)
    outcome = convert(source, conversion.target, **data.draw(strategies.sampled_from(GIVEN[conversion.needs])))
    assert outcome.theorem == conversion.theorem
    if outcome.found is None:
        assert outcome.why
    else:
        assert type(outcome.price) is conversion.target
        assert satisfies(pair, outcome.price)


@pytest.mark.parametrize("conversion", CONVERSIONS, ids=lambda one: f"{one.source.__name__} to {one.target.__name__}")
def test_each_conversion_gives_a_number_somewhere(conversion: Conversion) -> None:
    """No row of the table is infinite everywhere: a nearly private pair converts."""
    pair = Worlds((Fraction(501, 1000), Fraction(499, 1000)), (Fraction(499, 1000), Fraction(501, 1000)))
    source = MEASURED[conversion.source](pair)
    assert any(convert(source, conversion.target, **given).is_finite for given in GIVEN[conversion.needs])


def wrong_rows() -> list[tuple[str, type[Dialect], Callable[[dict[str, Fraction]], Dialect]]]:
    """Conversions that have been printed or shipped somewhere, and are false."""
    return [
        ("approximate privacy is probabilistic", Approximate, lambda n: Probabilistic(n["epsilon"], n["delta"])),
        ("pure privacy is epsilon^2 / 8-zCDP", Pure, lambda n: Concentrated(n["epsilon"] ** 2 / 8)),
        ("Pinsker without its root", KullbackLeibler, lambda n: TotalVariation(min(n["epsilon"] / 2, Fraction(1, 2)))),
        ("the order is free", Renyi, lambda n: Renyi(2 * n["order"], n["epsilon"])),
        ("variation is half of mutual information's bound", MutualInformation, lambda n: TotalVariation(n["epsilon"] / 2)),
        ("a Gaussian of mu has divergence mu^2 / 4", GaussianPrivacy, lambda n: KullbackLeibler(n["mu"] ** 2 / 4)),
        ("order one of pure privacy is epsilon^2 / 4", Pure, lambda n: KullbackLeibler(n["epsilon"] ** 2 / 4)),
    ]


@pytest.mark.parametrize(("name", "source", "rule"), wrong_rows(), ids=[row[0] for row in wrong_rows()])
def test_planted_wrong_conversions_are_caught(
    name: str, source: type[Dialect], rule: Callable[[dict[str, Fraction]], Dialect]
) -> None:
    """The brute force above has teeth: each false row is refuted by a small pair of worlds."""

    def refuted(pair: Worlds) -> bool:
        measured = MEASURED[source](pair)
        return not satisfies(pair, rule(measured.at()))

    assert refuted(find(worlds, refuted, settings=settings(max_examples=400, derandomize=True, database=None))), name


def test_every_pair_of_dialects_has_a_theorem_or_a_reason() -> None:
    """The table and the reasons split all ordered pairs of dialects between them."""
    pairs = {(source, target) for source in DIALECTS for target in DIALECTS if source is not target}
    table = {(conversion.source, conversion.target) for conversion in CONVERSIONS}
    assert table | set(MISSING) == pairs and not table & set(MISSING)
    assert len(table) == len(CONVERSIONS) == 61 and all(len(why) > 20 for why in MISSING.values())
    for source, target in MISSING:
        outcome = convert(MEASURED[source](Worlds((Fraction(1, 2),) * 2, (Fraction(1, 3), Fraction(2, 3)))), target)
        assert not outcome.is_finite
        with pytest.raises(InfiniteLoss, match=target.__name__):
            _ = outcome.price


RESPONSE = Worlds((Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 4), Fraction(3, 4)))


@pytest.mark.parametrize(
    ("target", "given", "attained"),
    [
        (Approximate, {"delta": "0.1"}, lambda price: RESPONSE.delta(float(price["epsilon"])) - 0.1),
        (Concentrated, {}, lambda price: RESPONSE.renyi(1) - float(price["rho"])),
        (Renyi, {"order": 3}, lambda price: RESPONSE.renyi(3) - float(price["epsilon"])),
        (GaussianPrivacy, {}, lambda price: gaussian(RESPONSE) - float(price["mu"])),
        (KullbackLeibler, {}, lambda price: RESPONSE.renyi(1) - float(price["epsilon"])),
        (TotalVariation, {}, lambda price: float(RESPONSE.variation() - price["delta"])),
    ],
    ids=["approximate", "concentrated", "renyi", "gaussian", "divergence", "variation"],
)
def test_randomized_response_attains_the_tight_rows(
    target: type[Dialect], given: dict[str, object], attained: Callable[[dict[str, Fraction]], float]
) -> None:
    """Where the table says tight, randomized response at ln 3 meets the converted numbers."""
    price = convert(Pure(log_ratio(RESPONSE)), target, **given).price
    assert next(row for row in CONVERSIONS if (row.source, row.target) == (Pure, target)).tight
    assert attained(price.at()) == pytest.approx(0, abs=1e-9)


def test_approximate_privacy_is_not_a_bound_on_the_tail() -> None:
    """Randomized response at ln 3 has delta = 0 and Pr[L >= ln 3] = 3/4; a Gaussian with mu = 1 has .309 against .127."""
    assert RESPONSE.tail(math.log(3) - 1e-9) == 0.75 and RESPONSE.delta(math.log(3)) == pytest.approx(0, abs=1e-15)
    assert convert(Approximate("log(3)", 0), Probabilistic, epsilon="1.1").price.at()["delta"] == 0
    tail, delta = stats.norm.sf(1 - 0.5), GaussianPrivacy(1).loss().delta(1).upper
    assert (round(float(tail), 3), round(delta, 3)) == (0.309, 0.127)
    assert not convert(Approximate(1, "0.127"), Probabilistic, epsilon=1).is_finite
    beyond = convert(Approximate(1, "0.127"), Probabilistic, epsilon="1.5").price.at()["delta"]
    assert float(beyond) >= stats.norm.sf(1.5 - 0.5)


def test_published_conversions() -> None:
    """The optimum over orders beats rho + 2 sqrt(rho log(1 / delta)), and pure privacy beats epsilon^2 / 2."""
    best = convert(Concentrated("0.5"), Approximate, delta="1e-6").price.at()["epsilon"]
    plain = convert(Concentrated("0.5"), Probabilistic, delta="1e-6").price.at()["epsilon"]
    assert 5.2 < best < plain == pytest.approx(0.5 + 2 * math.sqrt(0.5 * math.log(1e6)))
    assert convert(Pure(2), Concentrated).price.at()["rho"] < 2
    assert convert(GaussianPrivacy(1), Concentrated).price == Concentrated("1/2")
    assert convert(Renyi(2, 1), Probabilistic, delta="0.1").price.at()["epsilon"] == pytest.approx(1 + math.log(10))


def test_renyi_bound_agrees_with_its_direct_form() -> None:
    """The order-10 divergence of a pair converts to the epsilon of the closed formula."""
    order, delta = 10, 1e-5
    bound = renyi(RESPONSE.one, RESPONSE.other, order)
    formula = bound + math.log1p(-1 / order) - math.log(order * delta) / (order - 1)
    assert convert(Renyi(order, Fraction(bound)), Approximate, delta=delta).price.at()["epsilon"] <= formula * (1 + 1e-9)


def test_malformed_conversions_are_refused() -> None:
    """Prices with names, other targets, missing or extra numbers, and malformed numbers are errors."""
    for wrong in (*MALFORMED, Pure("epsilon")):
        with pytest.raises(BadArgument):
            convert(wrong, Approximate)
        with pytest.raises(BadArgument):
            convert(Pure(1), wrong)
    for given_ in ({}, {"order": 2}, {"delta": "0.1", "order": 2}):
        with pytest.raises(BadArgument, match="given"):
            convert(Concentrated(1), Approximate, **given_)
    assert accepted(lambda delta: convert(Concentrated(1), Approximate, delta=delta), {"delta": "0.1"}) == []
    assert accepted(lambda delta: convert(Renyi(2, 1), Probabilistic, delta=delta), {"delta": "0.1"}) == []
    assert accepted(lambda order: convert(Pure(1), Renyi, order=order), {"order": 2}) == []
