"""Files and functions stay small enough to be read at once. `pytest -rP tests/repo/test_sizes.py` prints what is large."""

from __future__ import annotations

import ast
import re

from tests.repo.house import functions, modules, python_files, shown, tree

FILE_LIMIT, FILE_AIM = 400, 150
FUNCTION_LIMIT, FUNCTION_AIM = 60, 25
VAGUE = re.compile(r"utils?|base|common|helpers?|managers?|misc|core")


def report(found: dict[str, int], aim: int) -> None:
    for name, lines in sorted(found.items(), key=lambda entry: -entry[1]):
        if lines > aim:
            print(f"{lines:4} lines  {name}")


def test_files_are_at_most_400_lines() -> None:
    """No file of ours is longer than 400 lines; those above 150 are printed."""
    lengths = {shown(path): len(path.read_text().splitlines()) for path in python_files()}
    report(lengths, FILE_AIM)
    assert len(lengths) >= 30
    assert {name: lines for name, lines in lengths.items() if lines > FILE_LIMIT} == {}


def test_functions_are_at_most_60_lines() -> None:
    """No function of ours is longer than 60 lines without its docstring; those above 25 are printed."""
    lengths = {f"{shown(path)}: {name}": lines for path in python_files() for name, lines in functions(path)}
    report(lengths, FUNCTION_AIM)
    assert len(lengths) >= 100
    assert {name: lines for name, lines in lengths.items() if lines > FUNCTION_LIMIT} == {}


def test_lengths_are_measured() -> None:
    """The measure sees what it should: this very function, docstring left out."""
    own = next(path for path in python_files() if path.name == "test_sizes.py")
    assert dict(functions(own))["test_lengths_are_measured"] == 3


def test_every_module_says_what_it_is() -> None:
    """Each module is named by a noun that says something and opens with a docstring."""
    assert [name for name in modules() if VAGUE.fullmatch(name.rsplit(".", 1)[-1])] == []
    assert [shown(path) for path in python_files() if path.read_text().strip() and not ast.get_docstring(tree(path))] == []


def test_functions_are_verbs() -> None:
    """No function of the package is called make_something."""
    found = [f"{shown(path)}: {name}" for path in modules().values() for name, _ in functions(path)]
    assert found and [name for name in found if ": make_" in name] == []
