"""Asking peers: the question of `asking` to each, in an environment of its own, beside raw. Half an hour: only when asked for."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

from asking import PEERS, line, ran, timed, versions
from report import Result, publish
from timing import ROUNDS, interleaved
from visits import write


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
    rows, raw = timed(folder, path)
    for peer in PEERS:
        found = ran(peer, path, "once" if peer.engine in ("pipelinedp", "tumult") else "")
        if isinstance(found, str):
            rows.append(line(peer.name, peer.unit, "-", note=found))
            continue
        again = statistics.median(interleaved({"raw": raw}).values())
        rows.append(line(peer.name, peer.unit, found["seconds"], found["seconds"] / again, note=peer.note))
    return rows


if __name__ == "__main__":
    publish(measure())
