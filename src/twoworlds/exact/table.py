"""A mechanism tabulated: its output law in two worlds, and everything that can be told from it, as certified intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from twoworlds.exact import decisions
from twoworlds.exact.alike import Alike
from twoworlds.exact.decisions import Test, Vertex
from twoworlds.exact.oneway import OneWay, Row, most
from twoworlds.exact.weights import (
    Weight,
    between,
    fraction,
    interval,
    is_exact,
    likelihood,
    lower,
    precision,
    rational,
    share,
    unit,
    upper,
    vanishes,
)
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import probability

if TYPE_CHECKING:
    from twoworlds.losses.loss import Loss

__all__ = ["Row", "Table", "Witness"]

_SHOWN = 12
_MOST_LISTED = 200_000


@dataclass(frozen=True)
class Witness:
    """An output that is `ratio` times as likely in one world as in the other."""

    output: Any
    likelier_in: str
    probability: Interval
    other_probability: Interval
    ratio: Interval
    exact: Fraction | None = None


@dataclass(frozen=True)
class Table(OneWay):
    """One row for each output of either world; `lost` and `other_lost` are masses whose outputs are not known.

    Quantities are the larger of both directions; `forward` and `backward` give each.
    """

    name: str = "mechanism"

    @cached_property
    def forward(self) -> OneWay:
        """The first world against the second."""
        return OneWay(self.rows, self.lost, self.other_lost)

    @cached_property
    def count(self) -> int:
        """How many outputs there are, or sets of outputs: a row may stand for many that are equally likely."""
        return sum(row.output.count if isinstance(row.output, Alike) else 1 for row in self.rows)

    @cached_property
    def outputs(self) -> tuple[Any, ...]:
        return tuple(row.output for row in self._each())

    @cached_property
    def law(self) -> dict[Any, Interval]:
        """Each output's probability in the first world."""
        return {row.output: unit(row.weight, row.weight + self.lost) for row in self._each()}

    @cached_property
    def other_law(self) -> dict[Any, Interval]:
        """Each output's probability in the second world."""
        return {row.output: unit(row.other, row.other + self.other_lost) for row in self._each()}

    @cached_property
    def shares(self) -> tuple[tuple[Any, Interval, Interval], ...]:
        """Each row's output, or outputs, with their probability in both worlds, all together."""
        return tuple(
            (row.output, unit(row.weight, row.weight + self.lost), unit(row.other, row.other + self.other_lost))
            for row in self.rows
        )

    def find(self, output: Any) -> Row:
        """The row of one output, by itself."""
        for row in self.rows:
            if row.output == output or (isinstance(row.output, Alike) and output in row.output):
                return _by_itself(row, output)
        raise BadArgument("output", output, "happens in neither world", "Give one of `outputs`")

    def _each(self) -> Iterator[Row]:
        """One row for each output; those that are equally likely share their weights."""
        if self.count > _MOST_LISTED:
            why = f"has {self.count:,} outputs, too many to list"
            raise BadArgument("table", self.name, why, "Read `rows`, each of which counts equally likely ones, or `find` one")
        for row in self.rows:
            if not isinstance(row.output, Alike):
                yield row
                continue
            alone = _by_itself(row, None)
            for output in row.output:
                yield alone._replace(output=output)

    # exactly

    @cached_property
    def is_exact(self) -> bool:
        """Whether every probability is a known rational."""
        known = all(is_exact(row.weight) and is_exact(row.other) and row.even for row in self.rows)
        return known and vanishes(self.lost) and vanishes(self.other_lost)

    @cached_property
    def law_exact(self) -> dict[Any, Fraction]:
        """Each output's probability in the first world, where all are rational."""
        return {row.output: fraction(row.weight) for row in self._exactly()._each()}

    @cached_property
    def other_law_exact(self) -> dict[Any, Fraction]:
        """Each output's probability in the second world, where all are rational."""
        return {row.output: fraction(row.other) for row in self._exactly()._each()}

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
        """The output that attains epsilon; `exact` is e^epsilon as a rational, where it is one."""
        ways: tuple[tuple[str, OneWay], ...] = (("world", self.forward), ("other", self.backward))
        name, way = max(ways, key=lambda named: named[1].epsilon.lower)
        row = way.attained()
        row = _by_itself(row, row.output.example) if isinstance(row.output, Alike) else row
        with precision():
            ratio = likelihood(row.weight, row.other)
            known = fraction(ratio) if self.is_exact and is_exact(ratio) else None
            return Witness(row.output, name, unit(row.weight), unit(row.other), interval(ratio), known)

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

    def as_loss(self) -> Loss:
        """The price of these two worlds, to compose and convert: attained by them, and only as general as they are."""
        from twoworlds.losses.discrete import Finite  # noqa: PLC0415  a table alone needs no accountant
        from twoworlds.losses.loss import Loss  # noqa: PLC0415  a table alone needs no accountant

        with precision():
            atoms = [atom for row in self.rows for atom in _atoms(row)]
            if not vanishes(self.lost + self.other_lost):
                atoms += _apart(self.lost, self.other_lost)
        pair = Finite.of(atoms)
        sharp = len(atoms) == len(self.rows)  # nothing had to be taken for worse than it may be
        attained = f"two worlds of {self.name}" if sharp else None
        return Loss(((pair, 1),), ((pair.reverse(), 1),), "", attained)

    # tests and guesses

    @cached_property
    def tradeoff(self) -> tuple[Vertex, ...]:
        """The corners of the trade-off curve of world against other: type I and type II errors of the best tests."""
        return decisions.tradeoff(self)

    def tradeoff_at(self, alpha: object) -> Interval:
        """The least type II error of any test of `world` against `other` with this type I error."""
        return decisions.tradeoff_at(self, alpha)

    def best_test(self, alpha: object = None, *, prior: object = None) -> Test:
        """Neyman and Pearson's test of type I error alpha, or the least mistaken test where `world` has this prior."""
        if (alpha is None) == (prior is None):
            raise BadArgument("alpha", alpha, "and prior are both given or both missing", "Give alpha=0.05, or prior=0.5")
        return decisions.best_test(self, alpha) if prior is None else decisions.bayes_test(self, prior)

    def posterior(self, prior: object) -> dict[Any, Interval]:
        """For each output, the probability that the truth is `world`, given the prior probability of that."""
        first = rational(probability(prior, "prior"))
        with precision():
            found = {}
            for row in self._each():
                one, rest = first * (row.weight + between(self.lost)), (1 - first) * (row.other + between(self.other_lost))
                found[row.output] = unit(share(one, rest)) if self.speaks_for_each(row) else Interval(0.0, 1.0)
            return found

    def promised(self, prior: object) -> Interval:
        """The largest posterior that epsilon allows from this prior: prior odds times e^epsilon. Some output attains it."""
        first = rational(probability(prior, "prior"))
        with precision():
            low, high = (_after(first, end) for end in (self.epsilon.lower, self.epsilon.upper))
            return unit(low, high)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.count:,} outputs, epsilon in {self.epsilon}, total variation in {self.total_variation}"]
        for row in self.rows[:_SHOWN]:
            lines.append(f"  {row.output!s:>24}  {float(unit(row.weight).upper):.6g}  {float(unit(row.other).upper):.6g}")
        if len(self.rows) > _SHOWN:
            lines.append(f"  ... and {len(self.rows) - _SHOWN} more")
        return "\n".join(lines)


def _by_itself(row: Row, output: Any) -> Row:
    """One of the outputs of a row, with its own share of the row's weights."""
    if not isinstance(row.output, Alike):
        return row
    number = row.output.count
    with precision():
        return Row(output, row.weight / number, row.other / number, row.even)


Mass = tuple[Fraction, Fraction]


def _bounds(weight: Weight) -> Mass:
    low, high = lower(weight), upper(weight)
    assert low is not None and high is not None  # probabilities are finite
    return max(low, Fraction(0)), max(high, Fraction(0))


def _atoms(row: Row) -> list[tuple[Mass, Mass]]:
    """An atom of the privacy loss; where the ratio is not constant or not bounded, as if the worlds shared nothing there."""
    p, q = _bounds(row.weight), _bounds(row.other)
    if row.even and ((p[0] > 0 and q[0] > 0) or p[1] == 0 or q[1] == 0):
        return [(p, q)]
    return _apart(row.weight, row.other)


def _apart(one: Weight, other: Weight) -> list[tuple[Mass, Mass]]:
    """Mass that the worlds share nothing of, at most this much: from it everything that may be there can be made."""
    none = (Fraction(0), Fraction(0))
    return [((_bounds(one)[1],) * 2, none), (none, (_bounds(other)[1],) * 2)]


def _after(prior: fmpq, epsilon: float) -> Weight:
    """The posterior after the prior odds have grown by e^epsilon."""
    if vanishes(prior) or epsilon == float("inf"):
        return fmpq(0) if vanishes(prior) else fmpq(1)
    return share(prior * arb(epsilon).exp(), 1 - prior)
