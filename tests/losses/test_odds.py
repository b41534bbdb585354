"""Odds for Bob: where a belief can go and how often a guess is right, output by output."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies

from tests.broken.losses import shortcuts
from tests.losses.finite import SLACK, Worlds, worlds
from twoworlds.losses.composition import Composition
from twoworlds.losses.loss import finite, gaussian
from twoworlds.losses.odds import odds

priors = strategies.sampled_from([Fraction(1, 1000), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)])


@given(worlds, priors)
def test_beliefs_reach_from_the_least_output_to_the_most(pair: Worlds, prior: Fraction) -> None:
    """Bayes on every output: the range is met at both ends (or starts at the prior), and no exception is needed."""
    known = finite(pair.one, pair.other)
    found = odds(Composition(known.remove), Composition(known.add), prior, Fraction(0), is_attained=True)
    after = [float(prior * p / (prior * p + (1 - prior) * q)) for p, q in zip(pair.one, pair.other, strict=True)]
    assert found.failure == 0.0
    assert found.posterior_high == pytest.approx(max(*after, float(prior)), rel=1e-12) and found.posterior_high >= max(after)
    assert found.posterior_low == pytest.approx(min(*after, float(prior)), rel=1e-12) and found.posterior_low <= min(after)


@given(worlds, priors)
def test_the_best_guess_is_bayes(pair: Worlds, prior: Fraction) -> None:
    """The maximum a posteriori guess is right with a probability inside the interval, which is narrow where it is attained."""
    right = float(sum(max(prior * p, (1 - prior) * q) for p, q in zip(pair.one, pair.other, strict=True)))
    known = finite(pair.one, pair.other)
    for attained in (True, False):
        guess = odds(Composition(known.remove), Composition(known.add), prior, Fraction(0), is_attained=attained).best_guess
        assert guess.lower - SLACK <= right <= guess.upper + SLACK
        assert guess.upper - right <= 1e-3
    assert guess.lower == pytest.approx(float(max(prior, 1 - prior)))


@pytest.mark.parametrize("failure", ["1e-6", "0.01"])
def test_beliefs_about_a_gaussian_hold_but_for_the_failure(failure: str) -> None:
    """The loss of mu = 1 is N(1/2, 1): a larger posterior is rarer than stated; with epsilon alone it is not."""

    def beyond(share: float) -> float:
        return math.erfc((math.log(share / (1 - share)) - 1 / 2) / math.sqrt(2)) / 2

    found = gaussian(1).odds("1/2", failure=failure)
    assert found.failure >= float(failure) >= beyond(found.posterior_high)
    assert beyond(shortcuts.posterior_but_for_delta(gaussian(1), "1/2", failure)) > float(failure)


def test_who_is_sure_stays_sure() -> None:
    """Priors 0 and 1 move nowhere and are always right."""
    for prior in (0, 1):
        found = gaussian(1).odds(prior)
        assert found.posterior_low == found.posterior_high == prior and found.best_guess.lower == 1.0
