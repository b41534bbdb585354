"""The moments of a known loss: the divergences of its pairs, conditioned where one world shows what the other cannot."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies

from tests.losses.finite import EPSILONS, ORDERS, SLACK, Worlds, small_worlds, worlds
from tests.losses.malformed import MALFORMED
from twoworlds.losses import loss, moments
from twoworlds.losses.spectra import moments_of
from twoworlds.losses.subsampling import poisson_sampled
from twoworlds.worlds.errors import BadArgument


@settings(max_examples=12)
@given(worlds)
def test_moments_are_the_divergences_of_the_pair(pair: Worlds) -> None:
    """At every order the curve equals the larger direction's divergence, and rho bounds it tightly."""
    bound = moments_of(loss.finite(pair.one, pair.other))
    for order in ORDERS[1:]:
        assert bound.renyi(Fraction(order)).upper == pytest.approx(pair.renyi(order), rel=1e-9, abs=1e-15)
    assert bound.renyi(1).upper >= pair.renyi(1) - SLACK
    assert float(bound.most or 0) == pytest.approx(math.log(pair.ratio()), abs=1e-12)
    steepest = max(pair.renyi(order) / order for order in (1.001, 1.5, 2, 3, 5, 9, 20, 100))
    assert steepest * (1 - 1e-9) <= float(bound.steepest or 0) <= float(bound.most or 0)


@settings(max_examples=12)
@given(small_worlds, small_worlds, strategies.sampled_from([Fraction(1, 20), Fraction(1, 4)]))
def test_failures_become_the_delta_outside(one: Worlds, other: Worlds, delta: Fraction) -> None:
    """A pair that may tell the world converts to a true approximate bound, alone and composed."""
    open_pair = one.reveal(delta)
    whole = loss.finite(open_pair.one, open_pair.other).compose(loss.finite(other.one, other.other))
    bound, product = moments_of(whole), open_pair.times(other)
    assert bound.delta_outside == delta
    for epsilon in EPSILONS:
        assert product.delta(epsilon) <= bound.delta(Fraction(epsilon)).upper + SLACK


def test_unequal_failures_are_conditioned_on() -> None:
    """Worlds that fail with different probabilities: the conditioned curve is the one of the conditioned laws."""
    one, other = (
        (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4), Fraction(0)),
        (Fraction(1, 3), Fraction(1, 2), 0, Fraction(1, 6)),
    )
    bound = moments_of(loss.finite(one, other))
    kept = Worlds((Fraction(2, 3), Fraction(1, 3)), (Fraction(2, 5), Fraction(3, 5)))
    assert bound.delta_outside == Fraction(1, 4)
    assert bound.renyi(2).upper == pytest.approx(kept.renyi(2)) and bound.renyi(math.inf).upper == pytest.approx(math.log(9 / 5))


@pytest.mark.parametrize(
    ("known", "bare"),
    [
        (loss.gaussian(2), moments.gaussian_moments(2)),
        (loss.laplace(3), moments.laplace_moments(3)),
        (loss.approximate("0.7", "0.01"), moments.pure_moments("0.7", "0.01")),
        (poisson_sampled(loss.gaussian(1), "0.01"), moments.subsampled_gaussian_moments(1, "0.01")),
    ],
    ids=["gaussian", "laplace", "approximate", "subsampled"],
)
def test_closed_forms_are_used(known: loss.Loss, bare: moments.MomentBound) -> None:
    """Losses with a closed Renyi curve turn into it, so equal steps still merge by count."""
    assert moments_of(known).compose(bare) == bare.compose(bare)
    assert moments_of(known.power(9)).epsilon("0.1") == bare.power(9).epsilon("0.1")


def test_moments_never_beat_the_exact_account() -> None:
    """For a mixed composition the moment bound is above the certified epsilon, and within a fifth of it."""
    whole = loss.gaussian(20).power(50).compose(loss.laplace(20).power(50))
    truth, bound = whole.epsilon("1e-6"), moments_of(whole).epsilon("1e-6").upper
    assert truth.lower <= bound <= 1.2 * truth.upper


def test_other_things_have_no_moments() -> None:
    """A moment bound is its own; what is no loss is refused."""
    bound = moments.concentrated(1)
    assert moments_of(bound) is bound and moments_of(loss.identity()).epsilon(0).upper == 0
    for wrong in MALFORMED:
        with pytest.raises(BadArgument):
            moments_of(wrong)
