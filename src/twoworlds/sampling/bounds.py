"""Certified bounds on how deep a hit in a column's rest is kept: quick to compare with, for a whole array of hits.

Columns of one integer have one depth, bounded by two whole numbers. In wider columns bounds on the depth follow from ball
arithmetic at four points and from convexity alone; no exponential is evaluated, so no accuracy of one is taken on trust.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Protocol

import numpy as np
from flint import arb
from numpy.typing import NDArray

from twoworlds.sampling.balls import working
from twoworlds.sampling.laws import Unimodal
from twoworlds.sampling.strips import Strips

__all__ = ["Bounds", "Chords", "Steps", "bounds_of"]

# Fewer than 16 roundings, each of at most 2^-53 of the height, lie between these bounds and the balls they come from.
_ROUNDING = 2.0**-46
_HUGE = 1e300  # stands for infinity where infinity times zero would be no number

Indices = NDArray[np.intp]
Words = NDArray[np.uint64]
Verdict = tuple[NDArray[np.bool_], NDArray[np.bool_]]


class Bounds(Protocol):
    def verdict(self, index: Indices, offsets: Words, members: Words) -> Verdict:
        """Which hits are certainly kept, and which certainly mean to start over; tails are neither, unowned hits the latter."""
        ...


def bounds_of(strips: Strips) -> Bounds:
    return Chords(strips) if any(strips.bits) else Steps(strips)


class Steps:
    """Columns of one integer each: the depth lies between two neighbouring whole numbers."""

    def __init__(self, strips: Strips) -> None:
        outside = [0] * (len(strips.tails) + 1)
        self._certain = np.array([*strips.certain, *outside], np.uint64)
        self._unowned = len(strips.ends)

    def verdict(self, index: Indices, offsets: Words, _: Words) -> Verdict:
        return offsets < self._certain[index], index == self._unowned


class Chords:
    """Columns a to a + w of a log-concave weight f, with b = a + w and x = a + t w:

        f(x) >= f(a)^(1 - t) f(b)^t                >= 1 / ((1 - t) / f(a) + t / f(b))
        f(x) <= f(a) (f(a) / f(a - w))^t           <= f(a) (1 + t (f(a) / f(a - w) - 1))
        f(x) <= f(b) (f(b) / f(b + w))^(1 - t)     <= f(b) (1 + (1 - t) (f(b) / f(b + w) - 1))

    On the left, log f lies above its chord and below its neighbours' chords drawn on; on the right, the inequality of the
    harmonic, geometric and arithmetic means. For a log-convex weight the first two change sides:

        f(x) <= (1 - t) f(a) + t f(b)
        f(x) >= 1 / ((1 - t) / f(a) + t f(a - w) / f(a)^2)
    """

    def __init__(self, strips: Strips) -> None:
        weight = cache(strips.law.weight)
        with working():
            rows = [_row(strips, index, weight) for index in range(len(strips.starts))]
        # In a tail nothing is certain: the lower bound is 0, the upper one huge.
        outside = [0] * (len(strips.tails) + 1)
        open_ended = (_HUGE, _HUGE, _HUGE, 0.0, _HUGE, 0.0, _HUGE)
        table = np.array([*rows, *[open_ended for _ in outside]])
        self._near, self._far, self._first, self._rise, self._last, self._fall, self._scale = table.T.copy()
        self._unowned = len(strips.ends)
        self._sure = np.array([*strips.sure, *outside], np.float64) * float(strips.unit)
        self._width = 2.0 ** np.array([*strips.bits, *outside])

    def verdict(self, index: Indices, offsets: Words, members: Words) -> Verdict:
        share = members / self._width[index]
        rest = 1 - share
        lower = 1 / (rest * self._near[index] + share * self._far[index])
        upper = np.minimum(
            self._first[index] + share * self._rise[index],
            self._last[index] + rest * self._fall[index],
        )
        depth, sure = offsets.astype(np.float64), self._sure[index]
        kept = depth + 2 <= lower * (1 - _ROUNDING) - sure
        refused = depth >= upper * (1 + _ROUNDING) + (_ROUNDING * self._scale[index] + 2) - sure
        return kept, refused | (index == self._unowned)


def _row(strips: Strips, index: int, weight: Callable[[int], arb]) -> tuple[float, ...]:
    """Ends of the harmonic bound; value and rise of the bound drawn on from the left, and from the right; the largest value."""
    law, start, width = strips.law, strips.starts[index], 1 << strips.bits[index]
    height = strips.constant * (strips.unit * width)
    values = [height * weight(start + i * width) for i in (-1, 0, 1, 2)]
    low, high = [float(value.lower()) for value in values], [float(value.upper()) for value in values]
    scale = max(high[1], high[2])
    if isinstance(law, Unimodal) and law.decay is not None:
        steep = high[0] * _inverse(low[1]) * _inverse(low[1]) if low[0] > 0 else _HUGE
        return _inverse(low[1]), min(steep, _HUGE), high[1], high[2] - high[1], _HUGE, 0.0, scale
    return _inverse(low[1]), _inverse(low[2]), *_drawn_on(low[0], high[1]), *_drawn_on(low[3], high[2]), scale


def _inverse(value: float) -> float:
    return min(1 / value, _HUGE) if value > 0 else _HUGE


def _drawn_on(beyond: float, value: float) -> tuple[float, float]:
    """A chord through a neighbour, drawn on into the column: where it begins and by how much it rises across."""
    if beyond <= 0 or value <= 0:
        return _HUGE, 0.0
    return value, min(value * (value / beyond - 1), _HUGE)
