"""The curator's verbs: what is printed can be typed back, what was lost is paid for, a receipt convinces who gets it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.ledger.books import EVENT, ask
from twoworlds.cli import main as door
from twoworlds.ledger.book import Ledger
from twoworlds.losses.filters import PureFilter
from twoworlds.losses.prices import Pure


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)

    def typed(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["twoworlds", *words])
        try:
            door.main()
            code = 0
        except SystemExit as left:
            code = int(left.code or 0)
        streams = capsys.readouterr()
        return code, streams.out, streams.err

    return typed


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    found = Ledger(tmp_path / "l.db")
    found.create("people", PureFilter(2))
    ask(found, 7)
    return found


@pytest.mark.usefixtures("book")
def test_a_receipt_goes_from_hand_to_hand(say, tmp_path: Path) -> None:
    """The hash that the log shows makes a receipt; it holds under the pinned key, not under another, nor with another answer."""
    code, out, _ = say("ledger", "log", "l.db")
    hashed = out.splitlines()[-1].split()[-1]
    assert code == 0 and say("receipt", hashed, "--ledger", "l.db", "--out", "r.json")[0] == 0
    key = json.loads(say("ledger", "head", "l.db")[1])["key"]
    code, out, _ = say("verify", "r.json", "--key", key)
    assert code == 0 and out.endswith("it holds\n") and "answer       7" in out
    code, _, err = say("verify", "r.json", "--key", "0" * 64)
    assert code == 1 and "pinned key" in err
    (tmp_path / "r.json").write_text((tmp_path / "r.json").read_text().replace('\\"answer\\":7', '\\"answer\\":8'))
    code, _, err = say("verify", "r.json", "--key", key)
    assert code == 1 and "not the one that was recorded" in err
    say("receipt", hashed, "--ledger", "l.db", "--without-answer", "--out", "r.json")
    code, out, _ = say("verify", "r.json", "--key", key)
    assert code == 0 and "answer" not in out


@pytest.mark.parametrize(("given", "told"), [("abc", "at least 8"), ("0" * 64, "no entry"), ("what?", "at least 8")])
def test_a_wrong_hash_is_told(say, book: Ledger, given: str, told: str) -> None:
    """Too short, unknown, or none at all."""
    code, out, err = say("receipt", given, "--ledger", str(book.path))
    assert code == 2 and not out and told in err


def test_only_an_answer_has_a_receipt(say, book: Ledger) -> None:
    """A charge alone let nothing out."""
    code, _, err = say("receipt", book.history()[-2].hash, "--ledger", str(book.path))
    assert code == 2 and "is a RESERVE" in err


def test_a_disk_fails_and_the_budget_goes_on(say, book: Ledger, tmp_path: Path) -> None:
    """Back up, lose the disk after another charge, restore, be told what is missing, pay for it, verify."""
    assert say("ledger", "head", "l.db", "--out", "head.json")[0] == 0
    assert say("ledger", "backup", "l.db", "copy.db")[0] == 0
    ask(book, 8)
    book.close()
    assert say("ledger", "restore", "copy.db", "l.db")[0] == 2  # what is there holds more
    for path in tmp_path.glob("l.db"):
        path.unlink()
    code, out, err = say("ledger", "restore", "copy.db", "l.db")
    assert code == 0 and "sealed: an older copy" in out and "acknowledge" in err
    assert say("verify", "l.db")[0] == 1
    code, _, err = say("ledger", "acknowledge", "l.db", "--reason", "the disk", "--lost", "people")
    assert code == 2 and "people:all" in err
    assert say("ledger", "acknowledge", "l.db", "--reason", "the disk", "--lost", "people:epsilon=0.1")[0] == 0
    code, out, _ = say("verify", "l.db", "--against", "head.json")
    assert code == 0 and out.startswith("5 entries")
    assert json.loads(say("ledger", "show", "l.db", "--json")[1])["people"]["remaining"] == {"epsilon": "9/5"}
    assert say("verify", "copy.db.nothing")[0] == 2 and say("verify", "l.db", "--against", "l.db")[0] == 2


def test_keys_change_hands(say, book: Ledger) -> None:
    """A rotation is believed by whoever pinned the old key, a rekey is not."""
    old = book.head()["key"]
    assert "the key is now" in say("ledger", "rotate", "l.db")[1]
    assert say("verify", "l.db", "--key", old)[0] == 0
    assert say("ledger", "rekey", "l.db", "--reason", "stolen")[0] == 0
    code, _, err = say("ledger", "verify", "l.db", "--key", old)
    assert code == 1 and "not handed down" in err


def test_a_charge_that_was_never_answered_is_closed(say, book: Ledger) -> None:
    """With a statement it is given back, and the log says why."""
    reserved = book.reserve("people", EVENT, Pure("0.5"))
    code, out, _ = say("ledger", "void", "l.db", str(reserved.seq), "--reason", "no table", "--statement", "nothing left")
    assert code == 0 and "is given back" in out
    assert "no table" in say("ledger", "log", "l.db")[1]
    assert book.account("people").left() == {"epsilon": pytest.approx(1.9)}
