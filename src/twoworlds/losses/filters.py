"""Privacy filters: how much an analyst who chooses every question after seeing all answers may still ask.

A filter fixes its budget at the start, charges every release in its own currency, and refuses what would overdraw. Then the whole
interaction satisfies the budget although nobody knew in advance what would be asked: that is a theorem about each currency, named
by its filter, not a consequence of composition of a fixed sequence. Charges are exact rationals, rounded up on their way in.

States are values: charging returns a new one, and both filter and state have a stable JSON form for the ledger.
"""

from __future__ import annotations

import decimal
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from twoworlds.losses import charges
from twoworlds.losses.prices import Approximate, Concentrated, Dialect, GaussianPrivacy, Pure
from twoworlds.worlds.errors import BadArgument, Exhausted
from twoworlds.worlds.rationals import exact, float_below, printed_below

__all__ = [
    "ApproximateFilter",
    "ConcentratedFilter",
    "Filter",
    "GaussianFilter",
    "PureFilter",
    "RenyiFilter",
    "Spent",
    "filter_from_json",
    "shown",
    "spent_from_json",
]

Release = Any  # a Dialect without names, a Loss or a MomentBound: whatever losses.charges can price


@dataclass(frozen=True)
class Spent:
    """What has been charged so far, per currency, and in how many charges. The order of the currencies says nothing."""

    amounts: tuple[tuple[str, Fraction], ...]
    count: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "amounts", tuple(sorted(self.amounts)))

    def __getitem__(self, currency: str) -> Fraction:
        return dict(self.amounts)[currency]

    def to_json(self) -> dict[str, Any]:
        """Plain data, numbers as exact fractions in text."""
        return {"spent": {currency: str(amount) for currency, amount in self.amounts}, "count": self.count}


@dataclass(frozen=True)
class Filter(ABC):
    """A budget and the rule for what may still be paid from it."""

    name: ClassVar[str]
    theorem: ClassVar[str]
    concurrent: ClassVar[str]
    interleaves_failures: ClassVar[bool] = True

    @property
    @abstractmethod
    def limits(self) -> dict[str, Fraction]:
        """The budget, per currency."""

    @abstractmethod
    def cost(self, release: Release) -> dict[str, Fraction]:
        """What a release is charged, per currency; an error where no theorem gives a price."""

    @abstractmethod
    def guarantee(self) -> Dialect:
        """What holds for the whole interaction, whatever is asked."""

    def start(self) -> Spent:
        """Nothing charged yet."""
        return Spent(tuple((currency, Fraction(0)) for currency in self.limits))

    def remaining(self, state: Spent) -> dict[str, Fraction]:
        """What is left, per currency."""
        return {currency: max(limit - state[currency], Fraction(0)) for currency, limit in self.limits.items()}

    def admits(self, amounts: Mapping[str, Fraction]) -> bool:
        """Whether these totals stay within the budget."""
        return all(amounts[currency] <= limit for currency, limit in self.limits.items())

    def affords(self, state: Spent, release: Release, *, interactive: bool = False) -> bool:
        """Whether the release could be charged now."""
        return self.admits(_added(state, self._charged(release, interactive)))

    def charge(self, state: Spent, release: Release, *, interactive: bool = False) -> Spent:
        """The state after the release, or `Exhausted`, which charges nothing.

        An interactive mechanism (sparse vector, multiplicative weights) is charged whole before its first answer; that other
        releases may then be interleaved with it is the `concurrent` theorem.
        """
        cost = self._charged(release, interactive)
        totals = _added(state, cost)
        if not self.admits(totals):
            raise Exhausted(
                f"the {self.name} filter cannot pay: requested {shown(cost, up=True)}, remaining"
                f" {shown(self.remaining(state), up=False)}; nothing was charged",
                f"The largest release that it affords now is {self.largest(state)}",
            )
        return Spent(tuple(totals.items()), state.count + 1)

    def _charged(self, release: Release, interactive: bool) -> dict[str, Fraction]:
        cost = self.cost(release)
        if interactive and cost.get("delta") and not self.interleaves_failures:
            why = "is interactive and may fail, and no theorem lets failures be interleaved with other releases here"
            raise BadArgument("release", str(release), why, "Give it a pure or zCDP guarantee, or ask everything of it at once")
        return cost

    @abstractmethod
    def largest(self, state: Spent) -> str:
        """The largest release that is affordable now, in words."""

    def to_json(self) -> dict[str, Any]:
        """Plain data, numbers as exact fractions in text."""
        return {"filter": self.name, **{field.name: _plain(getattr(self, field.name)) for field in fields(self)}}


@dataclass(frozen=True, init=False)
class PureFilter(Filter):
    """epsilon, summed."""

    name = "pure"
    theorem = "Rogers, Roth, Ullman and Vadhan 2016: sums of adaptively chosen epsilons"
    concurrent = "Vadhan and Wang 2021 (pure); adaptively chosen parameters: Haney et al. 2023"

    epsilon: Fraction

    def __init__(self, epsilon: object) -> None:
        _store(self, epsilon=epsilon)

    @property
    def limits(self) -> dict[str, Fraction]:
        return {"epsilon": self.epsilon}

    def cost(self, release: Release) -> dict[str, Fraction]:
        return {"epsilon": charges.pure(release)}

    def guarantee(self) -> Pure:
        return Pure(self.epsilon)

    def largest(self, state: Spent) -> str:
        return f"pure epsilon = {_digits(self.remaining(state)['epsilon'], up=False)}"


@dataclass(frozen=True, init=False)
class ConcentratedFilter(Filter):
    """Approximate zCDP, the house's default: rho and delta, each summed."""

    name = "approximate zCDP"
    theorem = "Whitehouse, Ramdas, Rogers and Wu 2023; for delta = 0 Feldman and Zrnic 2021"
    concurrent = "Lyu 2022 (Renyi privacy of every order); adaptively chosen parameters: Haney et al. 2023; delta = 0 only"
    interleaves_failures = False

    rho: Fraction
    delta: Fraction

    def __init__(self, rho: object, delta: object = 0) -> None:
        _store(self, rho=rho, delta=delta)

    @property
    def limits(self) -> dict[str, Fraction]:
        return {"rho": self.rho, "delta": self.delta}

    def cost(self, release: Release) -> dict[str, Fraction]:
        rho, delta = charges.concentrated(release)
        return {"rho": rho, "delta": delta}

    def guarantee(self) -> Concentrated:
        return Concentrated(self.rho, self.delta)

    def largest(self, state: Spent) -> str:
        left = self.remaining(state)
        ratio = printed_below((2 * float_below(left["rho"])) ** 0.5, 6)
        rho, delta = (_digits(left[currency], up=False) for currency in ("rho", "delta"))
        return f"rho = {rho} (a Gaussian of sensitivity / sigma = {ratio}) with delta = {delta}"


@dataclass(frozen=True, init=False)
class GaussianFilter(Filter):
    """Gaussian privacy: mu squared, summed."""

    name = "Gaussian"
    theorem = "Koskela, Tobaben and Honkela 2023; for Gaussian noise also Smith and Thakurta 2022"
    concurrent = "Vadhan and Zhang 2023 (every f-DP curve); adaptively chosen parameters: Haney et al. 2023"

    mu: Fraction

    def __init__(self, mu: object) -> None:
        _store(self, mu=mu)

    @property
    def limits(self) -> dict[str, Fraction]:
        return {"mu_squared": self.mu**2}

    def cost(self, release: Release) -> dict[str, Fraction]:
        return {"mu_squared": charges.gaussian(release)}

    def guarantee(self) -> GaussianPrivacy:
        return GaussianPrivacy(self.mu)

    def largest(self, state: Spent) -> str:
        return f"mu = {printed_below(float_below(self.remaining(state)['mu_squared']) ** 0.5, 6)}"


@dataclass(frozen=True, init=False)
class ApproximateFilter(Filter):
    """epsilon and delta, each summed."""

    name = "approximate"
    theorem = "Rogers, Roth, Ullman and Vadhan 2016: sums of adaptively chosen epsilons and deltas"
    concurrent = "Vadhan and Zhang 2023 (approximate privacy); adaptively chosen parameters: Haney et al. 2023"

    epsilon: Fraction
    delta: Fraction

    def __init__(self, epsilon: object, delta: object) -> None:
        _store(self, epsilon=epsilon, delta=delta)

    @property
    def limits(self) -> dict[str, Fraction]:
        return {"epsilon": self.epsilon, "delta": self.delta}

    def cost(self, release: Release) -> dict[str, Fraction]:
        epsilon, delta = charges.approximate(release)
        return {"epsilon": epsilon, "delta": delta}

    def guarantee(self) -> Approximate:
        return Approximate(self.epsilon, self.delta)

    def largest(self, state: Spent) -> str:
        left = {currency: _digits(amount, up=False) for currency, amount in self.remaining(state).items()}
        return f"epsilon = {left['epsilon']} with delta = {left['delta']}"


@dataclass(frozen=True, init=False)
class RenyiFilter(Filter):
    """Mixed notions: Renyi divergences at orders fixed in advance, beside a delta for failures; the goal is (epsilon, delta).

    A release is admitted while at least one order stays within its limit. For one order that is the Renyi filter; a transcript
    that ends within the limit of order a is one that the filter of order a alone would have let pass, so summing over the orders
    costs the sum of their deltas: each order gets an equal share of what `failures` leaves of delta.
    """

    name = "Renyi"
    theorem = "Feldman and Zrnic 2021 and Lecuyer 2021 for each order, then a union over the orders"
    concurrent = "Lyu 2022 (Renyi privacy of any order); adaptively chosen parameters: Haney et al. 2023; delta = 0 only"
    interleaves_failures = False

    epsilon: Fraction
    delta: Fraction
    orders: tuple[Fraction, ...]
    failures: Fraction

    def __init__(self, epsilon: object, delta: object, orders: object, failures: object = 0) -> None:
        _store(self, epsilon=epsilon, delta=delta, failures=failures)
        object.__setattr__(self, "orders", _orders(orders))
        if self.failures >= self.delta:
            raise BadArgument("failures", failures, "leaves nothing of delta", "Give failures a share below delta")

    @cached_property
    def limits(self) -> dict[str, Fraction]:  # computed once: it needs logarithms
        share = (self.delta - self.failures) / len(self.orders)
        caps = {f"renyi {order}": charges.renyi_limit(order, self.epsilon, share) for order in self.orders}
        return {**caps, "delta": self.failures}

    def admits(self, amounts: Mapping[str, Fraction]) -> bool:
        limits = self.limits
        within = any(amounts[currency] <= limit for currency, limit in limits.items() if currency != "delta")
        return within and amounts["delta"] <= limits["delta"]

    def cost(self, release: Release) -> dict[str, Fraction]:
        divergences, delta = charges.renyi(release, self.orders)
        return {**{f"renyi {order}": amount for order, amount in zip(self.orders, divergences, strict=True)}, "delta": delta}

    def guarantee(self) -> Approximate:
        return Approximate(self.epsilon, self.delta)

    def largest(self, state: Spent) -> str:
        left = self.remaining(state)
        best = max(self.orders, key=lambda order: left[f"renyi {order}"] / order)
        return f"rho = {_digits(left[f'renyi {best}'] / best, up=False)} at order {float(best):g}"


FILTERS: tuple[type[Filter], ...] = (PureFilter, ConcentratedFilter, GaussianFilter, ApproximateFilter, RenyiFilter)


def filter_from_json(data: Mapping[str, Any]) -> Filter:
    """The filter that `to_json` described."""
    kinds = {kind.name: kind for kind in FILTERS}
    if not isinstance(data, Mapping) or data.get("filter") not in kinds:
        raise BadArgument("data", data, "describes no filter", f"Its 'filter' should be one of {', '.join(kinds)}")
    try:
        return kinds[data["filter"]](**{name: value for name, value in data.items() if name != "filter"})
    except TypeError:
        raise BadArgument(
            "data", data, "lacks a limit of its filter, or has one too many", "Restore it from the ledger"
        ) from None


def spent_from_json(data: Mapping[str, Any]) -> Spent:
    """The state that `to_json` described."""
    if not isinstance(data, Mapping) or not isinstance(data.get("spent"), Mapping) or set(data) != {"spent", "count"}:
        raise BadArgument("data", data, "describes no state of a filter", "It has 'spent' and 'count'")
    count = exact(data["count"], "count")
    if count.denominator != 1 or count < 0:
        raise BadArgument("count", data["count"], "is not a whole number of 0 or more", "Restore it from the ledger")
    return Spent(tuple((str(name), _amount(value, str(name))) for name, value in data["spent"].items()), int(count))


def _added(state: Spent, cost: Mapping[str, Fraction]) -> dict[str, Fraction]:
    if {currency for currency, _ in state.amounts} != set(cost):
        raise BadArgument("state", state, "belongs to another filter", "Charge the state that this filter started")
    return {currency: state[currency] + amount for currency, amount in cost.items()}


def _store(filter_: Filter, **limits: object) -> None:
    for name, value in limits.items():
        amount = _amount(value, name)
        if name in ("delta", "failures") and amount >= 1:
            raise BadArgument(name, value, "is not below 1", "Give a probability far below one over the number of records")
        object.__setattr__(filter_, name, amount)


def _amount(value: object, name: str) -> Fraction:
    amount = exact(value, name)
    if amount < 0:
        raise BadArgument(name, value, "is below 0", f"Give a {name} of 0 or more")
    return amount


def _orders(orders: object) -> tuple[Fraction, ...]:
    if not isinstance(orders, list | tuple) or not orders:
        raise BadArgument("orders", orders, "are no orders", "Give a list of orders above 1, fixed in advance")
    numbers = tuple(sorted({exact(order, "orders") for order in orders}))
    if numbers[0] <= 1:
        raise BadArgument("orders", orders, "are not all above 1", "Give orders above 1")
    return numbers


def _plain(value: object) -> object:
    return [str(item) for item in value] if isinstance(value, tuple) else str(value)


def shown(amounts: Mapping[str, Fraction], *, up: bool) -> str:
    """Amounts in a sentence; what is asked for is rounded up, what is left down."""
    return ", ".join(f"{currency} = {_digits(amount, up)}" for currency, amount in amounts.items())


def _digits(amount: Fraction, up: bool) -> str:
    """Six digits of the exact number; a short decimal is itself."""
    rounding = decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR
    rounded = decimal.Context(prec=6, rounding=rounding).divide(amount.numerator, amount.denominator)
    return f"{float(rounded):.6g}"
