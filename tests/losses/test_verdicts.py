"""Plain words: computed from the numbers, true of them, and harder the worse they are."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given, strategies

from tests.broken.losses import shortcuts
from tests.losses.finite import SLACK, Worlds, worlds
from tests.losses.malformed import accepted
from twoworlds.losses.account import account
from twoworlds.losses.loss import finite, gaussian, pure
from twoworlds.losses.verdicts import belief, posterior, unlikely, verdict
from twoworlds.worlds.claims import Interval
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
        (0.0, "strong: but for outputs of probability 6.451e-08 in all, an even bet .* can become 51%"),
        (0.05, "is strong: but for outputs of probability 6.451e-08 in all, an even bet that Bob is in the table can become 52%"),
        (0.5, "of probability 1.651e-08 in all, .* can become 64%, a suspicion of one in a hundred 1.8%"),
        (2.0, "bounds the odds: but for outputs of probability 4.521e-09 in all, .* a factor of 9.49"),
        (7.0, "weak promise: .* can become 99.963%, a suspicion of one in a thousand 73%"),
        (20.0, r"says next to nothing: .* factor of 10\^10"),
        (100.0, "says next to nothing: .* certainty, as far as anyone can tell"),
        (math.inf, "tell outright"),
    ],
)
def test_what_an_epsilon_means(epsilon: float, says: str) -> None:
    """Each range has its sentence, with the posterior computed and rounded up."""
    words = verdict(epsilon, "1e-9")[0]
    assert re.search(says, words), words


@pytest.mark.parametrize(
    ("epsilon", "says"),
    [
        (0.0, "^epsilon 0: the output says nothing about Bob"),
        (0.05, "is strong: an even bet that Bob is in the table can become 52%"),
        (0.5, "real limit: an even bet .* can become 63%, a suspicion of one in a hundred 1.7%"),
        (2.0, "bounds the odds: an even bet .* a factor of 7.39"),
        (7.0, "weak promise: an even bet .* can become 99.909%, a suspicion of one in a thousand 53%"),
        (20.0, r"says next to nothing: an even bet .* factor of 10\^9"),
    ],
)
def test_what_an_epsilon_means_without_a_delta(epsilon: float, says: str) -> None:
    """Then the odds move by e^epsilon at most, for every output."""
    words = verdict(epsilon, 0)[0]
    assert re.search(says, words), words


def said(sentence: str) -> tuple[float, float]:
    """What an even bet can become, and the probability of the outputs left out."""
    rest = re.search("outputs of probability ([0-9.e-]+) in all", sentence)
    after = re.search("even bet that Bob is in the table can become ([0-9.]+)%", sentence)
    assert after, sentence
    return float(after[1]) / 100, float(rest[1]) if rest else 0.0


@pytest.mark.parametrize("delta", ["1e-5", "0.01"])
def test_what_is_said_holds_but_for_the_outputs_that_are_named(delta: str) -> None:
    """For Gaussian noise the chance of a larger posterior is known; the sentence of epsilon alone leaves out too little."""
    loss = gaussian(1)
    epsilon = loss.epsilon(delta).upper

    def beyond(share: float) -> float:
        return math.erfc((math.log(share / (1 - share)) - 1 / 2) / math.sqrt(2)) / 2

    for words in (verdict(epsilon, delta)[0], verdict(epsilon, delta, farthest=unlikely(loss, delta))[0]):
        share, rest = said(words)
        assert beyond(share) <= rest
    assert rest == float(delta)
    assert beyond(said(shortcuts.sentence_but_for_delta(epsilon))[0]) > 1.5 * float(delta)
    words = account("gaussian(sigma=1)", delta=delta, older=False).verdict[0]
    assert beyond(said(words)[0]) <= said(words)[1] == float(delta)


@given(worlds, strategies.sampled_from(["0.01", "0.1", "0.3"]))
def test_what_is_said_of_the_numbers_alone_holds_for_every_pair(pair: Worlds, delta: str) -> None:
    """In a finite pair that satisfies (epsilon, delta), outputs that move an even bet further are as unlikely as said."""
    epsilon = finite(pair.one, pair.other).epsilon(delta).upper
    words = verdict(epsilon, delta)[0]
    if "even bet" not in words or "certainty" in words:
        return
    share, rest = said(words)
    further = sum(p for p, q in zip(pair.one, pair.other, strict=True) if p and float(p / (p + q)) > share + SLACK)
    assert float(further) <= rest + SLACK


def test_a_large_delta_leaves_nothing_to_say() -> None:
    """Where the outputs left out could be all of them, no posterior is promised."""
    assert "any output may tell outright" in verdict(0.1, "1/2")[0]


@pytest.mark.parametrize(
    ("delta", "records", "says"),
    [
        (0, 10, "without exception"),
        ("1e-6", None, "publishing one of 1,000,000 at random"),
        ("1e-6", 1_000_000, "licence to publish one person at random"),
        ("1e-5", 50_000, "too close to one over 50,000 records: .* in 40% of releases"),
        ("1e-400", 50_000, "far below one over 50,000 records: .* less than once in 1,000,000,000,000,000 releases"),
        ("1e-400", None, "delta 4.941e-324 is far below one over the number of records of any table"),
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
    assert (
        accepted(
            verdict,
            {"epsilon": 1.0, "delta": 0.1, "records": 10, "farthest": 2.0},
            {**infinite, "records": (None,), "farthest": (math.inf,)},
        )
        == []
    )
    assert accepted(posterior, {"prior": "1/2", "epsilon": 1.0}, infinite) == []
    assert accepted(belief, {"loss": pure(1), "prior": "1/2", "epsilon": 1.0}, infinite) == []


class _Far:
    """A loss of 1/2 but for one output in 10^20: asked beyond that, its curve would take for ever."""

    def delta(self, epsilon: object) -> Interval:
        assert Fraction(str(epsilon)) <= 1, "nobody sees what this is asked for"
        return Interval(0.0, 0.25, "tests")

    def epsilon(self, delta: object) -> Interval:
        return Interval(0.0, 0.5 if Fraction(str(delta)) >= Fraction(1, 10**20) else math.inf, "tests")


def test_a_guess_asks_for_no_more_digits_than_it_has() -> None:
    """Far out delta is bounded by what is known of it already, and never by less than it may be."""
    for prior in (Fraction(1, 1000), Fraction(1, 10), Fraction(9, 10)):
        sure = max(prior, 1 - prior)
        assert sure <= Fraction(belief(_Far(), prior, 0.5).guess) <= sure + Fraction(1, 10**15)
    assert belief(_Far(), Fraction(1, 2), 0.5).guess == 0.5 + 0.5 * 0.25
