"""Asking peers: the question of `asking` to each, in an environment of its own, beside raw. Half an hour, so only when asked for."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

import twoworlds as tw
from asking import PEERS, line, ran, versions
from report import Result, publish
from timing import ROUNDS, interleaved
from visits import QUESTION, RAW, UNMEDIAN, policy, write


def measure() -> Result:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        rows = asked(Path(name))
    return Result(
        title="Asking peers: four aggregates of fifty cities",
        rows=rows,
        notes=[
            "count, sum, mean and median at epsilon = 1; 5 million visits of 200,000 unequal users",
            f"raw and twoworlds: medians of {ROUNDS} interleaved rounds in one process, Parquet read each time, ledger included",
            "peers: in their own environments, on a table that they loaded before (not counted), beside raw of the same minutes;"
            " PipelineDP and Tumult once, the others three times",
            "peers bound users by 4 cities and 10 rows in each, twoworlds by weights that add up to 40 rows",
            "measured when it is asked for: python benchmarks/report.py --only asking_peers",
        ],
        versions=versions(),
    )


def asked(folder: Path) -> list[dict[str, Any]]:
    path = write(folder / "visits.parquet", 5_000_000, 200_000)
    raw = duckdb.connect()
    raw.execute("SET enable_progress_bar = false")
    tables = {unit: tw.open(policy=policy(folder, unit, path, by_user=unit == "user")) for unit in ("row", "user")}
    contenders: dict[str, Callable[[], object]] = {
        "raw DuckDB, exact median": lambda: raw.execute(RAW.format(path=path)).fetchall(),
        "raw DuckDB without the median": lambda: raw.execute(UNMEDIAN.format(path=path)).fetchall(),
        "twoworlds, rows": lambda: tables["row"].sql(QUESTION).release(epsilon=1, again=True),
        "twoworlds, users": lambda: tables["user"].sql(QUESTION).release(epsilon=1, again=True),
    }
    taken = interleaved(contenders)
    limit, units = taken["raw DuckDB, exact median"], ("-", "-", "row", "user")
    rows = [line(name, unit, taken[name], taken[name] / limit) for name, unit in zip(contenders, units, strict=True)]
    for peer in PEERS:
        found = ran(peer, path, "once" if peer.engine in ("pipelinedp", "tumult") else "")
        if isinstance(found, str):
            rows.append(line(peer.name, peer.unit, "-", note=found))
            continue
        again = statistics.median(interleaved({"raw": contenders["raw DuckDB, exact median"]}).values())
        rows.append(line(peer.name, peer.unit, found["seconds"], found["seconds"] / again, note=peer.note))
    raw.close()
    return rows


if __name__ == "__main__":
    publish(measure())
