"""Approximate prices are read by their shape, hold where the exact reader looks, and are not proved where they do not hold."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from tests.broken.proofs import approximate as broken
from tests.proofs.programs import approximate as programs
from twoworlds.exact.tabulate import tabulate
from twoworlds.losses.prices import Approximate, Pure
from twoworlds.proofs import obligations as kernel
from twoworlds.proofs import runs
from twoworlds.proofs.checker import check
from twoworlds.proofs.explaining import explained
from twoworlds.proofs.failures import parts
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.prover import certified, proof
from twoworlds.proofs.readings import readings
from twoworlds.proofs.statements import Statement, stated
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.rationals import float_above

BROKEN = {card.name: card for card in vars(broken).values() if isinstance(card, Card)}
ROOT = "rho + 2 * sqrt(rho * log(1 / delta))"


def statement(card: Card) -> Statement:
    found = stated(card)
    assert isinstance(found, Statement)
    return found


def is_proved(found: Statement) -> bool:
    with suppress(Unsupported):
        return proof(found) is not None
    return False


@pytest.mark.parametrize(
    ("epsilon", "delta", "holds"),
    [
        (ROOT, "delta", True),
        ("rho + 2 * sqrt(log(1 / delta) * rho)", "delta", True),
        ("rho + 2 * sqrt(-rho * log(delta))", "delta", True),
        ("rho + sqrt(rho * log(1 / delta)) + sqrt(rho * log(1 / delta))", "delta", True),
        ("one + rho + 2 * sqrt(rho * log(1 / delta))", "delta", True),
        ("rho + 2 * sqrt(rho * log(2 / delta)) + r + 2 * sqrt(r * log(2 / delta))", "delta", True),
        ("rho + 2 * sqrt(rho * log(1 / delta)) + r + 2 * sqrt(r * log(1 / delta))", "delta", False),
        ("rho + sqrt(rho * log(1 / delta))", "delta", False),
        ("rho + 3 * sqrt(rho * log(1 / delta))", "delta", False),
        ("rho + 2 * sqrt(rho * log(1 / delta)) * scale", "delta", False),
        ("rho + 2 * sqrt(rho * log(1 / delta))", "delta / 2", False),
        ("rho + 2 * sqrt(rho * log(1 / delta) * log(1 / delta))", "delta", False),
        ("rho + 2 * sqrt(rho * exp(1 / delta))", "delta", False),
        ("rho + 2 * sqrt(rho)", "delta", False),
        ("rho", "delta", False),
    ],
)
def test_the_shape_of_a_price(epsilon: str, delta: str, holds: bool) -> None:
    """Each part has its root twice and its own delta, and the deltas sum to that of the price."""
    found = parts(Approximate(epsilon, delta))
    assert (found is not None) is holds


CASES = [
    (programs.gaussian_answer, 0, 3, {"sigma": 3}),
    (programs.gaussian_answer, 0, 3, {"sigma": 9}),
    (programs.laplace_and_gaussian, 0, 3, {"sigma": 6, "epsilon": 1}),
    (programs.two_parts_that_may_fail, 0, 3, {"sigma": 6, "tau": 5}),
]


@pytest.mark.parametrize(("card", "one", "other", "at"), CASES)
@pytest.mark.parametrize("delta", ["1/1000", "1/1000000"])
def test_what_is_proved_holds_exactly(card: Card, one: int, other: int, at: dict[str, Any], delta: str) -> None:
    """The exact loss at the stated epsilon is within delta."""
    values = {**at, "delta": delta}
    epsilon = card.price.at(values)["epsilon"]
    table = tabulate(card, one, other, **values)
    assert table.delta(float_above(epsilon)).upper <= Fraction(delta)


@pytest.mark.parametrize("name", BROKEN)
def test_what_does_not_hold_is_not_proved(name: str) -> None:
    """Exactly above its price at the worst case."""
    card = BROKEN[name]
    for case in card.worst:
        price = card.price.at(case.at)
        table = tabulate(card, case.world, case.other, **case.at)
        assert table.delta(float_above(price["epsilon"])).lower > float(price.get("delta", 0))
    assert not is_proved(statement(card))


def test_each_part_is_paid_from_its_own_purse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the parts of the price one sum, what the root forgets would pass for a pure part."""
    card = BROKEN["root_of_one_of_two"]
    made = runs.Runs.__init__

    def summed(self: runs.Runs, *given: Any) -> None:
        made(self, *given)
        self.purses = [(None, f"(+ {' '.join(price for _, price in self.purses)} 0.0)")]

    way = next(way for way in readings(statement(card)) if way.is_twin)
    lock = {"when": "true", "by": {"value.1": -1}, "charge": "1"}
    hints = {
        **{"guess": False, "invariants": [], "cells": {}, "signs": {}, "rates": {}},
        "shifts": {"0": [lock], "1": [lock]},
        "bounds": ["(<= $K0 1.0)", "(<= $K1 1.0)"],
    }
    assert way.admits(hints, "value")
    assert check(lower(way.program), card.neighbours, way.price, frozenset(), hints) is not None
    monkeypatch.setattr(runs.Runs, "__init__", summed)
    assert check(lower(way.program), card.neighbours, way.price, frozenset(), hints) is None


def test_a_purse_of_which_nothing_is_spent_is_not_below_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a purse without charges left out, a negative pure part would lower the price."""
    card = BROKEN["pure_part_below_nothing"]
    afford = kernel.Obligations.afford

    def without(self: kernel.Obligations) -> None:
        self.purses = [(sites, price) for sites, price in self.purses if sites]
        afford(self)

    assert not is_proved(statement(card))
    monkeypatch.setattr(kernel.Obligations, "afford", without)
    way = next(way for way in readings(statement(card)) if way.is_twin)
    lock = {"when": "true", "by": {"value.1": -1}, "charge": "1"}
    hints = {
        **{"guess": False, "invariants": [], "cells": {}, "signs": {}, "rates": {}},
        "shifts": {"0": [lock]},
        "bounds": ["(<= $K0 1.0)"],
    }
    assert check(lower(way.program), card.neighbours, way.price, frozenset(), hints) is None


def test_a_certificate_says_which_draws_are_squared() -> None:
    """The pure part is paid as it is, the concentrated one by the half of its square."""
    card = programs.laplace_and_gaussian
    certificate = certified(stated(card))
    assert certificate.details["theorem"] == "concentrated parts are approximately private"
    costs = [row[-1] for row in explained(certificate, card).rows]
    assert costs == ["(u / scale)^2 / 2", "1 * u / scale"]


def test_one_alignment_serves_all_outputs() -> None:
    """What is shown of each output by itself is no proof where something may be left over."""
    way = next(way for way in readings(statement(programs.laplace_and_gaussian)) if way.is_twin)
    assert way.admits({"guess": False, "shifts": {}}, "value")
    assert not way.admits({"guess": True, "shifts": {}}, "value")


def test_a_hundredth_of_the_concentrated_part_is_missed() -> None:
    """The same program that claims less, in the same shape."""
    found = statement(programs.gaussian_answer)
    text = str(found.price.formulas["epsilon"]).replace("9 /", "99 / 100 * 9 /")
    assert parts(Approximate(text, "delta")) is not None
    assert not is_proved(replace(found, price=Approximate(text, "delta")))
    assert not is_proved(replace(statement(programs.two_budgets), price=Pure("one + 99 / 100 * two")))
