"""The scales that can be drawn: from a millionth of a grid step to 2^50 steps. So draws fit a machine word with room to spare."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from twoworlds.worlds import distributions
from twoworlds.worlds.distributions import Distribution
from twoworlds.worlds.errors import BadArgument

__all__ = ["in_steps"]

_LEAST = 10**6  # the reciprocal of the least scale
_MOST_BITS = 50


def in_steps(distribution: Distribution, grid: Fraction) -> Fraction:
    """The law's scale in steps of the grid, checked; for a law of counts, what stands for its scale there."""
    try:
        measure = _MEASURES[type(distribution)]
    except KeyError:
        raise BadArgument("distribution", distribution, "is not a distribution", "Give one such as Laplace(10)") from None
    return measure(distribution, grid)


def _on_grid(name: str) -> Callable[[Any, Fraction], Fraction]:
    def measure(law: Any, grid: Fraction) -> Fraction:
        scale = getattr(law, name)
        steps = Fraction(scale.numerator * grid.denominator, scale.denominator * grid.numerator)
        if steps.numerator * _LEAST < steps.denominator:
            raise BadArgument(name, str(scale), f"is less than a millionth of the grid's step {grid}", "Give a finer grid")
        if steps.numerator > steps.denominator << _MOST_BITS:
            raise BadArgument(name, str(scale), f"is more than 2^{_MOST_BITS} steps of the grid {grid}", "Give a coarser grid")
        return steps

    return measure


def _wait(law: distributions.Geometric, _: Fraction) -> Fraction:
    """1 / p."""
    if law.p.numerator << _MOST_BITS < law.p.denominator:
        raise BadArgument("p", str(law.p), f"is below 2^-{_MOST_BITS}", "Give a larger success probability")
    return Fraction(law.p.denominator, law.p.numerator)


def _waits(law: distributions.NegativeBinomial, _: Fraction) -> Fraction:
    """1 / p, where the mean of about r / p is in range too."""
    wait = Fraction(law.p.denominator, law.p.numerator)
    if wait > 1 << _MOST_BITS or law.r * wait > 1 << _MOST_BITS:
        raise BadArgument("(r, p)", f"({law.r}, {law.p})", f"makes 1 / p or r / p more than 2^{_MOST_BITS}", "Give a larger p")
    return wait


def _variance(law: distributions.Skellam, _: Fraction) -> Fraction:
    """2 * mean, the square of the standard deviation."""
    variance = 2 * Fraction(law.mean)
    if not Fraction(1, _LEAST**2) <= variance <= 1 << 2 * _MOST_BITS:
        why = f"makes the standard deviation less than a millionth or more than 2^{_MOST_BITS}"
        raise BadArgument("mean", str(law.mean), why, f"Give a mean from 5e-13 to 2^{2 * _MOST_BITS - 1}")
    return variance


def _no_scale(_: Distribution, __: Fraction) -> Fraction:
    return Fraction(1)


_MEASURES: dict[type[Distribution], Callable[[Any, Fraction], Fraction]] = {
    distributions.Bernoulli: _no_scale,
    distributions.BernoulliExp: _no_scale,
    distributions.Categorical: _no_scale,
    distributions.DiscreteGaussian: _on_grid("sigma"),
    distributions.Exponential: _on_grid("scale"),
    distributions.ExponentialWeights: _no_scale,
    distributions.Gaussian: _on_grid("sigma"),
    distributions.Geometric: _wait,
    distributions.Gumbel: _on_grid("scale"),
    distributions.Laplace: _on_grid("scale"),
    distributions.NegativeBinomial: _waits,
    distributions.Skellam: _variance,
    distributions.Uniform: _no_scale,
}
