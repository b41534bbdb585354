"""The cards of a file: it is parsed, never imported or run, whatever else stands in it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from twoworlds.source.bindings import Bindings, bindings
from twoworlds.source.parser import parse_function
from twoworlds.source.program import Program
from twoworlds.source.signature import declared, keywords
from twoworlds.source.text import syntax
from twoworlds.worlds.cards import digest
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
    names = bindings(tree)
    lines = text.splitlines()
    marked = [
        node for node in ast.walk(tree) if isinstance(node, _Definition) and any(map(names.is_mechanism, node.decorator_list))
    ]
    marked.sort(key=lambda node: node.lineno)
    return [_found(node, tree, names, lines) for node in marked]


def _found(node: _Definition, tree: ast.Module, names: Bindings, lines: list[str]) -> Found:
    words: dict[str, ast.expr] = {}
    try:
        if not isinstance(node, ast.FunctionDef):
            raise Unsupported(node.lineno, f"`{node.name}` is no plain function", "Write a plain `def`")
        words = keywords(node)
        program: Program | Unsupported = _program(node, tree, names, lines)
    except Unsupported as error:
        program = error
    return Found(node.name, node.lineno, program, words)


def _program(node: ast.FunctionDef, tree: ast.Module, names: Bindings, lines: list[str]) -> Program:
    if node not in tree.body:
        raise Unsupported(
            node.lineno, f"`{node.name}` is defined inside something else", "Define cards at the top level of the file"
        )
    same = [other for other in tree.body if isinstance(other, _Definition) and other.name == node.name]
    if len(same) > 1:
        raise Unsupported(node.lineno, f"`{node.name}` is defined {len(same)} times", "Give every card a name of its own")
    names.check(node)
    private = declared(node).parameter
    if private is not None and private not in [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]:
        raise Unsupported(node.lineno, f"`neighbours` speaks of `{private}`, which is no parameter", "Name one of its parameters")
    first = node.decorator_list[0].lineno
    return parse_function(node, digest("\n".join(lines[first - 1 : node.end_lineno])))
