"""Entries on disk: one table that only grows. An entry is one text, and every column that is searched is derived from it.

So there is nothing beside the text that the chain of hashes would have to cover: SQLite computes the other columns. The answer of
a release stands beside its entry, which holds the answer's digest. `nodes` are the parts of the Merkle tree that an entry
completes; the newest signed head is the one row that is replaced.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from twoworlds.ledger import answers, records

__all__ = [
    "FORMAT",
    "SCHEMA",
    "Entry",
    "about",
    "about_keys",
    "beginning",
    "by_key",
    "by_request",
    "created",
    "entries",
    "entry",
    "newest",
    "populations",
    "principals",
    "statements",
]

FORMAT = 2
_DERIVED = ("kind", "population", "principal", "idempotency", "request")
SCHEMA = f"""
CREATE TABLE entry (
    seq         INTEGER PRIMARY KEY,
    body        TEXT NOT NULL,
    hash        BLOB NOT NULL,
    nodes       BLOB NOT NULL,
    answer      TEXT,
    {"".join(f"{name} TEXT AS (json_extract(body, '$.{name}')) VIRTUAL, " for name in _DERIVED)}
    reservation INTEGER AS (json_extract(body, '$.reservation')) VIRTUAL,
    stateful    INTEGER AS (json_type(body, '$.state') IS NOT NULL) VIRTUAL,
    sliced      INTEGER AS (json_type(body, '$.slice') IS NOT NULL) VIRTUAL
) STRICT;
CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), text TEXT NOT NULL) STRICT;
CREATE INDEX entry_state ON entry (population, seq) WHERE stateful;
CREATE INDEX entry_slice ON entry (population, principal, seq) WHERE sliced;
CREATE INDEX entry_created ON entry (population) WHERE kind = 'CREATE';
CREATE UNIQUE INDEX entry_idempotency ON entry (idempotency) WHERE idempotency IS NOT NULL;
CREATE INDEX entry_request ON entry (population, request, seq) WHERE request IS NOT NULL;
CREATE UNIQUE INDEX entry_reservation ON entry (reservation, kind) WHERE reservation IS NOT NULL;
CREATE TRIGGER entry_no_update BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER entry_no_delete BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""
_COLUMNS = "seq, body, hash, answer"
_WAS = '"was":'


@dataclass(frozen=True)
class Entry:
    """One entry: its number, its text, its hash in hex, and the answer that a release keeps beside it."""

    seq: int
    content: str
    hash: str
    answer: str | None = None

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """What the text says."""
        fields: dict[str, Any] = json.loads(self.content)
        return fields

    @property
    def kind(self) -> str:
        return str(self.fields["kind"])

    @property
    def population(self) -> str | None:
        return self.fields.get("population")

    @property
    def value(self) -> Any:
        """The answer of a release, as it was recorded: what may be let out."""
        if self.answer is None:  # it was taken over from format 1, which kept answers in the entry
            return records.decode(self.fields["answer"])
        return answers.opened(self.answer)


def _one(connection: sqlite3.Connection, where: str, values: tuple[object, ...]) -> Entry | None:
    row = connection.execute(f"SELECT {_COLUMNS} FROM entry WHERE {where} LIMIT 1", values).fetchone()
    return None if row is None else _entry(row)


def _entry(row: tuple[int, str, bytes, str | None]) -> Entry:
    return Entry(row[0], row[1], row[2].hex(), row[3])


def entry(connection: sqlite3.Connection, seq: int) -> Entry | None:
    return _one(connection, "seq = ?", (seq,))


def beginning(connection: sqlite3.Connection, hashed: str) -> list[Entry]:
    """Entries whose hash in hex, now or in format 1, begins like this: two at the most.

    Nothing is indexed for this, nor for changes of keys: people ask for both, releases do not, and a scan is quick.
    """
    begins = (
        f"lower(hex(hash)) >= :low AND lower(hex(hash)) < :low || 'g' OR (instr(body, '{_WAS}') AND json_extract(body, '$.was')"
    )
    found = f"SELECT {_COLUMNS} FROM entry WHERE {begins} BETWEEN :low AND :low || 'g') LIMIT 2"
    return [_entry(row) for row in connection.execute(found, {"low": hashed})]


def about_keys(connection: sqlite3.Connection) -> list[Entry]:
    """How the ledger was opened, and every change of its key."""
    found = f"SELECT {_COLUMNS} FROM entry WHERE instr(body, '\"key\":') AND kind IN ('OPEN', 'ROTATE', 'REKEY') ORDER BY seq"
    return [_entry(row) for row in connection.execute(found)]


def newest(connection: sqlite3.Connection, population: str, principal: str | None = None) -> Entry | None:
    """The last entry that changed what a population, or one analyst's slice of it, has left."""
    if principal is None:
        return _one(connection, "population = ? AND stateful ORDER BY seq DESC", (population,))
    return _one(connection, "population = ? AND principal = ? AND sliced ORDER BY seq DESC", (population, principal))


def created(connection: sqlite3.Connection, population: str) -> Entry | None:
    return _one(connection, "population = ? AND kind = 'CREATE'", (population,))


def by_key(connection: sqlite3.Connection, idempotency: str) -> Entry | None:
    return _one(connection, "idempotency = ?", (idempotency,))


def by_request(connection: sqlite3.Connection, population: str, request: str) -> Iterator[Entry]:
    """Every charge for this very question, newest first."""
    found = f"SELECT {_COLUMNS} FROM entry WHERE population = ? AND request = ? ORDER BY seq DESC"
    for row in connection.execute(found, (population, request)):
        yield _entry(row)


def about(connection: sqlite3.Connection, reservation: int, kind: str) -> Entry | None:
    """The entry of this kind (RELEASE, RETRY, VOID) about a reservation: there is at most one."""
    return _one(connection, "reservation = ? AND kind = ?", (reservation, kind))


def populations(connection: sqlite3.Connection) -> list[str]:
    return sorted(name for (name,) in connection.execute("SELECT population FROM entry WHERE kind = 'CREATE'"))


def principals(connection: sqlite3.Connection, population: str) -> list[str]:
    """Every analyst who has a slice, by name."""
    found = "SELECT DISTINCT principal FROM entry WHERE population = ? AND sliced"
    return sorted(name for (name,) in connection.execute(found, (population,)))


def entries(connection: sqlite3.Connection, after: int, population: str | None, count: int) -> list[Entry]:
    """The next entries after a number, of one population or of all."""
    where, values = ("AND population = ?", [population]) if population is not None else ("", [])
    found = f"SELECT {_COLUMNS} FROM entry WHERE seq > ? {where} ORDER BY seq LIMIT ?"
    return [_entry(row) for row in connection.execute(found, (after, *values, count))]


def statements(script: str) -> list[str]:
    """The statements of a script; a trigger's body holds semicolons, so split only where a line ends a statement."""
    found, current = [], ""
    for line in script.strip().splitlines():
        current += line + "\n"
        if sqlite3.complete_statement(current):
            found.append(current)
            current = ""
    return found
