"""Two neighbouring tables of nasty rows, in two engines: what the real SQL finds in each, and how far apart that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from tests.choosers import SeededChooser
from twoworlds.queries.bounding import Bounding
from twoworlds.queries.compiling import compiled
from twoworlds.queries.duckdb import DuckDB
from twoworlds.queries.filling import Filled, filled
from twoworlds.queries.measures import Typed
from twoworlds.queries.policy import Policy, PublicTable, TablePolicy
from twoworlds.queries.pricing import Offer, offer
from twoworlds.queries.sources import declared

NASTY: Mapping[str, tuple[Any, ...]] = {
    "user_id": ("ann", "ann", "bob", "bob", "cy", "", "O'Neil", None, "x" * 5000),
    "city": ("Lyon", "Paris", "Nice", "Lyon", "Paris", "lyon", "", "'; DROP TABLE visits; --", None, "\u0000", "é" * 3000),
    "shop": ("a", "b", "a", "", "🦆", None, "s" * 4000),
    "age": (0, 30, 120, -5, 2**63 - 1, -(2**63), 2**53 + 1, None, 44, 44),
    "income": (0.0, -0.0, 200_000.0, 1e308, -1e308, 5e-324, float("inf"), float("-inf"), float("nan"), None, 12_345.678),
    "score": (1.0, float("nan"), None, -1e300, 2.0**53 + 2, 0.1, -0.0),
    "member": (True, False, None),
    "day": ("2024-01-01", "2024-12-31", "infinity", "-infinity", "0001-01-01", "9999-12-31", None, "2024-02-29"),
    "seen": (
        "2024-01-01 00:00:00",
        "infinity",
        "2024-12-31 23:59:59",
        None,
        "1969-07-20 20:17:40.123456",
        "290000-01-01 00:00:00",
    ),
}
PHYSICAL = {
    "user_id": "VARCHAR",
    "city": "VARCHAR",
    "shop": "VARCHAR",
    "age": "BIGINT",
    "income": "DOUBLE",
    "score": "DOUBLE",
    "member": "BOOLEAN",
    "day": "DATE",
    "seen": "TIMESTAMP",
}
CITIES = [("Lyon", "France", 500), ("Lyon", "Gaul", 400), ("Lyon", "Too many", 1), ("Nice", "France", 300), (None, "Nowhere", 0)]
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Rows:
    """A table that holds these rows, in this order."""

    policy: TablePolicy | PublicTable
    rows: tuple[Row, ...]
    physical: Mapping[str, str]
    copied = True

    @property
    def name(self) -> str:
        return self.policy.name

    def attach(self, connection: Any) -> list[Path]:
        stored = f'"raw {self.name}"'
        connection.execute(f"CREATE TABLE {stored} ({', '.join(f'{name} {kind}' for name, kind in self.physical.items())})")
        if self.rows:
            connection.executemany(
                f"INSERT INTO {stored} VALUES ({', '.join('?' * len(self.physical))})", [list(r) for r in self.rows]
            )
        connection.execute(declared("VIEW", self.policy, stored, self.physical))
        return []

    def version(self) -> str:
        return "one"


def engine(policy: Policy, rows: list[Row], *, as_text: bool = False) -> DuckDB:
    """An engine that holds these visits, stored as their types or all as text, and the public cities."""
    stored = dict.fromkeys(PHYSICAL, "VARCHAR") if as_text else PHYSICAL
    texts = [tuple(None if value is None else str(value) for value in each) for each in rows] if as_text else rows
    visits = Rows(policy.tables["visits"], tuple(texts), stored)
    public = [Rows(policy.public["cities"], tuple(CITIES), {"city": "VARCHAR", "country": "VARCHAR", "people": "BIGINT"})]
    return DuckDB([visits, *(public if policy.public else [])], threads=2)


def row(chooser: SeededChooser, user: Any = ...) -> Row:
    """A row of nasty values, of this user if one is given."""
    values = {name: chooser.choice(pool) for name, pool in NASTY.items()}
    return tuple((values | ({} if user is ... else {"user_id": user})).values())


def neighbours(chooser: SeededChooser, policy: Policy) -> tuple[list[Row], list[Row]]:
    """Two worlds that one step of the policy's relation joins, their rows stored in different orders."""
    unit = policy.tables["visits"].unit
    rest = [row(chooser) for _ in range(chooser.integer(0, 50))]
    if unit.is_row:
        one, other = [row(chooser)], [row(chooser)] if unit.relation == "replace" else []
    else:
        who = chooser.choice(("ann", "dora"))
        rest = [kept for kept in rest if kept[0] != who]
        one = [row(chooser, who) for _ in range(chooser.integer(1, 60))]
        other = [row(chooser, who) for _ in range(chooser.integer(0, 60))] if unit.relation == "replace" else []
    worlds = [shuffled(chooser, rest + one), shuffled(chooser, rest + other)]
    return (worlds[0], worlds[1]) if chooser.integer(0, 1) else (worlds[1], worlds[0])


def shuffled(chooser: SeededChooser, rows: list[Row]) -> list[Row]:
    mixed = list(rows)
    chooser.random.shuffle(mixed)
    return mixed


def priced(typed: Typed, policy: Policy, bounding: str | None = None) -> Offer:
    """An offer for the question; with another way to bound users if one is named."""
    made = offer(typed, policy, epsilon=1)
    if bounding is None or made.bounding.kind == "rows":
        return made
    return offer(typed, policy, epsilon=1, window=bounding == "window")


def measured(made: Offer, held: DuckDB) -> Filled:
    """The exact measures that the engine finds, with one salt for all worlds."""
    return filled(made, compiled(made.typed, made.bounding, made.policy, "salt"), held)


def beside(one: Filled, other: Filled, measure: int) -> list[tuple[Any, Any]]:
    """The entries of each group of either world, in both of them; a group that is missing in one holds nothing there."""
    first, second = (dict(zip(found.keys, found.rows(measure), strict=True)) for found in (one, other))
    nothing = np.zeros(max([1, *map(len, (*first.values(), *second.values()))]), dtype=np.int64)
    return [(first.get(key, nothing), second.get(key, nothing)) for key in dict.fromkeys((*first, *second))]


def moves(one: Filled, other: Filled, measure: int) -> list[list[int]]:
    """How far the entries of a measure are apart: one list for each group of either world."""
    return [[int(b) - int(a) for a, b in zip(x, y, strict=True)] for x, y in beside(one, other, measure)]


def too_far(moved: list[list[int]], claimed: Any) -> str | None:
    """Which norm of the move is larger than the claimed one, if any is."""
    flat = [abs(entry) for entries in moved for entry in entries]
    found = {"l1": sum(flat), "l2_squared": sum(entry**2 for entry in flat), "linf": max(flat, default=0)}
    for norm, size in found.items():
        limit = getattr(claimed, norm)
        if limit is None or Fraction(size) > limit:
            return f"{norm} is {size}, claimed {limit}"
    return None


def with_unit(policy: Policy, **changes: Any) -> Policy:
    """The same policy with another unit of privacy."""
    table = policy.tables["visits"]
    return replace(policy, tables={"visits": replace(table, unit=replace(table.unit, **changes))})


__all__ = [
    "NASTY",
    "Bounding",
    "Rows",
    "beside",
    "engine",
    "measured",
    "moves",
    "neighbours",
    "priced",
    "row",
    "too_far",
    "with_unit",
]
