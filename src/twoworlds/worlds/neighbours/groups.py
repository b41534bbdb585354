"""Groups: neighbours of neighbours, k steps deep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours.relation import Chooser, Neighbours

__all__ = ["Group"]


@dataclass(frozen=True, init=False)
class Group(Neighbours):
    """Worlds joined by a chain of at most k steps of another relation: k people who decide together.

    It is the chain that group privacy speaks of, so a pair that is near but not joined by k steps is no pair.
    """

    k: int
    relation: Neighbours

    def __init__(self, k: int, relation: Neighbours) -> None:
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise BadArgument("k", k, "is not a whole number of 1 or more", "Give the size of the group")
        if not isinstance(relation, Neighbours):
            raise BadArgument("relation", relation, "is not a neighbouring relation", "Give one such as AddRemove('rows')")
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "relation", relation)
        object.__setattr__(self, "parameter", relation.parameter)

    @property
    def by(self) -> Expression:
        product = Expression(f"{self.k} * ({self.relation.by})")
        return product if product.names else Expression(str(self.k * self.relation.bound()))

    @property
    def name(self) -> str:
        return f"Group({self.k}, {self.relation})"

    @property
    def identity(self) -> tuple[object, ...]:
        return self.relation.identity if self.k == 1 else ("Group", self.k, *self.relation.identity)

    def distance(self, one: Any, other: Any) -> Fraction | None:
        return self.relation.distance(one, other)

    def steps(self, one: Any, other: Any, values: Mapping[str, object] | None = None) -> int | None:
        steps = self.relation.steps(one, other, values)
        return None if steps is None else -(-steps // self.k)

    def world(self, chooser: Chooser, values: Mapping[str, object] | None = None) -> Any:
        return self.relation.world(chooser, values)

    def neighbour(self, chooser: Chooser, world: Any, values: Mapping[str, object] | None = None) -> Any:
        return self.relation.walk(chooser, world, chooser.choice((self.k, self.k, 1)), values)

    def walk(self, chooser: Chooser, world: Any, steps: int, values: Mapping[str, object] | None = None) -> Any:
        return self.relation.walk(chooser, world, self.k * steps, values)

    def on_grid(self, grid: object) -> Neighbours:
        """Rounding every world of the chain makes a chain of the rounded relation."""
        return Group(self.k, self.relation.on_grid(grid))
