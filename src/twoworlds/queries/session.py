"""A policy, opened: its tables, where their data are, and the ledger that pays. Nothing is read before a question is released."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from twoworlds.ledger.accounts import Account, Slice
from twoworlds.ledger.book import Ledger
from twoworlds.losses.filters import ConcentratedFilter, Filter, PureFilter
from twoworlds.losses.prices import Dialect
from twoworlds.queries.answers import Answer
from twoworlds.queries.currency import concentrated_for
from twoworlds.queries.declared import read
from twoworlds.queries.duckdb import DuckDB
from twoworlds.queries.engine import Engine
from twoworlds.queries.measures import Typed
from twoworlds.queries.plan import Relation
from twoworlds.queries.policy import Budget, Policy, PublicTable, TablePolicy
from twoworlds.queries.pricing import Offer, offer
from twoworlds.queries.refusals import nearest
from twoworlds.queries.releasing import release, release_parts
from twoworlds.queries.searching import largest
from twoworlds.queries.sources import open_source
from twoworlds.queries.waiting import waiting
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Event

__all__ = ["Session", "filter_of", "session"]

_CLOSE = Fraction(1, 10**5)


class Session:
    """The private tables of a policy, with where their data are. `sources` are used instead of those that the policy names."""

    def __init__(self, policy: Policy, sources: Mapping[str, Any] | None = None, *, analyst: str | None = None) -> None:
        self.policy = policy
        self.analyst = analyst
        self.views: dict[str, Relation] = {}
        self._given = dict(sources or {})
        known: dict[str, TablePolicy | PublicTable] = {**policy.tables, **policy.public}
        for name, given in self._given.items():
            if name not in known:
                raise BadArgument("sources", name, "is no table of the policy", "; ".join(nearest(name, list(known))))
            open_source(given, known[name])  # a wrong path is told at once
        if analyst is not None and policy.analysts and analyst not in policy.analysts:
            fix = "; ".join(nearest(analyst, list(policy.analysts))).capitalize()
            raise BadArgument("analyst", analyst, "is not among the analysts of the policy", fix)

    @cached_property
    def engine(self) -> Engine:
        """Opened when the first question is released."""
        tables: dict[str, TablePolicy | PublicTable] = {**self.policy.tables, **self.policy.public}
        return DuckDB(open_source(self._given.get(name, table.source), table) for name, table in tables.items())

    @cached_property
    def ledger(self) -> Ledger:
        """The ledger of the policy, with a budget for each of its populations."""
        ledger = Ledger(self.policy.ledger)
        known = ledger.populations()
        for population, budget in self.policy.budgets.items():
            if population not in known:
                _begun(ledger, population, budget, self.policy)
            _agreeing(ledger, population, budget, self.policy)
            _set_aside(ledger, population, budget, self.policy)
        return ledger

    def offer(self, typed: Typed, *, epsilon: object) -> Offer:
        """What the question costs and how near its answer will be; reads nothing, charges nothing."""
        return offer(typed, self.policy, epsilon=epsilon)

    def release(self, typed: Typed, *, epsilon: object, **how: Any) -> Answer:
        """The answer, charged before it is computed; `how` as in `releasing.release`."""
        return self.answer(self.offer(typed, epsilon=epsilon), **how)

    def answer(self, offered: Offer, **how: Any) -> Answer:
        """The answer to a priced question."""
        with waiting(self.progress):
            return release(offered, self.engine, self.ledger, principal=self.analyst, **how)

    def answers(self, offers: Sequence[Offer], event: Event, price: Dialect, **how: Any) -> list[Answer]:
        """The answers to questions of parts of one table, under one charge."""
        with waiting(self.progress):
            return release_parts(offers, self.engine, self.ledger, event=event, price=price, principal=self.analyst, **how)

    def add_view(self, name: str, relation: Relation) -> None:
        """Rows that questions in SQL may ask by this name; a name means one thing for the whole session."""
        taken = {known.lower() for known in (*self.policy.tables, *self.policy.public)}
        taken |= {known.lower() for known, old in self.views.items() if old != relation}
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise BadArgument("view", name, "is no name", "Write letters, digits and underscores")
        if name.lower() in taken:
            raise BadArgument("view", name, "is already the name of something", "Choose another name")
        self.views[name] = relation

    def account(self, population: str) -> Account | None:
        """What a population has left, if its budget has begun; a ledger that is not there yet is not made for this."""
        if "ledger" not in self.__dict__ and not self.policy.ledger.exists():
            return None
        return self.ledger.account(population)

    def own(self, population: str) -> Slice | None:
        """What is set aside for the analyst who asks."""
        return next((own for own in self.ledger.slices(population) if own.principal == self.analyst), None)

    def left(self, population: str) -> Mapping[str, Fraction] | None:
        """What whoever asks may still be charged, if the budget has begun."""
        account = self.account(population)
        return None if account is None else account.left(self.own(population))

    def affords(self, population: str, pricing: Callable[[Fraction], Dialect]) -> Fraction | None:
        """The largest epsilon that can still be paid, by what an epsilon costs; None if there is none."""
        left, account = self.left(population), self.account(population)
        return None if left is None or account is None else largest(pricing, left, account.budget)

    def progress(self) -> float | None:
        """How far the engine is with what it is at, from 0 to 1; None where it cannot tell."""
        told = getattr(self.__dict__.get("engine"), "progress", None)
        return None if told is None else told()

    def close(self) -> None:
        """Let go of the data and the ledger."""
        for name in ("engine", "ledger"):
            if name in self.__dict__:
                self.__dict__.pop(name).close()


def session(policy: str | Path | Policy, sources: Mapping[str, Any] | None = None, *, analyst: str | None = None) -> Session:
    """The session of a policy, or of the file that it is in."""
    return Session(policy if isinstance(policy, Policy) else read(policy), sources, analyst=analyst)


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


def _protected(population: str, policy: Policy) -> str | None:
    """What the budget of a population speaks of: the same for all its tables, or their prices would not add up."""
    found = sorted({table.unit.protects for table in policy.tables.values() if table.population == population})
    if len(found) > 1:
        why = f"has tables that protect different things ({'; '.join(found)}), whose prices cannot be added up"
        raise BadArgument(f"budgets.{population}", population, why, "Give each kind of table a population of its own")
    return found[0] if found else None


def _begun(ledger: Ledger, population: str, budget: Budget, policy: Policy) -> None:
    """A new budget. Where another process was quicker, its own stands, and has to agree with the policy as any other."""
    try:
        ledger.create(population, filter_of(budget, policy), renews=budget.renewal_days, protects=_protected(population, policy))
    except BadArgument:
        if population not in ledger.populations():
            raise


def _set_aside(ledger: Ledger, population: str, budget: Budget, policy: Policy) -> None:
    """What the policy sets aside for each analyst, before anything is charged: later, it may be somebody else's already.

    Setting the same aside again changes nothing, so it does not matter where another process was stopped, or is at it too.
    """
    if not policy.analysts:
        return
    account = ledger.account(population)
    if account.spent.count or account.charged:
        return
    has = {own.principal for own in ledger.slices(population)}
    for analyst, share in policy.analysts.items():
        if analyst not in has:
            ledger.allot(population, analyst, **{name: limit * share for name, limit in filter_of(budget, policy).limits.items()})


def _agreeing(ledger: Ledger, population: str, budget: Budget, policy: Policy) -> None:
    """The budget that the ledger fixed is the one that the policy declares; else the policy would promise what does not hold."""
    account = ledger.account(population)
    protects = _protected(population, policy)
    if account.protects is not None and protects not in (None, account.protects):
        why = f"protects {protects} now, and its budget began for {account.protects}"
        raise BadArgument(f"budgets.{population}", population, why, "Put the old unit back, or name another population")
    declared, fixed = filter_of(budget, policy).limits, account.budget.limits
    alike = set(declared) == set(fixed) and all(
        abs(declared[currency] - fixed[currency]) <= _CLOSE * fixed[currency] for currency in fixed
    )
    if not alike or account.renews != budget.renewal_days:
        raise BadArgument(
            f"budgets.{population}",
            ", ".join(f"{currency} = {float(limit):.6g}" for currency, limit in declared.items()),
            f"is not what the ledger fixed when the budget began ({account.budget.guarantee()})",
            "Put the old caps back into the policy: a budget cannot be changed once it began",
        )
