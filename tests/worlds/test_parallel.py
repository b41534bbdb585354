"""Parallel composition carries its relation: the maximum, the two largest, or a refusal."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies

from tests.choosers import HypothesisChooser, SeededChooser
from tests.worlds.malformed import NOT_NUMBERS, refuses
from twoworlds.worlds.neighbours import (
    L1,
    AddRemove,
    AddRemoveUser,
    Each,
    Edit,
    Group,
    Local,
    Metric,
    Neighbours,
    Number,
    One,
    Parts,
    Replace,
    User,
    parallel,
    parts,
)

COSTS = ("1/2", 1, 0.25, "0.1")


@pytest.mark.parametrize(
    ("relation", "key", "cost"),
    [
        (AddRemove("rows"), None, Fraction(1)),
        (Parts("parts"), None, Fraction(1)),
        (Replace("rows"), None, Fraction(3, 2)),
        (Edit("rows"), None, Fraction(3, 2)),
        (Group(2, AddRemove("rows")), None, Fraction(3, 2)),
        (Group(2, Replace("rows")), None, Fraction(37, 20)),
        (User("rows", "person"), "person", Fraction(1)),
        (AddRemoveUser("rows", 0), 0, Fraction(1)),
        (Group(3, User("rows", "person")), "person", Fraction(7, 4)),
    ],
    ids=str,
)
def test_costs_by_hand(relation: Neighbours, key: Any, cost: Fraction) -> None:
    """Maximum under addition and removal, the two largest under replacement, k times as many for groups of k."""
    assert parallel(relation, COSTS, key) == cost
    assert parallel(relation, [], key) == 0


@pytest.mark.parametrize(
    ("relation", "key"),
    [
        (User("rows", "person"), None),
        (User("rows", "person"), "day"),
        (AddRemoveUser("rows", "person"), None),
        (Each("queries"), None),
        (One("counts"), None),
        (L1("counts"), None),
        (Number("value"), None),
        (Local("answer"), None),
        (Metric("place"), None),
        (Group(2, Each("queries")), None),
    ],
    ids=str,
)
def test_unknown_is_refused(relation: Neighbours, key: Any) -> None:
    """Where one step may change every part, or nobody says how many, there is no discount."""
    assert str(relation).removeprefix("Group(2, ").rstrip(")") in str(refuses(lambda: parallel(relation, COSTS, key)))


@pytest.mark.parametrize("bad", [*(value for value in NOT_NUMBERS if value not in ([], {})), -1, "-1/2"])
def test_costs_that_are_none_are_refused(bad: Any) -> None:
    """A cost that is negative, infinite or no number is an error."""
    refuses(lambda: parallel(AddRemove("rows"), [1, bad]))
    refuses(lambda: parallel(AddRemove("rows"), bad))


TABLES = [
    (AddRemove("rows", examples=range(6)), None),
    (Replace("rows", examples=range(6)), None),
    (Group(2, AddRemove("rows", examples=range(6))), None),
    (User("rows", 0), 0),
    (AddRemoveUser("rows", 0), 0),
]


def split(rows: list[Any], key: int | None) -> list[list[Any]]:
    """Three parts by a public rule: the value modulo three, or the user's initial."""
    rule = (lambda row: row % 3) if key is None else (lambda row: "abc".index(row[key][0]))
    return [[row for row in rows if rule(row) == part] for part in range(3)]


@pytest.mark.parametrize(("relation", "key"), TABLES, ids=str)
@given(data=strategies.data())
def test_no_step_changes_more_parts_than_stated(relation: Neighbours, key: Any, data: strategies.DataObject) -> None:
    """Two worlds: split any neighbouring pair by a public rule and count the parts that differ."""
    one, other = relation.pairs(HypothesisChooser(data))
    table = AddRemove("rows")
    changed = sum(table.distance(a, b) != 0 for a, b in zip(split(one, key), split(other, key), strict=True))
    assert changed <= parts(relation, key)


@pytest.mark.parametrize(("relation", "key"), TABLES, ids=str)
def test_the_stated_number_of_parts_is_needed(relation: Neighbours, key: Any) -> None:
    """Some neighbouring pair does change so many parts, so that a smaller count would be wrong."""
    chooser, table = SeededChooser(1), AddRemove("rows")
    changed = 0
    for one, other in (relation.pairs(chooser) for _ in range(300)):
        changed = max(changed, sum(table.distance(a, b) != 0 for a, b in zip(split(one, key), split(other, key), strict=True)))
    assert changed == parts(relation, key)


def geometric(x: int, true: int, alpha: Fraction) -> Fraction:
    """The probability of x under two-sided geometric noise; one record costs ln(1/alpha)."""
    return (1 - alpha) / (1 + alpha) * alpha ** abs(x - true)


def test_the_maximum_is_wrong_under_replacement() -> None:
    """Planted: one record moves between two counted groups; the exact loss is the sum of both prices, not their maximum."""
    alphas = [Fraction(1, 2), Fraction(1, 3)]
    one, other = (1, 0), (0, 1)
    ratios = [
        math.prod(geometric(x, true, alpha) for x, true, alpha in zip(outputs, one, alphas, strict=True))
        / math.prod(geometric(x, true, alpha) for x, true, alpha in zip(outputs, other, alphas, strict=True))
        for outputs in itertools.product(range(-3, 5), repeat=2)
    ]
    prices = [math.log(1 / alpha) for alpha in alphas]
    assert math.log(max(ratios)) == pytest.approx(sum(prices))
    assert float(parallel(Replace("rows"), prices)) == pytest.approx(sum(prices))
