"""The ledger's file: SQLite with a write-ahead log, synced on every commit; one writer at a time, and many charges to a sync.

Threads that want to write queue up. Whoever comes first leads: it writes for all that wait, in one transaction with one sync and
one signed head (group commit), and then appoints the first of those that came meanwhile. Processes take turns (`turns`), under
SQLite's own lock. Nothing of SQLite may be carried into a forked child, which would believe to hold locks that it does not hold:
so every connection is closed before a fork, and opened anew after it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Any, Generic, TypeVar

from twoworlds.ledger import founding
from twoworlds.ledger.keys import Key, read_key
from twoworlds.ledger.pages import Page
from twoworlds.ledger.places import check_place
from twoworlds.ledger.seals import Sealed, seal
from twoworlds.ledger.tree import frontier_at
from twoworlds.ledger.turns import PATIENCE, turn
from twoworlds.ledger.witness import Witness
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["Store"]

T = TypeVar("T")
_PRAGMAS = ("synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON", "cell_size_check = ON")


class _Job(Generic[T]):
    """One thread's wish to write, and what became of it: nothing, until `written` or `refused` says otherwise."""

    def __init__(self, act: Callable[[Page], T], *, unseals: bool) -> None:
        self.act, self.unseals = act, unseals
        self.called = threading.Event()  # set when it is settled, or when its thread leads
        self.leads = self.written = False
        self.result: T | None = None
        self.refused: TwoWorldsError | None = None
        self.failure: Exception | None = None

    def run(self, page: Page) -> None:
        """Let it read and append. What it refuses, it refuses before it appends; anything else takes the whole turn with it.

        An error of the disk must do so: SQLite may have ended the transaction, and what came next would commit by itself.
        """
        before = page.seq
        try:
            if page.sealed is not None and not self.unseals:
                raise Sealed(page.sealed)
            self.result = self.act(page)
        except TwoWorldsError as error:
            if page.seq != before:
                raise
            self.refused = error

    def outcome(self, path: Path) -> T:
        """What the act gave, if it is on disk."""
        if not self.written:
            raise self.failure or _unwritten(path, "the writer stopped")
        if self.refused is not None:
            raise self.refused
        return self.result  # type: ignore[return-value]  # written, so the act gave it


def _unwritten(path: Path, why: str) -> TwoWorldsError:
    return TwoWorldsError(f"the ledger {path} cannot be written: {why}", "Nothing was released; try again")


class Store:
    """An append-only table of entries, its key and its witness."""

    def __init__(self, path: Path, keep: Path | None = None) -> None:
        self.path = path.resolve()
        check_place(self.path)
        apart = keep or (Path(os.environ["TWOWORLDS_KEEP"]) if os.environ.get("TWOWORLDS_KEEP") else None)
        folder = self.path.parent if apart is None else apart.resolve()
        self.key_path, self._gate = folder / f"{self.path.name}.key", folder / f"{self.path.name}.turn"
        self.witness = Witness(folder / f"{self.path.name}.head")
        check_place(self.key_path)
        self._key: Key | None = None
        self._unsafe = False
        self._page: Page | None = None  # the last one that was committed: the next goes on from there if nobody wrote since
        self._fresh()
        with _LISTED:
            _STORES.add(self)
        with self.reading() as connection:
            if founding.is_current(connection, self.path):
                return
        try:
            with self._door, turn(self._gate, self.witness.path):
                founding.found(self._writer(), self.path, self.key_path, self.witness)
        except (sqlite3.Error, OSError) as error:
            self._drop(error)
            raise _unwritten(self.path, str(error)) from None

    def _fresh(self) -> None:
        """No connections and no queue: as it is when opened, and in the child of a fork."""
        self._process = os.getpid()
        self._door, self._desk, self._guard = threading.Lock(), threading.Lock(), threading.Lock()
        self._queue: list[_Job[Any]] = []
        self._led = False
        self._write: sqlite3.Connection | None = None
        self._read: sqlite3.Connection | None = None
        self._written_file = self._read_file = (0, 0)

    # Connections

    def _connected(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
        except sqlite3.Error as error:
            other = "not a database" in str(error)
            fix = "Give the path of a ledger, or of a file that is not there yet" if other else "Give a path on a local disk"
            raise TwoWorldsError(f"the ledger {self.path} cannot be opened: {error}", fix) from None
        if mode != "wal":
            raise TwoWorldsError(f"the ledger {self.path} cannot keep a write-ahead log", "Give a path on a local disk")
        return connection

    def _writer(self) -> sqlite3.Connection:
        self._at_home()
        if self._write is None:
            self._write, self._written_file = self._connected(), self._identity()
        if (
            self._unsafe
        ):  # a failed sync may be forgotten by the system: move all that is in the log into the database, and sync that
            busy = self._write.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            if busy:
                raise TwoWorldsError(
                    f"the log of {self.path} cannot be made safe after a failure", "See whether its disk is well"
                )
            self._unsafe = False
        return self._write

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection for a few quick questions. It stands still while it is held, and so does every fork."""
        with self._desk:
            self._at_home()
            if self._read is None or self._read_file != self._identity():
                self._read, self._read_file = self._connected(), self._identity()
            try:
                yield self._read
            except sqlite3.Error as error:
                raise TwoWorldsError(f"the ledger {self.path} cannot be read: {error}", "See whether its disk is well") from None

    def _at_home(self) -> None:
        if os.getpid() != self._process:  # a fork that did not go through Python
            raise TwoWorldsError("this process was forked behind Python's back", "Open the ledger anew in a process of its own")

    def _identity(self) -> tuple[int, int]:
        try:
            found = self.path.stat()
        except OSError:
            return 0, 0
        return found.st_dev, found.st_ino

    def _check_file(self) -> None:
        """The path must still lead to the file that is open: one that was moved away takes charges along that nobody will see."""
        if self._identity() != self._written_file:
            raise TwoWorldsError(f"{self.path} was replaced while it was open", "Nothing was released; open the ledger anew")

    def close(self) -> None:
        """Close the connections; the next use opens them again."""
        for connection in (self._write, self._read):
            if connection is not None:
                connection.close()
        self._write = self._read = self._page = None

    # Writing

    def write(self, act: Callable[[Page], T], *, unseals: bool = False) -> T:
        """Run the act inside a transaction; what it appended is on disk when this returns."""
        job = _Job(act, unseals=unseals)
        with self._guard:
            self._queue.append(job)
            job.leads, self._led = not self._led, True
        try:
            if not job.leads and not job.called.wait(2 * PATIENCE):
                raise _unwritten(self.path, "the thread that writes does not come back")
            if job.leads:
                with self._door:
                    self._serve()
        finally:
            self._leave(job)
        return job.outcome(self.path)

    def _leave(self, job: _Job[Any]) -> None:
        """Done, or stopped while waiting; whoever led appoints the next that waits."""
        with self._guard:
            if job in self._queue:
                self._queue.remove(job)
            if job.leads:
                self._led = bool(self._queue)
                if self._queue:
                    self._queue[0].leads = True
                    self._queue[0].called.set()

    def _serve(self) -> None:
        """Write for everybody who waits."""
        with self._guard:
            jobs, self._queue = self._queue, []
        try:
            with turn(self._gate, self.witness.path):
                self._commit(jobs)
            for job in jobs:
                job.written = True
        except Exception as error:
            for job in jobs:
                job.failure = copy(error) if isinstance(error, TwoWorldsError) else _unwritten(self.path, str(error))
            self._drop(error)
        except BaseException as error:  # the program is being stopped: the others hear that nothing was written
            self._drop(error)
            raise
        finally:
            for job in jobs:
                job.called.set()

    def _commit(self, jobs: list[_Job[Any]]) -> None:
        connection = self._writer()
        self._check_file()
        connection.execute("BEGIN IMMEDIATE")
        page = self._opened(connection)
        for job in jobs:
            job.run(page)
        if not page.written:
            connection.execute("ROLLBACK")
            self._page = page
            return
        head = page.close(page.signer())
        connection.execute("COMMIT")
        self._check_file()
        self.witness.write(head, anew=page.sealed is not None)
        self._page = page
        if page.new_key is not None:
            self.key_path.with_name(f"{self.key_path.name}.next").replace(self.key_path)
            self._key = page.new_key

    def _opened(self, connection: sqlite3.Connection) -> Page:
        """The page after the last entry, with what this process knows of it, if nobody else wrote since."""
        seq, hashed = connection.execute("SELECT seq, hash FROM entry ORDER BY seq DESC LIMIT 1").fetchone()
        last = self._page
        if last is not None and (last.seq, last.hash) == (seq, hashed):
            page = last.following(connection)
        else:
            frontier, hashed = frontier_at(connection, seq)
            head = json.loads(connection.execute("SELECT text FROM head").fetchone()[0])
            page = Page(connection, seq, hashed, frontier, head)
        page.signer = lambda: self._signer(page)
        page.sealed = seal(connection, page, self.witness.read())
        return page

    def _signer(self, page: Page) -> Key:
        """The private key that belongs to the ledger's present one; a rotation that was cut short is completed."""
        wanted = page.head["key"]
        if page.new_key is not None:
            return page.new_key
        if self._key is None or self._key.public != wanted:
            self._key = read_key(self.key_path)
        if self._key.public != wanted:
            following = self.key_path.with_name(f"{self.key_path.name}.next")
            if not following.exists() or read_key(following).public != wanted:
                fix = "Put the ledger's own key back, or say that it is lost: twoworlds ledger rekey"
                raise TwoWorldsError(f"{self.key_path} is not the key of this ledger, {wanted[:16]}", fix)
            following.replace(self.key_path)
            self._key = read_key(self.key_path)
        return self._key

    def _drop(self, error: BaseException) -> None:
        """After a failure: forget what was open, and that a sync of the log may have failed."""
        self._unsafe |= isinstance(error, sqlite3.Error)
        self._write, connection, self._page = None, self._write, None
        if connection is not None:
            connection.close()


# Forks

_STORES: weakref.WeakSet[Store] = weakref.WeakSet()
_LISTED = threading.Lock()
_HELD = threading.local()


def _before_fork() -> None:
    """Wait for whoever writes or reads, then close everything: the child must inherit no connection."""
    with _LISTED:
        _HELD.stores = sorted(_STORES, key=id)
    for store in _HELD.stores:
        store._door.acquire()
        store._desk.acquire()
        store.close()


def _after_fork_in_parent() -> None:
    for store in _HELD.stores:
        store._desk.release()
        store._door.release()
    _HELD.stores = []


def _after_fork_in_child() -> None:
    global _LISTED  # noqa: PLW0603  another thread may have held it when the process forked
    _LISTED = threading.Lock()
    for store in list(_STORES):
        store._fresh()
    _HELD.stores = []


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
