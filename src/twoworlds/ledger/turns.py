"""Whose turn it is to write: a fair queue of processes, so that nobody starves while others commit.

SQLite's own lock decides who may write; processes that wait for it look again after growing pauses, and one that came first may
wait for seconds. So a process takes a turn first: it locks the gate, then the desk, then leaves the gate. Whoever just wrote
queues at the gate again, with all that wait there. This is politeness alone: SQLite's lock is what prevents overspending.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from twoworlds.worlds.errors import TwoWorldsError

if sys.platform != "win32":
    import fcntl

__all__ = ["PATIENCE", "turn"]

PATIENCE = 60.0  # seconds; as long as SQLite waits for its own lock


@contextmanager
def turn(gate: Path, desk: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the turn at these two files (made if they are not there), or give up when it does not come."""
    if sys.platform == "win32":  # SQLite's own lock alone
        yield
        return
    waiting = _locked(gate, patience)
    try:
        own = _locked(desk, patience)
    finally:
        os.close(waiting)
    try:
        yield
    finally:
        os.close(own)


def _locked(path: Path, patience: float) -> int:
    """A descriptor that holds the lock of this file."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _wait(descriptor, path, patience)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _wait(descriptor: int, path: Path, patience: float) -> None:
    """Block for the lock in another thread, since the call itself knows no time limit."""
    came, guard, given_up = threading.Event(), threading.Lock(), False

    def block() -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with guard:
            if given_up:
                os.close(descriptor)
            came.set()

    threading.Thread(target=block, daemon=True).start()
    try:
        if came.wait(patience):
            return
        why = f"another process has held {path} for {patience:g} seconds"
        raise TwoWorldsError(why, "Nothing was released; see whether it hangs, and try again")
    except BaseException:
        with guard:
            given_up = True
            if came.is_set():
                os.close(descriptor)
        raise
