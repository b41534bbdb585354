"""Small tables and policies: what the back of the room is tested on."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.queries.measures import Typed
from twoworlds.queries.policy import Bounds, Budget, ColumnPolicy, Policy, TablePolicy, Unit
from twoworlds.queries.reading import read
from twoworlds.queries.typing import typed

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


def asked(text: str, given: Policy) -> Typed:
    """A question in SQL, as the front gives it."""
    return typed(read(text, given), given, text)
