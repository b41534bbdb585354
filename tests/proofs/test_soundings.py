"""What is said of a claim that is neither proved nor refuted is what exact tables say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.broken.proofs.shortcuts import noise_that_is_too_small
from twoworlds.losses.prices import Concentrated, Pure
from twoworlds.mechanisms.above_threshold import above_threshold
from twoworlds.proofs.prover import prove_text
from twoworlds.proofs.soundings import sounded
from twoworlds.proofs.statements import Statement, stated

PERMUTED = """
@mechanism(neighbours=Each("scores", by=1), price=Pure("epsilon"))
def permute_and_flip(scores, *, epsilon, sample):
    best = max(scores)
    left = [i for i in range(len(scores))]
    while len(left) > 0:
        pick = left[sample(Uniform(len(left)))]
        if sample(BernoulliExp(epsilon * (best - scores[pick]) / 2)):
            return pick
        left = [i for i in left if i != pick]
    return None
"""


def test_a_private_card_is_seen_to_cost_no_more_than_it_claims() -> None:
    """Tables of short lists come near its price and stay below it."""
    found = stated(above_threshold)
    assert isinstance(found, Statement)
    seen = sounded(found)["tabulated"]
    assert seen["entries"] >= 2 and 0.3 < seen["worst"] / seen["price"] <= 1


def test_a_card_that_costs_more_is_seen_to() -> None:
    """What tables say can speak against the claim."""
    found = stated(noise_that_is_too_small)
    assert isinstance(found, Statement)
    seen = sounded(found)["tabulated"]
    assert seen["worst"] > seen["price"]


def test_prices_that_tables_are_not_held_against_say_nothing() -> None:
    """A concentrated price is no bound on a log ratio."""
    found = stated(above_threshold)
    assert isinstance(found, Statement)
    assert sounded(replace(found, price=Concentrated("epsilon"))) == {} and sounded(replace(found, price=Pure("epsilon")))


@pytest.mark.slow
def test_permute_and_flip_as_a_loop_is_left_open_with_its_worst() -> None:
    """No theorem has this shape; its tables cost exactly what is claimed."""
    (certificate,) = prove_text(PERMUTED)
    assert certificate.verdict == "NOT PROVED"
    assert certificate.details["tabulated"]["worst"] == pytest.approx(1)
