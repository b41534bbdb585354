"""Private tables as lazy frames: every method gives a new one, and nothing is read until a question is released.

A frame holds a relation of the plan, the same that SQL text would be read into; expressions are texts in SQL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from twoworlds.queries.aggregates import Asked
from twoworlds.queries.groups import Groups, aggregate_of, key_of
from twoworlds.queries.moves import Moved, moved
from twoworlds.queries.partitions import Parts
from twoworlds.queries.plan import (
    Column,
    Distinct,
    Expression,
    JoinPublic,
    PerUser,
    Relation,
    Sample,
    Scan,
    Select,
    Union,
    Value,
    Where,
)
from twoworlds.queries.policy import Policy
from twoworlds.queries.questions import Question
from twoworlds.queries.reading import read, read_expression
from twoworlds.queries.refusals import nearest
from twoworlds.queries.session import Session, session
from twoworlds.queries.zooming import Zoom
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import exact

__all__ = ["Table", "open"]


class Table:
    """Rows of a private table, or rows made of them; a question is asked with `agg`, `group_by` or `sql`."""

    def __init__(self, session: Session, relation: Relation) -> None:
        self.session = session
        self.relation = relation

    @cached_property
    def known(self) -> Moved:
        """What the policy says of the rows: columns, and how far a neighbour moves them."""
        return moved(self.relation, self.session.policy)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, the users' own among them."""
        return tuple(self.known.schema)

    def where(self, condition: str) -> Table:
        """The rows for which the condition is true, like `age > 30`."""
        return self._made(Where(self.relation, self.expression(condition)))

    def select(self, *names: str, **columns: str) -> Table:
        """These columns, and new ones such as `decade="age // 10"`; the users' own column always comes along."""
        person, kept = self._person, [self.expression(name) for name in names]
        chosen = [(one.name if isinstance(one, Column) else name, one) for name, one in zip(names, kept, strict=True)]
        chosen += [(name, self.expression(text)) for name, text in columns.items()]
        return self._made(Select(self.relation, tuple((name, one) for name, one in chosen if one != Column(person))))

    def with_columns(self, **columns: str) -> Table:
        """All columns, and these, which replace others of the same name."""
        old = {name: name for name in self.columns if name not in columns and name != self._person}
        made: list[tuple[str, Expression]] = [(name, Column(name)) for name in old]
        return self._made(Select(self.relation, (*made, *((name, self.expression(text)) for name, text in columns.items()))))

    def join(self, public: str, on: str | Sequence[str] | Mapping[str, str]) -> Table:
        """Each row with the rows of a public table that have its key: one column, several, or `{"ours": "theirs"}`."""
        names = {on: on} if isinstance(on, str) else dict(on) if isinstance(on, Mapping) else {name: name for name in on}
        return self._made(JoinPublic(self.relation, public, tuple(names.items())))

    def union(self, other: Table) -> Table:
        """All rows of both, of the same private table with the same columns."""
        return self._made(Union(self.relation, other.relation))

    def distinct(self) -> Table:
        """Each different row once; where users are protected, once per user."""
        return self._made(Distinct(self.relation))

    def sample(self, rate: object) -> Table:
        """Each row, or each user, by a coin of its own."""
        share = exact(rate, "rate")
        if not 0 < share <= 1:
            raise BadArgument("rate", rate, "is not a share of the rows", "Give a number above 0 and at most 1")
        return self._made(Sample(self.relation, share))

    def per_user(self, *aggregates: Asked, **named: Asked) -> Table:
        """One row for each user, made of that user's rows alone: count, sum, mean, minimum or maximum of them."""
        asked = {**{one.name: one for one in aggregates}, **named}
        return self._made(PerUser(self.relation, tuple((name, aggregate_of(self, one)) for name, one in asked.items())))

    def partition(self, by: str, values: Sequence[Any] | None = None) -> Parts[Table]:
        """Parts that share no row, one for each public value of an expression, to be asked together for the price of one."""
        return Parts(self, key_of(self, by, by, values))

    def group_by(self, *keys: str, among: Mapping[str, Sequence[Any]] | None = None, **named: str) -> Groups:
        """Groups by columns, or by expressions such as `month="month(day)"`; `among` lists public values of a key."""
        asked = {**{key: key for key in keys}, **named}
        for name in among or {}:
            if name not in asked:
                raise BadArgument("among", name, "is no key", "; ".join(nearest(name, list(asked))))
        return Groups(self, tuple(key_of(self, name, text, (among or {}).get(name)) for name, text in asked.items()))

    def zoom(self, by: str, **coarser: Mapping[Value, Value]) -> Zoom:
        """Levels from a key upwards, such as `region={"Lyon": "South"}, country={"South": "France"}`, asked for one price."""
        return Zoom(self, key_of(self, by, by), coarser)

    def agg(self, *aggregates: Asked, **named: Asked) -> Question:
        """A question of all rows together."""
        return Groups(self, ()).agg(*aggregates, **named)

    def view(self, name: str) -> Table:
        """These rows under a name that SQL can use: `visits.where("age >= 18").view("adults").sql("... FROM adults")`."""
        self.session.add_view(name, self.relation)
        return self

    def sql(self, text: str) -> Question:
        """A question in SQL, over the tables of the policy and the views of the session."""
        views = self.session.views
        if not isinstance(self.relation, Scan) and self.relation not in views.values():
            fix = 'Name them first: table.view("mine").sql("SELECT COUNT(*) FROM mine")'
            raise BadArgument("sql", text, "would ask the whole table, and these are other rows", fix)
        return Question(self.session, read(text, self.session.policy, views), text)

    def expression(self, text: str) -> Expression:
        """An expression over the columns of these rows."""
        if not isinstance(text, str):
            raise BadArgument("expression", text, "is no text", 'Write it as in SQL: "age > 30"')
        if text in self.columns:  # whatever its name may mean in SQL
            return Column(text)
        return read_expression(text, self.columns, self.session.policy)

    @property
    def _person(self) -> str:
        return self.known.table.unit.column or ""

    def _made(self, relation: Relation) -> Table:
        made = Table(self.session, relation)
        _ = made.known  # refused at once, where it is written
        return made

    def __repr__(self) -> str:
        return f"<private table {self.known.table.name}: {', '.join(self.columns)}>"


def open(
    source: Any = None,
    policy: str | Path | Policy = "privacy.toml",
    *,
    table: str | None = None,
    analyst: str | None = None,
) -> Table:
    """A private table under its policy. `source` is a path or a frame; without it, the policy says where the data are."""
    opened = session(policy, analyst=analyst)
    tables = opened.policy.tables
    if table is None:
        if len(tables) != 1:
            raise BadArgument("table", table, f"has to be one of {', '.join(tables)}", "Give table=...")
        table = next(iter(tables))
    if table not in tables:
        raise BadArgument("table", table, "is not declared", f"Give one of {', '.join(tables)}")
    if source is not None:
        opened = Session(opened.policy, {table: source}, analyst=analyst)
    return Table(opened, Scan(table))
