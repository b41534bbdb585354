"""Lists counted together against the same lists one by one, and against running every combination of draws."""

from __future__ import annotations

import math
import time
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from tests.exact.brute import law, typed
from twoworlds.exact import joint
from twoworlds.exact.alike import Alike
from twoworlds.exact.columns import Columns
from twoworlds.exact.inputs import Call
from twoworlds.exact.pairing import lists
from twoworlds.exact.recording import recorded, written
from twoworlds.exact.table import Table
from twoworlds.exact.tabulate import CUT, laws, tabulate
from twoworlds.exact.trails import Untraced
from twoworlds.exact.weights import ball, precision, total
from twoworlds.mechanisms.catalogue import cards
from twoworlds.source.parser import parse, parse_text
from twoworlds.worlds.errors import BadArgument, Unsupported
from twoworlds.worlds.neighbours import Each, One

RESPONSE = """
def response(bits, *, keep, sample):
    told = []
    for bit in bits:
        if sample(Bernoulli(keep)):
            told.append(bit)
        else:
            told.append(1 - bit)
    return told
"""
TWO_COINS = """
def two_coins(bits, *, sample):
    told = []
    for bit in bits:
        if sample(Bernoulli(Fraction(1, 3))):
            told.append(bit)
        elif sample(Bernoulli(Fraction(1, 4))):
            told.append(1)
        else:
            told.append(0)
    return told
"""
WORLDS = {
    "equal": ([0] * 6, [1] * 6),
    "one apart": ([0] * 5 + [1], [1] * 5 + [0]),
    "unlike": ([0, 4, -3, 2, 9, -7], [1, 3, -2, 3, 8, -6]),
    "some equal": ([2, 2, -1, -1, 2, 5], [3, 3, -1, -1, 1, 5]),
}
SPARSE = ["sparse_vector", "sparse_vector_redrawn", "sparse_vector_numeric"]


def together(card: Any, world: Any, other: Any, relation: Any = None, **public: Any) -> Table:
    """The table by lines, however few lists there are."""
    call = Call.of(card, (), public, grid=1, cut=CUT, neighbours=relation)
    with precision():
        inputs = [call.world(value, "world") for value in (world, other)]
        one, two = (recorded(call.program, {**call.public, call.private: value}, call.grid, call.cut) for value in inputs)
        rows = joint.rows((one, two), lists(one)[0], call.cut)
        return Table(tuple(rows), total([]), total([]), call.program.name)


def one_by_one(card: Any, world: Any, other: Any, **public: Any) -> Table:
    call = Call.of(card, (), public, grid=1, cut=CUT, neighbours=None)
    return laws(call, [call.world(world, "world"), call.world(other, "other")]).table(call.program.name)


def same(one: Any, other: Any) -> bool:
    return bool(one.lower <= other.upper and other.lower <= one.upper and abs(one.upper - other.upper) < 1e-11)


@pytest.mark.parametrize("worlds", WORLDS)
@pytest.mark.parametrize("limit", [1, 2, 3])
@pytest.mark.parametrize("name", SPARSE[:2])
def test_every_list_is_as_likely_as_by_itself(name: str, limit: int, worlds: str) -> None:
    """Both readings give the same lists, each with the same probability in each world, and the same numbers follow."""
    public = {"threshold": 1, "limit": limit, "epsilon": "3/2"}
    found, wanted = together(cards()[name], *WORLDS[worlds], **public), one_by_one(cards()[name], *WORLDS[worlds], **public)
    assert set(found.outputs) == set(wanted.outputs)
    assert len(found.outputs) == found.count
    for output in wanted.outputs:
        assert same(found.law[output], wanted.law[output])
        assert same(found.other_law[output], wanted.other_law[output])
    assert_agree(found, wanted)


@pytest.mark.parametrize("worlds", WORLDS)
def test_noisy_answers_agree(worlds: str) -> None:
    """Where noisy numbers are written too, tails are cut elsewhere but every divergence is the same."""
    public = {"threshold": 1, "limit": 2, "epsilon": 2}
    card = cards()["sparse_vector_numeric"]
    assert_agree(together(card, *WORLDS[worlds], **public), one_by_one(card, *WORLDS[worlds], **public))


def assert_agree(found: Table, wanted: Table) -> None:
    assert same(found.epsilon, wanted.epsilon)
    assert same(found.total_variation, wanted.total_variation)
    for epsilon in ("1/10", "1/3", 1):
        assert same(found.delta(epsilon), wanted.delta(epsilon))
    for order in ("1/2", 1, 2, "7/2"):
        assert same(found.renyi(order), wanted.renyi(order))
    for alpha in ("1/20", "1/2"):
        assert same(found.tradeoff_at(alpha), wanted.tradeoff_at(alpha))
        # two tests, each of at most this level: their chances on the last outputs are rounded down
        assert abs(found.best_test(alpha).beta.upper - wanted.best_test(alpha).beta.upper) < 1e-11
    assert same(found.best_test(prior="1/2").wrong, wanted.best_test(prior="1/2").wrong)


def test_the_witness_is_one_list_with_its_two_probabilities() -> None:
    """Not the line's: one of its lists, whose probabilities have the ratio e^epsilon."""
    public = {"threshold": 0, "limit": 2, "epsilon": 1}
    found, wanted = (each(cards()["sparse_vector"], [0] * 6, [1] * 6, **public) for each in (together, one_by_one))
    witness = found.witness
    assert witness.output in wanted.outputs
    law, other = (wanted.law, wanted.other_law)[:: 1 if witness.likelier_in == "world" else -1]
    assert same(witness.probability, law[witness.output])
    assert same(witness.other_probability, other[witness.output])
    assert math.isclose(math.log(witness.ratio.upper), found.epsilon.upper, rel_tol=1e-11)


@pytest.mark.parametrize("text", [RESPONSE, TWO_COINS])
@pytest.mark.parametrize("bits", [(0, 0, 0), (0, 1, 0, 1), (1,)])
def test_people_with_coins_against_brute_force(text: str, bits: tuple[int, ...]) -> None:
    """Each answer list has the probability that all runs give it, as the same rational."""
    program = parse_text(text, "bits")
    public = {"keep": Fraction(3, 4)} if "keep" in program.parameters else {}
    other = (1 - bits[0], *bits[1:])
    table = together(text, bits, other, One("bits", by=1), **public)
    for world, found in ((bits, table.law_exact), (other, table.other_law_exact)):
        wanted = law(program, {"bits": tuple(map(Fraction, world)), **public})
        assert {typed(output): weight for output, weight in found.items()} == {
            key: Fraction(int(weight.p), int(weight.q)) for key, weight in wanted.items()
        }


def test_a_hundred_people() -> None:
    """Randomized response of 100 people: 2^100 lists in a few hundred lines, epsilon exactly ln 3."""
    table = tabulate(RESPONSE, [0] * 100, [1] + [0] * 99, neighbours=One("bits", by=1), keep="3/4")
    assert table.count == 2**100
    assert table.is_exact
    assert table.witness.exact == 3
    assert table.delta(odds=1) == table.total_variation
    assert table.total_variation.lower <= 0.5 <= table.total_variation.upper
    assert table.find((0,) * 100).weight == table.find((1,) + (0,) * 99).weight * 3
    with pytest.raises(BadArgument, match="too many to list"):
        _ = table.law


def test_alike_lists_are_told_one_by_one() -> None:
    """A line's lists are as many as it counts, all different, and it knows them from others."""
    table = together(cards()["sparse_vector"], [0] * 7, [1] * 7, threshold=0, limit=3, epsilon=1)
    lines = [row.output for row in table.rows if isinstance(row.output, Alike)]
    told = Counter(output for line in lines for output in line)
    assert lines
    assert set(told.values()) == {1}
    assert all(len(list(line)) == line.count and line.example in line for line in lines)
    assert all(output in line for line in lines for output in line)
    assert not any(output in line for line in lines for other in lines if other is not line for output in other)
    assert (True, True) not in lines[0]
    assert "others" in str(table)


@pytest.mark.parametrize("queries", [50])
@pytest.mark.parametrize("limit", [2, 5, 10])
@pytest.mark.parametrize("name", SPARSE[:1])
def test_fifty_queries_cost_no_more_than_the_price(name: str, limit: int, queries: int) -> None:
    """Fifty equal queries and one that moves against them: billions of lists, their whole mass, and at most the price."""
    start = time.process_time()
    table = tabulate(cards()[name], [0] * (queries - 1) + [1], [1] * (queries - 1) + [0], threshold=3, limit=limit, epsilon=1)
    assert time.process_time() - start < 3  # about 0.2 s; the benchmark holds it to 1 s
    assert table.count == sum(math.comb(queries, found) for found in range(limit)) + sum(
        math.comb(last - 1, limit - 1) for last in range(limit, queries + 1)
    )
    with precision():
        assert ball(total([row.weight for row in table.rows])).overlaps(ball(1))
    assert 0.4 < table.epsilon.lower <= table.epsilon.upper <= 1
    assert table.epsilon.width < 1e-11


@pytest.mark.parametrize(
    ("name", "public"), [("sparse_vector", {}), ("sparse_vector_gap", {}), ("sparse_vector_adaptive", {"margin": 2})]
)
def test_what_is_too_much_is_refused_at_once(name: str, public: dict[str, Any]) -> None:
    """Limit 10 of 50 unlike queries: a sentence with the number of outputs, not a long wait."""
    start = time.process_time()
    world = [(7 * i) % 53 for i in range(50)]
    with pytest.raises(Unsupported, match=r"[\d,]{9,}.*smaller limit"):
        tabulate(cards()[name], world, [each + 1 for each in world], threshold=3, limit=10, epsilon=1, **public)
    assert time.process_time() - start < 4  # about 0.5 s


def test_underflow_is_covered() -> None:
    """Fifty queries far on the wrong side of the threshold: products below the smallest float keep their certified ratio."""
    table = tabulate(cards()["sparse_vector"], [400] * 40, [401] * 40, threshold=0, limit=2, epsilon=1)
    row = table.find((False,) * 40)
    assert 0 < float(row.weight) < 1e-80
    assert table.epsilon.upper <= 1
    wide = tabulate(cards()["sparse_vector"], [-400] * 40, [-399] * 40, threshold=0, limit=2, epsilon=1)
    assert wide.epsilon.upper <= 1


def test_planted_products_that_forget_the_order_of_magnitude(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: powers of two that are taken out of a row and not put back make lists too likely, and the total mass tells."""
    doubled = lambda self: Columns(self.entries * 2, self.exponents, self.floor, self.factors)  # noqa: E731  the fault, in a word
    monkeypatch.setattr(Columns, "scaled", doubled)
    with pytest.raises(AssertionError, match="do not make up the whole law"):
        together(cards()["sparse_vector"], [0] * 6, [1] * 6, threshold=0, limit=2, epsilon=1)


def test_planted_tables_that_overwrite_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: of two segments in either order only one is kept. The mass that is lost is noticed."""
    monkeypatch.setattr(joint, "_put", lambda lines, key, line: lines.__setitem__(key, line))
    with pytest.raises(AssertionError, match="do not make up the whole law"):
        together(cards()["sparse_vector_redrawn"], [0] * 6, [1] * 6, threshold=0, limit=3, epsilon=1)


def test_planted_keys_that_forget_the_other_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: lists alike in the first world alone are counted together. Queries equal there and unlike in the other show it."""
    original = joint._Joint.once
    monkeypatch.setattr(
        joint._Joint, "once", lambda self, numbers, key: original(self, numbers, key[0] if type(key) is tuple else key)
    )
    worlds = [0] * 4, [1, -1, 0, 1]
    public = {"threshold": 0, "limit": 2, "epsilon": 1}
    try:
        found = together(cards()["sparse_vector"], *worlds, **public).epsilon
    except AssertionError:
        return
    assert not same(found, one_by_one(cards()["sparse_vector"], *worlds, **public).epsilon)


def test_what_is_read_again_is_not_recorded() -> None:
    """A list that decides what happens next, or is returned with something else, keeps states apart as ever."""
    heads = "def f(q, *, n, sample):\n    told = []\n    for i in range(n):\n"
    read = heads + "        if len(told) < 2:\n            told.append(sample(Bernoulli(Fraction(1, 2))))\n    return told\n"
    beside = heads + "        told.append(sample(Bernoulli(Fraction(1, 2))))\n    return [told, q]\n"
    plain = heads + "        told.append(sample(Bernoulli(Fraction(1, 2))))\n    return told\n"
    assert [written(parse_text(text, "q")) for text in (read, beside, plain)] == [None, None, "told"]
    assert {written(parse(cards()[name])) for name in SPARSE} == {"answers"}
    shared = plain.replace("    for i", "    noise = sample(Laplace(1))\n    for i").replace(
        "sample(Bernoulli(Fraction(1, 2)))", "q[i] + noise"
    )
    call = Call.of(shared, (), {"n": 3}, grid=1, cut=CUT, neighbours=Each("q", by=1))
    with pytest.raises(Untraced), precision():
        recorded(call.program, {**call.public, "q": call.world([0, 0, 0], "world")}, call.grid, call.cut)
