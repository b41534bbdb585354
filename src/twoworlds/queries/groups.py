"""Rows of a private table by keys, on the way to a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from twoworlds.queries.aggregates import Asked
from twoworlds.queries.expressions import elaborated
from twoworlds.queries.moves import Moved
from twoworlds.queries.plan import Aggregate, Column, Expression, Key, Output, Query, Relation, Value
from twoworlds.queries.policy import Type
from twoworlds.queries.questions import Question
from twoworlds.queries.session import Session
from twoworlds.worlds.errors import BadArgument

__all__ = ["Groups", "Rows", "aggregate_of", "key_of"]

MOST_OUTPUTS = 200
_TAKES: dict[Type, tuple[type, ...]] = {"text": (str,), "boolean": (bool,), "integer": (int,)}


class Rows(Protocol):
    """A frame, as far as it matters here."""

    @property
    def session(self) -> Session: ...

    @property
    def relation(self) -> Relation: ...

    @property
    def known(self) -> Moved: ...

    def expression(self, text: str) -> Expression: ...


@dataclass(frozen=True)
class Groups:
    """Rows with the keys that they are grouped by."""

    rows: Rows
    keys: tuple[Key, ...]

    def agg(self, *aggregates: Asked, **named: Asked) -> Question:
        """The question for these aggregates of each group; a keyword says what one is called."""
        outputs: dict[str, Output] = {}
        taken = {key.name.lower() for key in self.keys}
        for name, one in (*((one.name if isinstance(one, Asked) else "", one) for one in aggregates), *named.items()):
            if not isinstance(one, Asked):
                raise BadArgument("aggregate", one, "is no aggregate", 'Give count(), mean("age"), ... of twoworlds.queries')
            if name.lower() in taken:
                raise BadArgument("aggregate", name, "is the name of two columns", f"Call one otherwise: other_{name}=...")
            taken.add(name.lower())
            outputs[name] = Output(name, aggregate_of(self.rows, one))
        if not 1 <= len(outputs) <= MOST_OUTPUTS:
            raise BadArgument("aggregates", len(outputs), "is no number of columns", f"Give from 1 to {MOST_OUTPUTS}")
        columns = (*(key.name for key in self.keys), *outputs)
        return Question(self.rows.session, Query(self.rows.relation, tuple(outputs.values()), self.keys, columns=columns))


def aggregate_of(rows: Rows, asked: Asked) -> Aggregate:
    """The plan's aggregate of what was asked, over the columns of these rows."""
    arguments = tuple(rows.expression(text) for text in asked.of)
    table = rows.known.table
    made = Aggregate(asked.kind, arguments, asked.parameters)
    if asked.kind == "count_distinct" and arguments == (Column(table.unit.column or ""),):
        made = Aggregate("count_users")
    if made.kind == "count_users" and table.unit.is_row:
        raise BadArgument("aggregate", asked.name, "has no users: each row is protected by itself", "Use count()")
    return made if asked.condition is None else made.only_where(rows.expression(asked.condition))


def key_of(rows: Rows, name: str, text: str, values: Sequence[Any] | None = None) -> Key:
    """A key; listed values are public, and rows with others are in no group."""
    expression = rows.expression(text)
    if values is None:
        return Key(name, expression)
    kind = elaborated(expression, rows.known.schema)[1].type
    wanted = _TAKES.get(kind)
    if wanted is None:
        raise BadArgument("values", kind, "is no type whose values are listed", "List texts, whole numbers or truth values")
    listed: list[Value] = []
    for value in values:
        if (value is not None and type(value) not in wanted) or value in listed:
            raise BadArgument("values", value, f"is not a new value of type {kind}", "List each value of the key once")
        listed.append(value)
    if any(isinstance(one, str) and not one.isprintable() and one.encode(errors="ignore").decode() != one for one in listed):
        raise BadArgument("values", values, "hold half of a character", "Read them in the encoding that they are written in")
    if not listed:
        raise BadArgument("values", values, "are none", "List at least one value")
    return Key(name, expression, tuple(listed))
