"""A choice by weights costs what its theorem says, it is never left uncharged, and what a person writes down of it is read."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import exp, log

import pytest

from tests.proofs.test_programs import PROGRAMS
from twoworlds.exact.tabulate import tabulate
from twoworlds.losses.prices import Concentrated, Pure
from twoworlds.mechanisms.exponential import exponential
from twoworlds.proofs.checker import check
from twoworlds.proofs.choices import restored
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.moving import Moving
from twoworlds.proofs.prover import certified
from twoworlds.proofs.recheck import apart_of
from twoworlds.proofs.replay import replayed
from twoworlds.proofs.statements import statements

SCALE = 3


@pytest.mark.parametrize("moves", list(product((-1, 0, 1), repeat=3)))
def test_an_index_is_likelier_by_how_far_the_others_rise_above_it_at_most(moves: tuple[int, ...]) -> None:
    """The theorem, on the law itself: ln P1(i) / P2(i) is at most (max d - d[i]) / t."""
    for scores in ((0, 0, 0), (9, 0, -4), (-2, 30, 1)):
        weights = [
            [exp(score / SCALE) for score in world] for world in (scores, tuple(map(sum, zip(scores, moves, strict=True))))
        ]
        for at, move in enumerate(moves):
            one, other = (world[at] / sum(world) for world in weights)
            assert log(one / other) <= (max(moves) - move) / SCALE + 1e-12


def test_no_choice_can_be_paid_at_less() -> None:
    """With many scores the whole of 2 by / t is lost, as the exact reader finds; so half of it is no price."""
    table = tabulate(exponential, [0] * 400, [1] + [-1] * 399, sensitivity=1, epsilon=1)
    assert 0.99 < table.epsilon.lower <= 1


@pytest.mark.parametrize("charge", ["0", "1", "1/2", "3/2"])
def test_a_forged_charge_is_refused(charge: str) -> None:
    """Less than the scores can move is no proof."""
    found = PROGRAMS["pick_and_show"]
    hints = certified(found).details["hints"]
    program = lower(found.program)
    assert check(program, found.relation, found.price, found.whole, hints) is None
    forged = {**hints["shifts"], "0": [{"when": "true", "by": {}, "charge": charge}]}
    assert check(program, found.relation, found.price, found.whole, {**hints, "shifts": forged}) is not None


@pytest.mark.parametrize("cases", [None, [], 2])
def test_a_choice_is_charged_once(cases: int | list[object] | None) -> None:
    """Not at all, or in several ways of which one applies: both are refused."""
    found = PROGRAMS["pick_and_show"]
    hints = certified(found).details["hints"]
    shifts = {site: entry for site, entry in hints["shifts"].items() if site != "0"}
    if cases is not None:
        shifts["0"] = hints["shifts"]["0"] * cases if isinstance(cases, int) else cases
    why = check(lower(found.program), found.relation, found.price, found.whole, {**hints, "shifts": shifts})
    assert why is not None
    assert "not charged" in why


@pytest.mark.parametrize(
    ("name", "half"),
    [
        ("pick_and_show", Pure("epsilon / 2")),
        ("rounds_of_picks", Pure("rounds * epsilon / 2")),
        ("rounds_of_concentrated_picks", Concentrated("rounds * epsilon * epsilon / 16")),
    ],
)
def test_it_is_tried_out_on_the_program_itself(name: str, half: Pure | Concentrated) -> None:
    """At its price both worlds stay together; at half of it, what a choice costs is missed."""
    found = PROGRAMS[name]
    certificate = certified(found)
    assert apart_of(found, certificate) is None
    moving = Moving(restored(lower(found.program)), found.relation.parameter, certificate.details["hints"])
    squared = isinstance(half, Concentrated)
    why = replayed(found.program, found.relation, half, found.whole, moving, squared=squared)
    assert "costs more than the price" in str(why)


def test_a_person_may_write_the_alignment_down() -> None:
    """One expression for each `sample` of the text; the choice takes the same index, whatever is written."""
    found = replace(PROGRAMS["pick_and_show"], align=("0", "scores[pick] - other(scores[pick])"))
    certificate = certified(found)
    assert certificate.verdict == "PROVED"
    assert certificate.details["hints"]["shifts"]["1"][0]["by"] == {"(scores.1 pick.1)": -1}


def test_one_name_for_a_list_and_its_index_is_refused_by_line() -> None:
    """The reader of cards or the prover says so."""
    text = """
from twoworlds import Each, Pure, mechanism
from twoworlds.worlds.distributions import ExponentialWeights

@mechanism(neighbours=Each("scores", by=1), price=Pure("epsilon"))
def renamed(scores, *, epsilon, sample):
    scores = sample(ExponentialWeights(scores, 2 / epsilon))
    return scores
"""
    [found] = statements(text)
    assert certified(found).verdict != "PROVED"
