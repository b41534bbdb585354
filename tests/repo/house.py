"""What the house rules look at: the repository's files, and the package's modules as syntax trees."""

from __future__ import annotations

import ast
import io
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "twoworlds"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def rooms() -> set[str]:
    """The rooms that have been built: folders of the package that hold Python files."""
    return {folder.name for folder in PACKAGE.iterdir() if any(folder.glob("*.py"))}


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def python_files() -> list[Path]:
    """Every Python file that we wrote."""
    return sorted(path for folder in ("src", "tests", "benchmarks", "examples") for path in (ROOT / folder).rglob("*.py"))


def pages() -> list[Path]:
    """Every page of prose."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Every function with its length in lines, docstring not counted."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = node.body[0] if ast.get_docstring(node) is not None else None
            documented = (docstring.end_lineno or 0) - docstring.lineno + 1 if docstring else 0
            yield node.name, (node.end_lineno or 0) - node.lineno + 1 - documented


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Every comment of a Python text with its line."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def names(node: ast.AST) -> Iterator[str]:
    """Dotted names below a node, as they are written: `np.random.normal`."""
    for child in ast.walk(node):
        if isinstance(child, ast.Attribute | ast.Name):
            parts: list[str] = []
            inner: ast.expr = child
            while isinstance(inner, ast.Attribute):
                parts.append(inner.attr)
                inner = inner.value
            if isinstance(inner, ast.Name):
                yield ".".join([inner.id, *reversed(parts)])
