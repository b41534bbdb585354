"""What is known of one undrawn draw in one state: its law on a range, a table of weights, or only that it is out in a tail."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import fmpq

from twoworlds.exact.laws import Law
from twoworlds.exact.weights import Weight, between, total, vanishes

__all__ = ["Factor", "Lawful", "Tabled", "Tail", "zero"]

zero = fmpq(0)


@dataclass(frozen=True, eq=False)
class Lawful:
    """Its own law, restricted to low..high; nobody has had to enumerate it."""

    law: Law
    low: int | None
    high: int | None

    def same(self, other: Factor) -> bool:
        return isinstance(other, Lawful) and (self.law, self.low, self.high) == (other.law, other.low, other.high)

    @cached_property
    def total(self) -> Weight:
        law = self.law
        if self.low == law.first and self.high == law.last:
            return fmpq(1)
        return self._range(self.low, self.high)

    def _range(self, low: int | None, high: int | None) -> Weight:
        """The mass from low to high, by whichever difference keeps its precision."""
        law = self.law
        if low is None and high is None:
            return fmpq(1)
        if low is None or high is None:
            return law.above(low) if low is not None else law.below(high)  # type: ignore[arg-type]  # one of them is a number
        if high < low:
            return zero
        if high - low <= 64:
            return total(law.masses(low, high))
        return law.above(low) - law.above(high + 1) if low > 0 else law.below(high) - law.below(low - 1)

    def above(self, first: int, last: int) -> list[Weight]:
        """The mass at k or more, for each k in first..last."""
        if self.high == self.law.last and (self.low == self.law.first or (self.low or 0) <= first):
            return self.law.aboves(first, last)
        return [self._range(_later(self.low, k), self.high) for k in range(first, last + 1)]

    def below(self, first: int, last: int) -> list[Weight]:
        """The mass at k or less, for each k in first..last."""
        if self.low == self.law.first and (self.high == self.law.last or (self.high or 0) >= last):
            return self.law.belows(first, last)
        return [self._range(self.low, _earlier(self.high, k)) for k in range(first, last + 1)]

    def at(self, first: int, last: int) -> list[Weight]:
        """The mass at each k in first..last."""
        return [
            weight if (self.low is None or self.low <= k) and (self.high is None or k <= self.high) else zero
            for k, weight in enumerate(self.law.masses(first, last), first)
        ]

    def restrict(self, low: int | None, high: int | None) -> Lawful:
        return Lawful(self.law, _later(self.low, low), _earlier(self.high, high))

    def tabled(self, cut: Fraction) -> Tabled:
        """The same as a table over a window; what lies outside is kept as two upper bounds."""
        first, last = self.law.window(cut)
        start = first if self.low is None else max(first, self.low)
        end = last if self.high is None else min(last, self.high)
        if start > end:  # the range lies out in one tail
            start = end = self.low if self.low is not None and self.low > last else self.high or 0
        under = zero if self.low == start else self._range(self.low, start - 1)
        over = zero if self.high == end else self._range(end + 1, self.high)
        return Tabled(self.law, start, tuple(self.law.masses(start, end)), under, over)


@dataclass(frozen=True, eq=False)
class Tabled:
    """Weights at start, start + 1, ...; the true weight outside is at most `under` in all below and `over` in all above."""

    law: Law
    start: int
    weights: tuple[Weight, ...]
    under: Weight = zero
    over: Weight = zero

    @property
    def end(self) -> int:
        return self.start + len(self.weights) - 1

    @property
    def low(self) -> int | None:
        return self.start if vanishes(self.under) else self.law.first

    @property
    def high(self) -> int | None:
        return self.end if vanishes(self.over) else self.law.last

    def same(self, other: Factor) -> bool:
        return self is other

    @cached_property
    def total(self) -> Weight:
        return self._spread(total(self.weights), self.under, self.over)

    @staticmethod
    def _spread(inside: Weight, *outside: Weight) -> Weight:
        for bound in outside:
            if not vanishes(bound):
                inside = inside + between(bound)
        return inside

    @cached_property
    def _suffixes(self) -> list[Weight]:
        """The mass at k or more for k from start to end + 1."""
        sums = [self._spread(zero, self.over)]
        for weight in reversed(self.weights):
            sums.append(sums[-1] + weight)
        return sums[::-1]

    @cached_property
    def _prefixes(self) -> list[Weight]:
        """The mass at k or less for k from start - 1 to end."""
        sums = [self._spread(zero, self.under)]
        for weight in self.weights:
            sums.append(sums[-1] + weight)
        return sums

    def above(self, first: int, last: int) -> list[Weight]:
        sums, start, count = self._suffixes, self.start, len(self.weights)
        outside = self._spread(sums[0], self.under)
        return [outside if k < start else sums[min(k - start, count)] for k in range(first, last + 1)]

    def below(self, first: int, last: int) -> list[Weight]:
        sums, start, count = self._prefixes, self.start, len(self.weights)
        outside = self._spread(sums[-1], self.over)
        return [outside if k - start >= count else sums[max(k - start + 1, 0)] for k in range(first, last + 1)]

    def at(self, first: int, last: int) -> list[Weight]:
        inside = range(self.start, self.start + len(self.weights))
        return [
            self.weights[k - self.start] if k in inside else self._spread(zero, self.under if k < self.start else self.over)
            for k in range(first, last + 1)
        ]

    def restrict(self, low: int | None, high: int | None) -> Tabled | Tail:
        """The part from low to high; a `Tail` when only mass outside the table can be there."""
        start, end = self.start, self.end
        first, last = start if low is None else max(low, start), end if high is None else min(high, end)
        under = self.under if low is None or low < start else zero
        over = self.over if high is None or high > end else zero
        if last < first:
            return Tail(low, high)
        return Tabled(self.law, first, self.weights[first - start : last + 1 - start], under, over)

    def outside(self, low: int | None, high: int | None) -> Weight:
        """A bound on the mass from low to high, a range that misses the table."""
        if low is not None and low > self.end:
            return self.over
        return self.under if high is not None and high < self.start else zero

    def tabled(self, _: Fraction) -> Tabled:
        return self


@dataclass(frozen=True, eq=False)
class Tail:
    """Somewhere in low..high, by an unknown law; the state's weight is already a ball from 0 to all that may be there."""

    low: int | None
    high: int | None

    total = fmpq(1)

    def same(self, other: Factor) -> bool:
        return isinstance(other, Tail) and (self.low, self.high) == (other.low, other.high)

    def restrict(self, low: int | None, high: int | None) -> Tail:
        return Tail(_later(self.low, low), _earlier(self.high, high))


Factor = Lawful | Tabled | Tail


def _later(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else max(one, other)


def _earlier(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)
