"""Plain words: computed from the numbers, true of them, and harder the worse they are."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given, strategies

from tests.losses.finite import SLACK, Worlds, worlds
from tests.losses.malformed import accepted
from twoworlds.losses.loss import gaussian, pure
from twoworlds.losses.verdicts import belief, posterior, verdict
from twoworlds.worlds.rationals import Enclosure

PRIORS = (Fraction(1, 1000), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))


@given(worlds, strategies.sampled_from(PRIORS))
def test_posteriors_and_guesses_are_bounds(pair: Worlds, prior: Fraction) -> None:
    """No output of a pair raises a prior above the stated posterior, and no guess is right more often than stated."""
    ratio = pair.ratio()
    known = belief(pure(Enclosure(ratio).log().high), prior, float(Enclosure(ratio).log().high) * (1 + 1e-15))
    highest = max(prior * p / (prior * p + (1 - prior) * q) for p, q in zip(pair.one, pair.other, strict=True))
    assert float(highest) <= known.posterior + SLACK
    right = sum((max(prior * p, (1 - prior) * q) for p, q in zip(pair.one, pair.other, strict=True)), Fraction(0))
    assert float(right) <= known.guess + SLACK


def test_the_guess_of_a_gaussian_at_even_odds() -> None:
    """With an even prior the best guess is right with probability Phi(mu / 2)."""
    known = belief(gaussian(1), "1/2", 1.0)
    assert known.guess == pytest.approx(0.5 + math.erf(0.5 / math.sqrt(2)) / 2, rel=1e-9)
    assert known.posterior == pytest.approx(math.e / (1 + math.e)) and known.posterior >= math.e / (1 + math.e)


@pytest.mark.parametrize(
    ("epsilon", "says"),
    [
        (0.0, "says nothing about Bob"),
        (0.05, "is strong: an even bet that Bob is in the table can become 52%"),
        (0.5, "can become 63%, a suspicion of one in a hundred 1.7%"),
        (2.0, "by a factor of 7.39"),
        (7.0, "weak promise: .* can become 99.909%, a suspicion of one in a thousand 53%"),
        (20.0, r"says next to nothing: .* factor of 10\^9"),
        (100.0, "says next to nothing: .* certainty, as far as anyone can tell"),
        (math.inf, "tell outright"),
    ],
)
def test_what_an_epsilon_means(epsilon: float, says: str) -> None:
    """Each range has its sentence, with the posterior computed and rounded up."""
    words = verdict(epsilon, "1e-9")[0]
    assert re.search(says, words), words


@pytest.mark.parametrize(
    ("delta", "records", "says"),
    [
        (0, 10, "without exception"),
        ("1e-6", None, "publishing one of 1,000,000 at random"),
        ("1e-6", 1_000_000, "licence to publish one person at random"),
        ("1e-5", 50_000, "too close to one over 50,000 records: .* in 40% of releases"),
        ("1e-12", 50_000, "far below one over 50,000 records: .* once in 20,000,000 releases"),
    ],
)
def test_what_a_delta_means(delta: object, records: int | None, says: str) -> None:
    """One over n is a licence; near it is named with the chance of an exposure; far below it is fine."""
    words = verdict(1.0, delta, records)[1]
    assert re.search(says, words), words


def test_worse_numbers_never_sound_better() -> None:
    """The sentence about epsilon depends on epsilon alone and the ranges are in order of severity."""
    order = ["says nothing", "is strong", "real limit", "bounds the odds", "weak promise", "next to nothing", "outright"]
    steps = [0, 1e-6, 0.1, 0.1001, 1, 1.001, 3, 3.01, 10, 10.1, 50, 1e6, math.inf]
    ranks = [next(i for i, words in enumerate(order) if words in verdict(step, 0)[0]) for step in steps]
    assert ranks == sorted(ranks) and set(ranks) == set(range(7))


def test_malformed_calls_are_refused() -> None:
    """No sentence and no posterior for what is no epsilon, delta, prior or number of records."""
    infinite = {"epsilon": (math.inf,)}
    assert accepted(verdict, {"epsilon": 1.0, "delta": 0.1, "records": 10}, {**infinite, "records": (None,)}) == []
    assert accepted(posterior, {"prior": "1/2", "epsilon": 1.0}, infinite) == []
    assert accepted(belief, {"loss": pure(1), "prior": "1/2", "epsilon": 1.0}, infinite) == []
