"""Every distribution as a weight on the integers, known in ball arithmetic up to a constant factor.

That is all a sampler here needs: no normalising constant, no distribution function, no inverse.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from twoworlds.sampling.balls import ball, ratio
from twoworlds.worlds import distributions
from twoworlds.worlds.distributions import Distribution

__all__ = ["Decline", "Finite", "Law", "Unimodal", "law_of"]

Weight = Callable[[int], arb]


@dataclass(frozen=True, slots=True)
class Decline:
    """A weight in closed form: `value` times exp(-linear |x| - square x^2).

    Where `rounded`, times the mean of that function over [x - 1/2, x + 1/2], divided by its value at x.
    """

    value: Callable[[], arb]
    linear: Callable[[], arb]
    square: Callable[[], arb]
    rounded: bool = False


@dataclass(frozen=True, slots=True)
class Unimodal:
    """Weights that rise up to `peaks` and fall from there.

    The weight is `shape` from `least` on and zero below; a largest weight is found at one of `peaks`. Weights are log-concave,
    unless `decay` is given: then they are log-convex from `least` on, and weight(x + w) <= decay(w) weight(x). `spread` is a
    rough width that steers speed alone.
    """

    shape: Weight
    spread: float
    peaks: tuple[int, ...] = (0,)
    least: int | None = None
    decay: Weight | None = None
    decline: Decline | None = None

    def weight(self, x: int) -> arb:
        """Proportional to the probability of x."""
        return arb(0) if self.least is not None and x < self.least else self.shape(x)


@dataclass(frozen=True, slots=True)
class Finite:
    """Weights of the outcomes 0, 1, ..., size - 1."""

    weight: Weight
    size: int


Law = Unimodal | Finite


def law_of(distribution: Distribution, steps: Fraction) -> Law:
    """The law of the count, for a distribution whose scale is so many steps (see `ranges.in_steps`)."""
    return _LAWS[type(distribution)](distribution, steps)


def _laplace(_: distributions.Laplace, scale: Fraction) -> Unimodal:
    return _geometric_tail(scale, None)


def _exponential(_: distributions.Exponential, scale: Fraction) -> Unimodal:
    return _geometric_tail(scale, 0)


def _geometric_tail(scale: Fraction, least: int | None) -> Unimodal:
    """exp(-|x| / scale)."""
    top, bottom = scale.numerator, scale.denominator
    decline = Decline(lambda: arb(1), lambda: ratio(bottom, top), lambda: arb(0))
    return Unimodal(lambda x: ratio(-bottom * abs(x), top).exp(), float(scale), least=least, decline=decline)


def _geometric(law: distributions.Geometric, wait: Fraction) -> Unimodal:
    """(1 - p)^x."""
    top, bottom = law.p.denominator - law.p.numerator, law.p.denominator
    decline = Decline(lambda: arb(1), lambda: -ratio(top, bottom).log(), lambda: arb(0)) if top else None
    return Unimodal(lambda x: ratio(top, bottom) ** x, float(wait), least=0, decline=decline)


def _discrete_gaussian(_: distributions.DiscreteGaussian, sigma: Fraction) -> Unimodal:
    """exp(-x^2 / (2 sigma^2))."""
    top, bottom = 2 * sigma.numerator**2, sigma.denominator**2
    decline = Decline(lambda: arb(1), lambda: arb(0), lambda: ratio(bottom, top))
    return Unimodal(lambda x: ratio(-bottom * x * x, top).exp(), float(sigma), decline=decline)


def _gaussian(_: distributions.Gaussian, sigma: Fraction) -> Unimodal:
    """Twice the Gaussian's mass within half a step of x; where it is smooth, twice its density times the mean over the cell."""
    top, bottom = 2 * sigma.numerator**2, sigma.denominator**2

    def cell(x: int) -> arb:
        half = ratio(bottom, 4 * top).sqrt()  # half a step, divided by sigma sqrt(2)
        if x == 0:
            return 2 * half.erf()
        return (half * (2 * abs(x) - 1)).erfc() - (half * (2 * abs(x) + 1)).erfc()

    def peak() -> arb:
        return 2 * (ratio(bottom, top) / arb.pi()).sqrt()

    decline = Decline(peak, lambda: arb(0), lambda: ratio(bottom, top), rounded=True)
    return Unimodal(cell, float(sigma), decline=decline)


def _gumbel(_: distributions.Gumbel, scale: Fraction) -> Unimodal:
    """exp(-exp(-x / scale)) - exp(-exp(-(x - 1) / scale)), without cancellation.

    Log-concave, as the density is; it peaks at 0, the border between the cells of 0 and of 1.
    """
    top, bottom = scale.numerator, scale.denominator

    def cell(x: int) -> arb:
        upper = ratio(-x * bottom, top).exp()
        return -((-upper).exp() * (-upper * ratio(bottom, top).expm1()).expm1())

    return Unimodal(cell, float(scale), peaks=(0, 1))


def _negative_binomial(law: distributions.NegativeBinomial, wait: Fraction) -> Unimodal:
    """Gamma(x + r) / (x! Gamma(r)) (1 - p)^x.

    The ratio (1 - p) (x + r) / (x + 1) of neighbours falls in x for r >= 1 (log-concave), and rises to 1 - p for r < 1.
    """
    r, q = Fraction(law.r), 1 - Fraction(law.p)

    def shape(x: int) -> arb:
        if x == 0 or q == 0:
            return arb(int(x == 0))
        return (ball(x + r).lgamma() - arb(x + 1).lgamma() - ball(r).lgamma() + x * ball(q).log()).exp()

    if r < 1:
        return Unimodal(shape, float(wait), least=0, decay=lambda width: ball(q) ** width)
    return Unimodal(shape, float(r * q) ** 0.5 * float(wait), peaks=(int((r - 1) * q * wait),), least=0)


def _skellam(_: distributions.Skellam, variance: Fraction) -> Unimodal:
    """exp(-2 mean) I_|x|(2 mean); log-concave as the difference of two log-concave variables."""
    return Unimodal(lambda x: ball(variance).bessel_i(abs(x), scaled=True), float(variance) ** 0.5)


def _bernoulli(law: distributions.Bernoulli, _: Fraction) -> Finite:
    return Finite(lambda x: ball(law.p if x else 1 - law.p), 2)


def _bernoulli_exp(law: distributions.BernoulliExp, _: Fraction) -> Finite:
    return Finite(lambda x: ball(-law.x).exp() if x else -ball(-law.x).expm1(), 2)


def _categorical(law: distributions.Categorical, _: Fraction) -> Finite:
    return Finite(lambda x: ball(law.weights[x]), len(law.weights))


def _exponential_weights(law: distributions.ExponentialWeights, _: Fraction) -> Finite:
    best, scale = Fraction(max(law.scores)), Fraction(law.scale)
    return Finite(lambda x: ball((law.scores[x] - best) / scale).exp(), len(law.scores))


_LAWS: dict[type[Distribution], Callable[[Any, Fraction], Law]] = {
    distributions.Bernoulli: _bernoulli,
    distributions.BernoulliExp: _bernoulli_exp,
    distributions.Categorical: _categorical,
    distributions.DiscreteGaussian: _discrete_gaussian,
    distributions.Exponential: _exponential,
    distributions.ExponentialWeights: _exponential_weights,
    distributions.Gaussian: _gaussian,
    distributions.Geometric: _geometric,
    distributions.Gumbel: _gumbel,
    distributions.Laplace: _laplace,
    distributions.NegativeBinomial: _negative_binomial,
    distributions.Skellam: _skellam,
}
