"""All in one direction: what a record that comes or goes does to counting queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours.numbers import Vectors
from twoworlds.worlds.neighbours.relation import Chooser, Neighbours

__all__ = ["Monotone"]


@dataclass(frozen=True)
class Monotone(Neighbours):
    """The steps of another relation, all entries in one direction: counting queries when a record is added or removed.

    A chain may go up and then down, so the distance is the norm of the upward moves plus the norm of the downward ones.
    """

    relation: Vectors

    def __init__(self, relation: Vectors) -> None:
        if not isinstance(relation, Vectors):
            raise BadArgument("relation", relation, "is no relation between vectors", "Give one such as Each('queries', by=1)")
        object.__setattr__(self, "parameter", relation.parameter)
        object.__setattr__(self, "relation", relation)

    @property
    def by(self) -> Expression:
        return self.relation.by

    @property
    def name(self) -> str:
        return f"Monotone({self.relation})"

    @property
    def identity(self) -> tuple[object, ...]:
        return "Monotone", *self.relation.identity

    def distance(self, one: Any, other: Any) -> Fraction | None:
        moves = self.relation.moved(one, other)
        return None if moves is None else sum((self.relation.norm(part) for part in _directions(moves)), Fraction(0))

    def steps(self, one: Any, other: Any, values: Mapping[str, object] | None = None) -> int | None:
        moves = self.relation.moved(one, other)
        if moves is None:
            return None
        ways = [self.relation.steps([0] * len(part), part, values) for part in _directions(moves)]
        return None if None in ways else sum(way for way in ways if way is not None)

    def world(self, chooser: Chooser, values: Mapping[str, object] | None = None) -> list[Fraction]:
        return self.relation.world(chooser, values)

    def neighbour(self, chooser: Chooser, world: Any, values: Mapping[str, object] | None = None) -> list[Fraction]:
        one, sign = self.relation.entries(world), chooser.choice((1, -1))
        other = self.relation.neighbour(chooser, world, values)
        return [a + sign * abs(b - a) for a, b in zip(one, other, strict=True)]

    def on_grid(self, grid: object) -> Neighbours:
        """Rounding is monotone, so it keeps the direction; the bound is the wrapped relation's."""
        relation = self.relation.on_grid(grid)
        assert isinstance(relation, Vectors)
        return Monotone(relation)


def _directions(moves: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    return [max(move, Fraction(0)) for move in moves], [max(-move, Fraction(0)) for move in moves]
