"""Noise as data: exact parameters and a name, nothing that can be drawn from.

Each reader gives these the same law. On the grid gZ, `Laplace(b)` has P[x] proportional to exp(-|x|/b) and `Gaussian(sigma)` is
the Gaussian rounded to the nearest multiple of g; `Exponential` is the continuous variable rounded down to the grid,
`Gumbel` the one rounded up. Laplace, Exponential and Gumbel take their scale, Gaussian its standard deviation, always.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, fields
from fractions import Fraction

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import exact, positive, probability

__all__ = [
    "Bernoulli",
    "BernoulliExp",
    "Categorical",
    "DiscreteGaussian",
    "Distribution",
    "Exponential",
    "ExponentialWeights",
    "Gaussian",
    "Geometric",
    "Gumbel",
    "Laplace",
    "NegativeBinomial",
    "Skellam",
    "Uniform",
]


class Distribution:
    """A law by its name and exact parameters; equal parameters are equal laws."""

    __slots__ = ()

    def __str__(self) -> str:
        values = [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]  # every law is a dataclass
        shown = [f"[{', '.join(map(str, value))}]" if isinstance(value, tuple) else str(value) for value in values]
        return f"{type(self).__name__}({', '.join(shown)})"


class _OnePositive(Distribution):
    """A law with a single positive parameter. Construction is on the path of every draw, so it checks and stores, no more."""

    __slots__ = ()

    def _store(self, name: str, value: object) -> None:
        number = value if isinstance(value, Fraction) else exact(value, name)
        if number.numerator <= 0:
            raise BadArgument(name, value, "is not above 0", f"Give {type(self).__name__} a positive {name}")
        object.__setattr__(self, name, number)


@dataclass(frozen=True, slots=True, init=False)
class Laplace(_OnePositive):
    """P[x] proportional to exp(-|x| / scale) on the grid (the discrete Laplace)."""

    scale: Fraction

    def __init__(self, scale: object) -> None:
        self._store("scale", scale)


@dataclass(frozen=True, slots=True, init=False)
class Exponential(_OnePositive):
    """One-sided noise: P[x] proportional to exp(-x / scale) on the grid points x >= 0."""

    scale: Fraction

    def __init__(self, scale: object) -> None:
        self._store("scale", scale)


@dataclass(frozen=True, slots=True, init=False)
class Gumbel(_OnePositive):
    """The Gumbel variable of this scale, rounded up to the grid: P[X <= x] = exp(-exp(-x / scale)) at grid points."""

    scale: Fraction

    def __init__(self, scale: object) -> None:
        self._store("scale", scale)


@dataclass(frozen=True, slots=True, init=False)
class Gaussian(_OnePositive):
    """The Gaussian of standard deviation sigma, rounded to the nearest grid point: post-processing of the ideal Gaussian."""

    sigma: Fraction

    def __init__(self, sigma: object) -> None:
        self._store("sigma", sigma)


@dataclass(frozen=True, slots=True, init=False)
class DiscreteGaussian(_OnePositive):
    """P[x] proportional to exp(-x^2 / (2 sigma^2)) on the grid (Canonne, Kamath and Steinke 2020)."""

    sigma: Fraction

    def __init__(self, sigma: object) -> None:
        self._store("sigma", sigma)


@dataclass(frozen=True, slots=True, init=False)
class Bernoulli(Distribution):
    """True with probability p."""

    p: Fraction

    def __init__(self, p: object) -> None:
        object.__setattr__(self, "p", probability(p, "p"))


@dataclass(frozen=True, slots=True, init=False)
class BernoulliExp(Distribution):
    """True with probability exp(-x), for x >= 0: an irrational coin with an exact name."""

    x: Fraction

    def __init__(self, x: object) -> None:
        number = exact(x, "x")
        if number < 0:
            raise BadArgument("x", x, "is below 0", "exp(-x) is a probability for x >= 0 only")
        object.__setattr__(self, "x", number)


@dataclass(frozen=True, slots=True, init=False)
class Geometric(Distribution):
    """Failures before the first success: P[x] = p (1 - p)^x for x = 0, 1, ...; counts, not multiples of the grid."""

    p: Fraction

    def __init__(self, p: object) -> None:
        number = probability(p, "p")
        if number == 0:
            raise BadArgument("p", p, "is 0", "A geometric variable needs a success probability above 0")
        object.__setattr__(self, "p", number)


@dataclass(frozen=True, slots=True, init=False)
class Uniform(Distribution):
    """One of 0, 1, ..., n - 1, all alike."""

    n: int

    def __init__(self, n: object) -> None:
        number = exact(n, "n")
        if number.denominator != 1 or number < 1:
            raise BadArgument("n", n, "is not a whole number of 1 or more", "Give the number of equally likely outcomes")
        object.__setattr__(self, "n", int(number))


@dataclass(frozen=True, slots=True, init=False)
class Categorical(Distribution):
    """Index i with probability weights[i] / sum(weights), weights rational."""

    weights: tuple[Fraction, ...]

    def __init__(self, weights: object) -> None:
        exacts = _numbers(weights, "weights")
        if min(exacts) < 0 or sum(exacts) == 0:
            raise BadArgument("weights", weights, "are negative or all zero", "Give weights of 0 or more, one of them positive")
        object.__setattr__(self, "weights", exacts)


@dataclass(frozen=True, slots=True, init=False)
class ExponentialWeights(Distribution):
    """Index i with probability proportional to exp(scores[i] / scale): the exponential mechanism's law."""

    scores: tuple[Fraction, ...]
    scale: Fraction

    def __init__(self, scores: object, scale: object = 1) -> None:
        object.__setattr__(self, "scores", _numbers(scores, "scores"))
        object.__setattr__(self, "scale", positive(scale, "scale"))


@dataclass(frozen=True, slots=True, init=False)
class NegativeBinomial(Distribution):
    """Failures before the r-th success, r real and positive: P[x] = Gamma(x+r)/(x! Gamma(r)) p^r (1-p)^x. Counts.

    Its differences split a discrete Laplace among many parties (Goryczka and Xiong 2017).
    """

    r: Fraction
    p: Fraction

    def __init__(self, r: object, p: object) -> None:
        number = probability(p, "p")
        if number == 0:
            raise BadArgument("p", p, "is 0", "A negative binomial needs a success probability above 0")
        object.__setattr__(self, "r", positive(r, "r"))
        object.__setattr__(self, "p", number)


@dataclass(frozen=True, slots=True, init=False)
class Skellam(_OnePositive):
    """The difference of two independent Poisson variables of this mean; variance 2 * mean. Counts."""

    mean: Fraction

    def __init__(self, mean: object) -> None:
        self._store("mean", mean)


def _numbers(values: object, argument: str) -> tuple[Fraction, ...]:
    if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        raise BadArgument(argument, values, "is not a list of numbers", "Give one number per outcome")
    numbers = tuple(exact(value, argument) for value in values)
    if not numbers:
        raise BadArgument(argument, values, "is empty", "Give at least one outcome")
    return numbers
