"""What one row enters into a measure, as text for the engine: a whole number of steps, the number of a cell, or nothing (NULL).

Clipping is by comparisons, which leave the unknown unknown and move everything else between the bounds, infinities included. The
operations on doubles are monotone, so nothing leaves the range that `bounding.steps_of` states.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from twoworlds.queries.bounding import coarser
from twoworlds.queries.expressions import type_of, written
from twoworlds.queries.measures import Measure
from twoworlds.queries.plan import Constant, Expression, Value
from twoworlds.queries.policy import Bounds, Type

__all__ = ["Types", "cell", "comparable", "entry", "literal"]

Types = Mapping[str, Type]


def entry(measure: Measure, types: Types) -> str | None:
    """What a row adds to a sum, or whether it counts for a count of known values; None where every row counts one."""
    if measure.value is None:
        return None
    if measure.kind == "count":
        return f"({written(measure.value, types)} IS NOT NULL)"
    assert measure.bounds is not None
    one = _steps(measure.value, measure.bounds, measure.centre, measure.grid, types)
    if measure.other is not None:
        assert measure.other_bounds is not None
        other = _steps(measure.other, measure.other_bounds, measure.other_centre, measure.other_grid, types)
        return _product(one, other, coarser(measure))
    return _product(one, one, coarser(measure)) if measure.power == 2 else one


def cell(measure: Measure, types: Types) -> str:
    """The number of a row's cell. The upper end of the last cell belongs to it; `cells` itself is folded in by the reader."""
    assert measure.value is not None
    if measure.kind == "values":
        return comparable(measure.value, types)
    assert measure.bounds is not None
    if measure.edges is not None:
        value = f"CAST({_number(measure.value, types)[0]} AS DOUBLE)"
        inside = f"{value} >= {_double(measure.edges[0])} AND {value} <= {_double(measure.edges[-1])}"
        return f"CASE WHEN {inside} THEN {_between(value, measure.edges, 0, measure.cells)} END"
    low, high = measure.bounds.low, measure.bounds.high
    value, whole = _number(measure.value, types)
    if whole and high - low == measure.cells and low.denominator == 1:
        return f"({_clipped(value, whole, Bounds(low, high - 1), exactly=True)} - ({int(low)}))"
    clipped = _clipped(value, whole, measure.bounds, exactly=False)
    return f"CAST(floor(({clipped} - {_double(low)}) * {_double(Fraction(measure.cells) / (high - low))}) AS BIGINT)"


def comparable(value: Expression, types: Types) -> str:
    """A value as it is compared with public ones: dates and times as numbers, others as they are."""
    return _number(value, types)[0] if type_of(value, types) in ("date", "timestamp") else written(value, types)


def literal(value: Value) -> str:
    """A public value of a key."""
    return "NULL" if value is None else written(Constant(value), {})


def _number(value: Expression, types: Types) -> tuple[str, bool]:
    """A value as a number, and whether it is a whole one: dates count days, timestamps microseconds, both from 1970."""
    sql, kind = written(value, types), type_of(value, types)
    if kind == "date":
        return f"CAST({sql} - DATE '1970-01-01' AS BIGINT)", True
    if kind == "timestamp":
        return f"epoch_us({sql})", True
    return (f"CAST({sql} AS BIGINT)", True) if kind == "boolean" else (sql, kind == "integer")


def _steps(value: Expression, bounds: Bounds, centre: Fraction, grid: Fraction, types: Types) -> str:
    """Clipped, centred, and rounded to whole steps; whole numbers stay whole where the grid allows it."""
    sql, whole = _number(value, types)
    scale = 1 / grid
    low, high = math.ceil(bounds.low), math.floor(bounds.high)
    if whole and scale.denominator == 1 and (centre * scale).denominator == 1 and low <= high and _fits(bounds, scale):
        clipped = _clipped(sql, whole, Bounds(Fraction(low), Fraction(high)), exactly=True)
        scaled = f"{clipped} * {scale}" if scale != 1 else clipped
        return f"({scaled} - ({int(centre * scale)}))" if centre else scaled
    clipped = _clipped(sql, whole, bounds, exactly=False)
    centred = f"({clipped} - {_double(centre)})" if centre else clipped
    return f"CAST(round({centred} * {_double(scale)}) AS BIGINT)"


def _product(one: str, other: str, divisor: int) -> str:
    """Rounded where it is divided; the divisor is a power of two, and doubles hold what is this large closely enough."""
    if divisor == 1:
        return f"({one} * {other})"
    return f"CAST(round(CAST({one} AS DOUBLE) * {other} * {_double(Fraction(1, divisor))}) AS BIGINT)"


def _fits(bounds: Bounds, scale: Fraction) -> bool:
    return max(abs(bounds.low), abs(bounds.high)) * scale < 2**62


def _clipped(sql: str, whole: bool, bounds: Bounds, *, exactly: bool) -> str:
    if exactly:
        low, high = str(int(bounds.low)), str(int(bounds.high))
    else:
        low, high = _double(bounds.low), _double(bounds.high)
        sql = f"CAST({sql} AS DOUBLE)" if whole else sql
    return f"(CASE WHEN {sql} > {high} THEN {high} WHEN {sql} < {low} THEN {low} ELSE {sql} END)"


def _between(sql: str, edges: Sequence[Fraction], first: int, last: int) -> str:
    """Which of the cells first to last - 1 holds the value: a balanced tree of comparisons with the edges between them."""
    if last - first <= 1:
        return str(first)
    middle = (first + last) // 2
    below, above = _between(sql, edges, first, middle), _between(sql, edges, middle, last)
    return f"(CASE WHEN {sql} < {_double(edges[middle])} THEN {below} ELSE {above} END)"


def _double(value: Fraction) -> str:
    """A number as a double, written so that it reads back as the same; an exponent makes it no decimal."""
    text = repr(float(value))
    return f"({text if 'e' in text else text + 'e0'})"
