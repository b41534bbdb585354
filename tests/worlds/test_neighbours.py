"""Neighbouring relations: distances are metrics, every generated pair is a pair, every other pair is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies

from tests.choosers import HypothesisChooser, SeededChooser
from tests.worlds.malformed import NOT_NUMBERS, refuses
from twoworlds.worlds.errors import BadArgument, MixedNeighbours, NotNeighbours
from twoworlds.worlds.neighbours import (
    L1,
    L2,
    AddRemove,
    AddRemoveUser,
    Each,
    Edit,
    Group,
    Linf,
    Local,
    Metric,
    Monotone,
    Neighbours,
    Number,
    One,
    Parts,
    Replace,
    User,
    Vectors,
    combine,
    same,
)

RELATIONS: tuple[Neighbours, ...] = (
    AddRemove("rows"),
    AddRemove("rows", examples=({"user": "ann", "age": 3}, {"user": "bob", "age": 4})),
    Replace("rows"),
    Edit("rows"),
    Parts("parts"),
    User("rows"),
    User("rows", 1),
    AddRemoveUser("rows", "person"),
    Number("value", by="1/3"),
    Number("value", by=2, grid="1/2"),
    Each("queries"),
    Each("queries", by="sensitivity"),
    Each("queries", by=2, grid="1/4"),
    One("counts"),
    One("counts", by=3, grid=1),
    L1("counts", by=2),
    L1("counts", by=3, grid="1/2"),
    L2("gradient"),
    L2("gradient", by="sqrt(2)"),
    L2("gradient", by=2, grid="1/8"),
    Monotone(Each("queries")),
    Monotone(One("counts", by=2)),
    Monotone(L1("counts", by=2)),
    Local("answer", values=(False, True)),
    Local("answer", values=("red", "green", "blue")),
    Metric("place"),
    Metric("place", "manhattan", by="1/2"),
    Metric("place", "maximum", dimensions=3),
    Metric("place", "euclid", by=2, grid="1/2"),
    Group(3, AddRemove("rows")),
    Group(2, Replace("rows")),
    Group(2, User("rows")),
    Group(3, Each("queries", by="sensitivity")),
    Group(2, One("counts")),
    Group(2, Monotone(Each("queries"))),
    Group(2, L2("gradient", by=2)),
)
VALUES = {"sensitivity": Fraction(3, 2)}
IRRATIONAL = (L2, Metric)  # their distances are rounded up, their steps are exact
every_relation = pytest.mark.parametrize("relation", RELATIONS, ids=str)


def unwrapped(relation: Neighbours) -> Neighbours:
    return unwrapped(relation.relation) if isinstance(relation, Group) else relation


@every_relation
@given(data=strategies.data())
def test_every_generated_pair_is_a_pair(relation: Neighbours, data: strategies.DataObject) -> None:
    """A generated pair is at most one step and at most the bound apart, in both directions."""
    one, other = relation.pairs(HypothesisChooser(data), VALUES)
    relation.check(one, other, VALUES)
    relation.check(other, one, VALUES)
    distance = relation.distance(one, other)
    assert distance is not None and distance <= relation.bound({relation.parameter: one, **VALUES})


@every_relation
@given(data=strategies.data())
def test_distance_is_a_metric(relation: Neighbours, data: strategies.DataObject) -> None:
    """Zero exactly for equal worlds, symmetric, and no way round is shorter; so for steps."""
    chooser = HypothesisChooser(data)
    one = relation.world(chooser, VALUES)
    other = relation.walk(chooser, one, chooser.integer(0, 3), VALUES)
    third = relation.walk(chooser, other, chooser.integer(0, 3), VALUES)
    slack = Fraction(1, 10**50) if isinstance(unwrapped(relation), IRRATIONAL) else 0
    direct, round_about = relation.distance(one, third), (relation.distance(one, other), relation.distance(other, third))
    assert direct is not None and None not in round_about
    assert direct <= sum(way for way in round_about if way is not None) + slack
    assert relation.distance(third, one) == direct
    assert relation.distance(one, one) == 0
    steps = [relation.steps(a, b, VALUES) for a, b in ((one, third), (one, other), (other, third))]
    assert steps[0] <= steps[1] + steps[2]
    assert (steps[0] == 0) == (direct == 0)
    assert steps[0] * relation.bound({relation.parameter: one, **VALUES}) >= direct


@every_relation
@given(data=strategies.data())
def test_a_walk_takes_no_more_steps_than_it_says(relation: Neighbours, data: strategies.DataObject) -> None:
    """k steps lead at most k steps away: the chain that group privacy speaks of."""
    chooser = HypothesisChooser(data)
    one, k = relation.world(chooser, VALUES), chooser.integer(1, 4)
    steps = relation.steps(one, relation.walk(chooser, one, k, VALUES), VALUES)
    assert steps is not None and steps <= k
    Group(k, relation).check(one, relation.walk(chooser, one, k, VALUES), VALUES)


@every_relation
def test_pairs_are_varied_and_reach_the_bound(relation: Neighbours) -> None:
    """Among 200 pairs some differ by all that a step allows, some less, and most are unlike each other."""
    chooser, reached, seen = SeededChooser(7), 0, set()
    for _ in range(200):
        one, other = relation.pairs(chooser, VALUES)
        bound = relation.bound({relation.parameter: one, **VALUES})
        reached += relation.distance(one, other) >= bound - Fraction(1, 10**50)
        seen.add(repr((one, other)))
    assert reached >= 20
    assert len(seen) >= (4 if isinstance(unwrapped(relation), Local) else 30)


@every_relation
def test_the_other_worlds_are_refused(relation: Neighbours) -> None:
    """Worlds more than one step apart are refused with the reason, and such are found among unrelated worlds."""
    chooser, refused = SeededChooser(3), 0
    for _ in range(200):
        one, other = relation.world(chooser, VALUES), relation.world(chooser, VALUES)
        steps = relation.steps(one, other, VALUES)
        if steps is None or steps > 1:
            refused += 1
            error = refuses(lambda one=one, other=other: relation.check(one, other, VALUES))
            assert isinstance(error, NotNeighbours) and str(relation) in str(error)
    assert refused >= (0 if isinstance(unwrapped(relation), Local) else 20)


@every_relation
def test_a_relation_is_itself_and_no_other(relation: Neighbours) -> None:
    """Each relation combines with itself, and mixing it with any of the others is an error that names both."""
    assert combine(relation, relation) is relation
    for other in RELATIONS:
        if same(relation, other):
            assert type(relation) is type(other)
            continue
        error = refuses(lambda other=other: combine(relation, relation, other))
        assert isinstance(error, MixedNeighbours) and str(relation) in str(error) and str(other) in str(error)


def test_the_parameters_name_is_no_part_of_a_relation() -> None:
    """Two cards may call the same thing differently; a formula's own parameter counts as little."""
    assert same(Each("queries", by=1), Each("values", by="1"))
    assert same(Each("queries", by="2/4"), Linf("values", by=0.5))
    assert same(L1("counts", by="len(counts)"), L1("sums", by="len(sums)"))
    assert same(Group(1, AddRemove("rows")), AddRemove("people"))
    assert not same(Each("queries", by=1), Each("queries", by=2))
    assert not same(User("rows", "person"), User("rows", "house"))
    assert combine(Each("queries", by=1), Each("values", by="1")) == Each("queries", by=1)
    refuses(combine)


@pytest.mark.parametrize(
    ("relation", "one", "other", "distance"),
    [
        (AddRemove("rows"), [1, 1, 2], [2, 1], 1),
        (AddRemove("rows"), [1, 1], [2, 2], 4),
        (AddRemove("rows"), [math.nan], [float("nan")], 0),
        (AddRemove("rows"), [{"a": 1, "b": [2]}], [{"b": [2], "a": 1}], 0),
        (Replace("rows"), [1, 1, 2], [2, 1, 2], 1),
        (Replace("rows"), [1], [1, 1], None),
        (Edit("rows"), list("kitten"), list("sitting"), 3),
        (Edit("rows"), [1, 2], [2, 1], 2),
        (Parts("parts"), [[1], [2]], [[1, 1], []], 2),
        (Parts("parts"), [[1]], [[1], []], None),
        (User("rows"), [{"user": 1, "x": 0}] * 5, [{"user": 1, "x": 9}], 1),
        (AddRemoveUser("rows"), [{"user": 1, "x": 0}] * 5, [{"user": 1, "x": 9}], 2),
        (AddRemoveUser("rows"), [{"user": 1, "x": 0}] * 5, [], 1),
        (User("rows", 0), [("ann", 1), ("bob", 2)], [("bob", 3), ("cy", 1)], 3),
        (One("counts"), [0, 0], [1, 1], 2),
        (Each("queries"), [0, 0], [1, -1], 1),
        (Each("queries"), [0], [0, 0], None),
        (Each("queries"), [], [], 0),
        (L1("counts"), [0, 0], ["1/3", -0.1], Fraction(13, 30)),
        (L2("gradient"), [0, 0], [3, 4], 5),
        (Monotone(Each("queries")), [0, 0, 0], [1, 2, 0], 2),
        (Monotone(Each("queries")), [0, 0, 0], [1, -2, 0], 3),
        (Metric("place"), (0, 0), (3, 4), 5),
        (Metric("place", "manhattan"), (0, 0), (3, 4), 7),
        (Metric("place", "maximum"), (0, 0), (3, 4), 4),
        (Metric("place", "manhattan", grid=1), (0.4, 0.6), (0.5, 0.4), 2),
        (Local("answer", values=(0, 1)), 0, 1, 1),
        (Local("answer", values=(0, 1)), 0, 2, None),
        (Group(2, Edit("rows")), [1, 2], [2, 1], 2),
    ],
)
def test_distances_by_hand(relation: Neighbours, one: Any, other: Any, distance: object) -> None:
    """Distances worked out by hand."""
    assert relation.distance(one, other) == distance
    assert relation.distance(other, one) == distance


@pytest.mark.parametrize(
    ("relation", "one", "other"),
    [
        (One("counts"), ["0", 0], ["1/2", "1/2"]),  # within the L1 bound, but two entries move
        (Monotone(Each("queries")), [0, 0], ["1/2", "-1/2"]),  # within the bound, but up and down
        (Replace("rows"), [1, 2], [1]),
        (Each("queries", by=1, grid=1), [0], ["1/2"]),  # off the grid
        (Number("value", by=1, grid=1), 0, "1/2"),
        (Each("queries", by=0), [0], ["1/1000"]),
        (L2("gradient", by="sqrt(2)"), [0, 0], [1, "1.00000000000000000000000000000000000000001"]),
        (Group(2, One("counts")), [0, 0, 0], ["1/3", "1/3", "1/3"]),  # three entries moved: three steps, though near
        (Group(2, Monotone(Each("queries"))), [0, 0], [2, "-1/4"]),  # two up and one down: three steps
    ],
    ids=str,
)
def test_worlds_that_are_near_but_no_neighbours_are_refused(relation: Neighbours, one: Any, other: Any) -> None:
    """A step has a shape; being near is not enough."""
    refuses(lambda: relation.check(one, other))
    refuses(lambda: relation.check(other, one))


def test_the_euclidean_bound_is_compared_exactly() -> None:
    """A move of length exactly sqrt(2) is allowed, although neither the distance nor the bound has an exact value."""
    L2("gradient", by="sqrt(2)").check([0, 0], [1, -1])
    L2("gradient", by=5).check([0, 0], [3, 4])
    assert L2("gradient").squared([0, 0], [1, -1]) == 2
    assert L2("gradient").steps([0, 0], [3, 4]) == 5
    distance = L2("gradient").distance([0, 0], [1, -1])
    assert distance is not None and 2 < distance**2 < 2 + Fraction(1, 10**50)


def test_the_price_of_a_metric_grows_with_the_distance() -> None:
    """Points twice as far apart as `by` cost twice the price; a grid measures the rounded points."""
    place = Metric("place", "euclid", by=5)
    assert place.scale((0, 0), (3, 4)) == 1
    assert place.scale((0, 0), (6, 8)) == 2
    assert place.scale((1, 1), (1, 1)) == 0
    assert place.on_grid(1).scale((0, 0.49), (0, -0.51)) == Fraction(1, 5)
    assert Group(2, place).obstacle((0, 0), (6, 8)) is None


def test_pairs_keep_a_public_length() -> None:
    """Where the parameters hold a list for the relation's own parameter, both worlds keep its public length."""
    chooser = SeededChooser(5)
    for relation in RELATIONS:
        inner = relation.relation if isinstance(relation, Group | Monotone) else relation
        if isinstance(inner, Vectors):
            one, other = relation.pairs(chooser, {**VALUES, relation.parameter: [0] * 9})
            assert len(one) == len(other) == 9
            assert relation.pairs(chooser, {**VALUES, relation.parameter: []}) == ([], [])
    one, other = Replace("rows").pairs(chooser, {"rows": [0] * 9})
    assert len(one) == len(other) == 9


@pytest.mark.parametrize("bad", [value for value in NOT_NUMBERS if not isinstance(value, str)] + [-1, "-1", "1 +", "f(x)"])
@pytest.mark.parametrize("kind", [Number, Each, One, L1, L2, lambda name, by: Metric(name, by=by)])
def test_a_bound_that_is_no_bound_is_refused(kind: Any, bad: Any) -> None:
    """NaN, infinity, negative numbers and everything else that is no bound is an error where it is written."""
    refuses(lambda: kind("x", by=bad))


def test_a_negative_bound_in_a_formula_is_refused_when_it_is_known() -> None:
    """A formula's sign is known only with its parameters."""
    assert "below 0" in str(refuses(lambda: Each("x", by="a - b").bound({"a": 1, "b": 2})))
    assert "needs a value for a" in str(refuses(lambda: Each("x", by="a").check([1], [2])))


@pytest.mark.parametrize("bad", [value for value in NOT_NUMBERS if value != []])
@pytest.mark.parametrize("relation", [Number("x"), Each("x"), L2("x"), Monotone(Each("x")), Metric("x", dimensions=1)], ids=str)
def test_worlds_that_are_no_numbers_have_no_distance(relation: Neighbours, bad: Any) -> None:
    """A world that is no number, or holds one that is none, is an error: never a distance."""
    refuses(lambda: relation.distance(bad, bad))
    refuses(lambda: relation.distance([bad], [bad]))
    refuses(lambda: relation.check([0], [bad]))


@pytest.mark.parametrize("bad", [None, 1, "rows", b"rows", {"a": 1}, {1, 2}, (row for row in [1]), [{1, 2}]])
def test_worlds_that_are_no_tables_have_no_distance(bad: Any) -> None:
    """Texts, mappings, sets, generators and rows that cannot be compared are errors."""
    for relation in (AddRemove("rows"), Replace("rows"), Edit("rows"), User("rows"), Parts("rows")):
        refuses(lambda relation=relation: relation.distance(bad, bad))


@pytest.mark.parametrize(
    "call",
    [
        lambda: AddRemove(""),
        lambda: AddRemove("two words"),
        lambda: AddRemove(None),  # type: ignore[arg-type]  # the malformed call is the point
        lambda: Each(3),  # type: ignore[arg-type]  # the malformed call is the point
        lambda: AddRemove("rows", examples=()),
        lambda: User("rows", -1),
        lambda: User("rows", True),
        lambda: User("rows", None),  # type: ignore[arg-type]  # the malformed call is the point
        lambda: User("rows", "person", examples=({"user": 1},)),
        lambda: User("rows").distance([{"user": None}], []),
        lambda: User("rows").distance([{"person": 1}], []),
        lambda: User("rows", 2).distance([(1, 2)], []),
        lambda: User("rows").distance([3], []),
        lambda: Group(0, AddRemove("rows")),
        lambda: Group(True, AddRemove("rows")),
        lambda: Group(2.0, AddRemove("rows")),  # type: ignore[arg-type]  # the malformed call is the point
        lambda: Group(2, "AddRemove"),  # type: ignore[arg-type]  # the malformed call is the point
        lambda: Monotone(AddRemove("rows")),  # type: ignore[arg-type]  # the malformed call is the point
        lambda: Local("answer", values=(1,)),
        lambda: Local("answer", values=(1, 1)),
        lambda: Metric("place", "taxicab"),  # type: ignore[arg-type]  # the malformed call is the point
        lambda: Metric("place", dimensions=0),
        lambda: Metric("place").distance((1, 2, 3), (1, 2, 3)),
        lambda: Metric("place", by=0).scale((0, 0), (1, 1)),
        lambda: Each("x", grid=0),
        lambda: Each("x", grid="1/3"),
        lambda: Each("x").on_grid(math.nan),
    ],
)
def test_malformed_relations_are_refused(call: Any) -> None:
    """Every wrong construction is an error that names the argument."""
    assert isinstance(refuses(call), BadArgument)


def test_an_order_that_means_nothing_changes() -> None:
    """Pairs of tables come in other orders, so that a mechanism which reads the order is caught."""
    chooser, reordered = SeededChooser(11), 0
    for _ in range(300):
        one, other = AddRemove("rows").pairs(chooser)
        shorter, longer = sorted((one, other), key=len)
        reordered += not any(shorter == longer[:i] + longer[i + 1 :] for i in range(len(longer)))
    assert reordered >= 50
