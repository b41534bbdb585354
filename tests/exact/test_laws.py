"""Masses and tails of every law against their definitions and against scipy."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from flint import arb, fmpq

from twoworlds.exact.laws import law_of
from twoworlds.exact.weights import ball, fraction, precision, total
from twoworlds.worlds import distributions
from twoworlds.worlds.distributions import Distribution
from twoworlds.worlds.errors import BadArgument


def _normal(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _skellam(k: int) -> float:
    from scipy.stats import skellam

    return float(skellam.pmf(k, 1.5, 1.5))


GRID = Fraction(1, 2)
LAWS: dict[str, tuple[Distribution, Callable[[int], float]]] = {
    "laplace": (distributions.Laplace("3/2"), lambda k: math.tanh(1 / 6) * math.exp(-abs(k) / 3)),
    "exponential": (distributions.Exponential(2), lambda k: -math.expm1(-1 / 4) * math.exp(-k / 4) if k >= 0 else 0.0),
    "gumbel": (distributions.Gumbel(2), lambda k: math.exp(-math.exp(-k / 4)) - math.exp(-math.exp(-(k - 1) / 4))),
    "gaussian": (distributions.Gaussian("5/4"), lambda k: _normal((k + 0.5) / 2.5) - _normal((k - 0.5) / 2.5)),
    "discrete gaussian": (distributions.DiscreteGaussian(1), lambda k: math.exp(-k * k / 8) / math.sqrt(8 * math.pi)),
    "geometric": (distributions.Geometric("1/3"), lambda k: (2 / 3) ** k / 3 if k >= 0 else 0.0),
    "bernoulli": (distributions.Bernoulli("1/5"), lambda k: {0: 0.8, 1: 0.2}.get(k, 0.0)),
    "bernoulli exp": (distributions.BernoulliExp(2), lambda k: {0: -math.expm1(-2), 1: math.exp(-2)}.get(k, 0.0)),
    "uniform": (distributions.Uniform(7), lambda k: 1 / 7 if 0 <= k < 7 else 0.0),
    "categorical": (distributions.Categorical([1, 0, "1/2"]), lambda k: {0: 2 / 3, 2: 1 / 3}.get(k, 0.0)),
    "weights": (
        distributions.ExponentialWeights([1, -1], 2),
        lambda k: {0: 1 / (1 + 1 / math.e), 1: 1 / (1 + math.e)}.get(k, 0.0),
    ),
    "negative binomial": (
        distributions.NegativeBinomial("1/2", "1/3"),
        lambda k: math.gamma(k + 0.5) / math.gamma(k + 1) / math.gamma(0.5) * (1 / 3) ** 0.5 * (2 / 3) ** k if k >= 0 else 0.0,
    ),
    "whole negative binomial": (
        distributions.NegativeBinomial(3, "1/2"),
        lambda k: math.comb(k + 2, k) * 0.5 ** (k + 3) if k >= 0 else 0.0,
    ),
    "skellam": (distributions.Skellam("3/2"), _skellam),
}
every_law = pytest.mark.parametrize(("noise", "mass"), LAWS.values(), ids=LAWS)


@every_law
def test_masses_are_those_of_the_definition(noise: Distribution, mass: Callable[[int], float]) -> None:
    """Each mass agrees with the textbook formula in floats, and is 0 outside the support."""
    with precision():
        law = law_of(noise, GRID)
        for k in range(-9, 10):
            assert math.isclose(float(ball(law.mass(k)).mid()), mass(k), rel_tol=1e-9, abs_tol=1e-15)
            assert float(ball(law.mass(k)).rad()) < 1e-60


@every_law
def test_tails_are_sums_of_masses(noise: Distribution, mass: Callable[[int], float]) -> None:
    """P[K >= k] and P[K <= k] are certified: together with what is between two points they make exactly 1."""
    with precision():
        law = law_of(noise, GRID)
        for k in range(-12, 13):
            assert ball(law.above(k) - law.above(k + 1) - law.mass(k)).contains(0)
            assert ball(law.below(k) - law.below(k - 1) - law.mass(k)).contains(0)
            assert ball(law.above(k) + law.below(k - 1) - 1).contains(0)
            assert float(ball(law.above(k)).rad()) < 1e-60
    del mass


@every_law
def test_a_window_leaves_at_most_the_cut(noise: Distribution, mass: Callable[[int], float]) -> None:
    """Outside the window there is at most the cut, and one step further in there would be more."""
    del mass
    with precision():
        law = law_of(noise, GRID)
        cut = Fraction(1, 10**12)
        first, last = law.window(cut)
        assert total([law.below(first - 1), law.above(last + 1)]) <= fmpq(1, 10**12)
        if law.last is None:
            assert law.above(last) > fmpq(1, 2 * 10**12)


def test_far_tails_keep_their_precision() -> None:
    """Masses and tails of 1e-300 and less are known to many digits, never as a difference from 1."""
    with precision():
        for noise in (distributions.Laplace(1), distributions.Gaussian(1), distributions.Gumbel(1)):
            law = law_of(noise, Fraction(1))
            for weight in (law.mass(700), law.above(700)):
                assert isinstance(weight, arb) and weight > 0 and weight.rel_accuracy_bits() > 100


def test_rational_laws_stay_rational() -> None:
    """Laws with rational parameters have exact masses and tails."""
    for noise in (distributions.Geometric("1/3"), distributions.Bernoulli("1/5"), distributions.Uniform(3)):
        law = law_of(noise, Fraction(1))
        assert fraction(law.mass(0)) + fraction(law.above(1)) == 1
    assert fraction(law_of(distributions.NegativeBinomial(3, "1/2"), Fraction(1)).mass(2)) == Fraction(6, 32)


def test_a_window_that_cannot_be_listed_is_refused() -> None:
    """A draw with too many values to enumerate is an error that names the cut, not a long wait."""
    with precision(), pytest.raises(BadArgument, match="cut"):
        law_of(distributions.Laplace(10**9), Fraction(1)).window(Fraction(1, 2**200))
