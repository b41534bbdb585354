"""Tables and rules prove no program whose outcomes depend on more than they list; without each check they would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from tests.broken.proofs import tables
from twoworlds.exact.tabulate import tabulate
from twoworlds.proofs import outcomes, ratios, rules
from twoworlds.proofs.checker import with_cvc5, with_z3
from twoworlds.proofs.outcomes import tabulated
from twoworlds.proofs.prover import proof, prove
from twoworlds.proofs.ratios import Ratio, atom, noting
from twoworlds.proofs.rules import apply
from twoworlds.proofs.statements import Statement, stated
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import Unsupported

Patch = Callable[[pytest.MonkeyPatch], None]


def parameters_are_never_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ratio, "__eq__", object.__eq__)
    monkeypatch.setattr(Ratio, "__ne__", object.__ne__)


def one_path_speaks_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes.Table, "always", lambda self: {fact: None for known in self.known for fact in known})


def quotients_always_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratios, "note", lambda _: None)


def equal_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "told_apart", lambda shown: shown)


def some_paths_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = outcomes.paths

    def some(*given: Any) -> Iterator[Any]:
        return islice(paths(*given), 4)

    monkeypatch.setattr(outcomes, "paths", some)


def theorems_need_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "THEOREMS", tuple(replace(theorem, needs="0") for theorem in rules.THEOREMS))


def every_weight_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "_RESPONSE", None)


PLANTED: list[tuple[Card, Patch]] = [
    (tables.plain_at_one, parameters_are_never_equal),
    (tables.plain_where_equal, parameters_are_never_equal),
    (tables.coin_on_one_path, one_path_speaks_for_all),
    (tables.divides_in_one_world, quotients_always_exist),
    (tables.divides_itself_away, quotients_always_exist),
    (tables.yes_and_one, equal_is_the_same),
    (tables.seldom_plain, some_paths_are_enough),
    (tables.flip_below_zero, theorems_need_nothing),
    (tables.weight_of_one_choice, every_weight_is_read),
]


def is_shown(found: Statement) -> bool:
    """Whether the table or a rule proves the statement, for either solver."""
    applied = apply(found)
    scripts = (tabulated(found), applied and applied.obligations)
    return any(script is not None and (with_z3(script, 1_000_000) is None or with_cvc5(script) is None) for script in scripts)


@pytest.mark.parametrize(("card", "patch"), PLANTED, ids=[card.name for card, _ in PLANTED])
def test_a_check_taken_away_lets_a_wrong_program_pass(card: Card, patch: Patch, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all checks neither table nor rule proves it; without one of them they do."""
    found = stated(card)
    assert isinstance(found, Statement)
    assert not is_shown(found)
    patch(monkeypatch)
    assert is_shown(found)


@pytest.mark.parametrize("card", [card for card, _ in PLANTED], ids=[card.name for card, _ in PLANTED])
def test_no_planted_program_is_proved(card: Card) -> None:
    """Neither with nor without the refuter; those with a worst case cost more than they claim there, exactly."""
    found = stated(card)
    assert isinstance(found, Statement)
    with suppress(Unsupported):
        assert proof(found) is None
    assert prove(card).verdict != "PROVED"
    for case in card.worst:
        assert tabulate(card, case.world, case.other, **case.at).epsilon.lower > float(card.price.epsilon.above(case.at)) + 0.1


def test_every_planted_program_is_used() -> None:
    """Each stands for a check."""
    assert {card.name for card, _ in PLANTED} == {card.name for card in vars(tables).values() if isinstance(card, Card)}


def test_what_is_divided_by_is_noted() -> None:
    """Even where it is gone from the result; outside of a block nothing is."""
    value = atom("x.1")
    with noting() as facts:
        assert (value / value).plain == 1
        assert (value / 2).plain is None
    assert list(facts) == ["(distinct 0.0 x.1)"]
    assert (value / value).plain == 1
    assert len(facts) == 1


@pytest.mark.parametrize("other", [0, 1, atom("x.1"), atom("y.1"), None, True, "text"])
def test_a_parameter_is_compared_with_nothing(other: Any) -> None:
    """Whether it is equal, above or below depends on its value, which is not known."""
    value = atom("x.1")
    for compare in (
        lambda: value == other,
        lambda: other == value,
        lambda: value != other,
        lambda: value < 1,
        lambda: bool(value),
    ):
        with pytest.raises(Unsupported, match="depends on a parameter"):
            compare()
    with pytest.raises(TypeError):
        hash(value)
