"""A question of a session: typed when it is made, priced as often as one likes, released when one says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from twoworlds.queries.answers import Answer
from twoworlds.queries.explaining import Explanation
from twoworlds.queries.measures import Typed
from twoworlds.queries.outlook import expected
from twoworlds.queries.plan import Order, Query
from twoworlds.queries.pricing import Offer
from twoworlds.queries.searching import Target, cheapest, largest, target
from twoworlds.queries.session import Session
from twoworlds.queries.typing import typed
from twoworlds.worlds.errors import BadArgument, Exhausted
from twoworlds.worlds.rationals import exact

__all__ = ["Question"]

Error = str | Sequence[str] | None


class Question:
    """Aggregates of a private table. Only `release` reads data, and only it costs; printing one does neither."""

    def __init__(self, session: Session, query: Query, text: str | None = None) -> None:
        self.session = session
        self.query = query
        self.text = text

    @cached_property
    def typed(self) -> Typed:
        """With what the policy says of it; refused where it says too little."""
        return typed(self.query, self.session.policy, self.text)

    def offer(self, *, epsilon: object = None, error: Error = None) -> Offer:
        """What it costs at this epsilon, or at the cheapest one that keeps this error; free.

        An error is a text such as `50@95` (every output within 50 with 95 %), `visits=50@95` (one output), or several of them.
        """
        return self._found(epsilon, error)[0]

    def explain(self, *, epsilon: object = None, error: Error = None) -> Explanation:
        """Price, derivation, noise and expected error; reads no row and costs nothing."""
        found, price, how = self._found(epsilon, error)
        return Explanation(found, price, self.left(), found=how)

    def release(self, *, epsilon: object = None, error: Error = None, **how: Any) -> Answer:
        """The answer, charged before it is computed; the old one, free, if this was answered before on the same data.

        `again=True` asks for new noise. `idempotency` is a key under which a retry gets the same answer for one charge.
        """
        found, *_ = self._found(epsilon, error)
        try:
            return self.session.answer(found, **how)
        except Exhausted as refused:
            raise self._too_dear(refused) from None

    def order_by(self, *names: str) -> Question:
        """Sorted by columns of the answer; `-name` from the largest on."""
        orders = tuple(Order(name.removeprefix("-"), name.startswith("-")) for name in names)
        return Question(self.session, replace(self.query, order=orders), self.text)

    def limit(self, rows: int) -> Question:
        """The first rows of the answer."""
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 0:
            raise BadArgument("rows", rows, "is no number of rows", "Give a whole number")
        return Question(self.session, replace(self.query, limit=rows), self.text)

    def _found(self, epsilon: object, error: Error) -> tuple[Offer, Fraction, str]:
        """The offer, its epsilon, and how that was found."""
        if (epsilon is None) == (error is None):
            given = "epsilon and error" if error is not None else "neither epsilon nor error"
            raise BadArgument("price", given, "is not one of both", "Give epsilon=1, or error='50@95' to ask by accuracy")
        if error is None:
            return self._offered(epsilon), exact(epsilon, "epsilon"), ""
        wanted = [target(one) for one in ([error] if isinstance(error, str) else error)]
        price = cheapest(self._offered, wanted)
        return self._offered(price), price, f"epsilon = {float(price):g} is the cheapest that keeps {_told(wanted)}"

    def _offered(self, epsilon: object) -> Offer:
        return self.session.offer(self.typed, epsilon=epsilon)

    def left(self) -> Mapping[str, Fraction] | None:
        """What whoever asks may still be charged, if the budget has begun."""
        population = self.typed.table.population
        account = self.session.account(population)
        return None if account is None else account.left(self.session.own(population))

    def _too_dear(self, refused: Exhausted) -> Exhausted:
        """The refusal, with the largest version that can still be paid."""
        left, account = self.left(), self.session.account(self.typed.table.population)
        most = None if left is None or account is None else largest(self._offered, left, account.budget)
        if most is None:
            return Exhausted(refused.what, "Nothing of this question can be paid any more; ask the curator")
        near = ", ".join(f"{one.name} {one}" for one in expected(self._offered(most)))
        return Exhausted(refused.what, f"The largest version that it affords now: epsilon = {float(most):g}, {near}")

    def __repr__(self) -> str:
        names = [key.name for key in self.query.keys] + [output.name for output in self.query.outputs]
        return f"<question for {', '.join(self.query.columns or names)}: explain() and release(epsilon=...)>"


def _told(wanted: Sequence[Target]) -> str:
    return " and ".join(f"{one.output or 'every output'} within {one.reach:g} with {one.confidence * 100:g} %" for one in wanted)
