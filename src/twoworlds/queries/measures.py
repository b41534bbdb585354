"""What a typed query asks of the engine: the seam between the front (plan, typing) and the back (engine, noise).

A query's aggregates are lowered to few *measures*: columns of whole numbers, one entry for each group, filled in one pass over
the data. COUNT and AVG share one count. Sums are of values rounded to a public grid, so they are exact integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from twoworlds.queries.plan import Expression, Query
from twoworlds.queries.policy import Bounds, TablePolicy

__all__ = ["Derivation", "Measure", "Typed"]


@dataclass(frozen=True)
class Measure:
    """One vector over the groups.

    count        rows of the group (where users are protected: their weights)
    users        users with rows in the group
    distinct     different values of `value`
    sum          of `value`, NULL and NaN dropped or replaced as the expression says, clipped to bounds, rounded to grid;
                 `power` 2 sums squares of (value - centre), `other` sums products of both centred values
    bins         rows in each cell of a fixed grid of `cells` equal cells on bounds: for quantiles and histograms
    values       rows of each public value of `value`: for top-k and contingency tables
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
    cells: int = 0
    edges: tuple[Fraction, ...] | None = None


@dataclass(frozen=True)
class Derivation:
    """One step of the argument how far a neighbour moves something: a tree that `explain` prints."""

    node: str
    metric: str
    stability: Fraction | None
    because: str
    below: tuple[Derivation, ...] = ()


@dataclass(frozen=True)
class Typed:
    """A query with everything that the policy says of it.

    `rows` is how many rows of the aggregated relation one neighbour changes (unit = row), or how many users (unit = user).
    `measures` are without duplicates; `uses` says for each output which measures it is made of.
    """

    query: Query
    table: TablePolicy
    rows: Fraction
    relation: Literal["add_remove", "replace"]
    measures: tuple[Measure, ...]
    uses: tuple[tuple[int, ...], ...]
    derivation: Derivation
    unknown_keys: bool = False
