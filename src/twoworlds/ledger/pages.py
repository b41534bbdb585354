"""The page on which a transaction writes: where the chain ends, and what was appended since."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from twoworlds.ledger.entries import Entry
from twoworlds.ledger.keys import Key
from twoworlds.ledger.standalone import Frontier, canonical, head_text, link

__all__ = ["Page", "now"]


def now() -> datetime:
    """The time that entries are dated with."""
    return datetime.now(UTC)


def _nobody() -> Key:
    raise AssertionError("this page has no signer")


class Page:
    """Open inside one transaction that holds the write lock. `seq` and `hash` are those of the last entry."""

    def __init__(self, connection: sqlite3.Connection, seq: int, hashed: bytes, frontier: Frontier, head: dict[str, Any]) -> None:
        self.connection, self.seq, self.hash, self.frontier, self.head = connection, seq, hashed, frontier, head
        self.at = now().isoformat(timespec="seconds")
        self.written = False
        self.sealed: str | None = None
        self.new_key: Key | None = None
        self.signer: Callable[[], Key] = _nobody
        self.known: dict[Any, Any] = {}  # what was read and stays true while only this process writes
        self.witnessed = 0  # up to here the witness was seen to agree

    def following(self, connection: sqlite3.Connection) -> Page:
        """The next page of the same writer."""
        page = Page(connection, self.seq, self.hash, self.frontier, self.head)
        page.known, page.witnessed = self.known, self.witnessed
        return page

    def append(self, kind: str, *, beside: str | None = None, **fields: Any) -> Entry:
        """Write the next entry, with the text of an answer beside it. Fields that are None are left out."""
        seq = self.seq + 1
        present = {name: value for name, value in fields.items() if value is not None}
        body = canonical({"seq": seq, "kind": kind, "at": self.at, **present})
        hashed = link(self.hash, body)
        nodes = self.frontier.add(hashed)
        self.connection.execute(
            "INSERT INTO entry (seq, body, hash, nodes, answer) VALUES (?, ?, ?, ?, ?)", (seq, body, hashed, nodes, beside)
        )
        self.seq, self.hash, self.written = seq, hashed, True
        return Entry(seq, body, hashed.hex(), beside)

    def close(self, key: Key) -> dict[str, Any]:
        """Sign the head over everything up to here and store it: the last thing before the commit."""
        head = {
            "ledger": self.head["ledger"],
            "size": self.seq,
            "chain": self.hash.hex(),
            "root": self.frontier.root().hex(),
            "at": self.at,
            "key": key.public,
        }
        head["signature"] = key.sign(head_text(head))
        self.connection.execute("INSERT OR REPLACE INTO head VALUES (1, ?)", (canonical(head),))
        self.head, self.witnessed = head, self.seq
        return head
