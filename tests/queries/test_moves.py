"""Two worlds below every plan: relations drawn at random never move further apart than their typing says."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from tests.choosers import SeededChooser
from tests.queries import reference
from tests.queries.declarations import BY_ROW, BY_USER, REPLACED, UNIT, policy
from tests.queries.plans import CITIES, NUMERIC, ROWS, relation, topped
from twoworlds.queries.moves import moved
from twoworlds.queries.plan import Aggregate, Call, Column, Key, Output, Query, Relation
from twoworlds.queries.policy import Policy
from twoworlds.queries.refusals import Refused
from twoworlds.queries.typing import typed
from twoworlds.worlds.neighbours import AddRemove, AddRemoveUser, Neighbours, Replace, User

UNITS: dict[str, tuple[Policy, Any]] = {
    "a row more": (BY_ROW, AddRemove("rows", ROWS)),
    "a row replaced": (REPLACED, Replace("rows", ROWS)),
    "a user more": (BY_USER, AddRemoveUser("rows", "user_id", ROWS)),
    "a user changed": (policy(UNIT.replace("add_remove", "replace")), User("rows", "user_id", ROWS)),
}
TRIALS = 1000
METRICS: dict[type[Neighbours], Any] = {
    AddRemove: AddRemove("rows"),
    Replace: Replace("rows"),
    AddRemoveUser: AddRemoveUser("rows", "user_id", ROWS),
    User: User("rows", "user_id", ROWS),
}


def thrown(seed: int) -> reference.Coin:
    """Coins that both worlds share: the same unit throws the same."""
    return lambda unit, rate: random.Random(f"{seed} {unit!r}").random() < rate


def worlds(relation: Relation, asked: Policy, seed: int, pair: tuple[Any, Any]) -> list[list[reference.Row]]:
    return [
        reference.rows(relation, asked, {"visits": world, "cities": CITIES}, thrown(seed)) for world in pair
    ]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
def test_relations_move_no_further_than_claimed(unit: str) -> None:
    """For drawn relations and neighbouring tables the distance is at most the claimed one, which many pairs attain."""
    asked, neighbours = UNITS[unit]
    attained: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for seed in range(TRIALS):
        chooser = SeededChooser(seed)
        by_user = not asked.tables["visits"].unit.is_row
        found = moved(topped(chooser, relation(chooser, by_user), by_user), asked)
        one, other = worlds(found.relation, asked, seed, neighbours.pairs(chooser))
        distance = METRICS[found.metric].distance(one, other)
        assert distance is not None and distance <= found.distance, f"{found.relation}: {distance} > {found.distance}"
        name = type(found.relation).__name__
        kinds[name] += 1
        attained[name] += distance == found.distance
    assert len(kinds) >= 7
    for name, count in kinds.items():
        assert attained[name] >= 2, f"{name}: the claim is attained {attained[name]} times in {count}"


def test_a_claim_half_as_large_is_refuted() -> None:
    """The test can fail: halved claims are broken, for every unit."""
    for asked, neighbours in UNITS.values():
        broken = 0
        for seed in range(200):
            chooser = SeededChooser(seed)
            found = moved(relation(chooser, not asked.tables["visits"].unit.is_row), asked)
            one, other = worlds(found.relation, asked, seed, neighbours.pairs(chooser))
            broken += METRICS[found.metric].distance(one, other) > found.distance / 2
        assert broken >= 20


AGGREGATES = ("count", "count_distinct", "sum", "mean", "variance", "quantile", "minimum", "histogram", "top", "covariance")


def question(chooser: SeededChooser, below: Relation) -> Query:
    """Two aggregates, by city, by a computed key or of everything."""
    outputs = []
    for number in range(2):
        kind = chooser.choice(AGGREGATES)
        value = chooser.choice(NUMERIC[:1] + NUMERIC[2:3] + NUMERIC[5:])
        settings: dict[str, Any] = {"quantile": (("q", Fraction(1, 4)),), "top": (("k", 2),), "histogram": (("cells", 5),)}
        if kind == "histogram" and chooser.integer(0, 1):
            settings["histogram"] = (("edges", (Fraction(0), Fraction(30), Fraction(50))),)
        arguments: tuple[Any, ...] = (Column("city"),) if kind == "top" else (value,)
        arguments += (Column("income"),) if kind == "covariance" else ()
        outputs.append(Output(f"n{number}", Aggregate(kind, arguments, settings.get(kind, ()))))  # type: ignore[arg-type]  # a kind
    keys = [(), (Key("city", Column("city")),), (Key("month", Call("month", (Column("day"),))),)]
    return Query(below, tuple(outputs), chooser.choice(keys))


@pytest.mark.parametrize("unit", ["a row more", "a row replaced"])
def test_measures_move_no_further_than_claimed(unit: str) -> None:
    """Each measure's vector over the groups moves in L1 at most as far as its derivation says, within the grid."""
    asked, neighbours = UNITS[unit]
    attained, codes = Counter[str](), set[str]()
    for seed in range(TRIALS):
        chooser = SeededChooser(seed)
        below = relation(chooser, False, 2)
        try:
            found = typed(question(chooser, below), asked)
        except Refused as refused:
            codes.add(refused.code)
            continue
        one, other = (
            reference.measured(found, world) for world in worlds(found.query.source, asked, seed, neighbours.pairs(chooser))
        )
        for number, measure in enumerate(found.measures):
            steps = 0
            for group in one.keys() | other.keys():
                empty = [[0] * max(measure.cells, len(measure.listed or ())) or 0 for measure in found.measures]
                a, b = (world.get(group, empty)[number] for world in (one, other))
                steps += sum(abs(x - y) for x, y in zip(a, b, strict=True)) if isinstance(a, list) else abs(a - b)
            claim = found.derivation.below[number].stability
            assert claim is not None
            grid = measure.grid * (measure.other_grid if measure.other is not None else measure.grid ** (measure.power - 1))
            moves = steps * grid
            assert moves <= claim, f"{found.query}: {measure}: {moves} > {claim}"
            attained[measure.kind] += bool(steps) and moves == claim
    assert codes <= {"TW-R012"}, "a SELECT may have lost the bounds of a column, and no more"
    assert all(attained[kind] >= 5 for kind in ("count", "distinct", "sum", "bins", "values")), attained


def test_unions_of_one_table_are_not_counted_twice_for_users() -> None:
    """Where users are protected, a union of two parts of a table moves one user; where rows are, two rows."""
    from twoworlds.queries.plan import Scan, Union

    both = Union(Scan("visits"), Scan("visits"))
    assert moved(both, BY_USER).distance == 1
    assert moved(both, BY_ROW).distance == 2


def test_sampling_amplifies_only_where_one_unit_moves() -> None:
    """The rate is claimed above a step that moves one unit of an add/remove relation, and nowhere else."""
    from twoworlds.queries.plan import Sample, Scan, Union, Where

    rate = Fraction(1, 3)
    sampled = Sample(Scan("visits"), rate)
    assert moved(sampled, BY_USER).sampled == moved(sampled, BY_ROW).sampled == rate
    assert moved(Sample(sampled, rate), BY_ROW).sampled == rate**2
    assert moved(Where(sampled, Column("member")), BY_ROW).sampled == rate
    assert moved(Sample(Union(Scan("visits"), Scan("visits")), rate), BY_ROW).sampled == 1
    assert moved(Union(sampled, Scan("visits")), BY_USER).sampled == 1
    assert moved(sampled, REPLACED).sampled == 1
