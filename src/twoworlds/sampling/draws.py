"""Exact draws of any law on a grid."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.sampling import coins, singles
from twoworlds.sampling.entropy import SYSTEM, Entropy, Stream
from twoworlds.worlds import distributions
from twoworlds.worlds.distributions import Distribution
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import positive

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Supply", "draw", "draw_one"]

_ONE: dict[type[Distribution], Callable[[Any, Fraction, Stream], int]] = {
    distributions.Laplace: lambda law, grid, stream: singles.laplace(stream, _units(law.scale, grid)),
    distributions.Exponential: lambda law, grid, stream: singles.exponential(stream, _units(law.scale, grid)),
    distributions.Gaussian: lambda law, grid, stream: singles.gaussian(stream, _units(law.sigma, grid)),
    distributions.DiscreteGaussian: lambda law, grid, stream: singles.discrete_gaussian(stream, _units(law.sigma, grid)),
    distributions.Bernoulli: lambda law, _, stream: coins.bernoulli(stream, law.p.numerator, law.p.denominator),
    distributions.BernoulliExp: lambda law, _, stream: coins.bernoulli_exp(stream, law.x.numerator, law.x.denominator),
    distributions.Uniform: lambda law, _, stream: stream.below(law.n),
}


def _units(scale: Fraction, grid: Fraction) -> Fraction:
    return Fraction(scale.numerator * grid.denominator, scale.denominator * grid.numerator)


def draw_one(distribution: Distribution, grid: object = Fraction(1), entropy: Entropy | None = None) -> int:
    """One draw, as a count of grid steps."""
    stream = (entropy or SYSTEM).stream()
    return int(_ONE[type(distribution)](distribution, positive(grid, "grid"), stream))


def draw(
    distribution: Distribution, count: int, *, grid: object = Fraction(1), entropy: Entropy | None = None
) -> NDArray[np.int64]:
    """`count` independent draws, as counts of grid steps."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise BadArgument("count", count, "is not a whole number of 0 or more", "Give the number of draws")
    import numpy as np  # noqa: PLC0415  scalar draws do without numpy

    return np.array([draw_one(distribution, grid, entropy) for _ in range(count)], dtype=np.int64)


class Supply:
    """Draws of one law, one after the other, prefetched in blocks."""

    def __init__(self, distribution: Distribution, grid: object = Fraction(1), entropy: Entropy | None = None) -> None:
        self._distribution = distribution
        self._grid = positive(grid, "grid")
        self._entropy = entropy

    def next(self) -> int:
        """The next draw."""
        return draw_one(self._distribution, self._grid, self._entropy)
