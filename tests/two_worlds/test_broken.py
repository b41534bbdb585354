"""Every reader rejects every planted wrong card: tables show more than the price, attacks find it, no proof goes through."""

from __future__ import annotations

from typing import Any

import pytest

from tests.broken import twins
from tests.broken.exact import cards as wrong
from tests.broken.proofs import course_above_threshold as course
from twoworlds.audits.audit import attack
from twoworlds.exact.tabulate import tabulate
from twoworlds.mechanisms.catalogue import cards
from twoworlds.proofs.prover import prove
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.sampling.run import repeat
from twoworlds.worlds.cards import Card, Case

PLANTED = {card.name: card for room in (twins, wrong, course) for card in vars(room).values() if isinstance(card, Card)}
TOO_FINE = {"noisy_max_at_half_the_noise", "releases_the_noisy_query"}  # so few runs miss what is above the price
ATTACKED = {"course_above_threshold": Case([1] * 8, [0] * 8, {"threshold": 1, "epsilon": 4})}  # where it shows most plainly
RUNS = 12_000
every_planted = pytest.mark.parametrize("name", sorted(PLANTED))


def claimed(card: Card, case: Case) -> float:
    price = card.price.loss({**case.at, card.neighbours.parameter: case.world}).epsilon(0).upper
    return float(price)


def shown(card: Card, case: Case, runs: int = RUNS) -> float:
    """The epsilon that an attack on the two worlds of a case confirms."""

    def world(value: Any, seed: int) -> Any:
        entropy = SeededEntropy(seed)
        return lambda count: repeat(card, count, **{card.neighbours.parameter: value}, **case.at, entropy=entropy)

    return attack(world(case.world, 3), world(case.other, 4), trials=runs).epsilon_lower


@every_planted
def test_the_table_shows_more_than_the_price(name: str) -> None:
    """The exact loss of each planted card in its worst case is certainly above its price."""
    card = PLANTED[name]
    case = card.worst[0]
    assert tabulate(card, case.world, case.other, **case.at).epsilon.lower > claimed(card, case) + 0.05


@every_planted
def test_an_attack_finds_it(name: str) -> None:
    """So many runs in each world contradict the price at 99.9%; where they are too few, they show at least half of it."""
    card = PLANTED[name]
    case = ATTACKED.get(name, card.worst[0])
    least = claimed(card, case)
    assert shown(card, case) > (least / 2 if name in TOO_FINE else least)


@every_planted
def test_no_proof_goes_through(name: str) -> None:
    """The prover refutes it or does not prove it."""
    assert prove(PLANTED[name]).verdict != "PROVED"


@pytest.mark.parametrize("name", ["fair_coins", "laplace", "truncated_geometric"])
def test_right_cards_are_not_rejected(name: str) -> None:
    """The same attack contradicts no card that keeps its price: the readers can also say yes."""
    card = cards()[name]
    for case in card.worst:
        assert shown(card, case) <= claimed(card, case)
        assert tabulate(card, case.world, case.other, **case.at).epsilon.lower <= claimed(card, case)
