"""Gaussian noise on a sample: moments, curve, slope and envelope against another integration, both ways round."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from tests.losses.pairs import delta, is_shifted
from twoworlds.losses.continuous import Gaussian
from twoworlds.losses.sampled_gaussian import SampledGaussian


@pytest.mark.parametrize(("mu", "rate"), [(1.0, 0.01), (0.5, 0.3), (2.0, 0.9), (0.05, 0.001)])
def test_the_pair_is_what_it_says(mu: float, rate: float) -> None:
    """(1 - q) N(0, 1) + q N(mu, 1) against N(0, 1)."""
    pair = SampledGaussian(Fraction(mu) ** 2, Fraction(str(rate)))
    x = np.linspace(-14, 14 + mu, 400_001)
    normal = np.exp(-x * x / 2) / np.sqrt(2 * np.pi) * (x[1] - x[0])
    ratio = 1 - rate + rate * np.exp(mu * x - mu * mu / 2)
    is_shifted(pair, lambda z: complex(np.sum(normal * np.exp((z + 1) * np.log(ratio)))))
    for epsilon in (-0.004, 0.0, 0.3, 1.5):
        assert delta(pair, epsilon) == pytest.approx(float(np.sum(normal * np.maximum(ratio - np.exp(epsilon), 0))), abs=1e-7)


def test_sampling_everything_is_the_gaussian_in_the_limit() -> None:
    """A rate next to 1 has next to the curve of the Gaussian; a smaller rate a smaller one."""
    whole = delta(Gaussian(Fraction(1)), 1.0)
    nearly = delta(SampledGaussian(Fraction(1), Fraction(999_999, 1_000_000)), 1.0)
    assert nearly == pytest.approx(whole, rel=1e-4) and nearly < whole
    assert delta(SampledGaussian(Fraction(1), Fraction(1, 2)), 1.0) < nearly


def test_a_tilt_out_of_reach_is_not_a_number() -> None:
    """Where the quadrature would take too many points the answer is not-a-number, which no bound is made of."""
    assert not SampledGaussian(Fraction(10**8), Fraction(1, 100)).moment(arb(10) ** 9).is_finite()
