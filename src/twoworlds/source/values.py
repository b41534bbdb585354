"""What expressions of the small language mean: one evaluator that every reader of programs shares.

Numbers are exact, lists are tuples and so never change under another name. A reader may put values of its own into the
environment (the exact reader puts undrawn noise there): whatever supports the operators works.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import accumulate
from typing import Any

from twoworlds.source.program import Binary, Call, Choice, Compare, Expr, Item, Literal, Logic, Many, Name, Noise, Unary
from twoworlds.worlds import distributions
from twoworlds.worlds.arrays import argmax
from twoworlds.worlds.errors import BadArgument

__all__ = ["Environment", "distribution", "evaluate", "whole"]

Environment = Mapping[str, Any]

_MOST_ENTRIES = 10_000_000
_MOST_BITS = 10_000_000


def evaluate(expr: Expr, env: Environment) -> Any:
    """The value of an expression in an environment."""
    return _MEANINGS[type(expr)](expr, env)


def distribution(noise: Noise, env: Environment) -> distributions.Distribution:
    """The distribution that a draw names, with its parameters evaluated."""
    arguments = [evaluate(argument, env) for argument in noise.arguments]
    law: Callable[..., distributions.Distribution] = getattr(distributions, noise.law)
    return law(*arguments)


def whole(value: Any, what: str) -> int:
    """A value that must be a whole number, such as an index or a count."""
    number = Fraction(value)
    if number.denominator != 1:
        raise BadArgument(what, value, "is not a whole number", "Round it in the program first")
    return int(number)


def _name(expr: Name, env: Environment) -> Any:
    try:
        return env[expr.name]
    except KeyError:
        raise BadArgument("name", expr.name, "has no value here", "Assign it on every path before it is used") from None


def _unary(expr: Unary, env: Environment) -> Any:
    value = evaluate(expr.operand, env)
    if expr.op == "not":
        return not value
    return tuple(-entry for entry in value) if isinstance(value, tuple) else -value


def _divide(left: Any, right: Any) -> Any:
    return Fraction(left) / right if isinstance(left, int) else left / right


def _power(left: Any, right: Any) -> Any:
    base, exponent = Fraction(left), whole(right, "power")
    if abs(exponent) * max(base.numerator.bit_length(), base.denominator.bit_length()) > _MOST_BITS:
        raise BadArgument("power", exponent, "makes too large a number", f"Keep powers within {_MOST_BITS:,} bits")
    return base**exponent


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": _power,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def _binary(expr: Binary, env: Environment) -> Any:
    left, right = evaluate(expr.left, env), evaluate(expr.right, env)
    apply = _OPERATORS[expr.op]
    if isinstance(left, tuple) and isinstance(right, tuple):
        if len(left) != len(right):
            raise BadArgument("lists", (len(left), len(right)), "have different lengths", "Combine lists of one length")
        return tuple(apply(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, tuple):
        return tuple(apply(a, right) for a in left)
    if isinstance(right, tuple):
        return tuple(apply(left, b) for b in right)
    return apply(left, right)


def _compare(expr: Compare, env: Environment) -> Any:
    return _OPERATORS[expr.op](evaluate(expr.left, env), evaluate(expr.right, env))


def _logic(expr: Logic, env: Environment) -> Any:
    value: Any = None
    for part in expr.parts:
        value = evaluate(part, env)
        if bool(value) is (expr.op == "or"):
            return value
    return value


def _choice(expr: Choice, env: Environment) -> Any:
    return evaluate(expr.then if evaluate(expr.test, env) else expr.otherwise, env)


def _item(expr: Item, env: Environment) -> Any:
    sequence, index = evaluate(expr.sequence, env), whole(evaluate(expr.index, env), "index")
    if not -len(sequence) <= index < len(sequence):
        raise BadArgument("index", index, f"is outside a list of {len(sequence)}", "Keep the index inside the list")
    return sequence[index]


def _range(*bounds: Any) -> tuple[Fraction, ...]:
    steps = range(*(whole(bound, "range") for bound in bounds))
    _within(len(steps), "range")
    return tuple(Fraction(i) for i in steps)


def _repeat(entries: tuple[Any, ...], count: Any) -> tuple[Any, ...]:
    times = whole(count, "count")
    _within(times * len(entries), "count")
    return entries * times


def _within(entries: int, what: str) -> None:
    """A stranger's program may ask for a list that fills the memory."""
    if entries > _MOST_ENTRIES:
        raise BadArgument(what, entries, "makes too long a list", f"Keep lists within {_MOST_ENTRIES:,} entries")


def _clip(value: Any, low: Any, high: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_clip(entry, low, high) for entry in value)
    return min(max(value, low), high)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "argmax": argmax,
    "clip": _clip,
    "cumsum": lambda values: tuple(accumulate(values)),
    "Fraction": Fraction,
    "len": lambda values: Fraction(len(values)),
    "max": max,
    "min": min,
    "range": _range,
    "repeat": _repeat,
    "sum": lambda values: sum(values, Fraction(0)),
}

_MEANINGS: dict[type[Expr], Callable[[Any, Environment], Any]] = {
    Literal: lambda expr, env: expr.value,  # noqa: ARG005  all meanings take the same two arguments
    Name: _name,
    Unary: _unary,
    Binary: _binary,
    Compare: _compare,
    Logic: _logic,
    Choice: _choice,
    Item: _item,
    Call: lambda expr, env: FUNCTIONS[expr.function](*(evaluate(argument, env) for argument in expr.arguments)),
    Many: lambda expr, env: tuple(evaluate(entry, env) for entry in expr.entries),
}
