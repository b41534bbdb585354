"""A backup verifies before it counts; what comes back is what was saved; an older copy is noticed, until a curator pays."""

from __future__ import annotations

import random
import shutil
import sqlite3
import stat
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from tests.ledger.books import EVENT, answered, ask, charged, light_folder, spent
from tests.ledger.histories import lived, with_sql
from twoworlds.ledger import copies
from twoworlds.ledger.book import Ledger, Tampered
from twoworlds.ledger.keys import drawn, read_key
from twoworlds.ledger.seals import Sealed
from twoworlds.losses.filters import PureFilter
from twoworlds.losses.prices import Pure
from twoworlds.worlds.errors import BadArgument, TwoWorldsError


@pytest.fixture
def folder() -> Iterator[Path]:
    with light_folder() as found:
        yield found


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    book = Ledger(folder / "l.db")
    book.create("people", PureFilter(10))
    return book


def gone(book: Ledger) -> None:
    """The disk forgets the database; key and witness lie elsewhere."""
    book.close()
    for suffix in ("", "-wal", "-shm"):
        Path(f"{book.path}{suffix}").unlink(missing_ok=True)


def test_a_newest_copy_goes_on(folder: Path) -> None:
    """All that was there is there again, and the next charge follows from it."""
    book = lived(folder / "l.db")
    head, before = book.backup(folder / "copy.db"), book.history()
    assert sorted(path.name for path in folder.glob("copy.db*")) == ["copy.db"]
    gone(book)
    assert copies.restore(folder / "copy.db", book.path) == head
    again = Ledger(book.path)
    assert again.history() == before and again.sealed() is None
    assert ask(again, "next") == "next"
    again.verify(against=head)


def test_an_older_copy_is_sealed(ledger: Ledger, folder: Path) -> None:
    """The witness has seen what the copy lacks: nothing is charged until the curator says what may be lost, and pays for it."""
    ask(ledger, 1)
    ledger.backup(folder / "copy.db")
    for number in range(3):
        ask(ledger, number)
    gone(ledger)
    copies.restore(folder / "copy.db", ledger.path)
    book = Ledger(ledger.path)
    assert "the last 6 of them are missing" in str(book.sealed())
    with pytest.raises(Sealed, match="acknowledge"):
        ask(book, "no")
    with pytest.raises(Tampered, match="older copy"):
        book.verify()
    with pytest.raises(BadArgument, match="populations without a charge"):
        book.acknowledge("the disk failed", {})
    book.acknowledge("the disk failed", {"people": {"epsilon": "0.3"}})
    assert book.sealed() is None
    assert spent(book) == charged(book) == Fraction(4, 10)
    assert ask(book, "yes") == "yes"
    book.verify()
    lost = next(entry for entry in book.history() if entry.kind == "ACKNOWLEDGE").fields["lost"]
    assert lost["size"] == 10 and "older copy" in lost["why"]
    with pytest.raises(BadArgument, match="not sealed"):
        book.acknowledge("again", {"people": None})


def test_all_that_is_left_may_be_lost(ledger: Ledger, folder: Path) -> None:
    """A curator who does not know what was charged gives up everything, slices too."""
    ledger.allot("people", "alice", epsilon=3)
    ledger.backup(folder / "copy.db")
    ask(ledger, 1, principal="alice")
    gone(ledger)
    copies.restore(folder / "copy.db", ledger.path)
    book = Ledger(ledger.path)
    book.acknowledge("the disk failed", {"people": None})
    for principal in (None, "alice"):
        with pytest.raises(TwoWorldsError, match="cannot pay"):
            ask(book, "no", principal=principal)
    book.verify()


def test_every_older_copy_is_noticed(effort: float) -> None:
    """Whatever point a copy is of, put back by hand it is sealed, and says how much is missing."""
    luck = random.Random(3)
    with light_folder() as folder:
        book = Ledger(folder / "l.db")
        book.create("people", PureFilter(100))
        for number in range(25):
            ask(book, number)
            book.backup(folder / f"{number}.db")
        ask(book, "last")
        for _ in range(max(25, round(500 * effort))):
            number = luck.randrange(25)
            gone(book)
            shutil.copy(folder / f"{number}.db", book.path)
            old = Ledger(book.path)
            assert f"the last {2 * (25 - number)} of them are missing" in str(old.sealed())
            with pytest.raises(Sealed):
                ask(old, "no")
            old.close()


def test_what_is_there_is_not_forgotten(ledger: Ledger, folder: Path) -> None:
    """A copy does not replace a ledger that verifies and holds as much; what is damaged is put aside, not away."""
    ask(ledger, 1)
    ledger.backup(folder / "copy.db")
    ledger.close()
    with pytest.raises(BadArgument, match="the copy has 4"):
        copies.restore(folder / "copy.db", ledger.path)
    with_sql(ledger.path, "UPDATE entry SET body = replace(body, '1/10', '1/99')")
    copies.restore(folder / "copy.db", ledger.path)
    assert (folder / "l.db.aside1").exists()
    Ledger(ledger.path).verify()


def test_no_broken_copy_is_put_back(ledger: Ledger, folder: Path) -> None:
    """A copy that does not verify, is of another key, or is no ledger: refused, and what is there stays."""
    ask(ledger, 1)
    ledger.backup(folder / "copy.db")
    key, before = ledger.head()["key"], ledger.history()
    with pytest.raises(TwoWorldsError, match="no copy of a ledger"):
        copies.restore(folder / "copy.db", folder / "new.db", key=drawn().public)
    (folder / "text.db").write_text("no database")
    with_sql(folder / "copy.db", "DELETE FROM entry WHERE seq = 3")
    for name in ("copy.db", "text.db", "nothing.db"):
        with pytest.raises(TwoWorldsError):
            copies.restore(folder / name, ledger.path, key=key)
        assert not (folder / "l.db.aside1").exists()
    assert ledger.history() == before
    assert not list(folder.glob("*.part*"))


def test_any_name_will_do(folder: Path) -> None:
    """Signs that mean something in an address of SQLite are signs of a name."""
    odd = folder / "a?mode=rwc#b %41"
    odd.mkdir()
    book = Ledger(odd / "l & ö.db")
    book.create("people", PureFilter(1))
    head = book.backup(odd / "copy?.db")
    gone(book)
    assert copies.restore(odd / "copy?.db", book.path) == head
    assert sorted(path.name for path in folder.iterdir()) == [odd.name]


def test_a_backup_never_takes_anothers_place(ledger: Ledger, folder: Path) -> None:
    """It is written beside and named when it is done."""
    ledger.backup(folder / "copy.db")
    with pytest.raises(BadArgument, match="exists already"):
        ledger.backup(folder / "copy.db")
    with pytest.raises(BadArgument, match="folder"):
        ledger.backup(folder / "nowhere" / "copy.db")


def test_a_backup_while_others_write(ledger: Ledger, folder: Path) -> None:
    """Copies that are taken while threads charge verify, each one longer than the last."""
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            ledger.reserve("people", EVENT, Pure("0.0001"))

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    sizes = [ledger.backup(folder / f"{number}.db")["size"] for number in range(5)]
    stop.set()
    for thread in threads:
        thread.join()
    assert sizes == sorted(sizes)
    ledger.verify()


# Keys


def test_a_rotation_hands_over(ledger: Ledger, folder: Path) -> None:
    """The new key signs, the old one is gone from its file, and both are believed by whoever pinned either."""
    old = ledger.head()["key"]
    ask(ledger, 1)
    new = ledger.rotate()
    ask(ledger, 2)
    assert ledger.head()["key"] == new == read_key(folder / "l.db.key").public != old
    for pinned in (old, new):
        ledger.verify(key=pinned)
    assert stat.S_IMODE((folder / "l.db.key").stat().st_mode) == 0o600
    assert ask(Ledger(ledger.path), 3) == 3


def test_a_rotation_cut_short_is_completed(ledger: Ledger, folder: Path) -> None:
    """The entry is written and the new key still lies beside the old one: the next writer finds it."""
    shutil.copy(folder / "l.db.key", folder / "old")
    ledger.rotate()
    ledger.close()
    (folder / "l.db.key").rename(folder / "l.db.key.next")
    shutil.copy(folder / "old", folder / "l.db.key")
    (folder / "l.db.key").chmod(0o600)
    book = Ledger(ledger.path)
    assert ask(book, 1) == 1
    assert not (folder / "l.db.key.next").exists()
    book.verify()


def test_a_lost_key_is_replaced_in_public(ledger: Ledger, folder: Path) -> None:
    """Nothing is charged without the key; a new one is an entry with its reason, and whoever pinned the old one sees it."""
    old = ledger.head()["key"]
    ask(ledger, 1)
    ledger.close()
    (folder / "l.db.key").unlink()
    book = Ledger(ledger.path)
    with pytest.raises(TwoWorldsError, match="rekey"):
        ask(book, 2)
    new = book.rekey("the disk of the key failed")
    assert ask(book, 2) == 2
    book.verify(key=new)
    with pytest.raises(Tampered, match="not handed down"):
        book.verify(key=old)


def test_another_ledgers_key_does_not_sign(ledger: Ledger, folder: Path) -> None:
    """A key that is not this ledger's, or that others may read, is refused before anything is charged."""
    other = Ledger(folder / "other.db")
    ledger.close()
    shutil.copy(folder / "other.db.key", folder / "l.db.key")
    with pytest.raises(TwoWorldsError, match="not the key of this ledger"):
        ask(Ledger(ledger.path), 1)
    (folder / "other.db.key").chmod(0o644)
    other.close()
    with pytest.raises(BadArgument, match="chmod 600"):
        Ledger(other.path).create("people", PureFilter(1))


# The witness


def test_a_missing_witness_seals(ledger: Ledger, folder: Path) -> None:
    """Without it an older copy could not be told from the newest; the curator may say that all is there, for a charge of 0."""
    ask(ledger, 1)
    (folder / "l.db.head").unlink()
    with pytest.raises(Sealed, match="witness of this ledger is missing"):
        ask(ledger, 2)
    ledger.acknowledge("the witness was lost, nothing else", {"people": {"epsilon": 0}})
    assert ask(ledger, 2) == 2
    ledger.verify()


def test_a_witness_of_another_history_seals(ledger: Ledger, folder: Path) -> None:
    """Another ledger's witness, or this one's with another history under it, is no excuse."""
    other = Ledger(folder / "other.db")
    shutil.copy(folder / "other.db.head", folder / "l.db.head")
    with pytest.raises(Sealed, match="another ledger"):
        ask(ledger, 1)
    other.close()


def test_a_torn_witness_is_read_from_its_other_half(ledger: Ledger, folder: Path) -> None:
    """A write that was cut short leaves the head before it; the witness may lag, and charging goes on."""
    ask(ledger, 1)
    ask(ledger, 2)
    text = bytearray((folder / "l.db.head").read_bytes())
    newest = max((0, 1024), key=lambda at: int(text[at : at + 1024].split(b'"size":')[1].split(b"}")[0].split(b",")[0]))
    text[newest + 100 : newest + 1024] = bytes(924)
    (folder / "l.db.head").write_bytes(text)
    assert ask(ledger, 3) == 3
    ledger.verify()
    (folder / "l.db.head").write_bytes(b"x" * 2048)
    with pytest.raises(TwoWorldsError, match=r"witness .* is damaged"):
        ask(ledger, 4)


def test_key_and_witness_may_lie_apart(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder of their own, on another disk if one likes: restoring the ledger's folder does not restore the witness."""
    apart = folder / "apart"
    apart.mkdir()
    book = Ledger(folder / "l.db", keep=apart)
    book.create("people", PureFilter(1))
    book.backup(folder / "copy.db")
    ask(book, 1)
    assert {path.name for path in apart.iterdir()} == {"l.db.key", "l.db.head", "l.db.turn"}
    gone(book)
    copies.restore(folder / "copy.db", book.path)
    monkeypatch.setenv("TWOWORLDS_KEEP", str(apart))
    assert Ledger(book.path).sealed() is not None


def test_what_was_answered_before_a_backup_is_still_free(ledger: Ledger, folder: Path) -> None:
    """Answers come back with their ledger: a repeat costs nothing, a retry gives the same."""
    first = ledger.reserve("people", EVENT, Pure("0.1"), request="a question")
    ledger.release(first, 42)
    ledger.backup(folder / "copy.db")
    gone(ledger)
    copies.restore(folder / "copy.db", ledger.path)
    book = Ledger(ledger.path)
    again = book.reserve("people", EVENT, Pure("0.1"), request="a question")
    assert again.released and again.answer == 42 and answered(book) == [42]
    assert spent(book) == Fraction(1, 10)


def test_a_backup_is_one_file_for_any_tool(ledger: Ledger, folder: Path) -> None:
    """It needs no log beside it, and opens where nothing can be written."""
    ask(ledger, 1)
    ledger.backup(folder / "copy.db")
    connection = sqlite3.connect(f"file:{folder}/copy.db?immutable=1", uri=True)
    assert connection.execute("SELECT count(*) FROM entry").fetchone()[0] == 4
    assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
    connection.close()
