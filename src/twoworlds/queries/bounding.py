"""How far one neighbour moves each measure: whose rows count for how much, and the distances that follow.

    rows       the row is protected; every row counts 1
    weights    the user is protected; each of a user's rows counts floor(S C / max(C, rows of the user)) parts of S, so that
               all of them together count C at the most, wherever they are
    window     the user is protected; of a user's groups only L0 count, chosen by a keyed hash of what they hold, and in each
               of them the rows together count M at the most

What is kept of a user is a function of that user's rows alone: never of other users, nor of the order in which rows are stored.
Distances are in whole steps of the measure's grid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from twoworlds.queries.measures import Measure, Typed
from twoworlds.queries.policy import Bounds
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Distance

__all__ = ["PARTS", "Bounding", "coarser", "distance", "largest_entry", "steps_of"]

PARTS = 1024
"""Into so many parts a row's weight is divided where users are weighted."""


_STEPS = 25
"""Bits of a square or product of the largest size."""

_MOST_STEPS = 2**48
"""So many steps from 0 a double still tells sixteenths of a step apart."""


@dataclass(frozen=True)
class Bounding:
    """The way that is taken, with its limits: `rows` C of the weights, `groups` L0 and `rows_per_group` M of the window."""

    kind: Literal["rows", "weights", "window"]
    rows: int = 1
    groups: int = 1
    rows_per_group: int = 1

    @property
    def parts(self) -> int:
        """What one row of full weight counts."""
        return 1 if self.kind == "rows" else PARTS


def steps_of(measure: Measure) -> tuple[int, int]:
    """Between which whole numbers one row's entry of a sum lies, in grid steps; squares and products included."""
    low, high = _products(measure)
    return low // coarser(measure), -(-high // coarser(measure))


def coarser(measure: Measure) -> int:
    """By what squares and products are divided, so that they are about as many steps as other sums."""
    return 2 ** max(0, max(map(abs, _products(measure))).bit_length() - _STEPS) if measure.other or measure.power == 2 else 1


def _products(measure: Measure) -> tuple[int, int]:
    assert measure.bounds is not None
    low, high = _ends(measure.bounds, measure.centre, measure.grid)
    if measure.other is not None:
        assert measure.other_bounds is not None
        others = _ends(measure.other_bounds, measure.other_centre, measure.other_grid)
        corners = [one * other for one in (low, high) for other in others]
        return min(corners), max(corners)
    if measure.power == 2:
        return (0 if low <= 0 <= high else min(low**2, high**2)), max(low**2, high**2)
    return low, high


def largest_entry(measure: Measure) -> int:
    """The most that one row can add to a measure or take from it, in steps."""
    return max(map(abs, steps_of(measure))) if measure.kind == "sum" else 1


def distance(typed: Typed, bounding: Bounding, measure: Measure, groups: int) -> Distance:
    """How far one neighbour moves the entries of this measure, over `groups` groups, in every norm, in steps."""
    if measure.kind == "users" or (measure.kind == "distinct" and bounding.kind != "rows"):
        return _chosen(typed, bounding, measure, groups)
    low, high = steps_of(measure) if measure.kind == "sum" else (0, 1)
    if bounding.kind == "window" and measure.kind in ("count", "sum"):
        return _windowed(typed, bounding, low, high, groups)
    count = typed.rows if bounding.kind == "rows" else typed.rows * bounding.rows * PARTS
    return _moved(count, low, high, typed.relation == "replace", groups)


def _moved(count: Fraction, low: int, high: int, replaced: bool, groups: int) -> Distance:
    """Entries between low and high, `count` of them, come or go; or go, while as many come, in the same groups or others."""
    largest, span = max(abs(low), abs(high)), max(high, 0) - min(low, 0)
    if not replaced:
        return Distance(l1=count * largest, l2_squared=(count * largest) ** 2, linf=count * largest)
    apart = 0 if groups == 1 else 2 * largest**2
    l1 = count * (span if groups == 1 else 2 * largest)
    return Distance(l1=l1, l2_squared=count**2 * max(span**2, apart), linf=count * span)


def _windowed(typed: Typed, bounding: Bounding, low: int, high: int, groups: int) -> Distance:
    """A user moves at most L0 groups, each by as much as M rows; one who is replaced may leave all of them for others."""
    largest, span = max(abs(low), abs(high)), max(high, 0) - min(low, 0)
    most, d = bounding.rows_per_group * PARTS, typed.rows
    touched = min(bounding.groups, groups)
    if typed.relation != "replace":
        return Distance(
            l1=d * touched * most * largest, l2_squared=d**2 * touched * (most * largest) ** 2, linf=d * most * largest
        )
    squared = max(2 * touched * largest**2, touched * span**2)
    return Distance(l1=d * 2 * touched * most * largest, l2_squared=d**2 * most**2 * squared, linf=d * most * span)


def _chosen(typed: Typed, bounding: Bounding, measure: Measure, groups: int) -> Distance:
    """A user counts one in each of at most L0 groups, or with at most C values, wherever they are."""
    sides, d = (2 if typed.relation == "replace" else 1), typed.rows
    if measure.kind == "users":
        touched = min(bounding.groups if bounding.kind != "rows" else 1, groups)
        moved = min(sides * touched, groups)
        return Distance(l1=d * moved, l2_squared=d**2 * moved, linf=d)
    most = d * bounding.rows
    return Distance(l1=sides * most, l2_squared=sides * most**2, linf=most)


def _ends(bounds: Bounds, centre: Fraction, grid: Fraction) -> tuple[int, int]:
    """Rounding of doubles is monotone and finer than a fraction of a step, so it stays between these."""
    if max(abs(bounds.low), abs(bounds.high), abs(centre)) > _MOST_STEPS * grid:
        raise BadArgument("grid", grid, f"is too fine for values up to {float(bounds.high):g}", "Use a coarser grid")
    return math.floor((bounds.low - centre) / grid), math.ceil((bounds.high - centre) / grid)
