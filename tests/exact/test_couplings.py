"""Approximate couplings: witnesses that satisfy the definition, least deltas that agree with Strassen's theorem."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies

from tests.exact.tables import laws, pairs, table_of
from twoworlds.exact.couplings import Coupling, check, couple, obstacle
from twoworlds.exact.simplex import minimise
from twoworlds.worlds.errors import BadArgument

ODDS = strategies.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(5)])
FAIR = ({0: "3/4", 1: "1/4"}, {0: "1/4", 1: "3/4"})
THIRD = Fraction(1, 3)


@given(pairs(), ODDS)
def test_coupling_for_equality_is_privacy(laws_of_two: tuple[list[Fraction], list[Fraction]], odds: Fraction) -> None:
    """For equality the least delta of a coupling is the delta of the two worlds, and its witnesses pass the check."""
    one, other = (dict(enumerate(law)) for law in laws_of_two)
    found = couple(one, other, odds=odds)
    assert found is not None
    check(found, one, other, odds=odds, delta=found.delta)
    interval = table_of(one, other).delta(odds=odds)
    assert interval.lower <= found.delta <= interval.upper


@given(laws(), laws(), ODDS, strategies.sets(strategies.tuples(strategies.integers(0, 4), strategies.integers(0, 4))))
def test_couplings_for_any_relation(
    one: list[Fraction], other: list[Fraction], odds: Fraction, relation: set[tuple[int, int]]
) -> None:
    """The witnesses satisfy the definition at the least delta, and an event shows that less is impossible (Strassen)."""
    first, second = dict(enumerate(one)), dict(enumerate(other))
    found = couple(first, second, odds=odds, relation=relation)
    if found is None:
        left, right = {a for a, _ in relation}, {b for _, b in relation}
        assert any(p and a not in left for a, p in first.items()) or any(q and b not in right for b, q in second.items())
        return
    check(found, first, second, odds=odds, delta=found.delta, relation=relation)
    turned = {(b, a) for a, b in relation}
    bounds = obstacle(first, second, odds=odds, relation=relation), obstacle(second, first, odds=odds, relation=turned)
    assert max(Fraction(0), bounds[0][0], bounds[1][0]) == found.delta


@given(laws(), laws(), ODDS)
def test_obstacles_are_what_they_say(one: list[Fraction], other: list[Fraction], odds: Fraction) -> None:
    """The event found by the cut has the stated excess, the largest of all events."""
    first, second = dict(enumerate(one)), dict(enumerate(other))

    def near(a: int, b: int) -> bool:
        return abs(a - b) <= 1

    def excess(event: frozenset[int]) -> Fraction:
        image = {b for b in second if any(near(a, b) for a in event)}
        return sum((first[a] for a in event), Fraction(0)) - odds * sum((second[b] for b in image), Fraction(0))

    size, event = obstacle(first, second, odds=odds, relation=near)
    assert excess(event) == size
    events = [frozenset(a for a in first if mask >> a & 1) for mask in range(2 ** len(first))]
    assert size == max(map(excess, events))


def test_the_laplace_shift_coupling() -> None:
    """The rule `out + k = out'`: a geometric law coupled with itself moved by one costs its e^epsilon and no delta."""
    ratio, count = Fraction(1, 2), 9
    masses = [ratio ** abs(k) for k in range(-4, 5)]
    law = {k - 4: mass / sum(masses) for k, mass in enumerate(masses)}
    assert len(law) == count
    found = couple(law, law, odds=2, relation=lambda a, b: b == a + 1 or a == 4 or b == -4)
    assert found is not None and found.delta == 0
    assert couple(law, law, odds="3/2", relation=lambda a, b: b == a + 1 or a == 4 or b == -4).delta > 0  # type: ignore[union-attr]  # a coupling exists


def witness(left: dict[tuple[int, int], Fraction], right: dict[tuple[int, int], Fraction]) -> Coupling:
    return Coupling(left, right, Fraction(3), Fraction(0))


GOOD_LEFT = {(0, 0): Fraction(3, 4), (1, 1): Fraction(1, 4)}
GOOD_RIGHT = {(0, 0): Fraction(1, 4), (1, 1): Fraction(3, 4)}


@pytest.mark.parametrize(
    ("wrong", "odds", "clause"),
    [
        (witness({(0, 0): Fraction(1, 2), (1, 1): Fraction(1, 2)}, GOOD_RIGHT), 3, "clause 1"),
        (witness(GOOD_LEFT, {(0, 0): Fraction(1)}), 3, "clause 1"),
        (witness({(0, 0): Fraction(3, 4), (1, 0): Fraction(1, 4)}, GOOD_RIGHT), 3, "clause 2"),
        (witness(GOOD_LEFT, GOOD_RIGHT), 2, "clause 3"),
        (witness({**GOOD_LEFT, (0, 1): Fraction(-1, 4)}, GOOD_RIGHT), 3, "0 or more"),
        (witness({}, {}), 3, "clause 1"),
    ],
)
def test_wrong_witnesses_are_refused(wrong: Coupling, odds: int, clause: str) -> None:
    """Witnesses with a wrong marginal, outside the relation, too far apart or negative: the error names the clause."""
    check(witness(GOOD_LEFT, GOOD_RIGHT), *FAIR, odds=3, delta=0)
    with pytest.raises(BadArgument, match=clause):
        check(wrong, *FAIR, odds=odds, delta=0)


def test_allowing_delta_lets_clause_three_pass() -> None:
    """The same witnesses pass at odds 2 with delta 1/4, and not with less."""
    check(witness(GOOD_LEFT, GOOD_RIGHT), *FAIR, odds=2, delta="1/4")
    with pytest.raises(BadArgument, match="1/4"):
        check(witness(GOOD_LEFT, GOOD_RIGHT), *FAIR, odds=2, delta="24/100")


@pytest.mark.parametrize(
    "call",
    [
        lambda: couple(*FAIR, odds="1/2"),
        lambda: couple(*FAIR, odds=float("nan")),
        lambda: couple({0: "1/2"}, FAIR[1], odds=2),
        lambda: couple({0: "3/2", 1: "-1/2"}, FAIR[1], odds=2),
        lambda: check(witness(GOOD_LEFT, GOOD_RIGHT), *FAIR, odds=3, delta=2),
        lambda: obstacle(*FAIR, odds=0),
    ],
)
def test_bad_calls_are_refused(call: object) -> None:
    """Odds below 1, laws that are none, a delta that is no probability: errors with a fix."""
    with pytest.raises(BadArgument) as caught:
        call()  # type: ignore[operator]  # the parameters above are all functions
    assert caught.value.fix


# the linear programs underneath


def test_simplex_by_hand() -> None:
    """max x + y over x + 2y <= 4, 3x + y <= 6 is 14/5 at (8/5, 6/5); contradictory rows have no solution."""
    rows = [[Fraction(n) for n in row] for row in ([1, 2, 1, 0], [3, 1, 0, 1])]
    assert minimise([Fraction(-1), Fraction(-1), Fraction(0), Fraction(0)], rows, [Fraction(4), Fraction(6)]) == (
        Fraction(-14, 5),
        [Fraction(8, 5), Fraction(6, 5), 0, 0],
    )
    assert minimise([Fraction(1)], [[Fraction(1)], [Fraction(1)]], [Fraction(1), Fraction(2)]) is None


@given(
    strategies.lists(strategies.lists(strategies.integers(-3, 3), min_size=4, max_size=4), min_size=1, max_size=3),
    strategies.data(),
)
def test_simplex_against_vertices(rows: list[list[int]], data: strategies.DataObject) -> None:
    """The optimum of small random programs is attained and not above any feasible point that was planted."""
    point = data.draw(strategies.lists(strategies.integers(0, 3), min_size=4, max_size=4))
    cost = data.draw(strategies.lists(strategies.integers(0, 3), min_size=4, max_size=4))
    exacts = [[Fraction(entry) for entry in row] for row in rows]
    right = [sum((a * x for a, x in zip(row, point, strict=True)), Fraction(0)) for row in exacts]
    solved = minimise([Fraction(c) for c in cost], exacts, right)
    assert solved is not None
    value, solution = solved
    assert all(x >= 0 for x in solution)
    assert [sum((a * x for a, x in zip(row, solution, strict=True)), Fraction(0)) for row in exacts] == right
    assert value == sum((c * x for c, x in zip(cost, solution, strict=True)), Fraction(0)) <= sum(map(int.__mul__, cost, point))
