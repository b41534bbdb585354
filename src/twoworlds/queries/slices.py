"""A slice of a question's price, spent on how many rows users have: what the bound leaves out, or which bound to take.

The slice and the rest together cost no more than the question alone would at that epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from twoworlds.losses.filters import shown
from twoworlds.queries.contributions import Contributions, Uncounted
from twoworlds.queries.outlook import expected
from twoworlds.queries.pricing import Offer, groups_of
from twoworlds.queries.steps import FINER, Step
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import exact

__all__ = ["Learnt", "Priced", "contributions", "divided", "shares", "suggested", "weighed"]

UNEVEN = 1.5
"""How far the root of the mean square of what groups lose is above its mean, where groups differ as they mostly do."""

TYPICAL = 0.68
"""Errors are compared where noise is with this probability: about its standard deviation."""


class Priced(Protocol):
    """A question, as far as it is priced."""

    def offer(self, *, epsilon: object) -> Offer: ...


@dataclass(frozen=True)
class Learnt:
    """What was told of users' rows: what is not counted, whether the bound was chosen for it, for which epsilon, at what charge.

    `charged` is besides what the answer itself was charged; nothing where it was told before.
    """

    uncounted: Uncounted
    chosen: bool
    epsilon: Fraction
    receipt: str | None
    charged: Mapping[str, Fraction] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """For people."""
        how = "chosen for this answer" if self.chosen else "of the policy"
        cost = shown({name: amount for name, amount in self.charged.items() if amount}, up=True) or "nothing now"
        paid = f"told for epsilon = {float(self.epsilon):.4g}, charged {cost}, besides; receipt {self.receipt}"
        return [f"{self.uncounted} (bound {how}); {paid}"]

    def record(self) -> dict[str, object]:
        """As plain data."""
        told = self.uncounted
        return {
            "rows": told.rows,
            "share": told.share,
            "low": told.low,
            "high": told.high,
            "chosen": self.chosen,
            "epsilon": str(self.epsilon),
            "charged": {name: str(amount) for name, amount in self.charged.items()},
            "receipt": self.receipt,
        }


def shares(asked: Priced, counted: Priced, epsilon: object, share: object) -> tuple[Fraction, Fraction]:
    """The epsilons of the count of users and of the question, whose prices together are at most the question's alone."""
    whole, part = exact(epsilon, "epsilon"), exact(share, "slice")
    if not 0 < part < 1:
        raise BadArgument("slice", share, "is no share of the price", "Write a number between 0 and 1, like 0.1")
    limits = asked.offer(epsilon=whole).price.at()
    quadratic = "rho" in limits
    first = _short(whole * (Fraction(math.sqrt(part)) if quadratic else part))
    rest = _short(whole * (Fraction(math.sqrt(1 - part)) if quadratic else 1 - part))
    spent = counted.offer(epsilon=first).price.at()
    while rest > 0:
        cost = asked.offer(epsilon=rest).price.at()
        if all(spent.get(name, 0) + amount <= limits[name] for name, amount in cost.items()):
            return first, rest
        rest = _short(rest * Fraction(995, 1000))
    raise BadArgument("slice", share, "leaves nothing for the question", "Give a larger epsilon")


def divided(asked: Sequence[Priced], epsilon: object) -> Fraction:
    """One epsilon for each of several questions, such that all together cost what the first alone would."""
    whole = exact(epsilon, "epsilon")
    limits = asked[0].offer(epsilon=whole).price.at()
    part = _short(whole * (Fraction(1 / math.sqrt(len(asked))) if "rho" in limits else Fraction(1, len(asked))))
    while part > 0:
        prices = [one.offer(epsilon=part).price.at() for one in asked]
        if all(sum(price[name] for price in prices) <= limit for name, limit in limits.items()):
            return part
        part = _short(part * Fraction(995, 1000))
    raise BadArgument("epsilon", epsilon, "is too little for so many questions", "Give a larger epsilon")


def contributions(offer: Offer, users: tuple[float, ...]) -> Contributions:
    """The released numbers of users, with how far noise reaches over all of them."""
    step = offer.steps[0]
    return Contributions(users, step.within(0.95, len(users)))


def suggested(offer: Offer, found: Contributions) -> int:
    """The bound that makes noise and what is left out smallest together, as a product over everything that the question asks.

    What is left out is spread over the groups: unevenly, as groups are, so the root of the mean square is above the mean. Of sums
    it counts by a third of the range, as bounds are wider than most values; means and quantiles hardly move by what is left out
    in proportion everywhere.
    """
    rates = weighed(offer)
    groups = groups_of(offer.typed) or 1
    return found.best(lambda most, lost: sum(math.log(math.hypot(felt * lost / groups, rate * most)) for rate, felt in rates))


def weighed(offer: Offer) -> list[tuple[float, float]]:
    """For each step its noise by the bound, and what is felt of rows left out; refused where no bound matters."""
    rates = [(rate, _felt(offer, step)) for step in offer.steps if (rate := _per_row(offer, step)) is not None]
    if not rates:
        names = ", ".join(one.name for one in expected(offer)) or "what is asked"
        raise BadArgument("bounds", names, "does not depend on how many rows a user counts for", "Ask without suggested bounds")
    return rates


def _felt(offer: Offer, step: Step) -> float:
    """What a row that is not counted takes from the answer, as a share of the most that a row can."""
    measure = offer.typed.measures[step.demand.measure]
    if step.demand.kind != "added" or measure.centre:
        return UNEVEN / 4
    return UNEVEN / 3 if measure.kind == "sum" else UNEVEN


def _per_row(offer: Offer, step: Step) -> float | None:
    """The typical noise of a step in rows, for each row that a user may count for."""
    measure, most = offer.typed.measures[step.demand.measure], offer.bounding.rows
    if measure.kind in ("users", "distinct"):
        return None
    if step.demand.kind == "added":
        return step.within(TYPICAL) / float(step.public["sensitivity"])
    factor = FINER * offer.bounding.parts * (step.demand.q.denominator if step.demand.kind == "quantile" else 1)
    return step.within(TYPICAL, max(2, measure.cells)) / factor / most


def _short(epsilon: Fraction) -> Fraction:
    """To four digits downwards, so that it can be typed again."""
    if not epsilon:
        return epsilon
    unit = Fraction(10) ** (math.floor(math.log10(epsilon)) - 3)
    return epsilon // unit * unit
