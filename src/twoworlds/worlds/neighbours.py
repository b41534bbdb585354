"""Which pairs of inputs are two neighbouring worlds: relations that can be executed.

A relation names the parameter it speaks of, measures the distance between two values of it, and makes neighbouring pairs from any
chooser (Hypothesis in the tests, a seeded generator in the audits). Two worlds are neighbours when their distance is at most the
relation's bound.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from twoworlds.worlds.errors import BadArgument, NotNeighbours
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.rationals import exact

__all__ = ["Chooser", "Each", "Neighbours", "One", "Vectors"]

T = TypeVar("T")


class Chooser(Protocol):
    """Whatever can pick: relations draw their pairs from it and so need no random numbers of their own."""

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        ...

    def choice(self, options: Sequence[T]) -> T:
        """One of the options."""
        ...


@dataclass(frozen=True)
class Neighbours(ABC):
    """A neighbouring relation on the values of one parameter of a card."""

    parameter: str

    @property
    def by(self) -> Expression:
        """The largest distance between neighbours, a formula over the card's public parameters."""
        return Expression("1")

    @property
    def name(self) -> str:
        return f"{type(self).__name__}({self.parameter!r}, by={self.by})"

    def __str__(self) -> str:
        return self.name

    def bound(self, values: Mapping[str, object] | None = None) -> Fraction:
        """The largest distance between neighbours for these public parameters, rounded up where it is irrational."""
        return self.by.above(values or {})

    @abstractmethod
    def distance(self, one: Any, other: Any) -> Fraction | None:
        """How far apart two worlds are; None when no chain of neighbours joins them."""

    @abstractmethod
    def pairs(self, chooser: Chooser, values: Mapping[str, object] | None = None) -> tuple[Any, Any]:
        """Two neighbouring worlds, small and varied."""

    def check(self, one: Any, other: Any, values: Mapping[str, object] | None = None) -> None:
        """Raise `NotNeighbours` unless the two worlds are neighbours."""
        distance, bound = self.distance(one, other), self.bound(values)
        if distance is None:
            raise NotNeighbours(self, "no change that it allows turns one into the other")
        if distance > bound:
            raise NotNeighbours(self, f"their distance is {distance}, it allows {bound}")


@dataclass(frozen=True)
class Vectors(Neighbours):
    """Relations between two lists of numbers of the same public length."""

    limit: object = 1

    def __init__(self, parameter: str, by: object = 1) -> None:
        object.__setattr__(self, "parameter", parameter)
        object.__setattr__(self, "limit", Expression.of(by, "by"))

    @property
    def by(self) -> Expression:
        assert isinstance(self.limit, Expression)
        return self.limit

    def distance(self, one: Any, other: Any) -> Fraction | None:
        first, second = _numbers(one, self.parameter), _numbers(other, self.parameter)
        if len(first) != len(second):
            return None
        return self.norm([abs(a - b) for a, b in zip(first, second, strict=True)])

    @abstractmethod
    def norm(self, moves: list[Fraction]) -> Fraction:
        """The size of a change, given how far each entry moved."""

    def pairs(self, chooser: Chooser, values: Mapping[str, object] | None = None) -> tuple[list[Fraction], list[Fraction]]:
        bound = self.bound(values)
        length = chooser.integer(1, 6)
        one = [Fraction(chooser.integer(-8, 8)) for _ in range(length)]
        other = [a + move for a, move in zip(one, self.moves(chooser, length, bound), strict=True)]
        return one, other

    @abstractmethod
    def moves(self, chooser: Chooser, length: int, bound: Fraction) -> list[Fraction]:
        """A change whose norm is at most the bound."""


@dataclass(frozen=True, init=False)
class Each(Vectors):
    """Every entry may move, each by at most `by`: a list of queries of that sensitivity."""

    def norm(self, moves: list[Fraction]) -> Fraction:
        return max(moves, default=Fraction(0))

    def moves(self, chooser: Chooser, length: int, bound: Fraction) -> list[Fraction]:
        return [bound * chooser.choice((Fraction(-1), Fraction(-1, 2), Fraction(0), Fraction(1))) for _ in range(length)]


@dataclass(frozen=True, init=False)
class One(Vectors):
    """A single entry may move, by at most `by`: a histogram under addition or removal of one record."""

    def distance(self, one: Any, other: Any) -> Fraction | None:
        first, second = _numbers(one, self.parameter), _numbers(other, self.parameter)
        if len(first) != len(second) or sum(a != b for a, b in zip(first, second, strict=True)) > 1:
            return None
        return super().distance(one, other)

    def norm(self, moves: list[Fraction]) -> Fraction:
        return max(moves, default=Fraction(0))

    def moves(self, chooser: Chooser, length: int, bound: Fraction) -> list[Fraction]:
        moved = chooser.integer(0, length - 1)
        step = bound * chooser.choice((Fraction(-1), Fraction(-1, 2), Fraction(1)))
        return [step if i == moved else Fraction(0) for i in range(length)]


def _numbers(values: Any, parameter: str) -> list[Fraction]:
    try:
        return [exact(value, parameter) for value in values]
    except TypeError:
        raise BadArgument(parameter, values, "is not a list of numbers", "Give one number per entry") from None
