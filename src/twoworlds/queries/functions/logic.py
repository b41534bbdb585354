"""Comparisons, three-valued logic, choices between values, and what is unknown."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from twoworlds.queries.functions.function import Form, Function
from twoworlds.queries.functions.ranges import hull, own
from twoworlds.queries.policy import Bounds, Type
from twoworlds.queries.shapes import Shape, Thing

__all__ = ["LOGIC", "TYPES"]

TYPES: tuple[Type, ...] = ("integer", "real", "text", "boolean", "date", "timestamp")


def _comparison(name: str, sign: str, compare: Callable[[Any, Any], bool], *, commutes: bool = False) -> Function:
    """Texts by code points, false before true, dates by time."""
    forms = tuple(Form((kind, kind), "boolean", compare, f"({{0}} {sign} {{1}})") for kind in TYPES)
    return Function(name, forms, f"`a {sign} b`", commutes=commutes)


def _all(*values: bool | None) -> bool | None:
    return False if False in values else None if None in values else True


def _any(*values: bool | None) -> bool | None:
    return True if True in values else None if None in values else False


def _chosen(*values: Thing) -> Thing:
    """The value after the first true condition, else the last."""
    pairs = zip(values[:-1:2], values[1::2], strict=True)
    return next((value for condition, value in pairs if condition), values[-1])


def _choices(shapes: Sequence[Shape]) -> Bounds | None:
    return hull([*shapes[1::2], shapes[-1]])


def _first(*values: Thing) -> Thing:
    return next((value for value in values if value is not None), None)


LOGIC: tuple[Function, ...] = (
    _comparison("equal", "=", operator.eq, commutes=True),
    _comparison("unequal", "<>", operator.ne, commutes=True),
    _comparison("less", "<", operator.lt),
    _comparison("at_most", "<=", operator.le),
    _comparison("greater", ">", operator.gt),
    _comparison("at_least", ">=", operator.ge),
    Function(
        "and",
        (Form(("boolean",), "boolean", _all, "({and})"),),
        "true where all are",
        "where none is false and one is unknown",
        strict=False,
        variadic=True,
        commutes=True,
    ),
    Function(
        "or",
        (Form(("boolean",), "boolean", _any, "({or})"),),
        "true where one is",
        "where none is true and one is unknown",
        strict=False,
        variadic=True,
        commutes=True,
    ),
    Function("not", (Form(("boolean",), "boolean", operator.not_, "(NOT {0})"),), "`NOT a`"),
    Function(
        "case",
        tuple(Form(("boolean", kind), kind, _chosen, "{case}", _choices) for kind in TYPES),
        "the value after the first true condition, else the last one: `CASE WHEN ... THEN ... ELSE ... END`",
        "where the chosen value is",
        strict=False,
        variadic=True,
    ),
    Function(
        "in",
        tuple(Form((kind,), "boolean", lambda a, *listed: a in listed, "({0} IN ({rest}))") for kind in TYPES),
        "whether a is one of the listed constants",
        variadic=True,
        constant=(1,),
    ),
    Function(
        "coalesce",
        tuple(Form((kind,), kind, _first, "coalesce({all})", hull) for kind in TYPES),
        "the first known one",
        "where all are unknown",
        strict=False,
        variadic=True,
    ),
    Function(
        "nullif",
        tuple(
            Form(
                (kind, kind),
                kind,
                lambda a, b: None if a == b else a,
                "(CASE WHEN {0} = {1} THEN NULL ELSE {0} END)",
                own,
                partial=True,
            )
            for kind in TYPES
        ),
        "a, or unknown where it equals b",
        "where a is, or equals b",
        strict=False,
    ),
    Function(
        "is_null",
        tuple(Form((kind,), "boolean", lambda a: a is None, "({0} IS NULL)") for kind in TYPES),
        "whether it is unknown",
        "never",
        strict=False,
    ),
    Function(
        "known",
        (Form(("boolean",), "boolean", lambda a: a is True, "coalesce({0}, FALSE)"),),
        "whether it is true, and not false or unknown: `a IS TRUE`",
        "never",
        strict=False,
    ),
    Function(
        "finite",
        (Form(("real",), "real", lambda a: a, "(CASE WHEN isfinite({0}) THEN {0} + 0e0 END)", own),),
        "the result of arithmetic on reals when it is looked at",
        "where it is not finite",
    ),
)
