"""Parts of a table that share no row, asked together: one person's row is in one of them, so all cost as much as the dearest.

Parallel composition (McSherry 2009, theorem 4): where one row comes or goes, it does so in one part, and the price of all is the
largest. Where a neighbour changes several rows, or a user's rows may be in several parts, it is the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, Protocol, TypeVar

from twoworlds.losses.prices import Dialect
from twoworlds.queries.answers import Answer
from twoworlds.queries.expressions import elaborated, settled
from twoworlds.queries.groups import Rows
from twoworlds.queries.plan import Call, Constant, Key, Relation, Scan, Union, Value, Where
from twoworlds.queries.pricing import Offer
from twoworlds.queries.questions import Question
from twoworlds.queries.searching import too_dear
from twoworlds.queries.session import Session
from twoworlds.queries.shapes import finite_values
from twoworlds.worlds.errors import BadArgument, Exhausted
from twoworlds.worlds.events import Composed, Event, Parallel
from twoworlds.worlds.neighbours import AddRemove, parallel

__all__ = ["Parts"]


class Frame(Rows, Protocol):
    """A frame that others are made from."""

    def __init__(self, session: Session, relation: Relation) -> None: ...


T = TypeVar("T", bound=Frame)
Asking = Callable[[T], Question]


@dataclass(frozen=True)
class Parts(Generic[T]):
    """A table for each value of a key: `parts["Lyon"]`. `release` asks questions of several of them at once."""

    rows: T
    key: Key

    @property
    def values(self) -> tuple[Value, ...]:
        """The public values of the key, the unknown one last."""
        if self.key.values is not None:
            return self.key.values
        shape = settled(elaborated(self.key.expression, self.rows.known.schema))[1]
        listed = finite_values(shape) if shape.type in ("text", "boolean", "integer") else None
        if listed is None:
            fix = "Declare its values in privacy.toml, or list them: partition(..., values=[...])"
            raise BadArgument("by", self.key.name, "has values that are not public", fix)
        return (*(one for one in listed if not isinstance(one, float)), *((None,) if shape.nullable else ()))

    def __getitem__(self, value: Value) -> T:
        if value not in self.values:
            known = ", ".join(map(str, self.values[:12]))
            raise BadArgument("part", value, "is no value of the key", f"Choose from {known}")
        return type(self.rows)(self.rows.session, self._part(value))

    def __iter__(self) -> Iterator[Value]:
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def share_no_neighbour(self) -> bool:
        """Whether one neighbour changes one part only."""
        return self.rows.known.metric is AddRemove and self.rows.known.distance == 1

    def release(
        self, questions: Mapping[Value, Question] | Asking[T], *, epsilon: object, idempotency: str | None = None
    ) -> dict[Value, Answer]:
        """The answers by part; questions are made by a function of a part, or given for some parts."""
        asked = {one: questions(self[one]) for one in self} if callable(questions) else dict(questions)
        if not asked:
            raise BadArgument("questions", "", "are none", "Ask at least one part")
        for value, question in asked.items():
            self._check(value, question)
        offers = [question.offer(epsilon=epsilon) for question in asked.values()]
        event, price = self.charge(offers)
        session = self.rows.session
        try:
            found = session.answers(offers, event, price, idempotency=idempotency)
        except Exhausted as refused:
            population = self.rows.known.table.population
            most = session.affords(population, lambda one: self.charge([each.offer(epsilon=one) for each in asked.values()])[1])
            raise too_dear(refused, most) from None
        return dict(zip(asked, found, strict=True))

    def charge(self, offers: list[Offer]) -> tuple[Event, Dialect]:
        """What happens, and its price: the largest in each currency, or the sum."""
        amounts = [one.price.at() for one in offers]
        events = tuple(one.event for one in offers)
        if self.share_no_neighbour:
            relation = AddRemove(self.rows.known.table.name)
            event: Event = Parallel.of(relation, events)
            total = {name: parallel(relation, [amount[name] for amount in amounts]) for name in amounts[0]}
        else:
            event = events[0] if len(events) == 1 else Composed(events)
            total = {name: sum((amount[name] for amount in amounts), Fraction(0)) for name in amounts[0]}
        return event, type(offers[0].price)(**total)

    def _part(self, value: Value) -> Relation:
        expression = self.key.expression
        chosen = Call("is_null", (expression,)) if value is None else Call("equal", (expression, Constant(value)))
        return Where(self.rows.relation, chosen)

    def _check(self, value: Value, question: Question) -> None:
        """The question is of its part alone."""
        if question.session is not self.rows.session:
            raise BadArgument("questions", value, "are of another session", "Make them of the parts themselves")
        below, wanted = question.query.source, self[value].relation
        while below != wanted:
            if isinstance(below, Scan | Union):
                fix = "Make the question of that part: parts[value].agg(...)"
                raise BadArgument("questions", value, "has a question of other rows than the part", fix)
            below = below.source
