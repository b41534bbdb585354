"""Where the engine fails for one row and not without it, the failure tells that the row is there: no question may do so.

Nor may a question end in an error of Python's: what cannot be asked is refused, with its place, before anything is charged.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import duckdb
import pytest

from tests.choosers import SeededChooser
from tests.queries.declarations import BY_ROW, BY_USER
from tests.queries.nasty import VALUES
from tests.queries.test_attacks import sql
from tests.queries.test_functions import stored
from tests.queries.test_peer_bugs import exact
from twoworlds.queries.expressions import SQL_TYPES, elaborated, settled, written
from twoworlds.queries.functions import COLUMNS, FUNCTIONS, Form
from twoworlds.queries.functions.dates import calendar
from twoworlds.queries.plan import Call, Column, Constant, Expression
from twoworlds.queries.policy import Policy, Type
from twoworlds.queries.refusals import Refused
from twoworlds.queries.shapes import Shape
from twoworlds.queries.tables import Table
from twoworlds.worlds.errors import BadArgument

KINDS: tuple[Type, ...] = ("integer", "real", "text", "boolean", "date", "timestamp")


@pytest.mark.parametrize(
    "condition",
    [
        "width_bucket(income, -1.7e308, 1.7e308, 10) > 3",  # two infinities divided, and the cast of what that is
        "width_bucket(income * 1e303, -1.7e308, 1.7e308, 10) > 3",
        "like(city, 'Lyon\\')",  # only LIKE as an operator looked at the end of its pattern
        "like(city, concat('Lyon', '\\'))",
        "like(city, substr('Lyon\\x', 1, 5))",
    ],
)
def test_a_constant_that_makes_the_engine_fail_on_some_rows_is_refused(condition: str) -> None:
    """One person's income of 1.6e308, or city of Lyon, and the engine failed; without that row it answered."""
    with pytest.raises(Refused, match=r"has to be from|ends with its escape"):
        sql(f"SELECT COUNT(*) AS n FROM visits WHERE {condition}", BY_ROW)


def test_what_looks_alike_and_never_fails_is_answered() -> None:
    """The largest range that is allowed, and patterns that end in a quoted backslash."""
    rows = [{"income": 9e299, "city": "Lyon\\"}, {"income": -1e308, "city": "Lyon"}]
    assert exact("SELECT COUNT(*) AS n FROM visits WHERE width_bucket(income, -1e300, 1e300, 10) = 10", rows) == [[1]]
    assert exact("SELECT COUNT(*) AS n FROM visits WHERE like(city, 'Lyon\\\\')", rows) == [[1]]
    assert exact("SELECT COUNT(*) AS n FROM visits WHERE city LIKE 'Lyon\\'", rows) == [[1]]


@pytest.mark.parametrize(
    "question",
    [
        "SELECT COUNT(*) AS n FROM visits WHERE day(DATE '9999-12-31' + 5) = 1",
        "SELECT COUNT(*) AS n FROM visits WHERE year(date_add(DATE '0001-01-01', -9)) = 1",
        "SELECT COUNT(*) AS n FROM visits WHERE date_trunc('year', DATE '9999-12-31' + 5) IS NULL",
        "SELECT SUM(CLIP(income, 0, 1e-310)) AS n FROM visits",
        "SELECT AVG(CLIP(income, 0, 5e-324)) AS n FROM visits",
        "SELECT VARIANCE(CLIP(income, 0, 1e-200)) AS n FROM visits",
        "SELECT VARIANCE(CLIP(income, -1e300, 1e300)) AS n FROM visits",
        "SELECT SUM(CLIP(score, -1e307, 1e307)) AS n FROM visits",
        "SELECT STDDEV(CLIP(score, -1e300, 1e300)) AS n FROM visits",
        "SELECT CORR(CLIP(income, -1e300, 1e300), CLIP(score, 0, 1e-200)) AS n FROM visits",
        "SELECT COUNT(*) AS n FROM visits WHERE income < 179769313486231580793728971405301e276",
        "SELECT COUNT(*) AS n FROM visits WHERE city = 'half of a character: \ud83e'",
        'SELECT COUNT(*) AS "\udce9" FROM visits',
    ],
)
def test_what_cannot_be_asked_is_refused(question: str) -> None:
    """Or answered: never an error of Python's, and never one of the engine's after the charge."""
    try:
        sql(question, BY_ROW)
    except (Refused, BadArgument):
        return
    assert exact(question, [{"income": 1.5, "score": 2.0, "day": "2024-02-29"}])


def test_public_values_that_no_engine_can_hold_are_refused() -> None:
    """Half of a character is no text: it would fail once the charge is made."""
    from twoworlds.queries.plan import Scan
    from twoworlds.queries.session import Session

    table = Table(Session(BY_ROW), Scan("visits"))
    with pytest.raises(BadArgument, match="half of a character"):
        table.group_by("city", among={"city": ["Lyon", "\ud83e"]})


@pytest.mark.parametrize("least", ["least(day, day, day)", "greatest(DATE '2024-02-29', day, day, coalesce(day))"])
@pytest.mark.parametrize("policy", [BY_ROW, BY_USER], ids=["rows", "users"])
def test_the_least_of_one_value_is_that_value(least: str, policy: Policy) -> None:
    """DuckDB names the third argument of some functions and all after it by their columns, and refuses a name that comes twice.

    It does so once it has simplified them, so whether it does could even depend on what it knows of the data.
    """
    rows = [{"user_id": "ann", "age": 30, "day": "2024-02-29"}]
    for asked in ("COUNT(*)", "MEDIAN(age)", "SUM(age)"):
        question = f"SELECT {least} AS k, {asked} AS n FROM visits WHERE {least} IS NOT NULL GROUP BY {least}"
        assert sum(map(sum, exact(question, rows, policy))) > 0


# Drawn expressions over nasty rows: none fails

ENDS: dict[Type, list[Any]] = {
    "integer": [2**31, 2**63 - 1, -(2**63), 0, 1, 100, -100, 4096],
    "real": [1.7e308, -1.7e308, 1e300, -1e300, 5e-324, 1e-320, 1e-300, 2.0**63, -(2.0**63), 0.0],
    "text": ["a\\", "\\", "\\\\", "%\\", "abc\\%", "\\_", "a\\b\\"],
}


def constant(chooser: SeededChooser, kind: Type) -> Expression:
    """A nasty public value."""
    value = chooser.choice([one for one in VALUES[kind] if one is not None] + 3 * ENDS.get(kind, []))
    if kind == "date":
        return Call("date", (Constant(calendar(value).isoformat()),))
    if kind == "timestamp":
        return Call("timestamp", (Constant("1969-12-31 23:59:59"),))
    return Constant(Fraction(value), None, "real") if kind == "real" else Constant(value)


def fixed(call: tuple[int, ...], variadic: bool, place: int) -> bool:
    """Whether an argument of a function has to be a constant."""
    return place in call or (variadic and bool(call) and place >= call[0])


def drawn(chooser: SeededChooser, kind: Type, depth: int) -> Expression:
    """An expression of this type over two columns of every type."""
    if not depth or not chooser.integer(0, 3):
        return Column(f"{kind} {chooser.integer(0, 1)}") if chooser.integer(0, 3) else constant(chooser, kind)
    forms: list[tuple[Any, Form]] = [(one, form) for one in FUNCTIONS.values() for form in one.forms if form.gives == kind]
    function, form = chooser.choice(forms)
    takes = list(form.takes)
    if function.name == "case":
        takes = [takes[0], takes[1], takes[1]]
    elif function.variadic:
        takes = [takes[0]] * chooser.integer(2, 3)
    arguments = [
        constant(chooser, one) if fixed(function.constant, function.variadic, place) else drawn(chooser, one, depth - 1)
        for place, one in enumerate(takes)
    ]
    return Call(function.name, tuple(arguments))


def nasty_rows(connection: Any, chooser: SeededChooser) -> dict[str, Type]:
    """A table of nasty values, two columns of every type, read as columns of a source are."""
    names: dict[str, Type] = {f"{kind} {place}": kind for kind in KINDS for place in (0, 1)}
    held = [{"date": "BIGINT", "timestamp": "BIGINT"}.get(kind, SQL_TYPES[kind]) for kind in names.values()]
    connection.execute(f"CREATE TABLE raw ({', '.join(f'x{i} {kind}' for i, kind in enumerate(held))})")
    rows = [[chooser.choice(VALUES[kind]) for kind in names.values()] for _ in range(200)]
    connection.executemany(f"INSERT INTO raw VALUES ({', '.join('?' * len(names))})", rows)
    read = [f'{COLUMNS[kind].format(stored(kind, i))} AS "{name}"' for i, (name, kind) in enumerate(names.items())]
    connection.execute(f"CREATE VIEW rows AS SELECT {', '.join(read)} FROM raw")
    return names


def failures(seeds: range) -> tuple[int, list[str]]:
    """How many drawn expressions ran over all nasty rows, and what was said of those that did not."""
    connection = duckdb.connect(config={"threads": 1})
    types = nasty_rows(connection, SeededChooser(1))
    schema = {name: Shape(kind) for name, kind in types.items()}
    ran, failed = 0, []
    for seed in seeds:
        chooser = SeededChooser(seed)
        expression = drawn(chooser, chooser.choice(KINDS), chooser.integer(1, 3))
        try:
            found = settled(elaborated(expression, schema))[0]
        except Refused:
            continue
        try:
            connection.execute(f"SELECT {written(found, types)} AS x FROM rows").fetchall()
            ran += 1
        except duckdb.Error as error:
            failed.append(f"{expression}: {error}")
    return ran, failed


def test_no_drawn_expression_fails_on_nasty_rows() -> None:
    """Functions of functions, with the ends of every type as their constants."""
    ran, failed = failures(range(700))
    assert failed == [] and ran > 450


def test_an_expression_that_fails_is_seen() -> None:
    """One that we would never write."""
    connection = duckdb.connect()
    nasty_rows(connection, SeededChooser(1))
    with pytest.raises(duckdb.Error):
        connection.execute('SELECT CAST("text 0" AS BIGINT) FROM rows').fetchall()


@pytest.mark.slow
def test_no_expression_of_many_fails_on_nasty_rows() -> None:
    """The same with thousands."""
    ran, failed = failures(range(1000, 21_000))
    assert failed == [] and ran > 13_000
