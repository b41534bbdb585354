"""Prices: what a card costs, as formulas over its public parameters.

`Pure("epsilon")` is a loss that waits for its parameters: the prover reads the formula, `price.at(values)` evaluates it to exact
rationals rounded against us, `price.loss(values)` makes the loss of them. A price without names is a guarantee in its dialect:
`Pure(1)` is what `losses.conversions` translates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Self

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.rationals import float_above

if TYPE_CHECKING:
    from twoworlds.losses.loss import Loss
    from twoworlds.losses.moments import MomentBound

__all__ = [
    "Approximate",
    "Concentrated",
    "Dialect",
    "GaussianPrivacy",
    "KullbackLeibler",
    "MeanConcentrated",
    "MutualInformation",
    "Probabilistic",
    "Pure",
    "Renyi",
    "TotalVariation",
    "Truncated",
]

_BELOW_ONE = ("delta",)  # probabilities of failure
_DOWN = ("order", "omega")  # a guarantee up to an order covers every smaller order, so these round down


@dataclass(frozen=True, init=False)
class Dialect(ABC):
    """A guarantee whose numbers are formulas; every number may be given as text, as a number or as an `Expression`."""

    def _store(self, **formulas: object) -> None:
        for name, formula in formulas.items():
            object.__setattr__(self, name, Expression.of(formula, name))
        if not self.names:
            self.at()  # a constant out of range is reported where it is written

    @property
    def formulas(self) -> dict[str, Expression]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def names(self) -> frozenset[str]:
        """The parameters that the formulas need."""
        return frozenset().union(*(formula.names for formula in self.formulas.values()))

    def at(self, values: Mapping[str, object] | None = None) -> dict[str, Fraction]:
        """The numbers at these parameters, each rounded to the side on which the guarantee only weakens."""
        return {name: _number(name, formula, values or {}) for name, formula in self.formulas.items()}

    @abstractmethod
    def loss(self, values: Mapping[str, object] | None = None) -> Loss | MomentBound:
        """The loss at these parameters."""

    def __str__(self) -> str:
        inside = ", ".join(f"{name} = {formula}" for name, formula in self.formulas.items())
        return f"{type(self).__name__}({inside})"

    def __add__(self, other: Dialect) -> Self:
        """Both on the same records, in the same dialect."""
        if type(other) is not type(self):
            why = f"is in another dialect than {self}"
            raise BadArgument("price", str(other), why, "Convert both to one dialect first (losses.conversions)")
        return self._summed([(self, 1), (other, 1)])

    def times(self, count: object) -> Self:
        """The same, `count` times; the count may be a formula."""
        return self._summed([(self, count)])

    def _summed(self, terms: list[tuple[Self, object]]) -> Self:
        """Composition: every number adds up, unless the dialect says otherwise."""
        totals = {name: _total([(price.formulas[name], count) for price, count in terms]) for name in self.formulas}
        return type(self)(**totals)


def _number(name: str, formula: Expression, values: Mapping[str, object]) -> Fraction:
    enclosed = formula.enclose(values)
    number = enclosed.low if name in _DOWN else enclosed.high
    if name in _DOWN and number <= 1:
        raise BadArgument(name, str(formula), f"is {float_above(number):g}, not above 1", f"Give an {name} above 1")
    if name not in _DOWN and number < 0:
        raise BadArgument(
            name, str(formula), f"is {float_above(number):g}, below 0", f"Give parameters that keep {name} at 0 or more"
        )
    if name in _BELOW_ONE and number >= 1:
        raise BadArgument(
            name, str(formula), f"is {float_above(number):g}, not below 1", "Give a delta far below one over the records"
        )
    return number


def _total(terms: list[tuple[Expression, object]]) -> Expression:
    return Expression(" + ".join(_product(formula, count) for formula, count in terms))


def _product(formula: Expression, count: object) -> str:
    times = Expression.of(count, "count")
    if not times.names and (times.enclose({}).low < 1 or times.enclose({}).low.denominator != 1):
        raise BadArgument("count", count, "is not a whole number of 1 or more", "Say how many times it ran")
    return f"({formula})" if times.text == "1" else f"({times}) * ({formula})"


@dataclass(frozen=True, init=False)
class Pure(Dialect):
    """P[E] <= exp(epsilon) P'[E] for every event E and all neighbours (Dwork, McSherry, Nissim and Smith 2006)."""

    epsilon: Expression

    def __init__(self, epsilon: object) -> None:
        self._store(epsilon=epsilon)

    def __str__(self) -> str:
        return f"pure {self.epsilon}"

    def loss(self, values: Mapping[str, object] | None = None) -> Loss:
        from twoworlds.losses.loss import pure  # noqa: PLC0415  the numeric core loads only when a number is asked for

        return pure(**self.at(values))


@dataclass(frozen=True, init=False)
class Approximate(Dialect):
    """P[E] <= exp(epsilon) P'[E] + delta (Dwork, Kenthapadi, McSherry, Mironov and Naor 2006)."""

    epsilon: Expression
    delta: Expression

    def __init__(self, epsilon: object, delta: object) -> None:
        self._store(epsilon=epsilon, delta=delta)

    def loss(self, values: Mapping[str, object] | None = None) -> Loss:
        from twoworlds.losses.loss import approximate  # noqa: PLC0415  the numeric core loads only when a number is asked for

        return approximate(**self.at(values))


@dataclass(frozen=True, init=False)
class Probabilistic(Dialect):
    """Pr[privacy loss > epsilon] <= delta (Machanavajjhala, Kifer, Abowd, Gehrke and Vilhuber 2008).

    Stronger than approximate privacy at the same numbers, and not closed under post-processing (Meiser 2018), so its loss is
    the approximate one that it implies: delta >= E[(1 - e^(epsilon - L))+].
    """

    epsilon: Expression
    delta: Expression

    def __init__(self, epsilon: object, delta: object) -> None:
        self._store(epsilon=epsilon, delta=delta)

    def loss(self, values: Mapping[str, object] | None = None) -> Loss:
        return Approximate(**self.at(values)).loss()


@dataclass(frozen=True, init=False)
class Concentrated(Dialect):
    """Renyi divergence of order a at most rho * a, outside an event of probability delta (Bun and Steinke 2016)."""

    rho: Expression
    delta: Expression

    def __init__(self, rho: object, delta: object = 0) -> None:
        self._store(rho=rho, delta=delta)

    def loss(self, values: Mapping[str, object] | None = None) -> MomentBound:
        from twoworlds.losses.moments import concentrated  # noqa: PLC0415  the numeric core loads only when asked for

        numbers = self.at(values)
        return concentrated(numbers["rho"], numbers["delta"])


@dataclass(frozen=True, init=False)
class Truncated(Dialect):
    """Renyi divergence of order a at most rho * a for orders below omega (Bun, Dwork, Rothblum and Steinke 2018)."""

    rho: Expression
    omega: Expression

    def __init__(self, rho: object, omega: object) -> None:
        self._store(rho=rho, omega=omega)

    def loss(self, values: Mapping[str, object] | None = None) -> MomentBound:
        from twoworlds.losses.moments import truncated  # noqa: PLC0415  the numeric core loads only when asked for

        numbers = self.at(values)
        return truncated(numbers["rho"], numbers["omega"])

    def _summed(self, terms: list[tuple[Self, object]]) -> Self:
        total = _total([(price.rho, count) for price, count in terms])
        return type(self)(rho=total, omega=_shared("min", [price.omega for price, _ in terms]))


@dataclass(frozen=True, init=False)
class MeanConcentrated(Dialect):
    """The privacy loss has at most this mean and is subgaussian around it (Dwork and Rothblum 2016)."""

    mean: Expression
    spread: Expression

    def __init__(self, mean: object, spread: object) -> None:
        self._store(mean=mean, spread=spread)

    def loss(self, values: Mapping[str, object] | None = None) -> MomentBound:
        from twoworlds.losses.moments import mean_concentrated  # noqa: PLC0415  the numeric core loads only when asked for

        numbers = self.at(values)
        return mean_concentrated(numbers["mean"], numbers["spread"])

    def _summed(self, terms: list[tuple[Self, object]]) -> Self:
        total = _total([(price.mean, count) for price, count in terms])
        return type(self)(mean=total, spread=_root([(price.spread, count) for price, count in terms]))


@dataclass(frozen=True, init=False)
class Renyi(Dialect):
    """Renyi divergence of this order at most epsilon (Mironov 2017)."""

    order: Expression
    epsilon: Expression

    def __init__(self, order: object, epsilon: object) -> None:
        self._store(order=order, epsilon=epsilon)

    def loss(self, values: Mapping[str, object] | None = None) -> MomentBound:
        from twoworlds.losses.moments import renyi_at  # noqa: PLC0415  the numeric core loads only when asked for

        numbers = self.at(values)
        return renyi_at(numbers["order"], numbers["epsilon"])

    def _summed(self, terms: list[tuple[Self, object]]) -> Self:
        total = _total([(price.epsilon, count) for price, count in terms])
        return type(self)(order=_shared("min", [price.order for price, _ in terms]), epsilon=total)


@dataclass(frozen=True, init=False)
class GaussianPrivacy(Dialect):
    """As hard to tell apart as N(0, 1) and N(mu, 1) (Dong, Roth and Su 2022)."""

    mu: Expression

    def __init__(self, mu: object) -> None:
        self._store(mu=mu)

    def loss(self, values: Mapping[str, object] | None = None) -> Loss:
        from twoworlds.losses.loss import gaussian_privacy  # noqa: PLC0415  the numeric core loads only when asked for

        return gaussian_privacy(**self.at(values))

    def _summed(self, terms: list[tuple[Self, object]]) -> Self:
        return type(self)(_root([(price.mu, count) for price, count in terms]))


@dataclass(frozen=True, init=False)
class KullbackLeibler(Dialect):
    """Expected privacy loss at most epsilon, in nats: Renyi divergence of order 1 (Barber and Duchi 2014)."""

    epsilon: Expression

    def __init__(self, epsilon: object) -> None:
        self._store(epsilon=epsilon)

    def loss(self, values: Mapping[str, object] | None = None) -> Loss:
        from twoworlds.losses.variation import variation_from_divergence  # noqa: PLC0415  the numeric core loads only when asked for

        return TotalVariation(variation_from_divergence(**self.at(values))).loss()


@dataclass(frozen=True, init=False)
class TotalVariation(Dialect):
    """|P[E] - P'[E]| <= delta for every event: approximate privacy with epsilon = 0."""

    delta: Expression

    def __init__(self, delta: object) -> None:
        self._store(delta=delta)

    def loss(self, values: Mapping[str, object] | None = None) -> Loss:
        return Approximate(0, **self.at(values)).loss()


@dataclass(frozen=True, init=False)
class MutualInformation(Dialect):
    """The output holds at most epsilon nats about one record, given all others, under every prior (Cuff and Yu 2016)."""

    epsilon: Expression

    def __init__(self, epsilon: object) -> None:
        self._store(epsilon=epsilon)

    def loss(self, values: Mapping[str, object] | None = None) -> Loss:
        from twoworlds.losses.variation import variation_from_information  # noqa: PLC0415  the numeric core loads only when asked for

        return TotalVariation(variation_from_information(**self.at(values))).loss()


def _root(terms: list[tuple[Expression, object]]) -> Expression:
    """The root of the sum of the squares."""
    return Expression(f"sqrt({_total([(Expression(f'({formula}) ** 2'), count) for formula, count in terms])})")


def _shared(function: str, formulas: list[Expression]) -> Expression:
    texts = list(dict.fromkeys(f"{formula}" for formula in formulas))
    return Expression(texts[0] if len(texts) == 1 else f"{function}({', '.join(texts)})")
