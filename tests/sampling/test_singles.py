"""Single draws follow their laws, and reveal more bits where the first do not decide."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.sampling.oracles import Scripted, fit
from tests.statistics import Judge
from twoworlds.sampling import singles
from twoworlds.sampling.draws import draw_one
from twoworlds.sampling.entropy import SeededEntropy
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
    Uniform,
)

DRAWS = 20_000

# A law, and the same with its scale (or what plays that part) multiplied by about 1.3.
LAWS: list[tuple[Distribution, Distribution]] = [
    (Laplace("10/3"), Laplace("13/3")),
    (Laplace(2**40), Laplace(2**40 * 13 // 10)),
    (Exponential("7/2"), Exponential("91/20")),
    (Gaussian("1/2"), Gaussian("13/20")),
    (Gaussian(2**30), Gaussian(2**30 * 13 // 10)),
    (DiscreteGaussian("5/3"), DiscreteGaussian("13/6")),
    (Geometric("0.013"), Geometric("0.01")),
    (Geometric("0.65"), Geometric("0.5")),
    (Gumbel(7), Gumbel("9.1")),
    (NegativeBinomial("0.3", "0.05"), NegativeBinomial("0.39", "0.05")),
    (NegativeBinomial("4.5", "0.2"), NegativeBinomial("5.85", "0.2")),
    (Skellam(20), Skellam("33.8")),
    (Bernoulli("0.3"), Bernoulli("0.39")),
    (BernoulliExp("1.2"), BernoulliExp("1.56")),
    (Categorical([1, 5, 0, "1/2"]), Categorical([1, 6, 0, "1/2"])),
    (ExponentialWeights([3, 1, 2, 3], "13/10"), ExponentialWeights([3, 1, 2, 3])),
    (ExponentialWeights([0] * 40 + [5, 2, "7/2"], 1), ExponentialWeights([0] * 40 + [5, 2, "7/2"], "13/10")),
    (ExponentialWeights([0, -200, 1], 1), ExponentialWeights([0, -200, 1], "13/10")),
    (Categorical(["1/1000000"] * 60 + [0, "1/10000", "1/30000"]), Categorical(["1/1000000"] * 60 + [0, "1/10000", "1/23000"])),
    (Uniform(10), Uniform(13)),
]


@pytest.mark.parametrize(("law", "wider"), LAWS, ids=str)
def test_single_draws_follow_the_law(judge: Judge, law: Distribution, wider: Distribution) -> None:
    """Chi-square against the textbook's distribution function; the law at 1.3 times its scale is told apart."""
    source = SeededEntropy(21)
    judge.fits(fit(np.array([draw_one(law, 1, source) for _ in range(DRAWS)]), law))
    judge.rejects(fit(np.array([draw_one(wider, 1, source) for _ in range(DRAWS)]), law), planted="scale x 1.3")


def test_rounding_waits_for_the_bits_it_needs() -> None:
    """A Gaussian whose bits lie across a rounding border draws more, and lands on the side that they say."""
    for digits, nearest in (((1 << 63) - 1, 0), (1 << 63, 1)):
        uniform = singles._Uniform(Scripted([digits]))
        assert (uniform.rounded(0, Fraction(1)), uniform.length) == (nearest, 64)
    third = (1 << 64) // 3  # with sigma = 3/2 the border between 0 and 1 is x = 1/3 = 0.010101...
    for last, nearest in ((third - 1, 0), (third + 1, 1)):
        uniform = singles._Uniform(Scripted([third, third, last]))
        assert (uniform.rounded(0, Fraction(3, 2)), uniform.length) == (nearest, 192)


@pytest.mark.parametrize(("last", "expected"), [((1 << 62) - 1, True), ((1 << 62) + 1, False)])
@pytest.mark.parametrize("ahead", [0, 1])
def test_ties_between_two_uniforms_are_broken(last: int, expected: bool, ahead: int) -> None:
    """u = 1/8 and x = 1/2 agree in u < x^2 / 2 until their second words; it matters not which of them was known further."""
    fraction = singles._Uniform(Scripted([1 << 63, 1 << 63]))
    for _ in range(ahead):
        fraction.refine()
    assert singles._under(Scripted([1 << 61, last]), fraction, 0, 1) is expected
    assert fraction.length == 128


def test_draws_do_not_depend_on_what_a_parameter_is_made_of() -> None:
    """Floats, strings and fractions of one value draw the same from the same tape."""
    spellings: list[Any] = [0.1, "0.1", Fraction(1, 10)]
    tapes = [[draw_one(Laplace(scale), Fraction(1, 100), SeededEntropy(3)) for _ in range(5)] for scale in spellings]
    assert tapes[0] == tapes[1] == tapes[2]
