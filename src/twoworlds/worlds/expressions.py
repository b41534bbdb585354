"""Formulas over a card's named parameters, such as `8 * (log(k) + log(2 / beta)) / epsilon`.

A formula is text that is parsed, never executed. It keeps its tree, so the prover reads it symbolically, and it evaluates to
an `Enclosure`, so the guarantee that it prices is a certified number.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import Enclosure, exact

__all__ = ["Expression"]

_FUNCTIONS: dict[str, Callable[..., Enclosure]] = {
    "log": Enclosure.log,
    "exp": Enclosure.exp,
    "sqrt": Enclosure.sqrt,
    "ceil": Enclosure.ceil,
    "floor": Enclosure.floor,
    "abs": Enclosure.absolute,
    "max": Enclosure.maximum,
    "min": Enclosure.minimum,
}
_OPERATORS: dict[type[ast.operator], Callable[[Enclosure, Enclosure], Enclosure]] = {
    ast.Add: Enclosure.__add__,
    ast.Sub: Enclosure.__sub__,
    ast.Mult: Enclosure.__mul__,
    ast.Div: Enclosure.__truediv__,
    ast.Pow: Enclosure.power,
}


@dataclass(frozen=True)
class Expression:
    """A formula by its text; equal texts are equal formulas."""

    text: str

    def __post_init__(self) -> None:
        _ = self.names  # parse now, so that a bad formula is reported where it is written

    @staticmethod
    def of(value: object, argument: str = "value") -> Expression:
        """A formula from text, or the constant formula of a number."""
        if isinstance(value, Expression):
            return value
        if isinstance(value, str):
            return Expression(value)
        return Expression(str(exact(value, argument)))

    def __str__(self) -> str:
        return self.text

    @cached_property
    def tree(self) -> ast.expr:
        try:
            tree = ast.parse(self.text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise BadArgument("formula", self.text, "does not read as a formula", "Write it like 'epsilon / (2 * k)'") from None
        _check(tree, self.text)
        return tree

    @cached_property
    def names(self) -> frozenset[str]:
        called = {id(node.func) for node in ast.walk(self.tree) if isinstance(node, ast.Call)}
        return frozenset(node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name) and id(node) not in called)

    def constant(self, node: ast.Constant) -> Fraction:
        """A literal of the tree as it is written: a decimal's digits, not the float that Python makes of them."""
        return _constant(node, self.text)

    def enclose(self, values: Mapping[str, object]) -> Enclosure:
        """The value, between two rationals."""
        try:
            return _enclose(self.tree, self.text, values)
        except RecursionError:
            raise BadArgument("formula", self.text, "is nested too deep", "Write it with fewer terms") from None

    def above(self, values: Mapping[str, object]) -> Fraction:
        """The value, rounded up if it is irrational."""
        return self.enclose(values).high


def _check(tree: ast.AST, text: str) -> None:
    """Refuse everything that is not arithmetic on names, so that evaluation cannot meet a surprise."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name) or node.func.id not in {*_FUNCTIONS, "len"} or node.keywords:
                raise BadArgument("formula", text, "calls something unknown", f"Use only {', '.join(sorted(_FUNCTIONS))} and len")
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, bool) or not isinstance(node.value, int | float):
                raise BadArgument("formula", text, "has a constant that is not a number", "Use numbers and names only")
        elif not isinstance(node, ast.BinOp | ast.UnaryOp | ast.Name | ast.Load | ast.USub | ast.UAdd | ast.operator) or (
            isinstance(node, ast.operator) and type(node) not in _OPERATORS
        ):
            raise BadArgument(
                "formula", text, f"uses {type(node).__name__}", "Use numbers, names, + - * / **, and functions such as log"
            )


def _enclose(node: ast.expr, text: str, values: Mapping[str, object]) -> Enclosure:
    if isinstance(node, ast.Constant):
        return Enclosure(_constant(node, text))
    if isinstance(node, ast.Name):
        if node.id not in values:
            raise BadArgument("formula", text, f"needs a value for {node.id}", f"Give {node.id}=...")
        value = values[node.id]
        return value if isinstance(value, Enclosure) else Enclosure(exact(value, node.id))
    if isinstance(node, ast.UnaryOp):
        operand = _enclose(node.operand, text, values)
        return -operand if isinstance(node.op, ast.USub) else operand
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_enclose(node.left, text, values), _enclose(node.right, text, values))
    assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    if node.func.id == "len":
        return _length(node, text, values)
    arguments = [_enclose(argument, text, values) for argument in node.args]
    try:
        return _FUNCTIONS[node.func.id](*arguments)
    except TypeError:
        raise BadArgument("formula", text, f"calls {node.func.id} with {len(arguments)} arguments", "Check the formula") from None


def _constant(node: ast.Constant, text: str) -> Fraction:
    literal = ast.get_source_segment(text, node) if isinstance(node.value, float) else None
    return exact(literal or node.value, "formula")


def _length(node: ast.Call, text: str, values: Mapping[str, object]) -> Enclosure:
    if len(node.args) != 1 or not isinstance(node.args[0], ast.Name):
        raise BadArgument("formula", text, "takes the length of something that is not a parameter", "Write len(name)")
    value = values.get(node.args[0].id)
    if not isinstance(value, Sized):
        raise BadArgument("formula", text, f"needs a list for {node.args[0].id}", "Give a list")
    return Enclosure(Fraction(len(value)))
