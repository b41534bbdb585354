"""Neighbouring numbers and vectors: how far one step may move what a mechanism sees."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Self

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.grid import step as grid_step
from twoworlds.worlds.neighbours.relation import Chooser, Neighbours, whole_steps
from twoworlds.worlds.rationals import exact

__all__ = ["Limited", "Number", "Vectors", "numbers_of"]


@dataclass(frozen=True, init=False)
class Limited(Neighbours):
    """A relation whose bound the card's author chooses: a number, or a formula over the card's public parameters.

    With a `grid`, both worlds hold multiples of it and nothing else.
    """

    limit: Expression
    grid: Fraction | None = field(default=None, compare=False)

    def __init__(self, parameter: str, by: object = 1, grid: object = None) -> None:
        object.__setattr__(self, "parameter", parameter)
        object.__setattr__(self, "limit", Expression.of(by, "by"))
        object.__setattr__(self, "grid", None if grid is None else grid_step(grid))
        self.__post_init__()
        if not self.limit.names:
            self.bound()

    @property
    def by(self) -> Expression:
        return self.limit

    @property
    def name(self) -> str:
        return f"{type(self).__name__}({self.parameter!r}, by={self.by})"

    @property
    def identity(self) -> tuple[object, ...]:
        """Constant bounds are compared by value, formulas by their text, in which the parameter's own name does not count."""
        return type(self).__name__, _without(self.parameter, self.limit) if self.limit.names else self.bound()

    def on_grid(self, grid: object) -> Neighbours:
        """The relation between rounded worlds, when every entry is rounded to the nearest multiple of the grid g, halves up.

        Rounding r(x) = floor(x/g + 1/2) g is monotone and commutes with shifts by whole steps. So |x - y| <= m g gives
        r(x) <= r(y + m g) = r(y) + m g, likewise with x and y exchanged: one number, and so the largest entry of a vector, moves
        by at most ceil(by/g) g. In L1 and L2 every entry that moved may have moved by up to a step more: an entry that moved by
        m > 0 now moves by at most ceil(m/g) < m/g + 1 steps, so n entries together by fewer than by/g + n, hence at most
        ceil(by/g) + n - 1; and in L2, by the triangle inequality, by at most g sqrt(n) more. Worlds already on the grid stay
        where they are; say `grid=g` at construction and nothing grows.
        """
        step = grid_step(grid)
        if self.grid is not None and (self.grid / step).denominator == 1:
            return self
        limit = Expression(self._grid_limit(f"({self.limit})", f"({step})"))
        return self._with(limit if limit.names else _constant(limit), step)

    def _with(self, limit: Expression, grid: Fraction) -> Self:
        return type(self)(self.parameter, limit, grid)

    def _grid_limit(self, by: str, grid: str) -> str:
        return f"ceil({by} / {grid}) * {grid}"

    def _sizes(self, bound: Fraction) -> list[Fraction]:
        """Moves from none to the bound, halves among them."""
        unit = self.grid or bound / 2 or Fraction(1)
        half, full = bound / 2 // unit * unit, bound // unit * unit
        return [full, -full, half, -half, Fraction(0)]

    @abstractmethod
    def entries(self, world: Any) -> list[Fraction]:
        """The numbers in a world."""

    def obstacle(self, one: Any, other: Any, values: Mapping[str, object] | None = None) -> str | None:
        for number in self.entries(one) + self.entries(other):
            if self.grid is not None and (number / self.grid).denominator != 1:
                return f"{number} is not a multiple of the grid {self.grid}"
        return super().obstacle(one, other, values)


@dataclass(frozen=True, init=False)
class Number(Limited):
    """One number moves by at most `by`: a query of that sensitivity."""

    def distance(self, one: Any, other: Any) -> Fraction | None:
        return abs(exact(one, self.parameter) - exact(other, self.parameter))

    def entries(self, world: Any) -> list[Fraction]:
        return [exact(world, self.parameter)]

    def world(self, chooser: Chooser, values: Mapping[str, object] | None = None) -> Fraction:  # noqa: ARG002  the interface's
        return chooser.integer(-8, 8) * (self.grid or Fraction(1))

    def neighbour(self, chooser: Chooser, world: Any, values: Mapping[str, object] | None = None) -> Fraction:
        return exact(world, self.parameter) + chooser.choice(self._sizes(self.bound(values)))


@dataclass(frozen=True, init=False)
class Vectors(Limited):
    """Relations between two lists of numbers of the same public length."""

    def distance(self, one: Any, other: Any) -> Fraction | None:
        moves = self.moved(one, other)
        return None if moves is None else self.norm([abs(move) for move in moves])

    def moved(self, one: Any, other: Any) -> list[Fraction] | None:
        """How far each entry moves from one world to the other, up or down; None if the lengths differ."""
        first, second = self.entries(one), self.entries(other)
        return [b - a for a, b in zip(first, second, strict=True)] if len(first) == len(second) else None

    def entries(self, world: Any) -> list[Fraction]:
        return numbers_of(world, self.parameter)

    @abstractmethod
    def norm(self, moves: list[Fraction]) -> Fraction:
        """The size of a change, given how far each entry moved (0 or more)."""

    def steps(self, one: Any, other: Any, values: Mapping[str, object] | None = None) -> int | None:
        distance = self.distance(one, other)
        return None if distance is None else whole_steps(distance, self._bound(one, values))

    def _bound(self, world: Any, values: Mapping[str, object] | None) -> Fraction:
        """The bound may depend on the number of entries, which is public."""
        return self.bound({self.parameter: world, **(values or {})})

    def world(self, chooser: Chooser, values: Mapping[str, object] | None = None) -> list[Fraction]:
        """All entries alike, rising, or anything."""
        known = (values or {}).get(self.parameter)
        length = len(self.entries(known)) if known is not None else chooser.integer(1, 6)
        start, pattern, unit = chooser.integer(-8, 8), chooser.integer(0, 3), self.grid or Fraction(1)
        return [unit * (chooser.integer(-8, 8) if pattern > 1 else start + pattern * i) for i in range(length)]

    def neighbour(self, chooser: Chooser, world: Any, values: Mapping[str, object] | None = None) -> list[Fraction]:
        return self._moved(chooser, self.entries(world), 1, values)

    def walk(self, chooser: Chooser, world: Any, steps: int, values: Mapping[str, object] | None = None) -> Any:
        """Straight on as often as not, which leads furthest."""
        if chooser.integer(0, 1):
            return super().walk(chooser, world, steps, values)
        return self._moved(chooser, self.entries(world), steps, values)

    def _moved(self, chooser: Chooser, world: list[Fraction], times: int, values: Mapping[str, object] | None) -> list[Fraction]:
        moves = self.moves(chooser, len(world), self._bound(world, values)) if world else []
        return [entry + times * move for entry, move in zip(world, moves, strict=True)]

    @abstractmethod
    def moves(self, chooser: Chooser, length: int, bound: Fraction) -> list[Fraction]:
        """A change whose norm is at most the bound."""


def numbers_of(values: Any, parameter: str) -> list[Fraction]:
    """A list of exact numbers, or an error that names the parameter."""
    if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        raise BadArgument(parameter, values, "is not a list of numbers", "Give one number per entry")
    return [exact(value, parameter) for value in values]


def _without(parameter: str, formula: Expression) -> str:
    return re.sub(rf"\b{re.escape(parameter)}\b", "_", str(formula))


def _constant(formula: Expression) -> Expression:
    value = formula.enclose({})
    return Expression.of(value.low) if value.is_exact else formula
