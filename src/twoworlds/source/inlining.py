"""Helper functions written in place of their calls, so that every reader sees one program.

A helper is a plain function of the same module. Its variables get names of their own; a plain name handed in is used as it is,
any other argument is held first, in the order of the call. It must not change its arguments, and it returns at the end of a
branch, not from inside a loop; so its body is entered and left in one place, that of the call.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from dataclasses import replace

from twoworlds.source.expressions import FUNCTIONS, LAWS
from twoworlds.source.program import Assign, Expr, For, If, Name, Stmt, While
from twoworlds.source.signature import bind
from twoworlds.source.statements import Statements, changed_names
from twoworlds.worlds.errors import Unsupported

__all__ = ["Inlining"]

_RESULT = "return"  # a name that no Python variable can have
_DEEPEST = 8
_MOST_CALLS = 200
_MOST_PARTS = 50_000


class Inlining(Statements):
    """Reads statements, and the bodies of helper functions where they are called."""

    def __init__(self, helpers: Mapping[str, ast.FunctionDef]) -> None:
        super().__init__()
        self.helpers = helpers
        self.calls = self.parts = 0

    def in_place_of_call(self, name: str, node: ast.Call, before: list[Stmt]) -> Expr:
        function, line = self.helpers[name], node.lineno
        self.calls += 1
        if name in self.inside:
            raise Unsupported(line, f"`{name}` calls itself", "Write a loop")
        if len(self.inside) >= _DEEPEST or self.calls > _MOST_CALLS:
            raise Unsupported(line, f"more than {_MOST_CALLS} calls, or {_DEEPEST} within each other", "Call fewer functions")
        self.parts += sum(1 for _ in ast.walk(function))
        if self.parts > _MOST_PARTS:
            raise Unsupported(line, "the functions that are called are too long to be written in place", "Call shorter functions")
        names = self.arguments(function, node, before)
        outer, self.renamed, self.inside = (self.renamed, self.inside), names, (*self.inside, name)
        try:
            steps = self.block(_single_exit(_body(function), function.lineno))
        except Unsupported as error:
            where = f"in `{name}`, line {error.line}" if len(self.inside) == 1 else "in a function that it calls"
            raise Unsupported(line, f"{where}: {error.reason}", error.fix) from None
        finally:
            self.renamed, self.inside = outer
        own = frozenset(name for name in names.values() if "$" in name and name not in outer[0].values())
        before.extend(_at(step, line, names[_RESULT], own) for step in steps)
        return Name(names[_RESULT])

    def arguments(self, function: ast.FunctionDef, node: ast.Call, before: list[Stmt]) -> dict[str, str]:
        """The names that the helper's variables have in the program; arguments that are no plain names are held first."""
        _check(function, self.helpers, node.lineno)
        written = changed_names(function.body)
        names = {**{name: self.own(name) for name in sorted(written)}, _RESULT: self.name(_RESULT)}
        for parameter, argument in bind(function, node):
            if parameter == "sample" or _is_sample_name(argument):
                if parameter != "sample" or not _is_sample_name(argument):
                    raise Unsupported(node.lineno, "`sample` is handed on under another name", "Hand it on as sample=sample")
                continue
            value = self.expression(argument, before)
            if isinstance(value, Name) and "@" not in value.name and parameter not in written:
                names[parameter] = value.name
            else:
                names.setdefault(parameter, self.own(parameter))
                before.append(Assign(node.lineno, names[parameter], value))
        return names


def _check(function: ast.FunctionDef, helpers: Collection[str], line: int) -> None:
    head = function.args
    parameters = {argument.arg for argument in (*head.posonlyargs, *head.args, *head.kwonlyargs)}
    for name in parameters & {*FUNCTIONS, *LAWS, *helpers}:
        raise Unsupported(line, f"`{function.name}` has a parameter called `{name}`", "Choose another name for it")
    for node in (part for statement in function.body for part in ast.walk(statement)):
        if isinstance(node, ast.Attribute) or (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)):
            if isinstance(node.value, ast.Name) and node.value.id in parameters:
                raise Unsupported(line, f"`{function.name}` changes its argument `{node.value.id}`", "Return a new list")
        elif isinstance(node, ast.Name) and node.id == "sample" and "sample" not in parameters:
            raise Unsupported(line, f"`{function.name}` draws but takes no `sample`", "Add `*, sample` and hand it on")


def _body(function: ast.FunctionDef) -> list[ast.stmt]:
    return function.body[1:] if ast.get_docstring(function) is not None else function.body


def _single_exit(body: list[ast.stmt], line: int) -> list[ast.stmt]:
    """The same statements with one way out, at the end: what follows a branch that returns moves into the other branch."""
    steps: list[ast.stmt] = []
    for at, node in enumerate(body):
        rest = body[at + 1 :]
        if isinstance(node, ast.Return):
            if rest:
                raise Unsupported(rest[0].lineno, "this line is never reached", "Remove it")
            return [*steps, _give(node.value, node.lineno)]
        if isinstance(node, ast.If) and _returns(node):
            then, otherwise = node.body, node.orelse
            if _always(then):
                otherwise = [*otherwise, *rest]
            elif _always(otherwise):
                then = [*then, *rest]
            elif rest:
                raise Unsupported(node.lineno, "only one way through this branch returns", "Return at the end")
            parts = _single_exit(then, node.lineno), _single_exit(otherwise, node.lineno)
            return [*steps, ast.copy_location(ast.If(node.test, *parts), node)]
        if _returns(node):
            raise Unsupported(
                node.lineno, "the function returns from inside a loop", "Leave the loop by `break` and return after it"
            )
        steps.append(node)
    return [*steps, _give(None, line)]


def _give(value: ast.expr | None, line: int) -> ast.stmt:
    given = value if value is not None else ast.Constant(None, lineno=line, col_offset=0)
    return ast.Assign([ast.Name(_RESULT, ast.Store())], given, lineno=line)


def _returns(node: ast.stmt) -> bool:
    return any(isinstance(part, ast.Return) for part in ast.walk(node))


def _always(body: list[ast.stmt]) -> bool:
    """Whether every way through these statements returns."""
    last = body[-1] if body else None
    return isinstance(last, ast.Return) or (isinstance(last, ast.If) and _always(last.body) and _always(last.orelse))


def _is_sample_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "sample"


def _at(step: Stmt, line: int, result: str, own: frozenset[str]) -> Stmt:
    """The statement as if it stood in this line, where its reader finds the call; what it hands back of its own is let go of."""
    if isinstance(step, If):
        parts = [tuple(_at(part, line, result, own) for part in branch) for branch in (step.then, step.otherwise)]
        return If(line, step.test, *parts)
    if isinstance(step, For | While):
        return replace(step, line=line, body=tuple(_at(part, line, result, own) for part in step.body))
    if isinstance(step, Assign) and step.target == result and isinstance(step.value, Name) and step.value.name in own:
        return replace(step, line=line, last=True)
    return replace(step, line=line)
