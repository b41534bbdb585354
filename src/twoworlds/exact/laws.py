"""The laws of `worlds.distributions` as numbers: masses and both tails over the integers, exact or as balls.

A draw is `step * k` with k an integer: laws on the grid have the grid as their step, counts and indices have step 1. Every tail
comes from a formula that keeps its relative precision, so that nothing is subtracted from 1 where it would vanish.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property, lru_cache

from flint import arb, fmpq

from twoworlds.exact.tails import Rate
from twoworlds.exact.weights import Weight, ball, rational, total
from twoworlds.worlds import distributions
from twoworlds.worlds.distributions import Distribution
from twoworlds.worlds.errors import BadArgument

__all__ = ["Law", "law_of"]

_LONGEST = 1 << 20  # entries of a table of masses
_FAR = 1 << 16  # what is read further away than this is not remembered: what lies between would have to be


class Law(ABC):
    """A law over the integers from `first` to `last`, either of which may be None: no end."""

    first: int | None = None
    last: int | None = None
    truth = False
    decay: tuple[Rate | None, Rate | None] = (None, None)
    """The rates of both tails, where they are exactly geometric. A law that has them never falls faster than its tail."""
    regular: tuple[int, int] = (0, 0)
    """The tails are geometric from these two points outward."""

    def __init__(self, step: Fraction = Fraction(1)) -> None:
        self.step = step
        self._masses = _Run(self.mass)
        self._aboves = _Run(self.above)
        self._belows = _Run(self.below)

    @abstractmethod
    def mass(self, k: int) -> Weight:
        """P[K = k]."""

    @abstractmethod
    def above(self, k: int) -> Weight:
        """P[K >= k]."""

    @abstractmethod
    def below(self, k: int) -> Weight:
        """P[K <= k]."""

    def masses(self, first: int, last: int) -> list[Weight]:
        """The masses of first..last, remembered."""
        return self._masses.read(first, last)

    def aboves(self, first: int, last: int) -> list[Weight]:
        """The upper tails at first..last, remembered."""
        return self._aboves.read(first, last)

    def belows(self, first: int, last: int) -> list[Weight]:
        """The lower tails at first..last, remembered."""
        return self._belows.read(first, last)

    @lru_cache(maxsize=64)  # noqa: B019  laws are themselves kept for the length of one tabulation
    def window(self, cut: Fraction) -> tuple[int, int]:
        """An interval of integers outside which each tail has at most half of this mass."""
        half = rational(cut / 2)
        low = self.first if self.first is not None else -_reach(lambda k: self.below(-k), half)
        high = self.last if self.last is not None else _reach(self.above, half)
        if high - low > _LONGEST:
            raise BadArgument(
                "cut", float(cut), f"leaves {high - low:,} values of one draw", "Use a larger cut or a coarser grid"
            )
        return low, high


class _Run:
    """A contiguous stretch of values of a function of the integers, extended when somebody reads a little beyond it."""

    def __init__(self, function) -> None:  # type: ignore[no-untyped-def]  # a bound method of a law
        self.function = function
        self.start = 0
        self.values: list[Weight] = []

    def read(self, first: int, last: int) -> list[Weight]:
        if last < first:
            return []
        if not self.values:
            self.start = first
        end = self.start + len(self.values)
        if first < self.start - _FAR or last > end + _FAR:
            return [self.function(k) for k in range(first, last + 1)]
        if first < self.start:
            self.values = [self.function(k) for k in range(first, self.start)] + self.values
            self.start = first
        if last >= end:
            self.values += [self.function(k) for k in range(end, last + 1)]
        return self.values[first - self.start : last + 1 - self.start]


def _reach(tail, half: fmpq) -> int:  # type: ignore[no-untyped-def]  # a tail function
    """The least k, up to a few bits, with tail(k + 1) at most half."""
    high = 1
    while not tail(high + 1) <= half:
        high *= 2
        if high > 1 << 60:
            raise BadArgument("law", "its tail", "does not reach the cut", "Use a larger cut")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if tail(middle + 1) <= half else (middle, high)
    return high


class TwoSided(Law):
    """Discrete Laplace: P[k] = (1 - r) / (1 + r) r^|k| with r = exp(-rate)."""

    def __init__(self, rate: Fraction, step: Fraction) -> None:
        super().__init__(step)
        self.rate = ball(rate)
        self.decay = (Rate(rate), Rate(rate))
        self.norm = 1 / (1 + (-self.rate).exp())
        self.peak = -(-self.rate).expm1() * self.norm

    def power(self, k: int) -> arb:
        return (-self.rate * k).exp()

    def mass(self, k: int) -> Weight:
        return self.peak * self.power(abs(k))

    def above(self, k: int) -> Weight:
        return self.power(k) * self.norm if k > 0 else 1 - self.power(1 - k) * self.norm

    def below(self, k: int) -> Weight:
        return self.above(-k)


class OneSided(Law):
    """P[k] = (1 - r) r^k for k >= 0, with r = exp(-rate)."""

    first = 0

    def __init__(self, rate: Fraction, step: Fraction) -> None:
        super().__init__(step)
        self.rate = ball(rate)
        self.decay = (None, Rate(rate))
        self.peak = -(-self.rate).expm1()

    def mass(self, k: int) -> Weight:
        return self.peak * (-self.rate * k).exp() if k >= 0 else fmpq(0)

    def above(self, k: int) -> Weight:
        return (-self.rate * k).exp() if k > 0 else fmpq(1)

    def below(self, k: int) -> Weight:
        return -(-self.rate * (k + 1)).expm1() if k >= 0 else fmpq(0)


class Failures(Law):
    """Failures before the first success: P[k] = p (1 - p)^k, rational."""

    first = 0

    def __init__(self, p: Fraction) -> None:
        super().__init__()
        self.p, self.q = rational(p), rational(1 - p)
        self.last = 0 if p == 1 else None
        self.decay = (None, Rate(Fraction(0), 1 - p) if p < 1 else None)

    def mass(self, k: int) -> Weight:
        return self.p * self.q**k if k >= 0 else fmpq(0)

    def above(self, k: int) -> Weight:
        return self.q**k if k > 0 else fmpq(1)

    def below(self, k: int) -> Weight:
        return 1 - self.q ** (k + 1) if k >= 0 else fmpq(0)


class Listed(Law):
    """A finite law by its masses."""

    def __init__(self, masses: list[Weight], *, truth: bool = False) -> None:
        super().__init__()
        self.first, self.last, self.truth = 0, len(masses) - 1, truth
        self.list = masses
        self.prefix: list[Weight] = [fmpq(0)]
        for weight in masses:
            self.prefix.append(self.prefix[-1] + weight)
        self.suffix: list[Weight] = [fmpq(0)]
        for weight in reversed(masses):
            self.suffix.append(self.suffix[-1] + weight)

    def mass(self, k: int) -> Weight:
        return self.list[k] if 0 <= k < len(self.list) else fmpq(0)

    def above(self, k: int) -> Weight:
        return fmpq(1) if k <= 0 else self.suffix[max(len(self.list) - k, 0)]

    def below(self, k: int) -> Weight:
        return fmpq(1) if k >= len(self.list) - 1 else self.prefix[max(k + 1, 0)]


class RoundedGaussian(Law):
    """The Gaussian rounded to the nearest integer: P[K >= k] is the normal tail at k - 1/2."""

    def __init__(self, sigma: Fraction, step: Fraction) -> None:
        super().__init__(step)
        self.scale = 1 / (ball(sigma) * arb(2).sqrt())

    def tail(self, k: int) -> arb:
        return (self.scale * (arb(k) - arb(0.5))).erfc() / 2

    def mass(self, k: int) -> Weight:
        k = abs(k)
        return self.tail(k) - self.tail(k + 1) if k else (self.scale / 2).erf()

    def above(self, k: int) -> Weight:
        return self.tail(k)

    def below(self, k: int) -> Weight:
        return self.tail(-k)


class Gumbels(Law):
    """The Gumbel variable rounded up: P[K <= k] = exp(-exp(-rate k))."""

    def __init__(self, rate: Fraction, step: Fraction) -> None:
        super().__init__(step)
        self.rate = ball(rate)

    def power(self, k: int) -> arb:
        return (-self.rate * k).exp()

    def mass(self, k: int) -> Weight:
        late, early = self.power(k), self.power(k - 1)
        return (-late).exp() * -(late - early).expm1()

    def above(self, k: int) -> Weight:
        return -(-self.power(k - 1)).expm1()

    def below(self, k: int) -> Weight:
        return (-self.power(k)).exp()


class Summed(Law):
    """A law known by its masses alone: tails are sums up to `far` and a bound on what lies beyond.

    Beyond `far` the masses fall by a factor of at most `ratio`, itself falling, so what is left from k on is at most
    mass(k) / (1 - ratio(k)).
    """

    far: int

    @abstractmethod
    def ratio(self, k: int) -> arb:
        """A bound on mass(j + 1) / mass(j) for every j >= k, where k >= far; below 1."""

    def above(self, k: int) -> Weight:
        if k > self.far:
            return self._beyond(k)
        if self.first is not None:
            return fmpq(1) if k <= self.first else self._sums[k - self.first]
        return self._sums[k - 1] if k > 0 else 1 - self.above(1 - k)

    def below(self, k: int) -> Weight:
        if self.first is None:
            return self.above(-k)  # the laws without ends are symmetric
        return total(self.masses(self.first, k)) if k <= self.first + 64 else 1 - self.above(k + 1)

    def _beyond(self, k: int) -> arb:
        mass = ball(self.mass(k))
        return mass.union(mass / (1 - self.ratio(k)))

    @cached_property
    def _sums(self) -> list[Weight]:
        """The upper tails from the first integer (from 1 on, where there is none) to far."""
        sums: list[Weight] = [self._beyond(self.far + 1)]
        for k in range(self.far, -1 if self.first is not None else 0, -1):
            sums.append(sums[-1] + self.mass(k))
        return sums[:0:-1]


class GaussianOnIntegers(Summed):
    """P[k] proportional to exp(-k^2 / (2 sigma^2)), sigma in steps."""

    def __init__(self, sigma: Fraction, step: Fraction) -> None:
        super().__init__(step)
        self.half = 1 / (2 * ball(sigma) ** 2)
        self.far = math.ceil(24 * sigma) + 2
        top = self._weight(self.far + 1)
        beyond = top.union(top / (1 - self.ratio(self.far + 1)))
        self.norm = 1 / (1 + 2 * (total([self._weight(k) for k in range(1, self.far + 1)]) + beyond))

    def _weight(self, k: int) -> arb:
        return (-self.half * (k * k)).exp()

    def ratio(self, k: int) -> arb:
        return (-self.half * (2 * k + 1)).exp()

    def mass(self, k: int) -> Weight:
        return self._weight(k) * self.norm


class NegativeBinomials(Summed):
    """P[k] = Gamma(k + r) / (k! Gamma(r)) p^r (1 - p)^k, each from the one before."""

    first = 0

    def __init__(self, r: Fraction, p: Fraction) -> None:
        super().__init__()
        self.r, self.q = rational(r), rational(1 - p)
        self.last = 0 if p == 1 else None
        self.found: list[Weight] = [rational(p) ** int(r) if r.denominator == 1 else ball(p) ** ball(r)]
        self.far = 0
        if p < 1:
            middle = (2 - p) / 2  # the ratio (k + r) / (k + 1) * (1 - p) is below this from `turn` on
            turn = max(Fraction(0), ((1 - p) * r - middle) / (middle - (1 - p)))
            self.far = math.ceil(turn) + math.ceil(256 / -math.log2(middle)) + 2

    def ratio(self, k: int) -> arb:
        return ball(self.q) * arb.max(ball((self.r + k) / (k + 1)), arb(1))

    def mass(self, k: int) -> Weight:
        if k < 0:
            return fmpq(0)
        while len(self.found) <= k:
            n = len(self.found)
            self.found.append(self.found[-1] * ((self.r + (n - 1)) / n * self.q))
        return self.found[k]


class Skellams(Summed):
    """The difference of two Poisson variables: P[k] = exp(-2 mean) I_k(2 mean)."""

    def __init__(self, mean: Fraction) -> None:
        super().__init__()
        self.double = ball(2 * mean)
        self.shrink = (-self.double).exp()
        self.far = math.ceil(4 * mean) + math.ceil(20 * math.sqrt(mean)) + 80

    def ratio(self, k: int) -> arb:
        return self.double / (2 * k + 2)  # I_(k+1)(x) / I_k(x) < x / (2 k + 2), term by term of the series

    def mass(self, k: int) -> Weight:
        return self.shrink * self.double.bessel_i(abs(k))


def law_of(distribution: Distribution, grid: Fraction) -> Law:
    """The law over the integers of this distribution on the grid; kept, because its tables are expensive."""
    from flint import ctx  # noqa: PLC0415  tables are kept per precision

    return _law(distribution, grid, ctx.prec)


@lru_cache(maxsize=256)
def _law(noise: Distribution, grid: Fraction, _: int) -> Law:
    match noise:
        case distributions.Laplace():
            return TwoSided(grid / noise.scale, grid)
        case distributions.Exponential():
            return OneSided(grid / noise.scale, grid)
        case distributions.Gumbel():
            return Gumbels(grid / noise.scale, grid)
        case distributions.Gaussian():
            return RoundedGaussian(noise.sigma / grid, grid)
        case distributions.DiscreteGaussian():
            return GaussianOnIntegers(noise.sigma / grid, grid)
        case distributions.Bernoulli():
            return Listed([rational(1 - noise.p), rational(noise.p)], truth=True)
        case distributions.BernoulliExp():
            return Listed([-(-ball(noise.x)).expm1(), (-ball(noise.x)).exp()], truth=True)
        case distributions.Geometric():
            return Failures(noise.p)
        case distributions.Uniform():
            return Listed([fmpq(1, noise.n)] * noise.n)
        case distributions.Categorical():
            whole = sum(noise.weights)
            return Listed([rational(weight / whole) for weight in noise.weights])
        case distributions.ExponentialWeights():
            top = max(noise.scores)
            weights = [(ball((score - top) / noise.scale)).exp() for score in noise.scores]
            whole = total(weights)
            return Listed([weight / whole for weight in weights])
        case distributions.NegativeBinomial():
            return NegativeBinomials(noise.r, noise.p)
        case distributions.Skellam():
            return Skellams(noise.mean)
    raise BadArgument("distribution", noise, "has no exact law here", "Use a distribution of twoworlds.worlds.distributions")
