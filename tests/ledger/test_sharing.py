"""Threads, processes and forks after one budget: exactly what it holds is answered, and nobody starves."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.ledger.books import EVENT, answered, ask, charged, light_folder, spent
from twoworlds.ledger.book import Ledger
from twoworlds.losses.filters import PureFilter
from twoworlds.losses.prices import Pure
from twoworlds.worlds.errors import Exhausted, TwoWorldsError

FORK = multiprocessing.get_context("fork")


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with light_folder() as folder:
        book = Ledger(folder / "budget.db")
        book.create("people", PureFilter(10))
        yield book
        book.close()


def forked(count: int, act: Callable[[int], Any]) -> list[Any]:
    """What the act gives in so many forks of this process."""
    results: Any = FORK.Queue()
    children = [FORK.Process(target=lambda n=n: results.put(act(n))) for n in range(count)]
    for child in children:
        child.start()
    found = [results.get(timeout=300) for _ in children]
    for child in children:
        child.join()
    return found


def grab(ledger: Ledger, requests: int) -> int:
    """How many of so many requests for a slot of 1/10 are answered."""
    won = 0
    for _ in range(requests):
        try:
            ask(ledger, os.getpid())
            won += 1
        except Exhausted:
            continue
    return won


def _exactly_a_hundred(ledger: Ledger, processes: int, requests: int) -> None:
    won = forked(processes, lambda _: grab(Ledger(ledger.path), requests))
    assert sum(won) == 100
    assert spent(ledger) == charged(ledger) == 10
    assert len(answered(ledger)) == 100
    ledger.verify()


def test_processes_share_one_budget(ledger: Ledger) -> None:
    """32 processes ask for 100 slots: exactly 100 answers, whoever is first; the chain still verifies."""
    _exactly_a_hundred(ledger, 32, 20)


@pytest.mark.soak
def test_processes_share_one_budget_again_and_again(effort: float) -> None:
    """32 processes with 500 requests each for 100 slots, 200 times over: exactly 100 answers each time."""
    for _ in range(max(1, round(200 * effort))):
        with light_folder() as folder:
            book = Ledger(folder / "budget.db")
            book.create("people", PureFilter(10))
            _exactly_a_hundred(book, 32, 500)


def test_forks_of_one_session_share_its_budget(ledger: Ledger) -> None:
    """64 forks inherit an open ledger and use it at once, the parent too: together they get what one would."""
    ask(ledger, "before the forks")
    assert sum(forked(64, lambda _: grab(ledger, 4))) + grab(ledger, 100) == 99
    assert spent(ledger) == charged(ledger) == 10
    ledger.verify()


def test_a_fork_goes_on_after_its_parent_closed(ledger: Ledger) -> None:
    """The last connection of the parent closes while a child writes: the child's charges stay, no log is lost under it."""
    ask(ledger, "before")
    with ledger._store.reading():
        pass
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(read, 1)
        code = 1
        try:
            for turn in range(5):
                ask(ledger, turn)
            code = 0
        finally:
            os._exit(code)
    ask(ledger, "parent")
    ledger.close()
    os.write(write, b"!")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(answered(Ledger(ledger.path))) == 7
    assert spent(ledger) == charged(ledger) == Fraction(7, 10)


def test_forks_while_other_threads_write(ledger: Ledger) -> None:
    """A process that forks again and again while its threads charge: no child hangs, no charge is lost."""
    stop, counts = threading.Event(), [0] * 4

    def write(own: int) -> None:
        while not stop.is_set() and counts[own] < 20:
            ask(ledger, own, epsilon="0.01")
            counts[own] += 1

    threads = [threading.Thread(target=write, args=(own,)) for own in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                ask(ledger, "child", epsilon="0.01")
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    stop.set()
    for thread in threads:
        thread.join()
    assert charged(ledger) == spent(ledger) == Fraction(sum(counts) + 10, 100)
    ledger.verify()


def test_threads_share_one_commit(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """32 threads charge in far fewer commits than charges, and none gets another's reservation."""
    sizes, commit = [], type(ledger._store)._commit

    def slow(self: Any, jobs: Any) -> None:
        time.sleep(0.01)  # a slow disk, on which the others queue up
        sizes.append(len(jobs))
        commit(self, jobs)

    monkeypatch.setattr(type(ledger._store), "_commit", slow)
    seqs: list[int] = []

    def charge() -> None:
        for _ in range(5):
            seqs.append(ledger.reserve("people", EVENT, Pure("0.01")).seq)

    threads = [threading.Thread(target=charge) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seqs)) == len(seqs) == sum(sizes) == 160
    assert len(sizes) <= 40
    assert charged(ledger) == Fraction(160, 100)


def test_one_refusal_in_a_group_is_nobody_elses(ledger: Ledger) -> None:
    """Threads whose charges share a commit succeed and fail each for itself."""
    outcome: dict[int, str] = {}

    def charge(own: int) -> None:
        try:
            ledger.reserve("people", EVENT, Pure(1 if own % 2 else 11))
            outcome[own] = "paid"
        except Exhausted:
            outcome[own] = "refused"

    threads = [threading.Thread(target=charge, args=(own,)) for own in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcome == {own: "paid" if own % 2 else "refused" for own in range(16)}


def test_a_stopped_thread_leaves_its_place(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt while a thread waits or leads neither charges nor blocks the others."""
    store = ledger._store
    commit = store._commit

    def interrupted(_: Any) -> None:
        monkeypatch.setattr(store, "_commit", commit)
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "_commit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ask(ledger, "stopped")
    assert charged(ledger) == 0
    assert ask(ledger, "next") == "next"


def test_a_ledger_that_was_moved_away_takes_no_charges(ledger: Ledger) -> None:
    """Charges into a file that nobody will open again are refused: the path leads elsewhere, or nowhere."""
    ask(ledger, 1)
    copy = ledger.path.with_name("copy.db")
    shutil.copy(ledger.path, copy)
    copy.replace(ledger.path)
    with pytest.raises(TwoWorldsError, match="replaced"):
        ask(ledger, 2)


def test_a_ledger_that_cannot_be_written_refuses(ledger: Ledger) -> None:
    """Fail closed: another program holds the lock of SQLite for too long, so nothing is charged and nothing leaves."""
    import sqlite3

    from twoworlds.ledger import store

    other = sqlite3.connect(ledger.path, isolation_level=None)
    ledger.close()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(store, "PATIENCE", 0.2)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(TwoWorldsError, match="Nothing was released"):
            ask(ledger, 1)
        other.execute("ROLLBACK")
    assert ask(ledger, 1) == 1


def test_ledgers_travel_to_other_processes(ledger: Ledger) -> None:
    """A ledger is pickled by its path, for workers that are not forked."""
    other = pickle.loads(pickle.dumps(ledger))
    assert other.path == ledger.path
    ask(other, 1)
    assert charged(ledger) == Fraction(1, 10)


def _waits(ledger: Ledger, seconds: float) -> list[float]:
    """How long each of this client's charges took."""
    waits, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.monotonic()
        ledger.reserve("people", EVENT, Pure("0.001"))
        waits.append(time.monotonic() - start)
    return waits


def test_nobody_starves(ledger: Ledger) -> None:
    """Eight processes write as fast as they can: each gets its share, the poorest at least a fifth of the median."""
    counts = sorted(len(waits) for waits in forked(8, lambda _: _waits(Ledger(ledger.path), 2)))
    assert counts[0] >= counts[4] / 5, counts


def _killed(ledger: Ledger, seconds: float, number: int) -> list[str]:
    """The answers that a client let out before it was killed, so long after the first of them, or the opening of the ledger."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            own = Ledger(ledger.path)
            os.write(write, b"open\n")
            for question in range(10_000):
                os.write(write, f"{ask(own, f'{number} {question}', epsilon='0.0001')}\n".encode())
        finally:
            os._exit(1)
    os.close(write)
    with os.fdopen(read) as pipe:
        assert pipe.readline() == "open\n"
        sent = "".join(pipe.readline() for _ in range(number % 3))  # no load is so heavy that nothing is ever sent
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
        sent += pipe.read()
    os.waitpid(child, 0)
    return sent.split("\n")[:-1]


def _kill(ledger: Ledger, times: int) -> None:
    paces = []
    for number in range(5):
        start = time.monotonic()
        ask(ledger, f"pace {number}", epsilon="0.0001")
        paces.append(time.monotonic() - start)
    pace = sorted(paces)[2]  # of this disk, under the load that is on it now: kills fall within the first few answers
    sent = [answer for number in range(times) for answer in _killed(ledger, pace * (number * 7 % 31) / 15, number)]
    assert sent
    held = answered(ledger)
    assert set(sent) <= set(held)
    assert len(held) == len(set(held))
    assert spent(ledger) == charged(ledger) >= Fraction(len(held), 10_000)
    ledger.verify()


def test_killed_at_any_moment(ledger: Ledger) -> None:
    """Clients are killed at odd moments: every answer that left is charged and recorded, and the ledger goes on."""
    _kill(ledger, 40)


@pytest.mark.soak
def test_killed_a_thousand_times(tmp_path: Path, effort: float) -> None:
    """The same, a thousand times, on a real disk."""
    book = Ledger(tmp_path / "budget.db")
    book.create("people", PureFilter(1000))
    _kill(book, max(20, round(1000 * effort)))
