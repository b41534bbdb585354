"""What the curator declares: tables, whom they protect, what their columns can hold, who may ask, and the budget.

Everything that a plan, a price or an error may depend on stands here and is public; the data are never looked at for it.
`declared.py` reads it from `privacy.toml`, `linting.py` has doubts about it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Literal

__all__ = ["Bounds", "Budget", "ColumnPolicy", "Policy", "PublicTable", "TablePolicy", "Type", "Unit"]

Type = Literal["integer", "real", "text", "boolean", "date", "timestamp"]


@dataclass(frozen=True)
class Bounds:
    """From low to high, both possible; dates are days and timestamps microseconds since 1970."""

    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class ColumnPolicy:
    """What a column may hold. Without bounds it cannot be summed, without values it cannot make public groups."""

    name: str
    type: Type
    bounds: Bounds | None = None
    values: tuple[str | int | bool, ...] | None = None
    nullable: bool = True


@dataclass(frozen=True)
class Unit:
    """Who is protected: one row, or everything that one user has (a household is a user).

    `rows` is the most that a user counts for in one aggregate, `groups` the most groups that one counts in where groups are named
    or users counted. With `rows_per_group`, sums may be bounded by groups and by rows in each of them, where that takes less
    noise. `column` is None for rows.
    """

    column: str | None = None
    relation: Literal["add_remove", "replace"] = "add_remove"
    rows: int = 1
    groups: int = 1
    rows_per_group: int | None = None

    @property
    def is_row(self) -> bool:
        return self.column is None

    @property
    def protects(self) -> str:
        """What a price under this unit speaks of: prices that speak of different things do not add up."""
        return f"one {'row' if self.is_row else 'user'}, {'replaced' if self.relation == 'replace' else 'added or removed'}"


@dataclass(frozen=True)
class TablePolicy:
    """A private table: where it is, about which population, whom it protects, what is in it.

    `size` is a declared public size, if there is one: checks that would need the true size use it.
    """

    name: str
    source: Path
    population: str
    unit: Unit
    columns: Mapping[str, ColumnPolicy]
    size: int | None = None


@dataclass(frozen=True)
class PublicTable:
    """A table that is no secret, for joins; `most` rows at the most have one key. `values` of columns make public groups."""

    name: str
    source: Path
    columns: Mapping[str, Type]
    most: int = 1
    values: Mapping[str, tuple[str | int | bool, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Budget:
    """The caps of a population's binding filter: rho and delta summed (concentrated), or epsilon (pure)."""

    population: str
    filter: Literal["concentrated", "pure"] = "concentrated"
    epsilon: Fraction | None = None
    rho: Fraction | None = None
    delta: Fraction = Fraction(0)
    renewal_days: int | None = None


@dataclass(frozen=True)
class Policy:
    """A whole `privacy.toml`. `delta` is what an (epsilon, delta) request means; analysts map to their share of each budget."""

    tables: Mapping[str, TablePolicy]
    budgets: Mapping[str, Budget]
    ledger: Path
    delta: Fraction
    public: Mapping[str, PublicTable] = field(default_factory=dict)
    analysts: Mapping[str, Fraction] = field(default_factory=dict)
    path: Path | None = None
