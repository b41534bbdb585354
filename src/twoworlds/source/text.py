"""From text to Python's syntax tree, whatever the text: a file from a stranger is parsed, never run."""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Iterable

from twoworlds.worlds.cards import digest
from twoworlds.worlds.errors import Unsupported

__all__ = ["hashed", "only_function", "syntax"]

_MOST_CHARACTERS = 1_000_000


def syntax(text: str) -> ast.Module:
    """The syntax tree of a text, or `Unsupported` with the line where it stops to be Python."""
    if len(text) > _MOST_CHARACTERS:
        raise Unsupported(1, f"the text has {len(text):,} characters", f"Keep files within {_MOST_CHARACTERS:,} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python thinks of a stranger's escape sequences is no concern of ours
            return ast.parse(text)
    except SyntaxError as error:
        raise Unsupported(error.lineno or 1, f"this is not Python: {error.msg}", "Correct the syntax") from None
    except ValueError:
        raise Unsupported(1, "the text holds characters that Python refuses", "Save the file as UTF-8 text") from None
    except (RecursionError, MemoryError):
        raise Unsupported(1, "the text is nested too deeply to parse", "Write long expressions in several lines") from None


def hashed(text: str, helpers: Iterable[str] = ()) -> str:
    """The digest of a function's text, which is what certificates are tied to."""
    try:
        return digest(text, helpers)
    except RecursionError:
        raise Unsupported(1, "the text is nested too deeply", "Write long expressions in several lines") from None


def only_function(text: str) -> ast.FunctionDef:
    """The single function that a text defines."""
    tree = syntax(textwrap.dedent(text))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    if len(functions) != 1:
        raise Unsupported(1, f"the text holds {len(functions)} functions", "Give the text of a single function")
    if isinstance(functions[0], ast.AsyncFunctionDef):
        raise Unsupported(functions[0].lineno, "the function is asynchronous", "Write a plain `def`")
    return functions[0]
