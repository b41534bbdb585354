"""Arithmetic: whole numbers exactly or unknown, reals by the IEEE rules that raise nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from twoworlds.queries.functions.function import Form, Function, Ranging
from twoworlds.queries.functions.ranges import at, corners, hull, monotone, own, quotient, within
from twoworlds.queries.policy import Bounds, Type
from twoworlds.queries.shapes import LARGEST, SMALLEST, Shape

__all__ = ["ARITHMETIC", "whole"]

WHOLE = "TRY_CAST({} AS BIGINT)"
WIDEST = 10**300
"""Between ends no further out than this, and so between them and what lies there, all distances are finite."""


def whole(value: int) -> int | None:
    """A whole number of 64 bits, or unknown."""
    return value if SMALLEST <= value <= LARGEST else None


def _divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


def _quotient(a: int, b: int) -> int | None:
    """Cut off towards 0, as in SQL."""
    return None if b == 0 else whole(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


def _quotients(shapes: Sequence[Shape]) -> Bounds | None:
    """A whole divisor is 1 or more in size, so the quotient is no larger than what is divided."""
    size = _sizes(shapes[:1])
    exact = quotient(shapes)
    if exact is not None:
        return Bounds(Fraction(exact.low // 1), Fraction(-(-exact.high // 1)))
    return None if size is None else Bounds(-size.high, size.high)


def _remainder(a: int, b: int) -> int | None:
    """With the sign of a, as in SQL."""
    return None if b == 0 else (abs(a) % abs(b)) * (-1 if a < 0 else 1)


def _halves_away(a: float, digits: int = 0) -> float:
    """To the nearest; halves away from 0."""
    power = 10.0**digits
    scaled = a * power
    if not math.isfinite(scaled):
        return scaled / power
    size = math.floor(abs(scaled))
    return math.copysign(float(size + (abs(scaled) - size >= 0.5)), scaled) / power


def _whole_part(direction: Callable[[float], int]) -> Callable[[float], float]:
    return lambda a: float(direction(a)) if math.isfinite(a) else a


def _exp(a: float) -> float:
    try:
        return math.exp(a)
    except OverflowError:
        return math.inf


def _power(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except OverflowError:
        return math.inf if a > 0 or b % 2 == 0 else -math.inf
    except ValueError:
        return math.inf if a == 0 else math.nan


def _bucket(a: int, width: int) -> int | None:
    return whole(a // width * width) if width > 0 else None


def _real_bucket(a: float, width: float) -> float | None:
    return _whole_part(math.floor)(a / width) * width if width > 0 else None


def _cell(a: float, low: float, high: float, cells: int) -> int | None:
    if not low < high or not 0 < cells <= 2**31:
        return None
    return 0 if a < low else cells + 1 if a >= high else min(1 + math.floor((a - low) / (high - low) * cells), cells)


def _clip(a: float, low: float, high: float) -> float:
    return low if a < low else high if a > high else a


def _roughly(operation: Callable[[float], float], lowest: Fraction | None = None) -> Ranging:
    """The range of a monotone irrational function; a hair too narrow costs a hair of accuracy, since measures clip."""

    def ranged(shapes: Sequence[Shape]) -> Bounds | None:
        bounds = shapes[0].bounds
        if bounds is None or (lowest is not None and bounds.high < lowest):
            return None
        low = bounds.low if lowest is None else max(bounds.low, lowest)
        ends = operation(float(low)), operation(float(bounds.high))
        return Bounds(Fraction(ends[0]), Fraction(ends[1])) if all(map(math.isfinite, ends)) else None

    return ranged


def _logarithm(a: float) -> float:
    return math.log(a) if a > 0 else -math.inf


def _sizes(shapes: Sequence[Shape]) -> Bounds | None:
    bounds = shapes[0].bounds
    if bounds is None:
        return None
    low = Fraction(0) if bounds.low <= 0 <= bounds.high else min(abs(bounds.low), abs(bounds.high))
    return Bounds(low, max(abs(bounds.low), abs(bounds.high)))


def _remainders(shapes: Sequence[Shape]) -> Bounds | None:
    divisor = _sizes(shapes[1:])
    if divisor is None or divisor.high < 1:
        return None
    most, signs = divisor.high - 1, shapes[0].bounds
    return Bounds(
        -most if signs is None or signs.low < 0 else Fraction(0), most if signs is None or signs.high > 0 else Fraction(0)
    )


def _clipped(shapes: Sequence[Shape]) -> Bounds | None:
    low, high = at(shapes[1]), at(shapes[2])
    if low is None or high is None or low > high:
        return None
    bounds = shapes[0].bounds
    return Bounds(low, high) if bounds is None else Bounds(min(max(bounds.low, low), high), max(min(bounds.high, high), low))


def _rounded(shapes: Sequence[Shape]) -> Bounds | None:
    step = Fraction(1, 10 ** max(int(at(shapes[1]) or 0), 0)) if len(shapes) > 1 else Fraction(1)
    return monotone(lambda a: ((a / step + Fraction(1, 2)) // 1) * step)(shapes)


def _buckets(shapes: Sequence[Shape]) -> Bounds | None:
    width = at(shapes[1])
    return monotone(lambda a: a // width * width)(shapes) if width else None


def _cells(shapes: Sequence[Shape]) -> Bounds | None:
    cells = at(shapes[3])
    return None if cells is None else Bounds(Fraction(0), cells + 1)


def _both(
    name: str, exact: Callable[[int, int], int], ieee: Callable[[float, float], float], sign: str, ranged: Ranging
) -> Function:
    return Function(
        name,
        (
            Form(
                ("integer", "integer"),
                "integer",
                lambda a, b: whole(exact(a, b)),
                WHOLE.format(f"CAST({{0}} AS HUGEINT) {sign} CAST({{1}} AS HUGEINT)"),
                ranged,
                partial=True,
            ),
            Form(("real", "real"), "real", ieee, f"({{0}} {sign} {{1}})", ranged, partial=True),
        ),
        f"`a {sign} b`",
        "beyond 64 bits; for reals where it is not finite",
        raw=True,
        commutes=sign != "-",
    )


def _same(
    name: str, exact: Callable[[int], int | None], ieee: Callable[[float], float], meaning: str, *, sql: str, ranged: Ranging
) -> Function:
    """A function of one number that keeps its type."""
    integer = WHOLE.format(sql.replace("{0}", "CAST({0} AS HUGEINT)"))
    forms = (
        Form(("integer",), "integer", exact, integer, ranged, partial=True),
        Form(("real",), "real", ieee, sql, ranged),
    )
    return Function(name, forms, meaning, "for whole numbers beyond 64 bits", raw=True)


def _to_whole(name: str, direction: Callable[[float], int], sql: str) -> Function:
    forms = (
        Form(("integer",), "integer", lambda a: a, "{0}", own),
        Form(("real",), "real", _whole_part(direction), f"{sql}({{0}})", monotone(lambda a: Fraction(direction(a)))),  # type: ignore[arg-type]  # floor and ceil take fractions too
    )
    return Function(name, forms, f"the nearest whole number {'below' if name == 'floor' else 'above'}", raw=True)


def _extreme(name: str, pick: Callable[..., int | float | str]) -> Function:
    types: tuple[Type, ...] = ("integer", "real", "text", "date", "timestamp")
    forms = tuple(
        Form(
            (kind,),
            kind,
            lambda *values: pick(known) if (known := [v for v in values if v is not None]) else None,
            "{pairwise}",
            hull,
        )
        for kind in types
    )
    return Function(name, forms, f"the {name} of the known arguments", "where all are unknown", strict=False, variadic=True)


POSITIVE = "CASE WHEN {{0}} {} 0 THEN {}({{0}}) END"
CLIP = "CASE WHEN {0} < {1} THEN {1} WHEN {0} > {2} THEN {2} ELSE {0} END"
CELL = (
    "CASE WHEN {0} IS NULL OR {1} >= {2} OR {3} < 1 THEN NULL WHEN {0} < {1} THEN 0 WHEN {0} >= {2} THEN {3} + 1"
    " ELSE least(1 + CAST(floor(({0} - {1}) / ({2} - {1}) * {3}) AS BIGINT), {3}) END"
)
QUOTIENT = "CAST({0} AS HUGEINT) // (CASE WHEN {1} = 0 THEN NULL ELSE {1} END)"
REMAINDER = "CAST({0} AS HUGEINT) % (CASE WHEN {1} = 0 THEN NULL ELSE {1} END)"
WIDTH = "(CASE WHEN {1} > 0 THEN {1} END)"
BUCKET = f"CAST({{0}} AS HUGEINT) - (CAST({{0}} AS HUGEINT) % {WIDTH} + {WIDTH}) % {WIDTH}"

ARITHMETIC: tuple[Function, ...] = (
    _both("add", lambda a, b: a + b, lambda a, b: a + b, "+", corners(lambda a, b: a + b)),
    _both("subtract", lambda a, b: a - b, lambda a, b: a - b, "-", corners(lambda a, b: a - b)),
    _both("multiply", lambda a, b: a * b, lambda a, b: a * b, "*", corners(lambda a, b: a * b)),
    Function(
        "divide",
        (Form(("real", "real"), "real", _divide, "({0} / {1})", quotient, partial=True),),
        "`a / b` of reals; whole numbers become reals first",
        "where b is 0",
        raw=True,
    ),
    Function(
        "quotient",
        (Form(("integer", "integer"), "integer", _quotient, WHOLE.format(QUOTIENT), _quotients, partial=True),),
        "`a // b` of whole numbers, cut off towards 0",
        "where b is 0, and beyond 64 bits",
    ),
    Function(
        "remainder",
        (Form(("integer", "integer"), "integer", _remainder, WHOLE.format(REMAINDER), _remainders, partial=True),),
        "what is left of a after dividing by b, with the sign of a: `a % b`",
        "where b is 0",
    ),
    _same("negate", lambda a: whole(-a), lambda a: -a, "`-a`", sql="(-({0}))", ranged=monotone(lambda a: -a)),
    _same("abs", lambda a: whole(abs(a)), abs, "the size", sql="abs({0})", ranged=_sizes),
    Function(
        "sign",
        (
            Form(("integer",), "integer", lambda a: (a > 0) - (a < 0), "CAST(sign({0}) AS BIGINT)", within(-1, 1)),
            Form(("real",), "integer", lambda a: (a > 0) - (a < 0), "CAST(sign({0}) AS BIGINT)", within(-1, 1)),
        ),
        "-1, 0 or 1",
    ),
    _to_whole("floor", math.floor, "floor"),
    _to_whole("ceil", math.ceil, "ceil"),
    Function(
        "round",
        (
            Form(("integer",), "integer", lambda a: a, "{0}", own),
            Form(("real",), "real", _halves_away, "round({0})", _rounded),
            Form(
                ("real", "integer"), "real", _halves_away, "(round({0} * pow(1e1, {1})) / pow(1e1, {1}))", _rounded, partial=True
            ),
        ),
        "to the nearest whole number, or to a number of decimal digits; halves away from 0",
        raw=True,
        constant=(1,),
        limits=((1, -100, 100),),
    ),
    Function(
        "sqrt",
        (
            Form(
                ("real",),
                "real",
                lambda a: math.sqrt(a) if a >= 0 else None,
                POSITIVE.format(">=", "sqrt"),
                _roughly(math.sqrt, Fraction(0)),
                partial=True,
            ),
        ),
        "the square root",
        "below 0",
        raw=True,
    ),
    Function(
        "ln",
        (
            Form(
                ("real",),
                "real",
                lambda a: math.log(a) if a > 0 else None,
                POSITIVE.format(">", "ln"),
                _roughly(_logarithm, Fraction(0)),
                partial=True,
            ),
        ),
        "the natural logarithm; its last bit may differ between machines",
        "at 0 and below",
        raw=True,
    ),
    Function(
        "exp",
        (Form(("real",), "real", _exp, "exp({0})", _roughly(_exp), partial=True),),
        "e to the power of a; its last bit may differ between machines",
        raw=True,
    ),
    Function(
        "power",
        (Form(("real", "real"), "real", _power, "pow({0}, {1})", partial=True),),
        "a to the power of b; its last bit may differ between machines",
        "where it is no real number",
        raw=True,
    ),
    _extreme("least", min),
    _extreme("greatest", max),
    Function(
        "clip",
        (
            Form(("integer", "integer", "integer"), "integer", _clip, CLIP, _clipped),
            Form(("real", "real", "real"), "real", _clip, CLIP, _clipped),
        ),
        "the nearest number between low and high, which are constants",
        constant=(1, 2),
    ),
    Function(
        "bucket",
        (
            Form(("integer", "integer"), "integer", _bucket, WHOLE.format(BUCKET), _buckets, partial=True),
            Form(("real", "real"), "real", _real_bucket, f"(floor({{0}} / {WIDTH}) * {WIDTH})", _buckets, partial=True),
        ),
        "the multiple of a constant positive width at or below a",
        "beyond 64 bits",
        raw=True,
        constant=(1,),
        positive=(1,),
    ),
    Function(
        "width_bucket",
        (Form(("real", "real", "real", "integer"), "integer", _cell, CELL, _cells),),
        "which of so many equal cells between low and high: 1 to cells; 0 below, cells + 1 from high on",
        constant=(1, 2, 3),
        limits=((1, -WIDEST, WIDEST), (2, -WIDEST, WIDEST), (3, 1, 2**31)),
    ),
)
