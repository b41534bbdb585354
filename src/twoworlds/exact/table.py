"""A mechanism tabulated: its output law in two worlds, and everything that can be told from it, as certified intervals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from twoworlds.exact.oneway import OneWay, Row, most
from twoworlds.exact.weights import fraction, interval, is_exact, vanishes
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument

__all__ = ["Row", "Table", "Witness"]


@dataclass(frozen=True)
class Witness:
    """An output that is `ratio` times as likely in one world as in the other."""

    output: Any
    likelier_in: str
    probability: Interval
    other_probability: Interval
    ratio: Interval


@dataclass(frozen=True)
class Table(OneWay):
    """One row for each output of either world; `lost` and `other_lost` are masses whose outputs are not known.

    Quantities are the larger of both directions; `forward` and `backward` give each.
    """

    name: str = "mechanism"

    @property
    def forward(self) -> OneWay:
        """The first world against the second."""
        return OneWay(self.rows, self.lost, self.other_lost)

    @cached_property
    def outputs(self) -> tuple[Any, ...]:
        return tuple(row.output for row in self.rows)

    @cached_property
    def law(self) -> dict[Any, Interval]:
        """Each output's probability in the first world."""
        return {row.output: interval(row.weight, row.weight + self.lost) for row in self.rows}

    @cached_property
    def other_law(self) -> dict[Any, Interval]:
        """Each output's probability in the second world."""
        return {row.output: interval(row.other, row.other + self.other_lost) for row in self.rows}

    @property
    def is_exact(self) -> bool:
        """Whether every probability is a known rational."""
        weights = [self.lost, self.other_lost, *(weight for row in self.rows for weight in (row.weight, row.other))]
        return all(is_exact(weight) for weight in weights) and self.lost == self.other_lost == 0

    @cached_property
    def law_exact(self) -> dict[Any, Fraction]:
        """Each output's probability in the first world, where all are rational."""
        return {row.output: fraction(row.weight) for row in self._exactly().rows}

    @cached_property
    def other_law_exact(self) -> dict[Any, Fraction]:
        """Each output's probability in the second world, where all are rational."""
        return {row.output: fraction(row.other) for row in self._exactly().rows}

    def _exactly(self) -> Table:
        if not self.is_exact:
            raise BadArgument("table", self.name, "has probabilities that are irrational or cut", "Read `law` and `other_law`")
        return self

    # the larger of both directions

    @cached_property
    def epsilon(self) -> Interval:
        """The exact pure epsilon of these two worlds."""
        return most(self.forward.epsilon, self.backward.epsilon)

    @cached_property
    def witness(self) -> Witness:
        """The output that attains epsilon."""
        ways = (("world", self.forward), ("other", self.backward))
        name, way = max(ways, key=lambda named: named[1].epsilon.lower)
        row = way.attained()
        p, q = (interval(row.weight), interval(row.other))
        ratio = interval(row.weight / row.other) if not vanishes(row.other) else Interval(float("inf"), float("inf"))
        return Witness(row.output, name, p, q, ratio)

    def delta(self, epsilon: object = None, *, odds: object = None) -> Interval:
        """The least delta for which these worlds are (epsilon, delta)-close."""
        return most(self.forward.delta(epsilon, odds=odds), self.backward.delta(epsilon, odds=odds))

    def probabilistic(self, epsilon: object = None, *, odds: object = None) -> Interval:
        """The least delta of *probabilistic* privacy, P[L >= epsilon] <= delta: never below `delta(epsilon)`, often far above."""
        return most(self.forward.tail(epsilon, odds=odds), self.backward.tail(epsilon, odds=odds))

    def renyi(self, order: object) -> Interval:
        """The larger Renyi divergence of both directions."""
        return most(self.forward.renyi(order), self.backward.renyi(order))

    @property
    def total_variation(self) -> Interval:
        """The largest difference in the probability of any event."""
        return self.delta(0)
