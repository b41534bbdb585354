"""Aggregates made of few measures: what the engine counts and sums, each with bounds, centre and grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from twoworlds.queries.expressions import converted, elaborated, place_of, settled
from twoworlds.queries.measures import Measure
from twoworlds.queries.plan import Aggregate, Call, Column, Constant, Expression, Value
from twoworlds.queries.policy import Bounds, Type
from twoworlds.queries.refusals import Refused
from twoworlds.queries.shapes import Schema, Shape

__all__ = ["CELLS", "Lowering"]

CELLS = 1024
"""Cells for quantiles of reals: an answer is about a thousandth of the range away from the value, whatever the noise."""

STEPS = 2**24
"""A sum's grid has at least so many steps in its range, so rounding is far below any noise."""

LARGEST_EDGE = Fraction(2) ** 1023
"""Doubles end soon above."""

MOST_ROWS = 2**64

FINEST = 4096
"""A range of whole numbers up to this length has a cell for each."""

NUMBERS = ("integer", "real")
ORDERED = ("integer", "real", "date", "timestamp")


@dataclass
class Lowering:
    """Measures found so far, without duplicates, for the aggregates of one question."""

    schema: Schema
    text: str | None = None
    measures: list[Measure] = field(default_factory=list)

    def lowered(self, given: Aggregate) -> tuple[Aggregate, Shape, tuple[int, ...]]:
        """The aggregate elaborated, the shape of its noisy answer, and the numbers of its measures."""
        typed = [settled(elaborated(argument, self.schema, self.text)) for argument in given.arguments]
        found = Aggregate(given.kind, tuple(expression for expression, _ in typed), given.parameters, given.place)
        return _KINDS[given.kind](self, found, [shape for _, shape in typed])

    def use(self, measure: Measure) -> int:
        """The number of a measure, which is added if it is new."""
        if measure not in self.measures:
            self.measures.append(measure)
        return self.measures.index(measure)

    def counted(self, value: Expression | None, shape: Shape | None) -> int:
        """How many rows have the value: all of them where it is always known."""
        return self.use(Measure("count", value if value is not None and shape is not None and shape.nullable else None))

    def refused(self, code: str, reason: str, given: Aggregate | Expression, repairs: tuple[str, ...] = ()) -> Refused:
        """The refusal, to be raised."""
        place = given.place if isinstance(given, Aggregate) else place_of(given)
        return Refused(code, reason, text=self.text, place=place, repairs=repairs)

    def number(
        self, given: Aggregate, which: int, shape: Shape, types: tuple[Type, ...] = ("integer", "real")
    ) -> tuple[Expression, Shape, Bounds]:
        """An argument that is a number between bounds; truth values count 0 and 1."""
        expression = given.arguments[which]
        if shape.type == "boolean":
            found = converted(
                (Call("integer", (expression,)), Shape("integer", Bounds(Fraction(0), Fraction(1)), shape.nullable)), "integer"
            )
            assert found is not None, "it is one already"
            expression, shape = found
        if shape.type not in types:
            raise self.refused("TW-R007", f"{given.kind} is not defined for {shape.type}", given)
        if shape.bounds is None:
            raise self._unbounded(expression)
        return expression, shape, shape.bounds

    def _unbounded(self, expression: Expression) -> Refused:
        """Where the bounds are missing, and how to give them."""
        name = expression.name if isinstance(expression, Column) else None
        missing = (
            [name] if name else [one for one in _columns(expression) if one in self.schema and self.schema[one].bounds is None]
        )
        declare = tuple(f"declare bounds for {one} in privacy.toml" for one in missing[:2])
        shown = name or "the expression"
        what = f"{shown} has no bounds, so one row could move the result by any amount"
        return self.refused(
            "TW-R012", what, expression, (*declare, f"clip({shown if name else '...'}, low, high) with constants of yours")
        )


def _columns(expression: Expression) -> list[str]:
    if isinstance(expression, Column):
        return [expression.name]
    return [name for one in expression.arguments for name in _columns(one)] if isinstance(expression, Call) else []


Lowered = tuple[Aggregate, Shape, tuple[int, ...]]
REAL = Shape("real")


def grid_of(shape: Shape, bounds: Bounds) -> Fraction:
    """Whole numbers stay whole; reals get a power of two."""
    width = (
        max(bounds.high - bounds.low, abs(bounds.low), abs(bounds.high))
        if bounds.low == bounds.high
        else bounds.high - bounds.low
    )
    if shape.type == "integer" and width <= 2**40:
        return Fraction(1)
    step = Fraction(1)
    while step * STEPS > width and width:
        step /= 2
    while step * STEPS * 2 <= width:
        step *= 2
    return step


def centre_of(bounds: Bounds, grid: Fraction) -> Fraction:
    """The middle, on the grid."""
    return (bounds.low + bounds.high) / 2 // grid * grid


def _count(lowering: Lowering, given: Aggregate, shapes: list[Shape]) -> Lowered:
    value, shape = (given.arguments[0], shapes[0]) if shapes else (None, None)
    return given, REAL, (lowering.counted(value, shape),)


def _count_users(lowering: Lowering, given: Aggregate, shapes: list[Shape]) -> Lowered:
    value = given.arguments[0] if shapes and shapes[0].nullable else None
    return given, REAL, (lowering.use(Measure("users", value)),)


def _count_distinct(lowering: Lowering, given: Aggregate, _shapes: list[Shape]) -> Lowered:
    return given, REAL, (lowering.use(Measure("distinct", given.arguments[0])),)


def _sum(lowering: Lowering, given: Aggregate, shapes: list[Shape]) -> Lowered:
    value, shape, bounds = lowering.number(given, 0, shapes[0])
    if bounds.low == bounds.high == 0:
        raise lowering.refused("TW-R012", "this sum is always 0", given)
    _check_size(lowering, value, bounds)
    return given, REAL, (lowering.use(Measure("sum", value, bounds=bounds, grid=grid_of(shape, bounds))),)


def _centred(lowering: Lowering, given: Aggregate, which: int, shape: Shape, power: int = 1) -> Measure:
    """Sums of distances from the middle of the range, which one row moves half as far as sums of values."""
    value, shape, bounds = lowering.number(given, which, shape)
    if bounds.low == bounds.high:
        raise lowering.refused(
            "TW-R012", f"the bounds are one number, {float(bounds.low):g}, so there is nothing to ask", given.arguments[which]
        )
    _check_size(lowering, value, bounds, power)
    grid = grid_of(shape, bounds)
    return Measure("sum", value, bounds=bounds, power=power, centre=centre_of(bounds, grid), grid=grid)


def _mean(lowering: Lowering, given: Aggregate, shapes: list[Shape]) -> Lowered:
    """Sum over count. Where the plain sum is asked for as well, it serves here too."""
    measure = _centred(lowering, given, 0, shapes[0])
    plain = Measure("sum", measure.value, bounds=measure.bounds, grid=measure.grid)
    used = lowering.use(plain if plain in lowering.measures else measure)
    return given, Shape("real", measure.bounds), (used, lowering.counted(measure.value, shapes[0]))


def _spread(lowering: Lowering, given: Aggregate, shapes: list[Shape]) -> Lowered:
    """Variance and standard deviation: sum, sum of squares and count."""
    one, two = (_centred(lowering, given, 0, shapes[0], power) for power in (1, 2))
    assert one.bounds is not None, "sums have bounds"
    width = one.bounds.high - one.bounds.low
    most = width**2 if given.kind == "variance" else width
    used = (lowering.use(one), lowering.use(two), lowering.counted(one.value, shapes[0]))
    return given, Shape("real", Bounds(Fraction(0), most)), used


def _pair(lowering: Lowering, given: Aggregate, shapes: list[Shape]) -> Lowered:
    """Covariance and correlation, of the rows where both values are known."""
    values = [_centred(lowering, given, which, shape).value for which, shape in enumerate(shapes)]
    assert values[0] is not None and values[1] is not None, "sums have values"
    masked = list(given.arguments)
    for which, other in ((0, 1), (1, 0)):
        if shapes[other].nullable:
            unknown = Call("is_null", (values[other],))  # type: ignore[arg-type]  # neither is None
            masked[which] = Call("case", (unknown, Constant(None, None, _number_type(shapes[which])), values[which]))  # type: ignore[arg-type]  # neither is None
    known = Aggregate(given.kind, tuple(masked), given.parameters, given.place)
    both = [
        Shape(_number_type(shape), shape.bounds or Bounds(Fraction(0), Fraction(1)), any(one.nullable for one in shapes))
        for shape in shapes
    ]
    x, y = (_centred(lowering, known, which, both[which]) for which in (0, 1))
    widest = max(_width(x), _width(y))
    _check_size(lowering, given, Bounds(-widest, widest), 2)
    product = Measure("sum", x.value, y.value, x.bounds, y.bounds, 1, x.centre, y.centre, x.grid, y.grid)
    used = [lowering.use(x), lowering.use(y), lowering.use(product)]
    if given.kind == "correlation":
        used += [lowering.use(_centred(lowering, known, which, both[which], 2)) for which in (0, 1)]
    used.append(lowering.counted(x.value, both[0]))
    limit = Fraction(1) if given.kind == "correlation" else _width(x) * _width(y)
    return given, Shape("real", Bounds(-limit, limit)), tuple(used)


def _number_type(shape: Shape) -> Type:
    return "integer" if shape.type == "boolean" else shape.type


def _width(measure: Measure) -> Fraction:
    assert measure.bounds is not None, "sums have bounds"
    return measure.bounds.high - measure.bounds.low


def _ordered(lowering: Lowering, given: Aggregate, shapes: list[Shape]) -> Lowered:
    """Quantiles, least and largest values: all from the rows in each cell of one grid."""
    value, shape, bounds = lowering.number(given, 0, shapes[0], ("integer", "real", "date", "timestamp"))
    kind: Type = shape.type if shape.type in ("date", "timestamp") else "real"
    return given, Shape(kind, bounds), (lowering.use(_cells(lowering, value, shape, bounds)),)


def _cells(lowering: Lowering, value: Expression, shape: Shape, bounds: Bounds) -> Measure:
    width = bounds.high - bounds.low
    if shape.type in ("integer", "date") and width < FINEST:
        return Measure("bins", value, bounds=Bounds(bounds.low, bounds.high + 1), cells=int(width) + 1)
    _check_width(lowering, value, bounds)
    return Measure("bins", value, bounds=bounds, cells=CELLS)


def _check_width(lowering: Lowering, given: Aggregate | Expression, bounds: Bounds) -> None:
    """There is something between the bounds that a double can divide into cells."""
    if bounds.low == bounds.high:
        raise lowering.refused("TW-R012", f"the bounds are one number, {float(bounds.low):g}, so there is nothing to ask", given)
    _check_size(lowering, given, bounds, 0)


def _check_size(lowering: Lowering, given: Aggregate | Expression, bounds: Bounds, power: int = 1) -> None:
    """The steps of numbers are doubles, and so are sums over any table of them, or of their squares."""
    width = bounds.high - bounds.low
    if (width or abs(bounds.low)) * LARGEST_EDGE < 2**30:
        raise lowering.refused("TW-R012", "the bounds are too near each other for doubles", given)
    if max(width, abs(bounds.low), abs(bounds.high)) ** power * MOST_ROWS >= LARGEST_EDGE:
        raise lowering.refused("TW-R012", "sums of numbers as large as these bounds are larger than any double", given)


def _histogram(lowering: Lowering, given: Aggregate, shapes: list[Shape]) -> Lowered:
    name, setting = given.parameters[0]
    if name == "edges":
        assert isinstance(setting, tuple), "edges are several"
        edges = tuple(Fraction(edge) for edge in setting if edge is not None)
        if shapes[0].type not in NUMBERS:
            raise lowering.refused("TW-R007", f"histogram is not defined for {shapes[0].type}", given)
        if max(map(abs, edges)) >= LARGEST_EDGE:
            raise lowering.refused("TW-R010", "an edge is larger than any double", given)
        bounds = Bounds(edges[0], edges[-1])
        measure = Measure("bins", given.arguments[0], bounds=bounds, cells=len(edges) - 1, edges=edges)
        return given, REAL, (lowering.use(measure),)
    value, _, bounds = lowering.number(given, 0, shapes[0])
    _check_width(lowering, given, bounds)
    return given, REAL, (lowering.use(Measure("bins", value, bounds=bounds, cells=int(setting))),)  # type: ignore[arg-type]  # a count


def _top(lowering: Lowering, given: Aggregate, shapes: list[Shape]) -> Lowered:
    values, value = shapes[0].values, given.arguments[0]
    if not values:
        repairs = ("declare its values in privacy.toml", "GROUP BY it, ORDER BY COUNT(*) DESC and LIMIT")
        raise lowering.refused("TW-R013", "the most frequent of which values is not public", given, repairs)
    listed: tuple[Value, ...] = tuple(one for one in values if not isinstance(one, float))
    return given, REAL, (lowering.use(Measure("values", value, listed=listed)),)


_KINDS: Mapping[str, Callable[[Lowering, Aggregate, list[Shape]], Lowered]] = {
    "count": _count,
    "count_users": _count_users,
    "count_distinct": _count_distinct,
    "sum": _sum,
    "mean": _mean,
    "variance": _spread,
    "stddev": _spread,
    "covariance": _pair,
    "correlation": _pair,
    "quantile": _ordered,
    "minimum": _ordered,
    "maximum": _ordered,
    "histogram": _histogram,
    "top": _top,
}
