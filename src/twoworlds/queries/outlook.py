"""How near the answers will be, before anything is charged: the intervals of made-up groups, read as real ones are.

What a sum or a count moves by is the same whatever the group holds. A mean, a variance or a correlation depends on how many rows
there are and how they lie, so it is read for groups of a stated size with their values where the interval is widest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.queries.measures import Measure
from twoworlds.queries.outputs import Noisy, Reading
from twoworlds.queries.plan import Aggregate
from twoworlds.queries.pricing import Offer, cells_of, groups_of
from twoworlds.queries.steps import Step

__all__ = ["Expected", "expected", "rows_of"]

SOME_ROWS = 1000
"""A size of group to speak of where none is public."""

_ALIKE = ("count", "count_users", "count_distinct", "sum", "histogram")


@dataclass(frozen=True)
class Expected:
    """An output's error: within `reach`, in its own unit or in rows of its rank, for groups of `rows` rows if that matters."""

    name: str
    reach: float
    in_ranks: bool = False
    rows: float | None = None

    def __str__(self) -> str:
        within = f"within {self.reach:.4g} rows of its rank" if self.in_ranks else f"± {self.reach:.4g}"
        return within if self.rows is None else f"{within} in a group of {self.rows:,.0f} rows"


def rows_of(offer: Offer) -> float | None:
    """How many rows a group has on average, by the declared size of the table; None where it or the groups are not public."""
    size, groups = offer.typed.table.size, groups_of(offer.typed)
    return None if size is None or groups is None else size / groups


def expected(offer: Offer, confidence: float = 0.95, together: int = 1, rows: float | None = None) -> tuple[Expected, ...]:
    """For each aggregate that has an error in numbers, how large it will be with this confidence."""
    size = rows or rows_of(offer) or SOME_ROWS
    readings = [Reading(offer, _made_up(offer, size, apart), confidence, together) for apart in (False, True)]
    found = []
    for output, uses in zip(offer.typed.query.outputs, offer.typed.uses, strict=True):
        if not isinstance(output.value, Aggregate) or output.value.kind == "top":
            continue
        cells = [reading.cell(output.name, output.value, uses, 0) for reading in readings]
        if cells[0].ranks is not None:
            found.append(Expected(output.name, cells[0].ranks, in_ranks=True))
        elif output.value.kind == "histogram":
            unit, step = offer.unit(uses[0]), next(step for step in offer.steps if step.demand.measure == uses[0])
            found.append(Expected(output.name, step.within(confidence, together) * float(unit)))
        else:
            reach = max(_half(cell.value, cell.low, cell.high) for cell in cells)
            found.append(Expected(output.name, reach, rows=None if output.value.kind in _ALIKE else size))
    return tuple(found)


def _half(value: float, low: float | None, high: float | None) -> float:
    return math.inf if low is None or high is None else max(value - low, high - value)


def _made_up(offer: Offer, rows: float, apart: bool) -> Noisy:
    """One group of so many rows: all values at the far end of their bounds, or half of them at either end."""
    keys = ((None,) * len(offer.typed.query.keys),)
    return Noisy(keys, tuple(_result(offer, step, rows, apart) for step in offer.steps))


def _result(offer: Offer, step: Step, rows: float, apart: bool) -> Sequence[Any]:
    measure = offer.typed.measures[step.demand.measure]
    if step.demand.kind in ("quantile", "minimum", "maximum"):
        return [0]
    if step.demand.kind == "top":
        return [[0]]
    held = Fraction(rows) * (_typical(measure, apart) if measure.kind == "sum" else 1)
    return [held / offer.unit(step.demand.measure) / cells_of(measure)] * cells_of(measure)


def _typical(measure: Measure, apart: bool) -> Fraction:
    """What a row adds on average."""
    assert measure.bounds is not None, "sums have bounds"
    one = _ends(measure.bounds.low - measure.centre, measure.bounds.high - measure.centre)
    if measure.other_bounds is not None:
        other = _ends(measure.other_bounds.low - measure.other_centre, measure.other_bounds.high - measure.other_centre)
        return (one[0] * other[0] + one[1] * other[1]) / 2 if apart else one[1] * other[1]
    power = measure.power
    return (one[0] ** power + one[1] ** power) / 2 if apart else one[1] ** power


def _ends(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """The nearer end and the farther."""
    return (low, high) if abs(low) <= abs(high) else (high, low)
