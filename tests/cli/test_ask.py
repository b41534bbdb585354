"""`twoworlds ask` as it is typed: where the answer goes is looked at before it is paid for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.test_main import typed
from tests.queries.asked import policy_in

COUNT = "SELECT city, COUNT(*) AS n FROM visits GROUP BY city"
Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Say something in a folder with visits and their policy."""
    policy_in(tmp_path)
    monkeypatch.chdir(tmp_path)
    return lambda *words: typed(capsys, monkeypatch, *words)


@pytest.fixture
def ask(say: Say) -> Say:
    return lambda *words: say("ask", *words)


@pytest.mark.parametrize(
    ("option", "path"),
    [
        ("--out", "visits.csv"),  # the private table itself was replaced by the answer
        ("--svg", "visits.csv"),
        ("--svg", "privacy.toml"),
        ("--svg", "privacy.ledger"),
        ("--svg", "nowhere/chart.svg"),  # charged, drawn into no folder, and never shown
        ("--svg", "folder"),
        ("--out", "answer.txt"),
    ],
)
def test_where_an_answer_cannot_go_is_told_before_the_charge(ask: Say, tmp_path: Path, option: str, path: str) -> None:
    """Nothing is charged, and no file is touched."""
    (tmp_path / "folder").mkdir()
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir() if one.is_file()}
    code, out, err = ask(COUNT, "--epsilon", "1", option, path)
    assert (code, out) == (2, "") and option in err and "Traceback" not in err
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir() if one.is_file()} == before


def test_an_answer_is_shown_though_it_cannot_be_drawn(ask: Say) -> None:
    """It was paid for: what goes wrong afterwards comes after it."""
    code, out, err = ask("SELECT TOP_K(city, 1) AS most FROM visits", "--epsilon", "1", "--svg", "chart.svg")
    assert code == 2 and "most" in out and "cannot be drawn" in err


def test_a_policy_that_is_not_there_is_told_so(ask: Say) -> None:
    """With what writes one."""
    code, _, err = ask(COUNT, "--epsilon", "1", "--policy", "other.toml")
    assert code == 2 and "there is no other.toml" in err and "twoworlds init" in err


def test_what_cannot_be_encoded_is_refused(ask: Say) -> None:
    """Bytes of another encoding in the terminal."""
    code, out, err = ask("SELECT COUNT(*) AS n FROM visits WHERE city = 'Gen\udce8ve'", "--epsilon", "1")
    assert (code, out) == (3, "") and "half of a character" in err
    assert sys.getfilesystemencoding() == "utf-8"


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("init", "visits.csv", "--unit", "user_id", "--out", "nowhere/privacy.toml"), 2, "nowhere/privacy.toml cannot be used"),
        (("init", "visits.csv", "--unit", "user_id", "--out", "new.toml", "--epsilon", "much"), 2, "does not read as a number"),
        (("init", "visits.csv", "--unit", "user_id", "--out", "new.toml", "--epsilon", "-1"), 2, "epsilon"),
        (("ledger", "show", "visits.csv"), 2, "Give the path of a ledger"),
        (("verify", "visits.csv"), 2, "neither a receipt nor a ledger"),
    ],
)
def test_slips_are_told_in_a_sentence(say: Say, words: tuple[str, ...], code: int, told: str) -> None:
    """Which file or word it is, and what to do."""
    found, out, err = say(*words)
    assert (found, out) == (code, "") and told in err and "Traceback" not in err


def test_half_an_epsilon_may_be_written_as_a_fraction(say: Say) -> None:
    """The policy that is written can be read."""
    words = ("init", "visits.csv", "--unit", "user_id", "--rows", "5", "--out", "half.toml", "--epsilon", "1/2")
    assert say(*words)[0] == 0
    assert say("ask", "SELECT COUNT(*) AS n FROM visits", "--epsilon", "1/4", "--policy", "half.toml")[0] == 0


def test_a_fault_of_ours_is_no_verdict(ask: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 1 says that something was refuted or tampered with."""
    monkeypatch.setattr("twoworlds.queries.session.Session.offer", lambda *_, **__: 1 / 0)
    code, out, err = ask(COUNT, "--epsilon", "1")
    assert (code, out) == (5, "") and "a fault of twoworlds" in err
