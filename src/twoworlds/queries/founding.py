"""The first policy of a table, from its column names and types alone: what only a person can know is left to be filled in.

A CSV file tells the names of its columns and nothing of their types, so all are texts until somebody says otherwise. No row is
read: two tables with the same columns get the same policy.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from twoworlds.queries.policy import Type
from twoworlds.queries.refusals import nearest
from twoworlds.queries.schema import PLACEHOLDER
from twoworlds.queries.sources import columns_of
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import positive

__all__ = ["Saying", "founded", "saying"]

Saying = tuple[Type, str]
"""What somebody says of a column: its type, and the rest of its line in the policy."""

_HEAD = """\
# What is declared here is public, and nothing is ever looked up in the data for it. "{placeholder}" marks what only you can know:
# `twoworlds check {policy}` lists what is left. A column that nobody shall ask may be deleted.
version = 1
ledger = "{ledger}"
delta = 1e-6  # what delta a request for epsilon means: far below one over the number of people

[budgets.{population}]  # what all answers about these people together may cost
epsilon = {epsilon}
delta = 1e-5  # the cap on all deltas that naming groups uses up

[tables.{name}]
source = {source}
population = {people}
# size = 100_000  # the number of rows, if it is public

[tables.{name}.unit]
{unit}
[tables.{name}.columns]
{columns}
"""
_BY_ROW = """# each row is protected by itself: right only where nobody has two
relation = "add_remove"
"""
_BY_USER = """column = {column}  # everything that one of them has is protected
rows = {rows}  # the most rows that one counts for in an answer; more rows than that count less
groups = {groups}  # the most groups that one counts in, where groups are named or users counted
"""


def saying(text: str) -> tuple[str, Saying]:
    """What `NAME=0..120`, `NAME=0.0..1.5`, `NAME=Lyon,Paris` or `NAME=date` says of a column; `,known` after numbers: no NULL."""
    name, given, said = text.partition("=")
    if not given or not name or not said:
        fix = "Write NAME=LOW..HIGH, NAME=VALUE,VALUE or NAME=TYPE, such as age=0..120"
        raise BadArgument("column", text, "says nothing of a column", fix)
    always = ""
    if said.endswith(_KNOWN) and (".." in said or said.removesuffix(_KNOWN) in _TYPES):
        said, always = said.removesuffix(_KNOWN), ", nullable = false"
    if said in _TYPES:
        kind: Type = said  # type: ignore[assignment]  # it is one of them
        return name, (kind, always)
    low, between, high = said.partition("..")
    if not between:
        return name, ("text", f", values = {json.dumps([value.strip() for value in said.split(',')], ensure_ascii=False)}")
    for kind, form in _FORMS.items():
        if all(re.fullmatch(form, end) for end in (low, high)):
            ends = (low, high) if kind in ("integer", "real") else (json.dumps(low), json.dumps(high))
            return name, (kind, f", bounds = [{', '.join(ends)}]{always}")
    raise BadArgument("column", text, "has bounds that are no numbers and no dates", "Write for example age=0..120")


_KNOWN = ",known"
_TYPES = ("integer", "real", "text", "boolean", "date", "timestamp")
_FORMS: Mapping[Type, str] = {
    "integer": r"[+-]?[0-9]+",
    "real": r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?",
    "date": r"\d{4}-\d\d-\d\d",
    "timestamp": r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d",
}


def founded(
    data: Path,
    *,
    unit: str | None,
    table: str | None = None,
    population: str | None = None,
    rows: int | None = None,
    epsilon: str | None = None,
    said: Mapping[str, Saying] | None = None,
    policy: Path = Path("privacy.toml"),
    header: bool = False,
) -> str:
    """The text of a policy for the table in a file; `unit` is the column that says who it is, or None for rows.

    `header` says that the first line of a CSV file holds names, whatever they look like.
    """
    found = columns_of(data, table, header=header)
    names = [name for name, _ in found]
    for name in (*((unit,) if unit is not None else ()), *(said or {})):
        if name not in names:
            fix = "; ".join(nearest(name, names)).capitalize()
            raise BadArgument("column", name, f"is not in {data} (it has {', '.join(names)})", fix)
    if epsilon is not None and positive(epsilon, "epsilon") and "/" in epsilon:
        epsilon = _text(epsilon.strip())
    name = table or re.sub(r"\W+", "_", data.stem).strip("_") or "rows"
    people = population or name
    said = dict(said or {})
    return _HEAD.format(
        placeholder=PLACEHOLDER,
        policy=policy.name,
        ledger="privacy.ledger",
        population=_key(people),
        people=_text(people),
        name=_key(name),
        source=_text(_beside(data, policy)),
        epsilon=epsilon if epsilon is not None else f'"{PLACEHOLDER}"  # 1 protects well, 10 hardly',
        unit=_BY_ROW if unit is None else _BY_USER.format(column=_text(unit), rows=_count(rows), groups=_count(rows)),
        columns=_lines(found, unit, said),
    )


def _lines(found: Sequence[tuple[str, Type | None]], unit: str | None, said: Mapping[str, Saying]) -> str:
    """A line for each column: what was said of it, else its type with what is missing to ask more of it."""
    lines = []
    for name, kind in found:
        if name in said:
            given, rest = said[name]
            lines.append(f"{_key(name)} = {{type = {_text(given)}{rest}}}")
        elif name == unit:
            lines.append(f"{_key(name)} = {{type = {_text(kind or 'text')}}}")
        elif kind is None:
            hint = "a CSV file does not say of what type: number, date? Values make its groups public: values = [...]"
            lines.append(f'{_key(name)} = {{type = "text"}}  # {hint}')
        elif kind == "text":
            lines.append(f'{_key(name)} = {{type = "text"}}  # add values = [...] to make its groups public')
        elif kind == "boolean":
            lines.append(f'{_key(name)} = {{type = "boolean"}}')
        else:
            lines.append(f'{_key(name)} = {{type = {_text(kind)}, bounds = ["{PLACEHOLDER}", "{PLACEHOLDER}"]}}')
    return "\n".join(lines)


def _count(number: int | None) -> str:
    return f'"{PLACEHOLDER}"' if number is None else str(number)


def _beside(data: Path, policy: Path) -> str:
    """The path of the data as the policy will find it."""
    data, folder = data.resolve(), policy.resolve().parent
    return str(data.relative_to(folder)) if data.is_relative_to(folder) else str(data)


def _key(name: str) -> str:
    """A name as TOML writes a key."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _text(value: str) -> str:
    """A text as TOML writes it; JSON's escapes are among TOML's, but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
