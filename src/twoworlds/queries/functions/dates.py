"""Dates and times of the proleptic Gregorian calendar, years 1 to 9999, without time zones; what lies outside is unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from fractions import Fraction

from twoworlds.queries.functions.function import Form, Function, Ranging
from twoworlds.queries.functions.ranges import corners, monotone, within
from twoworlds.queries.policy import Bounds
from twoworlds.queries.shapes import Shape

__all__ = ["DATES", "DAY", "FIRST_DAY", "IN_RANGE", "LAST_DAY", "calendar", "days"]

DAY = 86_400_000_000
"""Microseconds."""

EPOCH = date(1970, 1, 1).toordinal()
FIRST_DAY, LAST_DAY = 1 - EPOCH, date.max.toordinal() - EPOCH
IN_RANGE = {
    "date": "{0} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'",
    "timestamp": "{0} >= TIMESTAMP '0001-01-01 00:00:00' AND {0} < TIMESTAMP '10000-01-01 00:00:00'",
}


def calendar(day: int) -> date:
    """The date of a day counted from 1970-01-01."""
    return date.fromordinal(day + EPOCH)


def days(day: date) -> int:
    """The other way."""
    return day.toordinal() - EPOCH


def _of_days(part: Callable[[date], int], ranged: Ranging | None, sql: str) -> tuple[Form, Form]:
    """A part of a date, from dates and from timestamps."""
    dated = ranged or monotone(lambda a: Fraction(part(calendar(_clamped(a)))))
    timed = ranged or monotone(lambda a: Fraction(part(calendar(_clamped(a / DAY)))))
    text = f"CAST({sql} AS BIGINT)"
    return (
        Form(("date",), "integer", lambda a: part(calendar(a)), text, dated),
        Form(("timestamp",), "integer", lambda a: part(calendar(a // DAY)), text, timed),
    )


def _clamped(day: Fraction) -> int:
    return min(max(int(day // 1), FIRST_DAY), LAST_DAY)


def _part(name: str, part: Callable[[date], int], meaning: str, ranged: Ranging | None = None, sql: str = "") -> Function:
    return Function(name, _of_days(part, ranged, f"{sql or name}({{0}})"), meaning)


def _clock(name: str, size: int, count: int) -> Function:
    """A part of the time of day."""
    forms = (
        Form(("timestamp",), "integer", lambda a: a // size % count, f"CAST({name}({{0}}) AS BIGINT)", within(0, count - 1)),
    )
    return Function(name, forms, f"0 to {count - 1}")


def _start(name: str, first: Callable[[date], date]) -> Function:
    """The first day of a period."""
    sql = f"CAST(date_trunc('{name}', {{0}}) AS DATE)"
    forms = (
        Form(
            ("date",),
            "date",
            lambda a: days(first(calendar(a))),
            sql,
            monotone(lambda a: Fraction(days(first(calendar(_clamped(a)))))),
        ),
        Form(
            ("timestamp",),
            "date",
            lambda a: days(first(calendar(a // DAY))),
            sql,
            monotone(lambda a: Fraction(days(first(calendar(_clamped(a / DAY)))))),
        ),
    )
    return Function(f"{name}_start", forms, f"the first day of the {name}")


def _later(day: int, by: int) -> int | None:
    return day + by if FIRST_DAY <= day + by <= LAST_DAY else None


def _later_range(shapes: Sequence[Shape]) -> Bounds | None:
    """Within the calendar; where all lies outside, nothing is known of a day that there is not."""
    found = corners(lambda a, b: a + b)(shapes)
    if found is None or found.high < FIRST_DAY or found.low > LAST_DAY:
        return None
    return Bounds(max(found.low, Fraction(FIRST_DAY)), min(found.high, Fraction(LAST_DAY)))


SPAN = LAST_DAY - FIRST_DAY
MOVED = f"(CASE WHEN {{1}} BETWEEN -{SPAN} AND {SPAN} THEN {{0}} + TRY_CAST({{1}} AS INTEGER) END)"
LATER = f"(CASE WHEN {IN_RANGE['date'].replace('{0}', MOVED)} THEN {MOVED} END)"

DATES: tuple[Function, ...] = (
    _part("year", lambda d: d.year, "the year"),
    _part("quarter", lambda d: (d.month + 2) // 3, "1 to 4", within(1, 4)),
    _part("month", lambda d: d.month, "1 to 12", within(1, 12)),
    _part("day", lambda d: d.day, "the day of the month, 1 to 31", within(1, 31)),
    _part("weekday", lambda d: d.isoweekday(), "1 for Monday to 7 for Sunday", within(1, 7), "isodow"),
    _part("day_of_year", lambda d: d.timetuple().tm_yday, "1 to 366", within(1, 366), "dayofyear"),
    _clock("hour", 3_600_000_000, 24),
    _clock("minute", 60_000_000, 60),
    _clock("second", 1_000_000, 60),
    _start("year", lambda d: d.replace(month=1, day=1)),
    _start("quarter", lambda d: d.replace(month=(d.month - 1) // 3 * 3 + 1, day=1)),
    _start("month", lambda d: d.replace(day=1)),
    _start("week", lambda d: d - timedelta(days=d.weekday())),
    Function(
        "add_days",
        (Form(("date", "integer"), "date", _later, LATER, _later_range, partial=True),),
        "a date so many days later",
        "outside years 1 to 9999",
    ),
    Function(
        "days_between",
        (Form(("date", "date"), "integer", lambda a, b: a - b, "CAST({0} - {1} AS BIGINT)", corners(lambda a, b: a - b)),),
        "the days from b to a: `a - b`",
    ),
    Function(
        "seconds_between",
        (
            Form(
                ("timestamp", "timestamp"),
                "real",
                lambda a, b: (a - b) / 1e6,
                "((epoch_us({0}) - epoch_us({1})) / 1e6)",
                corners(lambda a, b: (a - b) / 1_000_000),
            ),
        ),
        "the seconds from b to a: `a - b`",
    ),
)
