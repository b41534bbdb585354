"""A progress bar on standard error for work of more than a second; nothing where nobody looks on."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["waiting"]

Progress = Callable[[], float | None]
"""A share from 0 to 1, or None where it is not known."""

_PATIENCE, _PACE, _WIDTH = 1.0, 0.2, 30


@contextmanager
def waiting(progress: Progress) -> Iterator[None]:
    """Show how far the engine is while the block runs; where it cannot tell, that it is at work."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    watcher = threading.Thread(target=_watch, args=(progress, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(progress: Progress, done: threading.Event) -> None:
    if done.wait(_PATIENCE):
        return
    turn = 0
    while not done.wait(_PACE):
        print(f"\r{_drawn(progress(), turn)}", end="", file=sys.stderr, flush=True)
        turn += 1
    print("\r" + " " * (_WIDTH + 10) + "\r", end="", file=sys.stderr, flush=True)


def _drawn(share: float | None, turn: int) -> str:
    """A bar that fills where the share is known, else a mark that moves."""
    if share is None:
        place = turn % _WIDTH
        return f"[{'.' * place}={'.' * (_WIDTH - 1 - place)}]"
    filled = round(share * _WIDTH)
    return f"[{'=' * filled}{'.' * (_WIDTH - filled)}] {share:4.0%}"
