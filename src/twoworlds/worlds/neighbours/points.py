"""Neighbouring points: a location, an answer, a single record; and privacy whose price grows with the distance."""

# ruff: noqa: ARG002  every relation is handed the public parameters, not every one needs them

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.grid import on_grid
from twoworlds.worlds.neighbours.norms import L1, L2, Each
from twoworlds.worlds.neighbours.numbers import Limited, Vectors
from twoworlds.worlds.neighbours.relation import Chooser, Neighbours
from twoworlds.worlds.neighbours.tables import row_key
from twoworlds.worlds.rationals import positive

__all__ = ["Local", "Metric"]

Kind = Literal["euclid", "manhattan", "maximum"]
_NORMS: dict[str, type[Vectors]] = {"euclid": L2, "manhattan": L1, "maximum": Each}


@dataclass(frozen=True)
class Local(Neighbours):
    """Any two values of one person's record (local privacy): the discrete metric, every change is one step.

    With `values`, nothing else may stand in the record; `pairs` needs them.
    """

    values: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.values is not None:
            values = tuple(self.values)
            if len({row_key(value) for value in values}) != len(values) or len(values) < 2:
                raise BadArgument("values", values, "are not at least two different values", "List what a record may hold")
            object.__setattr__(self, "values", values)

    @property
    def name(self) -> str:
        return f"Local({self.parameter!r})" if self.values is None else f"Local({self.parameter!r}, values={self.values!r})"

    @property
    def identity(self) -> tuple[object, ...]:
        return "Local", self.values and frozenset(row_key(value) for value in self.values)

    def admit(self, world: Any) -> Any:
        """The declared value that equals it: 1 handed in for True must not come out as 1 beside a coin's True."""
        if self.values is None:
            return world
        key = row_key(world)
        found = [value for value in self.values if row_key(value) == key]
        if not found:
            shown = ", ".join(map(repr, self.values))
            raise BadArgument(self.parameter, "...", "is none of the values that the card speaks of", f"Give one of {shown}")
        return found[0]

    def distance(self, one: Any, other: Any) -> Fraction | None:
        keys = [row_key(value) for value in (one, other)]
        allowed = None if self.values is None else {row_key(value) for value in self.values}
        if allowed is not None and not allowed.issuperset(keys):
            return None
        return Fraction(keys[0] != keys[1])

    def world(self, chooser: Chooser, values: Mapping[str, object] | None = None) -> Any:
        return chooser.choice(self.values or (0, 1, 2))

    def neighbour(self, chooser: Chooser, world: Any, values: Mapping[str, object] | None = None) -> Any:
        return chooser.choice(self.values or (0, 1, 2))


@dataclass(frozen=True, init=False)
class Metric(Limited):
    """Two points at most `by` apart; the price is for that distance and grows in proportion to it (d-privacy).

    A card that costs epsilon for points `by` apart costs `scale(one, other) * epsilon` for any two points (Chatzikokolakis,
    Andres, Bordenabe and Palamidessi 2013). With a `grid`, points are first rounded to it and the distance is that of the
    rounded points: proportionality cannot survive otherwise, because two points on either side of a cell's edge end up a whole
    grid step apart.
    """

    kind: Kind = "euclid"
    dimensions: int = field(default=2)

    def __init__(self, parameter: str, kind: Kind = "euclid", by: object = 1, dimensions: int = 2, grid: object = None) -> None:
        if kind not in _NORMS:
            raise BadArgument("kind", kind, "is not a distance between points", f"Choose from {', '.join(_NORMS)}")
        if isinstance(dimensions, bool) or not isinstance(dimensions, int) or dimensions < 1:
            raise BadArgument("dimensions", dimensions, "is not a whole number of 1 or more", "A place on a map has 2")
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "dimensions", dimensions)
        super().__init__(parameter, by, grid)

    @property
    def name(self) -> str:
        return f"Metric({self.parameter!r}, {self.kind!r}, by={self.by})"

    @property
    def identity(self) -> tuple[object, ...]:
        return *super().identity, self.kind, self.dimensions

    @property
    def _vectors(self) -> Vectors:
        return _NORMS[self.kind](self.parameter, self.limit)

    def entries(self, world: Any) -> list[Fraction]:
        """The point's coordinates, rounded where there is a grid."""
        point = self._vectors.entries(world)
        if len(point) != self.dimensions:
            raise BadArgument(self.parameter, world, f"is not a point in {self.dimensions} dimensions", "Give its coordinates")
        return point if self.grid is None else [on_grid(entry, self.grid) * self.grid for entry in point]

    def admit(self, world: Any) -> Any:
        """A point of as many dimensions, as it is."""
        if not isinstance(world, Sized) or len(world) != self.dimensions:
            why = f"is not a point in {self.dimensions} dimensions"
            raise BadArgument(self.parameter, "...", why, "Give its coordinates")
        return world

    def distance(self, one: Any, other: Any) -> Fraction | None:
        return self._vectors.distance(self.entries(one), self.entries(other))

    def steps(self, one: Any, other: Any, values: Mapping[str, object] | None = None) -> int | None:
        return self._vectors.steps(self.entries(one), self.entries(other), values)

    def scale(self, one: Any, other: Any, values: Mapping[str, object] | None = None) -> Fraction:
        """How many times the price these two points cost, rounded up."""
        distance = self.distance(one, other)
        assert distance is not None  # points of equal dimension are always some distance apart
        return distance / positive(self.bound(values), "by")

    def world(self, chooser: Chooser, values: Mapping[str, object] | None = None) -> tuple[Fraction, ...]:
        return tuple(chooser.integer(-8, 8) * (self.grid or Fraction(1)) for _ in range(self.dimensions))

    def neighbour(self, chooser: Chooser, world: Any, values: Mapping[str, object] | None = None) -> tuple[Fraction, ...]:
        return tuple(_NORMS[self.kind](self.parameter, self.limit, self.grid).neighbour(chooser, self.entries(world), values))

    def on_grid(self, grid: object) -> Neighbours:
        """The same metric between rounded points."""
        return Metric(self.parameter, self.kind, self.limit, self.dimensions, grid)
