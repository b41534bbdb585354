"""What is known of an expression's value without looking at data: its type, its range, whether it can be unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.queries.plan import Constant, Value
from twoworlds.queries.policy import Bounds, ColumnPolicy, Type

__all__ = ["ENUMERATED", "Schema", "Shape", "Thing", "finite_values", "of_column", "of_constant"]

Thing = Value | float
"""What a value is at run time: dates are days and timestamps microseconds since 1970; private reals are doubles."""

ENUMERATED = 10_000
"""So many values of a range are written out as public keys, not more."""

SMALLEST, LARGEST = -(2**63), 2**63 - 1
"""Whole numbers of 64 bits."""


@dataclass(frozen=True)
class Shape:
    """`bounds` of numbers, days and microseconds; `values` where they are few and public, without the unknown one.

    Neither is trusted: every measure clips to its bounds and drops keys that are not listed, so a table that breaks its
    declaration costs accuracy and never privacy.
    """

    type: Type
    bounds: Bounds | None = None
    nullable: bool = True
    values: tuple[Thing, ...] | None = None


Schema = Mapping[str, Shape]


def of_column(column: ColumnPolicy) -> Shape:
    """A column as the policy declares it."""
    values = tuple(column.values) if column.values is not None else None
    if column.type == "boolean":
        values = (False, True)
    return Shape(column.type, column.bounds, column.nullable, values)


def of_constant(constant: Constant) -> Shape:
    """A constant is its only value."""
    value = constant.value
    if value is None:
        return Shape(constant.type, None, True, ())
    if isinstance(value, bool | str):
        return Shape(constant.type, None, False, (value,))
    exact = Fraction(value)
    return Shape(constant.type, Bounds(exact, exact), False, (value,) if constant.type == "integer" else None)


def finite_values(shape: Shape) -> tuple[Thing, ...] | None:
    """All values that the shape allows where they can be listed: declared ones, truth values, short ranges of whole numbers."""
    if shape.values is not None:
        return shape.values
    if shape.type in ("integer", "date") and shape.bounds is not None:
        low, high = -(-shape.bounds.low // 1), shape.bounds.high // 1
        if 0 <= high - low < ENUMERATED:
            return tuple(range(low, high + 1))
    return None
