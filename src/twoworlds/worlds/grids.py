"""The public grid: private numbers are rounded to multiples of it, sensitivities are rounded up to one.

Rounding must keep neighbours neighbours. `nearest` is floor(x/g + 1/2) * g: it is monotone and commutes with every shift by a
multiple of g, so |x - y| <= n g implies x <= y + n g, nearest(x) <= nearest(y) + n g, and the same with x and y exchanged: two
numbers at most b apart stay within ceil(b/g) g. Rounding halves to even, as Python's `round` does, is monotone but commutes with
no odd shift: it sends 1/2 and 3/2, one apart, to 0 and 2. Never round a private number with it.
"""

from __future__ import annotations

import math
from fractions import Fraction

from twoworlds.worlds.rationals import exact, positive

__all__ = ["nearest", "on_grid", "rounded_up"]


def nearest(value: object, grid: object, argument: str = "value") -> Fraction:
    """The multiple of the grid nearest to the value; halves go up."""
    step = positive(grid, "grid")
    return math.floor(exact(value, argument) / step + Fraction(1, 2)) * step


def rounded_up(value: object, grid: object, argument: str = "value") -> Fraction:
    """The least multiple of the grid that is the value or more: what a sensitivity becomes when the data are rounded."""
    step = positive(grid, "grid")
    return math.ceil(exact(value, argument) / step) * step


def on_grid(value: object, grid: object, argument: str = "value") -> bool:
    """Whether the value is a multiple of the grid."""
    return (exact(value, argument) / positive(grid, "grid")).denominator == 1
