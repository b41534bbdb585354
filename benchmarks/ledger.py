"""The ledger: durable charges beside what the disk itself can sync, and a million entries opened and verified.

Everything about syncs is wall time, for a sync is waiting: for the disk, that is, and not for other processes of a busy machine.
Disks drift by the second, so charges and raw syncs take turns within every round, and what is compared is the ratio of a round.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from report import HERE, Bar, Result, publish
from timing import ROUNDS
from twoworlds.ledger import charging
from twoworlds.ledger.answers import sealed
from twoworlds.ledger.book import Ledger
from twoworlds.ledger.charging import Charge
from twoworlds.ledger.records import encode
from twoworlds.ledger.standalone import check_ledger
from twoworlds.losses.filters import PureFilter
from twoworlds.losses.prices import Pure
from twoworlds.worlds.events import Ran

EVENT = Ran.of("laplace", "0" * 64, {"epsilon": Fraction(1, 10)})
PRICE, CAPS = Pure("0.001"), PureFilter(10**9)
PAGE = bytes(4096)
TURNS, BURSTS, THREADS, EACH = 60, 6, 32, 4
MILLION = 1_000_000
SLOW = 0.002  # seconds of a sync: about what disks need that do not answer from a cache
SMALL = 20  # turns on the slow disk


class Raw:
    """What the disk itself can do: one page written where space is already taken, and synced."""

    def __init__(self, path: Path, slower: float = 0) -> None:
        self._file, self._slower, self._at = os.open(path, os.O_RDWR | os.O_CREAT), slower, 0
        os.pwrite(self._file, PAGE * 64, 0)
        os.fsync(self._file)

    def sync(self) -> None:
        self._at = (self._at + 1) % 64
        os.pwrite(self._file, PAGE, 4096 * self._at)
        os.fdatasync(self._file)
        if self._slower:
            time.sleep(self._slower)


def seconds(act: Callable[[], object]) -> tuple[float, float]:
    """Wall time; and that without the time in which this thread could have gone on, but others had the processor."""
    queued, start = queueing(), time.perf_counter()
    act()
    wall = time.perf_counter() - start
    return wall, wall - (queueing() - queued)


def queueing() -> float:
    """Seconds that this thread has waited for a processor; 0 where the system does not tell."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def charge(ledger: Ledger) -> None:
    ledger.reserve("people", EVENT, PRICE)


def burst(ledger: Ledger) -> None:
    """32 threads that each charge a few times, all waiting for the same disk."""
    threads = [threading.Thread(target=lambda: [charge(ledger) for _ in range(EACH)]) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def rounds(folder: Path, *, slower: float, turns: int, bursts: int) -> dict[str, list[float]]:
    """Rates a second in each round: raw syncs, charges one by one; by the wall clock, raw syncs and charges of 32 threads."""
    ledger, raw = Ledger(folder / "l.db"), Raw(folder / "raw", slower)
    ledger.create("people", CAPS)
    rates: dict[str, list[float]] = {"raw": [], "one": [], "wall": [], "many": []}
    for counted in range(ROUNDS + 1):
        taken = dict.fromkeys(rates, 0.0)
        for turn in range(turns):
            wall, own = seconds(raw.sync)
            taken["wall"] += wall
            taken["raw"] += own
            taken["one"] += seconds(lambda: charge(ledger))[1]
            if turn < bursts:
                taken["many"] += seconds(lambda: burst(ledger))[0]
        if counted:
            done = {"raw": turns, "one": turns, "wall": turns, "many": bursts * THREADS * EACH}
            for name, count in done.items():
                rates[name].append(count / taken[name])
    ledger.close()
    return rates


def disks() -> Any:
    """The disk of the tests, which counts its steps and can be made slow."""
    sys.path.insert(0, str(HERE.parent))
    from tests.ledger import disks as found

    return found


@contextmanager
def slow_disk(folder: Path) -> Iterator[None]:
    """Every sync of a database in this folder takes longer."""
    with disks().disk(folder) as state:
        step = state.step

        def slowed(kind: str, name: str) -> bool:
            if kind == "sync":
                time.sleep(SLOW)
            return step(kind, name)

        state.step = slowed
        yield


def syncs_of_an_answer(folder: Path) -> float:
    """Syncs below SQLite for a charge and the answer to it, checkpoints included."""
    answers = 400
    with disks().disk(folder) as state:
        ledger = Ledger(folder / "l.db")
        ledger.create("people", CAPS)
        before = sum(entry[1] == "sync" for entry in state.journal)
        for number in range(answers):
            ledger.release(ledger.reserve("people", EVENT, PRICE), number)
        after = sum(entry[1] == "sync" for entry in state.journal)
        ledger.close()
    return (after - before) / answers


def a_million(folder: Path) -> dict[str, float]:
    """CPU seconds to open a ledger of a million entries and charge it, to verify all of it, and to walk it with the one file."""
    path, event, cost = folder / "l.db", encode(EVENT), CAPS.cost(PRICE)
    text, digest = sealed(1234)
    ledger = Ledger(path)
    ledger.create("people", CAPS)

    def fill(page: Any) -> None:
        for _ in range(25_000):
            charging.record(page, Charge("people", event, CAPS, cost)(page), text, digest)

    for _ in range(MILLION // 50_000):
        ledger._store.write(fill)
    ledger.close()
    found: dict[str, float] = {}
    for name, act in (
        ("open, and charge once", lambda: charge(Ledger(path))),
        ("verify: chain, tree, answers, every charge added up", lambda: Ledger(path).verify()),
        ("walk with the one file: chain, tree, answers", lambda: check_ledger(path)),
    ):
        start = time.process_time()
        act()
        found[name] = time.process_time() - start
    return found


def row(name: str, rates: dict[str, list[float]]) -> dict[str, object]:
    middle = {kind: statistics.median(found) for kind, found in rates.items()}
    ratios = {kind: _ratio(rates, kind) for kind in ("one", "many")}
    return {
        "disk": name,
        "raw syncs a second": middle["raw"],
        "charges, one by one": middle["one"],
        "ratio": ratios["one"],
        f"charges of {THREADS} threads": middle["many"],
        "ratio to raw": ratios["many"],
    }


def _ratio(rates: dict[str, list[float]], kind: str) -> float:
    raw = rates["raw" if kind == "one" else "wall"]
    return statistics.median(mine / limit for mine, limit in zip(rates[kind], raw, strict=True))


def measure() -> Result:
    bars, rows = [], []
    with tempfile.TemporaryDirectory(dir=HERE, prefix=".ledger-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        for part in ("here", "slow", "count", "million"):
            (folder / part).mkdir()
        found = {"this one": rounds(folder / "here", slower=0, turns=TURNS, bursts=BURSTS)}
        if disks().library() is not None:
            with slow_disk(folder / "slow"):
                found[f"this one, {SLOW * 1000:g} ms slower"] = rounds(folder / "slow", slower=SLOW, turns=SMALL, bursts=2)
            synced = syncs_of_an_answer(folder / "count")
            bars.append(Bar("syncs for a charge and its answer", "at most 3", f"{synced:.3g}", synced <= 3))
        for which, rates in found.items():
            rows.append(row(which, rates))
            one, many = _ratio(rates, "one"), _ratio(rates, "many")
            bars += [
                Bar(f"durable charges beside raw fdatasync, disk: {which}", "at least 0.7", f"{one:.2g}", one >= 0.7),
                Bar(f"charges of {THREADS} waiting threads, disk: {which}", "at least 5 times", f"{many:.3g} times", many >= 5),
            ]
        spent = a_million(folder / "million")
    limits = dict(zip(spent, (1, 20, 20), strict=True))
    for what, taken in spent.items():
        limit = limits[what]
        bars.append(Bar(f"a million entries: {what}", f"at most {limit} s CPU", f"{taken:.3g} s", taken <= limit))
    return Result(
        title="Ledger: durable charges, and a million entries",
        rows=rows,
        notes=[
            f"medians of {ROUNDS} rounds; in each, {TURNS} raw syncs and {TURNS} charges took turns, with bursts of all threads",
            "raw is the limit: one page of 4 KiB written in place and fdatasync, with nothing in between",
            "the slower disk: every sync of raw and of SQLite takes 2 ms more; a disk that answers from a cache in less than a"
            " tenth of a millisecond measures our own work instead (see CPU below), which no commit can hide",
            "one by one: without the time in which others had the processor, taken out of both; 32 threads: by the wall clock",
            f"one charge takes {1e6 * cpu_of_a_charge():.0f} us CPU, its signature included",
            "a charge is a RESERVE entry, its place in the tree, a signed head, a commit, and the witness",
        ],
        bars=bars,
    )


def cpu_of_a_charge() -> float:
    """CPU seconds of a charge where syncs cost nothing."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        ledger = Ledger(Path(name) / "l.db")
        ledger.create("people", CAPS)
        taken = []
        for _ in range(ROUNDS + 1):
            start = time.process_time()
            for _ in range(200):
                charge(ledger)
            taken.append((time.process_time() - start) / 200)
        ledger.close()
    return statistics.median(taken[1:])


if __name__ == "__main__":
    publish(measure())
