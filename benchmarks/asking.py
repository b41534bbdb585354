"""Asking: the same question to a raw engine and to us; SmartNoise beside the first answer. Other peers: `asking_peers`. CPU time.

Peers are installed into environments of their own, under the folder that TWOWORLDS_PEERS names (else a cache of the user's); what
does not install, or does not finish, is a row that says so.
"""

from __future__ import annotations

import compileall
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

import twoworlds as tw
from report import HERE, Bar, Result, publish
from timing import ROUNDS, interleaved
from twoworlds.queries.compiling import compiled
from twoworlds.queries.releasing import release
from visits import CITIES, QUESTION, RAW, UNMEDIAN, policy, write

PATIENCE = 300  # seconds for a peer to load its table and answer
LIMIT = "raw DuckDB, exact median"
FIRST = "SELECT city, COUNT(*) AS n, SUM(income) AS total, AVG(age) AS age FROM visits GROUP BY city"


@dataclass(frozen=True)
class Peer:
    """A peer, what it is installed with, whom it protects, and what it leaves out."""

    name: str
    engine: str
    needs: tuple[str, ...]
    unit: str
    note: str = ""

    @property
    def home(self) -> Path:
        """Its environment, shared by the ways to ask it."""
        cache = os.environ.get("TWOWORLDS_PEERS") or Path.home() / ".cache" / "twoworlds" / "peers"
        return Path(cache) / self.engine.partition("_")[0]


PEERS = (
    Peer("OpenDP Polars", "opendp", ("opendp[polars]", "pyarrow", "numpy"), "row"),
    Peer("OpenDP Polars, identifier", "opendp_users", ("opendp[polars]", "pyarrow", "numpy"), "user"),
    Peer("diffprivlib", "diffprivlib", ("diffprivlib", "scikit-learn<1.6", "pandas", "pyarrow"), "row", "split by pandas"),
    Peer("SmartNoise SQL", "smartnoise", ("smartnoise-sql", "pandas<3", "pyarrow"), "user", "no median; loaded into SQLite"),
    Peer("PipelineDP, local", "pipelinedp", ("pipeline-dp", "pandas", "pyarrow"), "user"),
    Peer("Tumult Analytics, local Spark", "tumult", ("tmlt.analytics", "pyarrow"), "user", "made for clusters; untuned"),
)


def interpreter(peer: Peer) -> Path | None:
    """The Python of a peer's environment, which is made if it is not there; None where it does not install."""
    python = peer.home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", peer.home], check=True)
        installed = subprocess.run([python, "-m", "pip", "install", "-q", *peer.needs], check=False, capture_output=True)
        (peer.home / "installed").write_text(str(installed.returncode))
    told = peer.home / "installed"
    return None if told.exists() and told.read_text() != "0" else python


def ran(peer: Peer, path: Path, how: str = "") -> dict[str, float] | str:
    """What the peer's question took, or why it took nothing."""
    python = interpreter(peer)
    if python is None:
        return "did not install"
    before = _children()
    try:
        told = subprocess.run(
            [python, HERE / "peers.py", peer.engine, path, *([how] if how else [])],
            check=False,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            cwd=path.parent,
        )
    except subprocess.TimeoutExpired:
        return f"not finished in {PATIENCE} s, {_children() - before:.0f} s of them CPU"
    if told.returncode:
        return f"failed: {told.stderr.strip().splitlines()[-1][:80] if told.stderr.strip() else told.returncode}"
    found: dict[str, float] = json.loads(told.stdout.strip().splitlines()[-1])
    return found


def line(engine: str, protects: str, seconds: object, beside: object = "-", *, note: object = "") -> dict[str, Any]:
    """One row of the table."""
    return {"engine": engine, "protects": protects, "CPU s": seconds, "times raw": beside, "note": note}


# Five million rows


def timed(folder: Path, path: Path) -> tuple[list[dict[str, Any]], Callable[[], object]]:
    """Rows for raw, with the median and without, and for us, protecting rows and users; and the raw question by itself."""
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    tables = {unit: tw.open(policy=policy(folder, unit, path, by_user=unit == "user")) for unit in ("row", "user")}
    contenders: dict[str, Callable[[], object]] = {
        LIMIT: lambda: connection.execute(RAW.format(path=path)).fetchall(),
        "raw DuckDB without the median": lambda: connection.execute(UNMEDIAN.format(path=path)).fetchall(),
        "twoworlds, rows": lambda: tables["row"].sql(QUESTION).release(epsilon=1, again=True),
        "twoworlds, users": lambda: tables["user"].sql(QUESTION).release(epsilon=1, again=True),
    }
    taken, units = interleaved(contenders), ("-", "-", "row", "user")
    rows = [line(name, unit, taken[name], taken[name] / taken[LIMIT]) for name, unit in zip(contenders, units, strict=True)]
    return rows, contenders[LIMIT]


def large(folder: Path) -> tuple[list[dict[str, Any]], list[Bar]]:
    path = write(folder / "visits.parquet", 5_000_000, 200_000)
    rows, _ = timed(folder, path)
    ratios = {row["protects"]: row["times raw"] for row in rows}
    bars = []
    for unit, most in (("row", 1.5), ("user", 3.0)):
        ratio = ratios[unit]
        bars.append(
            Bar(
                f"5 million rows, protecting a {unit}: CPU beside raw",
                f"at most {most:g} times",
                f"{ratio:.3g} times",
                ratio <= most,
            )
        )
    bars += memory(folder, path)
    return rows, bars


def memory(folder: Path, path: Path) -> list[Bar]:
    """The largest resident size of a new process that asks, beside one that runs the raw query."""
    told = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"  # not its parent's
    asked = "import twoworlds as tw; tw.open(policy={policy!r}).sql({question!r}).release(epsilon=1, again=True)"
    still = "import duckdb; c = duckdb.connect(); c.execute('SET enable_progress_bar = false')"
    programs = {"raw": f"{still}; c.execute({RAW.format(path=path)!r}).fetchall()"}
    for unit in ("row", "user"):
        programs[unit] = asked.format(policy=str(folder / f"{unit}.toml"), question=QUESTION)
    sizes: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(3):  # it hardly varies
        for name, program in programs.items():
            found = subprocess.run([sys.executable, "-c", f"{program}\n{told}"], check=True, capture_output=True, text=True)
            sizes[name].append(float(found.stdout.split()[-1]))
    middle = {name: statistics.median(found) for name, found in sizes.items()}
    ratios = {unit: middle[unit] / middle["raw"] for unit in ("row", "user")}
    return [
        Bar(f"5 million rows, protecting a {unit}: memory beside raw", "at most 1.3 times", f"{ratio:.3g} times", ratio <= 1.3)
        for unit, ratio in ratios.items()
    ]


# A thousand rows


def small(folder: Path) -> tuple[list[dict[str, Any]], list[Bar]]:
    """What a question costs that reads next to nothing: parsing, typing, pricing, writing the text; then noise and all."""
    path = write(folder / "small.parquet", 1000, 200)
    rows, bars = [], []
    for unit in ("row", "user"):
        table = tw.open(policy=policy(folder, f"small {unit}", path, by_user=unit == "user"))

        def plan(table: Any = table) -> Any:
            offered = table.sql(QUESTION).offer(epsilon=1)
            compiled(offered.typed, offered.bounding, offered.policy, "salt")
            return offered

        taken = interleaved(
            {
                "planning": plan,
                "end to end, unrecorded": lambda table=table, plan=plan: release(plan(), table.session.engine, None),
                "end to end, with two durable commits": lambda table=table: table.sql(QUESTION).release(epsilon=1, again=True),
            },
            rounds=31,
        )
        for name, seconds in taken.items():
            rows.append(line(f"1,000 rows, {name}", unit, seconds))
        for name, most in (("planning", 10), ("end to end, unrecorded", 20)):
            spent = 1e3 * taken[name]
            bars.append(Bar(f"1,000 rows, a {unit}: {name}", f"at most {most} ms CPU", f"{spent:.3g} ms", spent <= most))
    return rows, bars


# From nothing to an answer


def first(folder: Path) -> tuple[list[dict[str, Any]], list[Bar]]:
    """The first answer of a process on a CSV file, beside SmartNoise in the same rounds; imports and loading included."""
    path = write(folder / "first.csv", 50_000, 10_000)
    given = policy(folder, "first", path, by_user=True)
    compileall.compile_dir(Path(tw.__file__).parent, quiet=1)  # as an installation does, and did for the peer
    program = "from twoworlds.cli.main import main; main()"
    [rival] = [peer for peer in PEERS if peer.engine == "smartnoise"]
    ours: list[float] = []
    theirs: list[float] = []
    for turn in range(ROUNDS + 1):
        for ledger in folder.glob("first.ledger*"):
            ledger.unlink()
        before = _children()
        words = [sys.executable, "-c", program, "ask", FIRST, "--epsilon", "1", "--policy", str(given)]
        subprocess.run(words, check=True, capture_output=True)
        taken = _children() - before
        found = ran(rival, path, "first")
        if turn:
            ours.append(taken)
            if not isinstance(found, str):
                theirs.append(found["whole"])
    mine = statistics.median(ours)
    other = statistics.median(theirs) if theirs else None
    bars = [Bar("first answer on 50,000 rows of CSV, from process start", "at most 0.7 s CPU", f"{mine:.3g} s", mine <= 0.7)]
    if other is not None:
        bars.append(Bar("the same beside SmartNoise", "at most 0.6 times", f"{mine / other:.3g} times", mine / other <= 0.6))
    what = "50,000 rows of CSV, first answer"
    rows = [
        line(f"{what}: twoworlds ask", "user", mine, note="a new ledger each time"),
        line(f"{what}: SmartNoise SQL", "user", "-" if other is None else other, note=found if other is None else "no ledger"),
    ]
    return rows, bars


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def versions() -> dict[str, str]:
    """What the peers' environments hold."""
    asked = "from importlib.metadata import distributions as d; print({x.metadata['Name'].lower(): x.version for x in d()})"
    found: dict[str, str] = {}
    for peer in PEERS:
        python = peer.home / "bin" / "python"
        if python.exists():
            told = subprocess.run([python, "-c", asked], check=True, capture_output=True, text=True).stdout
            name = peer.needs[0].partition("[")[0]
            held = json.loads(told.replace("'", '"'))
            found |= {name: held[name]} if name in held else {}
    return found


def measure() -> Result:
    rows, bars = [], []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        for part in (small, first, large):
            (folder := Path(name) / part.__name__).mkdir()
            more, met = part(folder)
            rows += more
            bars += met
    return Result(
        title="Asking: four aggregates of fifty cities",
        rows=rows,
        notes=[
            f"count, sum, mean and median of {len(CITIES)} cities, epsilon = 1; 5 million visits of 200,000 unequal users",
            f"raw and twoworlds: medians of {ROUNDS} interleaved rounds in one process, Parquet read each time, ledger included",
            "about half of raw is DuckDB's exact median, so it is shown without that as well",
            "users are bounded by weights that add up to 40 rows",
            "first answers count everything from the start of the interpreter, loading the table included, compiled as installed",
        ],
        bars=bars,
        versions=versions(),
    )


if __name__ == "__main__":
    publish(measure())
