"""Expressions of one row: their types made explicit, their value in Python, their text in SQL.

`elaborated` finds for each call the form for its arguments' types, puts in the conversions that SQL leaves unsaid, and settles
arithmetic on reals where it is looked at. An elaborated expression says all: `value` and `written` only follow it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import product

from twoworlds.queries.functions import FUNCTIONS, Form, Function
from twoworlds.queries.plan import Call, Column, Constant, Expression, Place
from twoworlds.queries.policy import Bounds, Type
from twoworlds.queries.refusals import Refused, nearest
from twoworlds.queries.shapes import Schema, Shape, Thing, finite_values, of_constant

__all__ = ["converted", "elaborated", "form_of", "place_of", "settled", "type_of", "value", "written"]

DEEPEST = 60
FEW = 1000
"""So many combinations of values are tried out to find the values of a result."""

LARGEST_DOUBLE = Fraction(2) ** 1024
CONVERSIONS: Mapping[Type, tuple[Type, ...]] = {"integer": ("real",), "date": ("timestamp",), "text": ("date", "timestamp")}
"""What a type turns into where another is needed; a text only where it is a constant."""

SQL_TYPES: Mapping[Type, str] = {
    "integer": "BIGINT",
    "real": "DOUBLE",
    "text": "VARCHAR",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}

Typing = tuple[Expression, Shape]


def elaborated(expression: Expression, schema: Schema, text: str | None = None, depth: int = 0) -> Typing:
    """The expression with nothing left unsaid, and what is known of its value; refused if it has no meaning."""
    if depth > DEEPEST:
        raise Refused("TW-R017", "this expression is nested too deeply", text=text, place=place_of(expression))
    if isinstance(expression, Constant):
        return expression, _constant(expression, text)
    if isinstance(expression, Column):
        if expression.name not in schema:
            raise Refused(
                "TW-R006",
                f"there is no column {expression.name}",
                text=text,
                place=expression.place,
                repairs=nearest(expression.name, list(schema)),
            )
        return expression, schema[expression.name]
    function = FUNCTIONS.get(expression.function)
    if function is None:
        raise Refused(
            "TW-R004",
            f"there is no function {expression.function}",
            text=text,
            place=expression.place,
            repairs=nearest(expression.function, list(FUNCTIONS)),
        )
    arguments = [elaborated(argument, schema, text, depth + 1) for argument in expression.arguments]
    form, arguments = _fitted(function, arguments, expression, text)
    if not function.raw:
        arguments = [settled(argument) for argument in arguments]
    call = Call(expression.function, tuple(argument for argument, _ in arguments), expression.place)
    return call, _result(function, form, call, [shape for _, shape in arguments], text)


def settled(typing: Typing) -> Typing:
    """As its reader sees it: arithmetic on reals that is not finite is unknown."""
    expression, shape = typing
    if shape.type == "real" and isinstance(expression, Call) and FUNCTIONS[expression.function].raw:
        return Call("finite", (expression,), expression.place), Shape("real", shape.bounds, True, None)
    return typing


def converted(typing: Typing, wanted: Type) -> Typing | None:
    """The expression as another type, where SQL would do so unasked: a whole number as a real, a written date as a date."""
    expression, shape = typing
    if shape.type == wanted:
        return typing
    if isinstance(expression, Constant) and (expression.value is None or (shape.type, wanted) == ("integer", "real")):
        return Constant(expression.value, expression.place, wanted), replace(shape, type=wanted)
    if wanted not in CONVERSIONS.get(shape.type, ()):
        return None
    call = Call(wanted, (expression,), place_of(expression))
    form = next(form for form in FUNCTIONS[wanted].forms if form.takes == (shape.type,))
    if shape.type == "text":
        if not isinstance(expression, Constant):
            return None
        read = form.value(expression.value)
        return None if read is None else (call, Shape(wanted, Bounds(Fraction(read), Fraction(read)), False, (read,)))
    bounds = form.range([shape])
    return call, Shape(wanted, bounds, shape.nullable, shape.values if shape.type == "integer" else None)


def form_of(function: Function, types: Sequence[Type]) -> Form | None:
    """The form for exactly these types."""
    for form in function.forms:
        if function.name == "case":
            pairs = [form.takes[place % 2] for place in range(len(types) - 1)] + [form.takes[1]]
            if len(types) >= 3 and len(types) % 2 and list(types) == pairs:
                return form
        elif function.variadic:
            if len(types) >= 1 and all(kind == form.takes[0] for kind in types):
                return form
        elif tuple(types) == form.takes:
            return form
    return None


def type_of(expression: Expression, types: Mapping[str, Type]) -> Type:
    """Of an elaborated expression."""
    if isinstance(expression, Column):
        return types[expression.name]
    if isinstance(expression, Constant):
        return expression.type
    return _form(expression, types).gives


def value(expression: Expression, row: Mapping[str, Thing], types: Mapping[str, Type]) -> Thing:
    """The reference: what an elaborated expression is worth for a row. Dates are days, timestamps microseconds since 1970."""
    if isinstance(expression, Column):
        return row[expression.name]
    if isinstance(expression, Constant):
        constant = expression.value
        return float(constant) if expression.type == "real" and constant is not None else constant
    function, form = FUNCTIONS[expression.function], _form(expression, types)
    arguments = [value(argument, row, types) for argument in expression.arguments]
    if function.strict and None in arguments:
        return None
    found: Thing = form.value(*arguments)
    if function.name == "finite":
        return found + 0.0 if math.isfinite(found) else None  # type: ignore[arg-type,operator]  # a real
    return found


def written(expression: Expression, types: Mapping[str, Type], name: Callable[[str], str] | None = None) -> str:
    """DuckDB's text for an elaborated expression; `name` writes a column, else its quoted name is written."""
    if isinstance(expression, Column):
        return name(expression.name) if name else '"' + expression.name.replace('"', '""') + '"'
    if isinstance(expression, Constant):
        return _literal(expression)
    form = _form(expression, types)
    texts = [written(argument, types, name) for argument in expression.arguments]
    if not FUNCTIONS[expression.function].variadic:
        return form.sql.format(*texts)
    pairs = " ".join(f"WHEN {when} THEN {then}" for when, then in zip(texts[:-1:2], texts[1::2], strict=False))
    whole = {"and": " AND ".join(texts), "or": " OR ".join(texts), "case": f"(CASE {pairs} ELSE {texts[-1]} END)"}
    pairwise = reduce(
        lambda one, other: f"{expression.function}({one}, {other})", texts
    )  # with three, DuckDB names the arguments
    return form.sql.format(*texts, all=", ".join(texts), pairwise=pairwise, rest=", ".join(texts[1:]), **whole)


def place_of(expression: Expression) -> Place | None:
    """Where it stands in the text: from its first part to its last."""
    found = [expression.place] if expression.place is not None else []
    if isinstance(expression, Call):
        found += [place for argument in expression.arguments if (place := place_of(argument)) is not None]
    return Place(min(place.start for place in found), max(place.end for place in found)) if found else None


def _constant(expression: Constant, text: str | None) -> Shape:
    shape = of_constant(expression)
    if shape.type == "real" and abs(Fraction(expression.value or 0)) >= LARGEST_DOUBLE:
        raise Refused("TW-R010", "this number is larger than any double", text=text, place=expression.place)
    return shape


def _form(call: Call, types: Mapping[str, Type]) -> Form:
    """The form of an elaborated call."""
    found = form_of(FUNCTIONS[call.function], [type_of(argument, types) for argument in call.arguments])
    assert found is not None, "elaborated calls fit a form"
    return found


def _taken(function: Function, form: Form, place: int, count: int) -> Type:
    """The type of an argument of a form."""
    if function.name == "case":
        return form.takes[1] if place == count - 1 else form.takes[place % 2]
    return form.takes[0] if function.variadic else form.takes[min(place, len(form.takes) - 1)]


def _fitted(function: Function, arguments: list[Typing], call: Call, text: str | None) -> tuple[Form, list[Typing]]:
    """The first form that the arguments fit, exactly or converted."""
    count = len(arguments)
    lengths = {len(form.takes) for form in function.forms}
    if (not function.variadic and count not in lengths) or (function.variadic and count < 1):
        takes = " or ".join(map(str, sorted(lengths)))
        raise Refused("TW-R008", f"{function.name} takes {takes} arguments, not {count}", text=text, place=place_of(call))
    for form in function.forms:
        if not function.variadic and len(form.takes) != count:
            continue
        fitted = [converted(argument, _taken(function, form, place, count)) for place, argument in enumerate(arguments)]
        found = [argument for argument in fitted if argument is not None]
        if len(found) == count:
            _check_constants(function, found, call, text)
            return form, found
    given = ", ".join(shape.type for _, shape in arguments)
    listed = "; ".join(", ".join(form.takes) + (", ..." if function.variadic else "") for form in function.forms)
    raise Refused(
        "TW-R007",
        f"{function.name} is not defined for {given}",
        text=text,
        place=place_of(call),
        repairs=(f"it takes {listed}", "convert with CAST(... AS INTEGER), REAL, TEXT, DATE or TIMESTAMP"),
    )


def _check_constants(function: Function, arguments: list[Typing], call: Call, text: str | None) -> None:
    """Constants stand where the function wants them, and are above 0 where they have to be."""
    wanted = function.constant
    if wanted and function.variadic:
        wanted = tuple(range(wanted[0], len(arguments)))
    for place in wanted:
        if place >= len(arguments):
            break
        spot = place_of(call.arguments[place]) or place_of(call)
        if not _is_constant(arguments[place][0]):
            reason = f"argument {place + 1} of {function.name} has to be a constant"
            raise Refused("TW-R008", reason, text=text, place=spot)
        bounds = arguments[place][1].bounds
        if place in function.positive and (bounds is None or bounds.low <= 0):
            raise Refused("TW-R010", f"argument {place + 1} of {function.name} has to be above 0", text=text, place=spot)
        for which, least, most in function.limits:
            if which == place and (bounds is None or not least <= bounds.low <= bounds.high <= most):
                reason = f"argument {place + 1} of {function.name} has to be from {_short(least)} to {_short(most)}"
                raise Refused("TW-R010", reason, text=text, place=spot)
        values = arguments[place][1].values
        if function.name == "like" and (values is None or any(not _ends_well(str(one)) for one in values)):
            raise Refused("TW-R010", "the pattern ends with its escape character", text=text, place=spot)


def _ends_well(pattern: str) -> bool:
    """No backslash is left at the end with nothing to quote: an engine fails there, and only on texts that reach it."""
    return (len(pattern) - len(pattern.rstrip("\\"))) % 2 == 0


def _short(limit: int) -> str:
    return str(limit) if abs(limit) < 10**15 else f"{limit:.0e}"


def _is_constant(expression: Expression) -> bool:
    if isinstance(expression, Call):
        return all(map(_is_constant, expression.arguments))
    return isinstance(expression, Constant) and expression.value is not None


def _result(function: Function, form: Form, call: Call, shapes: list[Shape], text: str | None) -> Shape:
    """What is known of a call's value: its range by interval arithmetic, its few values by trying them out."""
    strict_null = any(shape.nullable for shape in shapes)
    nullable = form.partial or strict_null
    if function.name in ("is_null", "known"):
        nullable = False
    elif function.name == "coalesce" or function.name in ("least", "greatest"):
        nullable = form.partial or all(shape.nullable for shape in shapes)
    bounds = form.range(shapes)
    if bounds is not None and max(abs(bounds.low), abs(bounds.high)) >= LARGEST_DOUBLE:
        bounds = None
    values: tuple[Thing, ...] | None = (False, True) if form.gives == "boolean" else None
    if form.gives != "real":
        values = _tried(function, form, shapes) or values
    if values and form.gives in ("integer", "date", "timestamp"):
        bounds = Bounds(Fraction(min(values)), Fraction(max(values)))  # type: ignore[arg-type,type-var]  # numbers by their type
    if values == () and function.name in ("date", "timestamp"):
        raise Refused(
            "TW-R010",
            f"this does not read as a {function.name}",
            text=text,
            place=place_of(call),
            repairs=("write it like DATE '2024-02-29'",),
        )
    return Shape(form.gives, bounds, nullable, values)


def _tried(function: Function, form: Form, shapes: list[Shape]) -> tuple[Thing, ...] | None:
    """The values of a function whose arguments have few."""
    listed = [finite_values(shape) if shape.type != "real" else None for shape in shapes]
    if any(values is None for values in listed):
        return None
    full = [(*(values or ()), *((None,) if shape.nullable else ())) for values, shape in zip(listed, shapes, strict=True)]
    if math.prod(map(len, full)) > FEW:
        return None
    found = {
        result
        for combination in product(*full)
        if not (function.strict and None in combination) and (result := form.value(*combination)) is not None
    }
    return tuple(sorted(found))


def _literal(constant: Constant) -> str:
    """A constant in SQL. Reals are written with an exponent, which makes them doubles and not decimals.

    A negative one is in brackets: after another minus it would begin a comment, up to a line break in some text of the analyst's.
    """
    value, kind = constant.value, constant.type
    if value is None:
        return f"CAST(NULL AS {SQL_TYPES[kind]})"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if kind == "real":
        text = repr(float(value))
        return f"({text if 'e' in text else text + 'e0'})" if text.startswith("-") else text if "e" in text else text + "e0"
    return f"CAST({value} AS BIGINT)"
