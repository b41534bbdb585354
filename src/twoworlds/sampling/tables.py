"""Strips as arrays: a million draws at a time.

The first bits of a uniform number look up a column's sure part, which is nearly always all there is to do. The few numbers that
hit a rest have their other bits drawn and are compared with certified bounds on the depth (`bounds`); the very few that lie
between the bounds are settled one by one in ball arithmetic.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from twoworlds.sampling.bounds import Bounds, bounds_of
from twoworlds.sampling.entropy import Stream
from twoworlds.sampling.strips import Strips

__all__ = ["Table"]

_CHUNK = 1 << 18  # draws at a time: keeps the scratch arrays within a few megabytes

Integers = NDArray[np.int64]
Words = NDArray[np.uint64]
Machine = NDArray[np.unsignedinteger[Any]]


class Table:
    """A law's strips, ready for vector draws."""

    def __init__(self, strips: Strips) -> None:
        guide, columns = strips.cut.guide, len(strips.starts)
        outside = [0] * (len(strips.ends) + 1 - columns)  # tails, and what nothing owns
        self.strips = strips
        self.sure = sum(strips.sure)
        self.starts = np.array([*strips.starts, *outside], np.int64)
        self.bits = np.array([*strips.bits, *outside], np.uint8)
        self.ends = np.array(strips.ends, np.uint64)
        self.begins = np.array([0, *strips.ends], np.uint64)
        self.bounds: Bounds = bounds_of(strips)
        owners = np.repeat(np.arange(columns), np.array(strips.sure))
        self.guide = np.zeros(1 << guide, np.int64)
        self.guide[: self.sure] = self.starts[owners]
        self.kind, self.shift = self._members(owners, 1 << guide)

    def _members(self, owners: NDArray[np.intp], size: int) -> tuple[type[np.unsignedinteger[Any]] | None, int | Machine]:
        """The machine word that picks a member of a column, and by how much to shift it: one number, or one per guide entry."""
        widest = int(self.bits.max())
        if widest == 0:
            return None, 0
        kind = next(kind for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if np.iinfo(kind).bits >= widest)
        shifts: Machine = (np.iinfo(kind).bits - self.bits).astype(kind)
        if (self.bits[owners] == widest).all():
            return kind, int(shifts[owners[0]]) if len(owners) else 0
        shift: Machine = np.zeros(size, kind)
        shift[: self.sure] = shifts[owners]
        return kind, shift

    def draw(self, count: int, stream: Stream) -> Integers:
        """`count` independent draws."""
        drawn = np.empty(count, np.int64)
        for begin in range(0, count, _CHUNK):
            self._fill(drawn[begin : begin + _CHUNK], stream)
        return drawn

    def _fill(self, drawn: Integers, stream: Stream) -> None:
        first = self._first(len(drawn), stream)
        np.take(self.guide, first, out=drawn, mode="clip")  # `clip` spares numpy a checking pass; no index is out of range
        if self.kind is not None:
            shift = self.shift if isinstance(self.shift, int) else self.shift[first]
            drawn += (stream.array(len(drawn), self.kind) >> shift).astype(np.int64, copy=False)
        if self.sure < len(self.guide):
            hits = np.flatnonzero(first >= self.sure)
            if len(hits):
                drawn[hits] = self._rest(first[hits], stream)

    def _first(self, count: int, stream: Stream) -> Machine:
        """The bits that the guide looks at."""
        first: Machine = stream.array(count, np.uint16)
        return first if self.strips.cut.guide == 16 else first >> np.uint16(16 - self.strips.cut.guide)

    def _rest(self, first: Machine, stream: Stream) -> Integers:
        """Draws for numbers that hit no sure part."""
        low = self.strips.cut.length - self.strips.cut.guide
        words: Words = (first.astype(np.uint64) - np.uint64(self.sure)) << np.uint64(low)
        words |= stream.array(len(first), np.uint64) >> (64 - low)
        index = np.searchsorted(self.ends, words, side="right")
        offsets = words - self.begins[index]
        members: Words = stream.array(len(first), np.uint64) >> (64 - self.bits[index])
        drawn = self.starts[index] + members.view(np.int64)
        kept, refused = self.bounds.verdict(index, offsets, members)
        for i in np.flatnonzero(~(kept | refused)).tolist():
            settled = self.strips.settle(stream, int(index[i]), int(offsets[i]), int(drawn[i]))
            if settled is None:
                refused[i] = True
            else:
                drawn[i] = settled
        if refused.any():
            drawn[refused] = self.draw(int(refused.sum()), stream)
        return drawn
