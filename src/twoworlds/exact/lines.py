"""A comparison of two draws, seen from one of them: which values of the other satisfy it, and how likely that is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

from twoworlds.exact.encodings import whole
from twoworlds.exact.factors import Known, Tabled, zero
from twoworlds.exact.tails import STILL, Rate, Side
from twoworlds.exact.unseen import Linear
from twoworlds.exact.weights import Weight, span, vanishes

__all__ = ["FLIPPED", "NEGATED", "Condition", "Line", "ranges"]

NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_WIDEST = 50_000


@dataclass(frozen=True, eq=False)
class Condition:
    """`form op 0`, a question about undrawn noise."""

    form: Linear
    op: str

    @property
    def negated(self) -> Condition:
        return Condition(self.form, NEGATED[self.op])

    @property
    def draws(self) -> list[int]:
        return [draw for draw, _ in self.form.terms]

    def alone(self) -> tuple[int, str, Fraction]:
        """Of a single draw: `draw op bound`."""
        ((draw, factor),) = self.form.terms
        return draw, self.op if factor > 0 else FLIPPED[self.op], -self.form.offset / factor

    def about(self, draw: int) -> tuple[int, Line]:
        """Of two draws: the other one, and the line that this one must satisfy for each of its values."""
        factors = dict(self.form.terms)
        scale = factors.pop(draw)
        ((other, slope),) = factors.items()
        line = Line(self.op if scale > 0 else FLIPPED[self.op], whole(-slope / scale), whole(-self.form.offset / scale))
        return other, line


def ranges(op: str, bound: Fraction) -> list[tuple[int | None, int | None]]:
    """The integers k with `k op bound`, as ranges."""
    if op == ">=":
        return [(math.ceil(bound), None)]
    if op == ">":
        return [(math.floor(bound) + 1, None)]
    if op == "<=":
        return [(None, math.floor(bound))]
    if op == "<":
        return [(None, math.ceil(bound) - 1)]
    whole = bound.denominator == 1
    if op == "==":
        return [(int(bound), int(bound))] if whole else []
    return [(None, int(bound) - 1), (int(bound) + 1, None)] if whole else [(None, None)]


@dataclass(frozen=True)
class Line:
    """`x op slope * y + offset`, as a question about x for every y; whole numbers are ints, which are quick to reckon with."""

    op: str
    slope: Fraction | int
    offset: Fraction | int

    def weigh(self, gone: Known, kept: Known, cut: Fraction) -> Tabled | None:
        """The table of y with x summed out: each weight times the chance of x; None if nothing is left."""
        table = kept.tabled(cut, self.reach(gone))
        weights = tuple(map(mul, table.weights, self.chances(gone, table.start, table.end)))
        under = self._side(gone, table.under, table.start - 1, -1)
        over = self._side(gone, table.over, table.end + 1, 1)
        if under is None and over is None and all(map(vanishes, weights)):
            return None
        return Tabled(table.start, weights, under, over)

    def chances(self, factor: Known, first: int, last: int) -> list[Weight]:
        """The mass of x that satisfies it, for each y in first..last."""
        if self.op == "!=":
            hits = Line("==", self.slope, self.offset).chances(factor, first, last)
            return [factor.total - hit for hit in hits]
        if abs(self.slope) != 1:
            return [self.chance(factor, y) for y in range(first, last + 1)]
        if self.op == "==" and self.offset.denominator != 1:
            return [zero] * (last - first + 1)
        read, shift = _READERS[self.op](self.offset)
        if self.slope > 0:
            return read(factor, first + shift, last + shift)
        return read(factor, shift - last, shift - first)[::-1]

    def chance(self, factor: Known, y: int) -> Weight:
        """The mass of x that satisfies it for this y."""
        bound = self.slope * y + self.offset
        if self.op == "!=":
            return factor.total - Line("==", self.slope, self.offset).chance(factor, y)
        if self.op == "==" and bound.denominator != 1:
            return zero
        read, k = _READERS[self.op](bound)
        return read(factor, k, k)[0]

    def most(self, factor: Known, low: int | None, high: int | None) -> Weight:
        """A bound on the mass of x that satisfies it, over all y from low to high."""
        if self.op in ("==", "!="):
            return factor.total
        end = high if self._grows(1) else low
        return factor.total if end is None else self.chance(factor, end)

    def _grows(self, way: int) -> bool:
        """Whether more of x satisfies it as y moves this way."""
        return (self.slope * way > 0) == (self.op in ("<", "<="))

    def reach(self, gone: Known) -> tuple[int, int] | None:
        """The values of y for which x is asked about its irregular middle; outside, chances are geometric or nearly constant."""
        ends = sorted(
            (end - self.offset) * self.slope if abs(self.slope) == 1 else Fraction(end - self.offset) / self.slope
            for end in gone.core
        )
        reach = math.floor(ends[0]) - 2, math.ceil(ends[1]) + 2
        return reach if reach[1] - reach[0] <= _WIDEST and max(map(abs, reach)) <= _WIDEST else None

    def _side(self, gone: Known, side: Side | None, first: int, way: int) -> Side | None:
        """What becomes of the mass of y from `first` on, in one direction."""
        if side is None:
            return None
        trend = self._trend(gone, first, way)
        if side.rate is not None and trend is not None:
            level, rate = trend
            return Side.geometric(side.rate.times(rate), side.level * level)
        most = self.most(gone, *((first, None) if way > 0 else (None, first)))
        return Side.bounded(side.total * most)

    def _trend(self, factor: Known, first: int, way: int) -> tuple[Weight, Rate] | None:
        """Level and rate with chance(first + way * (j - 1)) in level * ratio^j for every j >= 1; None where there are none."""
        here = self.chance(factor, first)
        if self.op not in ("==", "!=") and self._grows(way):
            return span(here, factor.total), STILL
        towards = 1 if self.slope * way > 0 else -1
        rate = factor.tail_rate(self._threshold(first), towards) if self.slope.denominator == 1 else None
        if self.op == "!=":
            return span(zero if rate is None else here, factor.total), STILL
        never = self.op == "==" and self.slope.denominator == 1 and self.offset.denominator != 1
        if never or (vanishes(here) and (rate is not None or self.op != "==")):
            return zero, STILL
        if rate is None:
            return None
        steep = rate.power(abs(int(self.slope)))
        return here / steep.ratio, steep

    def _threshold(self, y: int) -> int:
        """The first x, going outward, whose mass counts at this y."""
        return _READERS["==" if self.op == "!=" else self.op](self.slope * y + self.offset)[1]


_READERS: dict[str, Callable[[Fraction | int], tuple[Callable[[Any, int, int], list[Weight]], int]]] = {
    ">=": lambda bound: (lambda factor, first, last: factor.above(first, last), math.ceil(bound)),
    ">": lambda bound: (lambda factor, first, last: factor.above(first, last), math.floor(bound) + 1),
    "<=": lambda bound: (lambda factor, first, last: factor.below(first, last), math.floor(bound)),
    "<": lambda bound: (lambda factor, first, last: factor.below(first, last), math.ceil(bound) - 1),
    "==": lambda bound: (lambda factor, first, last: factor.at(first, last), math.floor(bound)),
}
