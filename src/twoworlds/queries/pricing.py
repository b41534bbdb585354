"""What a query costs and how near its answer will be, before anything is charged: from the plan and the policy alone.

A request in epsilon becomes an amount in the currency of the binding filter. That amount is divided over the measures, and each
gets the card whose noise will be smaller for it: Laplace for a distance in L1, Gaussian for one in L2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Any

from twoworlds.losses.prices import Approximate, Concentrated, Dialect, GaussianPrivacy, Pure
from twoworlds.mechanisms.gaussian import gaussian
from twoworlds.mechanisms.laplace_vector import laplace_vector
from twoworlds.queries.bounding import Bounding, distance
from twoworlds.queries.measures import Typed
from twoworlds.queries.policy import Policy
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Composed, Distance, Event, Ran
from twoworlds.worlds.rationals import Enclosure, exact

__all__ = ["Offer", "Step", "concentrated_for", "offer"]


@dataclass(frozen=True)
class Step:
    """One card that will run on one measure: its public parameters, what happened if it runs, what that costs."""

    measure: int
    card: Card
    public: Mapping[str, Fraction]
    event: Ran
    price: Dialect

    def within(self, confidence: float, of: int = 1) -> float:
        """How far the noise of one entry reaches, in steps of the grid, with this confidence for `of` entries together."""
        beta = (1 - confidence) / of
        if self.card is gaussian:
            return NormalDist().inv_cdf(1 - beta / 2) * float(self.public["sigma"]) + 0.5
        rate = float(self.public["epsilon"] / self.public["sensitivity"])
        return max(0.0, math.floor(math.log(2 / (beta * (1 + math.exp(-rate)))) / rate))


@dataclass(frozen=True)
class Offer:
    """A priced question: what will be run, what is charged for it, and how the request became that charge."""

    typed: Typed
    bounding: Bounding
    groups: int
    steps: tuple[Step, ...]
    price: Dialect
    notes: tuple[str, ...]

    @property
    def event(self) -> Event:
        """What happens if it is released: the cards on the same records."""
        return self.steps[0].event if len(self.steps) == 1 else Composed(tuple(step.event for step in self.steps))

    @property
    def loss(self) -> Dialect:
        """The guarantee of this release alone, in the tightest dialect that all its cards share."""
        prices = [step.price for step in self.steps]
        if len({type(price) for price in prices}) == 1 and isinstance(prices[0], Pure | GaussianPrivacy):
            total = prices[0]
            for price in prices[1:]:
                total = total + price
            return type(total)(**total.at())
        return self.price


def offer(typed: Typed, policy: Policy, *, epsilon: object, groups: int) -> Offer:
    """The question at this epsilon, and at the policy's delta where the filter has one."""
    asked = exact(epsilon, "epsilon")
    if asked <= 0:
        raise BadArgument("epsilon", epsilon, "is not above 0", "Give the price that you are willing to pay")
    unit = typed.table.unit
    bounding = Bounding("rows") if unit.is_row else Bounding("weights", rows=unit.rows)
    budget = policy.budgets[typed.table.population]
    if budget.filter == "pure":
        distances = [distance(typed, bounding, measure, groups) for measure in typed.measures]
        share = asked / len(distances)
        steps = tuple(_laplace(i, moved, share, groups) for i, moved in enumerate(distances))
        return Offer(typed, bounding, groups, steps, Pure(asked), (f"the filter is pure: epsilon = {asked} is charged as it is",))
    return _concentrated(typed, bounding, groups, asked, policy.delta)


def _concentrated(typed: Typed, bounding: Bounding, groups: int, asked: Fraction, delta: Fraction) -> Offer:
    distances = [distance(typed, bounding, measure, groups) for measure in typed.measures]
    rho = concentrated_for(asked, delta)
    share = rho / len(distances)
    steps = tuple(
        min(_laplace(i, moved, _pure_for(share), groups), _gaussian(i, moved, share, groups), key=lambda step: step.within(0.95))
        for i, moved in enumerate(distances)
    )
    from twoworlds.losses.filters import ConcentratedFilter  # noqa: PLC0415  only where it binds

    costs = [ConcentratedFilter(1).cost(step.price) for step in steps]
    price = Concentrated(sum(cost["rho"] for cost in costs), sum(cost["delta"] for cost in costs))
    note = f"epsilon = {asked} at delta = {delta} is rho = {float(rho):.6g} of the concentrated filter"
    return Offer(typed, bounding, groups, steps, price, (note,))


def _laplace(measure: int, moved: Distance, epsilon: Fraction, groups: int) -> Step:
    assert moved.l1 is not None
    public = {"sensitivity": moved.l1, "epsilon": epsilon}
    return Step(measure, laplace_vector, public, _ran(laplace_vector, public, moved, groups), Pure(epsilon))


def _gaussian(measure: int, moved: Distance, rho: Fraction, groups: int) -> Step:
    assert moved.l2_squared is not None
    sensitivity = _short_above(Enclosure(moved.l2_squared).sqrt().high)
    sigma = _short_above(Enclosure(sensitivity**2 / (2 * rho)).sqrt().high)
    public = {"sensitivity": sensitivity, "sigma": sigma}
    return Step(measure, gaussian, public, _ran(gaussian, public, moved, groups), GaussianPrivacy(sensitivity / sigma))


def _ran(card: Card, public: Mapping[str, Any], moved: Distance, groups: int) -> Ran:
    return Ran.of(card.name, card.digest, public, moved, groups)


@lru_cache(maxsize=64)
def concentrated_for(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest rho, to a millionth, that still means (epsilon, delta) by the best conversion."""
    from twoworlds.losses.conversions import convert  # noqa: PLC0415  the numeric core loads only when a number is asked for

    if not 0 < delta < 1:
        raise BadArgument(
            "delta", delta, "is not between 0 and 1", "Declare a delta in the policy, far below one over the people"
        )

    def holds(rho: Fraction) -> bool:
        return convert(Concentrated(rho), Approximate, delta=delta).price.at()["epsilon"] <= epsilon

    low, high = Fraction(0), epsilon  # rho-zCDP never gives an epsilon below rho
    while high - low > high / 10**6:
        middle = Fraction(float((low + high) / 2))
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _pure_for(rho: Fraction) -> Fraction:
    """An epsilon whose pure guarantee is charged at most rho: epsilon tanh(epsilon / 2) <= epsilon^2 / 2, and <= epsilon."""
    return max(rho, Fraction(math.floor(math.sqrt(2 * rho) * 10**12), 10**12))


def _short_above(number: Fraction) -> Fraction:
    """A number of few digits, not below this one."""
    if number.denominator == 1:
        return number
    unit = Fraction(10) ** (math.floor(math.log10(number)) - 11)
    return math.ceil(number / unit) * unit
