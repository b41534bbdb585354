"""Runs every benchmark and writes REPORT.md from what they measured; `schema.md` says what a benchmark writes.

python benchmarks/report.py               all of them
python benchmarks/report.py --only noise  one, the others as they were
python benchmarks/report.py --only none   none: only write the report anew from benchmarks/results
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from timing import table

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
REPORT = HERE / "REPORT.md"
NOT_MEASURED = {"report", "soak"}  # soak takes hours and is run by itself
SELDOM = {"asking_large", "asking_peers"}  # minutes and gigabytes: measured with --only, else left as it was
OURS = ("numpy", "scipy", "python-flint", "duckdb", "cryptography", "z3-solver")


@dataclass(frozen=True)
class Bar:
    """A figure that was asked for: `target` and `measured` as text, and whether it was met."""

    bar: str
    target: str
    measured: str
    met: bool


@dataclass(frozen=True)
class Result:
    """What one benchmark measured; refuses rows that are no table."""

    title: str
    rows: list[dict[str, Any]]
    notes: list[str] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.rows or any(list(row) != list(self.rows[0]) for row in self.rows):
            raise ValueError(f"{self.title}: rows are missing or have different columns")
        if any(type(bar.met) is not bool for bar in self.bars):
            raise ValueError(f"{self.title}: a bar is neither met nor missed")

    @staticmethod
    def read(data: Mapping[str, Any]) -> Result:
        """From a benchmark's JSON; a key too many or too few is an error."""
        return Result(**{**data, "bars": [Bar(**bar) for bar in data["bars"]]})


def publish(result: Result) -> None:
    """Print a benchmark's result, and write it where `--json` says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path, help="also write the result here, as schema.md describes")
    path = parser.parse_args().json
    print(section(result))
    if path:
        path.write_text(json.dumps(asdict(result), indent=1, default=float) + "\n")


def section(result: Result, circumstances: str = "") -> str:
    """One benchmark's part of the report."""
    lines = [f"## {result.title}", ""]
    lines += [circumstances, ""] if circumstances else []
    lines += [table(result.rows), ""]
    if result.bars:
        verdicts = [{**asdict(bar), "met": "met" if bar.met else "**missed**"} for bar in result.bars]
        lines += [table(verdicts), ""]
    lines += [f"- {note}" for note in result.notes]
    if result.versions:
        lines += ["- beside: " + ", ".join(f"{name} {version}" for name, version in sorted(result.versions.items()))]
    return "\n".join(lines).rstrip() + "\n"


def measure(script: Path) -> None:
    """Run one benchmark; keep its result with the circumstances in which it was measured."""
    path = RESULTS / f"{script.stem}.json"
    RESULTS.mkdir(exist_ok=True)
    fresh = path.with_suffix(".new")
    subprocess.run([sys.executable, script, "--json", fresh], check=True)
    keep(json.loads(fresh.read_text()), path)
    fresh.unlink()


def keep(data: Mapping[str, Any], path: Path) -> None:
    """Store a result, once it has been found to follow the schema, beside when and on what it was measured."""
    Result.read(data)
    path.write_text(json.dumps({"circumstances": circumstances(), "result": data}, indent=1) + "\n")


def circumstances() -> str:
    """Date, commit, processor and versions, in one line."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in OURS)
    return f"{datetime.now(UTC):%Y-%m-%d}, commit {commit}, {processor()}, Python {platform.python_version()}, {versions}."


def processor() -> str:
    """The processor's name and how many cores this process may use."""
    described = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    names = [line.partition(":")[2].strip() for line in described.splitlines() if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {len(os.sched_getaffinity(0))} cores"


def write() -> None:
    """REPORT.md from every stored result: bars first, then each benchmark."""
    stored = {path.stem: json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))}
    results = {name: Result.read(data["result"]) for name, data in stored.items()}
    bars = [bar for result in results.values() for bar in result.bars]
    head = [
        "# Benchmarks",
        "",
        "Written by `make bench`; do not edit. Times are CPU times of contenders that took turns, as medians of at least seven",
        "rounds: read the ratios, not the milliseconds.",
        "",
        f"{sum(bar.met for bar in bars)} of {len(bars)} bars are met.",
        "",
    ]
    sections = [section(result, stored[name]["circumstances"]) for name, result in results.items()]
    REPORT.write_text("\n".join(head) + "\n" + "\n".join(sections))


def scripts() -> dict[str, Path]:
    """The benchmarks: scripts here that can write their result, by name."""
    found = {path.stem: path for path in sorted(HERE.glob("*.py")) if path.stem not in NOT_MEASURED}
    return {name: path for name, path in found.items() if "publish(" in path.read_text() or "--json" in path.read_text()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=[*scripts(), "none"], help="measure this one only")
    only = parser.parse_args().only
    for name, script in scripts().items():
        if only == name or (only is None and name not in SELDOM):
            print(f"measuring {name}", flush=True)
            measure(script)
    write()
    print(f"wrote {REPORT.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
