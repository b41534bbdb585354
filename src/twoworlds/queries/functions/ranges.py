"""Interval arithmetic on exact bounds: where a result lies when its arguments lie where they should."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

from twoworlds.queries.policy import Bounds
from twoworlds.queries.shapes import Shape

__all__ = ["at", "corners", "hull", "monotone", "own", "quotient", "within"]


def own(shapes: Sequence[Shape]) -> Bounds | None:
    """That of the first argument."""
    return shapes[0].bounds


def hull(shapes: Sequence[Shape]) -> Bounds | None:
    """The smallest range that holds those of all arguments."""
    known = [shape.bounds for shape in shapes if shape.values != ()]
    ranges = [bounds for bounds in known if bounds is not None]
    if not ranges or len(ranges) < len(known):
        return None
    return Bounds(min(bounds.low for bounds in ranges), max(bounds.high for bounds in ranges))


def corners(operation: Callable[..., Fraction]) -> Callable[[Sequence[Shape]], Bounds | None]:
    """Of an operation that is monotone in each argument while the others stand: the extremes are at ends of ranges."""

    def ranged(shapes: Sequence[Shape]) -> Bounds | None:
        ends = [(shape.bounds.low, shape.bounds.high) for shape in shapes if shape.bounds is not None]
        if len(ends) < len(shapes):
            return None
        found = [operation(*corner) for corner in product(*ends)]
        return Bounds(min(found), max(found))

    return ranged


def monotone(operation: Callable[[Fraction], Fraction]) -> Callable[[Sequence[Shape]], Bounds | None]:
    """Of a monotone function of the first argument."""
    return lambda shapes: corners(operation)(shapes[:1])


def quotient(shapes: Sequence[Shape]) -> Bounds | None:
    """Of a / b, where b keeps away from 0."""
    divisor = shapes[1].bounds
    if divisor is None or divisor.low <= 0 <= divisor.high:
        return None
    return corners(lambda a, b: a / b)(shapes)


def within(low: int, high: int) -> Callable[[Sequence[Shape]], Bounds | None]:
    """Of a function whose results lie there whatever it is given."""
    return lambda _shapes: Bounds(Fraction(low), Fraction(high))


def at(shape: Shape) -> Fraction | None:
    """The constant that a shape is, if it is one."""
    bounds = shape.bounds
    return bounds.low if bounds is not None and bounds.low == bounds.high else None
