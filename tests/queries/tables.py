"""Small policies and typed queries, written by hand: what the back of the room is tested on without the front."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.queries.measures import Derivation, Measure, Typed
from twoworlds.queries.plan import Aggregate, Column, Key, Output, Query, Scan
from twoworlds.queries.policy import Bounds, Budget, ColumnPolicy, Policy, TablePolicy, Unit

CITIES = ("Bern", "Genf", "Zug")
COLUMNS = {
    "user": ColumnPolicy("user", "integer"),
    "city": ColumnPolicy("city", "text", values=CITIES),
    "age": ColumnPolicy("age", "integer", Bounds(Fraction(0), Fraction(100))),
    "income": ColumnPolicy("income", "real", Bounds(Fraction(0), Fraction(1000))),
}


ROWS = Unit()


def table(unit: Unit = ROWS, source: Path = Path("people.csv"), columns: dict[str, ColumnPolicy] | None = None) -> TablePolicy:
    return TablePolicy("people", source, "swiss", unit, columns or COLUMNS)


def policy(folder: Path, given: TablePolicy, **budget: Any) -> Policy:
    caps = Budget("swiss", **({"filter": "pure", "epsilon": Fraction(100)} | budget))
    return Policy({given.name: given}, {"swiss": caps}, folder / "ledger.db", Fraction(1, 10**6))


def typed(given: TablePolicy, outputs: dict[str, tuple[Aggregate, tuple[Measure, ...]]], *, keyed: bool = True) -> Typed:
    """A query over the table, by city if `keyed`, with the measures of each output."""
    measures = tuple(dict.fromkeys(measure for _, needed in outputs.values() for measure in needed))
    uses = tuple(tuple(measures.index(measure) for measure in needed) for _, needed in outputs.values())
    keys = (Key("city", Column("city"), CITIES),) if keyed else ()
    query = Query(Scan(given.name), tuple(Output(name, aggregate) for name, (aggregate, _) in outputs.items()), keys)
    return Typed(
        query, given, Fraction(1), given.unit.relation, measures, uses, Derivation("Scan", "rows", Fraction(1), "a table")
    )


def counting(given: TablePolicy, *, keyed: bool = True) -> Typed:
    return typed(given, {"people": (Aggregate("count"), (Measure("count"),))}, keyed=keyed)
