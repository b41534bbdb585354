"""A bar for work of more than a second, where somebody looks on; nothing else is ever written."""

from __future__ import annotations

import io
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.queries.asked import visits
from twoworlds.queries import count, waiting


class Screen(io.StringIO):
    """Standard error of somebody who looks on."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    found = Screen()
    monkeypatch.setattr(waiting, "sys", SimpleNamespace(stderr=found))
    monkeypatch.setattr(waiting, "_PACE", 0.001)
    return found


@pytest.mark.parametrize(("share", "shown"), [(0.5, "50%"), (None, "=.")])
def test_slow_work_shows_how_far_it_is(screen: Screen, monkeypatch: pytest.MonkeyPatch, share: float | None, shown: str) -> None:
    """A share where it is known, else a mark that moves; the line is wiped at the end."""
    monkeypatch.setattr(waiting, "_PATIENCE", 0.0)
    asked = threading.Event()

    def progress() -> float | None:
        if len(screen.getvalue()) > 200:
            asked.set()
        return share

    with waiting.waiting(progress):
        assert asked.wait(30)
    assert shown in screen.getvalue() and screen.getvalue().endswith("\r")


def test_quick_work_shows_nothing(screen: Screen, tmp_path: Path) -> None:
    """An answer within a second leaves the screen as it was."""
    visits(tmp_path).agg(count()).release(epsilon=1)
    assert "[" not in screen.getvalue()


def test_slow_answers_show_it(screen: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar is part of every release, in Python as in the terminal."""
    monkeypatch.setattr(waiting, "_PATIENCE", 0.0)
    table = visits(tmp_path)
    run = table.session.engine.run
    seen = threading.Event()

    def slow(text: str) -> object:
        while "[" not in screen.getvalue():
            seen.wait(0.01)
        return run(text)

    monkeypatch.setattr(table.session.engine, "run", slow)
    assert table.agg(count()).release(epsilon=1).receipt
