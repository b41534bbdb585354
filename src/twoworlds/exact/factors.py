"""What is known of one undrawn draw in one state: its law on a range, a table of weights, or only that it is out in a tail."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import fmpq

from twoworlds.exact.laws import Law
from twoworlds.exact.tails import Rate, Side, joined
from twoworlds.exact.weights import Weight, between, total

__all__ = ["Factor", "Known", "Lawful", "Tabled", "Tail", "added", "earlier", "later", "zero"]

zero = fmpq(0)
Reach = tuple[int, int] | None


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
        if self.low == self.law.first and self.high == self.law.last:
            return fmpq(1)
        return self._range(self.low, self.high)

    def _range(self, low: int | None, high: int | None) -> Weight:
        """The mass from low to high, by whichever difference keeps its precision."""
        law = self.law
        if low is None or high is None:
            return fmpq(1) if low is high else law.above(low) if low is not None else law.below(high or 0)
        if high < low:
            return zero
        if high - low <= 64:
            return total(law.masses(low, high))
        return law.above(low) - law.above(high + 1) if low > 0 else law.below(high) - law.below(low - 1)

    def above(self, first: int, last: int) -> list[Weight]:
        """The mass at k or more, for each k in first..last."""
        if self.high == self.law.last and (self.low == self.law.first or (self.low or 0) <= first):
            return self.law.aboves(first, last)
        return [self._range(later(self.low, k), self.high) for k in range(first, last + 1)]

    def below(self, first: int, last: int) -> list[Weight]:
        """The mass at k or less, for each k in first..last."""
        if self.low == self.law.first and (self.high == self.law.last or (self.high or 0) >= last):
            return self.law.belows(first, last)
        return [self._range(self.low, earlier(self.high, k)) for k in range(first, last + 1)]

    def at(self, first: int, last: int) -> list[Weight]:
        """The mass at each k in first..last."""
        return [
            weight if (self.low is None or self.low <= k) and (self.high is None or k <= self.high) else zero
            for k, weight in enumerate(self.law.masses(first, last), first)
        ]

    def tail_rate(self, k: int, way: int) -> Rate | None:
        """The rate of the masses from k on, upward (way 1) or downward (-1), if they are geometric from there."""
        low, high = (self.low, self.high) if way > 0 else (self.high, self.low)
        regular = self.law.regular[1 if way > 0 else 0]
        if high is not None or k * way < regular * way or (low is not None and k * way < low * way):
            return None
        return self.law.decay[1 if way > 0 else 0]

    @property
    def core(self) -> tuple[int, int]:
        """Outside these two its tails are regular, if they ever are."""
        low, high = self.law.regular
        for end in (self.low, self.high):
            low, high = (low, high) if end is None else (min(low, end), max(high, end))
        return low, high

    def size(self, cut: Fraction) -> int:
        first, last = self.law.window(cut)
        return (earlier(last, self.high) or 0) - (later(first, self.low) or 0) + 1

    def restrict(self, low: int | None, high: int | None) -> Lawful:
        return Lawful(self.law, later(self.low, low), earlier(self.high, high))

    def tabled(self, cut: Fraction, reach: Reach = None) -> Tabled:
        """The same as a table over a window that leaves at most the cut, and covers `reach`."""
        first, last = self.law.window(cut)
        if reach is not None:
            first, last = min(first, reach[0]), max(last, reach[1])
        start = first if self.low is None else max(first, self.low)
        end = last if self.high is None else min(last, self.high)
        if start > end:  # the range lies out in one tail
            start = end = self.low if self.low is not None and self.low > last else self.high or 0
        return Tabled(start, tuple(self.law.masses(start, end)), self._side(start, -1), self._side(end, 1))

    def _side(self, end: int, way: int) -> Side | None:
        limit = self.high if way > 0 else self.low
        if limit is not None:
            return Side.bounded(self._range(end + 1, limit) if way > 0 else self._range(limit, end - 1))
        rate = self.tail_rate(end + way, way)
        if rate is not None:
            return Side.geometric(rate, self.law.mass(end + way) / rate.ratio)
        return Side.bounded(self._range(end + 1, None) if way > 0 else self._range(None, end - 1))


@dataclass(frozen=True, eq=False)
class Tabled:
    """Weights at start, start + 1, ..., and what lies beyond both ends."""

    start: int
    weights: tuple[Weight, ...]
    under: Side | None = None
    over: Side | None = None

    @property
    def end(self) -> int:
        return self.start + len(self.weights) - 1

    @property
    def low(self) -> int | None:
        return self.start if self.under is None else None

    @property
    def high(self) -> int | None:
        return self.end if self.over is None else None

    @property
    def core(self) -> tuple[int, int]:
        return self.start, self.end

    def same(self, other: Factor) -> bool:
        return self is other

    @cached_property
    def _outer(self) -> tuple[Weight, Weight]:
        """The mass below the start and above the end."""
        return (self.under.total if self.under else zero), (self.over.total if self.over else zero)

    @property
    def outer(self) -> Weight:
        """All mass beyond the ends."""
        return self._outer[0] + self._outer[1]

    @cached_property
    def total(self) -> Weight:
        return total(self.weights) + self.outer

    @cached_property
    def _suffixes(self) -> list[Weight]:
        """The mass at k or more for k from start to end + 1."""
        sums = [self._outer[1]]
        for weight in reversed(self.weights):
            sums.append(sums[-1] + weight)
        return sums[::-1]

    @cached_property
    def _prefixes(self) -> list[Weight]:
        """The mass at k or less for k from start - 1 to end."""
        sums = [self._outer[0]]
        for weight in self.weights:
            sums.append(sums[-1] + weight)
        return sums

    def above(self, first: int, last: int) -> list[Weight]:
        sums, start, end = self._suffixes, self.start, self.end + 1
        inside = sums[max(first - start, 0) : max(last - start + 1, 0)]
        below = self._parts(self.under, start - min(last, start - 1), start - first, sums[0])[::-1]
        beyond = self._beyonds(self.over, max(first, end + 1) - end + 1, last - end + 1)
        return below + inside + beyond

    def below(self, first: int, last: int) -> list[Weight]:
        sums, start, end = self._prefixes, self.start, self.end + 1
        beyond = self._beyonds(self.under, start - min(last, start - 2), start - first)[::-1]
        inside = sums[max(first - start + 1, 0) : max(last - start + 2, 0)]
        above = self._parts(self.over, max(first, end) - end + 1, last - end + 1, sums[-1])
        return beyond + inside + above

    @staticmethod
    def _beyonds(side: Side | None, first: int, last: int) -> list[Weight]:
        """The mass of a side at so many steps out or more, for each number from first to last."""
        return [zero] * (last - first + 1) if side is None else side.run(first, last, single=False)

    @staticmethod
    def _parts(side: Side | None, first: int, last: int, rest: Weight) -> list[Weight]:
        """The rest and so many steps of a side, for each number from first to last."""
        if side is None:
            return [rest] * (last - first + 1)
        if side.rate is None:
            return [rest + between(side.bound)] * (last - first + 1)
        return [rest + (side.total - left) for left in side.run(first + 1, last + 1, single=False)]

    def at(self, first: int, last: int) -> list[Weight]:
        start, end = self.start, self.end
        below = self._ats(self.under, start - min(last, start - 1), start - first)[::-1]
        inside = self.weights[max(first - start, 0) : max(last - start + 1, 0)]
        return [*below, *inside, *self._ats(self.over, max(first, end + 1) - end, last - end)]

    @staticmethod
    def _ats(side: Side | None, first: int, last: int) -> list[Weight]:
        """The mass of a side at just so many steps out, for each number from first to last."""
        return [zero] * (last - first + 1) if side is None else side.run(first, last, single=True)

    def tail_rate(self, k: int, way: int) -> Rate | None:
        side, outside = (self.over, k > self.end) if way > 0 else (self.under, k < self.start)
        return side.rate if side is not None and outside else None

    def size(self, _: Fraction) -> int:
        return len(self.weights)

    def restrict(self, low: int | None, high: int | None) -> Tabled | Tail:
        """The part from low to high; a `Tail` when only mass outside the table of unknown law can be there."""
        table = self._reaching(low, high)
        start, end = table.start, table.end
        first, last = start if low is None else max(low, start), end if high is None else min(high, end)
        under = table.under if low is None else _within(table.under) if low < start else None
        over = table.over if high is None else _within(table.over) if high > end else None
        if last >= first:
            return Tabled(first, table.weights[first - start : last + 1 - start], under, over)
        if low is not None and low > end and over is not None and over.rate is not None and high is None:
            return Tabled(low, (), None, over.out(low - end - 1))
        if high is not None and high < start and under is not None and under.rate is not None and low is None:
            return Tabled(high + 1, (), under.out(start - high - 1), None)
        return Tail(low, high)

    def _reaching(self, low: int | None, high: int | None) -> Tabled:
        """Extended so far that a range with two ends lies inside, where both sides allow."""
        first = low if low is not None and self.start - 4096 <= low < self.start else self.start
        last = high if high is not None and self.end < high <= self.end + 4096 else self.end
        return self.extended(first, last)

    def extended(self, first: int, last: int) -> Tabled:
        """The same table with the geometric sides written out as far as this."""
        before: tuple[Weight, ...] = ()
        after: tuple[Weight, ...] = ()
        under, over = self.under, self.over
        if under is not None and under.rate is not None and first < self.start:
            count = self.start - first
            before, under = tuple(under.run(1, count, single=True)[::-1]), under.out(count)
        if over is not None and over.rate is not None and last > self.end:
            count = last - self.end
            after, over = tuple(over.run(1, count, single=True)), over.out(count)
        return Tabled(self.start - len(before), before + self.weights + after, under, over) if before or after else self

    def outside(self, low: int | None, high: int | None) -> Weight:
        """A bound on the mass from low to high, a range that misses the table."""
        if low is not None and low > self.end:
            return self._outer[1]
        return self._outer[0] if high is not None and high < self.start else zero

    def tabled(self, _: Fraction, reach: Reach = None) -> Tabled:
        return self if reach is None else self.extended(*reach)

    def times(self, weight: Weight) -> Tabled:
        if isinstance(weight, fmpq) and weight == 1:
            return self
        sides = [side and side.times(weight) for side in (self.under, self.over)]
        return Tabled(self.start, tuple(entry * weight for entry in self.weights), *sides)

    def mirrored(self) -> Tabled:
        """The law of the opposite number."""
        return Tabled(-self.end, self.weights[::-1], self.over, self.under)


@dataclass(frozen=True, eq=False)
class Tail:
    """Somewhere in low..high, by an unknown law; the state's weight is already a ball from 0 to all that may be there."""

    low: int | None
    high: int | None

    total = fmpq(1)

    def same(self, other: Factor) -> bool:
        return isinstance(other, Tail) and (self.low, self.high) == (other.low, other.high)

    def restrict(self, low: int | None, high: int | None) -> Tail:
        return Tail(later(self.low, low), earlier(self.high, high))


Known = Lawful | Tabled
Factor = Lawful | Tabled | Tail


def _within(side: Side | None) -> Side | None:
    """Some of a side, no telling how much."""
    return side and Side.bounded(side.total)


def added(one: Tabled, other: Tabled) -> Tabled:
    """Two tables added: brought to common ends, outward where the sides are known there, else inward into a bound."""
    over, end = _common(one, other, 1)
    under, start = _common(one, other, -1)
    weights = [zero] * max(end - start + 1, 0)
    for table in (one, other):
        wide = table.extended(min(start, table.start), max(end, table.end))
        for k, weight in enumerate(wide.weights, wide.start):
            if start <= k <= end:
                weights[k - start] = weights[k - start] + weight
    return Tabled(start, tuple(weights), under, over)


def _common(one: Tabled, other: Tabled, way: int) -> tuple[Side | None, int]:
    """The side of the sum in one direction, and where it begins."""
    sides = [(table.over, table.end) if way > 0 else (table.under, -table.start) for table in (one, other)]
    loose = [end for side, end in sides if side is not None and side.rate is None]
    end = min(loose) if loose else max(end for _, end in sides)
    side: Side | None = None
    for table, (mine, own) in zip((one, other), sides, strict=True):
        if own <= end:
            side = joined(side, mine if mine is None else mine.out(end - own))
            continue
        inner = table.weights[end - own :] if way > 0 else table.weights[: own - end]
        spilled = Side.bounded(total(inner))
        side = joined(joined(side, spilled), mine)
    return side, end * way


def later(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else max(one, other)


def earlier(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)
