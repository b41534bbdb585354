"""Neighbouring tables: what one person, one row or one edit changes.

A table is a list of rows in no particular order, so two orders of the same rows are at distance 0, and `pairs` reorders freely: a
mechanism that reads the order must be private for it, or use `Edit`. A row is any hashable value, a tuple or a mapping.
"""

# ruff: noqa: ARG002  every relation is handed the public parameters, not every one needs them

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set, Sized
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.neighbours.relation import Chooser, Neighbours

__all__ = ["AddRemove", "AddRemoveUser", "Edit", "Parts", "Replace", "User", "row_key", "rows_of"]

_ROWS: tuple[Hashable, ...] = (0, 1, -1, 2, 7)
_USERS = ("ann", "bob", "cy")


@dataclass(frozen=True)
class _Table(Neighbours):
    """A relation between tables; `examples` are the rows that pairs are made of, and no part of what the relation means."""

    examples: Sequence[Any] = field(default=_ROWS, compare=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not rows_of(self.examples, "examples"):
            raise BadArgument("examples", self.examples, "is empty", "Give rows that a table may hold")
        object.__setattr__(self, "examples", tuple(self.examples))

    def world(self, chooser: Chooser, values: Mapping[str, object] | None = None) -> list[Any]:
        known = (values or {}).get(self.parameter)
        length = len(rows_of(known, self.parameter)) if known is not None else chooser.integer(0, 6)
        return [chooser.choice(self.examples) for _ in range(length)]


@dataclass(frozen=True)
class AddRemove(_Table):
    """One row more or one row fewer; the distance counts the rows that only one table has (unbounded neighbours)."""

    def distance(self, one: Any, other: Any) -> Fraction:
        first, second = counted(one, self.parameter), counted(other, self.parameter)
        return Fraction(((first - second) + (second - first)).total())

    def neighbour(self, chooser: Chooser, world: Any, values: Mapping[str, object] | None = None) -> list[Any]:
        other = reordered(chooser, rows_of(world, self.parameter))
        if other and chooser.integer(0, 1):
            other.pop(chooser.integer(0, len(other) - 1))
        else:
            other.insert(chooser.integer(0, len(other)), chooser.choice(self.examples))
        return other


@dataclass(frozen=True)
class Replace(_Table):
    """One row becomes another and the number of rows is public (bounded neighbours); the distance counts the replaced rows."""

    def distance(self, one: Any, other: Any) -> Fraction | None:
        first, second = counted(one, self.parameter), counted(other, self.parameter)
        return Fraction((first - second).total()) if first.total() == second.total() else None

    def neighbour(self, chooser: Chooser, world: Any, values: Mapping[str, object] | None = None) -> list[Any]:
        other = reordered(chooser, rows_of(world, self.parameter))
        if other:
            other[chooser.integer(0, len(other) - 1)] = chooser.choice(self.examples)
        return other


@dataclass(frozen=True)
class Edit(_Table):
    """One insertion, deletion or substitution in a sequence whose order counts; the distance is Levenshtein's."""

    def distance(self, one: Any, other: Any) -> Fraction | None:
        first = [row_key(row) for row in rows_of(one, self.parameter)]
        second = [row_key(row) for row in rows_of(other, self.parameter)]
        costs = list(range(len(second) + 1))
        for i, row in enumerate(first, 1):
            diagonal, costs[0] = costs[0], i
            for j, column in enumerate(second, 1):
                diagonal, costs[j] = costs[j], min(costs[j] + 1, costs[j - 1] + 1, diagonal + (row != column))
        return Fraction(costs[-1])

    def neighbour(self, chooser: Chooser, world: Any, values: Mapping[str, object] | None = None) -> list[Any]:
        rows = rows_of(world, self.parameter)
        cut = chooser.integer(0, len(rows))
        removed, added = chooser.choice(((0, 1), (1, 0), (1, 1)))
        return [*rows[:cut], *(chooser.choice(self.examples) for _ in range(added)), *rows[cut + removed :]]


@dataclass(frozen=True)
class _ByUser(Neighbours):
    """A relation between tables whose rows say in one column to whom they belong."""

    column: str | int = "user"
    examples: Sequence[Any] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        column = self.column
        if isinstance(column, bool) or not isinstance(column, str | int) or (isinstance(column, int) and column < 0):
            raise BadArgument("column", column, "is not a column", "Give the column's name, or its place from 0")
        rows = tuple(self.examples) or tuple(_row(self.column, user, value) for user in _USERS for value in (0, 1, -1, 7))
        self.users(rows)
        object.__setattr__(self, "examples", rows)

    @property
    def name(self) -> str:
        return f"{type(self).__name__}({self.parameter!r}, {self.column!r})"

    @property
    def identity(self) -> tuple[object, ...]:
        return (type(self).__name__, self.column)

    def users(self, table: Any) -> dict[Hashable, Counter[Hashable]]:
        """The rows of each user; a row without a user is an error, because nobody could be protected with it."""
        rows: dict[Hashable, Counter[Hashable]] = {}
        for row in rows_of(table, self.parameter):
            try:
                user = row[self.column]
            except (KeyError, IndexError, TypeError):
                user = None
            if user is None:
                raise BadArgument(self.parameter, row, f"has no user in column {self.column!r}", "Give every row its user")
            rows.setdefault(row_key(user), Counter())[row_key(row)] += 1
        return rows

    def _changes(self, one: Any, other: Any) -> list[tuple[Counter[Hashable], Counter[Hashable]]]:
        """The rows of every user whose rows differ, in both worlds."""
        first, second = self.users(one), self.users(other)
        pairs = [(first.get(user, Counter()), second.get(user, Counter())) for user in first.keys() | second.keys()]
        return [(before, after) for before, after in pairs if before != after]

    def world(self, chooser: Chooser, values: Mapping[str, object] | None = None) -> list[Any]:
        known = (values or {}).get(self.parameter)
        length = len(rows_of(known, self.parameter)) if known is not None else chooser.integer(0, 6)
        return [chooser.choice(self.examples) for _ in range(length)]

    def _without(self, world: Any, user: object) -> list[Any]:
        return [row for row in rows_of(world, self.parameter) if row_key(row[self.column]) != row_key(user)]

    def _some(self, chooser: Chooser, user: object, least: int) -> list[Any]:
        """Rows that this user may have."""
        own = [row for row in self.examples if row_key(row[self.column]) == row_key(user)]
        return [chooser.choice(own) for _ in range(chooser.integer(least, 4))]


@dataclass(frozen=True)
class User(_ByUser):
    """All rows of one user change in any way, from none to any number; the distance counts the users whose rows differ."""

    def distance(self, one: Any, other: Any) -> Fraction | None:
        return Fraction(len(self._changes(one, other)))

    def neighbour(self, chooser: Chooser, world: Any, values: Mapping[str, object] | None = None) -> list[Any]:
        user = chooser.choice(self.examples)[self.column]
        return reordered(chooser, self._without(world, user) + self._some(chooser, user, least=0))


@dataclass(frozen=True)
class AddRemoveUser(_ByUser):
    """One user appears or vanishes with all rows; a user whose rows differ in both worlds has vanished and come anew."""

    def distance(self, one: Any, other: Any) -> Fraction | None:
        return Fraction(sum(bool(before) + bool(after) for before, after in self._changes(one, other)))

    def neighbour(self, chooser: Chooser, world: Any, values: Mapping[str, object] | None = None) -> list[Any]:
        user = chooser.choice(self.examples)[self.column]
        rest, rows = self._without(world, user), rows_of(world, self.parameter)
        return reordered(chooser, rest if len(rest) < len(rows) else rest + self._some(chooser, user, least=1))


@dataclass(frozen=True)
class Parts(Neighbours):
    """A table split into parts by a public rule: one row more or fewer, in one part; the distance sums over the parts."""

    examples: Sequence[Any] = field(default=_ROWS, compare=False, repr=False)

    def distance(self, one: Any, other: Any) -> Fraction | None:
        first, second = rows_of(one, self.parameter), rows_of(other, self.parameter)
        if len(first) != len(second):
            return None
        return sum((self._part.distance(a, b) for a, b in zip(first, second, strict=True)), Fraction(0))

    def world(self, chooser: Chooser, values: Mapping[str, object] | None = None) -> list[Any]:
        known = (values or {}).get(self.parameter)
        length = len(rows_of(known, self.parameter)) if known is not None else chooser.integer(1, 4)
        return [self._part.world(chooser) for _ in range(length)]

    def neighbour(self, chooser: Chooser, world: Any, values: Mapping[str, object] | None = None) -> list[Any]:
        parts = list(rows_of(world, self.parameter))
        changed = chooser.integer(0, len(parts) - 1) if parts else 0
        return [self._part.neighbour(chooser, part) if i == changed else part for i, part in enumerate(parts)]

    @property
    def _part(self) -> AddRemove:
        return AddRemove(self.parameter, self.examples)


def rows_of(table: Any, parameter: str) -> Sequence[Any]:
    """The table as a list of rows."""
    if isinstance(table, str | bytes | Mapping | Set) or not (isinstance(table, Iterable) and isinstance(table, Sized)):
        raise BadArgument(parameter, table, "is not a list of rows", "Give a list with one entry per row")
    return table if isinstance(table, list | tuple) else list(table)


def row_key(row: Any) -> Hashable:
    """A hashable stand-in that is equal for equal rows; every NaN equals every other, as a stored value does."""
    if isinstance(row, Mapping):
        return frozenset((column, row_key(value)) for column, value in row.items())
    if isinstance(row, list | tuple):
        return tuple(row_key(value) for value in row)
    if isinstance(row, Decimal) and row.is_nan():
        return "not a number"  # a signalling one may not even be compared
    if isinstance(row, Hashable):
        return row if row == row else "not a number"  # noqa: PLR0124  NaN alone differs from itself
    raise BadArgument("row", row, "cannot be compared with other rows", "Make rows of numbers, texts, tuples or mappings")


def counted(table: Any, parameter: str) -> Counter[Hashable]:
    """The rows with how often each occurs."""
    return Counter(row_key(row) for row in rows_of(table, parameter))


def reordered(chooser: Chooser, rows: Sequence[Any]) -> list[Any]:
    """The rows as they stand, backwards, or rotated: enough to catch a mechanism that reads an order which means nothing."""
    return chooser.choice((list(rows), list(reversed(rows)), [*rows[1:], *rows[:1]]))


def _row(column: str | int, user: str, value: int) -> Any:
    """A made-up row with this user in this column."""
    if isinstance(column, str):
        return {column: user, "value": value} if column != "value" else {column: user, "amount": value}
    return tuple(user if place == column else value for place in range(max(2, column + 1)))
