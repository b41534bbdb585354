"""Entries on disk: SQLite with a write-ahead log, synced on every commit, one writer at a time across processes."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from twoworlds.ledger.chain import GENESIS, link
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["Entry", "Store"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS entry (
    seq         INTEGER PRIMARY KEY,
    population  TEXT NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('CREATE', 'RESERVE', 'RELEASE')),
    idempotency TEXT UNIQUE,
    content     TEXT NOT NULL,
    hash        TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS entry_population ON entry (population, seq);
CREATE TRIGGER IF NOT EXISTS entry_no_update BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER IF NOT EXISTS entry_no_delete BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""
_FORMAT = 1


@dataclass(frozen=True)
class Entry:
    seq: int
    population: str
    kind: str
    idempotency: str | None
    content: str
    hash: str


class Store:
    """An append-only table of entries. A connection belongs to one thread of one process: forks and threads open their own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own = threading.local()
        with self.writing() as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, _FORMAT):
                raise TwoWorldsError(f"{path} has ledger format {version}, this version reads {_FORMAT}", "Upgrade twoworlds")
            if version == 0:
                for statement in _statements(_SCHEMA):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {_FORMAT}")

    @property
    def connection(self) -> sqlite3.Connection:
        if getattr(self._own, "process", None) != os.getpid():
            try:
                connection = sqlite3.connect(self.path, timeout=60, isolation_level=None)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
            except sqlite3.Error as error:
                raise TwoWorldsError(f"the ledger {self.path} cannot be opened: {error}", "Give a path on a local disk") from None
            self._own.connection, self._own.process = connection, os.getpid()
        opened: sqlite3.Connection = self._own.connection
        return opened

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction with the write lock held from its start, durable when it ends without an error."""
        connection = self.connection
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise TwoWorldsError(
                f"the ledger {self.path} cannot be written: {error}", "Nothing was released; try again"
            ) from None
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def append(
        self, connection: sqlite3.Connection, population: str, kind: str, content: str, idempotency: str | None = None
    ) -> Entry:
        """Add an entry inside an open transaction; it continues the chain."""
        row = connection.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
        seq, previous = (row[0] + 1, row[1]) if row else (1, GENESIS)
        hashed = link(previous, f"{seq}\n{population}\n{kind}\n{idempotency or ''}\n{content}")
        connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?)", (seq, population, kind, idempotency, content, hashed))
        return Entry(seq, population, kind, idempotency, content, hashed)

    def entries(self, population: str | None = None) -> Iterator[Entry]:
        where, values = ("WHERE population = ?", (population,)) if population is not None else ("", ())
        for row in self.connection.execute(f"SELECT * FROM entry {where} ORDER BY seq", values):
            yield Entry(*row)

    def last(self, population: str, kinds: tuple[str, ...]) -> Entry | None:
        """The newest entry of one of these kinds."""
        marks = ",".join("?" * len(kinds))
        row = self.connection.execute(
            f"SELECT * FROM entry WHERE population = ? AND kind IN ({marks}) ORDER BY seq DESC LIMIT 1", (population, *kinds)
        ).fetchone()
        return Entry(*row) if row else None

    def by_key(self, idempotency: str) -> Entry | None:
        row = self.connection.execute("SELECT * FROM entry WHERE idempotency = ?", (idempotency,)).fetchone()
        return Entry(*row) if row else None


def _statements(script: str) -> list[str]:
    """The statements of a script; a trigger's body holds semicolons, so split only where a line ends a statement."""
    statements, current = [], ""
    for line in script.strip().splitlines():
        current += line + "\n"
        if sqlite3.complete_statement(current):
            statements.append(current)
            current = ""
    return statements
