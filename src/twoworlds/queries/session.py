"""A table that can be asked: engine, policy and ledger together. Nothing is read before a question is released."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from twoworlds.ledger.book import Ledger
from twoworlds.losses.filters import ConcentratedFilter, Filter, PureFilter
from twoworlds.queries.answers import Answer
from twoworlds.queries.currency import concentrated_for
from twoworlds.queries.duckdb import DuckDB
from twoworlds.queries.engine import Engine
from twoworlds.queries.measures import Typed
from twoworlds.queries.policy import Budget, Policy, PublicTable, TablePolicy
from twoworlds.queries.pricing import Offer, offer
from twoworlds.queries.releasing import release
from twoworlds.queries.sources import open_source
from twoworlds.worlds.errors import BadArgument

__all__ = ["Session", "filter_of"]


class Session:
    """The private tables of a policy, with where their data are."""

    def __init__(self, policy: Policy, sources: dict[str, Any] | None = None) -> None:
        self.policy = policy
        given = sources or {}
        tables: dict[str, TablePolicy | PublicTable] = {**policy.tables, **policy.public}
        self._sources = [open_source(given.get(name, table.source), table) for name, table in tables.items()]

    @cached_property
    def engine(self) -> Engine:
        """Opened when the first question is released."""
        return DuckDB(self._sources)

    @cached_property
    def ledger(self) -> Ledger:
        """The ledger of the policy, with a budget for each of its populations."""
        ledger = Ledger(self.policy.ledger)
        known = ledger.populations()
        for population, budget in self.policy.budgets.items():
            if population not in known:
                ledger.create(population, filter_of(budget, self.policy))
        return ledger

    def offer(self, typed: Typed, *, epsilon: object) -> Offer:
        """What the question costs and how near its answer will be; reads nothing, charges nothing."""
        return offer(typed, self.policy, epsilon=epsilon)

    def release(self, typed: Typed, *, epsilon: object, **how: Any) -> Answer:
        """The answer, charged before it is computed; `how` as in `releasing.release`."""
        return release(self.offer(typed, epsilon=epsilon), self.engine, self.ledger, **how)


def filter_of(budget: Budget, policy: Policy) -> Filter:
    """The binding filter that a budget declares; (epsilon, delta) becomes rho by the best conversion."""
    if budget.filter == "pure":
        if budget.epsilon is None:
            raise BadArgument("budget", budget.population, "has no epsilon", "Give a pure budget its epsilon")
        return PureFilter(budget.epsilon)
    if budget.rho is not None:
        return ConcentratedFilter(budget.rho, budget.delta)
    if budget.epsilon is None:
        raise BadArgument("budget", budget.population, "has neither rho nor epsilon", "Give one of them")
    return ConcentratedFilter(concentrated_for(budget.epsilon, policy.delta), budget.delta)
