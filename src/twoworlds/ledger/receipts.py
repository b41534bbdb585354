"""A receipt: one release in a file that proves itself, to whoever trusts the ledger's public key.

It holds the entries that tell the story (how the ledger and the budget began, every change of key, the charge, the release), the
short way from each to the root of the tree, and the signed head over that root. Whoever keeps an older head can ask for the way
from there to this one. The format is written down in docs/reference/receipts.md, and `standalone` checks it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from twoworlds.ledger import entries
from twoworlds.ledger.entries import Entry
from twoworlds.ledger.standalone import GENESIS, RECEIPT, check_head
from twoworlds.ledger.store import Store
from twoworlds.ledger.tree import consistency, inclusion
from twoworlds.worlds.errors import BadArgument

__all__ = ["head", "receipt"]


def head(connection: sqlite3.Connection) -> dict[str, Any]:
    """The newest signed head."""
    stored: dict[str, Any] = json.loads(connection.execute("SELECT text FROM head").fetchone()[0])
    return stored


def receipt(store: Store, hashed: str, *, with_answer: bool, against: Mapping[str, Any] | None) -> dict[str, Any]:
    """The receipt of the release whose hash begins like this; with the way from a kept head, if one is given."""
    with store.reading() as connection:
        connection.execute("BEGIN")  # everything is read as it stands now, whoever writes meanwhile
        try:
            return _receipt(connection, hashed, with_answer, against)
        finally:
            connection.execute("ROLLBACK")


def _receipt(connection: sqlite3.Connection, hashed: str, with_answer: bool, against: Mapping[str, Any] | None) -> dict[str, Any]:
    released, signed = _release(connection, hashed), head(connection)
    reserved = entries.entry(connection, released.fields["reservation"])
    created = entries.created(connection, str(released.population))
    assert reserved is not None and created is not None, "a release has a charge, and that a budget"
    told = {entry.seq: entry for entry in (*entries.about_keys(connection), created, reserved, released)}
    found: dict[str, Any] = {
        "format": RECEIPT,
        "head": signed,
        "entries": [_shown(connection, told[seq], signed["size"]) for seq in sorted(told)],
    }
    if with_answer and released.answer is not None:
        found["answer"] = released.answer
    if against is not None:
        found["extends"] = [step.hex() for step in _way(connection, against, signed)]
    return found


def _release(connection: sqlite3.Connection, hashed: str) -> Entry:
    """The release, from its hash or what `log` shows of it."""
    begun = hashed.lower()
    if len(begun) < 8 or set(begun) - set("0123456789abcdef"):
        raise BadArgument("receipt", hashed, "is no hash", "Give at least 8 characters of a hash that the log shows")
    found = entries.beginning(connection, begun)
    if len(found) != 1:
        why = "is the beginning of several hashes" if found else "is no entry of this ledger"
        raise BadArgument("receipt", hashed, why, "Give the hash of a RELEASE, as the log shows it")
    if found[0].kind != "RELEASE":
        raise BadArgument(
            "receipt", hashed, f"is a {found[0].kind}", "Give the hash of a RELEASE: nothing else let an answer out"
        )
    return found[0]


def _shown(connection: sqlite3.Connection, entry: Entry, size: int) -> dict[str, Any]:
    before = entries.entry(connection, entry.seq - 1)
    path = [step.hex() for step in inclusion(connection, entry.seq, size)]
    return {"body": entry.content, "previous": GENESIS.hex() if before is None else before.hash, "path": path}


def _way(connection: sqlite3.Connection, kept: Mapping[str, Any], signed: Mapping[str, Any]) -> list[bytes]:
    check_head(kept)
    if kept["ledger"] != signed["ledger"] or kept["size"] > signed["size"]:
        why = (
            f"is a head over {kept['size']} entries of ledger {kept['ledger']}; this is {signed['ledger']} with {signed['size']}"
        )
        raise BadArgument("against", "the kept head", why, "An older copy was put back, or the head is of another ledger")
    return consistency(connection, kept["size"], signed["size"])
