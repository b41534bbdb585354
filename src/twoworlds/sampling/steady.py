"""Draws whose work does not depend on what is drawn, for releases whose timing may be watched.

Every proposal takes the same steps, whichever part of which column it hits: both look-ups, a binary search of full depth without
branches, both comparisons. A proposal that is refused starts over altogether, and how many are refused says nothing about those
that are kept. What remains:

- a hit that the bounds leave open is settled in ball arithmetic, which takes microseconds. Its probability is below 2^-44 a draw
  where each column is one integer and below 2^-30 otherwise; a tail, settled likewise, is hit with probability below 2^-55;
- the addresses of table entries depend on the draws (a few hundred kilobytes, in the processor's caches), and so may the time of
  single machine instructions.
"""

from __future__ import annotations

import numpy as np
from flint import arb
from numpy.typing import NDArray

from twoworlds.sampling.balls import working
from twoworlds.sampling.bounds import Bounds, Indices, Steps, Verdict, Words
from twoworlds.sampling.entropy import Stream
from twoworlds.sampling.laws import Decline, Law, Unimodal
from twoworlds.sampling.strips import Cut, Strips, cut
from twoworlds.worlds.errors import BadArgument

__all__ = ["Powers", "SteadyTable", "steady_table"]

_CHUNK = 1 << 15
_COVER = 60
_WIDEST = 512  # the largest spread that is cut into columns of one integer
_TERMS = 12  # exp(d) for |d| <= 1/4 by so many terms: the rest is below 2^-52
_STEEPEST = 0.25
# Fewer than 64 roundings, each of at most 2^-53 of the height, and the rest of the series.
_ROUNDING = 2.0**-45


def steady_table(law: Law) -> SteadyTable:
    """A law cut so that nothing needs to be settled one by one, but with the probabilities stated above."""
    if isinstance(law, Unimodal) and law.decline is None:
        if law.spread > _WIDEST:
            raise BadArgument(
                "constant_time",
                True,
                f"is not offered for this law where its spread is more than {_WIDEST} grid steps",
                "Give a coarser grid, or draw Laplace or Gaussian noise instead",
            )
        return SteadyTable(cut(law, Cut(fine=64, cover=_COVER)))
    return SteadyTable(cut(law, Cut(cover=_COVER)))


class SteadyTable:
    """A law's strips, ready for vector draws of constant work."""

    def __init__(self, strips: Strips) -> None:
        outside = [0] * (len(strips.ends) + 1 - len(strips.starts))  # tails, and what nothing owns
        self.strips = strips
        self.sure = np.uint64(sum(strips.sure))
        self.starts = np.array([*strips.starts, *outside], np.int64)
        self.bits = np.array([*strips.bits, *outside], np.uint8)
        self.begins = np.array([0, *strips.ends], np.uint64)
        self.owners = np.zeros(1 << strips.cut.guide, np.intp)
        self.owners[: int(self.sure)] = np.repeat(np.arange(len(strips.sure)), np.array(strips.sure))
        size = 1 << len(strips.ends).bit_length()
        self.ends = np.full(size - 1, np.iinfo(np.uint64).max, np.uint64)
        self.ends[: len(strips.ends)] = strips.ends
        decline = strips.law.decline if isinstance(strips.law, Unimodal) else None
        self.bounds: Bounds = Powers(strips, decline) if any(strips.bits) and decline is not None else Steps(strips)

    def draw(self, count: int, stream: Stream) -> NDArray[np.int64]:
        """`count` independent draws."""
        drawn = np.empty(count, np.int64)
        done = 0
        while done < count:
            kept = self._propose(min(_CHUNK, count - done), stream)
            drawn[done : done + len(kept)] = kept
            done += len(kept)
        return drawn

    def _propose(self, count: int, stream: Stream) -> NDArray[np.int64]:
        """The draws that are kept of so many proposals."""
        low = self.strips.cut.length - self.strips.cut.guide
        words: Words = stream.array(count, np.uint64) >> np.uint64(64 - self.strips.cut.length)
        raw = stream.array(count, np.uint64)
        first = words >> np.uint64(low)
        inside = first < self.sure
        rest: Words = words - (self.sure << np.uint64(low))  # wraps around where `inside`, and is not used there
        searched = self._search(rest)
        index = np.where(inside, self.owners[first], searched)
        members: Words = raw >> (64 - self.bits[index])
        offsets = rest - self.begins[searched]
        drawn = self.starts[index] + members.view(np.int64)
        kept, refused = self.bounds.verdict(index, offsets, members)
        kept |= inside
        for i in np.flatnonzero(~(kept | refused)).tolist():
            settled = self.strips.settle(stream, int(index[i]), int(offsets[i]), int(drawn[i]))
            if settled is not None:
                drawn[i], kept[i] = settled, True
        return drawn[kept]

    def _search(self, words: Words) -> Indices:
        """How many ends are no more than each word: always the same number of steps, and no branch."""
        index = np.zeros(len(words), np.intp)
        step = (len(self.ends) + 1) // 2
        while step:
            index += step * (self.ends[index + (step - 1)] <= words)
            step //= 2
        return np.minimum(index, len(self.strips.ends))


class Powers:
    """Columns of a weight in closed form: the depth at every member to about 2^-45 of the height.

    From the column's start a to x = a + t w the exponent changes by d = alpha t + beta t^2, at most 1/4, and exp(-d) is summed as
    a power series: no library's exponential is taken on trust. For the Gaussian rounded to the grid, with z = |x| / sigma,
    h = 1 / (2 sigma) and c = (z^2 - 1) h^2 / 2, the mean of exp(-t^2 / (2 sigma^2)) over the cell of x is its value at x times
    the integral of cosh(z h v) exp(-h^2 v^2 / 2) over 0 <= v <= 1, which lies between

        1 + c / 3 - z^2 h^4 / 20      (cosh y >= 1 + y^2 / 2, exp(-y) >= 1 - y)
        1 + c / 3 + 0.12 c^2          (cosh y <= exp(y^2 / 2); exp(y) <= 1 + y + 0.6 y^2 for y <= 1/2)
    """

    def __init__(self, strips: Strips, decline: Decline) -> None:
        outside = len(strips.tails) + 1
        with working():
            rows = [_row(strips, decline, index) for index in range(len(strips.starts))]
            sigma = float((1 / (2 * decline.square())).sqrt().mid()) if decline.rounded else 0.0
        table = np.array([*rows, *[(0.0, 0.0, 0.0) for _ in range(outside)]])
        self._value, self._linear, self._square = table.T.copy()
        if np.abs(self._linear).max() + self._square.max() > _STEEPEST:
            raise ArithmeticError("a column is too wide for its series; please report this")
        self._sigma = sigma
        self._starts = np.array([*strips.starts, *[0] * outside], np.float64)
        self._sure = np.array([*strips.sure, *[0] * outside], np.float64) * float(strips.unit)
        self._width = 2.0 ** np.array([*strips.bits, *[0] * outside])
        self._columns, self._unowned = len(strips.starts), len(strips.ends)

    def verdict(self, index: Indices, offsets: Words, members: Words) -> Verdict:
        share = members / self._width[index]
        change = -share * (self._linear[index] + share * self._square[index])
        series = np.ones_like(change)
        for term in range(_TERMS, 0, -1):
            series = 1 + series * change / term
        height = self._value[index] * series
        least, most = self._cell(self._starts[index] + members) if self._sigma else (1.0, 1.0)
        depth, sure, columns = offsets.astype(np.float64), self._sure[index], index < self._columns
        kept = (depth + 2 <= height * least * (1 - _ROUNDING) - sure) & columns
        refused = (depth >= height * most * (1 + _ROUNDING) + 2 - sure) & columns
        return kept, refused | (index == self._unowned)

    def _cell(self, x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Bounds on the mean over the cell of x, divided by the value at x."""
        half = 0.5 / self._sigma
        square = (x / self._sigma) ** 2
        bend = (square - 1) * (half * half / 2)
        return 1 + bend / 3 - square * half**4 / 20, 1 + bend / 3 + 0.12 * bend * bend


def _row(strips: Strips, decline: Decline, index: int) -> tuple[float, float, float]:
    """The height at the start of a column, in depths, and the coefficients of the exponent's change across it."""
    start, width = strips.starts[index], 1 << strips.bits[index]
    linear, square = decline.linear(), decline.square()
    exponent = linear * abs(start) + square * start * start
    value = strips.constant * (strips.unit * width) * decline.value() * (-exponent).exp()
    side = 1 if start >= 0 else -1
    return _near(value), _near(width * (side * linear + 2 * start * square)), _near(width * width * square)


def _near(value: arb) -> float:
    """A float within 2^-52 of a ball that is much narrower than that."""
    return float(value.mid())
