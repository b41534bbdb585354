"""The budget on disk: charged before release, never twice, never by halves, and nobody can edit history unnoticed."""

from __future__ import annotations

import multiprocessing
import sqlite3
from fractions import Fraction
from pathlib import Path

import pytest

from twoworlds.ledger.book import Ledger, Tampered
from twoworlds.losses.filters import ConcentratedFilter, PureFilter
from twoworlds.losses.prices import Pure
from twoworlds.worlds.errors import BadArgument, Exhausted, TwoWorldsError
from twoworlds.worlds.events import Ran

EVENT = Ran.of("laplace", "0" * 64, {"epsilon": Fraction(1, 10)})


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    book = Ledger(tmp_path / "budget.db")
    book.create("people", PureFilter(1))
    return book


def test_exactly_the_budget_is_paid(ledger: Ledger) -> None:
    """Ten tenths are one: exact charges neither lose nor gain a release to rounding."""
    for _ in range(10):
        ledger.reserve("people", EVENT, Pure("0.1"))
    with pytest.raises(Exhausted, match="remaining epsilon = 0"):
        ledger.reserve("people", EVENT, Pure("1e-9"))


def test_refusal_charges_nothing(ledger: Ledger) -> None:
    """What is refused leaves no entry, and the rest can still be spent."""
    ledger.reserve("people", EVENT, Pure("0.7"))
    before = ledger.history()
    with pytest.raises(Exhausted, match=r"requested epsilon = 0\.4"):
        ledger.reserve("people", EVENT, Pure("0.4"))
    assert ledger.history() == before
    ledger.reserve("people", EVENT, Pure("0.3"))


def test_a_charge_survives_the_process(ledger: Ledger) -> None:
    """A reservation without a release stays spent, in a ledger that is opened anew."""
    ledger.reserve("people", EVENT, Pure("0.6"))
    budget, state = Ledger(ledger.path).budget("people")
    assert budget.remaining(state) == {"epsilon": Fraction(2, 5)}


def test_pure_releases_under_the_default_filter(tmp_path: Path) -> None:
    """Under approximate zCDP a pure release costs at most epsilon squared over two."""
    book = Ledger(tmp_path / "budget.db")
    book.create("people", ConcentratedFilter(rho="0.01", delta=0))
    book.reserve("people", EVENT, Pure("0.1"))
    budget, state = book.budget("people")
    assert Fraction(1, 200) <= budget.remaining(state)["rho"] < Fraction(6, 1000)


def test_a_repeat_is_free_and_gives_the_stored_answer(ledger: Ledger) -> None:
    """The same key and request return the stored answer; another request under that key is refused."""
    first = ledger.reserve("people", EVENT, Pure("0.5"), idempotency="a")
    ledger.release(first, [1, Fraction(1, 3)])
    again = ledger.reserve("people", EVENT, Pure("0.5"), idempotency="a")
    assert again.released
    assert again.seq == first.seq
    assert len([entry for entry in ledger.history() if entry.kind == "RESERVE"]) == 1
    other = Ran.of("laplace", "0" * 64, {"epsilon": Fraction(1, 5)})
    with pytest.raises(BadArgument, match="another request"):
        ledger.reserve("people", other, Pure("0.5"), idempotency="a")


def test_caps_are_fixed(ledger: Ledger) -> None:
    """A population's filter is fixed when it is created."""
    with pytest.raises(BadArgument, match="has a budget already"):
        ledger.create("people", PureFilter(100))


@pytest.mark.parametrize("population", ["", "  "])
def test_nameless_populations_are_refused(ledger: Ledger, population: str) -> None:
    """Somebody's data: say whose."""
    with pytest.raises(BadArgument, match="population"):
        ledger.create(population, PureFilter(1))


def test_unknown_population_is_named(ledger: Ledger) -> None:
    """The error names the populations that exist."""
    with pytest.raises(BadArgument, match="populations: people"):
        ledger.reserve("persons", EVENT, Pure("0.1"))


@pytest.mark.parametrize("edit", ["UPDATE entry SET body = replace(body, '7', '1')", "DELETE FROM entry WHERE seq = 3"])
def test_history_cannot_be_edited_unnoticed(ledger: Ledger, edit: str) -> None:
    """The table refuses edits; with its triggers gone, the chain tells."""
    ledger.reserve("people", EVENT, Pure("0.7"))
    ledger.reserve("people", EVENT, Pure("0.1"))
    assert ledger.verify().entries == 4
    connection = sqlite3.connect(ledger.path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(edit)
    connection.executescript(f"DROP TRIGGER entry_no_update; DROP TRIGGER entry_no_delete; {edit};")
    connection.commit()
    connection.close()
    with pytest.raises(Tampered):
        Ledger(ledger.path).verify()


def test_a_ledger_of_the_future_is_refused(ledger: Ledger) -> None:
    """A format that this version does not know is not touched."""
    connection = sqlite3.connect(ledger.path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(TwoWorldsError, match="format 99"):
        Ledger(ledger.path)


def test_something_else_is_not_a_ledger(tmp_path: Path) -> None:
    """A file that is no database is refused with a sentence."""
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to look at" * 50)
    with pytest.raises(TwoWorldsError, match="cannot be"):
        Ledger(path)


def _grab(path: Path, tries: int, won: multiprocessing.Queue) -> None:
    count = 0
    for _ in range(tries):
        try:
            Ledger(path).reserve("people", EVENT, Pure("0.1"))
            count += 1
        except Exhausted:
            pass
    won.put(count)


def test_processes_share_one_budget(ledger: Ledger) -> None:
    """Eight processes after ten slots get ten, whoever is first; the chain still verifies."""
    context = multiprocessing.get_context("fork")
    won: multiprocessing.Queue = context.Queue()
    workers = [context.Process(target=_grab, args=(ledger.path, 4, won)) for _ in range(8)]
    for worker in workers:
        worker.start()
    total = sum(won.get(timeout=60) for _ in workers)
    for worker in workers:
        worker.join()
    assert total == 10
    assert ledger.verify().entries == 12
