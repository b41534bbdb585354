"""A mechanism with finitely many inputs and outputs as a table of exact rationals: its true e^epsilon, with a witness.

This is the definition of differential privacy computed without any theorem, and so what every theorem here is tested against.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import Any

from twoworlds.exact.inputs import Call
from twoworlds.exact.oneway import Row, level
from twoworlds.exact.table import Table
from twoworlds.exact.tabulate import CUT, laws
from twoworlds.exact.weights import fraction, is_exact, precision, rational, vanishes
from twoworlds.worlds.cards import Card
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.neighbours import Neighbours
from twoworlds.worlds.rationals import probability

__all__ = ["FiniteMechanism", "Law", "Odds", "law_of_outputs"]

Law = Mapping[Hashable, Fraction]
"""An output's probability, exactly; outputs that are missing have none."""

Pairs = Iterable[tuple[Hashable, Hashable]] | Neighbours | Callable[[Any, Any], bool] | None


@dataclass(frozen=True)
class Odds:
    """The largest ratio of an output's probabilities in two neighbouring worlds, e^epsilon; None where it is infinite.

    The witness: `output` is that many times as likely under `world` as under `other`.
    """

    value: Fraction | None
    world: Any = None
    other: Any = None
    output: Any = None


@dataclass(frozen=True, eq=False)
class FiniteMechanism:
    """The law of the output for each input, and which inputs are neighbours (in both orders)."""

    laws: Mapping[Hashable, Law]
    pairs: tuple[tuple[Hashable, Hashable], ...]

    @staticmethod
    def of(laws: Mapping[Any, Mapping[Any, object]], neighbours: Pairs = None) -> FiniteMechanism:
        """From a table of probabilities, which must add up to 1 exactly.

        Neighbours are pairs of inputs, a relation, a function that decides, or (left out) all pairs: local privacy.
        """
        if not isinstance(laws, Mapping) or not laws:
            raise BadArgument("laws", laws, "is not a table", "Give {input: {output: probability}}")
        table = {world: law_of_outputs(law, f"laws[{world!r}]") for world, law in laws.items()}
        return FiniteMechanism(table, _pairs(list(table), neighbours))

    @staticmethod
    def of_card(card: Card, worlds: Iterable[Any], /, *values: Any, grid: object = 1, **public: Any) -> FiniteMechanism:
        """A card on these worlds, where its output laws are finite and rational."""
        call = Call.of(card, values, public, grid=grid, cut=CUT, neighbours=None)
        named = {_hashable(world): call.world(world, "worlds") for world in worlds}
        found = laws(call, list(named.values()))
        table: dict[Hashable, dict[Hashable, Fraction]] = {}
        for i, name in enumerate(named):
            weights = {row.output: row.weights[i] for row in found.rows if not vanishes(row.weights[i])}
            if not all(is_exact(weight) for weight in weights.values()) or not vanishes(found.lost[i]):
                raise BadArgument("card", card.name, "has probabilities that are not rational", "Use tabulate for its intervals")
            table[name] = {output: fraction(weight) for output, weight in weights.items()}
        names = list(named)
        joined = [(a, b) for a, b in permutations(names, 2) if call.relation.steps(named[a], named[b], call.public) == 1]
        return FiniteMechanism(table, tuple(joined))

    @cached_property
    def outputs(self) -> tuple[Hashable, ...]:
        return tuple(dict.fromkeys(output for law in self.laws.values() for output in law))

    @cached_property
    def odds(self) -> Odds:
        """The least e^epsilon for which the mechanism is epsilon-private, with a witness."""
        best = Odds(Fraction(1))
        for world, other in self.pairs:
            there = self.laws[other]
            for output, mass in self.laws[world].items():
                against = there.get(output, Fraction(0))
                if mass and not against:
                    return Odds(None, world, other, output)
                if mass and best.value is not None and mass > best.value * against:
                    best = Odds(mass / against, world, other, output)
        return best

    @property
    def epsilon(self) -> Interval:
        """The exact pure epsilon over all neighbours."""
        if self.odds.value is None:
            return Interval(float("inf"), float("inf"))
        return self.between(self.odds.world, self.odds.other).forward.epsilon if self.odds.value > 1 else Interval(0.0, 0.0)

    def delta_exact(self, odds: object) -> Fraction:
        """The least delta at epsilon = ln(odds), exactly; infinite odds give the mass that betrays its world."""
        growth = level(odds=odds).odds
        worst = Fraction(0)
        for world, other in self.pairs:
            there = self.laws[other]
            excess = Fraction(0)
            for output, mass in self.laws[world].items():
                against = there.get(output, Fraction(0))
                excess += (mass if not against else 0) if growth is None else max(Fraction(0), mass - fraction(growth) * against)
            worst = max(worst, excess)
        return worst

    def delta(self, epsilon: object = None, *, odds: object = None) -> Interval:
        """The least delta at this epsilon over all neighbours."""
        found = [self.between(world, other).forward.delta(epsilon, odds=odds) for world, other in self.pairs]
        return Interval(max((one.lower for one in found), default=0.0), max((one.upper for one in found), default=0.0))

    def between(self, world: Hashable, other: Hashable) -> Table:
        """Everything about two of its worlds."""
        for name in (world, other):
            if name not in self.laws:
                raise BadArgument("world", name, "is no input of this mechanism", f"It has {len(self.laws)} inputs")
        first, second = self.laws[world], self.laws[other]
        none = Fraction(0)
        with precision():
            rows = [
                Row(output, rational(first.get(output, none)), rational(second.get(output, none)))
                for output in dict.fromkeys([*first, *second])
                if first.get(output) or second.get(output)
            ]
        return Table(tuple(rows), rational(0), rational(0), "finite mechanism")


def law_of_outputs(law: Mapping[Any, object], argument: str) -> dict[Hashable, Fraction]:
    """A law checked: probabilities that add up to 1, impossible outputs left out."""
    if not isinstance(law, Mapping):
        raise BadArgument(argument, law, "is not a law", "Give {output: probability}")
    exacts = {output: probability(mass, argument) for output, mass in law.items()}
    total = sum(exacts.values(), Fraction(0))
    if total != 1:
        raise BadArgument(
            argument, str(total), "is what the probabilities add up to", "Make them add up to 1 exactly, like '1/3'"
        )
    return {output: mass for output, mass in exacts.items() if mass}


def _pairs(worlds: list[Hashable], neighbours: Pairs) -> tuple[tuple[Hashable, Hashable], ...]:
    if neighbours is None:
        return tuple(permutations(worlds, 2))
    if isinstance(neighbours, Neighbours):
        return tuple((a, b) for a, b in permutations(worlds, 2) if neighbours.steps(a, b) == 1)
    if callable(neighbours):
        return tuple((a, b) for a, b in permutations(worlds, 2) if neighbours(a, b))
    found: dict[tuple[Hashable, Hashable], None] = {}
    for one, other in neighbours:
        for name in (one, other):
            if name not in worlds:
                raise BadArgument("neighbours", (one, other), "names an input without a law", "Pair inputs of the table")
        found[one, other] = found[other, one] = None
    return tuple(found)


def _hashable(value: Any) -> Any:
    return tuple(_hashable(entry) for entry in value) if isinstance(value, list | tuple) else value
