"""Group privacy: what a guarantee for one record says of k records at once.

Two worlds that differ in k records are joined by a chain of k + 1 neighbouring worlds. `group` has the closed form of each
dialect, `textbook_delta` both forms found in textbooks for approximate privacy, and `group_curve` walks the chain on a loss's
own curve, which is as tight as any rule that knows nothing but the curve (Dong, Roth and Su 2022, theorem 2.14). A mechanism
whose loss is known for every distance is tighter still by its own constructor: `gaussian(sigma, sensitivity=k)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

from twoworlds.losses.prices import Approximate, Concentrated, Dialect, GaussianPrivacy, Pure, Renyi, TotalVariation
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument, InfiniteLoss
from twoworlds.worlds.rationals import Enclosure, exact, float_above, float_below, probability

__all__ = ["GroupCurve", "group", "group_curve", "textbook_delta"]

_GOLDEN = (math.sqrt(5) - 1) / 2
_FAR = 4096  # an epsilon beyond this bounds nothing worth a number


class Curved(Protocol):
    """A loss that can be read as a curve."""

    def delta(self, epsilon: object) -> Interval: ...

    def tradeoff(self, alpha: object) -> Interval: ...


def group(price: Dialect, size: object) -> Dialect:
    """The guarantee for groups of this size in the same dialect, by its closed form."""
    if not isinstance(price, Dialect):
        raise BadArgument("price", price, "is not a guarantee in numbers", "Give a price without parameters, like Pure(1)")
    k, numbers = _size(size), price.at()
    if isinstance(price, Pure):
        return Pure(k * numbers["epsilon"])
    if isinstance(price, Approximate):
        return Approximate(k * numbers["epsilon"], _failure(_chained(numbers["epsilon"], numbers["delta"], k)))
    if isinstance(price, Concentrated) and numbers["delta"] == 0:
        return Concentrated(k * k * numbers["rho"])
    if isinstance(price, GaussianPrivacy):
        return GaussianPrivacy(k * numbers["mu"])
    if isinstance(price, TotalVariation):
        return TotalVariation(_failure(k * numbers["delta"]))
    if isinstance(price, Renyi):
        return _renyi(numbers["order"], numbers["epsilon"], k)
    raise BadArgument("price", str(price), "has no group privacy theorem here", "Convert it to Approximate or Renyi first")


def _renyi(order: Fraction, epsilon: Fraction, k: int) -> Renyi:
    """(order / 2^c, 3^c epsilon) for groups of 2^c, if order >= 2^(c + 1) (Mironov 2017, proposition 2)."""
    doublings = (k - 1).bit_length()
    if order < 2 ** (doublings + 1) and doublings:
        why = f"is too small for groups of {k}: the theorem needs {2 ** (doublings + 1)}"
        raise BadArgument("order", float(order), why, "Give the guarantee at a larger order")
    return Renyi(order / 2**doublings, 3**doublings * epsilon)


def textbook_delta(epsilon: object, delta: object, size: object) -> tuple[float, float]:
    """delta for groups of k at k epsilon, in both textbook forms: k e^((k - 1) epsilon) delta, and the smaller sum.

    The sum delta (1 + e^epsilon + ... + e^((k - 1) epsilon)) is what the chain gives; replacing every term by the largest gives
    the first (Dwork and Roth 2014, section 2.3; Vadhan 2017, lemma 2.2). Both are rounded up; above 1 they say nothing.
    """
    each, failure, k = _positive(epsilon, "epsilon"), _below_one(delta), _size(size)
    largest = k * failure * Enclosure((k - 1) * each).exp().high
    return float_above(largest), float_above(_chained(each, failure, k))


def _chained(epsilon: Fraction, delta: Fraction, k: int) -> Fraction:
    """delta (e^(k epsilon) - 1) / (e^epsilon - 1), rounded up."""
    if delta == 0 or epsilon == 0:
        return k * delta
    growth = Enclosure(epsilon).exp()
    total = (Enclosure(k * epsilon).exp() - Enclosure(Fraction(1))) / (growth - Enclosure(Fraction(1)))
    return delta * total.high


@dataclass(frozen=True)
class GroupCurve:
    """The curve of a loss walked k times: upper bounds on delta and epsilon, lower bounds on the trade-off."""

    loss: Curved
    size: int

    def tradeoff(self, alpha: object) -> Interval:
        """1 - (1 - f) composed with itself k times (Dong, Roth and Su 2022, theorem 2.14), each step rounded against us."""
        start = probability(alpha, "alpha")
        most = start
        for _ in range(self.size):
            most = 1 - Fraction(self.loss.tradeoff(most).lower)
        return Interval(max(float_below(1 - most), 0.0), float_above(1 - start))

    def delta(self, epsilon: object) -> Interval:
        """P_0[E] <= e^x1 P_1[E] + d(x1) <= ... : the sum of e^(x1 + ... + x(i-1)) d(xi), for any split of epsilon.

        Every split is sound, negative shares included. Those in equal steps are tried: the best one for Gaussian curves is such.
        """
        total = _positive(epsilon, "epsilon")
        steps = [Fraction(0)] if self.size == 1 else [Fraction(0), _best_step(lambda step: self._chain(total, step))]
        return Interval(0.0, min(1.0, *(self._chain(total, step) for step in steps)))

    def epsilon(self, delta: object) -> Interval:
        """The smallest epsilon whose delta is small enough, by bisection; the upper end of the bracket holds."""
        target = _below_one(delta)
        low, high = 0.0, 1.0
        while Fraction(self.delta(Fraction(high)).upper) > target:
            low, high = high, 2 * high
            if high > _FAR:
                return Interval(0.0, math.inf)
        while high - low > 1e-6 * high:
            middle = (low + high) / 2
            if Fraction(self.delta(Fraction(middle)).upper) > target:
                low = middle
            else:
                high = middle
        return Interval(0.0, high)

    @cached_property
    def _known(self) -> dict[Fraction, Fraction]:
        return {}

    def _delta(self, epsilon: Fraction) -> Fraction:
        """delta on both sides of 0: P[E] - e^-x Q[E] = 1 - e^-x + e^-x (Q[not E] - e^x P[not E])."""
        if epsilon not in self._known:
            known = Fraction(self.loss.delta(abs(epsilon)).upper)
            if epsilon < 0:
                shrink = Enclosure(epsilon).exp().low
                known = 1 - shrink * (1 - known)
            self._known[epsilon] = known
        return self._known[epsilon]

    def _chain(self, total: Fraction, step: Fraction) -> float:
        """The sum for the split whose shares grow by this step."""
        passed, sum_, k = Fraction(0), Fraction(0), self.size
        for i in range(k):
            if passed > 2 * _FAR:
                return 1.0
            share = total / k + step * Fraction(2 * i - k + 1, 2)
            sum_ += Enclosure(passed).exp().high * self._delta(share)
            passed += share
        return float_above(sum_)


def _best_step(value: Callable[[Fraction], float]) -> Fraction:
    """A good step: the best power of two, then golden sections around it."""

    def at(power: float) -> Fraction:
        return Fraction(2.0**power).limit_denominator(1 << 20)

    best = min(range(-14, 6), key=lambda power: value(at(power)))
    low, high = best - 1.0, best + 1.0
    for _ in range(14):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        low, high = (low, right) if value(at(left)) < value(at(right)) else (left, high)
    return at((low + high) / 2)


def group_curve(loss: Curved, size: object) -> GroupCurve:
    """What a loss for one record says of groups of this size, by its curve alone."""
    if not callable(getattr(loss, "delta", None)) or not callable(getattr(loss, "tradeoff", None)):
        raise BadArgument("loss", loss, "is not a loss", "Give a Loss or a MomentBound")
    return GroupCurve(loss, _size(size))


def _size(size: object) -> int:
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise BadArgument("size", size, "is not a whole number of 1 or more", "Say how many records the group has")
    return size


def _positive(value: object, argument: str) -> Fraction:
    number = exact(value, argument)
    if number < 0:
        raise BadArgument(argument, value, "is below 0", f"Give an {argument} of 0 or more")
    return number


def _below_one(delta: object) -> Fraction:
    number = exact(delta, "delta")
    if not 0 <= number < 1:
        raise BadArgument("delta", delta, "is not in [0, 1)", "Give a probability of failure below 1")
    return number


def _failure(delta: Fraction) -> Fraction:
    if delta >= 1:
        raise InfiniteLoss("delta reaches 1 for a group of this size: it may be told apart outright", "Ask for a smaller group")
    return delta
