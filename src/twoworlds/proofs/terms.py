"""Hints in two spellings: as SMT-LIB text for the checker, as z3 terms for the search.

A hint is an expression of the small language over x.1, x.2 and ghosts; entries of the ghost list $moved are its prefix sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from twoworlds.source.program import Binary, Call, Choice, Compare, Expr, Item, Literal, Logic, Name, Unary
from twoworlds.worlds.errors import Unsupported

__all__ = ["NOTHING", "spelled", "term", "with_lengths"]

NOTHING = "$none"
"""None, where a variable holds it: some number that differs from all others, which is more than a proof may use."""

_RENAMED = {"==": "=", "!=": "distinct", "//": "$floor/2", "%": "$modulo/2"}


def spelled(expr: Expr) -> str:
    """The expression as SMT-LIB text."""
    match expr:
        case Literal(value) if isinstance(value, bool):
            return str(value).lower()
        case Literal(value) if isinstance(value, Fraction):
            size = (
                f"{abs(value.numerator)}.0" if value.denominator == 1 else f"(/ {abs(value.numerator)}.0 {value.denominator}.0)"
            )
            return size if value >= 0 else f"(- {size})"
        case Literal(None):
            return NOTHING
        case Name(name):
            return name
        case Unary(op, operand):
            return f"({op} {spelled(operand)})"
        case Compare(op, left, right) | Binary(op, left, right):
            return f"({_RENAMED.get(op, op)} {spelled(left)} {spelled(right)})"
        case Logic(op, parts):
            return f"({op} {' '.join(spelled(part) for part in parts)})"
        case Choice(test, then, otherwise):
            return f"(ite {spelled(test)} {spelled(then)} {spelled(otherwise)})"
        case Item(Name("$moved"), index):
            return f"($moved/1 {spelled(index)})"
        case Item(Name(name), index):
            return f"({name} {spelled(index)})"
    raise AssertionError(f"a hint has no spelling: {expr}")


def term(
    expr: Expr, read: Callable[[str], Any], entry: Callable[[str, Any], Any], public: Callable[[Any], bool] | None = None
) -> Any:
    """The expression as a z3 term; `read` gives names, `entry` entries of lists; `public`: is it made of parameters only."""
    import z3  # noqa: PLC0415  an optional extra, and slow to load

    def inner(part: Expr) -> Any:
        return term(part, read, entry, public)

    match expr:
        case Literal(value) if isinstance(value, bool):
            return z3.BoolVal(value)
        case Literal(value) if isinstance(value, Fraction):
            return z3.RealVal(str(value))
        case Literal(None):
            return read(NOTHING)
        case Name(name):
            return read(name)
        case Unary(op, operand):
            return z3.Not(inner(operand)) if op == "not" else -inner(operand)
        case Compare(op, left, right):
            return _COMPARE[op](inner(left), inner(right))
        case Binary("/", left, right):
            top, bottom = inner(left), inner(right)
            exact = z3.is_rational_value(bottom) or (public is not None and public(top) and public(bottom))
            return top / bottom if exact else _opaque("quotient")(top, bottom)
        case Binary("//", left, Literal(1)):
            return inner(left)  # the bounds of a range are whole
        case Binary(op, left, right):
            return _BINARY[op](inner(left), inner(right))
        case Logic(op, parts):
            return (z3.And if op == "and" else z3.Or)(*(inner(part) for part in parts))
        case Choice(test, then, otherwise):
            return z3.If(inner(test), inner(then), inner(otherwise))
        case Item(Name(name), index):
            return entry(name, inner(index))
    raise Unsupported(1, f"{expr} has no meaning for a solver", "Use numbers, comparisons and entries of lists")


def _opaque(name: str) -> Callable[[Any, Any], Any]:
    """A function of which the search knows nothing but that equal operands give equal results."""

    def apply(left: Any, right: Any) -> Any:
        import z3  # noqa: PLC0415  an optional extra, and slow to load

        real = z3.RealSort()
        return z3.Function(name, real, real, real)(left, right)

    return apply


_COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_BINARY: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": _opaque("floor"),
    "%": _opaque("modulo"),
    "**": _opaque("power"),
}


def with_lengths(expr: Any) -> Any:
    """len(x) as the ghost variable $len.x."""
    if isinstance(expr, Call) and expr.function == "len" and isinstance(expr.arguments[0], Name):
        return Name(f"$len.{expr.arguments[0].name}")
    if isinstance(expr, tuple):
        return tuple(with_lengths(part) for part in expr)
    if isinstance(expr, Expr):
        return type(expr)(*(with_lengths(getattr(expr, name)) for name in expr.__dataclass_fields__))
    return expr
