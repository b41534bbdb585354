"""Four ways for one step to move a vector: every entry, one entry, a total, a length."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.worlds.neighbours.numbers import Limited, Vectors
from twoworlds.worlds.neighbours.relation import Chooser, whole_steps
from twoworlds.worlds.rationals import Enclosure

__all__ = ["L1", "L2", "Each", "Linf", "One"]


_SHARES: tuple[tuple[Fraction, ...], ...] = (
    (Fraction(1),),
    (Fraction(3, 5), Fraction(4, 5)),
    (Fraction(1, 2),) * 4,
    (Fraction(1, 3),) * 2,
    (),
)


@dataclass(frozen=True, init=False)
class Each(Vectors):
    """Every entry may move, each by at most `by`: a list of queries of that sensitivity. The norm is L-infinity."""

    def norm(self, moves: list[Fraction]) -> Fraction:
        return max(moves, default=Fraction(0))

    def moves(self, chooser: Chooser, length: int, bound: Fraction) -> list[Fraction]:
        """All up, all down, one against the rest, halves against each other, or any mixture: the patterns that break cards."""
        sizes, place = self._sizes(bound), chooser.integer(0, length - 1)
        up, down = sizes[0], sizes[1]
        pattern = chooser.integer(0, 5)
        if pattern == 5:
            return [chooser.choice(sizes) for _ in range(length)]
        first, rest = ((up, up), (down, down), (up, down), (down, up), (up, Fraction(0)))[pattern]
        if chooser.integer(0, 1):
            return [first if i == place else rest for i in range(length)]
        return [first if 2 * i < length else rest for i in range(length)]


Linf = Each


@dataclass(frozen=True, init=False)
class L1(Vectors):
    """The entries together move by at most `by`: counts per group when one record is in at most `by` groups."""

    def norm(self, moves: list[Fraction]) -> Fraction:
        return sum(moves, Fraction(0))

    def moves(self, chooser: Chooser, length: int, bound: Fraction) -> list[Fraction]:
        return _scattered(chooser, _split(chooser, length, bound, self.grid))

    def _grid_limit(self, by: str, grid: str) -> str:
        steps = f"ceil({by} / {grid})"
        return f"(len({self.parameter}) * min(1, {steps}) + max(0, {steps} - 1)) * {grid}"


@dataclass(frozen=True, init=False)
class One(L1):
    """A single entry may move, by at most `by`: a histogram under addition or removal of one record.

    Steps add up to an L1 distance; what sets it apart from L1 is that one step moves one entry.
    """

    def steps(self, one: Any, other: Any, values: Mapping[str, object] | None = None) -> int | None:
        moves, bound = self.moved(one, other), self._bound(one, values)
        counts = None if moves is None else [whole_steps(abs(move), bound) for move in moves]
        return None if counts is None or None in counts else sum(count for count in counts if count is not None)

    def moves(self, chooser: Chooser, length: int, bound: Fraction) -> list[Fraction]:
        place, step = chooser.integer(0, length - 1), chooser.choice(self._sizes(bound))
        return [step if i == place else Fraction(0) for i in range(length)]

    def _grid_limit(self, by: str, grid: str) -> str:
        return Limited._grid_limit(self, by, grid)


@dataclass(frozen=True, init=False)
class L2(Vectors):
    """The Euclidean length of the move is at most `by`. Compared as exact squares; `distance` alone is rounded up."""

    def squared(self, one: Any, other: Any) -> Fraction | None:
        """The square of the distance, exactly."""
        moves = self.moved(one, other)
        return None if moves is None else sum((move * move for move in moves), Fraction(0))

    def norm(self, moves: list[Fraction]) -> Fraction:
        return Enclosure(sum((move * move for move in moves), Fraction(0))).sqrt().high

    def steps(self, one: Any, other: Any, values: Mapping[str, object] | None = None) -> int | None:
        squared, bound = self.squared(one, other), self._bound(one, values)
        return None if squared is None else root_steps(squared, bound)

    def moves(self, chooser: Chooser, length: int, bound: Fraction) -> list[Fraction]:
        """Pythagorean splits, so that the extremal ones attain the bound exactly."""
        shares = chooser.choice(_SHARES)[:length]
        sizes = [share * bound for share in shares] + [Fraction(0)] * (length - len(shares))
        return _scattered(chooser, sizes if self.grid is None else [size // self.grid * self.grid for size in sizes])

    def _grid_limit(self, by: str, grid: str) -> str:
        return f"{by} + {grid} * sqrt(len({self.parameter}))"


def root_steps(squared: Fraction, bound: Fraction) -> int | None:
    """How many steps of at most `bound` a straight way takes whose length squared is this; exact."""
    if not squared or not bound:
        return None if squared else 0
    ratio = squared / bound**2
    root = math.isqrt(math.floor(ratio))
    return root if root * root == ratio else root + 1


def _split(chooser: Chooser, length: int, total: Fraction, grid: Fraction | None) -> list[Fraction]:
    """Sizes that add up to at most the total, and often to all of it."""
    unit = grid or total / 4 or Fraction(1)
    left, sizes = int(total // unit), []
    for _ in range(length - 1):
        sizes.append(chooser.integer(0, left))
        left -= sizes[-1]
    sizes.append(left if chooser.integer(0, 2) else 0)
    return [size * unit for size in sizes]


def _scattered(chooser: Chooser, sizes: list[Fraction]) -> list[Fraction]:
    """The sizes with signs, beginning at any place."""
    start, signs = chooser.integer(0, len(sizes) - 1), chooser.choice(((1, 1), (-1, -1), (1, -1)))
    return [signs[i % 2] * size for i, size in enumerate(sizes[start:] + sizes[:start])]
