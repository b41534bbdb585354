"""Names for what never changes, replaced by what they name: `b = 2 / epsilon` is read as 2 / epsilon wherever b stands."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, is_dataclass, replace
from typing import Any

from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
    Call,
    Draw,
    Expr,
    For,
    Item,
    Literal,
    Name,
    Program,
    Store,
    Unary,
    walk,
)

__all__ = ["unfold"]

_CALLS = ("abs", "len", "max", "min", "Fraction")


def unfold(program: Program) -> Program:
    """The same program with each constant written out where it is read.

    A constant is a variable with a single assignment in the whole text, of an expression over constants and over parameters that
    are never assigned. It then has one value, and every read comes after the assignment (the kinds have seen to that). The
    assignments stay where they are, so that what fails there still does.
    """
    times = Counter(part.target for part in walk(program.body) if isinstance(part, Append | Assign | Draw | For | Store))
    known: dict[str, Expr] = {name: Name(name) for name in program.parameters if not times[name]}
    for step in walk(program.body):
        if isinstance(step, Assign) and times[step.target] == 1 and step.target not in program.parameters:
            value = _written_out(step.value, known)
            if _is_constant(value, known):
                known[step.target] = value
    return replace(program, body=_written_out(program.body, known))


def _is_constant(expr: Expr, known: dict[str, Expr]) -> bool:
    """Whether an expression has one value throughout; lists are left alone, for they are more than their value."""
    if isinstance(expr, Name):
        return known.get(expr.name) == expr
    if isinstance(expr, Call) and expr.function not in _CALLS:
        return False
    parts = [getattr(expr, field.name) for field in fields(expr)]
    inside = [part for entry in parts for part in (entry if isinstance(entry, tuple) else (entry,)) if isinstance(part, Expr)]
    return isinstance(expr, Binary | Call | Item | Literal | Unary) and all(_is_constant(part, known) for part in inside)


def _written_out(part: Any, known: dict[str, Expr]) -> Any:
    """A part of a program with the constants in it replaced."""
    if isinstance(part, Name):
        return known.get(part.name, part)
    if isinstance(part, tuple):
        return tuple(_written_out(entry, known) for entry in part)
    if not is_dataclass(part) or isinstance(part, type):
        return part
    changed = {field.name: _written_out(getattr(part, field.name), known) for field in fields(part)}
    return part if all(changed[name] is getattr(part, name) for name in changed) else replace(part, **changed)
