"""The weights of every law: proportional to the textbook's, and of the shape that the sampler builds on."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.sampling.oracles import cumulative
from twoworlds.sampling.balls import working
from twoworlds.sampling.laws import Finite, Unimodal, law_of
from twoworlds.sampling.ranges import in_steps
from twoworlds.worlds.distributions import (
    Bernoulli,
    BernoulliExp,
    Categorical,
    DiscreteGaussian,
    Distribution,
    Exponential,
    ExponentialWeights,
    Gaussian,
    Geometric,
    Gumbel,
    Laplace,
    NegativeBinomial,
    Skellam,
)

SMALL: list[Distribution] = [
    Laplace("7/2"),
    Exponential("7/2"),
    Gaussian("7/2"),
    Gaussian("1/3"),
    DiscreteGaussian("7/2"),
    Gumbel("7/2"),
    Gumbel("1/2"),
    Geometric("0.2"),
    Geometric(1),
    NegativeBinomial("0.4", "0.2"),
    NegativeBinomial("1", "0.2"),
    NegativeBinomial("5.5", "0.2"),
    NegativeBinomial(3, 1),
    Skellam("9/2"),
    Bernoulli("0.3"),
    Bernoulli(0),
    BernoulliExp("0.7"),
    BernoulliExp(0),
    Categorical([1, 0, 5, "1/3"]),
    ExponentialWeights([3, 1, "5/2"], 2),
]
LARGE: list[Distribution] = [
    *(family(2**20) for family in (Laplace, Exponential, Gaussian, DiscreteGaussian, Gumbel)),
    *(family("1e-6") for family in (Laplace, Exponential, Gaussian, DiscreteGaussian, Gumbel)),
    Geometric(Fraction(1, 2**40)),
    NegativeBinomial("0.01", "1e-6"),
    NegativeBinomial("1000.5", "1e-6"),
    Skellam(10**5),
]
UNIMODAL = [law for law in SMALL + LARGE if isinstance(law_of(law, in_steps(law, Fraction(1))), Unimodal)]


@pytest.mark.parametrize("distribution", SMALL, ids=str)
def test_weights_are_proportional_to_the_law(distribution: Distribution) -> None:
    """weight(x) / sum of weights is the textbook's probability, to the precision of floats."""
    law = law_of(distribution, in_steps(distribution, Fraction(1)))
    points = np.arange(law.size) if isinstance(law, Finite) else np.arange(-300, 301)
    with working():
        weights = np.array([float(law.weight(int(x)).mid()) for x in points])
    with np.errstate(over="ignore", under="ignore"):
        below = cumulative(distribution)
        expected = below(points) - below(points - 1)
    assert weights / weights.sum() == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("distribution", UNIMODAL, ids=str)
def test_weights_have_the_shape_that_is_claimed(distribution: Distribution) -> None:
    """Log-concave, or log-convex with the decay that is claimed; largest at a peak; zero below the least value.

    In balls, so that a shape which only nearly holds would fail. Steps of many sizes are tried, near the peak and far from it.
    """
    law = law_of(distribution, in_steps(distribution, Fraction(1)))
    assert isinstance(law, Unimodal)
    spread = max(1, int(law.spread))
    with working(512):
        tops = [law.weight(peak) for peak in law.peaks]
        for width in sorted({1, 2, 7, spread // 50 + 1, spread}):
            for offset in {-5 * spread, -spread, -width, -1, 0, 1, width, spread // 3, spread, 6 * spread}:
                x = law.peaks[0] + offset
                before, here, after = (law.weight(x + i * width) for i in (-1, 0, 1))
                assert not all(here > top for top in tops)
                if law.least is not None and x - width < law.least:
                    assert not before > 0
                elif law.decay is None:
                    assert not here * here < before * after
                else:
                    assert not here * here > before * after
                    assert not after > here * law.decay(width)


@pytest.mark.parametrize("distribution", [law for law in UNIMODAL if "Gumbel" not in str(law)], ids=str)
def test_closed_forms_agree_with_the_weights(distribution: Distribution) -> None:
    """Where a law says its weight is a closed form, it is: exactly, or for the rounded Gaussian within the size of a cell."""
    law = law_of(distribution, in_steps(distribution, Fraction(1)))
    assert isinstance(law, Unimodal)
    if law.decline is None:
        assert isinstance(distribution, NegativeBinomial | Skellam) or distribution == Geometric(1)
        return
    spread = max(1, int(law.spread))
    with working():
        linear, square = law.decline.linear(), law.decline.square()
        for x in {0, 1, spread // 2, spread, 3 * spread}:
            closed = law.decline.value() * (-linear * abs(x) - square * x * x).exp()
            if not law.decline.rounded:
                assert (closed.overlaps(law.weight(x)) and closed.rel_accuracy_bits() > 100) or closed == law.weight(x)
            elif law.spread >= 128:
                assert abs(closed / law.weight(x) - 1) < 10 / law.spread**2
