"""The cards that a query needs: one for every measure that is added up, every quantile, every choice among values or groups.

A step knows its share of the budget only through the public parameters of its card, and its price is the card's at them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any, Literal

from twoworlds.losses.prices import Approximate, Dialect, GaussianPrivacy, Pure
from twoworlds.mechanisms.gaussian import gaussian
from twoworlds.mechanisms.laplace_vector import laplace_vector
from twoworlds.mechanisms.noisy_max_array import noisy_max_array
from twoworlds.mechanisms.partition_selection import partition_selection
from twoworlds.queries.measures import Typed
from twoworlds.queries.plan import Aggregate
from twoworlds.worlds.cards import Card
from twoworlds.worlds.events import Distance, Event, Ran, Repeated
from twoworlds.worlds.rationals import Enclosure, exact, float_above

__all__ = ["FINER", "Demand", "Step", "added", "chosen", "demands", "selected"]

_PLENTY = Fraction(1000)
"""With so much epsilon there is no noise on a number of users."""

FINER = 16
"""Scores of candidates are multiplied by this, so that the grid of their noise is finer than a row."""


@dataclass(frozen=True)
class Demand:
    """What is wanted of a measure: its entries; the cell where a share `q` of the rows is below, or nearly none, or nearly all;
    the `count` values with most rows; or which groups enough users have."""

    measure: int
    kind: Literal["added", "quantile", "minimum", "maximum", "top", "selection"]
    q: Fraction = Fraction(0)
    count: int = 1


@dataclass(frozen=True)
class Step:
    """One card that will run: its public parameters, what happened if it runs, and what that costs."""

    demand: Demand
    card: Card
    public: Mapping[str, Fraction]
    event: Event
    price: Dialect

    def within(self, confidence: float, of: int = 1) -> float:
        """How far the noise of an entry reaches with this confidence, for `of` entries together; for choices, in score."""
        beta = (1 - confidence) / of
        if self.card is gaussian:
            return NormalDist().inv_cdf(1 - beta / 2) * float(self.public["sigma"]) + 0.5
        rate = float(self.public["epsilon"] / self.public.get("sensitivity", Fraction(1)))
        if self.card is noisy_max_array:
            return 2 * math.log(of / beta) / rate
        return max(0.0, math.floor(math.log(2 / (beta * (1 + math.exp(-rate)))) / rate))


def demands(typed: Typed) -> tuple[Demand, ...]:
    """Everything that the outputs need, each once; first the groups, where they are not public."""
    wanted: dict[Demand, None] = {}
    if typed.unknown_keys:
        wanted[Demand(selection_measure(typed), "selection")] = None
    for output, uses in zip(typed.query.outputs, typed.uses, strict=True):
        if isinstance(output.value, Aggregate):
            wanted |= dict.fromkeys(of_output(output.value, uses))
    return tuple(wanted)


def of_output(aggregate: Aggregate, uses: tuple[int, ...]) -> tuple[Demand, ...]:
    """What one aggregate needs of its measures."""
    public: dict[str, Any] = dict(aggregate.parameters)
    if aggregate.kind == "quantile":
        return (Demand(uses[0], "quantile", q=exact(public["q"])),)
    if aggregate.kind in ("minimum", "maximum"):
        return (Demand(uses[0], "minimum" if aggregate.kind == "minimum" else "maximum"),)
    if aggregate.kind == "top":
        return (Demand(uses[0], "top", count=int(public["k"])),)
    return tuple(Demand(measure, "added") for measure in uses)


def selection_measure(typed: Typed) -> int:
    """The measure by which groups that are not public are chosen: users, or rows where each is somebody's only one."""
    wanted = "users" if typed.by_user else "count"
    return next(i for i, measure in enumerate(typed.measures) if measure.kind == wanted and measure.value is None)


def added(demand: Demand, moved: Distance, length: int, *, epsilon: Fraction, rho: Fraction | None) -> Step:
    """Noise on every entry: Laplace for epsilon, or Gaussian for rho where there is one and its noise is smaller."""
    assert moved.l1 is not None and moved.l2_squared is not None
    public = {"sensitivity": moved.l1, "epsilon": epsilon}
    laplace = Step(
        demand, laplace_vector, public, Ran.of("laplace_vector", laplace_vector.digest, public, moved, length), Pure(epsilon)
    )
    if rho is None:
        return laplace
    sensitivity = _short(Enclosure(moved.l2_squared).sqrt().high)
    sigma = _short(Enclosure(sensitivity**2 / (2 * rho)).sqrt().high)
    public = {"sensitivity": sensitivity, "sigma": sigma}
    event = Ran.of("gaussian", gaussian.digest, public, moved, length)
    normal = Step(demand, gaussian, public, event, GaussianPrivacy(sensitivity / sigma))
    return min(laplace, normal, key=lambda step: step.within(0.95))


def chosen(demand: Demand, moved: Distance, length: int, *, epsilon: Fraction) -> Step:
    """A cell or a value of each group, by noisy scores.

    A neighbour moves the scores of a group by as much as its rows there; what it moves in all groups together is bounded, and the
    loss in each group is in proportion, so one epsilon pays for all.
    """
    assert moved.l1 is not None
    if demand.kind == "quantile":
        sensitivity = moved.l1 * max(demand.q, 1 - demand.q) * demand.q.denominator * FINER
    else:
        sensitivity = moved.l1 * FINER
    public = {"sensitivity": sensitivity, "epsilon": epsilon / demand.count}
    ran = Ran.of("noisy_max_array", noisy_max_array.digest, public, Distance(l1=sensitivity), length)
    event = ran if demand.count == 1 else Repeated(demand.count, ran)
    return Step(demand, noisy_max_array, public, event, Pure(epsilon))


def selected(demand: Demand, groups: int, length: int, *, epsilon: Fraction, delta: Fraction) -> Step:
    """The groups to be named, when one user is in `groups` of them at the most: a run for each that a user can touch."""
    share, failure = min(epsilon / groups, _PLENTY), delta / groups
    reach = 1
    while (cost := _price(share, reach))["delta"] > failure:
        reach = _reach_above(share, failure, reach)
    public = {"reach": Fraction(reach), "epsilon": share}
    ran = Ran.of("partition_selection", partition_selection.digest, public, Distance(linf=Fraction(1)), length)
    event = ran if groups == 1 else Repeated(groups, ran)
    price = Approximate(share * groups, Fraction(float_above(cost["delta"])) * groups)
    return Step(demand, partition_selection, public, event, price)


def _price(epsilon: Fraction, reach: int) -> dict[str, Fraction]:
    return partition_selection.price.at({"epsilon": epsilon, "reach": reach})


def _reach_above(epsilon: Fraction, delta: Fraction, reach: int) -> int:
    """The next reach to try: where the price's delta, solved for the reach, says; or one more."""
    e, d = float(epsilon), float(delta)
    if not d:
        return reach + 1
    less = -math.expm1(-e)  # 1 - exp(-epsilon)
    return max(reach + 1, math.floor(math.log1p(less * (1 - d) / (d * (2 - less))) / e))


def _short(number: Fraction) -> Fraction:
    """A number of few digits, not below this one."""
    if number.denominator == 1:
        return number
    unit = Fraction(10) ** (math.floor(math.log10(number)) - 11)
    return math.ceil(number / unit) * unit
