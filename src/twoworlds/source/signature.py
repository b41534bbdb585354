"""What the head of a card says: its parameters, and which of them is private."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from twoworlds.source.expressions import FUNCTIONS, LAWS
from twoworlds.worlds.errors import Unsupported

__all__ = ["Declared", "bind", "declared", "keywords", "parameters"]

_VECTORS = frozenset({"Each", "Linf", "One", "L1", "L2", "Vectors", "Monotone"})
_TABLES = frozenset({"AddRemove", "AddRemoveUser", "Edit", "Parts", "Replace", "User"})
_FIXED_LENGTH = _VECTORS | {"Replace", "Number", "Limited", "Metric"}
"""Relations whose neighbours have equally many entries, so that the length of the private list is no secret."""


@dataclass(frozen=True)
class Declared:
    """The private parameter, None where the head does not say; whether neighbours agree on its length, and if it is a list."""

    parameter: str | None = None
    fixed_length: bool = False
    depth: int = 0


def parameters(function: ast.FunctionDef) -> tuple[str, ...]:
    """The names of all parameters but `sample`, in order."""
    head = function.args
    if head.vararg or head.kwarg:
        raise Unsupported(function.lineno, "the function takes *args or **kwargs", "Name every parameter")
    if head.posonlyargs:
        raise Unsupported(function.lineno, "a parameter cannot be given by name", "Leave out the `/`")
    names = [argument.arg for argument in (*head.args, *head.kwonlyargs)]
    if "sample" not in names:
        raise Unsupported(function.lineno, "the function takes no `sample`", "Add `*, sample` and draw all noise from it")
    for name in names:
        if name in FUNCTIONS or name in LAWS:
            raise Unsupported(function.lineno, f"a parameter is called `{name}`", "Choose another name for the parameter")
    for value in (*head.defaults, *head.kw_defaults):
        if value is not None and not _is_constant(value):
            raise Unsupported(value.lineno, "a default value is computed", "Write a number, True, False or None")
    return tuple(name for name in names if name != "sample")


def bind(function: ast.FunctionDef, call: ast.Call) -> list[tuple[str, ast.expr]]:
    """What a call of a helper function gives to each parameter, in the order in which Python evaluates it; defaults come last."""
    head, line = function.args, call.lineno
    if head.vararg or head.kwarg or function.decorator_list:
        raise Unsupported(line, f"`{function.name}` takes *args or **kwargs or is decorated", "Write a plain `def` for it")
    names = [argument.arg for argument in (*head.posonlyargs, *head.args)]
    if len(call.args) > len(names) or any(isinstance(argument, ast.Starred) for argument in call.args):
        raise Unsupported(line, f"`{function.name}` is called with other arguments than it takes", "Give each parameter once")
    given = [*zip(names, call.args, strict=False), *((word.arg or "", word.value) for word in call.keywords)]
    defaults = dict(zip(reversed(names), reversed(head.defaults), strict=False))
    defaults |= {
        argument.arg: value for argument, value in zip(head.kwonlyargs, head.kw_defaults, strict=True) if value is not None
    }
    known = dict(given)
    every = [*names, *(argument.arg for argument in head.kwonlyargs)]
    given += [(name, defaults[name]) for name in every if name not in known and name in defaults]
    if sorted(name for name, _ in given) != sorted(every):
        raise Unsupported(line, f"`{function.name}` is called with other arguments than it takes", "Give each parameter once")
    if any(not _is_constant(value) for value in defaults.values()):
        raise Unsupported(line, f"`{function.name}` computes a default value", "Write a number, True, False or None")
    return given


def keywords(function: ast.FunctionDef) -> dict[str, ast.expr]:
    """The keyword arguments of the function's decorator, as they are written."""
    if len(function.decorator_list) > 1:
        raise Unsupported(function.lineno, "the function has several decorators", "Keep @mechanism(...) alone")
    if not function.decorator_list or not isinstance(function.decorator_list[0], ast.Call):
        return {}
    return {word.arg: word.value for word in function.decorator_list[0].keywords if word.arg is not None}


def declared(function: ast.FunctionDef) -> Declared:
    """The private parameter by the text of `neighbours=Each("queries", by=1)` and its like."""
    return _relation(keywords(function).get("neighbours"))


def _relation(node: ast.expr | None) -> Declared:
    if not isinstance(node, ast.Call):
        return Declared()
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    values = [*node.args, *(word.value for word in node.keywords if word.arg in ("parameter", "relation"))]
    if name == "Group":
        return _relation(next((value for value in values if isinstance(value, ast.Call)), None))
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return Declared(value.value, name in _FIXED_LENGTH, int(name in _VECTORS | _TABLES))
    return Declared()


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return isinstance(node.operand, ast.Constant) and isinstance(node.operand.value, int | float)
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool | int | float | str))
