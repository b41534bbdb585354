"""Checks that the text is the source of the function that runs, and that the names in it mean what the readers take them for."""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from twoworlds.source.expressions import BUILTINS, FUNCTIONS, LAWS
from twoworlds.source.text import only_function
from twoworlds.worlds import arrays, distributions
from twoworlds.worlds.errors import Unsupported

__all__ = ["check_function"]

_MISSING = object()


def check_function(function: Callable[..., Any] | None, text: str) -> None:
    """Refuse a function whose code is not that of its text, or whose module gives `Laplace`, `len` ... another meaning.

    Cheap enough for every run: a module may be patched at any time after it is loaded.
    """
    if not isinstance(function, FunctionType):
        raise Unsupported(1, f"a {type(function).__name__} runs, not a plain function", "Decorate the `def` itself")
    _check_code(function.__code__, text)
    inside = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for name, line in _called(text):
        if name in inside:
            found = _contents(inside[name])
        else:
            found = function.__globals__.get(name, vars(builtins).get(name, _MISSING) if name in BUILTINS else _MISSING)
        if found is not _genuine(name):
            what = "has no meaning" if found is _MISSING else "is not the one of twoworlds"
            raise Unsupported(line, f"`{name}` {what} in this module", f"Import {name} and give no other thing that name")


@lru_cache(maxsize=1024)
def _check_code(code: CodeType, text: str) -> None:
    function = only_function(text)
    foreign = [name for name in code.co_freevars if name not in FUNCTIONS and name not in LAWS]
    if foreign:
        raise Unsupported(function.lineno, f"`{foreign[0]}` comes from outside the function", "Make it a parameter")
    if not _same(code, _compiled(function, code.co_freevars)):
        raise Unsupported(
            function.lineno,
            "the function that runs is not the one in this text: the file changed, or the function was wrapped or replaced",
            "Load the module again, and decorate with @mechanism(...) alone",
        )


def _compiled(function: ast.FunctionDef, freevars: tuple[str, ...]) -> CodeType:
    """The code that Python makes of a definition; names from an enclosing function are stood in for by a local of one."""
    plain = ast.FunctionDef(function.name, function.args, function.body, [], None, None, lineno=1, col_offset=0)
    outside = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in freevars]
    arguments = ast.arguments([], [], None, [], [], None, [])
    wrapper = ast.FunctionDef("wrapper", arguments, [*outside, plain], [], None, None)
    module = ast.fix_missing_locations(ast.Module([wrapper], []))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = compile(module, "<card>", "exec", dont_inherit=True)
    outer = next(part for part in compiled.co_consts if isinstance(part, CodeType))
    return next(part for part in outer.co_consts if isinstance(part, CodeType) and part.co_name == function.name)


def _same(one: CodeType, other: CodeType) -> bool:
    """Whether two code objects do the same, wherever their lines are; constants are compared with their types."""
    return _outline(one) == _outline(other) and all(
        _same(a, b) if isinstance(a, CodeType) and isinstance(b, CodeType) else repr(a) == repr(b) and type(a) is type(b)
        for a, b in zip(one.co_consts, other.co_consts, strict=True)
    )


def _outline(code: CodeType) -> tuple[object, ...]:
    return (
        code.co_code,
        code.co_exceptiontable,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        len(code.co_consts),
    )


@lru_cache(maxsize=1024)
def _called(text: str) -> tuple[tuple[str, int], ...]:
    """The vocabulary that the text calls, each name with the first line that does."""
    lines: dict[str, int] = {}
    for node in _calls(only_function(text)):
        assert isinstance(node.func, ast.Name)
        if node.func.id in FUNCTIONS or node.func.id in LAWS:
            lines.setdefault(node.func.id, node.lineno)
    return tuple(lines.items())


def _calls(function: ast.FunctionDef) -> Iterator[ast.Call]:
    for statement in function.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield node


def _genuine(name: str) -> object:
    if name == "Fraction":
        return Fraction
    home = builtins if name in BUILTINS else distributions if name in LAWS else arrays
    return getattr(home, name)


def _contents(cell: Any) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return _MISSING
