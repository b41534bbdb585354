"""A run of the tests leaves no new file in the tree, and none that was left is tracked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.leftovers import left, untracked
from tests.repo.house import ROOT


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / ".gitignore").write_text("__pycache__/\n")
    return tmp_path


@pytest.mark.parametrize("name", ["\x06\x06ö6P-shm", "-shm", "budget.db", "answers/out.csv", " led ger\n"])
def test_what_is_left_is_seen(repository: Path, name: str) -> None:
    """A file with any name, in any folder, is found and named."""
    before = untracked(repository)
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).write_bytes(b"x")
    assert left(before, untracked(repository)) == [name]


def test_what_was_there_or_is_ignored_is_not_left(repository: Path) -> None:
    """Files from before the run, caches, and what somebody writes meanwhile are nobody's fault."""
    (repository / "mine.db").touch()
    before = untracked(repository)
    (repository / "__pycache__").mkdir()
    (repository / "__pycache__" / "x.pyc").touch()
    (repository / "test_new.py").touch()
    assert left(before, untracked(repository)) == []


def test_without_git_nothing_is_said(tmp_path: Path) -> None:
    """An unpacked archive can be tested too."""
    assert untracked(tmp_path) is None
    assert left(None, None) == []


def test_no_tracked_file_was_left_by_a_run() -> None:
    """Every tracked name is plain text, and none is a database or what goes along with one."""
    if untracked(ROOT) is None:
        pytest.skip("no git here")
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    assert len(tracked) > 100
    strange = [name for name in tracked if not name.isascii() or b"\\" in name or any(byte < 33 for byte in name)]
    kept = [name for name in tracked if name.endswith((b"-shm", b"-wal", b"-journal", b".db", b".duckdb", b".key", b".head"))]
    assert strange == kept == []
