"""How a ledger begins, and how one of format 1, which a release of this package wrote, goes on."""

from __future__ import annotations

import shutil
import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest

from tests.ledger.books import EVENT, answered, ask, spent
from twoworlds.ledger.book import Ledger
from twoworlds.ledger.standalone import check_ledger, check_receipt
from twoworlds.losses.filters import PureFilter
from twoworlds.losses.prices import Pure
from twoworlds.worlds.errors import BadArgument, TwoWorldsError


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A ledger as format 1 left it: two budgets, three charges, two answers."""
    path = tmp_path / "l.db"
    connection = sqlite3.connect(path)
    connection.executescript(Path(__file__).with_name("format_1.sql").read_text())
    connection.close()
    return path


def test_an_old_ledger_keeps_its_spend(old: Path) -> None:
    """Nothing that was charged is forgotten, old answers are still given, and the chain of both formats holds."""
    book = Ledger(old)
    assert spent(book) == Fraction(3, 4)
    assert answered(book) == [(1, Fraction(1, 3))] or answered(book) == [[1, Fraction(1, 3)]]
    again = book.reserve("people", EVENT, Pure("0.5"), idempotency="a")
    assert again.released and spent(book) == Fraction(3, 4)
    assert ask(book, 5) == 5
    book.verify()
    check_ledger(old)
    assert Ledger(old).history() == book.history()


def test_old_receipts_are_found(old: Path) -> None:
    """By the hash that an entry had in format 1; its receipt holds in the new one."""
    connection = sqlite3.connect(old)
    [was] = connection.execute("SELECT hash FROM entry WHERE kind = 'RELEASE' AND population = 'others'").fetchone()
    connection.close()
    book = Ledger(old)
    told = check_receipt(book.receipt(was), key=book.head()["key"])
    assert any("others" in line for line in told)


def test_an_old_ledger_that_was_edited_is_not_taken_over(old: Path) -> None:
    """Its own chain must hold first; and nothing of it is changed."""
    connection = sqlite3.connect(old)
    connection.execute("DROP TRIGGER entry_no_update")
    connection.execute("UPDATE entry SET content = replace(content, '1/2', '1/4') WHERE seq = 3")
    connection.commit()
    connection.close()
    before = old.read_bytes()
    with pytest.raises(TwoWorldsError, match="does not follow"):
        Ledger(old)
    assert old.read_bytes()[100:] == before[100:]


def test_a_new_ledger_lies_beside_its_key_and_witness(tmp_path: Path) -> None:
    """Made at once, the key for its owner alone."""
    Ledger(tmp_path / "l.db").create("people", PureFilter(1))
    assert {path.name for path in tmp_path.iterdir()} >= {"l.db", "l.db.key", "l.db.head"}
    assert (tmp_path / "l.db.key").stat().st_mode & 0o077 == 0


def test_another_database_is_left_alone(tmp_path: Path) -> None:
    """A file with tables of its own becomes no ledger."""
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE mine (one INTEGER)")
    connection.close()
    with pytest.raises(TwoWorldsError, match="no ledger"):
        Ledger(tmp_path / "other.db")


def test_an_emptied_ledger_does_not_begin_anew(tmp_path: Path) -> None:
    """Where the witness has seen entries, an empty file is a loss, not a beginning."""
    book = Ledger(tmp_path / "l.db")
    book.create("people", PureFilter(1))
    book.close()
    shutil.rmtree(tmp_path / "nothing", ignore_errors=True)
    for suffix in ("", "-wal", "-shm"):
        Path(f"{book.path}{suffix}").unlink(missing_ok=True)
    with pytest.raises(TwoWorldsError, match="witness has seen"):
        Ledger(tmp_path / "l.db")


def test_network_file_systems_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their locks and syncs promise less than they say."""
    from twoworlds.ledger import places

    mounts = tmp_path / "mountinfo"
    mounts.write_text("36 35 98:0 / / rw - ext4 /dev/vda rw\n" + f"37 36 0:40 / {tmp_path} rw - nfs4 server:/ rw\n")
    monkeypatch.setattr(places, "_MOUNTS", mounts)
    with pytest.raises(BadArgument, match="network file system"):
        Ledger(tmp_path / "l.db")


@pytest.mark.parametrize("given", [3, None, b"l.db", ["l.db"]])
def test_only_a_path_is_a_path(given: object) -> None:
    """A number, bytes or nothing is told in a sentence."""
    with pytest.raises(BadArgument, match="is no path"):
        Ledger(given)  # type: ignore[arg-type]  # that is what is tested
