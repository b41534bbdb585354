"""Backups of a ledger, and their return. A copy is checked before it counts as one; an old one that comes back is noticed.

The private key is in no copy: whoever has a backup can read the history, and sign nothing. The witness is in none either, since
it is there to remember what a copy may lack: a ledger that comes back from an older copy is sealed until the curator acknowledges
what may be missing (`Ledger.acknowledge`).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from twoworlds.ledger import receipts, standalone
from twoworlds.ledger.places import check_place
from twoworlds.ledger.store import Store
from twoworlds.worlds.errors import BadArgument, TwoWorldsError

__all__ = ["backup", "restore"]

_LOGS = ("-wal", "-shm", "-journal")


def backup(store: Store, path: Path) -> dict[str, Any]:
    """The ledger as it stands, in one new file that is on disk and verifies; the head that it ends with."""
    _must_be_new(path)
    fresh = path.with_name(f"{path.name}.part")
    with _unfinished(fresh):
        with store.reading() as connection:
            _copied(connection, fresh)
        head = checked(fresh)
        fresh.rename(path)
        _synced(path)
    return head


def restore(copy: Path, path: Path, *, key: str | None = None) -> dict[str, Any]:
    """Put a copy where the ledger was, and what was there aside; the head that it ends with.

    Refused where what is there holds as much or more: then nothing is lost, and a copy would only forget. A key pins who signed.
    """
    head = checked(copy, key=key)
    check_place(path)
    there = _head_of(path)
    if there is not None and there["size"] >= head["size"]:
        why = f"is a ledger that verifies, with {there['size']} entries; the copy has {head['size']}"
        raise BadArgument("path", str(path), why, "Go on with what is there, or move it away first")
    fresh = path.with_name(f"{path.name}.part")
    with _unfinished(fresh):
        with contextlib.closing(_opened(copy)) as connection:
            _copied(connection, fresh)
        checked(fresh, key=key)
        _put_aside(path)
        fresh.rename(path)
        _synced(path)
    return head


def checked(path: Path, *, key: str | None = None, against: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The head of a file that verifies as a ledger."""
    try:
        standalone.check_ledger(path, key=key, against=against)
        with contextlib.closing(_opened(path)) as connection:
            return receipts.head(connection)
    except (standalone.Refuted, sqlite3.Error, ValueError, KeyError, TypeError) as error:
        raise TwoWorldsError(f"{path} is no copy of a ledger that verifies: {error}", "Take another copy") from None


def _opened(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise BadArgument("copy", str(path), "does not exist", "Give the path of a backup")
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)


def _head_of(path: Path) -> dict[str, Any] | None:
    """The head of what is there, if that verifies."""
    if not path.is_file():
        return None
    try:
        return checked(path)
    except TwoWorldsError:
        return None


def _copied(source: sqlite3.Connection, fresh: Path) -> None:
    """All pages in one step, so that writers neither wait nor make it start over; then one file without a log beside it."""
    with contextlib.closing(sqlite3.connect(fresh, isolation_level=None)) as target:
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")
        target.execute("PRAGMA synchronous = EXTRA")
    descriptor = os.open(fresh, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _unfinished(fresh: Path) -> Any:
    """A file that is gone again if what it was for did not work."""
    fresh.unlink(missing_ok=True)
    try:
        yield
    finally:
        for suffix in ("", *_LOGS):
            fresh.with_name(f"{fresh.name}{suffix}").unlink(missing_ok=True)


def _must_be_new(path: Path) -> None:
    if path.exists():
        raise BadArgument("copy", str(path), "exists already", "Give another name: a backup never takes another's place")
    if not path.resolve().parent.is_dir():
        raise BadArgument("copy", str(path), "is in a folder that does not exist", "Create the folder first")


def _put_aside(path: Path) -> None:
    """What is there keeps its name with an ending, its log too: it may still be looked at."""
    number = 1
    while path.with_name(f"{path.name}.aside{number}").exists():
        number += 1
    for suffix in ("", *_LOGS):
        old = path.with_name(f"{path.name}{suffix}")
        if old.exists():
            old.rename(path.with_name(f"{path.name}.aside{number}{suffix}"))


def _synced(path: Path) -> None:
    folder = os.open(path.resolve().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
