"""DuckDB inside our process, locked: it can read the tables that were attached, and nothing else in the world.

The lock is set before the first query: no external access beyond the attached files, no extensions, no replacement scans of
Python variables, and no way to undo any of it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterable
from typing import Any

from twoworlds.queries.engine import Columns, Failed
from twoworlds.queries.sources import Source, quoted, text
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["DuckDB"]

_AT_START: dict[str, str | bool | int | float | list[str]] = {
    "python_enable_replacements": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "allow_persistent_secrets": "false",
}

_FEWEST, _MOST = 12, 24  # bits: DuckDB's own choice, and of the arrays of all threads together


class DuckDB:
    """The embedded engine; the sources are attached and the lock is set when it is made."""

    dialect = "duckdb"

    def __init__(self, sources: Iterable[Source], *, threads: int | None = None) -> None:
        import duckdb  # noqa: PLC0415  loaded only when a table is asked

        self._sources = {source.name: source for source in sources}
        self._turn = threading.Lock()
        spill = tempfile.mkdtemp(prefix="twoworlds-")
        self._spill = weakref.finalize(self, _removed, spill, os.getpid())
        self._connection: Any = duckdb.connect(":memory:", config={**_AT_START, "temp_directory": spill})
        self._connection.execute("SET enable_progress_bar = true")  # it is asked for; DuckDB itself shall print nothing
        self._connection.execute("SET enable_progress_bar_print = false")
        if threads is not None:
            self._connection.execute(f"SET threads = {int(threads)}")
        try:
            self._attached = self._versions()
            paths = [str(path) for source in self._sources.values() for path in source.attach(self._connection)]
            self._connection.execute(f"SET perfect_ht_threshold = {self._index()}")
        except (duckdb.Error, OSError):
            self.close()
            raise self._unreadable() from None
        allowed = ", ".join(text(path) for path in paths)
        self._connection.execute(f"SET allowed_paths = [{allowed}]")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def run(self, text: str) -> Columns:
        """One statement, run once, with a result that holds no way back to the data.

        A statement may read a table twice, first how many rows a user has, then the rows: a file that changed in between could
        give a user more weight than was priced, so its result is dropped. A connection keeps one result, the last: threads take
        turns, or one would give the noise of its own question to the numbers of another's.
        """
        try:
            with self._turn:
                before = self._versions(live=True)
                columns: Columns = self._connection.execute(text).fetchnumpy()
                if self._versions(live=True) != before:
                    raise Failed
        except Exception:  # whatever it is, it may depend on the data
            raise Failed from None
        return columns

    def progress(self) -> float | None:
        """How far the statement is that runs now, from 0 to 1; None while nobody can tell."""
        percent = float(self._connection.query_progress())
        return percent / 100 if percent >= 0 else None

    def version(self, table: str) -> str:
        if self._sources[table].copied:
            return self._attached[table]
        try:
            return self._sources[table].version()
        except OSError:
            raise self._unreadable() from None

    def _index(self) -> int:
        """Of how many bits whole numbers may be that index an array of sums instead of being looked up by their hash.

        Each thread fills an array of its own, so it has no more entries than the largest table has rows, nor more together than
        the engine may hold in a few hundred megabytes. This changes how fast an answer is found, never the answer.
        """
        counts = " UNION ALL ".join(f"SELECT count(*) AS n FROM {quoted(name)}" for name in self._sources) or "SELECT 0 AS n"
        told = f"SELECT max(n), current_setting('threads') FROM ({counts})"
        rows, threads = self._connection.execute(told).fetchone()
        return max(_FEWEST, min(int(rows).bit_length(), _MOST - int(threads).bit_length()))

    def _versions(self, *, live: bool = False) -> dict[str, str]:
        """The versions of all sources, or of those that are read where they lie."""
        return {name: source.version() for name, source in self._sources.items() if not (live and source.copied)}

    def _unreadable(self) -> TwoWorldsError:
        names = ", ".join(self._sources)
        fix = "Check that a file is of the format it says, and that a frame has each column once"
        return TwoWorldsError(f"the source of {names} cannot be read", fix)

    def close(self) -> None:
        self._connection.close()
        self._spill()


def _removed(folder: str, process: int) -> None:
    """What did not fit into memory is about people: it lay in a folder of our own user's, and does not stay there."""
    if os.getpid() == process:  # not by a fork, whose parent may be at work with it
        shutil.rmtree(folder, ignore_errors=True)
