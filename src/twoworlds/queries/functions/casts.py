"""Reading one type as another; what does not read is unknown, and never an error that shows the value."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from fractions import Fraction

from twoworlds.queries.functions.arithmetic import whole
from twoworlds.queries.functions.dates import DAY, IN_RANGE, days
from twoworlds.queries.functions.function import Form, Function
from twoworlds.queries.functions.ranges import monotone, own, within
from twoworlds.queries.policy import Type
from twoworlds.queries.shapes import Thing

__all__ = ["CASTS", "COLUMNS", "instant"]

INTEGER = "[+-]?[0-9]{{1,18}}"
REAL = "[+-]?[0-9]{{1,40}}([.][0-9]{{0,40}})?([eE][+-]?[0-9]{{1,3}})?"
DATE = "[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}"
TIME = DATE + "[ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{{1,6}})?"


def _in_range(kind: str) -> str:
    return IN_RANGE[kind].format(f"TRY_CAST({{0}} AS {kind.upper()})")


COLUMNS: Mapping[Type, str] = {
    "integer": "TRY_CAST({0} AS BIGINT)",
    "real": "(CASE WHEN isfinite(TRY_CAST({0} AS DOUBLE)) THEN TRY_CAST({0} AS DOUBLE) + 0e0 END)",
    "text": 'TRY_CAST({0} AS VARCHAR) COLLATE "C"',  # a collation of the source's would make several public values equal
    "boolean": "TRY_CAST({0} AS BOOLEAN)",
    "date": f"(CASE WHEN {_in_range('date')} THEN TRY_CAST({{0}} AS DATE) END)",
    "timestamp": f"(CASE WHEN {_in_range('timestamp')} THEN TRY_CAST({{0}} AS TIMESTAMP) END)",
}
"""How a column of the source is read as what the policy declares: a template over its quoted name."""


def _read(pattern: str, reading: Callable[[str], Thing]) -> Callable[[str], Thing]:
    """The text's value where all of it has the form, in ASCII."""
    form = re.compile(pattern.format())

    def read(text: str) -> Thing:
        return reading(text) if form.fullmatch(text) else None

    return read


def _day(text: str) -> int | None:
    try:
        return days(date.fromisoformat(text))
    except ValueError:
        return None


def instant(moment: datetime) -> int:
    """Microseconds since 1970."""
    since = moment - datetime(1970, 1, 1)
    return since.days * DAY + since.seconds * 1_000_000 + since.microseconds


def _moment(text: str) -> int | None:
    padded = text if "." not in text else text.ljust(26, "0")
    try:
        return instant(datetime.fromisoformat(padded))
    except ValueError:
        return None


def _nearest(value: float) -> int | None:
    return whole(round(value)) if math.isfinite(value) else None


def _matching(pattern: str, kind: str, also: str = "") -> str:
    return f"(CASE WHEN regexp_full_match({{0}}, '{pattern}'){also} THEN TRY_CAST({{0}} AS {kind}) END)"


SINCE_YEAR_ONE = " AND {0} >= '0001'"

CASTS: tuple[Function, ...] = (
    Function(
        "integer",
        (
            Form(("integer",), "integer", lambda a: a, "{0}", own),
            Form(("real",), "integer", _nearest, "TRY_CAST({0} AS BIGINT)", monotone(lambda a: Fraction(round(a))), partial=True),
            Form(("boolean",), "integer", int, "CAST({0} AS BIGINT)", within(0, 1)),
            Form(("text",), "integer", _read(INTEGER, int), _matching(INTEGER, "BIGINT"), partial=True),
        ),
        "a real to the nearest whole number, halves to even; true is 1; a text of at most 18 digits",
        "beyond 64 bits, and for texts that are no number",
    ),
    Function(
        "real",
        (
            Form(("integer",), "real", float, "CAST({0} AS DOUBLE)", own),
            Form(("real",), "real", lambda a: a, "{0}", own),
            Form(("text",), "real", _read(REAL, float), _matching(REAL, "DOUBLE"), partial=True),
        ),
        "the nearest double",
        "for texts that are no number",
        raw=True,
    ),
    Function(
        "text",
        (
            Form(("text",), "text", lambda a: a, "{0}"),
            Form(("integer",), "text", str, "CAST({0} AS VARCHAR)"),
            Form(("boolean",), "text", lambda a: str(a).lower(), "CAST({0} AS VARCHAR)"),
        ),
        "as it is written",
    ),
    Function(
        "boolean",
        (Form(("boolean",), "boolean", lambda a: a, "{0}"), Form(("integer",), "boolean", bool, "({0} <> 0)")),
        "whether it is not 0",
    ),
    Function(
        "date",
        (
            Form(("date",), "date", lambda a: a, "{0}", own),
            Form(("timestamp",), "date", lambda a: a // DAY, "CAST({0} AS DATE)", monotone(lambda a: a // DAY * Fraction(1))),
            Form(("text",), "date", _read(DATE, _day), _matching(DATE, "DATE", SINCE_YEAR_ONE), partial=True),
        ),
        "a text like 2024-02-29",
        "for texts that are no date",
    ),
    Function(
        "timestamp",
        (
            Form(("timestamp",), "timestamp", lambda a: a, "{0}", own),
            Form(("date",), "timestamp", lambda a: a * DAY, "CAST({0} AS TIMESTAMP)", monotone(lambda a: a * DAY)),
            Form(("text",), "timestamp", _read(TIME, _moment), _matching(TIME, "TIMESTAMP", SINCE_YEAR_ONE), partial=True),
        ),
        "a text like 2024-02-29 12:30:00",
        "for texts that are no such time",
    ),
)
