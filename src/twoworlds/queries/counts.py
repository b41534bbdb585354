"""The rows of a DuckDB table, counted privately: exact count from a locked engine, noise and budget from below."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from twoworlds.ledger.book import Ledger
from twoworlds.ledger.release import Released, release
from twoworlds.mechanisms.geometric import geometric
from twoworlds.queries.engine import Failed
from twoworlds.worlds.errors import BadArgument, TwoWorldsError

__all__ = ["count", "interval"]


def count(database: str | Path, table: str, *, epsilon: object, ledger: Ledger | None, population: str) -> Released:
    """How many rows the table holds, for neighbours that add or remove one row; the price is epsilon."""
    connection = _open(Path(database))
    try:
        known = connection.execute(
            "SELECT 1 FROM information_schema.tables WHERE table_name = ? AND table_schema = 'main'", [table]
        ).fetchone()
        if known is None:
            raise BadArgument("table", table, "is not in this database", "Name one of its tables")

        def exact_count() -> int:
            quoted = '"' + table.replace('"', '""') + '"'
            try:
                return int(connection.execute(f"SELECT count(*) FROM {quoted}").fetchone()[0])
            except Exception:  # of a view; whatever it is, it may depend on the data, and its text may hold a cell
                raise Failed from None

        return release(geometric, exact_count, sensitivity=1, epsilon=epsilon, ledger=ledger, population=population)
    finally:
        connection.close()


def interval(epsilon: object) -> int:
    """How far the noise may move the count, with probability 95 % or more: the accuracy theorem of the card."""
    assert geometric.accuracy is not None
    return math.floor(geometric.accuracy.at("0.05", {"sensitivity": 1, "epsilon": epsilon}))


def _open(database: Path) -> Any:
    """A connection that can read this file and nothing else."""
    import duckdb  # noqa: PLC0415  loaded only when a table is asked

    if not database.exists():
        raise BadArgument("database", str(database), "does not exist", "Give the path of a DuckDB file")
    try:
        connection = duckdb.connect(str(database), read_only=True)
    except duckdb.Error:
        raise TwoWorldsError(f"{database} cannot be opened as a DuckDB file", "Close other writers, or check the path") from None
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection
