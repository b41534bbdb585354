"""Exact sampling from strips: the integers cut into columns, each with a part that is surely kept and a rest that is decided.

Let f be the law's weight and C a constant. Column i is 2^b neighbouring integers; its height at x is h(x) = C 2^b f(x), in units
of which 2^g make up one uniform number. The column owns two intervals of that number:

    sure_i <= min h              a hit is a uniform member of the column, no question asked
    rest_i >= max h - sure_i     a hit at some depth, with a uniform member x, is kept if depth < h(x) - sure_i

and what no column owns means: start over. So x is drawn with probability proportional to 2^-b sure_i + 2^-b (h(x) - sure_i),
which is C f(x): the law itself, whatever the numbers sure_i and rest_i are, as long as both inequalities are certified, and they
are, by ball arithmetic. (For b = 0 this is Marsaglia's decomposition of 1963, for b > 0 the ziggurat turned on its side, except
that nothing is rounded.) Beyond the columns a tail of blocks whose heights at least halve is taken the same way, its block
picked by tossing coins.

Depths are counted in units of 2^-(length - g); a hit inside one unit is decided by `balls.falls_below`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from flint import arb

from twoworlds.sampling.balls import ceiling, falls_below, floor, ratio, working
from twoworlds.sampling.entropy import Stream
from twoworlds.sampling.laws import Law, Unimodal

__all__ = ["Cut", "Strips", "Tail", "cut"]

_LOOK = 16  # columns between two looks at what is left
_MOST_COLUMNS = 1 << 16


@dataclass(frozen=True, slots=True)
class Tail:
    """All integers from `start` on, upwards (step 1) or downwards (step -1), in blocks of 2^bits whose weights at least halve."""

    start: int
    bits: int
    step: int


@dataclass(frozen=True, slots=True)
class Cut:
    """How finely a law is cut.

    `guide` bits of the uniform number pick a sure part; `length` bits are looked at before a comparison is refined. A column is
    about 2^-fine of the law's spread wide or, with `fine` None, as wide as its distance from the peak. Tails hold less than
    about 2^-cover of the law.
    """

    guide: int = 16
    length: int = 64
    fine: int | None = 6
    cover: int = 20


@dataclass(frozen=True, slots=True)
class Strips:
    """A law cut into columns and tails. Lists run over the columns; `ends` runs over the columns, then the tails.

    `ends[i]` is where the i-th rest ends when all are laid end to end. A hit less than `certain[i]` deep is kept for any member.
    """

    law: Law
    cut: Cut
    constant: arb
    starts: tuple[int, ...]
    bits: tuple[int, ...]
    sure: tuple[int, ...]
    certain: tuple[int, ...]
    ends: tuple[int, ...]
    tails: tuple[Tail, ...]

    @property
    def unit(self) -> int:
        """How many depths make up one unit of height."""
        return 1 << (self.cut.length - self.cut.guide)

    def depth(self, index: int, x: int, block: int = 0) -> arb:
        """How deep into the rest of a column, or of a tail's block, hits at x are kept."""
        columns = len(self.starts)
        height: arb = self.constant * self.law.weight(x)
        if index < columns:
            height = height * 2 ** self.bits[index] - self.sure[index]
        else:
            height = height * 2 ** (self.tails[index - columns].bits + block + 1)
        depth: arb = height * self.unit
        return depth

    def settle(self, stream: Stream, index: int, offset: int, x: int) -> int | None:
        """The draw that a hit means, x being its member of the column; None means: start over."""
        if index >= len(self.starts):
            return self._from_tail(stream, index, offset) if index < len(self.ends) else None
        return x if falls_below(stream, offset, lambda: self.depth(index, x)) else None

    def _from_tail(self, stream: Stream, index: int, offset: int) -> int | None:
        """A hit in a tail: block k has probability 2^-(k + 1)."""
        tail, block = self.tails[index - len(self.starts)], 0
        while stream.word() & 1:
            block += 1
        x = tail.start + tail.step * ((block << tail.bits) + stream.bits(tail.bits))
        return x if falls_below(stream, offset, lambda: self.depth(index, x, block)) else None

    def draw(self, stream: Stream) -> int:
        """One draw, for strips that were cut without a guide."""
        while True:
            word = stream.bits(self.cut.length)
            index = bisect_right(self.ends, word)
            offset = word - (self.ends[index - 1] if index else 0)
            member = self.starts[index] + stream.bits(self.bits[index]) if index < len(self.starts) else 0
            drawn = self.settle(stream, index, offset, member)
            if drawn is not None:
                return drawn


@dataclass(frozen=True, slots=True)
class _Column:
    """2^bits integers from `start` on, with the least and the largest weight among them."""

    start: int
    bits: int
    least: arb
    largest: arb


def cut(law: Law, fineness: Cut = Cut()) -> Strips:
    """Cut a law into strips; every inequality that exactness rests on is certified by ball arithmetic."""
    unit = 1 << (fineness.length - fineness.guide)
    with working():
        columns, tails = _columns(law, fineness)
        tops = [column.largest * 2**column.bits for column in columns]
        tops += [law.weight(tail.start) * 2 ** (tail.bits + 1) for tail in tails]
        room = (1 << fineness.length) - len(tops)  # every rest may be rounded up by one
        constant = (ratio(room, unit) / sum(tops, arb(0))).lower()
        least = [constant * column.least * 2**column.bits for column in columns]
        sure = [max(0, floor(height)) for height in least]
        certain = [max(0, floor((height - part) * unit)) for height, part in zip(least, sure, strict=True)]
        taken = [*sure, *[0 for _ in tails]]
        rests = [max(0, ceiling((constant * top - part) * unit)) for top, part in zip(tops, taken, strict=True)]
    ends = tuple(accumulate(rests))
    if sum(sure) * unit + ends[-1] > 1 << fineness.length:
        raise ArithmeticError(f"the strips own more than the whole uniform number ({fineness}); please report this")
    starts, bits = tuple(column.start for column in columns), tuple(column.bits for column in columns)
    return Strips(law, fineness, constant, starts, bits, tuple(sure), tuple(certain), ends, tuple(tails))


def _columns(law: Law, fineness: Cut) -> tuple[list[_Column], list[Tail]]:
    if not isinstance(law, Unimodal):
        weights = [law.weight(x) for x in range(law.size)]
        return [_Column(x, 0, weight, weight) for x, weight in enumerate(weights)], []
    parts = [part for step in (1, -1) for part in _side(law, fineness, step)]
    return [part for part in parts if isinstance(part, _Column)], [part for part in parts if isinstance(part, Tail)]


def _side(law: Unimodal, fineness: Cut, step: int) -> Iterator[_Column | Tail]:
    """The columns from the first peak upwards, or from below it downwards, and the tail once little is left."""
    origin = law.peaks[0] if step > 0 else law.peaks[0] - 1
    mass = law.weight(law.peaks[0])
    near, made = origin, 0
    while law.least is None or near >= law.least:
        bits = _width(law, fineness, abs(near - origin))
        if made and (made % _LOOK == 0 or made & (made - 1) == 0 or fineness.fine is None):
            tail = _tail(law, near, step, max(0, bits - 1))
            if tail is not None and law.weight(near) * 2 ** (tail.bits + 1 + fineness.cover) <= mass:
                yield tail
                return
        if made == _MOST_COLUMNS:
            raise ArithmeticError(f"no tail is found within {made} columns; please report this")
        column = _column(law, near, step, bits)
        mass += column.least * 2**bits
        near += step << bits
        made += 1
        yield column


def _width(law: Unimodal, fineness: Cut, distance: int) -> int:
    """The bits of the column at this distance from the peak."""
    if fineness.fine is None:
        return max(0, distance.bit_length() - 1)
    even = max(0, int(law.spread).bit_length() - 1 - fineness.fine)
    # A log-convex law may climb like a power of x near its peak: there columns widen with the distance.
    return even if law.decay is None else min(even, max(0, distance.bit_length() - fineness.fine))


def _column(law: Unimodal, near: int, step: int, bits: int) -> _Column:
    far = near + step * ((1 << bits) - 1)
    low, high = min(near, far), max(near, far)
    least = largest = law.weight(near)
    if bits:
        end = law.weight(far)
        least, largest = least.min(end), largest.max(end)
    for peak in law.peaks:
        if low < peak < high:
            largest = largest.max(law.weight(peak))
    return _Column(low, bits, least, largest)


def _tail(law: Unimodal, start: int, step: int, bits: int) -> Tail | None:
    """Blocks from `start` on, of 2^bits integers or more, whose weights at least halve; None while there are none this near.

    Log-concave: weight(x + w) / weight(x) falls in x, so what halves from start - w to start halves from there on. Log-convex:
    the ratio is at most decay(w) everywhere.
    """
    if law.decay is not None:
        while not law.decay(1 << bits) * 2 <= 1:
            bits += 1
        return Tail(start, bits, step)
    while (start - (step << bits) - law.peaks[0]) * step >= 0:
        if law.weight(start) * 2 <= law.weight(start - (step << bits)):
            return Tail(start, bits, step)
        bits += 1
    return None
