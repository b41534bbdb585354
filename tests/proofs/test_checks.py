"""Every check of the checker earns its place: without it, hints make a program that is not private pass; with it they do not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.broken.proofs import foretold, shortcuts
from tests.proofs.unchecked import (
    Patch,
    all_is_settled,
    any_list_is_returned,
    any_whole_factor,
    bounds_are_not_marked,
    every_index_counts_from_the_front,
    gaussian_shifts,
    hints_may_bind_names,
    lists_may_be_renamed,
    lists_may_begin_again,
    nothing_is_no_entry,
    parameters_are_there,
    tolls_are_free,
    unclaimed,
    unmade,
    what_is_skipped_never_fails,
    without,
)
from twoworlds.exact.tabulate import tabulate
from twoworlds.losses.prices import Pure
from twoworlds.mechanisms.planar_laplace import planar_laplace
from twoworlds.mechanisms.sparse_vector import sparse_vector
from twoworlds.proofs import runs
from twoworlds.proofs.checker import check
from twoworlds.proofs.guesses import Guess
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.prover import prove
from twoworlds.source.parser import parse
from twoworlds.worlds.cards import Card, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.neighbours import Metric

LOCK = {"value.1": -1}
NEXT = "(= next@@{0}.1 next@@{0}.2)"


def case(by: dict[str, int], charge: str | None = None, when: str = "true") -> dict[str, Any]:
    return {"when": when, "by": by, "charge": charge}


def hints(**given: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"guess": False, "shifts": {}, "invariants": [], "cells": {}, "signs": {}, "rates": {}, "bounds": []}
    return {**empty, **given}


FORETOLD = {"guess": True, "among": True}


def lengths_share_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Guess, "length", property(lambda self: f"$len.{self.name[1:]}"))


SPENT_ONE = {"signs": {"0": "(> epsilon.1 0.0)"}, "bounds": ["(<= $K0 1.0)"]}
YES_AND_NO = [
    case({"value.1": 1}, "1", "(= $noise value.1)"),
    case({"value.1": -1}, "1", "(= $noise (- 2.0 value.1))"),
    case({"value.1": -1}, "1", "(= $noise value.2)"),
    case({"value.1": 1}, "1", "(= $noise (- 2.0 value.2))"),
    case({}, "0"),
]
COUNTED = f"(and {NEXT.format(1)} (>= next@@1.1 0.0))"

PLANTED: list[tuple[Card, Patch, dict[str, Any]]] = [
    (shortcuts.two_draws_become_one, unmade("injective"), hints(shifts={"0": YES_AND_NO}, **SPENT_ONE)),
    (shortcuts.branch_on_a_secret, unclaimed("both runs take the same branch"), hints()),
    (
        shortcuts.loop_on_a_secret,
        unclaimed("both runs stay in the loop or leave it"),
        hints(invariants=["(= rounds.1 rounds.2)"]),
    ),
    (
        shortcuts.range_of_a_secret,
        bounds_are_not_marked,
        hints(invariants=["(and (= noise.1 noise.2) (= next@@1.1 0.0) (= next@@1.2 0.0) (<= stop@@2.1 0.0) (<= stop@@2.2 0.0))"]),
    ),
    (shortcuts.scale_from_a_secret, unclaimed("both runs draw the same noise"), hints()),
    (
        shortcuts.scale_that_shrinks,
        unmade("one_scale"),
        hints(
            shifts={"1": [case(LOCK, "1")]},
            invariants=[f"(and {COUNTED} (= scale.1 scale.2) (<= $K1 next@@1.1) (<= next@@1.1 2.0) (<= stop@@2.1 2.0))"],
            bounds=["(<= $K1 2.0)"],
        ),
    ),
    (shortcuts.one_sided_noise_moves_down, unmade("supported"), hints(shifts={"0": [case(LOCK, "1")]}, **SPENT_ONE)),
    (
        shortcuts.noise_that_is_too_small,
        unclaimed("the charge covers the shift"),
        hints(shifts={"0": [case(LOCK, "1/2")]}, signs=SPENT_ONE["signs"], bounds=["(<= $K0 0.5)"]),
    ),
    (
        shortcuts.off_the_grid,
        unmade("on_grid"),
        hints(shifts={"0": [case({"half.1": -1}, "1/2")]}, signs=SPENT_ONE["signs"], bounds=["(<= $K0 0.5)"]),
    ),
    (shortcuts.noise_that_falls_too_fast, gaussian_shifts, hints(shifts={"0": [case(LOCK, "1")]}, **SPENT_ONE)),
    (
        shortcuts.secret_index,
        unclaimed("the index is public, and read in both worlds", "the index counts from the front"),
        hints(),
    ),
    (shortcuts.secret_divisor, unclaimed("what is divided by is public, and divided in both worlds"), hints()),
    (shortcuts.division_in_one_world, unclaimed("what is divided by is public, and divided in both worlds"), hints()),
    (
        shortcuts.index_from_the_end,
        unclaimed("the index counts from the front"),
        hints(cells=dict.fromkeys(("list@@1", "held"), "(or (>= $at 0.0) (= $one $two))")),
    ),
    (shortcuts.list_of_secrets, unclaimed("the entry is as the list's hint says"), hints()),
    (
        shortcuts.copy_of_secrets,
        unclaimed("the copied list is as its hint says"),
        hints(cells={"list@@1": "true", "held": "true", "kept": "(= $one $two)"}),
    ),
    (
        shortcuts.nothing_in_a_list,
        nothing_is_no_entry,
        hints(cells=dict.fromkeys(("list@@1", "held"), "(and (distinct $one $none) (distinct $two $none))")),
    ),
    (shortcuts.nothing_is_ordered, unclaimed("None is not computed with"), hints()),
    (
        shortcuts.nothing_is_added,
        unclaimed("None is not computed with"),
        hints(cells=dict.fromkeys(("list@@1", "held"), "true")),
    ),
    (
        shortcuts.secret_sum,
        unclaimed("the invariant is kept"),
        hints(invariants=[f"(and {NEXT.format(1)} (= total.1 total.2))"]),
    ),
    (
        shortcuts.secret_before_the_loop,
        unclaimed("the invariant holds before the loop"),
        hints(invariants=[f"(and {NEXT.format(1)} (= total.1 total.2))"]),
    ),
    (shortcuts.noise_left_out, unclaimed("both runs return the same"), hints()),
    (shortcuts.list_of_secrets, unclaimed("both runs return the same list"), hints(cells={"list@@1": "true", "held": "true"})),
    (
        shortcuts.every_query_pays_once,
        unclaimed("the charges stay within their bounds"),
        hints(
            shifts={"0": [case({"(queries.1 index@@1.1)": -1}, "1")]},
            invariants=[NEXT.format(2)],
            **SPENT_ONE,
        ),
    ),
    (
        shortcuts.noise_that_is_too_small,
        without("the charges cost at most the price"),
        hints(shifts={"0": [case(LOCK, "1")]}, **SPENT_ONE),
    ),
    (
        shortcuts.noise_that_is_too_small,
        without("a scale that was drawn with is positive"),
        hints(shifts={"0": [case(LOCK, "1")]}, signs={"0": "false"}),
    ),
    (
        shortcuts.two_scales,
        without("one scale is a multiple of another"),
        hints(
            shifts={"0": [case(LOCK, "1")], "1": [case(LOCK, "1")]},
            signs={"0": "(> epsilon.1 0.0)", "1": "(> epsilon.1 0.0)"},
            rates={"1": ["0", "1"]},
            bounds=["(<= $K0 1.0)", "(<= $K1 1.0)"],
        ),
    ),
    (
        shortcuts.choice_at_half_its_price,
        unclaimed("the charge covers the shift"),
        hints(shifts={"0": [case({}, "1")]}, **SPENT_ONE),
    ),
    (shortcuts.choice_at_half_its_price, tolls_are_free, hints()),
    (shortcuts.weights_of_a_secret, unclaimed("both runs draw the same noise"), hints(cells={"list@@1": "true"})),
    (shortcuts.choice_by_a_secret_scale, unmade("one_scale"), hints(shifts={"0": [case({}, "0")]})),
    (
        shortcuts.parameter_given_a_new_list,
        lists_may_be_renamed,
        hints(
            shifts={"0": [case({"(queries.1 0.0)": -1}, "1")]},
            invariants=[NEXT.format(2)],
            cells={"list@1": "true", "queries": "true"},
            **SPENT_ONE,
        ),
    ),
    (shortcuts.parameter_under_another_name, unclaimed("the copied list is as its hint says"), hints(cells={"list@@1": "true"})),
    (
        shortcuts.halves_by_a_secret,
        any_whole_factor,
        hints(shifts={"0": [case({"halves.1": -1})]}, **SPENT_ONE),
    ),
    (
        shortcuts.noise_that_comes_too_late,
        hints_may_bind_names,
        hints(
            invariants=[f"(and {NEXT.format(1)} {' '.join(f'(let ((first.{run} 0.0)) (= last.{run} 0.0))' for run in (1, 2))})"]
        ),
    ),
    (shortcuts.nothing_handed_in, parameters_are_there, hints(shifts={"0": [case(LOCK, "1")]}, **SPENT_ONE)),
    (
        shortcuts.largest_of_nothing,
        what_is_skipped_never_fails,
        hints(shifts={"0": [case(LOCK, "1")]}, invariants=["(= next@@6.1 next@@6.2)"], **SPENT_ONE),
    ),
    (
        shortcuts.lists_of_two_lengths,
        what_is_skipped_never_fails,
        hints(
            shifts={"2": [case(LOCK, "1")]},
            invariants=[f"(and {NEXT.format(at)} (>= next@@{at}.1 0.0))" for at in (3, 7, 11, 15)],
            signs={"2": "(> epsilon.1 0.0)"},
            bounds=["(<= $K2 1.0)"],
        ),
    ),
    (
        shortcuts.first_and_last,
        every_index_counts_from_the_front,
        hints(
            shifts={"0": [case({"(cells.1 0.0)": -1})], "1": [case({"(cells.1 (- 1.0))": -1})]},
            signs={"0": "(> epsilon.1 0.0)", "1": "(> epsilon.1 0.0)"},
            rates={"1": ["0", "1"]},
            bounds=["(<= (+ $K0 $K1) (ite (= $where 0.0) $u $u))"],
        ),
    ),
    (foretold.appended_secret, unclaimed("both runs append the same"), hints(cells={"told": "true"}, **FORETOLD)),
    (foretold.list_begun_again, lists_may_begin_again, hints(**FORETOLD)),
    (foretold.one_of_two_lists, any_list_is_returned, hints(**FORETOLD)),
    (foretold.not_settled_yet, all_is_settled, hints(**FORETOLD)),
    (
        foretold.entry_in_one_world,
        unclaimed("the index is within the list, or the same in both runs"),
        hints(entries=["list@@1", "held"]),
    ),
    (
        foretold.many_secrets,
        unclaimed("the entry is as the list's hint says"),
        hints(entries=["held"], invariants=[NEXT.format(1)]),
    ),
    (
        shortcuts.output_longer_than_its_namesake,
        lengths_share_a_name,
        hints(
            guess=True,
            among=True,
            invariants=[
                f"(and {COUNTED} (= stop@@2.1 $len.o0) (= stop@@2.2 $len.o0) (= $len.shown next@@1.1) (<= next@@1.1 $len.o0))"
            ],
        ),
    ),
]


@pytest.mark.parametrize(("card", "patch", "given"), PLANTED, ids=[f"{at}-{entry[0].name}" for at, entry in enumerate(PLANTED)])
def test_a_check_taken_away_lets_a_wrong_program_pass(
    card: Card, patch: Patch, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all checks the hints are refused; without one of them they pass as a proof of something false."""
    assert refused(card, given)
    patch(monkeypatch)
    assert not refused(card, given)


def refused(card: Card, given: dict[str, Any]) -> bool:
    try:
        return check(lower(parse(card)), card.neighbours, card.price, card.whole, given) is not None
    except Unsupported:
        return True


CARDS = [card for card in (vars(shortcuts) | vars(foretold)).values() if isinstance(card, Card)]


@pytest.mark.parametrize("card", CARDS, ids=[card.name for card in CARDS])
def test_no_planted_program_is_proved(card: Card) -> None:
    """The prover as it stands proves none of them; those with a worst case cost more than they claim there, exactly."""
    assert prove(card).verdict != "PROVED"
    for case in card.worst:
        table = tabulate(card, case.world, case.other, **case.at)
        assert table.epsilon.lower > float(card.price.epsilon.above(case.at)) + 0.1


def test_every_planted_program_is_used() -> None:
    """Each of them stands for a check, or for a way to misread the card's head."""
    heads = {"half_a_limit", "one_noise_for_all"}
    assert {card.name for card, _, _ in PLANTED} | heads == {card.name for card in CARDS}


def test_a_limit_must_be_declared_whole() -> None:
    """The same text passes when its limit is whole, which is how `sparse_vector` declares it."""
    card = shortcuts.half_a_limit
    program = lower(parse(card))
    given = prove(sparse_vector).details["hints"]
    assert check(program, card.neighbours, card.price, frozenset({"limit"}), given) is None
    assert check(program, card.neighbours, card.price, frozenset(), given) is not None


def test_a_price_in_proportion_is_shown_by_steps_of_the_grid() -> None:
    """Here a quarter of the distance costs the whole price; what is shown of one step holds of all distances."""
    card = mechanism(neighbours=Metric("place", kind="manhattan", by=4, grid=1), price=Pure("epsilon"))(near_or_far)
    far = hints(shifts={"0": [case({"shown.1": -1})]}, signs=SPENT_ONE["signs"], bounds=["(<= $K0 4.0)"])
    assert "in proportion" in str(check(lower(parse(card)), card.neighbours, card.price, card.whole, far))
    assert prove(planar_laplace).verdict == "PROVED"


def near_or_far(place, *, epsilon, sample):  # type: ignore[no-untyped-def]  # a card's function
    shown = 4 if place[0] > 0 else 0
    return shown + sample(Laplace(4 / epsilon))


@pytest.mark.parametrize(
    "text",
    [
        "true) (assert false",
        "(= a b) (= c d)",
        "a b",
        "(= a b",
        "",
        '"text"',
        "(= a\nb)",
        "; a",
        "(let ((a b)) (= a b))",
        "(forall ( (a Real)) (= a a))",
    ],
)
def test_a_hint_is_one_expression(text: str) -> None:
    """Text that would end the formula it is put into is refused before it meets a solver."""
    with pytest.raises(Unsupported, match="not one expression"):
        runs.refuse_malformed({"signs": {"0": text}})


@pytest.mark.parametrize("given", [{}, {"shifts": []}, hints(shifts={"0": [{}]}), hints(bounds=[1]), hints(shifts={"0": []})])
def test_malformed_hints_are_refused(given: Any) -> None:
    """Hints with parts missing, or of another kind, prove nothing and crash nothing."""
    card = shortcuts.noise_that_is_too_small
    assert check(lower(parse(card)), card.neighbours, card.price, card.whole, given) is not None
