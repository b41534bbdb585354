"""Expressions of one row, from syntax to plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from sqlglot import exp

from twoworlds.queries.functions import FUNCTIONS
from twoworlds.queries.plan import Call, Column, Constant, Expression, Kind
from twoworlds.queries.policy import Type
from twoworlds.queries.reading.grammar import Asked, place
from twoworlds.queries.refusals import nearest

__all__ = ["AGGREGATES", "Leaf", "function_name", "number", "row"]

Leaf = Callable[[exp.Expr], Expression | None]
"""Reads what the surroundings know better: columns, and aggregates or keys where they may stand. None: go on below."""

AGGREGATES: Mapping[str, Kind] = {
    "approx_count_distinct": "count_distinct",
    "approx_quantile": "quantile",
    "approx_top_k": "top",
    "avg": "mean",
    "corr": "correlation",
    "count": "count",
    "count_if": "count",
    "count_users": "count_users",
    "countif": "count",
    "covar_pop": "covariance",
    "covar_samp": "covariance",
    "histogram": "histogram",
    "max": "maximum",
    "mean": "mean",
    "median": "quantile",
    "min": "minimum",
    "percentile_cont": "quantile",
    "quantile": "quantile",
    "quantile_cont": "quantile",
    "stddev": "stddev",
    "stddev_pop": "stddev",
    "stddev_samp": "stddev",
    "sum": "sum",
    "top_k": "top",
    "var_pop": "variance",
    "var_samp": "variance",
    "variance": "variance",
}
OPERATORS: Mapping[type[exp.Expr], str] = {
    exp.Add: "add",
    exp.Sub: "subtract",
    exp.Mul: "multiply",
    exp.Div: "divide",
    exp.IntDiv: "quotient",
    exp.Mod: "remainder",
    exp.Pow: "power",
    exp.DPipe: "concat",
    exp.EQ: "equal",
    exp.NEQ: "unequal",
    exp.LT: "less",
    exp.LTE: "at_most",
    exp.GT: "greater",
    exp.GTE: "at_least",
    exp.Not: "not",
    exp.Neg: "negate",
}
SPELLINGS: Mapping[str, str] = {
    "ceiling": "ceil",
    "char_length": "length",
    "character_length": "length",
    "date_add": "add_days",
    "dayofmonth": "day",
    "dayofyear": "day_of_year",
    "doy": "day_of_year",
    "dow": "weekday",
    "if": "case",
    "ifnull": "coalesce",
    "isodow": "weekday",
    "len": "length",
    "mod": "remainder",
    "nvl": "coalesce",
    "pow": "power",
    "substring": "substr",
}
TYPES: Mapping[str, Type] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INT", "BIGINT"), "integer"),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), "real"),
    **dict.fromkeys(("TEXT", "VARCHAR", "CHAR"), "text"),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMPNTZ", "DATETIME"), "timestamp"),
    "BOOLEAN": "boolean",
    "DATE": "date",
}
PARTS = ("year", "quarter", "month", "day", "hour", "minute", "second", "isodow", "dow", "doy")
PERIODS = ("year", "quarter", "month", "week")
NUMBER = re.compile(r"[0-9]{0,320}([.][0-9]{0,320})?([eE][+-]?[0-9]{1,3})?")


def row(node: exp.Expr, asked: Asked, leaf: Leaf) -> Expression:
    """The expression that a node says."""
    known = leaf(node)
    if known is not None:
        return known
    asked.checked(node)
    if isinstance(node, exp.Paren):
        return row(node.this, asked, leaf)
    if isinstance(node, exp.And | exp.Or):
        return _chain(node, asked, leaf)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        return Constant(-number(node.this, asked), place(node))
    if type(node) in OPERATORS:
        parts = [node.this] if isinstance(node, exp.Not | exp.Neg) else [node.this, node.expression]
        return Call(OPERATORS[type(node)], tuple(row(part, asked, leaf) for part in parts))
    if isinstance(node, exp.Literal):
        return Constant(node.this if node.is_string else number(node, asked), place(node))
    if isinstance(node, exp.Boolean):
        return Constant(bool(node.this))
    if isinstance(node, exp.Null):
        return Constant(None)
    reader = _READERS.get(type(node))
    if reader is not None:
        return reader(node, asked, leaf)
    raise asked.refused("TW-R003", f"{type(node).__name__.upper()} has no meaning for one row", node)


def number(node: exp.Expr, asked: Asked) -> Fraction:
    """A written number, exactly."""
    text = str(node.this)
    if isinstance(node, exp.Literal) and not node.is_string and NUMBER.fullmatch(text) and text[:1] not in ("", "e", "E"):
        return Fraction(text if text != "." else "0")
    raise asked.refused("TW-R010", "this does not read as a number of at most 320 digits", node)


def function_name(node: exp.Expr) -> str:
    """A function's or an aggregate's name in small letters; empty for what is none."""
    return str(node.this).lower() if isinstance(node, exp.Anonymous) else ""


def _chain(node: exp.Expr, asked: Asked, leaf: Leaf) -> Expression:
    """AND and OR take any number; long chains lean to the left and are walked, not descended."""
    kind, parts = type(node), []
    while type(node) is kind:
        asked.checked(node)
        parts.append(node.expression)
        node = node.this
    parts.append(node)
    return Call("and" if kind is exp.And else "or", tuple(row(part, asked, leaf) for part in reversed(parts)))


def _between(node: exp.Expr, asked: Asked, leaf: Leaf) -> Expression:
    value, low, high = (row(node.args[name], asked, leaf) for name in ("this", "low", "high"))
    return Call("and", (Call("at_least", (value, low)), Call("at_most", (value, high))))


def _in(node: exp.Expr, asked: Asked, leaf: Leaf) -> Expression:
    value = row(node.this, asked, leaf)
    listed = [row(part, asked, leaf) for part in node.expressions]
    if not listed or any(isinstance(one, Constant) and one.value is None for one in listed):
        raise asked.refused("TW-R010", "IN takes a list of known constants", node, ("write IS NULL for the unknown ones",))
    if any(not isinstance(one, Constant) for one in listed):
        return Call("or", tuple(Call("equal", (value, one)) for one in listed))
    return Call("in", (value, *listed))


def _like(node: exp.Expr, asked: Asked, leaf: Leaf) -> Expression:
    """LIKE and ILIKE, with or without ESCAPE; here the backslash quotes, so others are rewritten to it."""
    escape = ""
    if isinstance(node, exp.Escape):
        given = node.expression
        if not isinstance(given, exp.Literal) or not given.is_string or len(given.this) != 1:
            raise asked.refused("TW-R010", "ESCAPE takes one character", node)
        escape, node = given.this, node.this
        asked.checked(node)
    value, pattern = row(node.this, asked, leaf), row(node.expression, asked, leaf)
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, str):
        raise asked.refused("TW-R010", "the pattern of LIKE has to be a constant text", node)
    text, quoted = "", False
    for character in pattern.value:
        if character == escape and not quoted:
            quoted = True
            continue
        text += "\\" + character if quoted or character == "\\" else character
        quoted = False
    if quoted:
        raise asked.refused("TW-R010", "the pattern ends with its escape character", node)
    read = Constant(text, pattern.place)
    if isinstance(node, exp.ILike):
        return Call("like", (Call("lower", (value,)), Constant(text.lower(), pattern.place)))
    return Call("like", (value, read))


def _is(node: exp.Expr, asked: Asked, leaf: Leaf) -> Expression:
    value, what = row(node.this, asked, leaf), node.expression
    if isinstance(what, exp.Null):
        return Call("is_null", (value,))
    if isinstance(what, exp.Boolean):
        return Call("known", (value if what.this else Call("not", (value,)),))
    raise asked.refused("TW-R003", "IS takes NULL, TRUE or FALSE", node)


def _case(node: exp.Expr, asked: Asked, leaf: Leaf) -> Expression:
    parts: list[Expression] = []
    subject = row(node.this, asked, leaf) if node.this else None
    for branch in node.args["ifs"]:
        asked.checked(branch)
        when = row(branch.this, asked, leaf)
        parts += [when if subject is None else Call("equal", (subject, when)), row(branch.args["true"], asked, leaf)]
    default = node.args.get("default")
    return Call("case", (*parts, row(default, asked, leaf) if default else Constant(None)))


def _if(node: exp.Expr, asked: Asked, leaf: Leaf) -> Expression:
    default = node.args.get("false")
    chosen = row(node.this, asked, leaf), row(node.args["true"], asked, leaf)
    return Call("case", (*chosen, row(default, asked, leaf) if default else Constant(None)))


def _cast(node: exp.Expr, asked: Asked, leaf: Leaf) -> Expression:
    wanted = node.args["to"]
    kind = TYPES.get(wanted.this.name) if isinstance(wanted.this, exp.DType) else None
    if kind is None or wanted.args.get("nested"):
        raise asked.refused(
            "TW-R003", f"there is no type {wanted.sql()[:40]}", node, (f"use one of {', '.join(sorted(set(TYPES.values())))}",)
        )
    return Call(kind, (row(node.this, asked, leaf),), place(node))


def _extract(node: exp.Expr, asked: Asked, leaf: Leaf) -> Expression:
    return _part_of(str(node.this.this), row(node.expression, asked, leaf), node, asked)


def _part_of(part: str, value: Expression, node: exp.Expr, asked: Asked) -> Expression:
    if part.lower() not in PARTS:
        raise asked.refused("TW-R003", f"there is no part {part[:40]} of a date", node, nearest(part, PARTS))
    return Call(SPELLINGS.get(part.lower(), part.lower()), (value,), place(node))


def _substring(node: exp.Expr, asked: Asked, leaf: Leaf) -> Expression:
    length = node.args.get("length")
    start = node.args.get("start")
    given = row(start, asked, leaf) if start else Constant(1)
    return Call(
        "substr", (row(node.this, asked, leaf), given, row(length, asked, leaf) if length else Constant(2**31)), place(node)
    )


def _trim(node: exp.Expr, asked: Asked, leaf: Leaf) -> Expression:
    return Call("trim", (row(node.this, asked, leaf),), place(node))


def _function(node: exp.Expr, asked: Asked, leaf: Leaf) -> Expression:
    name = function_name(node)
    if name in AGGREGATES:
        raise asked.refused("TW-R018", f"{name.upper()} is of many rows, and here one row is computed", node)
    if name in ("date_trunc", "datetrunc", "date_part", "datepart") and len(node.expressions) == 2:
        part, value = node.expressions[0], row(node.expressions[1], asked, leaf)
        if not isinstance(part, exp.Literal) or not part.is_string:
            raise asked.refused("TW-R010", f"the first argument of {name} is a text like 'month'", node)
        if name.endswith("part"):
            return _part_of(part.this, value, node, asked)
        if part.this.lower() == "day":
            return Call("date", (value,), place(node))
        if part.this.lower() not in PERIODS:
            raise asked.refused("TW-R003", f"there is no period {part.this[:40]}", node, nearest(part.this, PERIODS))
        return Call(f"{part.this.lower()}_start", (value,), place(node))
    found = SPELLINGS.get(name, name)
    if found not in FUNCTIONS or found == "finite":
        known = sorted({*FUNCTIONS, *SPELLINGS, *AGGREGATES} - {"finite"})
        raise asked.refused("TW-R004", f"there is no function {name[:60]}", node, nearest(name, known))
    arguments = tuple(row(argument, asked, leaf) for argument in node.expressions)
    if found == "case" and len(arguments) == 2:
        arguments = (*arguments, Constant(None))
    if found == "substr" and len(arguments) == 2:
        arguments = (*arguments, Constant(2**31))
    return Call(found, arguments, place(node))


_READERS: Mapping[type[exp.Expr], Callable[[exp.Expr, Asked, Leaf], Expression]] = {
    exp.Anonymous: _function,
    exp.Between: _between,
    exp.Case: _case,
    exp.Cast: _cast,
    exp.Escape: _like,
    exp.Extract: _extract,
    exp.ILike: _like,
    exp.If: _if,
    exp.In: _in,
    exp.Is: _is,
    exp.Like: _like,
    exp.Substring: _substring,
    exp.Trim: _trim,
    exp.TryCast: _cast,
}


def columns_of(expression: Expression) -> set[str]:
    """The names of all columns that an expression sees."""
    if isinstance(expression, Column):
        return {expression.name}
    return set().union(*map(columns_of, expression.arguments)) if isinstance(expression, Call) else set()
