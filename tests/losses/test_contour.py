"""The contour sum: on a line, on a lattice, and split between both, its balls hold delta of the composition."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb

from twoworlds.losses.balls import ball, precision
from twoworlds.losses.composition import Composition
from twoworlds.losses.continuous import Gaussian, Laplace
from twoworlds.losses.contour import Curve, Need, curve_for, curve_near
from twoworlds.losses.discrete import Approximate
from twoworlds.losses.sampled_discrete import SampledDiscrete


def near(composition: Composition, epsilon: Fraction, saddle: float, log_delta: float, tolerance: float = 1e-9) -> Curve:
    """A curve as sharp as asked."""
    with precision():
        curve = curve_near(composition, arb(saddle), Need(epsilon, log_delta, tolerance, 1e8))
    assert curve is not None
    return curve


@pytest.mark.parametrize(("epsilon", "saddle"), [(1, 1.5), (3, 3.2), (6, 6.1)])
def test_on_a_line_a_gaussian_is_itself(epsilon: int, saddle: float) -> None:
    """Two Gaussians as unlike pairs are one: the sum holds the closed form, at its own epsilon and beside it."""
    whole = Gaussian(Fraction(1))
    curve = near(Composition(((Gaussian(Fraction(1, 4)), 1), (Gaussian(Fraction(3, 4)), 1))), Fraction(epsilon), saddle, -20)
    with precision():
        for at in (Fraction(epsilon), Fraction(epsilon) + Fraction(1, 4), Fraction(epsilon) - Fraction(1, 4)):
            found = curve.bounds(at)
            assert found.overlaps(whole.hockey(ball(at))) and float(found.rad()) < 1e-6 * float(found.mid())


@pytest.mark.parametrize("saddle", [0.3, 2.0, 9.0])
@pytest.mark.parametrize("log_delta", [0.0, -30.0])
def test_a_poor_line_widens_the_ball_and_does_not_move_it(saddle: float, log_delta: float) -> None:
    """Any line and any aim give a ball around the truth: the choice costs width only."""
    curve = near(Composition(((Gaussian(Fraction(1)), 1),)), Fraction(2), saddle, log_delta, tolerance=0.1)
    with precision():
        assert curve.bounds(Fraction(2)).overlaps(Gaussian(Fraction(1)).hockey(arb(2)))
        affordable = curve_for(Composition(((Gaussian(Fraction(1)), 1),)), arb(saddle), Need(Fraction(2), log_delta, 1e-9, 2e3))
        assert affordable is not None
        assert affordable.bounds(Fraction(2)).overlaps(Gaussian(Fraction(1)).hockey(arb(2)))


def binomial(p: Fraction, q: Fraction, count: int, epsilon: float) -> float:
    """delta of `count` coins that say yes with probability p in one world and q in the other, exactly."""
    grown = Fraction(math.exp(epsilon))
    terms = (
        math.comb(count, k) * (p**k * (1 - p) ** (count - k) - grown * q**k * (1 - q) ** (count - k)) for k in range(count + 1)
    )
    return float(sum(max(term, Fraction(0)) for term in terms))


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1), Fraction(5, 2)])
def test_on_a_lattice_coins_are_binomial(epsilon: Fraction) -> None:
    """Randomized response at ln 3 on samples: two losses without a common measure, on a lattice of balls."""
    q, truth = Fraction(1, 10), Fraction(3, 4)
    pair = SampledDiscrete(Approximate(Fraction("1.0986122886681098")), q)
    mixed, plain = (1 - q) * (1 - truth) + q * truth, 1 - truth
    found = near(Composition(((pair, 600),)), epsilon, 1.2, -8).bounds(epsilon)
    assert float(found.mid()) == pytest.approx(binomial(mixed, plain, 600, float(epsilon)), rel=1e-9)


def test_atoms_beside_a_density_are_split_off() -> None:
    """Laplace noise twice: the law of the sum by direct integration over the first loss."""
    epsilon, at = Fraction(1), Fraction(1, 2)
    found = near(Composition(((Laplace(epsilon), 2),)), at, 1.0, -2, tolerance=1e-2).bounds(at)
    with precision():
        one = Laplace(epsilon)
        steps = 4000
        inside = arb(0)
        for k in range(steps):
            loss = arb(-1) + arb(2 * k + 1) / steps
            inside += (-(1 - loss) / 2).exp() / 4 * one.hockey(ball(at) - loss) * 2 / steps
        truth = inside + one.hockey(ball(at) - 1) / 2 + (-arb(1)).exp() / 2 * one.hockey(ball(at) + 1)
    assert abs(float((found - truth).mid())) <= float(found.rad()) + 1e-5
    assert float(found.rad()) < 1e-2


def test_beyond_the_largest_loss_there_is_nothing() -> None:
    """Two pure releases of 1: at epsilon 2 delta is 0, exactly."""
    composition = Composition(((Laplace(Fraction(1)), 2),))
    assert near(composition, Fraction(1), 1.0, -2, tolerance=1e-2).bounds(Fraction(2)).is_zero()
