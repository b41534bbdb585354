"""Hold what is observed against what was promised: run a card in two neighbouring worlds and try to tell them apart.

The runs are split: one part learns an event, a fresh part confirms it, and the confidence is spent once, on the fresh part.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twoworlds.audits.bounds import ceiling, epsilon_lower, spans
from twoworlds.audits.guesses import learn
from twoworlds.worlds.claims import Evidence
from twoworlds.worlds.errors import BadArgument

__all__ = ["Experiment", "attack"]

Experiment = Callable[[int], list[Any]]
"""Gives so many independent outputs of one world."""


def attack(
    one: Experiment, other: Experiment, *, trials: int = 20_000, delta: float = 0.0, confidence: float = 0.999
) -> Evidence:
    """Try to tell two worlds apart with `trials` runs in each, a third of them to learn on."""
    if trials < 100:
        raise BadArgument("trials", trials, "is too few to learn and to confirm", "Run at least 100 in each world")
    if not 0 < confidence < 1:
        raise BadArgument("confidence", confidence, "is not between 0 and 1", "Give for example 0.999")
    if not 0 <= delta < 1:
        raise BadArgument("delta", delta, "is not from 0 to below 1", "Give the delta of the claim")
    learning = trials // 3
    guess = learn(one(learning), other(learning), delta=delta, confidence=confidence)
    runs = trials - learning
    counts = guess.count(one(runs), other(runs))
    rates = (counts.other_hits / runs, 1 - counts.hits / runs)
    return Evidence(
        attack="learned event",
        epsilon_lower=epsilon_lower(counts, delta=delta, confidence=confidence),
        delta=delta,
        confidence=confidence,
        ceiling=ceiling(runs, delta=delta, confidence=confidence),
        trials=trials,
        event=guess.text + (" (says: second world)" if guess.swapped else " (says: first world)"),
        points=(rates,),
        spans=(spans(counts, confidence=confidence),),
    )
