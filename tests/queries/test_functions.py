"""Every listed function on nasty values: its text in DuckDB raises nothing and equals its reference in Python."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import pytest

from tests.queries.nasty import RAW, VALUES
from twoworlds.queries.expressions import SQL_TYPES, settled, value, written
from twoworlds.queries.functions import COLUMNS, FUNCTIONS, Form, Function
from twoworlds.queries.plan import Call, Column, Constant, Expression
from twoworlds.queries.policy import Type
from twoworlds.queries.shapes import Shape

ROUGH = {"ln": 2, "exp": 2, "power": 2}  # last digits that the libraries of mathematics may disagree about
CONSTANTS: dict[tuple[str, int], list[Any]] = {
    ("like", 1): ["", "%", "_", "a%", "%b", "a\\%b", "a\\_b", "\\\\", "%%_", "_b_", "a\\\\b", "%a%b%", "ß", "%\x00%"],
    ("round", 1): [0, 1, 2, 15],
    ("clip", 1): [-10, 0],
    ("clip", 2): [0, 5, 100],
    ("bucket", 1): [1, 7, 10, 2**40, 0, -3],
    ("width_bucket", 1): [0, -5],
    ("width_bucket", 2): [1, 100, -5],
    ("width_bucket", 3): [1, 10, 0],
    ("substr", 1): [1, 2, 5, 2**31],
    ("substr", 2): [0, 1, 3, 2**31],
}
MOST = 1200
_CONNECTION: Any = None


def stored(kind: Type, number: int) -> str:
    """How a column of the table of values reads as its type."""
    if kind == "date":
        return f"(DATE '1970-01-01' + CAST(x{number} AS INTEGER))"
    return f"make_timestamp(x{number})" if kind == "timestamp" else f"x{number}"


def seen(kind: Type, text: str) -> str:
    """A result as the reference has it: days and microseconds."""
    if kind == "date":
        return f"CAST(({text}) - DATE '1970-01-01' AS BIGINT)"
    return f"epoch_us({text})" if kind == "timestamp" else text


def in_duckdb(expression: Expression, kind: Type, types: list[Type], rows: list[tuple[Any, ...]]) -> list[Any]:
    import duckdb

    global _CONNECTION  # noqa: PLW0603  one engine serves all, which saves most of the time
    connection = _CONNECTION = _CONNECTION or duckdb.connect(config={"threads": 1})
    held = [{"date": "BIGINT", "timestamp": "BIGINT"}.get(one, SQL_TYPES[one]) for one in types]
    columns = ", ".join(["number BIGINT", *(f"x{i} {one}" for i, one in enumerate(held))])
    connection.execute(f"CREATE OR REPLACE TABLE given ({columns})")
    marks = ", ".join("?" * (len(types) + 1))
    connection.execute("BEGIN")
    connection.executemany(f"INSERT INTO given VALUES ({marks})", [(n, *row) for n, row in enumerate(rows)])
    connection.execute("COMMIT")
    read = ", ".join(["number", *(f"{stored(one, i)} AS c{i}" for i, one in enumerate(types))])
    text = seen(kind, written(expression, {f"c{i}": one for i, one in enumerate(types)}))
    return [found for (found,) in connection.execute(f"SELECT {text} FROM (SELECT {read} FROM given) ORDER BY number").fetchall()]


def same(one: Any, other: Any, slack: int) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (slack > 0 and math.isclose(one, other, rel_tol=slack * 2.3e-16))
    return type(one) is type(other) and one == other


def listed_constants(kind: Type) -> list[Expression]:
    if kind in ("date", "timestamp"):
        return [Call(kind, (Constant(one),)) for one in ("1969-12-31 00:00:00"[: 10 if kind == "date" else 19],)]
    return [Constant(one, None, kind) for one in VALUES[kind][1:4]]


def calls(function: Function, form: Form) -> Iterator[tuple[Expression, list[Type]]]:
    """The function on columns, with constants where it takes them."""
    takes = list(form.takes)
    if function.name == "case":
        takes = ["boolean", form.takes[1], form.takes[1]]
    elif function.name == "in":
        yield Call("in", (Column("c0"), *listed_constants(form.takes[0]))), [form.takes[0]]
        return
    elif function.variadic:
        takes = [form.takes[0]] * 3 if len(VALUES[form.takes[0]]) < 20 else [form.takes[0]] * 2
    options: list[list[Expression]] = []
    types: list[Type] = []
    for place, kind in enumerate(takes):
        listed = CONSTANTS.get((function.name, place))
        if listed is None:
            options.append([Column(f"c{len(types)}")])
            types.append(kind)
        else:
            options.append([Constant(one, None, kind) for one in listed])
    for arguments in itertools.product(*options):
        yield Call(function.name, arguments), types


FORMS = [(function, form) for function in FUNCTIONS.values() for form in function.forms]


@pytest.mark.parametrize(("function", "form"), FORMS, ids=[f"{f.name}-{'-'.join(form.takes)}" for f, form in FORMS])
def test_python_and_duckdb_agree(function: Function, form: Form) -> None:
    """For all combinations of nasty values (of three texts: of two, three being the first again)."""
    for call, types in calls(function, form):
        pools = [VALUES[kind] + (RAW if kind == "real" and function.raw else []) for kind in types]
        rows = list(itertools.product(*pools))
        rows = rows[:: max(1, len(rows) // MOST)]
        read, _ = settled((call, Shape(form.gives))) if form.gives == "real" else (call, None)
        found = in_duckdb(read, form.gives, types, rows)
        names = [f"c{i}" for i in range(len(types))]
        by_name = dict(zip(names, types, strict=True))
        wanted = [value(read, dict(zip(names, row, strict=True)), by_name) for row in rows]
        slack = ROUGH.get(function.name, 0)
        wrong = [(row, one, other) for row, one, other in zip(rows, wanted, found, strict=True) if not same(one, other, slack)]
        assert not wrong, f"{call}: of {len(wrong)}, first {wrong[:3]}"


def test_columns_are_read_without_errors() -> None:
    """Whatever a column holds, reading it as any declared type gives a value of that type or NULL, never NaN or an error."""
    import duckdb

    connection = duckdb.connect()
    values = [
        *(("VARCHAR", one) for one in VALUES["text"]),
        *(("DOUBLE", one) for one in (*VALUES["real"], *RAW)),
        *(("BIGINT", one) for one in VALUES["integer"]),
        *(("HUGEINT", one) for one in (2**126, -(2**126))),
        *(("BOOLEAN", one) for one in (True, False)),
        *(("DATE", one) for one in ("infinity", "-infinity", "5881580-07-10", "5877642-06-25 (BC)", "2024-02-29", "0001-01-01")),
        *(("TIMESTAMP", one) for one in ("infinity", "290308-12-22 (BC)", "294247-01-10", "2024-02-29 12:00:00")),
        *(("BLOB", one) for one in (b"", b"\xff\x00")),
    ]
    wanted = {"integer": int, "real": float, "text": str, "boolean": bool, "date": object, "timestamp": object}
    for kind, template in COLUMNS.items():
        for source, one in values:
            text = template.format("x")
            [(found,)] = connection.execute(f"SELECT {text} FROM (SELECT CAST(? AS {source}) AS x)", [one]).fetchall()
            assert found is None or isinstance(found, wanted[kind])
            assert not isinstance(found, float) or math.isfinite(found)
            if kind in ("date", "timestamp") and found is not None:
                assert 1 <= found.year <= 9999


def test_a_wrong_reference_is_noticed() -> None:
    """The comparison can fail: rounding halves to even differs from rounding them away on the values that are tried."""
    rows = [(one,) for one in VALUES["real"]]
    found = in_duckdb(Call("round", (Column("c0"),)), "real", ["real"], rows)
    to_even = [None if one is None or not math.isfinite(one) else float(round(one)) for (one,) in rows]
    assert any(not same(one, other, 0) for one, other in zip(to_even, found, strict=True))
