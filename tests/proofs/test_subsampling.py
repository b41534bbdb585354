"""Sampling makes a price smaller only where its theorem speaks of the program; each condition is needed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from tests.broken.proofs import sampled as broken
from tests.proofs.programs import sampled as programs
from twoworlds.exact.tabulate import tabulate
from twoworlds.losses.prices import Pure
from twoworlds.proofs import subsampling
from twoworlds.proofs.certificates import save
from twoworlds.proofs.explaining import explained
from twoworlds.proofs.prover import certified, proof
from twoworlds.proofs.recheck import flaw_of, keep
from twoworlds.proofs.statements import Statement, stated
from twoworlds.proofs.subsampling import sampled
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.neighbours import L1, One

BROKEN = {card.name: card for card in vars(broken).values() if isinstance(card, Card)}


def statement(card: Card) -> Statement:
    found = stated(card)
    assert isinstance(found, Statement)
    return found


def is_proved(found: Statement) -> bool:
    """Whether what follows the sample is proved at the price that the theorem leaves to it."""
    rest = sampled(found)
    return rest is not None and proof(replace(found, program=rest.program, relation=rest.relation, price=rest.price)) is not None


@pytest.mark.parametrize(("one", "other"), [([0], [1]), ([1], [0]), ([3], [2]), ([0, 1, 1], [0, 0, 1])])
@pytest.mark.parametrize("rate", ["0", "1/4", "1/2", "1"])
def test_the_theorem_holds_exactly_and_is_reached(one: list[int], other: list[int], rate: str) -> None:
    """The exact loss is within the price, and equal to it where a record is there or not."""
    values = {"reach": 1, "rate": rate, "epsilon": 1}
    stated_price = float(programs.sampled_sum.price.at(values)["epsilon"])
    loss = tabulate(programs.sampled_sum, one, other, **values).epsilon
    assert loss.lower <= stated_price + 1e-9
    if sorted((*one, *other)) == [0, 1] and rate != "0":
        assert loss.upper >= stated_price - 1e-9


@pytest.mark.parametrize("name", BROKEN)
def test_what_costs_more_is_not_proved(name: str) -> None:
    """Each planted program costs more than it claims at its worst case, exactly."""
    card = BROKEN[name]
    for case in card.worst:
        table = tabulate(card, case.world, case.other, **case.at)
        assert table.epsilon.lower > float(card.price.at(case.at)["epsilon"]) + 1e-3
    assert not is_proved(statement(card))


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_no_method_proves_it(name: str) -> None:
    """Nor is it proved in any other way."""
    with suppress(Unsupported):
        assert proof(statement(BROKEN[name])) is None


CONDITIONS = {
    "no_bound": ("_bound", lambda *_: "1"),
    "twice_the_rate": ("_equal", lambda *_: True),
    "all_may_change": ("type", lambda _: One),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_without_a_condition_it_would_be_proved(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept has a bound, the coin is the price's, and one record changes."""
    found = statement(BROKEN[name])
    assert sampled(found) is None
    condition, instead = CONDITIONS[name]
    monkeypatch.setattr(subsampling, condition, instead, raising=False)
    assert is_proved(found)


@pytest.mark.parametrize("relation", [One("records", by=1), L1("records", by=1, grid=1), One("records", by=1, grid="1/2")])
def test_it_is_for_one_whole_record(relation: object) -> None:
    """Else what is kept may lie between the places of the noise, or several records change."""
    found = statement(programs.sampled_sum)
    assert sampled(found) is not None
    assert sampled(replace(found, relation=relation)) is None


def test_the_bound_is_declared_whole() -> None:
    """A bound between the places of the noise would show what was cut off."""
    found = statement(programs.sampled_sum)
    assert sampled(replace(found, whole=frozenset())) is None


@pytest.mark.parametrize(
    ("price", "fits"),
    [
        ("log(1 + rate * (exp(epsilon) - 1))", True),
        ("log((exp(epsilon) - 1) * rate + 1)", True),
        ("log(1 + rate / 2 * (exp(epsilon) - 1))", False),
        ("log(1 + rate * (exp(epsilon) - 1.00000000000000000001))", False),
        ("log(0.99999999999999999999 + rate * (exp(epsilon) - 1))", False),
        ("log(1 + rate * exp(epsilon) - 1)", False),
        ("rate * epsilon", False),
    ],
)
def test_the_shape_of_the_price(price: str, fits: bool) -> None:
    """As it is written, digit by digit."""
    found = replace(statement(programs.sampled_sum), price=Pure(price))
    assert (sampled(found) is not None) is fits


def test_it_is_not_proved_below_its_price() -> None:
    """The same shape with a hundredth less to spend after the sample."""
    found = statement(programs.sampled_sum)
    assert not is_proved(replace(found, price=Pure("log(1 + rate * (exp(99 / 100 * epsilon) - 1))")))


def test_the_certificate_is_checked_and_explained(tmp_path: Path) -> None:
    """It names the theorem, and does not hold under another."""
    found = statement(programs.sampled_sum)
    certificate = certified(found)
    assert certificate.details["theorem"] == "amplification by sampling"
    assert "amplification by sampling" in str(explained(certificate, programs.sampled_sum))
    keep(found, certificate, tmp_path)
    assert flaw_of(found, tmp_path) is None
    forged = replace(certificate, details={**certificate.details, "theorem": ""})
    save(forged, tmp_path, (tmp_path / "sampled_sum.smt2").read_text("utf-8"))
    assert flaw_of(found, tmp_path) is not None


def test_whole_rates() -> None:
    """The coin may be written out."""
    found = statement(programs.sampled_search)
    rest = sampled(found)
    assert rest is not None
    assert Fraction(rest.relation.bound({})) == 1
