"""Odometers: what has been lost so far, at a moment that the analyst chooses by looking at the answers.

A filter's budget is fixed in advance; an odometer has none to name, and an analyst may stop just when the loss looks small. So
the running total is rounded up to a grid fixed in advance, one filter per grid point, and delta is shared over the grid: level j
gets delta / ((j + 1)(j + 2)), which adds up to delta. A transcript that stops at level j is one that the filter of that level
alone would have let pass. Hence for every event E of transcripts, whenever the analyst stops,

    P[E] <= sum over transcripts y in E of e^(report(y)) Q[y], plus delta and the filter's own delta

(Rogers, Roth, Ullman and Vadhan 2016 for the notion; Lecuyer 2021 and Feldman and Zrnic 2021 for the union over filters).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from twoworlds.losses.continuous import Gaussian
from twoworlds.losses.filters import ApproximateFilter, ConcentratedFilter, Filter, GaussianFilter, PureFilter, RenyiFilter, Spent
from twoworlds.losses.loss import Loss
from twoworlds.losses.moments import MomentBound, concentrated, renyi_at
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import exact, float_above

__all__ = ["Odometer", "Reading", "odometer"]

_FIRST = Fraction(1, 2**16)  # the finest level; every further one is twice as high
_LAST = 64
Bound = Callable[[Fraction], Loss | MomentBound]


@dataclass(frozen=True)
class Reading:
    """epsilon so far, and the total delta with which all readings of this odometer hold together."""

    epsilon: float
    delta: Fraction


@dataclass(frozen=True)
class Odometer:
    """Reads the states of one filter; `delta` is what the union over the grid may cost, beside the filter's own failures."""

    budget: Filter
    delta: Fraction

    def report(self, state: Spent) -> Reading:
        """The loss at this state, valid at every moment of the interaction."""
        known = self.budget
        if isinstance(known, PureFilter):
            return Reading(float_above(state["epsilon"]), Fraction(0))
        if isinstance(known, ApproximateFilter):
            return Reading(float_above(state["epsilon"]), known.delta)
        if isinstance(known, GaussianFilter):
            return Reading(self._level(state["mu_squared"], _gaussian), self.delta)
        if isinstance(known, ConcentratedFilter):
            return Reading(self._level(state["rho"], concentrated), self.delta + known.delta)
        assert isinstance(known, RenyiFilter)
        share = Fraction(1, len(known.orders))
        epsilons = [self._level(state[f"renyi {order}"], _RenyiAt(order), share) for order in known.orders]
        return Reading(min(epsilons), self.delta + known.failures)

    def _level(self, spent: Fraction, bound: Bound, share: Fraction = Fraction(1)) -> float:
        """epsilon of the first level that is not below what was spent, at that level's share of delta."""
        if spent == 0:
            return 0.0
        level = next((j for j in range(_LAST) if _FIRST * 2**j >= spent), None)
        return math.inf if level is None else _epsilon(bound, level, share * self.delta)


@lru_cache(maxsize=4096)
def _epsilon(bound: Bound, level: int, delta: Fraction) -> float:
    return bound(_FIRST * 2**level).epsilon(delta / ((level + 1) * (level + 2))).upper


def _gaussian(mu_squared: Fraction) -> Loss:
    terms = ((Gaussian(mu_squared), 1),)
    return Loss(terms, terms)


@dataclass(frozen=True)
class _RenyiAt:
    """The moment bound at one order, for any divergence."""

    order: Fraction

    def __call__(self, divergence: Fraction) -> MomentBound:
        return renyi_at(self.order, divergence)


def odometer(budget: Filter, delta: object = 0) -> Odometer:
    """An odometer for a filter's states; currencies that add up exactly need no delta."""
    if not isinstance(budget, Filter):
        raise BadArgument("budget", budget, "is not a filter", "Give the filter whose states it should read")
    share = exact(delta, "delta")
    needs = not isinstance(budget, PureFilter | ApproximateFilter)
    if not 0 <= share < 1 or (needs and share == 0):
        raise BadArgument("delta", delta, "does not suit this filter", "Give a delta far below one over the number of records")
    return Odometer(budget, share if needs else Fraction(0))
