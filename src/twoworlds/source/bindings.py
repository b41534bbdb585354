"""What the names of a file mean, read off its text: a card is only what it seems where `Laplace` and `len` are the real ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from twoworlds.source.expressions import BUILTINS, FUNCTIONS, LAWS
from twoworlds.worlds.errors import Unsupported

__all__ = ["Bindings", "bindings"]

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


@dataclass(frozen=True)
class Bindings:
    """The names that a file binds at its top level: `imported` says from where, `bound` has the lines of all other ways.

    `decorators` are the names under which the file knows `mechanism`, `anything` the line of a star import from a stranger.
    """

    imported: Mapping[str, str] = field(default_factory=dict)
    bound: Mapping[str, list[int]] = field(default_factory=dict)
    decorators: frozenset[str] = frozenset()
    anything: int | None = None

    def is_mechanism(self, decorator: ast.expr) -> bool:
        """Whether a decorator is `@mechanism(...)`, under the name by which the file imports it."""
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(called, ast.Attribute):
            return called.attr == "mechanism"
        return isinstance(called, ast.Name) and called.id in self.decorators

    def is_plain(self, name: str) -> bool:
        """Whether a name that is defined at the top level is bound nowhere else."""
        return len(self.bound.get(name, ())) == 1 and name not in self.imported and self.anything is None

    def check(self, function: ast.FunctionDef) -> None:
        """Refuse a function that calls part of the vocabulary by a name that the file gives to something else."""
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                self._check_name(node.func.id, node.lineno)

    def _check_name(self, name: str, line: int) -> None:
        if name not in FUNCTIONS and name not in LAWS:
            return
        fix = f"Import {name} and give no other thing that name"
        if name in self.bound:
            raise Unsupported(line, f"`{name}` is given another meaning in line {self.bound[name][0]}", fix)
        if self.anything is not None:
            raise Unsupported(line, f"`{name}` may come from the star import in line {self.anything}", "Import names one by one")
        if name in BUILTINS:
            genuine = name not in self.imported
        else:
            genuine = _genuine(name, self.imported.get(name, ""))
        if not genuine:
            raise Unsupported(line, f"`{name}` is not the one of twoworlds in this file", fix)


def bindings(tree: ast.Module) -> Bindings:
    """The top-level names of a file, and the names that its functions declare global."""
    imported: dict[str, str] = {}
    bound: dict[str, list[int]] = {}
    decorators = {"mechanism"}
    anything = None
    for node in _top(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                source = f"{'.' * node.level}{node.module or ''}.{alias.name}"
                if alias.name != "*":
                    _import(imported, bound, alias.asname or alias.name, source, node.lineno)
                    if alias.name == "mechanism":
                        decorators.add(alias.asname or alias.name)
                elif not _is_ours(source):
                    anything = node.lineno
        elif isinstance(node, ast.Import):
            for alias in node.names:
                _import(imported, bound, alias.asname or alias.name.split(".")[0], alias.name, node.lineno)
        else:
            for name in _binds(node):
                bound.setdefault(name, []).append(getattr(node, "lineno", 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            for name in node.names:
                bound.setdefault(name, []).append(node.lineno)
    return Bindings(imported, bound, frozenset(decorators), anything)


def _import(imported: dict[str, str], bound: dict[str, list[int]], name: str, source: str, line: int) -> None:
    """A name that is imported from two places means whatever ran last."""
    if imported.setdefault(name, source) != source:
        bound.setdefault(name, []).append(line)


def _top(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that run when the file is loaded, in order: those outside functions and classes, and the definitions."""
    waiting: list[ast.AST] = [node]
    while waiting:
        current = waiting.pop()
        yield current
        if not isinstance(current, _SCOPES):
            waiting.extend(reversed(list(ast.iter_child_nodes(current))))


def _binds(node: ast.AST) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
        return [node.id]
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return [node.name] if node.name else []
    return [node.rest] if isinstance(node, ast.MatchMapping) and node.rest else []


def _is_ours(source: str) -> bool:
    return source.startswith((".", "twoworlds."))


def _genuine(name: str, source: str) -> bool:
    """Whether an imported name is that of the vocabulary; a file without the import could not run, and is read as meant."""
    if name == "Fraction":
        return source in ("", "fractions.Fraction")
    return not source or (_is_ours(source) and source.endswith(f".{name}") and not source.startswith("."))
