"""What one world's output law says against the other's, in one direction: every number a certified interval.

Rows whose likelihood ratio is not constant, and mass whose output is not known, widen the intervals; they never move them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb, fmpq

from twoworlds.exact.weights import Weight, ball, interval, larger, log, precision, quotient, rational, span, unit, vanishes
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import exact, positive

__all__ = ["Level", "OneWay", "Row", "level", "most"]


class Row(NamedTuple):
    """An output, or a set of outputs, with its probability in both worlds.

    `even`: the likelihood ratio is the same for every output of the set, so that the set loses nothing. `single`: it is one.
    """

    output: Any
    weight: Weight
    other: Weight
    even: bool = True
    single: bool = True


@dataclass(frozen=True)
class Level:
    """An epsilon by its odds e^epsilon, exact where possible; None is infinity."""

    odds: Weight | None


def level(epsilon: object = None, odds: object = None) -> Level:
    """An epsilon, given as such or by its odds: `odds=3` is ln 3 exactly."""
    if (epsilon is None) == (odds is None):
        raise BadArgument("epsilon", epsilon, "and odds are both given or both missing", "Give epsilon=1, or odds=3 for ln 3")
    if epsilon == float("inf") or odds == float("inf"):
        return Level(None)
    if odds is not None:
        number = exact(odds, "odds")
        if number < 1:
            raise BadArgument("odds", odds, "are below 1", "Odds are e^epsilon: 1 or more")
        return Level(rational(number))
    number = exact(epsilon, "epsilon")
    if number < 0:
        raise BadArgument("epsilon", epsilon, "is below 0", "Give an epsilon of 0 or more")
    return Level(rational(1) if number == 0 else ball(number).exp())


@dataclass(frozen=True)
class OneWay:
    """`world` against `other`: how far what happens in the first exceeds what happens in the second."""

    rows: tuple[Row, ...]
    lost: Weight
    other_lost: Weight

    def __post_init__(self) -> None:
        """A comparison with what is no number is never true, so it would be passed over in every maximum."""
        weights = [weight for row in self.rows for weight in (row.weight, row.other)]
        if any(isinstance(weight, arb) and weight.is_nan() for weight in (*weights, self.lost, self.other_lost)):
            fix = "Use parameters of an ordinary size"
            raise BadArgument("law", "a probability", "is beyond all numbers that are computed with", fix)

    @property
    def backward(self) -> OneWay:
        """The same with the worlds exchanged."""
        rows = tuple(Row(row.output, row.other, row.weight, row.even, row.single) for row in self.rows)
        return OneWay(rows, self.other_lost, self.lost)

    # bounds of one row

    def speaks_for_each(self, row: Row) -> bool:
        """Whether each output of the row has the row's likelihood ratio: mass with unknown output may lie on one of a set."""
        return row.even and (row.single or not (_some(self.lost) or _some(self.other_lost)))

    def high(self, row: Row) -> Weight:
        return _top(row.weight) + self.lost

    def other_high(self, row: Row) -> Weight:
        return _top(row.other) + self.other_lost

    def ratio(self, row: Row) -> tuple[arb, arb]:
        """The largest p / q in the row, between two bounds."""
        low, high = _bottom(row.weight), self.high(row)
        other_low, other_high = _bottom(row.other), self.other_high(row)
        least = arb(0) if low <= 0 else arb.pos_inf() if vanishes(other_high) else quotient(low, other_high)
        if vanishes(high):
            return least, arb(0)
        if other_low <= 0 or not self.speaks_for_each(row):
            return least, arb.pos_inf()
        return least, quotient(high, other_low)

    def loss(self, row: Row) -> tuple[arb, arb]:
        """The largest ln(p / q) in the row, between two bounds."""
        least, greatest = self.ratio(row)
        return log(least), log(greatest)

    # quantities

    @property
    def epsilon(self) -> Interval:
        """The least epsilon with P[E] <= e^epsilon P'[E] for all events E."""
        with precision():
            low, high = arb(1), arb.pos_inf() if _some(self.lost) else arb(1)
            for row in self.rows:
                least, greatest = self.ratio(row)
                low, high = larger(low, least), larger(high, greatest)
            return interval(log(low), log(high))

    def attained(self) -> Row:
        """The row with the largest loss."""
        with precision():
            return max(self.rows, key=lambda row: _order(self.ratio(row)[0]))

    def delta(self, epsilon: object = None, *, odds: object = None) -> Interval:
        """The largest P[E] - e^epsilon P'[E] over all events E."""
        with precision():
            low, high = self._delta(level(epsilon, odds).odds)
            return unit(low, high)

    def _delta(self, odds: Weight | None) -> tuple[Weight, Weight]:
        low: Weight = fmpq(0)
        high: Weight = self.lost
        for row in self.rows:
            if odds is None:
                if vanishes(_top(row.other)):
                    low = low + row.weight
                if not row.even or _bottom(row.other) <= 0:
                    high = high + row.weight
                continue
            excess = row.weight - odds * row.other
            if excess > 0:
                low = low + excess
            if not row.even:
                high = high + row.weight
            elif not excess <= 0:
                high = high + (excess if excess > 0 else span(0, _top(excess)))
        if _some(self.other_lost):
            low = low - odds * self.other_lost if odds is not None else fmpq(0)
        return low, high

    def tail(self, epsilon: object = None, *, odds: object = None) -> Interval:
        """P[L >= epsilon] for the privacy loss L = ln(p / q) of an output drawn in the first world."""
        with precision():
            wanted = level(epsilon, odds).odds
            low: Weight = fmpq(0)
            high: Weight = self.lost
            for row in self.rows:
                surely, perhaps = self._reaches(row, wanted)
                low = low + row.weight if surely and self.speaks_for_each(row) else low
                high = high + row.weight if perhaps or not self.speaks_for_each(row) else high
            return unit(low, high)

    def _reaches(self, row: Row, odds: Weight | None) -> tuple[bool, bool]:
        """Whether p >= odds * q surely, and perhaps."""
        if odds is None:
            return vanishes(self.other_high(row)), not _bottom(row.other) > 0
        surely = row.weight - odds * (row.other + self.other_lost) >= 0
        perhaps = row.weight + self.lost - odds * row.other < 0
        return bool(surely), not perhaps

    def loss_law(self) -> tuple[tuple[Interval, Interval], ...]:
        """The law of the privacy loss of an output of the first world: losses in order, each with its probability."""
        with precision():
            groups: list[list[Any]] = []
            for low, high, row in sorted(self._losses(), key=lambda entry: _order(entry[0])):
                if groups and not low > groups[-1][1]:
                    groups[-1][1] = larger(groups[-1][1], high)
                    groups[-1][2] = groups[-1][2] + row.weight
                else:
                    groups.append([low, high, row.weight])
            return tuple((interval(low, high), unit(weight, weight + self.lost)) for low, high, weight in groups)

    def _losses(self) -> Iterator[tuple[arb, arb, Row]]:
        for row in self.rows:
            if not vanishes(row.weight):
                low, high = self.loss(row)
                yield (low if self.speaks_for_each(row) else arb.neg_inf()), high, row

    def renyi(self, order: object) -> Interval:
        """The Renyi divergence of this order, above 0; 1 is Kullback and Leibler's, infinity is epsilon (Renyi 1961)."""
        if order == float("inf"):
            return self.epsilon
        alpha = positive(order, "order")
        with precision():
            if alpha == 1:
                low, high = self._kullback()
            elif alpha > 1:
                low, high = self._renyi_above(alpha)
            else:
                low, high = self._renyi_below(alpha)
            return interval(larger(arb(0), low), larger(arb(0), high))

    def _kullback(self) -> tuple[arb, arb]:
        low, high = -ball(self.other_lost), arb.pos_inf() if _some(self.lost) else arb(0)
        for row in self.rows:
            if vanishes(row.weight) and not _some(self.lost):
                continue
            if _bottom(row.weight) <= 0 or _bottom(row.other) <= 0:
                low = low - self.other_high(row)  # p ln(p / q) is at least -q / e
                high = high if vanishes(_top(row.weight)) else arb.pos_inf()
                continue
            p, q = span(row.weight, row.weight + self.lost), span(row.other, row.other + self.other_lost)
            term = (
                (p * (p / q).log())
                if _some(self.lost) or _some(self.other_lost)
                else ball(row.weight) * quotient(row.weight, row.other).log()
            )
            low = low + term
            high = high + term if row.even else arb.pos_inf()
        return (arb.pos_inf() if self._impossible else low), high

    @property
    def _impossible(self) -> bool:
        """Whether something happens in the first world that cannot happen in the second."""
        return any(_bottom(row.weight) > 0 and vanishes(self.other_high(row)) for row in self.rows)

    def _renyi_above(self, alpha: Fraction) -> tuple[arb, arb]:
        if self._impossible:
            return arb.pos_inf(), arb.pos_inf()
        low, high = arb(0), arb.pos_inf() if _some(self.lost) else arb(0)
        for row in self.rows:
            p, q = _bottom(row.weight), self.other_high(row)
            if p > 0:
                low = low + _powers(p, q, alpha)
            p, q = self.high(row), _bottom(row.other)
            if not vanishes(p):
                high = high + _powers(p, q, alpha) if row.even and q > 0 else arb.pos_inf()
        scale = ball(alpha - 1)
        return (low.log() / scale if low > 0 else arb(0)), (high.log() / scale if high.is_finite() else high)

    def _renyi_below(self, alpha: Fraction) -> tuple[arb, arb]:
        low = arb(0)
        high = _powers(self.lost, self.other_lost, alpha)
        for row in self.rows:
            p, q = _bottom(row.weight), _bottom(row.other)
            if row.even and p > 0 and q > 0:
                low = low + _powers(p, q, alpha)
            high = high + _powers(self.high(row), self.other_high(row), alpha)
        scale = ball(1 - alpha)
        least = arb.pos_inf() if vanishes(high) else -high.log() / scale
        return least, (-low.log() / scale if low > 0 else arb.pos_inf())


def most(one: Interval, other: Interval) -> Interval:
    """The larger of two numbers."""
    return Interval(max(one.lower, other.lower), max(one.upper, other.upper))


def _powers(p: Weight, q: Weight, alpha: Fraction) -> arb:
    """p^alpha q^(1 - alpha), where both are positive or alpha is below 1."""
    if vanishes(p) or vanishes(q):
        return arb(0)
    if alpha.denominator == 1:
        return ball(p) ** int(alpha) / ball(q) ** int(alpha - 1)
    return ball(p) ** ball(alpha) * ball(q) ** ball(1 - alpha)


def _some(weight: Weight) -> bool:
    return not vanishes(weight)


def _top(weight: Weight) -> Weight:
    return weight if isinstance(weight, fmpq) else weight.upper()


def _bottom(weight: Weight) -> Weight:
    return weight if isinstance(weight, fmpq) else weight.lower()


def _order(value: arb) -> float:
    return float(value.mid()) if value.is_finite() else float("inf") if value > 0 else float("-inf")
