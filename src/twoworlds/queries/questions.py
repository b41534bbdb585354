"""A question of a session: typed when it is made, priced as often as one likes, released when one says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from twoworlds.queries import contributions, slices
from twoworlds.queries.answers import Answer
from twoworlds.queries.explaining import Explanation
from twoworlds.queries.measures import Typed
from twoworlds.queries.outlook import expected
from twoworlds.queries.plan import Order, Query
from twoworlds.queries.policy import Unit
from twoworlds.queries.pricing import Offer
from twoworlds.queries.searching import Target, cheapest, target, too_dear
from twoworlds.queries.session import Session
from twoworlds.queries.slices import Learnt, shares
from twoworlds.queries.typing import typed
from twoworlds.worlds.errors import BadArgument, Exhausted
from twoworlds.worlds.rationals import exact

__all__ = ["Question"]

Error = str | Sequence[str] | None


class Question:
    """Aggregates of a private table. Only `release` reads data, and only it costs; printing one does neither."""

    def __init__(self, session: Session, query: Query, text: str | None = None, rows: int | None = None) -> None:
        self.session = session
        self.query = query
        self.text = text
        self.rows = rows

    @cached_property
    def typed(self) -> Typed:
        """With what the policy says of it; refused where it says too little."""
        policy = self.session.policy
        if self.rows is not None:
            tables = {name: replace(table, unit=_counting(table.unit, self.rows)) for name, table in policy.tables.items()}
            policy = replace(policy, tables=tables)
        return typed(self.query, policy, self.text)

    def counting(self, rows: int) -> Question:
        """The same, but one user counts for this many rows at the most: fewer take less noise and leave more out."""
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise BadArgument("rows", rows, "is no number of rows", "Give a whole number from 1 on")
        return Question(self.session, self.query, self.text, rows)

    def offer(self, *, epsilon: object = None, error: Error = None) -> Offer:
        """What it costs at this epsilon, or at the cheapest one that keeps this error; free.

        An error is a text such as `50@95` (every output within 50 with 95 %), `visits=50@95` (one output), or several of them.
        """
        return self._found(epsilon, error)[0]

    def explain(self, *, epsilon: object = None, error: Error = None) -> Explanation:
        """Price, derivation, noise and expected error; reads no row and costs nothing."""
        found, price, how = self._found(epsilon, error)
        return Explanation(found, price, self.left(), found=how)

    def release(
        self,
        *,
        epsilon: object = None,
        error: Error = None,
        bias: bool = False,
        suggest_bounds: bool = False,
        slice: object = "1/10",
        **how: Any,
    ) -> Answer:
        """The answer, charged before it is computed; the old one, free, if this was answered before on the same data.

        `again=True` asks for new noise. `idempotency` is a key under which a retry gets the same answer for one charge.

        Where users are protected, `bias=True` spends a `slice` of the price on what the bound on a user's rows leaves out, and
        `suggest_bounds=True` besides on which bound to take here; both are told with the answer.
        """
        if not bias and not suggest_bounds:
            return self._answered(self._found(epsilon, error)[0], how)
        if error is not None:
            why = "cannot be kept, as a slice of its price goes elsewhere"
            raise BadArgument("error", error, why, "Give epsilon=..., and look at explain(error=...) for how much")
        return self._informed(self._found(epsilon, error)[1], slice, suggest_bounds, how)

    def _answered(self, offer: Offer, how: Mapping[str, Any]) -> Answer:
        try:
            return self.session.answer(offer, **how)
        except Exhausted as refused:
            raise self._too_dear(refused) from None

    def sliced(self, epsilon: object, slice: object) -> tuple[Fraction, Fraction]:
        """What of an epsilon goes into how many rows users have, and what is left for the question."""
        return shares(self, self._counted(), epsilon, slice)

    def _counted(self) -> Question:
        """How many users have how many rows, of those that this question is about."""
        if not self.typed.by_user:
            fix = "Ask without bias and suggested bounds: every row counts"
            raise BadArgument("bias", self.typed.table.name, "is protected row by row, so nothing is left out", fix)
        return Question(self.session, contributions.question(self.query.source))

    def _informed(self, epsilon: Fraction, slice: object, suggest: bool, how: Mapping[str, Any]) -> Answer:
        """The answer after a look at how many rows users have."""
        first, rest = self.sliced(epsilon, slice)
        if suggest:
            slices.weighed(self.offer(epsilon=rest))  # refused before the first of two charges
        self._affordable(epsilon)
        counted, key = self._counted(), how.get("idempotency")
        told = counted._answered(counted.offer(epsilon=first), {**how, "idempotency": key and f"{key} rows of users"})
        found = slices.contributions(told.offer, told.value)
        asked = self.counting(slices.suggested(self.offer(epsilon=rest), found)) if suggest else self
        answer = asked._answered(asked.offer(epsilon=rest), how)
        uncounted = found.uncounted(asked.typed.table.unit.rows)
        charged = {} if told.repeated else told.offer.price.at()
        return replace(answer, learnt=Learnt(uncounted, suggest, first, told.receipt, charged))

    def _affordable(self, epsilon: Fraction) -> None:
        """Refused before the first of two charges, where both could not be paid."""
        population, price = self.typed.table.population, self._offered(epsilon).price
        account = self.session.ledger.account(population)
        try:
            account.charge(account.budget.cost(price), self.session.own(population))
        except Exhausted as refused:
            raise self._too_dear(refused) from None

    def order_by(self, *names: str) -> Question:
        """Sorted by columns of the answer; `-name` from the largest on."""
        orders = tuple(Order(name.removeprefix("-"), name.startswith("-")) for name in names)
        return Question(self.session, replace(self.query, order=orders), self.text, self.rows)

    def limit(self, rows: int) -> Question:
        """The first rows of the answer."""
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 0:
            raise BadArgument("rows", rows, "is no number of rows", "Give a whole number")
        return Question(self.session, replace(self.query, limit=rows), self.text, self.rows)

    def _found(self, epsilon: object, error: Error) -> tuple[Offer, Fraction, str]:
        """The offer, its epsilon, and how that was found."""
        if (epsilon is None) == (error is None):
            given = "both epsilon and error" if error is not None else "neither epsilon nor error"
            fix = "Give epsilon=1, or error='50@95' to ask by accuracy (in the terminal --epsilon 1, or --error 50@95)"
            raise BadArgument("price", given, "does not say what to pay", fix)
        if error is None:
            return self._offered(epsilon), exact(epsilon, "epsilon"), ""
        wanted = [target(one) for one in ([error] if isinstance(error, str) else error)]
        price = cheapest(self._offered, wanted)
        return self._offered(price), price, f"epsilon = {float(price):g} is the cheapest that keeps {_told(wanted)}"

    def _offered(self, epsilon: object) -> Offer:
        return self.session.offer(self.typed, epsilon=epsilon)

    def left(self) -> Mapping[str, Fraction] | None:
        """What whoever asks may still be charged, if the budget has begun."""
        return self.session.left(self.typed.table.population)

    def _too_dear(self, refused: Exhausted) -> Exhausted:
        """The refusal, with the largest version that can still be paid."""
        population = self.typed.table.population
        most = self.session.affords(population, lambda epsilon: self._offered(epsilon).price)
        near = [f"{one.name} {one}" for one in expected(self._offered(most))] if most is not None else []
        return too_dear(refused, most, near)

    def __repr__(self) -> str:
        names = [key.name for key in self.query.keys] + [output.name for output in self.query.outputs]
        return f"<question for {', '.join(self.query.columns or names)}: explain() and release(epsilon=...)>"


def _counting(unit: Unit, rows: int) -> Unit:
    """Rows are bounded all together, so a bound for each group is none any more."""
    return unit if unit.is_row else replace(unit, rows=rows, rows_per_group=None)


def _told(wanted: Sequence[Target]) -> str:
    return " and ".join(f"{one.output or 'every output'} within {one.reach:g} with {one.confidence * 100:g} %" for one in wanted)
