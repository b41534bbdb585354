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
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Distance

__all__ = ["PARTS", "Bounding", "distance", "steps_of"]

PARTS = 1024
"""Into so many parts a row's weight is divided where users are weighted."""


@dataclass(frozen=True)
class Bounding:
    """The way that is taken, with its public limits: `rows` C of the weights, `groups` and `rows_per_group` of the window."""

    kind: Literal["rows", "weights", "window"]
    rows: int = 1
    groups: int = 1
    rows_per_group: int = 1

    @property
    def parts(self) -> int:
        """What one row of full weight counts."""
        return 1 if self.kind == "rows" else PARTS


def steps_of(measure: Measure) -> tuple[int, int]:
    """Between which whole numbers one row's entry of a sum lies, in grid steps; both powers and products included."""
    assert measure.bounds is not None
    low, high = _ends(measure.bounds.low - measure.centre, measure.bounds.high - measure.centre, measure.grid)
    if measure.other is not None:
        assert measure.other_bounds is not None
        others = _ends(
            measure.other_bounds.low - measure.other_centre, measure.other_bounds.high - measure.other_centre, measure.grid
        )
        corners = [one * other for one in (low, high) for other in others]
        return min(corners), max(corners)
    if measure.power == 2:
        return (0 if low <= 0 <= high else min(low**2, high**2)), max(low**2, high**2)
    return low, high


def distance(typed: Typed, bounding: Bounding, measure: Measure, groups: int) -> Distance:
    """How far one neighbour moves this measure over the groups, in every norm, in steps."""
    low, high = steps_of(measure) if measure.kind == "sum" else (0, 1)
    largest, span = max(abs(low), abs(high)), max(high, 0) - min(low, 0)
    d, parts = typed.rows, bounding.parts
    replaced = typed.relation == "replace"
    if bounding.kind == "rows":
        if replaced:
            return _replaced(d, largest, span, groups)
        return Distance(l1=d * largest, l2_squared=(d * largest) ** 2, linf=d * largest)
    if bounding.kind == "weights":
        count = d * bounding.rows * parts
        if replaced:
            return _replaced(count, largest, span, groups)
        return Distance(l1=count * largest, l2_squared=(count * largest) ** 2, linf=count * largest)
    raise BadArgument("bounding", bounding.kind, "is not built yet", "Use weights")


def _replaced(d: Fraction, largest: int, span: int, groups: int) -> Distance:
    """A row goes and another comes: in two groups, or in one, where only the difference shows."""
    if groups == 1:
        return Distance(l1=d * span, l2_squared=(d * span) ** 2, linf=d * span)
    squared = d**2 * max(Fraction(span) ** 2, Fraction(2) * largest**2)
    return Distance(l1=2 * d * largest, l2_squared=squared, linf=d * span)


def _ends(low: Fraction, high: Fraction, grid: Fraction) -> tuple[int, int]:
    return math.floor(low / grid + Fraction(1, 2)), math.floor(high / grid + Fraction(1, 2))
