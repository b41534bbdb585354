"""What a typed query asks of the engine: the seam between the front (plan, typing) and the back (engine, noise).

A query's aggregates are lowered to few *measures*: columns of whole numbers, one entry for each group, filled in one pass over
the data. COUNT and AVG share one count. Sums are of values rounded to a public grid, so they are exact integers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from twoworlds.queries.plan import Expression, Query, Value
from twoworlds.queries.policy import Bounds, TablePolicy
from twoworlds.queries.shapes import Shape

__all__ = ["Derivation", "Measure", "Typed"]


@dataclass(frozen=True)
class Measure:
    """One vector over the groups.

    count        rows of the group (where users are protected: their weights); with a `value`, rows where it is not NULL
    users        users with rows in the group; with a `value`, with rows where it is not NULL
    distinct     different values of `value`
    sum          of (value - centre), where the value is not NULL: clipped to bounds, then rounded to grid;
                 `power` 2 sums squares of that, `other` sums products of both centred values, each on its own grid
    bins         rows in each cell of a fixed grid of `cells` equal cells on bounds, clipped into them: for quantiles and
                 histograms. A cell has its lower end, the last one both. With `edges`, rows between them; others are in none
    values       rows of each of the public values `listed` of `value`: for top-k and contingency tables
    """

    kind: Literal["count", "users", "distinct", "sum", "bins", "values"]
    value: Expression | None = None
    other: Expression | None = None
    bounds: Bounds | None = None
    other_bounds: Bounds | None = None
    power: int = 1
    centre: Fraction = Fraction(0)
    other_centre: Fraction = Fraction(0)
    grid: Fraction = Fraction(1)
    other_grid: Fraction = Fraction(1)
    cells: int = 0
    edges: tuple[Fraction, ...] | None = None
    listed: tuple[Value, ...] | None = None


@dataclass(frozen=True)
class Derivation:
    """One step of the argument how far a neighbour moves something: a tree that `explain` prints."""

    node: str
    metric: str
    stability: Fraction | None
    because: str
    below: tuple[Derivation, ...] = ()

    def lines(self, depth: int = 0) -> list[str]:
        """The tree as text: each step, how far it can move, and why; what it follows from is below it."""
        moved = "public" if self.stability is None else f"{self.metric} at most {self.stability}"
        return [
            f"{'  ' * depth}{self.node}: {moved}. {self.because}",
            *(line for step in self.below for line in step.lines(depth + 1)),
        ]


@dataclass(frozen=True)
class Typed:
    """A query with everything that the policy says of it.

    `query` is elaborated: types and conversions stand in its expressions, so `expressions.written` and `expressions.value` need
    only `schema`, the shapes of the aggregated relation's columns.
    `rows` is how many rows of the aggregated relation one neighbour changes, or, where `by_user`, how many users; then the engine
    bounds what a user counts for. A query of users' rows made of one row per user is no longer `by_user`.
    `measures` are without duplicates; `uses` says for each output which measures it is made of. `sampled` is the rate at which
    the protected units were sampled, where that amplifies privacy. `answers` are the shapes of keys and of numbers, by name.
    """

    query: Query
    table: TablePolicy
    rows: Fraction
    relation: Literal["add_remove", "replace"]
    measures: tuple[Measure, ...]
    uses: tuple[tuple[int, ...], ...]
    derivation: Derivation
    unknown_keys: bool = False
    by_user: bool = False
    sampled: Fraction = Fraction(1)
    schema: Mapping[str, Shape] = field(default_factory=dict)
    answers: Mapping[str, Shape] = field(default_factory=dict)
