"""All dominating pairs, by name."""

from __future__ import annotations

from twoworlds.losses.continuous import Gaussian, Laplace
from twoworlds.losses.discrete import Approximate, DiscreteLaplace, Finite
from twoworlds.losses.dominance import Lattice, Pair
from twoworlds.losses.sampled_gaussian import SampledGaussian

__all__ = ["Approximate", "DiscreteLaplace", "Finite", "Gaussian", "Laplace", "Lattice", "Pair", "SampledGaussian"]
