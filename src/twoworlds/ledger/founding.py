"""How a ledger begins: a new file gets its tables and its key; one of format 1 is taken over, every hash of it kept.

In format 1 an entry was five columns under a chain of its own. Its entries keep their numbers, and each says in `was` which hash
it had, so receipts from then are still found, and `was_linked` checks the old chain as before.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from twoworlds.ledger.entries import FORMAT, SCHEMA, statements
from twoworlds.ledger.keys import drawn, read_key, write_key
from twoworlds.ledger.pages import Page
from twoworlds.ledger.seals import Sealed
from twoworlds.ledger.standalone import GENESIS, Frontier, canonical, head_text
from twoworlds.ledger.witness import Witness
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["WAS_GENESIS", "found", "is_current", "was_linked"]

WAS_GENESIS = hashlib.sha256(b"twoworlds ledger 1").hexdigest()


def is_current(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether the file is a ledger of this format already; a later format is refused."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > FORMAT or version < 0:
        raise TwoWorldsError(f"{path} has ledger format {version}, this version reads {FORMAT}", "Upgrade twoworlds")
    return bool(version == FORMAT)


def found(connection: sqlite3.Connection, path: Path, key_path: Path, witness: Witness) -> None:
    """Make the file a ledger of this format, in one transaction; what is one already is left alone."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if is_current(connection, path):
            connection.execute("ROLLBACK")
            return
        kept = witness.read()
        if not connection.execute("PRAGMA user_version").fetchone()[0]:
            if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
                raise TwoWorldsError(f"{path} is a database, but no ledger", "Give another path")
            if kept is not None and kept["size"]:
                raise Sealed(f"{path} is empty, but its witness has seen {kept['size']} entries")
            old = []
        else:
            old = _taken_over(connection, path)
        for statement in statements(SCHEMA):
            connection.execute(statement)
        if not key_path.exists():
            write_key(drawn(), key_path)
        key = read_key(key_path)
        page = Page(connection, 0, GENESIS, Frontier(), {"ledger": secrets.token_hex(16)})
        for entry in old:
            page.append(**entry)
        page.append("OPEN", ledger=page.head["ledger"], key=key.public, format=FORMAT)
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        if kept is None or not kept["size"]:  # before the commit: a ledger without a witness would be sealed
            nothing = {"ledger": page.head["ledger"], "size": 0, "chain": GENESIS.hex(), "root": Frontier().root().hex()}
            first = {**nothing, "at": page.at, "key": key.public}
            witness.write({**first, "signature": key.sign(head_text(first))}, anew=True)
        head = page.close(key)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    if kept is None or not kept["size"]:
        witness.write(head)


def _taken_over(connection: sqlite3.Connection, path: Path) -> list[dict[str, Any]]:
    """The entries of format 1, as they are to be appended; they must verify, and their table goes."""
    previous = WAS_GENESIS
    entries: list[dict[str, Any]] = []
    for seq, population, kind, idempotency, content, was in connection.execute("SELECT * FROM entry ORDER BY seq"):
        fields = {"kind": kind, "population": population, "idempotency": idempotency, **json.loads(content), "was": was}
        previous = was_linked(previous, {"seq": seq, **fields})
        if previous != was or seq != len(entries) + 1:
            raise TwoWorldsError(f"entry {seq} of {path} does not follow from the one before", "Restore a copy that verifies")
        entries.append(fields)
    for name in ("entry_no_update", "entry_no_delete"):
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("DROP TABLE entry")
    return entries


def was_linked(previous: str, fields: Mapping[str, Any]) -> str:
    """The hash that an entry had in format 1."""
    columns = ("seq", "population", "kind", "idempotency", "was")
    content = canonical({name: value for name, value in fields.items() if name not in columns})
    own = f"{fields['seq']}\n{fields['population']}\n{fields['kind']}\n{fields.get('idempotency') or ''}\n{content}"
    return hashlib.sha256(f"{previous}\n{own}".encode()).hexdigest()
