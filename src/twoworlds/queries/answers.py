"""An answer: what was asked, with noise intervals, claim and receipt. It is computed from noisy numbers and public ones alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from twoworlds.queries.expressions import value as evaluated
from twoworlds.queries.outputs import Cell, Noisy, Reading, shown
from twoworlds.queries.plan import Aggregate
from twoworlds.queries.pricing import Offer
from twoworlds.worlds.claims import Claim
from twoworlds.worlds.errors import BadArgument

__all__ = ["Answer", "Cell", "Noisy"]

Row = Mapping[str, Cell]


@dataclass(frozen=True)
class Answer:
    """A released table. `rows` has the values, `cells` the same with their intervals; both are post-processed noise."""

    offer: Offer
    noisy: Noisy
    receipt: str | None
    repeated: bool = False

    @cached_property
    def cells(self) -> list[Row]:
        """The rows of the answer at 95 %, each interval for itself."""
        return self.at()

    def at(self, confidence: float = 0.95, *, simultaneous: bool = False) -> list[Row]:
        """The rows with intervals of this confidence; `simultaneous`: all of them together."""
        if not 0 < confidence < 1:
            raise BadArgument("confidence", confidence, "is not between 0 and 1", "Give for example 0.95")
        query, typed = self.offer.typed.query, self.offer.typed
        together = max(1, len(self.noisy.keys)) * len(query.outputs) if simultaneous else 1
        reading = Reading(self.offer, self.noisy, confidence, together)
        types = {name: shape.type for name, shape in typed.answers.items()}
        rows = []
        for group, keys in enumerate(self.noisy.keys):
            row = {key.name: Cell(value) for key, value in zip(query.keys, keys, strict=True)}
            for output, uses in zip(query.outputs, typed.uses, strict=True):
                if isinstance(output.value, Aggregate):
                    row[output.name] = reading.cell(output.name, output.value, uses, group)
            values = {name: cell.value for name, cell in row.items()}
            for output in query.outputs:
                if not isinstance(output.value, Aggregate):
                    values[output.name] = evaluated(output.value, values, types)
                    row[output.name] = Cell(values[output.name], note="made of noisy numbers")
            if query.having is None or evaluated(query.having, values, types):
                rows.append(row)
        for order in reversed(query.order):
            rows.sort(key=lambda row, name=order.name: _sortable(row[name].value), reverse=order.descending)  # type: ignore[misc]  # bound in the loop
        return [self._public(row) for row in rows[: query.limit]]

    def _public(self, row: Row) -> Row:
        """The columns that are shown, keys in the form of their type."""
        answers = self.offer.typed.answers
        return {
            name: Cell(shown(row[name].value, answers[name].type)) if self._is_key(name) and name in answers else row[name]
            for name in self.columns
        }

    def _is_key(self, name: str) -> bool:
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


def _sortable(value: Any) -> tuple[bool, Any]:
    return (value is None, value)
