"""The public names: few, all found, loaded only when asked for."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from importlib import import_module

import pytest

import twoworlds
from tests.repo.house import PACKAGE, ROOT, tree

# Prints what a fresh interpreter has loaded after one statement: modules of ours, and packages outside the standard library.
PROBE = """
import json, sys
before = set(sys.modules)
{statement}
loaded = set(sys.modules) - before
ours = sorted(name for name in loaded if name.partition(".")[0] == "twoworlds")
foreign = sorted({{name.partition(".")[0] for name in loaded}} - sys.stdlib_module_names - {{"twoworlds"}})
print(json.dumps([ours, foreign]))
"""


def load(statement: str) -> tuple[list[str], list[str]]:
    """What a statement loads in a fresh interpreter."""
    code = PROBE.format(statement=statement)
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    ours, foreign = json.loads(ran.stdout)
    return ours, foreign


def test_at_most_thirty_public_names() -> None:
    """The package's front is small, sorted and without doubles."""
    assert 5 <= len(twoworlds.__all__) <= 30
    assert twoworlds.__all__ == sorted(set(twoworlds.__all__))


def test_every_public_name_is_public_in_its_room() -> None:
    """Each name leads to an object that its own module lists as public, and says what it is."""
    for name, home in twoworlds._HOMES.items():
        module = import_module(f"twoworlds.{home}")
        assert name in module.__all__, f"{home} does not list {name}"
        assert getattr(twoworlds, name) is getattr(module, name)
        assert getattr(twoworlds, name).__doc__, f"{name} has no docstring"


def test_type_checkers_see_the_same_names() -> None:
    """The imports written for type checkers say what the table says."""
    typed = {
        (alias.asname, str(node.module).removeprefix("twoworlds."))
        for node in ast.walk(tree(PACKAGE / "__init__.py"))
        if isinstance(node, ast.ImportFrom) and node.module != "importlib"
        for alias in node.names
    }
    assert typed == set(twoworlds._HOMES.items())


def test_an_unknown_name_says_what_there_is() -> None:
    """A misspelt name is an AttributeError that lists the public names."""
    with pytest.raises(AttributeError, match=r"no 'laplace_mechanism'.* mechanism"):
        twoworlds.laplace_mechanism  # noqa: B018  the access itself is what is tested


def test_import_loads_nothing() -> None:
    """`import twoworlds` loads no room and nothing outside the standard library."""
    assert load("import twoworlds") == (["twoworlds"], [])


def test_the_probe_sees_what_is_loaded() -> None:
    """The probe would notice a room or a dependency that is loaded too early."""
    ours, foreign = load("import twoworlds, numpy; twoworlds.Each")
    assert "twoworlds.worlds.neighbours" in ours and "numpy" in foreign


def test_the_vocabulary_is_standard_library_only() -> None:
    """The rooms `worlds` and `figures` load nothing outside the standard library."""
    rooms = [room for room in ("worlds", "figures") if (PACKAGE / room / "__init__.py").exists()]
    found = [f"twoworlds.{room}.{path.stem}" for room in rooms for path in (PACKAGE / room).glob("[!_]*.py")]
    assert len(found) >= 8
    _, foreign = load(f"import {', '.join(found)}")
    assert foreign == []


def test_no_room_imports_the_front() -> None:
    """Rooms import rooms, never the package's lazy names, which the layers cannot see through."""
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted(PACKAGE.glob("*/**/*.py"))
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and node.module == "twoworlds" and {a.name for a in node.names} & {*twoworlds.__all__}
    ]
    assert found == []
