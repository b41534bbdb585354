"""Weights by the value of one shared draw, for many outputs at once: floats with a proven error.

Everything is a sum of products of probabilities, so nothing cancels. Write u = 2^-53. A factor is converted to a float within a
relative 2^-52, and a product rounds by u: after n factors an entry is off by less than n 2^-51 of itself. What underflows is
added up in `floor`, an absolute error, kept small by powers of two taken out of each row. A sum of K such entries, in whatever
order, adds K u (Higham 2002, Accuracy and Stability of Numerical Algorithms, sections 3.1 and 4.2). Beyond both ends of the
window an upper bound stands in for the values of the draw: one column each, which the upper end of every total contains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from twoworlds.exact.factors import Lawful
from twoworlds.exact.trails import Untraced, Weigh
from twoworlds.exact.weights import Weight, ball, vanishes

__all__ = ["Columns", "Window"]

_TINY = 2.0**-1000  # what is below this becomes 0, with this as its error
_WIDEST = 20_000  # values of the shared draw
_SMALL = -200  # a row whose largest entry has an exponent below this is scaled up

Vector = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Window:
    """The values of the shared draw that are reckoned one by one, wide enough that its tails are regular and rare outside."""

    low: int
    high: int

    @staticmethod
    def of(shared: Lawful, weighs: Iterable[Weigh], cut: Fraction) -> Window:
        """The draw's own window on both sides of everything that it is compared with."""
        first, last = shared.law.window(cut)
        low = high = 0
        for event in weighs:
            reach = event.line.reach(event.gone)
            if reach is None:
                raise Untraced
            low, high = min(low, reach[0]), max(high, reach[1])
        low, high = low + first, high + last
        if shared.low is not None:
            low, high = max(low, shared.low), max(high, shared.low + last - first)
        if shared.high is not None:
            low, high = min(low, shared.high + first - last), min(high, shared.high)
            low = low if shared.low is None else max(low, shared.low)
        if high - low >= _WIDEST:
            raise Untraced
        return Window(low, high)

    def masses(self, shared: Lawful) -> Vector:
        """The law of the draw."""
        outside = shared.below(self.low - 1, self.low - 1)[0], shared.above(self.high + 1, self.high + 1)[0]
        return _floats(shared.at(self.low, self.high), outside)

    def chances(self, event: Weigh) -> Vector:
        """The chance of the draw that is gone, for each value of the shared one."""
        line, gone = event.line, event.gone
        outside = line.most(gone, None, self.low - 1), line.most(gone, self.high + 1, None)
        return _floats(line.chances(gone, self.low, self.high), outside)


def _floats(weights: Sequence[Weight], outside: tuple[Weight, Weight]) -> Vector:
    """The nearest floats, each checked; then upper bounds for what is below and above."""
    ends = [end if vanishes(end) else ball(end).upper() for end in outside]
    return np.array([_float(weight) for weight in (*weights, *ends)])


def _float(weight: Weight) -> float:
    number = ball(weight)
    value = float(number.mid())
    if value < 2 * _TINY and number < _TINY:
        return 0.0
    if not abs(number - value) <= value * 2.0**-52:
        raise Untraced
    return value


@dataclass(frozen=True, eq=False)
class Columns:
    """One row for each table, one column for each value of the shared draw and two for what lies beyond.

    True weights are (entries, off by `factors` roundings and by `floor`) * 2^exponents.
    """

    entries: Vector
    exponents: np.ndarray[Any, np.dtype[np.int64]]
    floor: Vector
    factors: int

    @staticmethod
    def opened(masses: Vector) -> Columns:
        """A single row: the law itself."""
        return Columns(masses[None, :], np.zeros(1, np.int64), np.full(1, _TINY), 1)

    @staticmethod
    def stacked(parts: Sequence[tuple[Columns, Sequence[int]]]) -> Columns:
        """The chosen rows of each part, below one another."""
        entries, exponents, floor = (
            np.concatenate([getattr(columns, name)[list(rows)] for columns, rows in parts])
            for name in ("entries", "exponents", "floor")
        )
        return Columns(entries, exponents, floor, max(columns.factors for columns, _ in parts))

    def times(self, chances: Vector) -> Columns:
        """Every row times the same factors, none above 1: so an absolute error never grows by that."""
        floor = self.floor * (1 + 2.0**-40) + 2 * _TINY
        return Columns(self.entries * chances, self.exponents, floor, self.factors + 1).scaled()

    def scaled(self) -> Columns:
        """The same, rows of small entries scaled up by powers of two."""
        shifts = np.frexp(self.entries.max(axis=1))[1].astype(np.int64)
        small = shifts < _SMALL
        if not small.any():
            return self
        shifts = np.where(small, shifts, 0)
        entries = np.ldexp(self.entries, -shifts[:, None])
        return Columns(entries, self.exponents + shifts, np.ldexp(self.floor, -shifts), self.factors)

    def totals(self) -> list[arb]:
        """The shared draw summed out of each row."""
        inside, outside = self.entries[:, :-2].sum(axis=1), self.entries[:, -2:].sum(axis=1)
        width = self.entries.shape[1]
        relative = (self.factors + 1) * 2.0**-51 + width * 2.0**-52
        radii = 1.01 * (inside * relative + outside + width * self.floor)
        if not (inside > 2 * radii).all():
            raise Untraced  # too much has underflowed
        power = arb(2)
        return [
            arb(middle, radius) * power**exponent
            for middle, radius, exponent in zip(inside.tolist(), radii.tolist(), self.exponents.tolist(), strict=True)
        ]
