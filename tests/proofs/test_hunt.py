"""No wrong verdict on programs that nobody wrote: random cards and texts with faults put in, held against exact tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from tests.broken.proofs import benchmarks
from tests.broken.proofs import strangers as wrong_strangers
from tests.proofs import strangers
from tests.proofs.hunt import Loss, losses
from tests.proofs.programs import maxima, numbers, sums, thresholds
from tests.proofs.wanderers import card, mutant
from twoworlds.losses.prices import Pure
from twoworlds.proofs.prover import proof
from twoworlds.proofs.statements import Statement, statements
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import Unsupported

_BRIEF = 2  # alignments that are tried, so that many programs are
_SLACK = 1e-9
MODULES = (maxima, numbers, sums, thresholds, strangers, benchmarks, wrong_strangers)
TEXTS = [
    "\n\n".join([*card.helpers.values(), card.text])
    for module in MODULES
    for card in vars(module).values()
    if isinstance(card, Card) and isinstance(card.price, Pure)
]


def told(text: str, seed: int) -> str:
    """The verdict on a text at a price below what its worlds cost, or at what they cost rounded up; never a wrong one."""
    try:
        found = statements(text)[-1]
    except SyntaxError:
        return "no Python"
    if not isinstance(found, Statement) or not isinstance(found.price, Pure):
        return "unread"
    seen = list(losses(found, seed, 20))
    worst = max((loss.epsilon / float(loss.price) for loss in seen if loss.price > 0), default=0.0)
    for claim, is_wrong in _claims(found, worst):
        try:
            shown = proof(claim, _BRIEF)
        except Unsupported as why:
            return "failed" if "the prover fails" in why.reason else "unsupported"
        if shown is not None:
            more = [*seen, *losses(claim, seed + 1, 20)]
            assert not is_wrong and not _above(claim, more), f"{claim.price} is too little for\n{text}\n{_above(claim, more)[:1]}"
            return "proved"
    return "not proved"


def _claims(found: Statement, worst: float) -> list[tuple[Statement, bool]]:
    """Prices, each with whether a known loss is above it."""
    if not 0 < worst < float("inf"):
        return [(found, worst > 1)]
    below, above = Fraction(int(worst * 100) - 2, 100), Fraction(-int(-(worst - _SLACK) * 2 // 1), 2)
    prices = [(below, True)] * (below > 0) + [(above, False)]
    return [(replace(found, price=Pure(f"{times} * ({found.price.epsilon})")), wrong) for times, wrong in prices]  # type: ignore[attr-defined]  # it is Pure


def _above(claim: Statement, seen: list[Loss]) -> list[Loss]:
    return [
        loss
        for loss in seen
        if loss.epsilon > float(claim.price.at({**loss.public, claim.relation.parameter: loss.one})["epsilon"]) + _SLACK
    ]


@pytest.mark.parametrize("seed", [1000, 1001, 1003, 1005])
def test_a_random_card_is_not_proved_below_what_it_costs(seed: int) -> None:
    """One of the programs that the long search below goes through."""
    told(card(seed), seed)


def test_a_price_below_what_worlds_cost_is_told() -> None:
    """The search can fail: a proof at any price would be found out."""
    (found,) = statements(TEXTS[0])
    assert isinstance(found, Statement)
    seen = list(losses(found, 1, 20))
    assert _above(replace(found, price=Pure("epsilon / 2")), seen) and not _above(found, seen)


@pytest.mark.soak
def test_no_random_card_is_proved_below_what_it_costs(effort: float) -> None:
    """Two thousand cards over everything the language has; some of them are proved, so the question is asked."""
    verdicts = Counter(told(card(seed), seed) for seed in range(max(20, round(2_000 * effort))))
    assert verdicts["proved"] and verdicts["not proved"] and not verdicts["failed"], verdicts


@pytest.mark.soak
def test_no_fault_put_into_a_text_is_proved(effort: float) -> None:
    """Two thousand faults in the texts of mechanisms, right and wrong ones."""
    made = ((mutant(TEXTS[seed % len(TEXTS)], seed), seed) for seed in range(max(20, round(2_000 * effort))))
    verdicts = Counter(told(text, seed) for text, seed in made if text is not None)
    assert verdicts["proved"] and verdicts["not proved"] and not verdicts["failed"], verdicts
