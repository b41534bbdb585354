"""The law of a sum of two independent draws, by one product of polynomials; its tails follow the slower of the two.

Let a have an upper tail that is exactly geometric with ratio r from some point on, and never fall faster than that before, and
let the tail of b be geometric and faster. Then w(z) / r^z, where w is the law of the sum, only grows with z, to the limit
(mass of a at its edge) r^-edge sum over k of b(k) r^-k. So beyond any z the law of the sum is geometric with a level between
w(z) / r^z and that limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from flint import arb_poly, fmpq_poly

from twoworlds.exact.factors import Known, Lawful, Tabled, zero
from twoworlds.exact.laws import TwoSided
from twoworlds.exact.tails import Rate, Side
from twoworlds.exact.weights import Weight, ball, between, is_exact, span, total

__all__ = ["convolved"]


def convolved(one: Known, other: Known, sign: int, cut: Fraction) -> Tabled:
    """The law of k1 + sign * k2."""
    narrow = [one.tabled(cut), _signed(other.tabled(cut), sign)]
    sides = [side for table in narrow for side in (table.under, table.over)]
    if sides == [None] * 4:
        return Tabled(narrow[0].start + narrow[1].start, tuple(_product(narrow[0].weights, narrow[1].weights)))
    start, end = sum(table.start for table in narrow), sum(table.end for table in narrow)
    wide = [_widened(factor, table, way, cut) for factor, table, way in zip((one, other), narrow, (1, sign), strict=True)]
    weights, missing = _added_up(one, other, wide, start, end)
    kept = tuple(weight + missing for weight in weights)
    upward = [_Half.of(one, wide[0], 1), _Half.of(other, wide[1], sign)]
    downward = [_Half.of(one, wide[0].mirrored(), -1), _Half.of(other, wide[1].mirrored(), -sign)]
    over = _beyond(upward, kept[-1], end) or Side.bounded(_spilled(narrow, end))
    under = _beyond(downward, kept[0], -start) or Side.bounded(_spilled([table.mirrored() for table in narrow], -start))
    return Tabled(start, kept, under, over)


def _signed(table: Tabled, sign: int) -> Tabled:
    return table if sign > 0 else table.mirrored()


def _widened(factor: Known, narrow: Tabled, sign: int, cut: Fraction) -> Tabled:
    """Twice as wide and with a far smaller cut, so that what it misses does not show at the edges of the narrow one."""
    size = len(narrow.weights)
    reach = narrow.start - size // 2, narrow.end + size // 2
    return _signed(factor.tabled(cut * cut, reach if sign > 0 else (-reach[1], -reach[0])), sign)


def _added_up(one: Known, other: Known, wide: Sequence[Tabled], start: int, end: int) -> tuple[list[Weight], Weight]:
    """The masses of the sum from start to end, and a bound on what the two windows miss of any of them."""
    for factor, table in ((one, wide[1]), (other, wide[0])):
        law = _whole_laplace(factor)
        if law is not None:
            return _smoothed(table.extended(start, end), law, start, end)
    begin = wide[0].start + wide[1].start
    weights = _product(*([ball(weight) for weight in table.weights] for table in wide))
    kept = [weights[z - begin] if 0 <= z - begin < len(weights) else zero for z in range(start, end + 1)]
    return kept, between(total([table.outer for table in wide]))


def _smoothed(table: Tabled, law: TwoSided, first: int, last: int) -> tuple[list[Weight], Weight]:
    """The masses from first to last of the table's law with discrete Laplace noise, by two recurrences.

    With r the ratio of neighbouring masses of the noise, left(z) = sum over k <= z of w(k) r^(z - k) is r left(z - 1) + w(z), and
    the same from above. Every term is positive, so each sum keeps its relative precision; no noise is cut, and a geometric side
    of the table is summed to its end. Only of a side that is not geometric something may be missed.
    """
    ratio, count = law.power(1), last - first + 1
    upward = _swept(table.weights, ratio, _behind(table.under, ratio), first - table.start, count)
    downward = _swept(table.weights[::-1], ratio, _behind(table.over, ratio), table.end - last - 1, count)[::-1]
    missing = total([side.total for side in (table.under, table.over) if side is not None and side.rate is None])
    return [law.peak * (here + beyond * ratio) for here, beyond in zip(upward, downward, strict=True)], between(missing)


def _behind(side: Side | None, ratio: Weight) -> Weight:
    """The sum of a geometric side's masses, j steps beyond the end times ratio^(j - 1)."""
    if side is None or side.rate is None:
        return zero
    return side.level * side.rate.ratio / (1 - side.rate.ratio * ratio)


def _swept(weights: Sequence[Weight], ratio: Weight, behind: Weight, place: int, count: int) -> list[Weight]:
    """Sums of weights, each times the ratio for every place that lies behind it, at `count` places from this one on.

    The first weight stands at 0; `behind` is what has been swept together at -1.
    """
    before = max(-1 - place, 0)
    sums = [zero] * before + list(accumulate(weights, lambda swept, weight: swept * ratio + weight, initial=behind))
    start = before + place + 1
    while len(sums) < start + count:
        sums.append(sums[-1] * ratio)
    return sums[start : start + count]


def _whole_laplace(factor: Known) -> TwoSided | None:
    """The law of discrete Laplace noise that has not been restricted."""
    if not isinstance(factor, Lawful) or factor.low is not None or factor.high is not None:
        return None
    return factor.law if isinstance(factor.law, TwoSided) else None


def _product(one: Sequence[Weight], other: Sequence[Weight]) -> list[Weight]:
    """The coefficients of the product; flint's blocked multiplication keeps the relative precision of far coefficients."""
    length = len(one) + len(other) - 1
    if all(map(is_exact, one)) and all(map(is_exact, other)):
        exact = fmpq_poly(list(one)) * fmpq_poly(list(other))
        return [exact[i] for i in range(length)]
    balls = arb_poly([ball(weight) for weight in one]) * arb_poly([ball(weight) for weight in other])
    return [balls[i] for i in range(length)]


def _spilled(tables: Sequence[Tabled], end: int) -> Weight:
    """A bound on the mass of the sum above `end`: one of the two is then above its share."""
    one, other = tables
    share = end - other.end
    return one.above(share + 1, share + 1)[0] * other.total + other.above(other.end + 1, other.end + 1)[0] * one.total


@dataclass(frozen=True)
class _Half:
    """One of two laws in one direction (upward, after mirroring): its tail's rate, the edge where it begins, the mass there."""

    table: Tabled
    rate: Rate | None
    edge: int
    mass: Weight

    @staticmethod
    def of(factor: Known, table: Tabled, way: int) -> _Half:
        if not isinstance(factor, Lawful):
            return _Half(table, None, 0, 0)
        low = factor.low if way > 0 else factor.high
        regular = factor.law.regular[1 if way > 0 else 0]
        edge = regular if low is None else way * max(way * regular, way * low)
        return _Half(table, factor.tail_rate(edge, way), way * edge, factor.law.mass(edge))


def _beyond(halves: list[_Half], last: Weight, end: int) -> Side | None:
    """The side of the sum above `end`, if the tail of one law is geometric and that of the other is faster."""
    for slow, fast in (halves, halves[::-1]):
        if slow.rate is None or end < slow.edge:
            continue
        growth = _growth(fast.table, slow.rate)
        if growth is not None:
            limit = slow.mass * slow.rate.ratio ** (end - slow.edge) * growth
            return Side.geometric(slow.rate, span(last, limit))
    return None


def _growth(table: Tabled, rate: Rate) -> Weight | None:
    """The sum of mass(k) ratio^-k over all k; None if it is not known to converge."""
    r = rate.ratio
    inside = zero
    for weight in reversed(table.weights):
        inside = inside / r + weight
    inside = inside * r**-table.start
    if table.over is not None:
        faster = None if table.over.rate is None else table.over.rate.ratio / r
        if table.over.rate is None or faster is None or not faster < 1:
            return None
        inside = inside + table.over.level * r**-table.end * faster / (1 - faster)
    if table.under is None:
        return inside
    scale = r ** -(table.start - 1)
    if table.under.rate is None:
        return inside + between(table.under.bound * scale)
    both = table.under.rate.ratio * r
    return inside + table.under.level * r**-table.start * both / (1 - both)
