"""Distribution functions from textbooks and scipy, and scripted streams: what the sampler's arithmetic is checked against."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import special, stats

from tests.statistics import Comparison, chi_square
from twoworlds.sampling.entropy import Stream
from twoworlds.worlds import distributions
from twoworlds.worlds.distributions import Distribution

ALPHA = 1e-9  # this room compares often: a tenth of a share each
CELLS = 200


def cumulative(law: Distribution, grid: Fraction = Fraction(1)) -> Callable[[np.ndarray], np.ndarray]:
    """P[count <= k] in floats, for arrays of k."""
    match law:
        case distributions.Laplace():
            q = np.exp(-float(grid / law.scale))
            return lambda k: np.where(k < 0, q ** np.maximum(-k, 0), 1 + q - q ** (np.maximum(k, 0) + 1)) / (1 + q)
        case distributions.Exponential():
            rate = float(grid / law.scale)
            return lambda k: np.where(k < 0, 0, -np.expm1(-rate * (k + 1)))
        case distributions.Geometric():
            rate = -np.log1p(-float(law.p)) if law.p < 1 else 800.0  # exp(-800) is nothing
            return lambda k: np.where(k < 0, 0, -np.expm1(-rate * (k + 1)))
        case distributions.Gaussian():
            return lambda k: special.ndtr((k + 0.5) / float(law.sigma / grid))
        case distributions.DiscreteGaussian():
            return _discrete_gaussian(float(law.sigma / grid))
        case distributions.Gumbel():
            return lambda k: np.exp(-np.exp(-k * float(grid / law.scale)))
        case distributions.NegativeBinomial():
            return lambda k: stats.nbinom(float(law.r), float(law.p)).cdf(k)
        case distributions.Skellam():
            return lambda k: stats.skellam(float(law.mean), float(law.mean)).cdf(k)
        case distributions.Uniform():
            return lambda k: np.clip((k + 1) / law.n, 0, 1)
        case _:
            total = np.cumsum(_masses(law))
            return lambda k: np.where(k < 0, 0, total[np.clip(k, 0, len(total) - 1).astype(int)] / total[-1])


def _masses(law: Distribution) -> list[float]:
    match law:
        case distributions.Bernoulli():
            return [float(1 - law.p), float(law.p)]
        case distributions.BernoulliExp():
            return [-np.expm1(-float(law.x)), np.exp(-float(law.x))]
        case distributions.Categorical():
            return [float(weight) for weight in law.weights]
        case distributions.ExponentialWeights():
            return [np.exp(float((score - max(law.scores)) / law.scale)) for score in law.scores]
    raise TypeError(law)


def _discrete_gaussian(sigma: float) -> Callable[[np.ndarray], np.ndarray]:
    if sigma > 1000:  # the sum is the integral to within exp(-sigma^2)
        return lambda k: special.ndtr((k + 0.5) / sigma)
    x = np.arange(-int(20 * sigma) - 5, int(20 * sigma) + 6)
    total = np.cumsum(np.exp(-(x**2) / (2 * sigma**2)))
    return lambda k: total[np.clip(k - x[0], 0, len(x) - 1).astype(int)] / total[-1]


def edges(below: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Whole numbers that cut the law into about `CELLS` equal parts, by bisection."""
    levels = np.arange(1, CELLS) / CELLS
    low, high = np.full(len(levels), -(2**60)), np.full(len(levels), 2**60)
    while (high - low > 1).any():
        middle = (low + high) // 2
        under = below(middle) < levels
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    return np.unique(high)


def fit(drawn: np.ndarray, law: Distribution, grid: Fraction = Fraction(1), alpha: float = ALPHA) -> Comparison:
    """How well draws fit a law, by chi-square over cells that the law alone decides."""
    return fit_all([drawn], law, grid, alpha)


def fit_all(parts: Iterable[np.ndarray], law: Distribution, grid: Fraction = Fraction(1), alpha: float = ALPHA) -> Comparison:
    """The same for more draws than fit in memory at once."""
    below = cumulative(law, grid)
    with np.errstate(over="ignore"):
        cuts = edges(below)
        shares = np.diff(below(cuts), prepend=0, append=1)
    counts = sum(np.bincount(np.searchsorted(cuts, drawn), minlength=len(cuts) + 1) for drawn in parts)
    possible = (counts > 0) | (shares > 1e-15)
    return chi_square(counts[possible].tolist(), (counts.sum() * shares[possible]).tolist(), alpha)


class Scripted(Stream):
    """A stream that plays back: `words` for the scalar draws, `arrays` for the vector draws."""

    __slots__ = ("_arrays",)

    def __init__(self, words: list[int] | None = None, arrays: Iterator[Callable[[int], np.ndarray]] | None = None) -> None:
        super().__init__()
        self._words = list(reversed(words or []))
        self._arrays = arrays or iter(())

    def fill(self, count: int) -> bytes:
        raise AssertionError(f"the script holds no more bits, {count} bytes were asked for")

    def array(self, count: int, dtype: Any) -> np.ndarray:
        values = next(self._arrays)(count)
        assert len(values) == count and values.dtype == dtype
        return values
