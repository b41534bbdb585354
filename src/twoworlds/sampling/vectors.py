"""Lists of numbers on the grid, as arrays: what a card's array operations run on.

Entries are held as counts of grid steps in 64-bit integers, with a bound on their size carried along; where a result might
not fit, the counts become Python integers. So every operation is exact, as it is in the program that was parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.grid import GridNumber

__all__ = ["Vector"]

_FITS = 1 << 62


class Vector:
    """An exact array of grid numbers; combines with equally long ones and with single numbers, entry by entry."""

    __slots__ = ("bound", "counts", "grid")

    def __init__(self, counts: Any, grid: Fraction, bound: int | None = None) -> None:
        array = np.asarray(counts)
        if bound is None:
            bound = max((abs(int(array.max())), abs(int(array.min())))) if array.size else 0
        self.counts = array.astype(object) if bound >= _FITS and array.dtype != object else array
        self.grid = grid
        self.bound = bound

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[Any]:
        counts = self.counts.tolist()
        return iter(counts) if self.grid == 1 else (GridNumber(count, self.grid) for count in counts)

    def __getitem__(self, index: int) -> Any:
        count = int(self.counts[index])
        return count if self.grid == 1 else GridNumber(count, self.grid)

    def _steps(self, other: Any) -> tuple[Any, int]:
        """The other operand as counts of this grid, and a bound on them."""
        if isinstance(other, Vector):
            if len(other) != len(self):
                raise BadArgument("lists", (len(self), len(other)), "have different lengths", "Combine lists of one length")
            if other.grid == self.grid:
                return other.counts, other.bound
            ratio = self._whole(other.grid)
            return other.counts.astype(object) * ratio, other.bound * ratio
        steps = self._whole(other)
        return steps, abs(steps)

    def _whole(self, value: Any) -> int:
        """A number in steps of this grid."""
        steps = Fraction(value) / self.grid
        if steps.denominator != 1:
            raise BadArgument(
                "number", value, f"is no multiple of the grid {self.grid}", "Round it to the grid, or make the grid finer"
            )
        return int(steps)

    def _combine(self, other: Any, operation: Callable[[Any, Any], Any], *, swap: bool = False) -> Vector:
        counts, bound = self._steps(other)
        total = self.bound + bound
        mine: Any = self.counts
        if total >= _FITS:
            mine = mine.astype(object)
            counts = counts.astype(object) if isinstance(counts, np.ndarray) else counts
        return Vector(operation(counts, mine) if swap else operation(mine, counts), self.grid, total)

    def __add__(self, other: Any) -> Vector:
        return self._combine(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Vector:
        return self._combine(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Vector:
        return self._combine(other, lambda a, b: a - b, swap=True)

    def __neg__(self) -> Vector:
        return Vector(-self.counts, self.grid, self.bound)

    def __mul__(self, factor: Any) -> Vector:
        whole = Fraction(factor)
        if whole.denominator != 1:
            raise BadArgument(
                "factor", factor, "is not a whole number", "Multiply lists by whole numbers, so that they stay on the grid"
            )
        bound = self.bound * abs(int(whole))
        counts = self.counts.astype(object) if bound >= _FITS else self.counts
        return Vector(counts * int(whole), self.grid, bound)

    __rmul__ = __mul__

    def clip(self, low: Any, high: Any) -> Vector:
        least, most = self._whole(low), self._whole(high)
        return Vector(np.clip(self.counts, least, most), self.grid, max(abs(least), abs(most)))

    def cumsum(self) -> Vector:
        bound = self.bound * max(1, len(self))
        counts = self.counts.astype(object) if bound >= _FITS else self.counts
        return Vector(np.cumsum(counts), self.grid, bound)

    def argmax(self) -> int:
        return int(np.argmax(self.counts))
