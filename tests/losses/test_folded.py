"""Curves known for epsilon >= 0 and folded over: those of a dominating pair, symmetric, and no smaller than the mixture's."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, strategies

from tests.losses.finite import Worlds, worlds
from tests.losses.pairs import POINTS, delta, has_its_slope, is_a_curve
from twoworlds.losses.folded import Folded
from twoworlds.losses.loss import finite, gaussian

SMOOTH = gaussian(1).remove[0][0]
rates = strategies.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(1)])


@pytest.mark.parametrize("rest", [Fraction(0), Fraction(1, 100)])
@pytest.mark.parametrize("weight", [Fraction(1, 10), Fraction(1)])
def test_a_folded_curve_is_a_curve(weight: Fraction, rest: Fraction) -> None:
    """It falls, is convex, mirrors itself, and comes with supporting slopes."""
    folded = Folded(((SMOOTH, weight * (1 - rest)),), rest)
    is_a_curve(folded)
    has_its_slope(folded)
    assert folded.infinite == rest and folded.reverse() is folded


def test_a_symmetric_pair_folds_onto_itself() -> None:
    """Gaussian noise has the same curve both ways: folding changes nothing, and the moment is bounded, not lost."""
    folded = Folded(((SMOOTH, Fraction(1)),))
    assert [delta(folded, at) for at in POINTS] == pytest.approx([delta(SMOOTH, at) for at in POINTS], abs=1e-12)
    assert float(folded.moment(arb(2)).upper()) >= math.exp(3) * (1 - 1e-12)  # t (t + 1) / 2 at t = 2


@given(worlds, rates, strategies.sampled_from([0.5, 1.0, 3.0]))
def test_a_record_replaced_in_a_sample_is_covered(pair: Worlds, rate: Fraction, t: float) -> None:
    """In the sample with this probability: both worlds are mixtures with a third law, and curve and moments lie above theirs.

    The third law is the mixture of both, one that a sample without the record could have.
    """
    rest = tuple((p + q) / 2 for p, q in zip(pair.one, pair.other, strict=True))
    mixed = Worlds(*(tuple(rate * p + (1 - rate) * r for p, r in zip(law, rest, strict=True)) for law in (pair.one, pair.other)))
    known = finite(pair.one, pair.other)
    if not known.remove:
        return
    for part in (known.remove[0][0], known.add[0][0]):
        both = Folded(((part, rate), (part.reverse(), rate)))  # the sum of both ways covers the larger
        for epsilon in (0.0, 0.2, 1.0):
            assert mixed.delta(epsilon) <= delta(both, epsilon) + 1e-11
        for first, second in mixed.directions():
            moment = math.fsum(float(p) * float(p / q) ** t for p, q in zip(first, second, strict=True))
            assert moment <= float(both.moment(arb(t)).upper()) * (1 + 1e-11)


@given(worlds, strategies.sampled_from([0.5, 1.0, 3.0]))
def test_the_moment_is_no_smaller_than_the_curves(pair: Worlds, t: float) -> None:
    """1 + t (t + 1) times the integral of x^(t - 1) (d(x) - (1 - x)_+), by the trapezium in log x, of either direction folded."""
    known = finite(pair.one, pair.other)
    for terms in (known.remove, known.add):
        for part, _ in terms:
            folded, reach = Folded(((part, Fraction(1)),)), math.log(pair.ratio())
            points = [reach * (k / 40 - 1) for k in range(81)]
            heights = [math.exp(t * at) * (delta(folded, at) - max(0.0, 1 - math.exp(at))) for at in points]
            truth = 1 + t * (t + 1) * math.fsum(heights) * reach / 40
            assert float(folded.moment(arb(t)).upper()) >= 1 + (truth - 1) * 0.99
