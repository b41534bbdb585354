"""Exact tables and their combinators against figures of the literature and against definitions."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies

from tests.exact.tables import laws
from twoworlds.exact.combinators import (
    compose,
    group,
    memoised,
    mixture,
    poisson_sampled,
    post_process,
    repeat,
    sampled,
    shuffled,
    shuffled_law,
)
from twoworlds.exact.finite import FiniteMechanism
from twoworlds.exact.weights import fraction
from twoworlds.mechanisms.catalogue import card
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.neighbours import Each

HALF = Fraction(1, 2)


def warner(keep: Fraction = Fraction(3, 4)) -> FiniteMechanism:
    return FiniteMechanism.of({0: {0: keep, 1: 1 - keep}, 1: {0: 1 - keep, 1: keep}})


def changed(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """How many entries differ."""
    return sum(a != b for a, b in zip(one, other, strict=True))


def truncated_geometric(most: int, ratio: Fraction) -> FiniteMechanism:
    """Ghosh, Roughgarden and Sundararajan 2012, on counts 0..most: neighbours differ by 1."""

    def law(count: int) -> dict[int, Fraction]:
        inner = {shown: (1 - ratio) / (1 + ratio) * ratio ** abs(shown - count) for shown in range(1, most)}
        return {**inner, 0: ratio**count / (1 + ratio), most: ratio ** (most - count) / (1 + ratio)}

    return FiniteMechanism.of({count: law(count) for count in range(most + 1)}, lambda a, b: abs(a - b) == 1)


def test_warner() -> None:
    """Randomized response that tells the truth 3 times in 4: e^epsilon = 3, attained by either answer (Warner 1965)."""
    odds = warner().odds
    assert odds.value == 3
    assert warner().laws[odds.world][odds.output] == 3 * warner().laws[odds.other][odds.output]
    assert warner().epsilon.lower <= math.log(3) <= warner().epsilon.upper
    assert [warner().delta_exact(growth) for growth in (1, 2, 3, math.inf)] == [HALF, Fraction(1, 4), 0, 0]


@pytest.mark.parametrize("options", [2, 3, 10])
def test_k_ary_response(options: int) -> None:
    """k-ary randomized response with e^epsilon = 5: the truth is 5 times as likely as any other answer."""
    other = Fraction(1, 4 + options)
    table = {truth: {shown: 5 * other if shown == truth else other for shown in range(options)} for truth in range(options)}
    assert FiniteMechanism.of(table).odds.value == 5


def test_truncated_geometric() -> None:
    """e^epsilon is 1/ratio for counts that differ by 1, and its square for a relation that moves by 2."""
    mechanism = truncated_geometric(100, Fraction(1, 3))
    assert mechanism.odds.value == 3
    assert FiniteMechanism.of(mechanism.laws, lambda a, b: abs(a - b) == 2).odds.value == 9


def test_group_privacy() -> None:
    """Chains of k neighbours: e^(k epsilon), attained by the geometric mechanism."""
    mechanism = truncated_geometric(6, Fraction(1, 2))
    assert [group(mechanism, size).odds.value for size in (1, 2, 3)] == [2, 4, 8]


def test_subsampling() -> None:
    """A tenth of the people are asked by fair-coin response, the others' answer is a fair coin: e^epsilon = 21/19."""
    coin = {"yes": HALF, "no": HALF}
    asked = {(0,): {"no": "3/4", "yes": "1/4"}, (1,): {"no": "1/4", "yes": "3/4"}}
    mechanism = FiniteMechanism.of({(): coin, **asked}, [((0,), (1,))])
    assert poisson_sampled(mechanism, "1/10").odds.value == Fraction(21, 19)
    assert poisson_sampled(mechanism, 1).odds.value == 3
    assert poisson_sampled(mechanism, 0).odds.value == 1


def test_sampling_without_replacement() -> None:
    """One of n people is drawn and asked: e^epsilon of replacing one is 1 + (e^epsilon - 1) / n, in the worst world."""
    ask = {(bit,): {bit: Fraction(3, 4), 1 - bit: Fraction(1, 4)} for bit in (0, 1)}
    silent = {records: {0: 1} for records in [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]}
    worlds = FiniteMechanism.of({**ask, **silent}, lambda a, b: len(a) == len(b) == 3 and changed(a, b) == 1)
    assert sampled(worlds, 1).odds.value == 1 + Fraction(3 - 1, 3)


def test_composition() -> None:
    """Two fair-coin responses: e^epsilon = 9, with the corners of the trade-off curve in sixteenths."""
    twice = compose(warner(), warner())
    assert twice.odds.value == 9 == repeat(warner(), 2).odds.value
    points = [vertex.exact for vertex in twice.between(0, 1).tradeoff]
    assert points == [(0, 1), (Fraction(1, 16), Fraction(7, 16)), (Fraction(7, 16), Fraction(1, 16)), (1, 0)]


def test_memoised_answers_cost_once() -> None:
    """An answer that is remembered costs the same however often it is shown; asked anew each time it costs more."""
    assert memoised(warner(), 5).odds.value == 3
    assert repeat(warner(), 5).odds.value == 3**5


def test_exponential_mechanism() -> None:
    """Scores 0, 1, 2 with weights 2^score: moving every score by at most 1 moves the odds by at most 4."""
    scores = [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]
    table = {
        world: {i: Fraction(2**score, sum(2**other for other in world)) for i, score in enumerate(world)} for world in scores
    }
    odds = FiniteMechanism.of(table, Each("scores")).odds
    assert odds.value is not None and 2 < odds.value <= 4
    assert odds.value == max(
        table[a][y] / table[b][y] for a in scores for b in scores for y in range(3) if Each("scores").distance(a, b) == 1
    )


@given(strategies.tuples(laws(4), laws(4)), strategies.tuples(laws(3), laws(3), laws(3), laws(3)))
def test_post_processing_never_costs(pair: tuple[list[Fraction], ...], steps: tuple[list[Fraction], ...]) -> None:
    """delta at every odds falls, or stays, when the output is processed by a function or by noise."""
    worlds = FiniteMechanism.of({"a": dict(enumerate(pair[0])), "b": dict(enumerate(pair[1]))})
    kernel = {i: dict(enumerate(part)) for i, part in enumerate(steps)}
    for growth in (1, 2, 5):
        assert post_process(worlds, kernel).delta_exact(growth) <= worlds.delta_exact(growth)
        assert post_process(worlds, lambda output: output % 2).delta_exact(growth) <= worlds.delta_exact(growth)


@given(laws(3), laws(3), strategies.fractions(0, 1, max_denominator=8))
def test_mixtures_are_between(one: list[Fraction], other: list[Fraction], chance: Fraction) -> None:
    """A hidden choice between a mechanism and a constant has at most that share of the mechanism's delta."""
    worlds = FiniteMechanism.of({"a": dict(enumerate(one)), "b": dict(enumerate(other))})
    silent = FiniteMechanism.of({"a": {0: 1}, "b": {0: 1}})
    mixed = mixture([(chance, worlds), (1 - chance, silent)])
    assert mixed.delta_exact(1) == chance * worlds.delta_exact(1)
    assert mixed.delta_exact(2) <= chance * worlds.delta_exact(2)


# shuffle


def test_shuffled_counts_are_the_counts_of_all_runs() -> None:
    """The law of the counts by polynomials and by adding records is that of enumerating every record's answer."""
    three = FiniteMechanism.of({0: {"a": "1/2", "b": "1/3", "c": "1/6"}, 1: {"a": "1/4", "b": "1/4", "c": "1/2"}})
    for randomizer, records in ((warner(), (0, 1, 1, 0, 1)), (three, (0, 1, 1))):
        symbols = randomizer.outputs
        whole = FiniteMechanism.of({records: {"": 1}})
        product: dict[tuple[object, ...], Fraction] = {(): Fraction(1)}
        for record in records:
            product = {(*seen, y): p * q for seen, p in product.items() for y, q in randomizer.laws[record].items()}
        wanted: dict[object, Fraction] = {}
        for seen, mass in product.items():
            counts: object = tuple(seen.count(symbol) for symbol in symbols)
            counts = seen.count(symbols[1]) if len(symbols) == 2 else counts
            wanted[counts] = wanted.get(counts, Fraction(0)) + mass
        assert {counts: fraction(mass) for counts, mass in shuffled_law(randomizer, records).items()} == wanted
        assert whole.odds.value == 1


def test_a_thousand_shuffled_responses() -> None:
    """n = 1000 binary responses at epsilon 1: at delta 1e-6 the all-equal worlds are about .127 apart, not 1 (exact column)."""
    keep = Fraction(math.e / (1 + math.e)).limit_denominator(10**4)
    table = shuffled(warner(keep), [0] * 1000, [0] * 999 + [1])
    assert table.delta("0.1275").upper < 1e-6 < table.delta("0.12").lower
    assert table.epsilon.lower == pytest.approx(1, abs=1e-4)


def test_a_card_as_a_table() -> None:
    """A rational card on given worlds is the same table as the one written by hand; an irrational one is refused."""
    assert FiniteMechanism.of_card(card("randomized_response"), [False, True], keep="3/4").odds.value == 3
    with pytest.raises(BadArgument, match="not rational"):
        FiniteMechanism.of_card(card("k_ary_response"), [0, 1, 2], options=3, epsilon=1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: FiniteMechanism.of({}),
        lambda: FiniteMechanism.of({0: {0: "1/2"}}),
        lambda: FiniteMechanism.of({0: {0: 1.5, 1: -0.5}}),
        lambda: FiniteMechanism.of({0: {0: float("nan")}}),
        lambda: FiniteMechanism.of({0: [1]}),
        lambda: FiniteMechanism.of({0: {0: 1}}, [(0, 7)]),
        lambda: warner().delta_exact("1/2"),
        lambda: warner().delta(-1),
        lambda: warner().between(0, 5),
        lambda: repeat(warner(), 0),
        lambda: repeat(warner(), True),
        lambda: memoised(warner(), 1.5),
        compose,
        lambda: compose(warner(), truncated_geometric(2, HALF)),
        lambda: repeat(warner(), 30),
        lambda: mixture([("1/2", warner())]),
        lambda: post_process(warner(), {0: {0: 1}}),
        lambda: poisson_sampled(warner(), "1/2"),
        lambda: poisson_sampled(FiniteMechanism.of({(0,): {0: 1}}), 2),
        lambda: poisson_sampled(FiniteMechanism.of({(0,): {0: 1}}), "1/2"),
        lambda: shuffled(warner(), [0], [0, 1]),
        lambda: shuffled(warner(), [0], [7]),
        lambda: group(warner(), -1),
    ],
)
def test_bad_tables_are_refused(call: object) -> None:
    """Whatever is no law, no neighbour or no count raises an error with a fix."""
    with pytest.raises(BadArgument) as caught:
        call()  # type: ignore[operator]  # the parameters above are all functions
    assert caught.value.fix
