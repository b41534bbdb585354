"""The cards of a file: it is parsed, never imported or run, whatever else stands in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from twoworlds.source.bindings import Bindings, bindings
from twoworlds.source.parser import parse_function
from twoworlds.source.program import Program
from twoworlds.source.signature import declared, keywords
from twoworlds.source.text import hashed, syntax
from twoworlds.worlds.cards import called
from twoworlds.worlds.errors import Unsupported

__all__ = ["Found", "read_cards"]

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Found:
    """A card in a file: its program, or why it has none; `keywords` are those of `@mechanism(...)`, as they are written."""

    name: str
    line: int
    program: Program | Unsupported
    keywords: Mapping[str, ast.expr] = field(default_factory=dict, compare=False)


def read_cards(text: str) -> list[Found]:
    """Every card of a file in the order of the text; a file that is not Python is one finding with the line.

    Lines count from the top of the file, also in programs and errors.
    """
    try:
        tree = syntax(text)
    except Unsupported as error:
        return [Found("", error.line, error)]
    file = _File(tree, bindings(tree), re.split("\r\n|\r|\n", text))
    definitions = (node for node in ast.walk(tree) if isinstance(node, _Definition))
    marked = [node for node in definitions if any(map(file.names.is_mechanism, node.decorator_list))]
    return [_found(node, file) for node in sorted(marked, key=lambda node: node.lineno)]


class _File:
    """A parsed file: what its names mean, and its definitions at the top level by name."""

    def __init__(self, tree: ast.Module, names: Bindings, lines: list[str]) -> None:
        self.names, self.lines = names, lines
        self.defined: dict[str, list[_Definition]] = {}
        for node in tree.body:
            if isinstance(node, _Definition):
                self.defined.setdefault(node.name, []).append(node)

    def text(self, function: ast.FunctionDef) -> str:
        """The lines of a function, decorators included."""
        first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
        return "\n".join(self.lines[first - 1 : function.end_lineno])

    def helpers(self, card: ast.FunctionDef) -> dict[str, ast.FunctionDef]:
        """The functions of this file that a card calls, and those that they call, by name."""
        found: dict[str, ast.FunctionDef] = {}
        waiting = [card]
        while waiting:
            for name in called(self.text(waiting.pop())):
                function = next(iter(self.defined.get(name, ())), None)
                if name not in found and isinstance(function, ast.FunctionDef) and self.names.is_plain(name):
                    found[name] = function
                    waiting.append(function)
        return dict(sorted(found.items()))


def _found(node: _Definition, file: _File) -> Found:
    words: dict[str, ast.expr] = {}
    try:
        if not isinstance(node, ast.FunctionDef):
            raise Unsupported(node.lineno, f"`{node.name}` is no plain function", "Write a plain `def`")
        words = keywords(node)
        program: Program | Unsupported = _program(node, file)
    except Unsupported as error:
        program = error
    return Found(node.name, node.lineno, program, words)


def _program(node: ast.FunctionDef, file: _File) -> Program:
    same = file.defined.get(node.name, [])
    if node not in same:
        raise Unsupported(
            node.lineno, f"`{node.name}` is defined inside something else", "Define cards at the top level of the file"
        )
    if len(same) > 1:
        raise Unsupported(node.lineno, f"`{node.name}` is defined {len(same)} times", "Give every card a name of its own")
    file.names.check(node)
    private = declared(node).parameter
    if private is not None and private not in [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]:
        raise Unsupported(node.lineno, f"`neighbours` speaks of `{private}`, which is no parameter", "Name one of its parameters")
    helpers = file.helpers(node)
    for function in helpers.values():
        file.names.check(function)
    return parse_function(node, hashed(file.text(node), map(file.text, helpers.values())), private, helpers)
