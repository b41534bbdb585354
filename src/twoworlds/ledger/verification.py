"""Checks a whole ledger: chain, tree, answers, keys, signed head, witness, and the arithmetic of every charge.

The chain shows that nobody edited history after it was signed. The arithmetic shows that whoever wrote it never overspent: every
charge is added up again from the first, exactly, and must give what the entry says is spent, within the caps.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from twoworlds.ledger import standalone
from twoworlds.ledger.arithmetic import Books
from twoworlds.ledger.entries import SCHEMA, statements
from twoworlds.ledger.standalone import Frontier, Keys, Refuted, Row
from twoworlds.ledger.store import Store
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["Tampered", "Verified", "verify"]

_CHUNK = 20_000
_CHUNKS = "SELECT seq, body, hash, nodes, answer FROM entry WHERE seq > ? AND seq <= ? ORDER BY seq"


class Tampered(TwoWorldsError):
    """The ledger does not hold: somebody changed history, or put an older one in its place."""


@dataclass(frozen=True)
class Verified:
    """How many entries were checked, and the signed head over them: keep it elsewhere to notice a restored backup."""

    entries: int
    head: str
    signed: Mapping[str, Any] = field(default_factory=dict, repr=False)


def verify(store: Store, *, key: str | None = None, against: Mapping[str, Any] | None = None) -> Verified:
    """Walk the ledger up to its present head; raise `Tampered` where something does not hold."""
    try:
        return _verified(store, key, against)
    except Refuted as error:
        raise Tampered(f"{store.path}: {error}", "Restore a copy that verifies") from None
    except (ValueError, KeyError, TypeError) as error:  # an entry that was written by something else
        raise Tampered(f"{store.path}: an entry cannot be read: {error}", "Restore a copy that verifies") from None


def _verified(store: Store, key: str | None, against: Mapping[str, Any] | None) -> Verified:
    with store.reading() as connection:
        head = _head_of_sound(connection)
    kept = [one for one in (store.witness.read(), against) if one is not None]
    for one in kept:
        standalone.check_head(one)
        if one["ledger"] != head["ledger"] or one["size"] > head["size"]:
            raise Refuted(f"an older copy was put back: a head over {one['size']} entries was seen, here are {head['size']}")
    frontier, keys, books, last = Frontier(), Keys(), Books(), standalone.GENESIS
    wanted = {one["size"]: one["root"] for one in kept}
    for seq, body, hashed, content in standalone.walk(_rows(store, head["size"]), frontier, keys):
        books.follow(seq, json.loads(body) if content is None else content)
        if seq in wanted and frontier.root().hex() != wanted[seq]:
            raise Refuted(f"the head over {seq} entries is not the one that was kept")
        last = hashed
    standalone.check_tail(head, frontier, last)
    keys.check(head, key)
    return Verified(frontier.size, last.hex(), head)


def _rows(store: Store, size: int) -> Iterator[Row]:
    """In pieces: the ledger only grows, so no long transaction is needed, and nobody waits."""
    for after in range(0, size, _CHUNK):
        with store.reading() as connection:
            rows = connection.execute(_CHUNKS, (after, min(after + _CHUNK, size))).fetchall()
        yield from rows


def _head_of_sound(connection: sqlite3.Connection) -> dict[str, Any]:
    """The stored head of a database whose tables, indexes and triggers are what this version made them."""
    built = [text for (text,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY sql")]
    if built != sorted(text.strip().removesuffix(";") for text in statements(SCHEMA)):
        raise Refuted("the database has other tables, indexes or triggers than a ledger")
    sound = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    stored = connection.execute("SELECT text FROM head").fetchone()
    if sound != "ok" or stored is None:
        raise Refuted(f"the database is damaged: {sound if stored else 'it has no head'}")
    head: dict[str, Any] = json.loads(stored[0])
    return head
