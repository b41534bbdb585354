"""What lies beyond the ends of a table of weights: nothing, exactly geometric masses, or no more than a bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from flint import fmpq

from twoworlds.exact.weights import Weight, ball, between, rational, vanishes

__all__ = ["Rate", "Side", "joined"]


@dataclass(frozen=True)
class Rate:
    """The ratio of neighbouring masses in a geometric tail, exp(-decay) * base: equal rates are recognised exactly."""

    decay: Fraction
    base: Fraction = Fraction(1)

    @cached_property
    def ratio(self) -> Weight:
        return rational(self.base) if not self.decay else (-ball(self.decay)).exp() * rational(self.base)

    def times(self, other: Rate) -> Rate:
        return Rate(self.decay + other.decay, self.base * other.base)

    def power(self, count: int) -> Rate:
        return Rate(self.decay * count, self.base**count)


STILL = Rate(Fraction(0))


@dataclass(frozen=True, eq=False)
class Side:
    """Mass beyond an end. With a rate, the mass j steps out is level * ratio^j; without, all there is is at most `bound`.

    Under products with tail probabilities and under sums, geometric sides stay geometric with a level that is a narrow ball: so
    nothing has to be cut.
    """

    bound: Weight = field(default_factory=lambda: fmpq(0))
    rate: Rate | None = None
    level: Weight = field(default_factory=lambda: fmpq(0))

    @staticmethod
    def geometric(rate: Rate, level: Weight) -> Side | None:
        return None if vanishes(level) else Side(rate=rate, level=level)

    @staticmethod
    def bounded(bound: Weight) -> Side | None:
        return None if vanishes(bound) else Side(bound)

    @cached_property
    def total(self) -> Weight:
        return self.beyond(1)

    def beyond(self, steps: int) -> Weight:
        """The mass at this many steps out or more."""
        if self.rate is None:
            return between(self.bound)
        return self.level * self.rate.ratio**steps / (1 - self.rate.ratio)

    def run(self, first: int, last: int, *, single: bool) -> list[Weight]:
        """The mass at each number of steps out from first to last: at just that many, or (not `single`) at that many or more."""
        if last < first:
            return []
        found = [self.at(first) if single else self.beyond(first)]
        ratio = fmpq(1) if self.rate is None else self.rate.ratio
        for _ in range(first, last):
            found.append(found[-1] * ratio)
        return found

    def at(self, steps: int) -> Weight:
        """The mass at just this many steps out."""
        return between(self.bound) if self.rate is None else self.level * self.rate.ratio**steps

    def out(self, steps: int) -> Side:
        """The same side seen from this many steps further out."""
        return self if self.rate is None else Side(rate=self.rate, level=self.level * self.rate.ratio**steps)

    def times(self, weight: Weight) -> Side | None:
        if self.rate is None:
            return Side.bounded(self.bound * weight)
        return Side.geometric(self.rate, self.level * weight)


def joined(one: Side | None, other: Side | None) -> Side | None:
    """Both masses together, seen from one end."""
    if one is None or other is None:
        return one or other
    if one.rate is None or other.rate is None:
        return Side(one.total + other.total)
    if one.rate == other.rate:
        return Side(rate=one.rate, level=one.level + other.level)
    slow, fast = (one, other) if one.rate.ratio > other.rate.ratio else (other, one)
    assert slow.rate is not None and fast.rate is not None
    if not slow.rate.ratio >= fast.rate.ratio:
        return Side(one.total + other.total)
    return Side(rate=slow.rate, level=slow.level + between(fast.level * fast.rate.ratio / slow.rate.ratio))
