"""What a query costs and how near its answer will be, before anything is charged: from the plan and the policy alone.

A request becomes an amount in the currency of the binding filter: epsilon, or rho. The amount is divided evenly over what the
outputs need, and each part gets the card whose noise will be smaller for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

from twoworlds.losses.prices import Approximate, Concentrated, Dialect, GaussianPrivacy, Pure
from twoworlds.mechanisms.gaussian import gaussian
from twoworlds.proofs.statuses import status
from twoworlds.queries.bounding import Bounding, coarser, distance
from twoworlds.queries.currency import concentrated_for, gaussian_for, pure_for
from twoworlds.queries.measures import Measure, Typed
from twoworlds.queries.policy import Budget, Policy
from twoworlds.queries.steps import Demand, Step, added, chosen, demands, selected
from twoworlds.worlds.claims import Claim, Interval, Status
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Composed, Event
from twoworlds.worlds.rationals import exact

__all__ = ["Offer", "bounding_of", "cells_of", "groups_of", "offer", "weakest"]

_RANKS: tuple[Status, ...] = ("audited only", "tabulated", "proved by rule", "proved by machine")
_MANY = 10**9  # groups, where their number is a secret: more than a neighbour can touch


_LEAST, _MOST = Fraction(1, 10**12), Fraction(10**8)


@dataclass(frozen=True)
class Promised:
    """The loss of a price, worked out when it is asked for: the numeric core need not load before."""

    price: Dialect

    def delta(self, epsilon: object) -> Interval:
        return self.price.loss().delta(epsilon)

    def epsilon(self, delta: object) -> Interval:
        return self.price.loss().epsilon(delta)


@dataclass(frozen=True)
class Offer:
    """A priced question: what will be run, what is charged for it, and how the request became that charge."""

    typed: Typed
    policy: Policy
    bounding: Bounding
    steps: tuple[Step, ...]
    price: Dialect
    notes: tuple[str, ...]

    @property
    def event(self) -> Event:
        """What happens if it is released: the cards on the same records."""
        return self.steps[0].event if len(self.steps) == 1 else Composed(tuple(step.event for step in self.steps))

    @property
    def loss(self) -> Dialect:
        """The guarantee of this release alone: in the dialect of its cards if they share one, else in that of its price."""
        prices = [step.price for step in self.steps]
        if len({type(price) for price in prices}) > 1 or not isinstance(prices[0], Pure | GaussianPrivacy | Approximate):
            return self.price
        total = prices[0]
        for price in prices[1:]:
            total = total + price
        return type(total)(**total.at())

    @property
    def claim(self) -> Claim:
        """What will be guaranteed, its loss worked out only when somebody looks at it."""
        unit = self.typed.table.unit
        who = "one row" if unit.is_row else f"all rows of one {unit.column}"
        moved = f"{who} {'replaced' if unit.relation == 'replace' else 'added or removed'}"
        return Claim(Promised(self.loss), moved, who, ("what is told, not how long it takes",), weakest([self]))

    def step(self, demand: Demand) -> Step:
        """The step that serves a demand."""
        return next(step for step in self.steps if step.demand == demand)

    def unit(self, measure: int) -> Fraction:
        """What one step of a measure is worth."""
        found = self.typed.measures[measure]
        if found.kind in ("users", "distinct"):
            return Fraction(1)  # never weighted
        if found.kind != "sum":
            return Fraction(1, self.bounding.parts)
        if found.other is not None:
            return found.grid * found.other_grid * coarser(found) / self.bounding.parts
        return (found.grid**2 * coarser(found) if found.power == 2 else found.grid) / self.bounding.parts


def groups_of(typed: Typed) -> int | None:
    """How many groups are public; None where it is a secret."""
    return None if typed.unknown_keys else prod(len(key.values or ()) for key in typed.query.keys)


def weakest(offers: Iterable[Offer]) -> Status:
    """How far everything that these release is proved: as far as the least of it."""
    return min((status(step.card) for offer in offers for step in offer.steps), key=_RANKS.index)


def bounding_of(typed: Typed, *, window: bool = False) -> Bounding:
    """How users are bounded: by weights, unless the window is wanted."""
    unit = typed.table.unit
    if not typed.by_user:
        return Bounding("rows")
    return Bounding("window" if window else "weights", unit.rows, unit.groups, unit.rows_per_group or unit.rows)


def offer(typed: Typed, policy: Policy, *, epsilon: object, window: bool | None = None) -> Offer:
    """The question at this epsilon, and at the policy's delta where the filter has one.

    Users are bounded by weights; by the window where the policy says how many rows count in a group and that takes less noise,
    as it may for Gaussian noise, which feels the square root of the number of groups.
    """
    if window is not None:
        return _offer(typed, policy, epsilon, window)
    found = _offer(typed, policy, epsilon, False)
    if typed.by_user and typed.table.unit.rows_per_group is not None and any(step.card is gaussian for step in found.steps):
        other = _offer(typed, policy, epsilon, True)
        pairs = zip(found.steps, other.steps, strict=True)
        saved = prod(two.within(0.95) / one.within(0.95) for one, two in pairs if one.demand.kind == "added")
        return other if saved < 1 else found
    return found


def _offer(typed: Typed, policy: Policy, epsilon: object, window: bool) -> Offer:
    asked = exact(epsilon, "epsilon")
    if asked <= 0:
        raise BadArgument("epsilon", epsilon, "is not above 0", "Give the price that you are willing to pay")
    if not _LEAST <= asked <= _MOST:
        raise BadArgument("epsilon", epsilon, "is out of all proportion", "Give a number such as 1, or 0.1")
    typed = _with_selection(typed)
    budget, bounding = policy.budgets[typed.table.population], bounding_of(typed, window=window)
    if budget.filter == "pure":
        steps = _steps(typed, bounding, asked, None, Fraction(0))
        return Offer(typed, policy, bounding, steps, Pure(asked), ("the filter is pure: epsilon is charged as it is",))
    return _concentrated(typed, policy, bounding, asked, _failure(typed, budget, policy))


def _concentrated(typed: Typed, policy: Policy, bounding: Bounding, asked: Fraction, failure: Fraction) -> Offer:
    """Gaussian noise alone is known to mean (epsilon, delta) for somewhat more rho than anything that rho can be charged for."""
    delta = policy.delta - failure
    mu = gaussian_for(asked, delta)
    steps, note = _steps(typed, bounding, None, mu**2 / 2, failure), "by the curve of Gaussian noise"
    if any(step.card is not gaussian for step in steps):
        steps, note = _steps(typed, bounding, None, concentrated_for(asked, delta), failure), "for every release of that rho"
    from twoworlds.losses.filters import ConcentratedFilter, shown  # noqa: PLC0415  the other filter needs no such sum

    costs = [ConcentratedFilter(1).cost(step.price) for step in steps]
    price = Concentrated(sum(cost["rho"] for cost in costs), sum(cost["delta"] for cost in costs))
    rho = shown({"rho": price.at()["rho"]}, up=True)
    return Offer(typed, policy, bounding, steps, price, (f"epsilon = {asked} at delta = {policy.delta} is {rho} {note}",))


def _failure(typed: Typed, budget: Budget, policy: Policy) -> Fraction:
    """The part of delta that naming groups may use up."""
    if not typed.unknown_keys:
        return Fraction(0)
    if not budget.delta:
        fix = "Declare the values of the key in the policy, or give the budget a delta"
        raise BadArgument("keys", [key.name for key in typed.query.keys], "are not public, and the budget has no delta", fix)
    return policy.delta / 2


def _with_selection(typed: Typed) -> Typed:
    """With the measure by which groups are chosen, if they are not public."""
    if not typed.unknown_keys:
        return typed
    wanted = Measure("users") if typed.by_user else Measure("count")
    return typed if wanted in typed.measures else replace(typed, measures=(*typed.measures, wanted))


def _steps(
    typed: Typed, bounding: Bounding, epsilon: Fraction | None, rho: Fraction | None, failure: Fraction
) -> tuple[Step, ...]:
    """Equal shares of epsilon, or of rho, to everything that is needed."""
    wanted, groups = demands(typed), groups_of(typed)
    if not wanted:
        raise BadArgument("query", "", "asks for nothing", "Name at least one aggregate")
    shared = None if rho is None else rho / len(wanted)
    pure = epsilon / len(wanted) if epsilon is not None else pure_for(shared or Fraction(0))
    steps = []
    for demand in wanted:
        measure = typed.measures[demand.measure]
        length = (groups or 1) * cells_of(measure)
        moved = distance(typed, bounding, measure, _MANY if groups is None else length)
        if demand.kind == "selection":
            steps.append(selected(demand, _touched(typed, bounding, failure), length, epsilon=pure, delta=failure))
        elif demand.kind == "added":
            steps.append(added(demand, moved, length, epsilon=pure, rho=shared))
        else:
            steps.append(chosen(demand, moved, groups or 1, epsilon=pure))
    return tuple(steps)


def _touched(typed: Typed, bounding: Bounding, failure: Fraction) -> int:
    """In how many groups a neighbour changes the number of users, by one in each."""
    names = [key.name for key in typed.query.keys if key.values is None]
    if not failure:
        fix = "Declare the values of the key in the policy, or use the concentrated filter with a delta"
        raise BadArgument("keys", names, "are not public, and the filter is pure", fix)
    assert typed.rows == 1, "other questions of unknown groups are refused when they are typed"
    return (bounding.groups if typed.by_user else 1) * (2 if typed.relation == "replace" else 1)


def cells_of(measure: Measure) -> int:
    """How many entries a group has in this measure."""
    if measure.kind == "values":
        return len(measure.listed or ())
    return measure.cells if measure.kind == "bins" else 1
