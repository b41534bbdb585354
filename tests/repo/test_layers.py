"""The rooms: who may import whom, checked on the package and on planted violations."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo.house import PROJECT, ROOT, rooms

ROOMS, PURE = PROJECT["tool"]["importlinter"]["contracts"]
LAYERS = [re.split(r"\s*\|\s*", line) for line in ROOMS["layers"]]


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter by our own contracts on the package below this folder."""
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--config", "pyproject.toml"]
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "COLUMNS": "300"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def skeleton(tmp_path: Path) -> Path:
    """An empty house with every room built, under our own contracts."""
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    for name in ["", *(room.strip("()") for layer in LAYERS for room in layer)]:
        folder = tmp_path / "src" / "twoworlds" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").touch()
    return tmp_path


def test_our_rooms_import_only_lower_rooms() -> None:
    """Both contracts hold on the package as it is."""
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Contracts: 2 kept, 0 broken" in result.stdout


def test_an_empty_house_keeps_the_contracts(skeleton: Path) -> None:
    """The planted violations below are the only reason why the contracts break there."""
    result = lint(skeleton)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("form", ["{}\n", "def later():\n    {}\n"], ids=["at the top", "inside a function"])
@pytest.mark.parametrize(
    ("room", "line", "contract"),
    [
        ("worlds", "import twoworlds.losses", ROOMS),
        ("source", "from twoworlds import losses", ROOMS),
        ("mechanisms", "import twoworlds.sampling", ROOMS),
        ("proofs", "from twoworlds.cli import main", ROOMS),
        ("worlds", "import random", PURE),
        ("losses", "from secrets import randbits", PURE),
        ("source", "import z3", PURE),
        ("mechanisms", "import sqlite3", PURE),
    ],
)
def test_a_planted_import_breaks_its_contract(skeleton: Path, form: str, room: str, line: str, contract: dict[str, str]) -> None:
    """A forbidden import fails the check, at the top of a module and inside a function alike."""
    (skeleton / "src/twoworlds/cli/main.py").touch()
    (skeleton / f"src/twoworlds/{room}/planted.py").write_text(form.format(line))
    result = lint(skeleton)
    assert result.returncode == 1
    assert f"{contract['name']} BROKEN" in result.stdout, result.stdout
    assert f"twoworlds.{room}.planted" in result.stdout


def test_an_unlisted_room_breaks_the_contract(skeleton: Path) -> None:
    """A room that no layer lists fails the check: nobody can build outside the plan."""
    (skeleton / "src/twoworlds/extras").mkdir()
    (skeleton / "src/twoworlds/extras/__init__.py").touch()
    result = lint(skeleton)
    assert result.returncode == 1 and "extras" in result.stdout, result.stdout


def test_brackets_mark_exactly_the_rooms_that_are_not_built() -> None:
    """A room in brackets may be missing; once it is built its brackets come off, in pyproject.toml."""
    listed = [room for layer in LAYERS for room in layer]
    assert {room for room in listed if not room.startswith("(")} == rooms()
    assert len(listed) == 16


def test_the_pure_rooms_are_those_that_guarantees_are_made_of() -> None:
    """Of worlds, source, losses and mechanisms, each that is built is under the second contract."""
    assert set(PURE["source_modules"]) == {f"twoworlds.{name}" for name in rooms() & {"worlds", "source", "losses", "mechanisms"}}
