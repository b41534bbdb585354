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
    return _largest(epsilon, delta, Concentrated, epsilon)  # an epsilon below rho is out of reach


@lru_cache(maxsize=256)
def gaussian_for(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest mu, to a millionth, of Gaussian noise that means (epsilon, delta): somewhat more than its rho shows."""
    return _largest(epsilon, delta, GaussianPrivacy, Fraction(math.ceil(2 * math.sqrt(epsilon) + 1)))


@lru_cache(maxsize=256)
def epsilon_of(price: Dialect, delta: Fraction) -> Fraction:
    """The epsilon that a price means at this delta."""
    from twoworlds.losses.conversions import convert  # noqa: PLC0415  the numeric core loads only when a number is asked for

    found: Fraction = convert(price, Approximate, delta=delta).price.at()["epsilon"]
    return found


def pure_for(rho: Fraction) -> Fraction:
    """An epsilon whose pure guarantee is charged rho or less: epsilon tanh(epsilon / 2) is below epsilon^2 / 2, and epsilon."""
    return max(rho, Fraction(math.floor(math.sqrt(2 * rho) * 10**12), 10**12))


def _largest(epsilon: Fraction, delta: Fraction, price: Callable[[Fraction], Dialect], high: Fraction) -> Fraction:
    if not 0 < delta < 1:
        fix = "Declare a delta in the policy, far below one over the number of people"
        raise BadArgument("delta", delta, "is not between 0 and 1", fix)
    low = Fraction(0)
    while high - low > high / _CLOSE:
        middle = Fraction(float((low + high) / 2))
        low, high = (middle, high) if epsilon_of(price(middle), delta) <= epsilon else (low, middle)
    return low
