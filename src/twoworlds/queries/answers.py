"""An answer: what was asked, with noise intervals, claim and receipt. It is computed from noisy numbers and public ones alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from twoworlds.queries import display, export
from twoworlds.queries.consistency import consistent
from twoworlds.queries.expressions import value as evaluated
from twoworlds.queries.outputs import Cell, Noisy, Reading, counted, shown
from twoworlds.queries.plan import Aggregate, Output
from twoworlds.queries.pricing import Offer
from twoworlds.queries.slices import Learnt
from twoworlds.queries.styles import PLAIN, Row, Style
from twoworlds.worlds.claims import Claim
from twoworlds.worlds.errors import BadArgument

__all__ = ["Answer", "Cell", "Noisy"]

_COUNTS = ("count", "count_users", "count_distinct")


@dataclass(frozen=True)
class Answer:
    """A released table. `rows` has the values, `cells` the same with their intervals, `value` the one number of an answer of one.

    Printing it, or reading it in another style, computes nothing new from the data.
    """

    offer: Offer
    noisy: Noisy
    receipt: str | None
    repeated: bool = False
    style: Style = PLAIN
    learnt: Learnt | None = None

    def shown(self, **style: Any) -> Answer:
        """The same answer in another style: confidence, simultaneous, sampling, nonnegative, totals. Free."""
        return replace(self, style=replace(self.style, **style))

    @cached_property
    def cells(self) -> list[Row]:
        """The rows, each number with its interval."""
        query, typed = self.offer.typed.query, self.offer.typed
        together = max(1, len(self.noisy.keys)) * len(query.outputs) if self.style.simultaneous else 1
        reading = Reading(self.offer, self.noisy, self.style.confidence, together, self.style.sampling)
        types = {name: shape.type for name, shape in typed.answers.items()}
        rows = []
        for row in self._groups(reading):
            values = {name: counted(cell.value) for name, cell in row.items()}
            for output in query.outputs:
                if not isinstance(output.value, Aggregate):
                    values[output.name] = made = evaluated(output.value, values, types)
                    as_said = shown(made, types[output.name]) if types[output.name] in ("date", "timestamp") else made
                    row[output.name] = Cell(as_said, note="made of noisy numbers")
            if query.having is None or evaluated(query.having, values, types):
                rows.append(row)
        for order in reversed(query.order):
            rows.sort(key=lambda row, name=order.name: _sortable(row[name].value), reverse=order.descending)  # type: ignore[misc]  # bound in the loop
        return [self._public(row) for row in rows[: query.limit]]

    def _groups(self, reading: Reading) -> list[dict[str, Cell]]:
        """Keys and aggregates of every group, before anything is made of them."""
        query, typed = self.offer.typed.query, self.offer.typed
        rows = []
        for group, keys in enumerate(self.noisy.keys):
            row = {key.name: Cell(value) for key, value in zip(query.keys, keys, strict=True)}
            for output, uses in zip(query.outputs, typed.uses, strict=True):
                if isinstance(output.value, Aggregate):
                    cell = reading.cell(output.name, output.value, uses, group)
                    row[output.name] = _cut(cell) if self.style.nonnegative and self._is_positive(output, uses) else cell
            rows.append(row)
        if self.style.totals:
            for output in query.outputs:
                if isinstance(output.value, Aggregate) and output.value.kind in _COUNTS:
                    whole = consistent([row[output.name].value for row in rows])
                    for row, number in zip(rows, whole, strict=True):
                        row[output.name] = replace(_cut(row[output.name]), value=number)
        return rows

    def _is_positive(self, output: Output, uses: tuple[int, ...]) -> bool:
        """Whether the true number cannot be below 0."""
        assert isinstance(output.value, Aggregate), "asked of aggregates"
        if output.value.kind in (*_COUNTS, "histogram"):
            return True
        bounds = self.offer.typed.measures[uses[0]].bounds
        return output.value.kind == "sum" and bounds is not None and bounds.low >= 0

    @cached_property
    def totals(self) -> dict[str, int]:
        """The sums of the counts that are shown, of an answer in the style `totals`."""
        if not self.style.totals:
            raise BadArgument("totals", False, "were not asked for", "Read answer.shown(totals=True)")
        counted = [
            one.name for one in self.offer.typed.query.outputs if isinstance(one.value, Aggregate) and one.value.kind in _COUNTS
        ]
        return {name: sum(row[name].value for row in self.cells) for name in counted if name in self.columns}

    def margin(self, *keys: str) -> dict[tuple[Any, ...], dict[str, int]]:
        """Of a contingency table, the sums of its counts for each value of these keys; of an answer in the style `totals`.

        The cells are whole, and every margin is a sum of cells, so all margins agree with each other and with the totals.
        """
        unknown = [key for key in keys if key not in self.columns or not self.is_key(key)]
        if unknown:
            raise BadArgument("keys", unknown[0], "is no key of the answer", "Give columns that it is grouped by")
        found: dict[tuple[Any, ...], dict[str, int]] = {}
        for row in self.cells:
            sums = found.setdefault(tuple(row[key].value for key in keys), dict.fromkeys(self.totals, 0))
            for name in sums:
                sums[name] += row[name].value
        return found

    def _public(self, row: Row) -> Row:
        """The columns that are shown, keys in the form of their type."""
        answers = self.offer.typed.answers
        return {
            name: Cell(shown(row[name].value, answers[name].type)) if self.is_key(name) and name in answers else row[name]
            for name in self.columns
        }

    def is_key(self, name: str) -> bool:
        """Whether a column says which group it is."""
        return any(key.name == name for key in self.offer.typed.query.keys)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        query = self.offer.typed.query
        return query.columns or (*(key.name for key in query.keys), *(output.name for output in query.outputs))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One record for each row."""
        return [{name: cell.value for name, cell in row.items()} for row in self.cells]

    @property
    def value(self) -> Any:
        """The one number of an answer that has just one."""
        if len(self.cells) != 1 or len(self.columns) != 1:
            raise BadArgument("answer", f"{len(self.cells)} rows", "is more than one number", "Read its rows")
        return self.cells[0][self.columns[0]].value

    @cached_property
    def claim(self) -> Claim:
        """What is guaranteed of this release alone."""
        return replace(self.offer.claim, loss=self.offer.loss.loss(), recorded=self.receipt is not None)

    def __repr__(self) -> str:
        return "\n".join(display.lines(self))

    def _repr_html_(self) -> str:
        return display.html(self)

    def write(self, path: Any) -> None:
        """Into a CSV, Parquet, Arrow or JSON file, by its ending; each number with the ends of its interval."""
        export.write(self, path)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """For pandas, Polars, PyArrow and whoever else speaks the Arrow PyCapsule protocol."""
        return export.stream(self, requested_schema)

    def chart(self, column: str | None = None) -> Any:
        """One column over the groups, with error bars, as a chart of `twoworlds.figures`."""
        return display.chart(self, column)


def _cut(cell: Cell) -> Cell:
    """Without what is below 0."""
    if isinstance(cell.value, tuple):
        return replace(cell, value=tuple(max(number, 0.0) for number in cell.value))
    ends = (None if end is None else max(end, 0.0) for end in (cell.low, cell.high))
    low, high = ends
    return replace(cell, value=max(cell.value, 0.0), low=low, high=high)


def _sortable(value: Any) -> tuple[bool, Any]:
    return (value is None, value)
