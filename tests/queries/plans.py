"""Relations and tables drawn by a chooser: small, varied, and often at the ends of what a column can hold."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from twoworlds.queries.plan import (
    Aggregate,
    Call,
    Column,
    Constant,
    Distinct,
    Expression,
    JoinPublic,
    Kind,
    PerUser,
    Relation,
    Sample,
    Scan,
    Select,
    Union,
    Where,
)
from twoworlds.worlds.neighbours import Chooser

__all__ = ["CITIES", "ROWS", "relation"]

CITIES = [
    {"city": "Lyon", "country": "France", "people": 500},
    {"city": "Lyon", "country": "Gaul", "people": None},
    {"city": "Paris", "country": "France", "people": 2000},
    {"city": None, "country": "nowhere", "people": 0},
]


def row(user: str | None, city: str | None, age: int | None, income: float | None) -> dict[str, Any]:
    """One visit; the other columns follow from these."""
    return {
        "user_id": user,
        "city": city,
        "shop": None if age is None else f"shop {age % 2}",
        "age": age,
        "income": income,
        "score": None if income is None else income / 3,
        "member": None if age is None else age > 40,
        "day": None if age is None else 19723 + abs(age) % 400,
        "seen": None if age is None else (19723 + abs(age) % 400) * 86_400_000_000,
    }


ROWS = [
    row(user, city, age, income)
    for user in ("ann", "bob", "cy")
    for city, age, income in (
        ("Lyon", 30, 0.0),
        ("Lyon", 30, 0.0),
        ("Paris", 120, 2e5),
        ("Oslo", -(2**63), -1e308),
        ("Nice", 2**63 - 1, 1e308),
        (None, None, None),
        ("Paris", 41, 1234.5),
    )
]
"""What tables are made of, values that break the declaration among them."""

NUMERIC: list[Expression] = [
    Column("age"),
    Column("income"),
    Call("add", (Column("age"), Constant(1))),
    Call("multiply", (Column("income"), Constant(Fraction(10)))),
    Call("divide", (Column("income"), Column("age"))),
    Call("clip", (Column("age"), Constant(0), Constant(50))),
    Call("case", (Column("member"), Column("age"), Constant(None))),
    Call("month", (Column("day"),)),
]
PREDICATES: list[Expression] = [
    Call("greater", (Column("age"), Constant(40))),
    Call("equal", (Column("city"), Constant("Lyon"))),
    Call("is_null", (Column("income"),)),
    Call("not", (Column("member"),)),
    Call("or", (Column("member"), Call("less", (Call("divide", (Constant(1), Column("income"))), Constant(5))))),
    Call("in", (Column("city"), Constant("Paris"), Constant("Oslo"))),
]
ALL = ("city", "shop", "age", "income", "score", "member", "day", "seen")


def relation(chooser: Chooser, by_user: bool, depth: int = 3) -> Relation:
    """A relation that keeps all columns of the table, so that anything can stand above it."""
    if not depth or not chooser.integer(0, 4):
        return Scan("visits")
    below = relation(chooser, by_user, depth - 1)
    match chooser.integer(0, 5):
        case 0 | 1:
            return Where(below, chooser.choice(PREDICATES))
        case 2:
            changed = chooser.choice(ALL)
            made = chooser.choice(NUMERIC) if changed in ("age", "income") else Column(changed)
            kind = "integer" if changed == "age" else "real"
            made = Call(kind, (made,)) if changed in ("age", "income") else made
            return Select(
                below,
                tuple((name, made if name == changed else Column(name)) for name in (ALL if by_user else (*ALL, "user_id"))),
            )
        case 3:
            return Distinct(below)
        case 4:
            return Sample(below, Fraction(1, chooser.integer(2, 4)))
    return Union(below, relation(chooser, by_user, depth - 1))


def topped(chooser: Chooser, below: Relation, by_user: bool) -> Relation:
    """Above it, perhaps, what changes the columns: one row per user, a public table, fewer columns."""
    match chooser.integer(0, 4):
        case 0 if by_user:
            kinds: tuple[Kind, ...] = ("count", "sum", "mean", "minimum", "maximum", "count_distinct")
            columns = tuple(
                (f"n{i}", Aggregate(chooser.choice(kinds), (Column(chooser.choice(("age", "income"))),))) for i in range(2)
            )
            made = PerUser(below, columns)
            return Distinct(made) if chooser.integer(0, 1) else made
        case 1:
            joined = JoinPublic(below, "cities", (("city", "city"),))
            return Where(joined, Call("equal", (Column("country"), Constant("France")))) if chooser.integer(0, 1) else joined
        case 2:
            fewer = Select(below, (("n", chooser.choice(NUMERIC)),))
            return Distinct(fewer) if chooser.integer(0, 1) else fewer
    return below
