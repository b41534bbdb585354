"""Laplace noise on a sample: moments, curve, slope and envelope against another integration, both ways round."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.losses.pairs import is_shifted
from twoworlds.losses.continuous import Laplace
from twoworlds.losses.sampled_laplace import SampledLaplace


def integral(epsilon: float, rate: float, z: complex) -> complex:
    """E under the law without the record of w^(z + 1): two atoms and a density over the losses in between."""
    inside = np.linspace(-epsilon, epsilon, 200_001)
    density = np.exp(-(epsilon + inside) / 2) / 4

    def power(loss):
        return np.exp((z + 1) * np.log(1 - rate + rate * np.exp(loss)))

    middle = np.trapezoid(density * power(inside), inside)
    return complex(power(-epsilon) / 2 + power(epsilon) * np.exp(-epsilon) / 2 + middle)


@pytest.mark.parametrize(("epsilon", "rate"), [(1.0, 0.01), (0.25, 0.5), (3.0, 0.2)])
def test_the_pair_is_what_it_says(epsilon: float, rate: float) -> None:
    """(1 - q) N + q Y against N, for Laplace laws N and Y moved by epsilon scales."""
    is_shifted(SampledLaplace(Fraction(str(epsilon)), Fraction(str(rate))), lambda z: integral(epsilon, rate, z))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_laplace_itself(epsilon: float) -> None:
    """The same of the Laplace pair: a rate of 1."""
    is_shifted(Laplace(Fraction(str(epsilon))), lambda z: integral(epsilon, 1.0, z))
