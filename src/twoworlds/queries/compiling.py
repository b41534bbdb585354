"""From a typed query to the text that the engine runs: integer aggregates of bounded values for every public group.

One row of the result is one cell: a group, and where there is a grid of cells, a cell of it. Groups without rows are filled in
afterwards, in our process. Every value that is added up is a whole number between two public ones: NULL and what is not finite is
left out before anything is compared, what lies outside the bounds is moved to them, and the rest is rounded to the grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod

from twoworlds.queries.bounding import PARTS, Bounding, steps_of
from twoworlds.queries.measures import Measure, Typed
from twoworlds.queries.plan import Call, Column, Expression, Relation, Scan, Select, Value, Where
from twoworlds.queries.policy import TablePolicy
from twoworlds.queries.sources import quoted, text
from twoworlds.worlds.errors import BadArgument

__all__ = ["Compiled", "compiled"]


@dataclass(frozen=True)
class Compiled:
    """A text for the engine. Its columns are `g`, the number of the group, and one `m<i>` for each measure of `measures`."""

    text: str
    measures: tuple[int, ...]
    groups: int


def compiled(typed: Typed, bounding: Bounding) -> tuple[Compiled, ...]:
    """The scans that fill all measures."""
    plain = tuple(i for i, measure in enumerate(typed.measures) if measure.kind in ("count", "sum"))
    other = [measure.kind for measure in typed.measures if measure.kind not in ("count", "sum")]
    if other:
        raise BadArgument("measure", other[0], "is not built yet", "Ask for counts, sums and means")
    return (_scan(typed, bounding, plain),)


def _scan(typed: Typed, bounding: Bounding, measures: tuple[int, ...]) -> Compiled:
    keys = typed.query.keys
    weigh = bounding.kind == "weights"
    values = {i: _steps(typed.measures[i], typed.table) for i in measures}
    picked = [f"{_sql(key.expression)} AS k{j}" for j, key in enumerate(keys)]
    picked += [f"{value} AS v{i}" for i, value in values.items() if value is not None]
    if weigh:
        assert typed.table.unit.column is not None
        picked.append(f"{quoted(typed.table.unit.column)} AS u")
    parts = [f"picked AS (SELECT {', '.join(picked) or '1 AS one'} FROM {_relation(typed.query.source)})"]
    source = "picked"
    if weigh:
        parts.append(
            f"weights AS (SELECT u, ({PARTS} * {bounding.rows}) // greatest({bounding.rows}, count(*)) AS w FROM picked"
            " WHERE u IS NOT NULL GROUP BY u)"
        )
        source = "picked JOIN weights USING (u)"
    filled = [f"{_total(typed.measures[i], i, value, weigh)} AS m{i}" for i, value in values.items()]
    names = [f"k{j}" for j in range(len(keys))]
    grouped = f" GROUP BY {', '.join(names)}" if names else ""
    parts.append(f"cells AS (SELECT {', '.join([*names, *filled])} FROM {source}{grouped})")
    number, joins = _numbered([_listed(key.values) for key in keys])
    shown = ", ".join([f"{number} AS g", *(f"m{i}" for i in measures)])
    return Compiled(f"WITH {', '.join(parts)} SELECT {shown} FROM cells{joins}", measures, _groups(typed))


def _groups(typed: Typed) -> int:
    return prod(len(_listed(key.values)) for key in typed.query.keys)


def _listed(values: tuple[Value, ...] | None) -> tuple[Value, ...]:
    if values is None:
        raise BadArgument("keys", None, "are not public", "Declare the values of the column in the policy")
    return values


def _numbered(domains: list[tuple[Value, ...]]) -> tuple[str, str]:
    """The number of a group from the numbers of its keys, and the joins that find them; keys that are not public are dropped."""
    number, joins = "CAST(0 AS BIGINT)", ""
    for j, values in enumerate(domains):
        listed = ", ".join(f"({place}, {_literal(value)})" for place, value in enumerate(values))
        joins += f" JOIN (VALUES {listed}) AS d{j}(i, v) ON cells.k{j} IS NOT DISTINCT FROM d{j}.v"
        number = f"({number} * {len(values)} + d{j}.i)"
    return number, joins


def _total(measure: Measure, place: int, value: str | None, weigh: bool) -> str:
    """The aggregate over a cell; the cast is checked: a sum that does not fit fails, it never wraps around."""
    if measure.kind == "sum":
        summed = f"sum(w * v{place})" if weigh else f"sum(v{place})"
        return f"CAST(coalesce({summed}, 0) AS BIGINT)"
    if value is None:
        return "CAST(coalesce(sum(w), 0) AS BIGINT)" if weigh else "count(*)"
    return (
        f"CAST(coalesce(sum(CASE WHEN v{place} THEN w END), 0) AS BIGINT)" if weigh else f"count(CASE WHEN v{place} THEN 1 END)"
    )


def _steps(measure: Measure, table: TablePolicy) -> str | None:
    """What one row enters: a whole number of steps or NULL for a sum, whether it counts for a count of known values."""
    if measure.value is None:
        return None
    if measure.kind == "count":
        return f"({_known(measure.value, table)})"
    one = _rounded(measure.value, measure, table)
    if measure.other is not None or measure.power != 1:
        raise BadArgument("measure", measure.kind, "of products is not built yet", "Ask for sums")
    return one


def _rounded(value: Expression, measure: Measure, table: TablePolicy) -> str:
    """Known, clipped, centred, in whole steps of the grid, and clipped again where no rounding can reach."""
    assert measure.bounds is not None
    low, high = steps_of(measure)
    inner, scale = f"CAST({_sql(value)} AS DOUBLE)", 1 / measure.grid
    clipped = f"greatest(least({inner}, {_double(measure.bounds.high)}), {_double(measure.bounds.low)})"
    centred = f"({clipped} - {_double(measure.centre)})" if measure.centre else clipped
    scaled = f"{centred} * {_double(scale)}" if scale != 1 else centred
    whole = f"greatest(least(CAST(round({scaled}) AS BIGINT), {high}), {low})"
    return f"CASE WHEN {_known(value, table)} THEN {whole} END"


def _known(value: Expression, table: TablePolicy) -> str:
    """Whether the value is there, and finite if it is a real number."""
    if isinstance(value, Column) and value.name in table.columns and table.columns[value.name].type != "real":
        return f"{_sql(value)} IS NOT NULL"
    return f"isfinite(CAST({_sql(value)} AS DOUBLE))"


def _relation(relation: Relation) -> str:
    if isinstance(relation, Scan):
        return quoted(relation.table)
    if isinstance(relation, Where):
        return f"(SELECT * FROM {_relation(relation.source)} WHERE {_sql(relation.predicate)})"
    if isinstance(relation, Select):
        shown = ", ".join(f"{_sql(value)} AS {quoted(name)}" for name, value in relation.columns)
        return f"(SELECT {shown} FROM {_relation(relation.source)})"
    raise BadArgument("relation", type(relation).__name__, "is not built yet", "Ask a table, filtered or mapped")


def _sql(expression: Expression) -> str:
    if isinstance(expression, Column):
        return quoted(expression.name)
    if isinstance(expression, Call):
        raise BadArgument("function", expression.function, "is not built yet", "Ask for columns")
    return _literal(expression.value)


def _literal(value: Value) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return text(value)
    return str(value) if isinstance(value, int) else _double(value)


def _double(number: Fraction) -> str:
    """A number as the engine's double, written so that it reads back as the same."""
    return f"CAST({float(number)!r} AS DOUBLE)"
