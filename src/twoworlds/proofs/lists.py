"""Which names of a program, and which of its expressions, are lists."""

from __future__ import annotations

from typing import TypeGuard

from twoworlds.proofs.choices import OF_LISTS
from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
    Call,
    Choice,
    Expr,
    For,
    Item,
    Many,
    Name,
    Noise,
    Program,
    Store,
    Unary,
    walk,
)

__all__ = ["TAKES_A_LIST", "is_list", "lists_of"]

TAKES_A_LIST = ("len", "sum", "argmax", "cumsum")


def lists_of(program: Program) -> frozenset[str]:
    """The names that hold lists."""
    found = {draw.target for draw in program.draws if draw.count is not None}
    if program.depth and program.private is not None:
        found.add(program.private)
    for node in walk(program.body):
        if (isinstance(node, Item) and isinstance(node.sequence, Name)) or (
            isinstance(node, For) and isinstance(node.sequence, Name)
        ):
            found.add(node.sequence.name)
        elif isinstance(node, Append | Store):
            found.add(node.target)
        elif _takes_a_list(node):
            found.update(part.name for part in node.arguments[:1] if isinstance(part, Name))
        elif isinstance(node, Call) and node.function in ("max", "min") and len(node.arguments) == 1:
            found.update(part.name for part in node.arguments if isinstance(part, Name))
    size = -1
    while size != len(found):
        size = len(found)
        found.update(
            node.target for node in walk(program.body) if isinstance(node, Assign) and is_list(node.value, frozenset(found))
        )
    return frozenset(found)


def _takes_a_list(node: object) -> TypeGuard[Call | Noise]:
    return (isinstance(node, Noise) and node.law in OF_LISTS) or (isinstance(node, Call) and node.function in TAKES_A_LIST)


def is_list(expr: Expr, lists: frozenset[str]) -> bool:
    if isinstance(expr, Name):
        return expr.name in lists
    if isinstance(expr, Many):
        return expr.kind == "list"
    if isinstance(expr, Binary):
        return is_list(expr.left, lists) or is_list(expr.right, lists)
    if isinstance(expr, Unary):
        return is_list(expr.operand, lists)
    if isinstance(expr, Choice):
        return is_list(expr.then, lists) or is_list(expr.otherwise, lists)
    if isinstance(expr, Call):
        return expr.function == "cumsum" or (expr.function == "clip" and is_list(expr.arguments[0], lists))
    return False
