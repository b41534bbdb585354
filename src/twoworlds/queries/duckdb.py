"""DuckDB inside our process, locked: it can read the tables that were attached, and nothing else in the world.

The lock is set before the first query: no external access beyond the attached files, no extensions, no replacement scans of
Python variables, and no way to undo any of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twoworlds.queries.engine import Columns, Failed
from twoworlds.queries.sources import Source, text
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["DuckDB"]

_AT_START: dict[str, str | bool | int | float | list[str]] = {
    "python_enable_replacements": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
}


class DuckDB:
    """The embedded engine; the sources are attached and the lock is set when it is made."""

    dialect = "duckdb"

    def __init__(self, sources: Iterable[Source], *, threads: int | None = None) -> None:
        import duckdb  # noqa: PLC0415  loaded only when a table is asked

        self._error = duckdb.Error
        self._sources = {source.name: source for source in sources}
        self._connection: Any = duckdb.connect(":memory:", config=_AT_START)
        if threads is not None:
            self._connection.execute(f"SET threads = {int(threads)}")
        try:
            paths = [str(path) for source in self._sources.values() for path in source.attach(self._connection)]
        except duckdb.Error:
            self.close()
            names = ", ".join(self._sources)
            raise TwoWorldsError(
                f"the source of {names} cannot be read", "Check that the file is of the format it says"
            ) from None
        allowed = ", ".join(text(path) for path in paths)
        self._connection.execute(f"SET allowed_paths = [{allowed}]")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def run(self, text: str) -> Columns:
        try:
            columns: Columns = self._connection.execute(text).fetchnumpy()
        except self._error:
            raise Failed from None
        return columns

    def version(self, table: str) -> str:
        return self._sources[table].version()

    def close(self) -> None:
        self._connection.close()
