"""An answer: what was asked, with noise interval, claim and receipt. It is computed from noisy numbers and public ones alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from twoworlds.proofs.statuses import status
from twoworlds.queries.plan import Aggregate, Value
from twoworlds.queries.pricing import Offer
from twoworlds.worlds.claims import Claim, Status
from twoworlds.worlds.errors import BadArgument

__all__ = ["Answer", "Cell", "answered"]

_RANKS: tuple[Status, ...] = ("audited only", "tabulated", "proved by rule", "proved by machine")


@dataclass(frozen=True)
class Cell:
    """A number with the interval that its noise leaves for the true one."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Answer:
    """A released table: `rows` has the keys and the values of each group, `cells` the values with their intervals."""

    offer: Offer
    keys: tuple[tuple[Value, ...], ...]
    cells: Mapping[str, tuple[Cell, ...]]
    receipt: str | None
    repeated: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        return (*(key.name for key in self.offer.typed.query.keys), *self.cells)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One record per group."""
        names = [key.name for key in self.offer.typed.query.keys]
        return [
            {**dict(zip(names, keys, strict=True)), **{name: cells[i].value for name, cells in self.cells.items()}}
            for i, keys in enumerate(self.keys)
        ]

    @property
    def value(self) -> float:
        """The one number of an answer that has just one."""
        if len(self.keys) != 1 or len(self.cells) != 1:
            raise BadArgument("answer", f"{len(self.keys)} rows", "is more than one number", "Read its rows")
        return next(iter(self.cells.values()))[0].value

    @cached_property
    def claim(self) -> Claim:
        """What is guaranteed of this release alone."""
        typed, statuses = self.offer.typed, [status(step.card) for step in self.offer.steps]
        unit = typed.table.unit
        who = "one row" if unit.is_row else f"all rows of one {unit.column}"
        relation = {"add_remove": "added or removed", "replace": "replaced"}[typed.relation]
        return Claim(
            self.offer.loss.loss(),
            f"{who} {relation}",
            who,
            status=min(statuses, key=_RANKS.index),
            recorded=self.receipt is not None,
        )


def answered(offer: Offer, noisy: Sequence[Sequence[int]], *, receipt: str | None, repeated: bool = False) -> Answer:
    """The answer made of the noisy measures."""
    query = offer.typed.query
    keys = tuple(product(*(key.values or () for key in query.keys)))
    cells = {}
    for output, uses in zip(query.outputs, offer.typed.uses, strict=True):
        assert isinstance(output.value, Aggregate)
        cells[output.name] = tuple(_single(offer, noisy, uses[0], i) for i in range(len(keys)))
    return Answer(offer, keys, cells, receipt, repeated)


def _single(offer: Offer, noisy: Sequence[Sequence[int]], measure: int, group: int) -> Cell:
    """A count or a sum: the noisy steps as a number."""
    place = next(i for i, step in enumerate(offer.steps) if step.measure == measure)
    unit = offer.typed.measures[measure].grid / offer.bounding.parts
    value = Fraction(noisy[place][group]) * unit
    reach = offer.steps[place].within(0.95) * float(unit)
    return Cell(float(value), float(value) - reach, float(value) + reach)
