"""Slices, periods and voids: no analyst moves what another has left, and what is given back was never let out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ledger.books import EVENT, ask, light_folder, spent
from tests.ledger.histories import rewritten, rows
from twoworlds.ledger import pages
from twoworlds.ledger.book import Ledger, Tampered
from twoworlds.ledger.charging import Voided
from twoworlds.ledger.keys import read_key
from twoworlds.ledger.standalone import canonical
from twoworlds.losses.filters import ConcentratedFilter, PureFilter, RenyiFilter
from twoworlds.losses.prices import Concentrated, Pure
from twoworlds.worlds.errors import BadArgument, Exhausted


@pytest.fixture
def folder() -> Iterator[Path]:
    with light_folder() as found:
        yield found


@pytest.fixture
def ledger(folder: Path) -> Ledger:
    book = Ledger(folder / "l.db")
    book.create("people", PureFilter(1))
    return book


# Slices


def test_a_slice_is_nobody_elses(ledger: Ledger) -> None:
    """What is set aside for one cannot be spent by another, nor by whoever has no name; nor more than it by its owner."""
    ledger.allot("people", "alice", epsilon="0.3")
    ledger.allot("people", "bob", epsilon="0.4")
    with pytest.raises(Exhausted):
        ledger.reserve("people", EVENT, Pure("0.4"))
    with pytest.raises(Exhausted, match="slice of alice"):
        ledger.reserve("people", EVENT, Pure("0.4"), principal="alice")
    for principal, epsilon in ((None, "0.3"), ("alice", "0.3"), ("bob", "0.4")):
        ledger.reserve("people", EVENT, Pure(epsilon), principal=principal)
        with pytest.raises(Exhausted):
            ledger.reserve("people", EVENT, Pure("0.001"), principal=principal)
    assert spent(ledger) == 1
    ledger.verify()


def test_a_stranger_has_no_slice(ledger: Ledger) -> None:
    """Where some have slices, a name without one is refused."""
    ledger.allot("people", "alice", epsilon="0.3")
    with pytest.raises(BadArgument, match="has no slice"):
        ledger.reserve("people", EVENT, Pure("0.1"), principal="eve")


def test_slices_cannot_be_more_than_there_is(ledger: Ledger) -> None:
    """Neither handed out twice, nor cut below what was charged; the error says what is possible."""
    ledger.reserve("people", EVENT, Pure("0.5"))
    with pytest.raises(BadArgument, match=r"At most epsilon = 0\.5"):
        ledger.allot("people", "alice", epsilon="0.6")
    ledger.allot("people", "alice", epsilon="0.5")
    ledger.reserve("people", EVENT, Pure("0.2"), principal="alice")
    with pytest.raises(BadArgument, match="below what was charged"):
        ledger.allot("people", "alice", epsilon="0.1")
    ledger.allot("people", "alice", epsilon="0.2")
    ledger.reserve("people", EVENT, Pure("0.3"))
    ledger.verify()


def test_a_filter_of_orders_has_no_slices(folder: Path) -> None:
    """Only one of its orders needs to hold, so parts of it do not add up."""
    book = Ledger(folder / "l.db")
    book.create("people", RenyiFilter(1, "1e-6", [2, 4, 8]))
    with pytest.raises(BadArgument, match="slices of it cannot be added up"):
        book.allot("people", "alice", epsilon="0.1")


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(1, 40), st.booleans()), max_size=12))
def test_together_they_stay_within_the_caps(wishes: list[tuple[str, int, bool]]) -> None:
    """Whatever slices are handed out and charged, in any order: their sum stays within, each within its own, and it verifies."""
    with light_folder() as folder:
        book = Ledger(folder / "l.db")
        book.create("people", PureFilter(1))
        for name, amount, allots in wishes:
            principal = None if name == "d" else name
            try:
                if allots and principal is not None:
                    book.allot("people", principal, epsilon=Fraction(amount, 100))
                else:
                    book.reserve("people", EVENT, Pure(Fraction(amount, 100)), principal=principal)
            except (Exhausted, BadArgument):
                continue
        assert spent(book) <= 1
        assert all(own.spent["epsilon"] <= own.caps["epsilon"] for own in book.slices("people"))
        book.verify()
        book.close()


# Periods


def test_a_period_renews_what_it_says(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every period has the full caps, the claim over all of them is their sum, and a clock that goes back changes nothing."""
    start = datetime(2026, 1, 1, 12, tzinfo=UTC)
    monkeypatch.setattr(pages, "now", lambda: start)
    ledger.create("monthly", ConcentratedFilter(1), renews=30)
    for day, renewed in ((0, True), (29, False), (30, True), (29, False), (61, True)):
        monkeypatch.setattr(pages, "now", lambda day=day: start + timedelta(days=day))
        if renewed:
            ledger.reserve("monthly", EVENT, Concentrated(1))
        with pytest.raises(Exhausted):
            ledger.reserve("monthly", EVENT, Concentrated("1/1000"))
    assert ledger.account("monthly").guarantee().at() == {"rho": Fraction(3), "delta": Fraction(0)}
    ledger.verify()


# Voids


def test_a_void_closes_for_good(ledger: Ledger) -> None:
    """Nothing is answered under it any more; without a statement its charge stays."""
    reserved = ledger.reserve("people", EVENT, Pure("0.4"))
    ledger.void(reserved.seq, "the machine stopped")
    with pytest.raises(Voided):
        ledger.release(reserved, 1)
    assert spent(ledger) == Fraction(4, 10)
    with pytest.raises(BadArgument, match="void already"):
        ledger.void(reserved.seq, "again")


def test_a_statement_gives_the_charge_back(ledger: Ledger) -> None:
    """Signed with the ledger's key and recorded; an answered reservation has nothing to give back."""
    reserved = ledger.reserve("people", EVENT, Pure("0.4"))
    entry = ledger.void(reserved.seq, "no table", statement="the engine never opened the file")
    assert spent(ledger) == 0 and entry.fields["statement"] and len(entry.fields["signature"]) == 128
    answered = ledger.reserve("people", EVENT, Pure("0.4"))
    ledger.release(answered, 1)
    with pytest.raises(BadArgument, match="was answered"):
        ledger.void(answered.seq, "wish", statement="it was not so")
    with pytest.raises(BadArgument, match="is not a charge"):
        ledger.void(1, "no reservation")
    ledger.verify()


def test_an_idempotent_retry_runs_once_more_and_no_more(ledger: Ledger) -> None:
    """A charge that was never answered may be tried once more for nothing; then it is spent."""
    first = ledger.reserve("people", EVENT, Pure("0.4"), idempotency="k")
    again = ledger.reserve("people", EVENT, Pure("0.4"), idempotency="k")
    assert again.seq == first.seq and not again.released and spent(ledger) == Fraction(4, 10)
    with pytest.raises(BadArgument, match="tried again already"):
        ledger.reserve("people", EVENT, Pure("0.4"), idempotency="k")
    assert ledger.release(again, 1).value == 1
    assert ledger.release(first, 2).value == 1  # one answer under one charge, whoever was first
    assert ledger.reserve("people", EVENT, Pure("0.4"), idempotency="k").answer == 1


# Whoever writes a ledger, it may not overspend: histories that are chained and signed as they should be

Fields = dict[str, Any]


def _with(kind: str, /, **changes: Any) -> Callable[[list[Fields]], list[Fields]]:
    """The entries of a kind, changed."""
    return lambda history: [{**fields, **changes} if fields["kind"] == kind else fields for fields in history]


def _twice(kind: str) -> Callable[[list[Fields]], list[Fields]]:
    """An entry of a kind once more, at the end."""
    return lambda history: [*history, next(fields for fields in history if fields["kind"] == kind)]


PLANTED = {
    "a cheaper state": _with("RESERVE", state={"count": 1, "epsilon": "1/100"}),
    "a cheaper charge": _with("RESERVE", charge={"epsilon": "1/100"}),
    "a charge beyond the caps": _with("RESERVE", charge={"epsilon": "2"}),
    "something spent at the start": _with("CREATE", state={"count": 0, "epsilon": "1/2"}),
    "larger caps": _with("CREATE", filter={"kind": "pure", "epsilon": "1/4"}),
    "a second charge for nothing": _twice("RESERVE"),
    "a second budget": _twice("CREATE"),
    "an answer to nothing": _with("RELEASE", reservation=2),
    "a kind of its own": _with("RESERVE", kind="GIFT"),
    "another population": _with("RESERVE", population="nobody"),
    "a slice that nobody handed out": _with("RESERVE", principal="eve", slice={"caps": {}, "state": {}, "period": 0}),
}


@pytest.mark.parametrize("how", PLANTED)
def test_a_false_account_is_found_though_it_is_signed(ledger: Ledger, folder: Path, how: str) -> None:
    """A curator's own key under a chain that holds: the arithmetic tells. Unchanged, the same history verifies."""
    ask(ledger, 1, epsilon="0.5")
    path = folder / "f.db"
    ledger.backup(path)
    shutil.copy(folder / "l.db.key", folder / "f.db.key")
    history = [json.loads(body) for _, body, *_ in rows(path)]
    told = json.dumps(history[2]["state"])
    assert "epsilon" in told
    for changed, holds in ((history, True), (PLANTED[how](history), False)):
        assert holds or changed != history
        bodies = [canonical({**fields, "seq": seq}) for seq, fields in enumerate(changed, 1)]
        rewritten(path, bodies, key=read_key(folder / "f.db.key"))
        if holds:
            Ledger(path).verify()
        else:
            with pytest.raises(Tampered):
                Ledger(path).verify()


def test_a_budget_speaks_of_one_thing(ledger: Ledger) -> None:
    """A price that protects something else than the budget was made for is refused: the two cannot be added up."""
    ledger.create("users", PureFilter(1), protects="one user, added or removed")
    ledger.reserve("users", EVENT, Pure("0.1"), protects="one user, added or removed")
    with pytest.raises(BadArgument, match="this protects one user, replaced"):
        ledger.reserve("users", EVENT, Pure("0.1"), protects="one user, replaced")
    ledger.reserve("users", EVENT, Pure("0.1"))  # whoever does not say vouches for it
    assert ledger.account("users").protects == "one user, added or removed"
    assert spent(ledger, "users") == Fraction(1, 5)
    ledger.verify()
