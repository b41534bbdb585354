"""Pairs with counts: their composition is the product of the laws, read through moments, supports and lattices."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, strategies

from tests.losses.finite import SLACK, Worlds, worlds
from twoworlds.losses.balls import ball
from twoworlds.losses.composition import Composition, common
from twoworlds.losses.loss import approximate, finite, gaussian
from twoworlds.losses.solving import reader

fractions = strategies.fractions(min_value=0, max_value=9, max_denominator=60).filter(bool)


def composed(pair: Worlds, other: Worlds) -> Composition:
    return Composition((*((term, 2) for term, _ in loss(pair).terms), *loss(other).terms))


def loss(pair: Worlds) -> Composition:
    return Composition(finite(pair.one, pair.other).remove)


@given(worlds, worlds, strategies.sampled_from([-0.5, 0.5, 2.0]))
def test_a_composition_is_the_product_of_its_laws(pair: Worlds, other: Worlds, t: float) -> None:
    """Moments, largest loss and delta of two and one are those of the three outputs seen together."""
    whole, product = composed(pair, other), pair.times(pair).times(other)
    ratios = [(float(p), float(p / q)) for p, q in zip(product.one, product.other, strict=True)]
    assert float(whole.log_moment(arb(t)).exp().mid()) == pytest.approx(math.fsum(p * r**t for p, r in ratios), rel=1e-9)
    assert float(ball(whole.largest).mid()) == pytest.approx(max(math.log(r) for _, r in ratios), abs=1e-9)
    for epsilon in (Fraction(0), Fraction(1, 3)):
        truth = math.fsum(max(p * (1 - math.exp(epsilon) / r), 0) for p, r in ratios)
        for side in (whole, whole.reversed.reversed):
            assert float(reader(side).delta(epsilon, 1e-6).mid()) == pytest.approx(truth, rel=1e-5, abs=SLACK)


@pytest.mark.parametrize("counts", [(1, 1), (3, 2), (50, 7)])
def test_what_shows_outright_adds_up(counts: tuple[int, int]) -> None:
    """Infinite losses stay away only if they do every time, exactly and as a ball; nothing of it is multiplied out."""
    chances = (Fraction(1, 10), Fraction(1, 3))
    terms = [(approximate(1, chance).remove[0][0], count) for chance, count in zip(chances, counts, strict=True)]
    whole = Composition(tuple(terms))
    exact = 1 - math.prod((1 - chance) ** count for chance, count in zip(chances, counts, strict=True))
    assert whole.infinite_exactly == exact and whole.infinite.contains(ball(exact))
    assert whole.largest == sum(counts) and whole.is_within(Fraction(sum(counts))) and not whole.is_within(Fraction(1))


@given(fractions, fractions, strategies.integers(1, 4), strategies.integers(1, 4))
def test_every_loss_lies_on_the_common_lattice(one: Fraction, other: Fraction, n: int, m: int) -> None:
    """Two randomized responses: losses of +-epsilon each, any number of times, all on offset + spacing * Z."""
    whole = Composition(((approximate(one, 0).remove[0][0], n), (approximate(other, 0).remove[0][0], m)))
    assert whole.lattice is not None
    for k, j in itertools.product(range(-n, n + 1, 2), range(-m, m + 1, 2)):
        assert ((k * one + j * other - whole.lattice.offset) / whole.lattice.spacing).denominator == 1
    assert Composition(((gaussian(1).remove[0][0], 1),)).lattice is None


@given(fractions, fractions)
def test_the_common_divisor_is_the_greatest(one: Fraction, other: Fraction) -> None:
    """It divides both, and the two quotients have no divisor left in common."""
    step = common(one, other)
    quotients = (one / step, other / step)
    assert all(part.denominator == 1 for part in quotients)
    assert math.gcd(*(int(part) for part in quotients)) == 1
