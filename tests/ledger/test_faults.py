"""Every step towards the disk fails once, or all from one on, or the power goes: no answer leaves that is not charged."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ledger.books import answered, ask, charged, light_folder, spent
from tests.ledger.disks import Disk, disk, library
from twoworlds.ledger import keys, turns, witness
from twoworlds.ledger.book import Ledger
from twoworlds.losses.filters import PureFilter
from twoworlds.worlds.errors import TwoWorldsError

needs_disk = pytest.mark.skipif(library() is None, reason="SQLite is built into this Python, where a test cannot reach it")
ASKED = 4


@pytest.fixture
def folder() -> Iterator[Path]:
    with light_folder() as found:
        yield found


def work(path: Path, sent: list[tuple[int, int]], state: Disk | None = None) -> None:
    """Open, create, ask; go on after every error, as a service would. What was let out is `sent`, with the step after it."""
    ledger = None
    for question in range(-1, ASKED):
        try:
            if ledger is None:
                ledger = Ledger(path)
            if not ledger.populations():
                ledger.create("people", PureFilter(10))
            if question >= 0:
                answer = ask(ledger, question, idempotency=f"question {question}")
                sent.append((state.steps if state else 0, answer))
        except TwoWorldsError:
            continue
    if ledger is not None:
        ledger.close()


def check(path: Path, sent: list[int], *, sealed: bool = False) -> None:
    """The ledger verifies, holds a charge for every answer that left, and works."""
    ledger = Ledger(path)
    if ledger.populations() or sent:
        assert set(sent) <= set(answered(ledger))
        assert spent(ledger) == charged(ledger)
        assert 10 * charged(ledger) >= len(sent)
    else:
        ledger.create("people", PureFilter(10))
    if not sealed:
        ledger.verify()
        before = spent(ledger)
        assert ask(ledger, "after") == "after"
        assert spent(ledger) > before
        ledger.verify()
    ledger.close()


def steps_of_a_run(folder: Path) -> int:
    (folder / "whole").mkdir()
    with disk(folder) as state:
        work(folder / "whole" / "l.db", [], state)
    return state.steps


@needs_disk
@pytest.mark.parametrize("dead", [False, True], ids=["once", "from then on"])
def test_every_step_of_the_database_fails(folder: Path, dead: bool) -> None:
    """Each read, write, sync, truncation, opening and deletion below SQLite fails in its turn: nothing leaves uncharged."""
    total, failures = steps_of_a_run(folder), set()
    assert total > 80
    for step in range(1, total + 1):
        own = folder / str(step)
        own.mkdir()
        sent: list[tuple[int, int]] = []
        with disk(own) as state:
            state.fail, state.dead = step, dead
            work(own / "l.db", sent, state)
        failures.add(state.failed.split()[0])
        check(own / "l.db", [answer for _, answer in sent])
        if not dead:
            assert len(sent) >= ASKED - 2, f"step {step}, {state.failed}: one failure cost {ASKED - len(sent)} answers"
        shutil.rmtree(own)
    assert failures >= {"open", "read", "write", "sync", "map", "delete", "truncate"}


@needs_disk
def test_a_power_cut_loses_no_charge(folder: Path, effort: float) -> None:
    """After a cut at any step, with unsynced sectors there or not, every answer that had left is charged, and the chain holds."""
    path = folder / "l.db"
    sent: list[tuple[int, int]] = []
    with disk(folder) as state:
        work(path, sent, state)
    assert len(sent) == ASKED
    luck = random.Random(4)
    for at in range(1, state.steps + 1):
        for _ in range(max(1, round(40 * effort))):
            own = folder / "after"
            own.mkdir()
            for name, content in state.after_power_cut(at, luck).items():
                (own / Path(name).name).write_bytes(content)
            shutil.copy(f"{path}.key", own)
            old = [answer for step, answer in sent if step <= at]
            if (own / "l.db").exists():
                _check_after_cut(own / "l.db", old)
            shutil.rmtree(own)


def _check_after_cut(path: Path, sent: list[int]) -> None:
    """The witness is left out here (it may lag by anything), so the ledger is sealed; it must read and verify all the same."""
    ledger = Ledger(path)
    if not ledger.populations():
        assert not sent
    else:
        assert set(sent) <= set(answered(ledger))
        assert 10 * spent(ledger) == 10 * charged(ledger) >= len(sent)
        ledger.verify()
    ledger.close()


@needs_disk
def test_a_disk_that_does_not_sync_is_noticed_by_the_power_cut(folder: Path) -> None:
    """The test above can fail: with syncs turned off, some cut loses a charge whose answer had left."""
    path = folder / "l.db"
    sent: list[tuple[int, int]] = []
    with disk(folder) as state:
        work(path, sent, state)
    state.journal = [entry for entry in state.journal if entry[1] != "sync"]
    luck, lost = random.Random(4), 0
    for at in range(sent[0][0], state.steps + 1, 5):
        content = b"".join(state.after_power_cut(at, luck).values())
        lost += b'"kind":"RELEASE"' not in content or b"SQLite format 3" not in content
    assert lost


class Flaky:
    """A module of the system whose n-th call fails."""

    def __init__(self, module: Any, counter: list[int], fail: int, names: set[str]) -> None:
        self._module, self._counter, self._fail, self._names = module, counter, fail, names

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if name not in self._names:
            return found

        def call(*arguments: Any, **options: Any) -> Any:
            self._counter[0] += 1
            if self._counter[0] == self._fail:
                raise OSError(5, "planted failure")
            return found(*arguments, **options)

        return call


def test_every_step_beside_the_database_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Locks, key and witness: each call of the system fails in its turn, and nothing leaves uncharged."""
    import fcntl

    def run(fail: int) -> int:
        own = folder / str(fail)
        own.mkdir()
        counter, sent = [0], []
        with monkeypatch.context() as patched:
            for module in (witness, keys, turns):
                flaky = Flaky(os, counter, fail, {"open", "pwrite", "pread", "fsync", "fdopen"})
                patched.setattr(module, "os", flaky)
            patched.setattr(turns, "fcntl", Flaky(fcntl, counter, fail, {"flock"}))
            work(own / "l.db", sent)
        check(own / "l.db", [answer for _, answer in sent])
        shutil.rmtree(own)
        return counter[0]

    total = run(0)
    assert total > 60
    for fail in range(1, total + 1):
        run(fail)
