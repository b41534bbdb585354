"""From a typed query to the texts that the engine runs: integer aggregates of bounded entries for every group.

One row of a result is one cell: a group and, where there is a grid of cells, one of them. Groups and cells without rows are
filled in afterwards, in our process. Sums are added up without a limit and checked when they are handed over; a sum whose terms
are large comes in two halves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from twoworlds.queries.bounding import PARTS, Bounding, largest_entry
from twoworlds.queries.entries import Types, cell, comparable, entry, literal
from twoworlds.queries.expressions import written
from twoworlds.queries.measures import Measure, Typed
from twoworlds.queries.plan import Distinct, Key, Relation, Scan, Union, Value
from twoworlds.queries.policy import Policy
from twoworlds.queries.pricing import cells_of, groups_of
from twoworlds.queries.relations import USER, Writing

__all__ = ["HALF", "Compiled", "compiled"]

HALF = 2**32
"""The lower half of a sum that comes in two."""

_LARGE = 2**30

_PLACES = 2**16
"""So many places have numbers of 16 bits, for which engines keep a plain array of sums and look nothing up."""


@dataclass(frozen=True)
class Compiled:
    """A text for the engine.

    Its columns: `g`, the number of the group, or `k0`, `k1`, ... where keys are not public; `c`, the number of the cell, -1 for
    rows without; `m<i>` for measure i of `measures`, with `h<i>` for the upper half of those in `wide`; `n` for that of `celled`.
    """

    text: str
    measures: tuple[int, ...]
    celled: int | None = None
    wide: frozenset[int] = frozenset()


def compiled(typed: Typed, bounding: Bounding, policy: Policy, salt: str) -> tuple[Compiled, ...]:
    """The scans that fill all measures: one for what is added up and one grid of cells, one more for each further one."""
    scans = _Scans(typed, bounding, Writing(policy, salt))
    kinds = {i: measure.kind for i, measure in enumerate(typed.measures)}
    added = [i for i, kind in kinds.items() if kind in ("count", "sum")]
    celled = [i for i, kind in kinds.items() if kind in ("bins", "values")]
    chosen = [i for i, kind in kinds.items() if kind in ("users", "distinct")]
    texts = []
    if added and bounding.kind == "window":
        texts, added = [scans.windowed(added)], []
    if added or celled:
        texts.append(scans.cells(added, celled[0] if celled else None))
    return (*texts, *(scans.cells([], i) for i in celled[1:]), *(scans.chosen(i) for i in chosen))


@dataclass(frozen=True)
class _Scans:
    """The texts over one query."""

    typed: Typed
    bounding: Bounding
    writing: Writing

    @property
    def keys(self) -> tuple[Key, ...]:
        return self.typed.query.keys

    @property
    def names(self) -> list[str]:
        return [f"k{j}" for j in range(len(self.keys))]

    @property
    def types(self) -> Types:
        return self.writing.types(self.typed.query.source)

    def cells(self, added: Sequence[int], celled: int | None) -> Compiled:
        """Counts and sums over the cells, of rows or of weighted rows.

        Where there are few places (a group and a cell of it), one pass adds up everything by place. Where there are many, sums
        are added up by group, and cells are counted in a pass of their own, which costs less than sums of every place.
        """
        weigh, both = self.bounding.kind != "rows", bool(added) and celled is not None
        few = celled is not None and self._places(celled) <= _PLACES
        entries = self._entries(added)
        picked = [*self._keys(), *([f"{USER} AS u"] if weigh else []), *(f"{sql} AS v{i}" for i, sql in entries.items() if sql)]
        if celled is not None:
            measure = self.typed.measures[celled]
            inside = cell(measure, self.types)
            picked.append(f"{f'coalesce(CAST({inside} AS INTEGER), -1)' if few and measure.kind == 'bins' else inside} AS b")
        picking = f"(SELECT {', '.join(picked) or '1 AS one'} FROM {self._rows()})"
        twice = both and not few
        parts = [f"picked AS {self._kept() if weigh or twice else ''}{picking}"]
        if weigh:
            most, once = self.bounding.rows, "MATERIALIZED " if twice else ""
            weight = f"CAST(({PARTS * most}) // greatest({most}, count(*)) AS INTEGER)"
            parts.append(f"weights AS {once}(SELECT u, {weight} AS w FROM picked WHERE u IS NOT NULL GROUP BY u)")
        source = "picked JOIN weights USING (u)" if weigh else "picked"
        totals = {i: _total(self.typed.measures[i], i, sql, weigh) for i, sql in entries.items()}
        if celled is not None and few:
            return self._by_place(parts, source, totals, celled)
        return self._by_group(parts, source, totals, celled)

    def _by_place(self, parts: Sequence[str], source: str, totals: Mapping[int, str], celled: int) -> Compiled:
        """Everything for each place, numbered row by row; then the totals of the places of each group."""
        measure, wide, wanted = self.typed.measures[celled], self._wide(totals), list(totals)
        width, inside = cells_of(measure) + 2, "b"
        joins, numbers = self._numbers("picked", width)
        if measure.kind == "values":
            joins, inside = f"{joins} LEFT{_listed('b', 'e', measure.listed or ())}", "coalesce(e.i, -1)"
        place = f"CAST({' + '.join([*numbers, inside, '1'])} AS USMALLINT) AS p"
        summed = [f"{total} AS t{i}" for i, total in totals.items()]
        filled = [text for i in wanted for text in _handed(i, f"sum(t{i})", i in wide)]
        none = [f"CAST(0 AS BIGINT) AS {text.rpartition(' ')[2]}" for text in filled]
        where, shown = f"CAST(p // {width} AS BIGINT) AS g", f"CAST(p % {width} AS BIGINT) - 1 AS c"
        parts = [*parts, f"places AS (SELECT {', '.join([place, *summed, self._counted()])} FROM {source}{joins} GROUP BY p)"]
        text = f"WITH {', '.join(parts)} SELECT {', '.join([where, shown, *none, 'n'])} FROM places"
        if wanted:
            outside = ["CAST(-1 AS BIGINT) AS c", *filled, "CAST(0 AS BIGINT) AS n"]
            text += f" UNION ALL SELECT {', '.join([where, *outside])} FROM places GROUP BY g"
        return Compiled(text, tuple(wanted), celled, wide)

    def _by_group(self, parts: Sequence[str], source: str, totals: Mapping[int, str], celled: int | None) -> Compiled:
        """Sums for each group, cells for each group and cell, side by side."""
        wide = self._wide(totals)
        filled = [text for i, total in totals.items() for text in _handed(i, total, i in wide)]
        sums, rows = f"SELECT {', '.join([*self.names, *filled])} FROM {source}{_grouped(self.names)}", [*self.names, "b"]
        if celled is not None:
            none = [f"CAST(0 AS BIGINT) AS {text.rpartition(' ')[2]}" for text in filled]
            inside = f"SELECT {', '.join([*rows, *none, self._counted()])} FROM {source}{_grouped(rows)}"
            if totals:
                sums = f"SELECT {', '.join([*self.names, 'NULL AS b', *filled, 'CAST(0 AS BIGINT) AS n'])} FROM {source}"
                inside = f"{inside} UNION ALL {sums}{_grouped(self.names)}"
            sums = inside
        return self._numbered([*parts, f"cells AS ({sums})"], list(totals), celled, wide)

    def windowed(self, added: Sequence[int]) -> Compiled:
        """Counts and sums of each user in each group; of a user's groups only so many count, for so many rows at the most."""
        entries = self._entries(added)
        picked = [*self._keys(), f"{USER} AS u", *(f"{sql} AS v{i}" for i, sql in entries.items() if sql)]
        most = self.bounding.rows_per_group
        own = [f"({PARTS * most}) // greatest({most}, count(*)) AS w"]
        own += [f"{_total(self.typed.measures[i], i, sql, False)} AS v{i}" for i, sql in entries.items()]
        parts = [
            f"picked AS (SELECT {', '.join(picked)} FROM {self._rows()})",
            f"known AS (SELECT * FROM picked{self._known('u IS NOT NULL')})",
            f"partials AS (SELECT {', '.join(['u', *self.names, *own])} FROM known GROUP BY {', '.join(['u', *self.names])})",
            self._few("partials", self.names, self.bounding.groups),
        ]
        wide = self._wide(added)
        filled = [text for i in added for text in _handed(i, f"coalesce(sum(w * v{i}), 0)", i in wide)]
        parts.append(f"cells AS (SELECT {', '.join([*self.names, *filled])} FROM few{_grouped(self.names)})")
        return self._numbered(parts, added, None, wide)

    def chosen(self, i: int) -> Compiled:
        """Users or different values of each group; of what a user takes part in, only so much counts."""
        measure, by_user = self.typed.measures[i], self.bounding.kind != "rows"
        users = measure.kind == "users"
        picked = self._keys() + ([f"{USER} AS u"] if by_user or users else [])
        held = [*self.names, *([] if users else ["v"])]
        if measure.value is not None:
            value = written(measure.value, self.types)
            picked.append(f"{f'{value} IS NOT NULL' if users else value} AS v")
        conditions = [*(["u IS NOT NULL"] if by_user or users else [])]
        conditions += [("v" if users else "v IS NOT NULL")] if measure.value is not None else []
        parts = [
            f"picked AS (SELECT DISTINCT {', '.join(picked)} FROM {self._rows()})",
            f"known AS (SELECT * FROM picked{self._known(*conditions)})",
        ]
        source = "known"
        if by_user:
            parts.append(self._few("known", held, self.bounding.groups if users else self.bounding.rows))
            source = "few"
        filled = f"count(DISTINCT {'u' if users else 'v'}) AS m{i}"
        parts.append(f"cells AS (SELECT {', '.join([*self.names, filled])} FROM {source}{_grouped(self.names)})")
        return self._numbered(parts, [i], None, frozenset())

    def _rows(self) -> str:
        return self.writing.relation(self.typed.query.source)

    def _kept(self) -> str:
        """Reading the users once more costs less than keeping every row until they are counted; sorting rows out does not."""
        return "" if _sorts_out(self.typed.query.source) else "NOT MATERIALIZED "

    def _keys(self) -> list[str]:
        return [f"{comparable(key.expression, self.types)} AS k{j}" for j, key in enumerate(self.keys)]

    def _entries(self, added: Iterable[int]) -> dict[int, str | None]:
        """What a row enters into each measure. What is small even when it is weighted is held in 32 bits, which is faster."""
        wide = self._wide(added)
        entries = {i: entry(self.typed.measures[i], self.types) for i in added}
        small = {i for i in entries if self.typed.measures[i].kind == "sum" and i not in wide}
        return {i: f"CAST({sql} AS INTEGER)" if i in small else sql for i, sql in entries.items()}

    def _wide(self, added: Iterable[int]) -> frozenset[int]:
        return frozenset(i for i in added if largest_entry(self.typed.measures[i]) * self.bounding.parts > _LARGE)

    def _known(self, *conditions: str) -> str:
        """Only rows in public groups: others shall not use up what counts of a user."""
        listed = list(conditions)
        for j, key in enumerate(self.keys):
            if key.values is not None:
                texts = ", ".join(literal(value) for value in key.values if value is not None)
                anywhere = [f"k{j} IN ({texts})"] if texts else []
                listed.append(f"({' OR '.join([*anywhere, *([f'k{j} IS NULL'] if None in key.values else [])]) or 'FALSE'})")
        return f" WHERE {' AND '.join(listed)}" if listed else ""

    def _few(self, source: str, held: Sequence[str], most: int) -> str:
        """Of each user's lines the first `most`, in the order of a keyed hash of what they hold."""
        order = ", ".join([self.writing.hashed("u", *held), *held])
        ranked = f"row_number() OVER (PARTITION BY u ORDER BY {order})"
        return f"few AS (SELECT * FROM (SELECT *, {ranked} AS place FROM {source}) WHERE place <= {most})"

    def _counted(self) -> str:
        """Rows, or weights, of a cell."""
        return f"{'count(*)' if self.bounding.kind == 'rows' else 'CAST(sum(w) AS BIGINT)'} AS n"

    def _places(self, celled: int) -> int:
        """How many there are: for each group its cells, the upper end of the last, and none of them."""
        groups = groups_of(self.typed)
        return _PLACES + 1 if groups is None else groups * (cells_of(self.typed.measures[celled]) + 2)

    def _numbers(self, of: str, step: int = 1) -> tuple[str, list[str]]:
        """Joins with the public values of keys, by which groups that are not public fall away; and numbers that add up to that
        of the group, in steps.
        """
        joins, numbers = "", []
        for j, key in reversed([*enumerate(self.keys)]):
            if key.values is not None:
                joins += _listed(f"{of}.k{j}", f"d{j}", key.values, step)
                numbers.append(f"d{j}.i")
                step *= len(key.values)
        return joins, numbers

    def _numbered(self, parts: Sequence[str], added: Sequence[int], celled: int | None, wide: frozenset[int]) -> Compiled:
        """The number of each group from the numbers of its keys."""
        shown = [*(f"m{i}" for i in added), *(f"h{i}" for i in sorted(wide)), *(["n"] if celled is not None else [])]
        (joins, numbers), cell_shown = self._numbers("cells"), "coalesce(b, -1) AS c"
        if celled is not None and self.typed.measures[celled].kind == "values":
            joins += " LEFT" + _listed("cells.b", "e", self.typed.measures[celled].listed or ())
            cell_shown = "coalesce(e.i, -1) AS c"
        groups = self.names if self.typed.unknown_keys else [f"{' + '.join(['CAST(0 AS BIGINT)', *numbers])} AS g"]
        columns = [*groups, *([cell_shown] if celled is not None else []), *shown]
        text = f"WITH {', '.join(parts)} SELECT {', '.join(columns)} FROM cells{joins}"
        return Compiled(text, tuple(added), celled, wide)


def _sorts_out(relation: Relation) -> bool:
    """Whether equal rows are sought in it."""
    if isinstance(relation, Scan):
        return False
    if isinstance(relation, Union):
        return _sorts_out(relation.left) or _sorts_out(relation.right)
    return isinstance(relation, Distinct) or _sorts_out(relation.source)


def _total(measure: Measure, i: int, sql: str | None, weigh: bool) -> str:
    """The aggregate of a measure over a cell."""
    if measure.kind == "sum":
        return f"coalesce(sum({f'w * v{i}' if weigh else f'v{i}'}), 0)"
    if weigh:
        return f"coalesce(sum({'w' if sql is None else f'CASE WHEN v{i} THEN w END'}), 0)"
    return "count(*)" if sql is None else f"count(CASE WHEN v{i} THEN 1 END)"


def _handed(i: int, total: str, wide: bool) -> list[str]:
    """A total as it is handed over. The casts are checked: what does not fit fails, it never wraps around."""
    if not wide:
        return [f"CAST({total} AS BIGINT) AS m{i}"]
    whole = f"CAST({total} AS HUGEINT)"
    return [f"CAST({whole} % {HALF} AS BIGINT) AS m{i}", f"CAST({whole} // {HALF} AS BIGINT) AS h{i}"]


def _grouped(names: Sequence[str]) -> str:
    return f" GROUP BY {', '.join(names)}" if names else ""


def _listed(name: str, table: str, values: Sequence[Value], step: int = 1) -> str:
    rows = ", ".join(f"({place * step}, {literal(value)})" for place, value in enumerate(values))
    return f" JOIN (VALUES {rows}) AS {table}(i, v) ON {name} IS NOT DISTINCT FROM {table}.v"
