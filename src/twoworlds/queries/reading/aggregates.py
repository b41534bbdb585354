"""Aggregates, from syntax to plan: which kind, of what, with which public parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from sqlglot import exp

from twoworlds.queries.plan import Aggregate, Call, Column, Constant, Expression, Kind, Value
from twoworlds.queries.reading.grammar import Asked, place
from twoworlds.queries.reading.rows import AGGREGATES, Leaf, function_name, number, row

__all__ = ["aggregate", "is_aggregate"]

Parameters = tuple[tuple[str, Value | tuple[Value, ...]], ...]
Read = tuple[Kind, tuple[Expression, ...], Parameters]
ARGUMENTS: Mapping[Kind, int] = {"covariance": 2, "correlation": 2}
SAMPLE = {"variance", "var_samp", "stddev", "stddev_samp", "covar_samp"}
MOST_CELLS = 4096


@dataclass(frozen=True)
class _Surroundings:
    """What the columns below an aggregate mean, and which of them is the users'."""

    asked: Asked
    leaf: Leaf
    person: str | None


def is_aggregate(node: exp.Expr) -> bool:
    """Whether the node, with the clauses around it, is one aggregate."""
    if isinstance(node, exp.Filter | exp.WithinGroup):
        return is_aggregate(node.this)
    return function_name(node) in AGGREGATES


def aggregate(node: exp.Expr, asked: Asked, leaf: Leaf, person: str | None) -> Aggregate:
    """The aggregate that a node says; `leaf` reads the columns below it."""
    condition, ordered, call = None, None, node
    while isinstance(call, exp.Filter | exp.WithinGroup):
        asked.checked(call)
        asked.checked(call.expression)
        if isinstance(call, exp.Filter):
            condition = row(call.expression.this, asked, leaf)
        else:
            ordered = call.expression
        call = call.this
    asked.checked(call)
    name = function_name(call)
    given, distinct = _arguments(call, asked)
    if ordered is not None:
        given = [*_ordering(ordered, name, asked), *given]
    found = _read(name, given, distinct, call, _Surroundings(asked, leaf, person))
    kind, arguments, parameters = found
    made = Aggregate(kind, arguments, parameters, place(node))
    return made if condition is None else made.only_where(condition)


def _read(name: str, given: list[exp.Expr], distinct: bool, call: exp.Expr, around: _Surroundings) -> Read:
    asked, leaf, person = around.asked, around.leaf, around.person
    kind = AGGREGATES[name]
    if distinct and name != "count":
        raise asked.refused(
            "TW-R003", f"{name.upper()} of different values only has no meaning here", call, ("leave out DISTINCT",)
        )
    if name == "count" and (not given or isinstance(given[0], exp.Star)) and not distinct:
        return _counted(given, call, asked), (), ()
    if name in ("count_users", "count_if", "countif"):
        return _special(name, given, call, around)
    parameters: Parameters = ()
    if kind in ("quantile", "top", "histogram"):
        given, parameters = _parameters(name, given, call, asked)
    elif kind in ("variance", "stddev", "covariance"):
        parameters = (("sample", name in SAMPLE),)
    wanted = ARGUMENTS.get(kind, 1)
    if len(given) != wanted:
        raise asked.refused("TW-R008", f"{name.upper()} takes {wanted} column{'s' * (wanted > 1)}, not {len(given)}", call)
    arguments = tuple(row(argument, asked, leaf) for argument in given)
    if distinct or kind == "count_distinct":
        is_person = isinstance(arguments[0], Column) and arguments[0].name == person
        return ("count_users", (), ()) if is_person else ("count_distinct", arguments, ())
    return kind, arguments, parameters


def _arguments(call: exp.Expr, asked: Asked) -> tuple[list[exp.Expr], bool]:
    """What stands in the parentheses, and whether DISTINCT does."""
    given = list(call.expressions)
    if len(given) == 1 and isinstance(given[0], exp.Distinct):
        asked.checked(given[0])
        return list(given[0].expressions), True
    return given, False


def _counted(given: list[exp.Expr], call: exp.Expr, asked: Asked) -> Kind:
    if len(given) > 1:
        raise asked.refused("TW-R008", "COUNT takes one argument", call)
    for star in given:
        asked.checked(star)
    return "count"


def _special(name: str, given: list[exp.Expr], call: exp.Expr, around: _Surroundings) -> Read:
    asked, leaf, person = around.asked, around.leaf, around.person
    if name == "count_users":
        if given and not isinstance(given[0], exp.Star):
            raise asked.refused("TW-R008", "COUNT_USERS takes no argument", call)
        if person is None:
            raise asked.refused(
                "TW-R021", "no column says who the users are: each row is protected by itself", call, ("COUNT(*)",)
            )
        return "count_users", (), ()
    if len(given) != 1:
        raise asked.refused("TW-R008", f"{name.upper()} takes one condition", call)
    return "count", (Call("case", (row(given[0], asked, leaf), Constant(True), Constant(None))),), ()


def _parameters(name: str, given: list[exp.Expr], call: exp.Expr, asked: Asked) -> tuple[list[exp.Expr], Parameters]:
    """The public parameters, which come after the column."""
    if name == "median":
        return given, (("q", Fraction(1, 2)),)
    if len(given) != 2:
        raise asked.refused("TW-R008", f"{name.upper()} takes a column and a constant", call)
    column, last = given
    if name in ("approx_top_k", "top_k"):
        k = _whole(last, asked)
        if not 1 <= k <= MOST_CELLS:
            raise asked.refused("TW-R019", f"the number of values is {k}", last, (f"write 1 to {MOST_CELLS}",))
        return [column], (("k", k),)
    if name == "histogram":
        return [column], (_edges(last, asked),)
    q = _signed(last, asked)
    if not 0 <= q <= 1:
        raise asked.refused("TW-R019", f"the quantile {float(q):g} is outside 0 to 1", last, ("0.5 is the median",))
    return [column], (("q", q),)


def _edges(node: exp.Expr, asked: Asked) -> tuple[str, Value | tuple[Value, ...]]:
    """A list of edges, or a number of equal cells between the bounds."""
    if not isinstance(node, exp.Array):
        cells = _whole(node, asked)
        if not 1 <= cells <= MOST_CELLS:
            raise asked.refused("TW-R019", f"the number of cells is {cells}", node, (f"write 1 to {MOST_CELLS}",))
        return "cells", cells
    asked.checked(node)
    edges = tuple(_signed(edge, asked) for edge in node.expressions)
    if not 2 <= len(edges) <= MOST_CELLS or any(a >= b for a, b in pairwise(edges)):
        raise asked.refused("TW-R019", "edges are two or more increasing numbers", node, ("[0, 10, 20]",))
    return "edges", edges


def _ordering(order: exp.Expr, name: str, asked: Asked) -> list[exp.Expr]:
    """WITHIN GROUP (ORDER BY x)."""
    if name not in ("percentile_cont", "quantile_cont", "quantile") or len(order.expressions) != 1:
        raise asked.refused("TW-R003", "WITHIN GROUP belongs to PERCENTILE_CONT with one column", order)
    one = order.expressions[0]
    if not isinstance(one, exp.Ordered):
        return [one]
    asked.checked(one)
    if one.args.get("desc"):
        raise asked.refused("TW-R003", "quantiles are counted from below", one, ("write 1 - q without DESC",))
    return [one.this]


def _signed(node: exp.Expr, asked: Asked) -> Fraction:
    if isinstance(node, exp.Neg):
        asked.checked(node)
        return -_signed(node.this, asked)
    return number(node, asked)


def _whole(node: exp.Expr, asked: Asked) -> int:
    found = _signed(node, asked)
    if found.denominator != 1:
        raise asked.refused("TW-R019", "this has to be a whole number", node)
    return int(found)
