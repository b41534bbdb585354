"""Relations on the public grid: rounding keeps neighbours neighbours, at the bound that `on_grid` states and no smaller one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies

from tests.choosers import HypothesisChooser
from tests.worlds.malformed import refuses
from twoworlds.worlds.grid import on_grid
from twoworlds.worlds.neighbours import L1, L2, AddRemove, Each, Edit, Monotone, Number, One, Parts, Replace, User

GRIDS = ("1", "1/2", "2", "1/8")
VECTORS = (Number, Each, One, L1, L2)


@pytest.mark.parametrize("kind", VECTORS)
@pytest.mark.parametrize("grid", GRIDS)
@given(data=strategies.data())
def test_rounding_keeps_neighbours(kind: Any, grid: str, data: strategies.DataObject) -> None:
    """If any two worlds are neighbours, then so are the rounded ones under `on_grid`, for each bound."""
    chooser = HypothesisChooser(data)
    by, shift = Fraction(chooser.integer(0, 40), 16), Fraction(chooser.integer(0, 15), 16)
    relation, step = kind("x", by=by), Fraction(grid)
    one, other = relation.pairs(chooser)
    if kind is Number:
        worlds: Any = [on_grid(world + shift, step) * step for world in (one, other)]
    else:
        shifts = [Fraction(chooser.integer(0, 15), 16) for _ in one]
        worlds = [[on_grid(a + b, step) * step for a, b in zip(world, shifts, strict=True)] for world in (one, other)]
    relation.on_grid(grid).check(*worlds)


@pytest.mark.parametrize("kind", [Number, Each, One, L1])
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("by", [Fraction(1, 16), Fraction(1, 2), Fraction(1), Fraction(7, 4)])
def test_rounding_may_use_all_that_on_grid_allows(kind: Any, grid: str, by: Fraction) -> None:
    """For L-infinity, single entries and L1 the rounded bound is attained: one grid step less would be wrong."""
    step, length, tiny = Fraction(grid), 3, Fraction(1, 1000)
    relation = kind("x", by=by)
    rounded = relation.on_grid(grid)
    below = step / 2 - tiny / 100  # just below the edge of a cell
    whole = (math.ceil(by / step) - 1) * step
    first = whole + tiny / 100 if by - whole < tiny else whole + tiny
    moves = {Number: [first], Each: [first] * length, One: [first, 0, 0], L1: [first - tiny / 2, tiny / 8, tiny / 8]}[kind]
    one = [below] * len(moves)
    other = [below + move for move in moves]
    assert relation.steps(*((one[0], other[0]) if kind is Number else (one, other))) == 1
    ends = [[on_grid(entry, step) * step for entry in world] for world in (one, other)]
    distance = rounded.distance(*((ends[0][0], ends[1][0]) if kind is Number else ends))
    assert distance == rounded.bound({"x": one})


def test_rounding_halves_to_even_breaks_neighbours() -> None:
    """Planted: with ties to even two worlds one apart land two apart, and the relation sees it."""
    relation = Each("x", by=1).on_grid(1)
    one, other = [Fraction(1, 2)], [Fraction(3, 2)]
    Each("x", by=1).check(one, other)
    relation.check([on_grid(one[0], Fraction(1))], [on_grid(other[0], Fraction(1))])
    refuses(lambda: relation.check([round(one[0])], [round(other[0])]))


def test_a_bound_on_a_sum_grows_when_its_terms_are_rounded() -> None:
    """Planted: rounding up the L1 bound alone would be wrong, for each of n entries can cross an edge."""
    relation, step = L1("x", by=1), Fraction(1)
    one, other = [Fraction("0.4")] * 4, [Fraction("0.6")] * 4
    relation.check(one, other)
    ends = [[on_grid(entry, step) for entry in world] for world in (one, other)]
    refuses(lambda: L1("x", by=1).check(*ends))
    assert relation.on_grid(1).bound({"x": one}) == 4 == L1("x").distance(*ends)
    assert "needs a list for x" in str(refuses(relation.on_grid(1).bound))


def test_what_is_on_the_grid_already_stays() -> None:
    """Counts are whole numbers: no bound grows on the grid 1, nor on any finer one; records are rounded one by one."""
    counts = L1("counts", by=1, grid=1)
    assert counts.on_grid(1) is counts and counts.on_grid("1/4") is counts
    assert counts.on_grid(2) is not counts
    assert Monotone(Each("queries", by=1)).on_grid("1/2") == Monotone(Each("queries", by=1))
    assert Each("queries", by="sensitivity").on_grid("1/2").bound({"sensitivity": 0.7}) == 1
    for relation in (AddRemove("rows"), Replace("rows"), User("rows"), Edit("rows"), Parts("parts")):
        assert relation.on_grid("1/2") is relation
        refuses(lambda relation=relation: relation.on_grid(0.3))
