"""What every neighbouring relation can do, and whether two of them are the same."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from twoworlds.worlds.errors import BadArgument, MixedNeighbours, NotNeighbours
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.grid import step

__all__ = ["Chooser", "Neighbours", "combine", "same"]

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
    """A neighbouring relation on the values of one parameter of a card.

    `distance` is the least total length of a chain of steps from one world to the other, so it is a metric; `steps` is the least
    number of steps, each of at most `bound`, in such a chain. Two worlds are neighbours when they are at most one step apart. For
    most relations that is to say that their distance is within the bound; a step of `One` or `Monotone` has a shape besides.
    """

    parameter: str

    def __post_init__(self) -> None:
        if not isinstance(self.parameter, str) or not self.parameter.isidentifier():
            raise BadArgument("parameter", self.parameter, "is not a parameter's name", "Name the card's parameter, like 'rows'")

    @property
    def by(self) -> Expression:
        """The largest distance between neighbours, a formula over the card's public parameters."""
        return Expression("1")

    @property
    def name(self) -> str:
        return f"{type(self).__name__}({self.parameter!r})"

    def __str__(self) -> str:
        return self.name

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes it this relation and no other; the parameter's name is the card's private matter and does not count."""
        return (type(self).__name__,)

    def bound(self, values: Mapping[str, object] | None = None) -> Fraction:
        """The largest distance between neighbours for these public parameters, rounded up where it is irrational."""
        bound = self.by.above(values or {})
        if bound < 0:
            raise BadArgument("by", str(self.by), f"is {bound}, below 0", "Give a bound of 0 or more")
        return bound

    @abstractmethod
    def distance(self, one: Any, other: Any) -> Fraction | None:
        """How far apart two worlds are, rounded up where it is irrational; None when no chain of neighbours joins them."""

    @abstractmethod
    def world(self, chooser: Chooser, values: Mapping[str, object] | None = None) -> Any:
        """A small world; it keeps the public length of the list that `values` has under the relation's parameter, if any."""

    @abstractmethod
    def neighbour(self, chooser: Chooser, world: Any, values: Mapping[str, object] | None = None) -> Any:
        """A world one step away, often as far away as a step goes."""

    def walk(self, chooser: Chooser, world: Any, steps: int, values: Mapping[str, object] | None = None) -> Any:
        """A world at most this many steps away."""
        for _ in range(steps):
            world = self.neighbour(chooser, world, values)
        return world

    def pairs(self, chooser: Chooser, values: Mapping[str, object] | None = None) -> tuple[Any, Any]:
        """Two neighbouring worlds, small and varied, the extremal ones among them."""
        one = self.world(chooser, values)
        worlds = one, self.neighbour(chooser, one, values)
        return worlds if chooser.integer(0, 1) else worlds[::-1]

    def steps(self, one: Any, other: Any, values: Mapping[str, object] | None = None) -> int | None:
        """The least number of steps in a chain of neighbours from one world to the other; None when there is no chain."""
        distance = self.distance(one, other)
        return None if distance is None else whole_steps(distance, self.bound(values))

    def obstacle(self, one: Any, other: Any, values: Mapping[str, object] | None = None) -> str | None:
        """Why no single step joins the two worlds, or None when one does."""
        steps = self.steps(one, other, values)
        if steps is None:
            return "no change that it allows turns one into the other"
        return f"they are {steps} steps apart, at distance {_shown(self.distance(one, other))}" if steps > 1 else None

    def check(self, one: Any, other: Any, values: Mapping[str, object] | None = None) -> None:
        """Raise `NotNeighbours` unless the two worlds are neighbours."""
        why = self.obstacle(one, other, values)
        if why is not None:
            raise NotNeighbours(self, why)

    def on_grid(self, grid: object) -> Neighbours:
        """The relation between rounded worlds, when every private number is rounded to a multiple of the grid.

        A relation that counts records stays as it is: rounding changes each record by itself, so equal records stay equal.
        """
        step(grid)
        return self


def whole_steps(distance: Fraction, bound: Fraction) -> int | None:
    """How many steps of at most `bound` a straight way of this length takes."""
    if distance == 0:
        return 0
    return math.ceil(distance / bound) if bound > 0 else None


def _shown(distance: Fraction | None) -> str:
    return str(distance) if distance is not None and distance.denominator < 10**6 else f"{float(distance or 0):.6g}"


def same(one: Neighbours, other: Neighbours) -> bool:
    """Whether two relations join the same worlds, whatever their cards call the parameter."""
    return one.identity == other.identity


def combine(*relations: Neighbours) -> Neighbours:
    """The one relation that several guarantees share; `MixedNeighbours` names the first two that differ."""
    if not relations:
        raise BadArgument("relations", relations, "is empty", "Give the relation of each guarantee")
    for other in relations[1:]:
        if not same(relations[0], other):
            raise MixedNeighbours(relations[0], other)
    return relations[0]
