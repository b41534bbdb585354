"""Answers for other programs: CSV, JSON, Parquet and Arrow, each number with the ends of its interval beside it."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from twoworlds.queries.sources import quoted, text
from twoworlds.queries.styles import Released
from twoworlds.worlds.errors import BadArgument, TwoWorldsError

__all__ = ["ENDINGS", "columns", "record", "stream", "write"]

ENDINGS = (".csv", ".json", ".parquet", ".arrow")

_TYPES: Mapping[type, str] = {
    bool: "BOOLEAN",
    int: "BIGINT",
    float: "DOUBLE",
    str: "VARCHAR",
    datetime: "TIMESTAMP",
    date: "DATE",
}


def columns(answer: Released) -> dict[str, list[Any]]:
    """The columns of the answer, and beside each number NAME_low and NAME_high, or NAME_ranks, where something is known."""
    found: dict[str, list[Any]] = {name: [row[name].value for row in answer.cells] for name in answer.columns}
    beside: dict[str, list[Any]] = {}
    for name in answer.columns:
        cells = [row[name] for row in answer.cells]
        for end in ("low", "high", "ranks"):
            ends = [getattr(cell, end) for cell in cells]
            if any(one is not None for one in ends):
                beside[_fresh(f"{name}_{end}", found)] = ends
    return {**found, **beside}


def record(answer: Released) -> dict[str, Any]:
    """The whole answer as plain data: rows with intervals, what an interval means, price, claim and receipt."""
    offer, claim = answer.offer, answer.offer.claim
    known = columns(answer)
    return {
        "rows": [{name: _plain(values[i]) for name, values in known.items()} for i in range(len(answer.cells))],
        "totals": answer.totals if answer.style.totals else None,
        "intervals": str(answer.style),
        "confidence": answer.style.confidence,
        "price": str(offer.price),
        "charged": not answer.repeated and answer.receipt is not None,
        "notes": list(offer.notes),
        "neighbours": claim.neighbours,
        "status": claim.status,
        "repeated": answer.repeated,
        "receipt": answer.receipt,
        "uncounted": None if answer.learnt is None else answer.learnt.record(),
    }


def write(answer: Released, path: Any) -> None:
    """By the ending of the path."""
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in ENDINGS:
        raise BadArgument("path", str(path), "has an ending that is not known", f"Give one of {', '.join(ENDINGS)}")
    try:
        _WRITERS[kind](answer, path)
    except OSError as error:
        fix = "Give a path that can be written; the same question gives this answer again for free"
        raise TwoWorldsError(f"{path} cannot be written: {error.strerror}", fix) from None


def stream(answer: Released, requested_schema: Any = None) -> Any:
    """An Arrow stream, as a capsule."""
    relation = _loaded(answer).sql("SELECT * FROM answer")
    return relation.__arrow_c_stream__(requested_schema)


def _csv(answer: Released, path: Path) -> None:
    known = columns(answer)
    with path.open("w", newline="", encoding="utf-8") as file:
        written = csv.writer(file)
        written.writerow(known)
        written.writerows([_plain(value, json.dumps) for value in row] for row in zip(*known.values(), strict=True))


def _json(answer: Released, path: Path) -> None:
    path.write_text(json.dumps(record(answer), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _parquet(answer: Released, path: Path) -> None:
    path.touch()  # what cannot be written is told as such
    _loaded(answer).execute(f"COPY answer TO {text(str(path))} (FORMAT parquet)")


def _arrow(answer: Released, path: Path) -> None:
    try:
        import pyarrow  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415  only for this kind of file
        from pyarrow import ipc  # type: ignore[import-not-found,unused-ignore]  # noqa: PLC0415  only for this kind of file
    except ImportError:
        raise TwoWorldsError("an Arrow file takes pyarrow, which is not installed", "Install it, or write .parquet") from None
    table = pyarrow.table(answer)
    with ipc.new_file(str(path), table.schema) as file:
        file.write_table(table)


_WRITERS = {".csv": _csv, ".json": _json, ".parquet": _parquet, ".arrow": _arrow}


def _loaded(answer: Released) -> Any:
    """A DuckDB of its own that holds the answer and nothing else."""
    import duckdb  # noqa: PLC0415  loaded only when it is wanted

    known = columns(answer)
    made = ", ".join(f"unnest(?::{_type(values)}[]) AS {quoted(name)}" for name, values in known.items())
    connection = duckdb.connect(":memory:")
    connection.execute(
        f"CREATE TABLE answer AS SELECT {made}", [[_listed(value) for value in values] for values in known.values()]
    )
    return connection


def _type(values: Sequence[Any]) -> str:
    """The DuckDB type that holds all the values; whole and other numbers together are doubles."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {tuple}:
        return f"{_type([inner for value in values if value is not None for inner in value])}[]"
    if kinds == {int, float}:
        return "DOUBLE"
    return _TYPES[kinds.pop()] if len(kinds) == 1 else "VARCHAR" if kinds else "DOUBLE"


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _plain(value: Any, nested: Any = list) -> Any:
    """A value as JSON has it: no infinities, dates as texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, date):
        return value.isoformat()
    return nested(value) if isinstance(value, tuple) else value


def _fresh(name: str, taken: Mapping[str, Any]) -> str:
    while name in taken:
        name += "_"
    return name
