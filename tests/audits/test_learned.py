"""An event is learned on some runs and confirmed on others: what is refuted so is wrong, and what is private is never refuted."""

from __future__ import annotations

import pytest

from tests.broken.proofs import benchmarks
from twoworlds.audits.learned import attacked, evidence
from twoworlds.audits.scores import fit
from twoworlds.mechanisms.catalogue import cards
from twoworlds.proofs.statements import Statement, stated
from twoworlds.worlds.cards import Card
from twoworlds.worlds.claims import Certificate

RUNS = 2_000


def statement(card: Card) -> Statement:
    found = stated(card)
    assert isinstance(found, Statement)
    return found


@pytest.mark.parametrize("name", ["svt_stoddard", "rappor_every_bit", "partial_sum_half_noise"])
def test_what_leaks_plainly_is_refuted_by_runs_alone(name: str) -> None:
    """The bound holds with the stated confidence on fresh runs, the same ones every time."""
    found = statement(getattr(benchmarks, name))
    before = Certificate(found.name, found.digest, "NOT PROVED", str(found.price), "")
    after = attacked(found, before, RUNS)
    assert after.verdict == "REFUTED" and after.details["epsilon"] > after.details["price"]
    assert attacked(found, before, RUNS) == after


@pytest.mark.parametrize("name", ["histogram", "randomized_response"])
def test_private_cards_are_not_refuted(name: str) -> None:
    """Their bound stays at or below the price, and the certificate is handed back as it was."""
    found = statement(cards()[name])
    shown = evidence(found, RUNS)
    assert shown is not None and shown[1].epsilon_lower <= shown[2]
    before = Certificate(found.name, found.digest, "NOT PROVED", str(found.price), "")
    assert attacked(found, before, RUNS) is before


def test_a_score_finds_what_no_single_output_shows() -> None:
    """Two worlds that differ a little at every place: the score separates them, and scores nothing where they do not differ."""
    one = [[(at * run) % 7 > 2 for at in range(1, 13)] for run in range(200)]
    other = [[(at * run) % 7 > 3 for at in range(1, 13)] for run in range(200)]
    score, _ = fit(one, other)
    assert sum(map(score.of, one)) > sum(map(score.of, other)) + 50
    flat, _ = fit(one, one)
    assert all(abs(weight) < 1e-6 for weight in flat.weights)
