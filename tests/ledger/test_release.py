"""A release is charged before its noise is drawn, at the price of what rounding leaves, or says that it is not recorded."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from twoworlds.ledger.book import Ledger
from twoworlds.ledger.records import decode, encode
from twoworlds.ledger.release import release
from twoworlds.losses.filters import ConcentratedFilter, PureFilter
from twoworlds.mechanisms.catalogue import card, cards
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.worlds.errors import BadArgument, Exhausted
from twoworlds.worlds.events import Composed, Distance, Poisson, Ran, Repeated, Sampled


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    book = Ledger(tmp_path / "budget.db")
    book.create("people", PureFilter(2))
    return book


def test_the_ledger_is_asked_for(ledger: Ledger) -> None:
    """Leaving ledger or population out is an error; saying None gives a claim that is marked unrecorded."""
    with pytest.raises(BadArgument, match="ledger"):
        release(card("laplace"), 1, sensitivity=1, epsilon=1)
    with pytest.raises(BadArgument, match="population"):
        release(card("laplace"), 1, sensitivity=1, epsilon=1, ledger=ledger)
    given = release(card("laplace"), 1, sensitivity=1, epsilon=1, ledger=None)
    assert given.receipt is None
    assert not given.claim.recorded


def test_the_claim_is_what_was_charged(ledger: Ledger) -> None:
    """Charge and claim agree, and the receipt is the entry's hash."""
    given = release(card("laplace"), 1, sensitivity=1, epsilon="0.3", ledger=ledger, population="people")
    entries = ledger.history("people")
    assert [entry.kind for entry in entries] == ["CREATE", "RESERVE", "RELEASE"]
    assert given.receipt == entries[-1].hash
    assert given.claim.recorded
    assert given.claim.loss.epsilon(0).upper == pytest.approx(0.3)
    assert json.loads(entries[1].content)["charge"] == {"epsilon": "3/10"}


def test_the_charge_is_on_disk_before_the_secret_is_read(ledger: Ledger) -> None:
    """The secret's function sees its own reservation; if it fails, the charge stays."""

    def secret() -> int:
        assert ledger.history("people")[-1].kind == "RESERVE"
        raise RuntimeError("the engine died")

    with pytest.raises(RuntimeError):
        release(card("geometric"), secret, sensitivity=1, epsilon="0.5", ledger=ledger, population="people")
    budget, state = ledger.budget("people")
    assert budget.remaining(state) == {"epsilon": Fraction(3, 2)}


def test_nothing_is_read_when_the_budget_is_gone(ledger: Ledger) -> None:
    """A refused release never touches the secret."""

    def secret() -> int:
        raise AssertionError("read all the same")

    with pytest.raises(Exhausted):
        release(card("geometric"), secret, sensitivity=1, epsilon=3, ledger=ledger, population="people")


def test_rounding_is_priced(tmp_path: Path) -> None:
    """Gaussian noise on numbers off the grid is charged for the sensitivity after rounding, which is larger."""
    book = Ledger(tmp_path / "budget.db")
    book.create("people", ConcentratedFilter(rho=100))
    settings: dict[str, Any] = {"sensitivity": 1, "sigma": 1, "ledger": book, "population": "people"}
    release(card("gaussian"), [1, 2, 3, 4], **settings)
    release(card("gaussian"), [0.5, 0.5, 0.5, 0.5], **settings)
    charges = [Fraction(json.loads(entry.content)["charge"]["rho"]) for entry in book.history() if entry.kind == "RESERVE"]
    assert charges[0] == pytest.approx(0.5)
    assert charges[1] == pytest.approx(4.5)


@pytest.mark.parametrize("name", cards())
def test_every_card_can_be_released(name: str, tmp_path: Path) -> None:
    """Every card goes through the ledger in its worst case; its event comes back as it was written."""
    book = Ledger(tmp_path / "budget.db")
    book.create("people", ConcentratedFilter(rho=100, delta="1/2"))
    case = card(name).worst[0]
    given = release(card(name), case.world, **case.at, ledger=book, population="people")
    assert given.receipt
    event = json.loads(book.history("people")[1].content)["event"]
    assert encode(decode(event)) == event
    assert decode(event).digest == card(name).digest


def test_events_survive_json() -> None:
    """Nested events are read back equal."""
    ran = Ran.of("gaussian", "ab", {"sigma": Fraction(1, 3), "flag": True, "note": "x"}, Distance(l2_squared=Fraction(1, 2)))
    event = Composed((Repeated(3, Sampled(Poisson(Fraction(1, 100)), ran)), ran))
    assert decode(json.loads(json.dumps(encode(event)))) == event


@pytest.mark.parametrize("value", [1.5, object(), {"a": 1}, b"x"])
def test_what_is_not_exact_is_not_recorded(value: Any) -> None:
    """Floats and strange objects are refused rather than rounded."""
    with pytest.raises(BadArgument, match="cannot be recorded"):
        encode(value)


def test_unknown_kinds_are_refused() -> None:
    """A record of a later version is not guessed at."""
    with pytest.raises(BadArgument, match="no kind of event"):
        decode({"kind": "Teleported"})


@pytest.mark.parametrize(("values", "grid"), [([0.45], 1), ([Fraction(9, 20)], 1), ([3], 2)])
def test_a_function_may_not_give_what_rounding_makes_dearer(values: list[Any], grid: object) -> None:
    """Two values a tenth apart round to neighbours a whole step apart: whoever was charged for the tenth gets no answer."""
    with pytest.raises(BadArgument, match="rounded to the grid"):
        release(card("gaussian"), lambda: values, sensitivity="0.1", sigma=1, grid=grid, ledger=None)
    paid = release(card("gaussian"), values, sensitivity="0.1", sigma=1, grid=grid, ledger=None)
    assert paid.claim.loss.mu > 1


def test_only_the_cards_own_parameters_are_taken(ledger: Ledger) -> None:
    """A seed for the noise is none of them, and a name that is mistyped costs nothing."""
    for further in ({"entropy": SeededEntropy(1)}, {"runs": 5}, {"scale": 1}):
        for given in ({"ledger": None}, {"ledger": ledger, "population": "people"}):
            with pytest.raises(BadArgument, match="cannot be called so"):
                release(card("laplace"), 1, sensitivity=1, epsilon=1, **given, **further)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(BadArgument, match="cannot be called so"):
        release(card("laplace"), 1, sensitivity=1, ledger=ledger, population="people")
    assert [entry.kind for entry in ledger.history("people")] == ["CREATE"]
