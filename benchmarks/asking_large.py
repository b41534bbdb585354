"""Asking fifty million rows of two million users: the same question beside the raw one. Minutes, so only when it is asked for."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb

import twoworlds as tw
from report import Bar, Result, publish
from timing import ROUNDS, interleaved
from visits import QUESTION, RAW, policy, write

MOST = {"row": 1.5, "user": 4.0}


def measure() -> Result:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        path = write(folder / "visits.parquet", 50_000_000, 2_000_000, parts=10)
        raw = duckdb.connect()
        raw.execute("SET enable_progress_bar = false")
        tables = {unit: tw.open(policy=policy(folder, unit, path, by_user=unit == "user")) for unit in MOST}
        taken = interleaved(
            {
                "raw": lambda: raw.execute(RAW.format(path=path)).fetchall(),
                "row": lambda: tables["row"].sql(QUESTION).release(epsilon=1, again=True),
                "user": lambda: tables["user"].sql(QUESTION).release(epsilon=1, again=True),
            }
        )
    rows = [{"protects": unit, "CPU s": seconds, "times raw": seconds / taken["raw"]} for unit, seconds in taken.items()]
    bars = []
    for unit, most in MOST.items():
        ratio = taken[unit] / taken["raw"]
        what = f"50 million rows, protecting a {unit}: CPU beside raw"
        bars.append(Bar(what, f"at most {most:g} times", f"{ratio:.3g} times", ratio <= most))
    return Result(
        title="Asking fifty million rows",
        rows=rows,
        notes=[
            "count, sum, mean, median of 50 cities; 2 million unequal users, in ten parts; the limit has DuckDB's exact median",
            f"medians of {ROUNDS} interleaved rounds in one process, Parquet read each time, the ledger included",
            "measured when it is asked for: python benchmarks/report.py --only asking_large",
        ],
        bars=bars,
    )


if __name__ == "__main__":
    publish(measure())
