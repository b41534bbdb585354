"""`privacy.toml` read: every number exactly, every fault with its line, its key and what to write instead."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.queries.functions.casts import instant
from twoworlds.queries.functions.dates import days
from twoworlds.queries.policy import Bounds, Budget, ColumnPolicy, Policy, PublicTable, TablePolicy, Type, Unit
from twoworlds.queries.schema import faults
from twoworlds.worlds.errors import TwoWorldsError
from twoworlds.worlds.rationals import exact

__all__ = ["BadPolicy", "Complaint", "lines", "parse", "place_in", "read", "text_of"]

Key = tuple[str, ...]


@dataclass(frozen=True)
class Complaint:
    """One fault: the line it is in, counted from 1; the key; what is wrong with it; how to mend it."""

    line: int | None
    key: str
    what: str
    fix: str

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        return f"{where}{self.key} {self.what}. {self.fix}"


class BadPolicy(TwoWorldsError):
    """The policy cannot be used; `complaints` has every fault that was found."""

    def __init__(self, path: Path | None, complaints: Iterable[Complaint]) -> None:
        self.complaints = tuple(complaints)
        name = path.name if path else "the policy"
        count = len(self.complaints)
        super().__init__(
            f"{name} has {count} fault{'' if count == 1 else 's'}", "\n".join(f"  {complaint}" for complaint in self.complaints)
        )
        self.args = ("\n".join([f"{self.what}:", *(f"  {complaint}" for complaint in self.complaints)]),)


def read(path: str | Path) -> Policy:
    """The policy in a file; paths in it are relative to the file."""
    path = Path(path)
    return parse(text_of(path), path)


def text_of(path: Path) -> str:
    """The text of a policy file."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        fix = "Write one with: twoworlds init DATA --unit COLUMN; or say with --policy where it is"
        raise TwoWorldsError(f"there is no {path} here", fix) from None
    except (OSError, UnicodeDecodeError):
        raise TwoWorldsError(f"{path} cannot be read as a text", "Give a file in UTF-8 that you may read") from None


def parse(text: str, path: Path | None = None) -> Policy:
    """The policy in a text."""
    try:
        given = tomllib.loads(text, parse_float=_exact)
    except tomllib.TOMLDecodeError as error:
        numbered = re.search(r"line (\d+)", str(error))
        what = re.sub(r" \(at .*\)", "", str(error))
        raise BadPolicy(
            path, [Complaint(int(numbered[1]) if numbered else None, "the file", f"is not TOML: {what}", "Mend the line")]
        ) from None
    except (ValueError, RecursionError):
        raise BadPolicy(path, [Complaint(None, "a number", "is too long, or not finite", "Write finite numbers")]) from None
    places = lines(text)
    found = [*faults(given)] or [*_contradictions(given)]
    if found:
        raise BadPolicy(path, [Complaint(place_in(places, at), ".".join(at) or "the file", what, fix) for at, what, fix in found])
    return _policy(given, path)


def lines(text: str) -> Mapping[Key, int]:
    """The line of every table header and key, counted from 1, as far as a look at line starts can tell."""
    found: dict[Key, int] = {}
    header: Key = ()
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.match(r"\s*\[+\s*([^\]]+?)\s*\]+\s*(#.*)?$", line):
            header = _names(match[1])
            found.setdefault(header, number)
        elif match := re.match(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""", line):
            found.setdefault((*header, *_names(match[1])), number)
    return found


def _names(dotted: str) -> Key:
    return tuple(part.strip("\"'") for part in re.findall(r"""[\w-]+|"[^"]*"|'[^']*'""", dotted))


def place_in(places: Mapping[Key, int], at: Key) -> int | None:
    """The line of a key, or of the nearest table around it."""
    return next((places[at[:length]] for length in range(len(at), 0, -1) if at[:length] in places), None)


def _exact(text: str) -> Fraction:
    """Read with care: 1e999999999 has a billion digits."""
    return exact(text.replace("_", ""))


def _contradictions(given: Mapping[str, Any]) -> Iterator[tuple[Key, str, str]]:
    """What a schema cannot say."""
    if not 0 <= Fraction(given["delta"]) < 1:
        yield ("delta",), f"is {given['delta']}", "Write a number from 0 on and below 1"
    for name, budget in given["budgets"].items():
        yield from _of_budget(("budgets", name), budget)
    seen: dict[str, Key] = {}
    for group in ("tables", "public"):
        for name in given.get(group, {}):
            if name.lower() in seen:
                yield (group, name), f"has the name of {'.'.join(seen[name.lower()])}", "Rename one of them"
            seen[name.lower()] = (group, name)
    for name, table in given["tables"].items():
        yield from _of_table(("tables", name), table, given["budgets"])
    for name, public in given.get("public", {}).items():
        yield from _of_names(("public", name, "columns"), public["columns"])
        for column, values in public.get("values", {}).items():
            at = ("public", name, "values", column)
            if column not in public["columns"]:
                yield at, "is none of the columns", "Correct it, or add it to the columns"
            else:
                yield from _of_values(at, public["columns"][column], values)
    for name, share in given.get("analysts", {}).items():
        if not 0 < Fraction(share) <= 1:
            yield ("analysts", name), f"is {share}", "Write a share above 0 and at most 1"


def _of_budget(at: Key, budget: Mapping[str, Any]) -> Iterator[tuple[Key, str, str]]:
    pure = budget.get("filter") == "pure"
    for name in ("epsilon", "rho"):
        if name in budget and Fraction(budget[name]) <= 0:
            yield (*at, name), f"is {budget[name]}", "Write a number above 0"
    delta = Fraction(budget.get("delta", 0))
    if not 0 <= delta < 1:
        yield (*at, "delta"), f"is {budget['delta']}", "Write a number from 0 on and below 1"
    if pure and ("rho" in budget or delta):
        yield at, "is pure, and pure privacy has neither rho nor delta", 'Leave them out, or use filter = "concentrated"'
    elif "epsilon" in budget and "rho" in budget:
        yield at, "has both epsilon and rho", "Keep one: either says all"
    elif "epsilon" not in budget and "rho" not in budget:
        yield at, "has no cap", "Write epsilon = ..." + ("" if pure else ", or rho = ...")
    elif "epsilon" in budget and not pure and not delta:
        yield at, "says epsilon for the concentrated filter, which takes a delta to mean something", "Write delta = 1e-6"


def _of_table(at: Key, table: Mapping[str, Any], budgets: Mapping[str, Any]) -> Iterator[tuple[Key, str, str]]:
    population, columns, unit = table["population"], table["columns"], table.get("unit", {})
    if population not in budgets:
        yield (*at, "population"), f'is "{population}", which has no budget', f"Add [budgets.{population}]"
    if "column" in unit and unit["column"] not in columns:
        yield (
            (*at, "unit", "column"),
            f'is "{unit["column"]}", which is none of the columns',
            "Add it to the columns, or correct it",
        )
    if "column" not in unit and (extra := [name for name in ("rows", "groups", "rows_per_group") if name in unit]):
        yield (
            (*at, "unit", extra[0]),
            "bounds what a user has, and no column says who the users are",
            "Write column = ..., or leave it out",
        )
    if unit.get("rows_per_group", 1) > unit.get("rows", 1):
        yield (*at, "unit", "rows_per_group"), "is above rows", "A user cannot have more rows in one group than in all"
    yield from _of_names((*at, "columns"), columns)
    for name, column in columns.items():
        yield from _of_column((*at, "columns", name), column)


def _of_names(at: Key, columns: Iterable[str]) -> Iterator[tuple[Key, str, str]]:
    """An engine tells no capitals apart, and names of ours, such as the user's, begin with a space."""
    folded: dict[str, str] = {}
    for name in columns:
        if name.lower() in folded:
            yield (*at, name), f"differs from {folded[name.lower()]} by capitals only", "Rename one of them"
        folded[name.lower()] = name
        if name[:1].isspace():
            yield (*at, name), "begins with a space", "Rename it in the source"


def _of_column(at: Key, column: Mapping[str, Any]) -> Iterator[tuple[Key, str, str]]:
    kind, bounds, values = column["type"], column.get("bounds"), column.get("values")
    if bounds is not None:
        if kind in ("text", "boolean"):
            yield (*at, "bounds"), f"are for numbers and dates, and this column is {kind}", "Leave them out"
            return
        ends = [_end(end, kind) for end in bounds]
        if None in ends:
            like = {"date": '"2024-02-29"', "timestamp": '"2024-02-29 12:30:00"'}.get(kind, '0 or "1/3"')
            yield (*at, "bounds"), "do not read as values of the column's type", f"Write them like {like}"
        elif ends[0] > ends[1]:  # type: ignore[operator]  # neither is None
            yield (*at, "bounds"), "are the wrong way round", "Write the lower one first"
        elif kind == "integer" and any(end.denominator != 1 for end in ends if end is not None):
            yield (*at, "bounds"), "of an integer column are not whole", "Write whole numbers"
    if values is not None:
        yield from _of_values((*at, "values"), kind, values)


def _of_values(at: Key, kind: Type, values: Sequence[Any]) -> Iterator[tuple[Key, str, str]]:
    wanted = {"integer": int, "text": str, "boolean": bool}.get(kind)
    if wanted is None:
        yield at, f"are for texts, whole numbers and truth values, and this column is {kind}", "Write bounds instead"
    elif any(type(value) is not wanted for value in values):
        yield at, f"are not all {kind}", "Write values of the column's type"
    elif any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in values):
        yield at, "are not all of 64 bits", "Leave the larger ones out: they are read as unknown"
    elif len(set(values)) < len(values):
        yield at, "are listed twice", "List each value once"


def _end(end: Any, kind: Type) -> Fraction | None:
    """One end of bounds: a number, days or microseconds."""
    try:
        if kind in ("integer", "real"):
            number = None if isinstance(end, date | datetime) else exact(end)
            return number if number is not None and abs(number) < 2 ** (63 if kind == "integer" else 1023) else None
        text = end.isoformat(" ") if isinstance(end, datetime) else end.isoformat() if isinstance(end, date) else end
        if kind == "date":
            return Fraction(days(date.fromisoformat(text)))
        return Fraction(instant(datetime.fromisoformat(text)))
    except (ValueError, TypeError, ZeroDivisionError):
        return None


def _policy(given: Mapping[str, Any], path: Path | None) -> Policy:
    folder = path.parent if path else Path()
    return Policy(
        tables={name: _table(name, table, folder) for name, table in given["tables"].items()},
        budgets={name: _budget(name, budget) for name, budget in given["budgets"].items()},
        ledger=folder / given.get("ledger", "privacy.ledger"),
        delta=Fraction(given["delta"]),
        public={
            name: PublicTable(
                name,
                folder / table["source"],
                dict(table["columns"]),
                table.get("most", 1),
                {column: tuple(values) for column, values in table.get("values", {}).items()},
            )
            for name, table in given.get("public", {}).items()
        },
        analysts={name: Fraction(share) for name, share in given.get("analysts", {}).items()},
        path=path,
    )


def _table(name: str, table: Mapping[str, Any], folder: Path) -> TablePolicy:
    columns = {column: _column(column, said) for column, said in table["columns"].items()}
    return TablePolicy(
        name, folder / table["source"], table["population"], Unit(**table.get("unit", {})), columns, table.get("size")
    )


def _column(name: str, said: Mapping[str, Any]) -> ColumnPolicy:
    bounds = None
    if "bounds" in said:
        low, high = (_end(end, said["type"]) for end in said["bounds"])
        assert low is not None and high is not None, "checked before"
        bounds = Bounds(low, high)
    return ColumnPolicy(
        name, said["type"], bounds, tuple(said["values"]) if "values" in said else None, said.get("nullable", True)
    )


def _budget(name: str, said: Mapping[str, Any]) -> Budget:
    def number(key: str) -> Fraction | None:
        return Fraction(said[key]) if key in said else None

    return Budget(
        name,
        said.get("filter", "concentrated"),
        number("epsilon"),
        number("rho"),
        number("delta") or Fraction(0),
        said.get("renewal_days"),
    )
