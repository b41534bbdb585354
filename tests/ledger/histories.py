"""A ledger with a history in it, and ways to tamper with its file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.ledger.books import EVENT, ask
from twoworlds.ledger.book import Ledger
from twoworlds.ledger.keys import Key, drawn
from twoworlds.ledger.standalone import GENESIS, Frontier, canonical, head_text, link
from twoworlds.losses.filters import ConcentratedFilter, PureFilter
from twoworlds.losses.prices import Pure

__all__ = ["forger", "lived", "rewritten", "rows", "sole", "unguarded", "with_sql"]


def lived(path: Path) -> Ledger:
    """Charges, answers, slices, a void with its statement, a change of key, a period: an entry of every kind but ACKNOWLEDGE."""
    book = Ledger(path)
    book.create("people", PureFilter(10))
    book.create("others", ConcentratedFilter(1, "1e-6"), renews=30)
    ask(book, 1)
    book.allot("people", "alice", epsilon=2)
    ask(book, [Fraction(1, 3), "two"], principal="alice", idempotency="first")
    ask(book, {"a": 0.5}, population="others", request="a question")
    open_ = book.reserve("people", EVENT, Pure("0.3"))
    book.void(open_.seq, "the engine failed", statement="nothing of it left the machine")
    kept = book.reserve("people", EVENT, Pure("0.2"), idempotency="second")
    book.reserve("people", EVENT, Pure("0.2"), idempotency="second")
    book.void(kept.seq, "nobody knows")
    book.rotate()
    ask(book, 7, principal="alice")
    return book


def sole(book: Ledger, to: Path) -> Path:
    """The ledger as one file without a log beside it."""
    book.backup(to)
    return to


def rows(path: Path) -> list[tuple[int, str, bytes, bytes, str | None]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT seq, body, hash, nodes, answer FROM entry ORDER BY seq").fetchall()


@contextmanager
def unguarded(path: Path) -> Iterator[sqlite3.Connection]:
    """The file behind the ledger's back: who holds it can drop its triggers, and put them back afterwards."""
    with closing(sqlite3.connect(path)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        yield connection
        for _, text in triggers:
            connection.execute(text)
        connection.commit()


def with_sql(path: Path, *statements: str) -> None:
    """Change a ledger's file."""
    with unguarded(path) as connection:
        for statement in statements:
            connection.execute(statement)


def rewritten(path: Path, bodies: list[str], *, key: Key | None = None, answers: dict[int, str] | None = None) -> None:
    """A history with these texts, chained as it should be; signed by this key, or with the old signature left where it was."""
    frontier, previous = Frontier(), GENESIS
    with unguarded(path) as connection:
        kept = answers or dict(connection.execute("SELECT seq, answer FROM entry"))
        head: dict[str, Any] = json.loads(connection.execute("SELECT text FROM head").fetchone()[0])
        connection.execute("DELETE FROM entry")
        for seq, body in enumerate(bodies, 1):
            previous = link(previous, body)
            values = (seq, body, previous, frontier.add(previous), kept.get(seq))
            connection.execute("INSERT INTO entry (seq, body, hash, nodes, answer) VALUES (?, ?, ?, ?, ?)", values)
        head |= {"size": len(bodies), "chain": previous.hex(), "root": frontier.root().hex()}
        if key is not None:
            head |= {"key": key.public}
            head["signature"] = key.sign(head_text(head))
        connection.execute("UPDATE head SET text = ?", (canonical(head),))


def forger() -> Key:
    """Somebody else's key."""
    return drawn()
