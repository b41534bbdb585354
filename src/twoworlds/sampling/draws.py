"""Exact draws of any law on a grid: one, or an array.

    draw(Laplace(10), 1_000_000)                        counts of grid steps, as numpy's int64
    draw(Gaussian(3), 8, grid=Fraction(1, 4))           eight counts of quarters
    draw_one(Laplace(10))
    Supply(Laplace(10)).next()                          one by one, fetched ahead

Laws on the grid give numbers of grid steps. Laws of counts (Bernoulli, Geometric, Categorical, ...) have no grid and give counts.
Few draws come from tossing coins, many from a table; the tables of the laws used last are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from twoworlds.sampling import coins, ratios, singles
from twoworlds.sampling.entropy import SYSTEM, Entropy, Stream, after_fork
from twoworlds.sampling.gumbel import gumbel
from twoworlds.sampling.ranges import in_steps
from twoworlds.worlds import distributions
from twoworlds.worlds.distributions import Categorical, Distribution, ExponentialWeights, NegativeBinomial, Skellam, Uniform
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import positive

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from twoworlds.sampling.laws import Law
    from twoworlds.sampling.steady import SteadyTable
    from twoworlds.sampling.tables import Table

__all__ = ["Supply", "draw", "draw_one"]

# Building a table costs about as much CPU as this many single draws (measured: 2 to 30 ms against 4 to 50 us each). Where a law
# is a list of weights both costs grow with the list, and a table is worth a few draws. A product of ratios takes up to 1 ms.
FEW, FEW_OF_A_LIST, FEW_OF_RATIOS = 512, 8, 32
_MOST_DRAWS = 1 << 31
_REMEMBERED = 32  # laws whose tables are kept; a table takes about a megabyte

# Each takes the law, its scale in steps and a stream.
_SINGLES: dict[type[Distribution], Callable[[Any, Fraction, Stream], int]] = {
    distributions.Bernoulli: lambda law, _, stream: coins.bernoulli(stream, law.p.numerator, law.p.denominator),
    distributions.BernoulliExp: lambda law, _, stream: coins.bernoulli_exp(stream, law.x.numerator, law.x.denominator),
    distributions.Categorical: lambda law, _, stream: singles.categorical(stream, law.weights),
    distributions.DiscreteGaussian: lambda _, steps, stream: singles.discrete_gaussian(stream, steps),
    distributions.Exponential: lambda _, steps, stream: singles.exponential(stream, steps),
    distributions.ExponentialWeights: lambda law, _, stream: singles.exponential_weights(stream, law.scores, law.scale),
    distributions.Gaussian: lambda _, steps, stream: singles.gaussian(stream, steps),
    distributions.Geometric: lambda law, _, stream: singles.geometric(stream, law.p),
    distributions.Gumbel: lambda _, steps, stream: gumbel(stream, steps),
    distributions.Laplace: lambda _, steps, stream: singles.laplace(stream, steps),
    distributions.NegativeBinomial: lambda law, _, stream: ratios.negative_binomial(stream, law.r, law.p),
    distributions.Skellam: lambda law, _, stream: ratios.skellam(stream, law.mean),
    distributions.Uniform: lambda law, _, stream: stream.below(law.n),
}


def draw_one(distribution: Distribution, grid: object = Fraction(1), entropy: Entropy | None = None) -> int:
    """One draw, as a count of grid steps."""
    steps = in_steps(distribution, positive(grid, "grid"))
    return int(_SINGLES[type(distribution)](distribution, steps, (entropy or SYSTEM).stream()))


def draw(
    distribution: Distribution,
    count: int,
    *,
    grid: object = Fraction(1),
    entropy: Entropy | None = None,
    constant_time: bool = False,
) -> NDArray[np.int64]:
    """`count` independent draws, as counts of grid steps.

    With `constant_time` the work does not depend on the values drawn; `sampling.steady` says precisely what remains.
    """
    steps = in_steps(distribution, positive(grid, "grid"))
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= _MOST_DRAWS:
        raise BadArgument("count", count, f"is not a whole number from 0 to {_MOST_DRAWS}", "Give the number of draws")
    source = entropy or SYSTEM
    if isinstance(distribution, Uniform):
        from twoworlds.sampling.uniform import uniform  # noqa: PLC0415  loads numpy

        return uniform(distribution.n, count, source.stream())
    kept = _kept(distribution, steps)
    if constant_time:
        return kept.steady.draw(count, source.stream())
    if not kept.deserves_table(count, source):
        import numpy as np  # noqa: PLC0415  single draws do without numpy

        return np.array(_draw_few(distribution, count, steps, source), dtype=np.int64)
    return kept.table.draw(count, source.stream())


def _few(distribution: Distribution) -> int:
    """How many draws are made one by one rather than from a table."""
    if isinstance(distribution, NegativeBinomial | Skellam):
        return FEW_OF_RATIOS
    return FEW_OF_A_LIST if isinstance(distribution, Categorical | ExponentialWeights) else FEW


def _draw_few(distribution: Distribution, count: int, steps: Fraction, entropy: Entropy) -> list[int]:
    single, stream = _SINGLES[type(distribution)], entropy.stream()
    return [int(single(distribution, steps, stream)) for _ in range(count)]


class _Kept:
    """What is kept of a law from one draw to the next, built when first asked for.

    Two threads may build the same table; one of them is kept. A lock would outlive the thread that holds it in a forked child.
    """

    def __init__(self, distribution: Distribution, steps: Fraction) -> None:
        self._distribution = distribution
        self._steps = steps
        self._asked = 0
        self._law: Law | None = None
        self._table: Table | None = None
        self._steady: SteadyTable | None = None

    def deserves_table(self, count: int, entropy: Entropy) -> bool:
        """Whether requests add up to the price of a table. Seeded draws must not depend on what was asked for before."""
        self._asked += count
        return (self._asked if entropy.secure else count) > _few(self._distribution)

    @property
    def law(self) -> Law:
        if self._law is None:
            from twoworlds.sampling.laws import law_of  # noqa: PLC0415  loads flint

            self._law = law_of(self._distribution, self._steps)
        return self._law

    @property
    def table(self) -> Table:
        if self._table is None:
            from twoworlds.sampling.strips import cut  # noqa: PLC0415  loads flint
            from twoworlds.sampling.tables import Table  # noqa: PLC0415  loads flint and numpy

            self._table = Table(cut(self.law))
        return self._table

    @property
    def steady(self) -> SteadyTable:
        if self._steady is None:
            from twoworlds.sampling.steady import steady_table  # noqa: PLC0415  loads flint and numpy

            self._steady = steady_table(self.law)
        return self._steady


@lru_cache(maxsize=_REMEMBERED)
def _kept(distribution: Distribution, steps: Fraction) -> _Kept:
    return _Kept(distribution, steps)


_FIRST_BLOCK, _GROWTH, _LARGEST_BLOCK = 1, 4, 1 << 14
_supplies: WeakSet[Supply] = WeakSet()


class Supply:
    """Draws of one law, one after the other, fetched ahead in blocks that grow as more is asked for.

    Threads may share one. In the child of a fork every supply is empty, so that parent and child never serve the same draw. (A
    fork made behind Python's back, which Python itself does not support, is seen by the streams but not by a supply.)
    """

    __slots__ = ("__weakref__", "_ahead", "_block", "_distribution", "_entropy", "_grid")

    def __init__(self, distribution: Distribution, grid: object = Fraction(1), entropy: Entropy | None = None) -> None:
        self._distribution, self._grid = distribution, positive(grid, "grid")
        self._entropy = entropy or SYSTEM
        in_steps(distribution, self._grid)  # refuses now what the first draw would refuse
        self._ahead: list[int] = []
        self._block = _FIRST_BLOCK
        _supplies.add(self)

    def next(self) -> int:
        """The next draw."""
        try:
            return self._ahead.pop()
        except IndexError:
            return self._fetch()

    def _fetch(self) -> int:
        block, self._block = self._block, min(self._block * _GROWTH, _LARGEST_BLOCK)
        if block <= _few(self._distribution):
            steps = in_steps(self._distribution, self._grid)
            fetched = _draw_few(self._distribution, block, steps, self._entropy)
        else:
            fetched = draw(self._distribution, block, grid=self._grid, entropy=self._entropy).tolist()
        first = fetched.pop()
        self._ahead.extend(fetched)
        return first


def _empty_supplies() -> None:
    for supply in _supplies:
        supply._ahead.clear()


after_fork(_empty_supplies)
