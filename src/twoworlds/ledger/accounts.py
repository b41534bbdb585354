"""What a population has left: its filter, what was charged, the slices of its analysts, and when it renews. Values, no files.

A slice is a cap of one analyst inside the population's caps. What is handed out in slices is set aside: whoever has no slice pays
from what was not handed out, so no analyst can move what another has left, and all charges together stay within the caps:

    charged without a slice + sum of the slices' caps <= the population's caps, and each slice's charges <= its cap.

A population that renews starts every period with its full caps. What then holds is said for each period, and for all periods in
which anything was charged it is the composition of that many (`Account.guarantee`): renewing is forgetting in public.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from typing import Any

from twoworlds.losses.filters import (
    ApproximateFilter,
    ConcentratedFilter,
    Filter,
    GaussianFilter,
    PureFilter,
    RenyiFilter,
    Spent,
    filter_from_json,
    shown,
    spent_from_json,
)
from twoworlds.losses.prices import Approximate, Concentrated, Dialect, GaussianPrivacy, Pure
from twoworlds.worlds.errors import BadArgument, Exhausted
from twoworlds.worlds.rationals import exact

__all__ = ["Account", "Amounts", "Slice", "account_from", "amounts_from", "amounts_text", "slice_from"]

Amounts = Mapping[str, Fraction]


@dataclass(frozen=True)
class Slice:
    """One analyst's share: its caps, and what was charged to it in a period."""

    principal: str
    caps: Amounts
    spent: Spent
    period: int = 0

    def to_json(self) -> dict[str, Any]:
        return {"caps": amounts_text(self.caps), "state": self.spent.to_json(), "period": self.period}


@dataclass(frozen=True)
class Account:
    """One population at one moment. `charged` counts the periods in which anything was charged, this one included.

    `protects` says what of the population its budget speaks of, such as "one user, added or removed", if that was said.
    """

    budget: Filter
    spent: Spent
    allotted: Amounts = field(default_factory=dict)
    used: Amounts = field(default_factory=dict)
    renews: int | None = None
    opened: date | None = None
    period: int = 0
    charged: int = 0
    protects: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields of an entry after which the population stands so."""
        told: dict[str, Any] = {"state": self.spent.to_json()}
        if self.allotted:
            told["slices"] = {"allotted": amounts_text(self.allotted), "used": amounts_text(self.used)}
        if self.renews is not None:
            told["period"] = {"now": self.period, "charged": self.charged}
        return told

    def at(self, today: date) -> Account:
        """On this day: a later period starts with nothing charged. A clock that went back changes nothing."""
        if self.renews is None or self.opened is None:
            return self
        period = (today - self.opened).days // self.renews
        if period <= self.period:
            return self
        return replace(self, period=period, spent=self.budget.start(), used=dict.fromkeys(self.used, Fraction(0)))

    def slice_at(self, own: Slice) -> Slice:
        """A slice as it stands in this account's period."""
        return own if own.period == self.period else replace(own, spent=self.budget.start(), period=self.period)

    def left(self, own: Slice | None = None) -> dict[str, Fraction]:
        """What this slice, or whoever has none, may still be charged."""
        if own is not None:
            return {currency: cap - own.spent[currency] for currency, cap in own.caps.items()}
        return {currency: limit - self._taken(currency) for currency, limit in self.budget.limits.items()}

    def _taken(self, currency: str) -> Fraction:
        """Charged, or set aside for slices."""
        if not self.allotted:
            return self.spent[currency]
        return self.spent[currency] + self.allotted.get(currency, Fraction(0)) - self.used.get(currency, Fraction(0))

    def affords(self, cost: Amounts, own: Slice | None = None) -> bool:
        """Whether this could be charged now."""
        if own is None:
            return self.budget.admits({currency: self._taken(currency) + amount for currency, amount in cost.items()})
        return all(own.spent[currency] + amount <= own.caps[currency] for currency, amount in cost.items())

    def charge(self, cost: Amounts, own: Slice | None = None) -> tuple[Account, Slice | None]:
        """After a charge, or `Exhausted`, which charges nothing."""
        if not self.affords(cost, own):
            raise self._refusal(cost, own)
        first = self.renews is not None and self.spent.count == 0
        after = replace(self, spent=_moved(self.spent, cost, 1), charged=self.charged + first)
        if own is None:
            return after, None
        used = {currency: self.used.get(currency, Fraction(0)) + amount for currency, amount in cost.items()}
        return replace(after, used=used), replace(own, spent=_moved(own.spent, cost, 1))

    def refund(self, cost: Amounts, own: Slice | None = None) -> tuple[Account, Slice | None]:
        """After a charge of this period is given back. The period still counts as charged."""
        back = {currency: -amount for currency, amount in cost.items()}
        after = replace(self, spent=_moved(self.spent, back, 0))
        if own is None:
            return after, None
        used = {currency: self.used[currency] + amount for currency, amount in back.items()}
        return replace(after, used=used), replace(own, spent=_moved(own.spent, back, 0))

    def allot(self, principal: str, caps: Amounts, old: Slice | None) -> tuple[Account, Slice]:
        """After a slice got these caps, instead of those that it had."""
        if isinstance(self.budget, RenyiFilter):
            why = "has a filter that needs only one of its orders to hold, so slices of it cannot be added up"
            raise BadArgument("population", self.budget.name, why, "Create another population with a zCDP or pure filter")
        if set(caps) != set(self.budget.limits):
            expected = " and ".join(self.budget.limits)
            raise BadArgument("caps", dict(caps), "are not in the filter's currencies", f"Give caps for {expected}")
        own = Slice(principal, caps, self.budget.start(), self.period) if old is None else replace(old, caps=caps)
        short = {currency: amount for currency, amount in own.spent.amounts if amount > caps[currency]}
        if short:
            raise BadArgument("caps", amounts_text(caps), "are below what was charged", f"At least {shown(short, up=True)}")
        had = dict.fromkeys(caps, Fraction(0)) if old is None else old.caps
        change = {currency: caps[currency] - had[currency] for currency in caps}
        left = self.left()
        if any(amount > left[currency] for currency, amount in change.items()):
            fix = f"At most {shown({name: left[name] + had[name] for name in caps}, up=False)} can be set aside"
            raise BadArgument("caps", amounts_text(caps), "are more than the population has left to hand out", fix)
        none = dict.fromkeys(caps, Fraction(0))
        allotted = {currency: (self.allotted or none)[currency] + change[currency] for currency in caps}
        return replace(self, allotted=allotted, used=self.used or none), own

    def guarantee(self) -> Dialect:
        """What holds over all periods in which anything was charged; without renewal, the filter's own guarantee."""
        return _composed(self.budget, max(self.charged, 1))

    def largest(self, own: Slice | None = None) -> str:
        """The largest release that is affordable now, in words."""
        left = self.left(own)
        return self.budget.largest(
            Spent(tuple((currency, limit - left[currency]) for currency, limit in self.budget.limits.items()))
        )

    def _refusal(self, cost: Amounts, own: Slice | None) -> Exhausted:
        who = f"the {self.budget.name} filter" if own is None else f"the slice of {own.principal}"
        left = {currency: max(amount, Fraction(0)) for currency, amount in self.left(own).items()}
        return Exhausted(
            f"{who} cannot pay: requested {shown(cost, up=True)}, remaining {shown(left, up=False)}; nothing was charged",
            f"The largest release that it affords now is {self.largest(own)}",
        )


def _moved(spent: Spent, amounts: Amounts, count: int) -> Spent:
    return Spent(tuple((currency, amount + amounts[currency]) for currency, amount in spent.amounts), spent.count + count)


def _composed(budget: Filter, times: int) -> Dialect:
    """The guarantee of this many interactions, each under a filter of its own: each currency adds up by its own theorem."""
    if times == 1:
        return budget.guarantee()
    if isinstance(budget, PureFilter):
        return Pure(budget.epsilon * times)
    if isinstance(budget, ConcentratedFilter):
        return Concentrated(budget.rho * times, min(budget.delta * times, Fraction(1)))
    if isinstance(budget, GaussianFilter):
        return GaussianPrivacy(_root_above(budget.mu**2 * times))
    assert isinstance(budget, ApproximateFilter | RenyiFilter)
    return Approximate(budget.epsilon * times, min(budget.delta * times, Fraction(1)))


def _root_above(square: Fraction) -> Fraction:
    """A number whose square is at least this one, barely."""
    scaled = math.isqrt(math.ceil(square * (1 << 128)))
    return Fraction(scaled + 1, 1 << 64)


def amounts_text(amounts: Amounts) -> dict[str, str]:
    """Amounts as they are recorded: exact fractions."""
    return {currency: str(amount) for currency, amount in amounts.items()}


def amounts_from(data: Mapping[str, Any]) -> dict[str, Fraction]:
    """Amounts that somebody gives, or that were recorded."""
    amounts = {str(currency): exact(amount, str(currency)) for currency, amount in data.items()}
    below = next((currency for currency, amount in amounts.items() if amount < 0), None)
    if below is not None:
        raise BadArgument(below, data[below], "is below 0", f"Give a {below} of 0 or more")
    return amounts


def account_from(created: Mapping[str, Any], newest: Mapping[str, Any]) -> Account:
    """The account that the fields of its first and of its newest entry describe."""
    slices, period = newest.get("slices", {}), newest.get("period", {})
    return Account(
        filter_from_json(created["filter"]),
        spent_from_json(newest["state"]),
        amounts_from(slices.get("allotted", {})),
        amounts_from(slices.get("used", {})),
        created.get("renews"),
        date.fromisoformat(created["at"][:10]),
        period.get("now", 0),
        period.get("charged", 0),
        created.get("protects"),
    )


def slice_from(principal: str, fields: Mapping[str, Any]) -> Slice:
    """The slice that an entry's `slice` describes."""
    return Slice(principal, amounts_from(fields["caps"]), spent_from_json(fields["state"]), fields["period"])
