"""From an epsilon that people ask for to what the binding filter charges, and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from twoworlds.losses.prices import Approximate, Concentrated, Dialect, GaussianPrivacy
from twoworlds.worlds.errors import BadArgument

__all__ = ["concentrated_for", "epsilon_of", "gaussian_for", "pure_for"]

_CLOSE = 10**6


@lru_cache(maxsize=256)
def concentrated_for(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest rho, to a millionth, that still means (epsilon, delta) for everything that it can be charged for."""
    return _largest(epsilon, delta, Concentrated, _about(epsilon, delta))


@lru_cache(maxsize=256)
def gaussian_for(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest mu, to a millionth, of Gaussian noise that means (epsilon, delta): somewhat more than its rho shows."""
    return _largest(epsilon, delta, GaussianPrivacy, math.sqrt(2 * _about(epsilon, delta)))


@lru_cache(maxsize=256)
def epsilon_of(price: Dialect, delta: Fraction) -> Fraction:
    """The epsilon that a price means at this delta."""
    from twoworlds.losses.conversions import convert  # noqa: PLC0415  the numeric core loads only when a number is asked for

    found: Fraction = convert(price, Approximate, delta=delta).price.at()["epsilon"]
    return found


def pure_for(rho: Fraction) -> Fraction:
    """An epsilon whose pure guarantee is charged rho or less: epsilon tanh(epsilon / 2) is below epsilon^2 / 2, and epsilon."""
    return max(rho, Fraction(math.floor(math.sqrt(2 * rho) * 10**12), 10**12))


def _about(epsilon: Fraction, delta: Fraction) -> float:
    """The rho of the textbook's conversion, epsilon = rho + 2 sqrt(rho log(1/delta)): where to begin."""
    if not 0 < delta < 1:
        fix = "Declare a delta in the policy, far below one over the number of people"
        raise BadArgument("delta", delta, "is not between 0 and 1", fix)
    depth = -math.log(delta)
    return (float(epsilon) / (math.sqrt(depth + float(epsilon)) + math.sqrt(depth))) ** 2


def _largest(epsilon: Fraction, delta: Fraction, price: Callable[[Fraction], Dialect], about: float) -> Fraction:
    """Where the conversion just does not exceed epsilon: secants of its logarithm, kept between an end below and one above."""
    below, above = 0.0, math.inf
    at, slope, last = about, 0.6, None
    for _ in range(200):
        over = math.log(max(epsilon_of(price(Fraction(at)), delta) / epsilon, Fraction(1, 16)))
        if over > 0:
            above = min(above, at)
        else:
            below = max(below, at)
        if -1 / _CLOSE <= over <= 0 or above - below <= below / _CLOSE:
            break
        if last is not None and last[0] != at:
            slope = min(max((over - last[1]) / math.log(at / last[0]), 0.2), 5.0)
        last = at, over
        at *= math.exp(-(over + 0.4 / _CLOSE) / slope)
        if not below < at < above:
            at = (below + above) / 2 if math.isfinite(above) else 2 * below
    return Fraction(below)
