"""What a plan means, row by row in Python: slow, short, and written without a look at the engine's text.

A row is a mapping from column to value: dates are days and timestamps microseconds since 1970, as `COLUMNS` would have read them.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from twoworlds.queries.expressions import value
from twoworlds.queries.functions.arithmetic import whole
from twoworlds.queries.measures import Measure, Typed
from twoworlds.queries.moves import Moved, moved
from twoworlds.queries.plan import (
    Aggregate,
    Distinct,
    Expression,
    JoinPublic,
    PerUser,
    Relation,
    Sample,
    Scan,
    Select,
    Union,
    Where,
)
from twoworlds.queries.policy import Policy

__all__ = ["Coin", "Row", "measured", "rows"]

Row = Mapping[str, Any]
Coin = Callable[[Any, Fraction], bool]
"""Whether a unit is in the sample: a user, or one of several equal rows with its number among them."""


class _World:
    def __init__(self, policy: Policy, tables: Mapping[str, list[Row]], coin: Coin) -> None:
        self.policy, self.tables, self.coin = policy, tables, coin

    def of(self, relation: Relation) -> list[Row]:
        found: list[Row] = getattr(self, f"_{type(relation).__name__.lower()}")(relation)
        return found

    def _below(self, relation: Relation) -> Moved:
        return moved(relation, self.policy)

    def _value(self, expression: Expression, row: Row, below: Moved) -> Any:
        return value(expression, row, {name: shape.type for name, shape in below.schema.items()})

    def _scan(self, relation: Scan) -> list[Row]:
        return list(self.tables[relation.table])

    def _where(self, relation: Where) -> list[Row]:
        below = self._below(relation.source)
        return [row for row in self.of(relation.source) if self._value(relation.predicate, row, below) is True]

    def _select(self, relation: Select) -> list[Row]:
        below = self._below(relation.source)
        person = below.table.unit.column
        kept = {} if person is None else {person: person}
        return [
            {name: self._value(expression, row, below) for name, expression in relation.columns}
            | {name: row[column] for name, column in kept.items()}
            for row in self.of(relation.source)
        ]

    def _union(self, relation: Union) -> list[Row]:
        return self.of(relation.left) + self.of(relation.right)

    def _distinct(self, relation: Distinct) -> list[Row]:
        return list({frozenset(row.items()): row for row in self.of(relation.source)}.values())

    def _sample(self, relation: Sample) -> list[Row]:
        below = self._below(relation.source)
        found, seen = [], Counter[Any]()
        for row in self.of(relation.source):
            content = tuple(sorted((name, repr(one)) for name, one in row.items()))
            seen[content] += 1
            unit = row[below.table.unit.column] if below.by_user else (content, seen[content])
            if self.coin(unit, relation.rate):
                found.append(row)
        return found

    def _peruser(self, relation: PerUser) -> list[Row]:
        below = self._below(relation.source)
        person = below.table.unit.column
        assert person is not None
        users: dict[Any, list[Row]] = defaultdict(list)
        for row in self.of(relation.source):
            users[row[person]].append(row)
        return [
            {name: self._of_user(aggregate, own, below) for name, aggregate in relation.columns} | {person: user}
            for user, own in users.items()
        ]

    def _of_user(self, aggregate: Aggregate, own: list[Row], below: Moved) -> Any:
        if not aggregate.arguments:
            return len(own)
        values = [one for row in own if (one := self._value(aggregate.arguments[0], row, below)) is not None]
        if aggregate.kind == "count":
            return len(values)
        if aggregate.kind == "count_distinct":
            return len(set(values))
        if not values:
            return None
        if aggregate.kind in ("minimum", "maximum"):
            return min(values) if aggregate.kind == "minimum" else max(values)
        total = sum(map(Fraction, values))
        if aggregate.kind == "sum" and all(isinstance(one, int) for one in values):
            return whole(int(total))
        return finite(total / (len(values) if aggregate.kind == "mean" else 1))

    def _joinpublic(self, relation: JoinPublic) -> list[Row]:
        below = self._below(relation.source)
        found = []
        for row in self.of(relation.source):
            for public in self.tables[relation.public]:
                if all(row[ours] is not None and row[ours] == public[theirs] for ours, theirs in relation.on):
                    renamed = {f"{relation.public}.{k}" if k in below.schema else k: v for k, v in public.items()}
                    found.append({**row, **renamed})
        return found


def finite(number: Fraction) -> float | None:
    """The nearest double, if there is one."""
    try:
        found = float(number)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def rows(
    relation: Relation, policy: Policy, tables: Mapping[str, list[Row]], coin: Coin = lambda _unit, _rate: True
) -> list[Row]:
    """The rows of an elaborated relation."""
    return _World(policy, tables, coin).of(relation)


def measured(question: Typed, found: list[Row]) -> dict[tuple[Any, ...], list[Any]]:
    """Every measure for every group that has rows, exactly and without bounding users; with public keys only listed groups.

    A measure of bins or listed values is a list, a sum counts steps of its grid (of its square for squares and products).
    """
    types = {name: shape.type for name, shape in question.schema.items()}
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in found:
        key = tuple(value(one.expression, row, types) for one in question.query.keys)
        if all(one.values is None or part in one.values for one, part in zip(question.query.keys, key, strict=True)):
            groups[key].append(row)
    if not question.query.keys:
        groups.setdefault((), [])
    person = question.table.unit.column
    return {
        key: [_measure(measure, own, person, lambda one, row: value(one, row, types)) for measure in question.measures]
        for key, own in groups.items()
    }


def _measure(measure: Measure, own: list[Row], person: str | None, of: Callable[[Expression, Row], Any]) -> Any:
    known = [(row, of(measure.value, row) if measure.value is not None else True) for row in own]
    known = [(row, one) for row, one in known if one is not None]
    if measure.kind == "count":
        return len(known)
    if measure.kind == "users":
        return len({row[person or ""] for row, _ in known})
    if measure.kind == "distinct":
        return len({one for _, one in known})
    if measure.kind == "values":
        listed = measure.listed or ()
        return [sum(one == wanted for _, one in known) for wanted in listed]
    if measure.kind == "bins":
        return _bins(measure, [Fraction(one) for _, one in known])
    total = 0
    for row, one in known:
        steps = _steps(one, measure.bounds, measure.centre, measure.grid)
        other = 1 if measure.power == 1 else steps
        if measure.other is not None:
            twin = of(measure.other, row)
            if twin is None:
                continue
            other = _steps(twin, measure.other_bounds, measure.other_centre, measure.other_grid)
        total += steps * other
    return total


def _steps(one: Any, bounds: Any, centre: Fraction, grid: Fraction) -> int:
    """Clipped, then to the nearest step from the centre; halves away from 0."""
    exact = (min(max(Fraction(one), bounds.low), bounds.high) - centre) / grid
    return int(abs(exact) + Fraction(1, 2)) * (1 if exact >= 0 else -1)


def _bins(measure: Measure, values: list[Fraction]) -> list[int]:
    assert measure.bounds is not None
    cells = [0] * measure.cells
    if measure.edges is not None:
        for one in values:
            if measure.edges[0] <= one <= measure.edges[-1]:
                cells[min(sum(edge <= one for edge in measure.edges), measure.cells) - 1] += 1
        return cells
    low, width = measure.bounds.low, measure.bounds.high - measure.bounds.low
    for one in values:
        place = math.floor((one - low) / width * measure.cells)
        cells[min(max(place, 0), measure.cells - 1)] += 1
    return cells
