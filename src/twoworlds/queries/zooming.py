"""Zoom levels: one table counted by city, by region and by country, for one price, and the levels add up.

Every level is asked with an equal part of the price. A country is then known twice, by its own noisy number and by the sum of its
regions; both are weighed by how sure they are, from the cities upwards, and what a level gained is handed down again. On a tree
that is the least-squares estimate (Hay, Rastogi, Miklau and Suciu 2010, section 4; here with any number of children and any
variances): no level is less sure than alone, and the finer always add up to the coarser.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

from twoworlds.losses.prices import Dialect
from twoworlds.queries.aggregates import Asked
from twoworlds.queries.answers import Answer
from twoworlds.queries.expressions import elaborated, settled
from twoworlds.queries.groups import Groups, Rows
from twoworlds.queries.plan import Call, Constant, Expression, Key, Value
from twoworlds.queries.pricing import Offer
from twoworlds.queries.questions import Question
from twoworlds.queries.searching import too_dear
from twoworlds.queries.shapes import finite_values
from twoworlds.queries.slices import divided
from twoworlds.worlds.errors import BadArgument, Exhausted
from twoworlds.worlds.events import Composed

__all__ = ["Level", "Zoom", "Zoomed", "consistent"]

Names = Mapping[Value, Value]
ADDITIVE = ("count", "sum")


@dataclass(frozen=True)
class Level:
    """One level of the answer: for each name its number, and how far it may be off with 95 %."""

    name: str
    numbers: Mapping[Value, float]
    within: Mapping[Value, float]


@dataclass(frozen=True)
class Zoomed:
    """The consistent levels, finest first, with the answers that they were made from."""

    levels: tuple[Level, ...]
    parents: tuple[Names, ...]
    answers: tuple[Answer, ...]

    def __getitem__(self, name: str) -> Level:
        for level in self.levels:
            if level.name == name:
                return level
        raise BadArgument("level", name, "is no level", f"Choose from {', '.join(level.name for level in self.levels)}")

    def rows(self, name: str) -> list[dict[str, Any]]:
        """One record for each name of a level."""
        level = self[name]
        return [{name: key, "value": number, "within": level.within[key]} for key, number in level.numbers.items()]

    def __repr__(self) -> str:
        top = self.levels[-1]
        lines = [line for key in top.numbers for line in self._lines(len(self.levels) - 1, key)]
        return "\n".join([*lines, "", "± is for noise, 95 %; every number is the sum of those below it"])

    def _lines(self, place: int, key: Value) -> list[str]:
        level, depth = self.levels[place], len(self.levels) - 1 - place
        shown = f"{'  ' * depth}{'NULL' if key is None else key}"
        lines = [f"{shown:24} {level.numbers[key]:>14,.1f} ± {level.within[key]:,.1f}"]
        if place:
            below = [child for child in self.levels[place - 1].numbers if self.parents[place - 1].get(child) == key]
            lines += [line for child in below for line in self._lines(place - 1, child)]
        return lines


@dataclass(frozen=True)
class Zoom:
    """A table by a key with public values, and what they belong to, level by level."""

    rows: Rows
    key: Key
    coarser: Mapping[str, Names]

    def agg(self, asked: Asked) -> ZoomQuestion:
        """The number that is wanted at every level: a count or a sum, which add up."""
        if asked.kind not in ADDITIVE:
            raise BadArgument("aggregate", asked.name, "does not add up over levels", "Ask for count() or sum(...)")
        return ZoomQuestion(self, asked)

    @property
    def values(self) -> tuple[tuple[Value, ...], ...]:
        """The names of each level; what belongs to nothing that is named belongs to the unknown one."""
        shape = settled(elaborated(self.key.expression, self.rows.known.schema))[1]
        listed = self.key.values or (finite_values(shape) if shape.type in ("text", "integer", "boolean") else None)
        if listed is None:
            raise BadArgument("by", self.key.name, "has values that are not public", "Declare its values in privacy.toml")
        levels: list[tuple[Value, ...]] = [(*(one for one in listed if not isinstance(one, float) and one is not None), None)]
        for names in self.coarser.values():
            unknown = [one for one in names if one not in levels[-1]]
            if unknown:
                raise BadArgument("levels", unknown[0], "is no name of the level below", "Map every finer name to a coarser one")
            levels.append((*dict.fromkeys(one for one in names.values() if one is not None), None))
        return tuple(levels)

    @property
    def parents(self) -> tuple[Names, ...]:
        """For each level but the last, what its names belong to."""
        return tuple(
            {one: names.get(one) for one in level} for level, names in zip(self.values, self.coarser.values(), strict=False)
        )

    @property
    def by_level(self) -> list[Key]:
        """The key of each level, by the finest names of which each is made."""
        made = [replace(self.key, values=self.values[0])]
        reached: dict[Value, Value] = {one: one for one in self.values[0]}
        for (name, names), values in zip(self.coarser.items(), self.values[1:], strict=True):
            reached = {one: names.get(above) for one, above in reached.items()}
            made.append(Key(name, _named(self.key.expression, reached, values), values))
        return made


def _named(expression: Expression, reached: Names, values: Sequence[Value]) -> Expression:
    """What a value belongs to: CASE WHEN city IN (...) THEN 'North' ..."""
    parts: list[Expression] = []
    for value in values:
        finer = [Constant(one) for one, above in reached.items() if above == value and one is not None]
        if value is not None and finer:
            parts += [Call("in", (expression, *finer)), Constant(value)]
    return Call("case", (*parts, Constant(None)))


@dataclass(frozen=True)
class ZoomQuestion:
    """A count or a sum at every level; priced and released as one."""

    zoom: Zoom
    asked: Asked

    @property
    def questions(self) -> list[Question]:
        """The question of each level."""
        return [Groups(self.zoom.rows, (key,)).agg(value=self.asked) for key in self.zoom.by_level]

    def offers(self, epsilon: object) -> list[Offer]:
        """Each level with its part of the price."""
        questions = self.questions
        part = divided(questions, epsilon)
        return [question.offer(epsilon=part) for question in questions]

    def release(self, *, epsilon: object, idempotency: str | None = None) -> Zoomed:
        """All levels, charged once, made consistent."""
        offers, session = self.offers(epsilon), self.zoom.rows.session
        event = Composed(tuple(offer.event for offer in offers))
        try:
            answers = session.answers(offers, event, _summed(offers), idempotency=idempotency)
        except Exhausted as refused:
            population = self.zoom.rows.known.table.population
            raise too_dear(refused, session.affords(population, lambda one: _summed(self.offers(one)))) from None
        return zoomed(self.zoom, answers)


def _summed(offers: Sequence[Offer]) -> Dialect:
    """The price of all."""
    total: Dialect = offers[0].price
    for offer in offers[1:]:
        total = total + offer.price
    return type(total)(**total.at())


def zoomed(zoom: Zoom, answers: Sequence[Answer]) -> Zoomed:
    """The levels of released answers, made consistent."""
    names = [key.name for key in zoom.by_level]
    noisy = [{row[name].value: row["value"].value for row in answer.cells} for name, answer in zip(names, answers, strict=True)]
    spread = [answer.offer.steps[0].within(_ONE) * float(answer.offer.unit(0)) for answer in answers]
    numbers, variances = consistent(noisy, [sigma**2 for sigma in spread], zoom.parents)
    levels = [
        Level(name, found, {key: _REACH * math.sqrt(variances[place][key]) for key in found})
        for place, (name, found) in enumerate(zip(names, numbers, strict=True))
    ]
    return Zoomed(tuple(levels), zoom.parents, tuple(answers))


_ONE = 2 * NormalDist().cdf(1) - 1
_REACH = NormalDist().inv_cdf(0.975)


def consistent(
    noisy: Sequence[Mapping[Value, float]], variances: Sequence[float], parents: Sequence[Names]
) -> tuple[list[dict[Value, float]], list[dict[Value, float]]]:
    """The least-squares numbers of every level, finest first, and their variances."""
    best, spread = [dict(noisy[0])], [dict.fromkeys(noisy[0], variances[0])]
    for place, names in enumerate(parents, 1):
        above: dict[Value, float] = {}
        sure: dict[Value, float] = {}
        for name, own in noisy[place].items():
            below = [one for one in best[-1] if names[one] == name]
            added, loose = sum(best[-1][one] for one in below), sum(spread[-1][one] for one in below)
            weight = loose / (loose + variances[place]) if below else 1.0
            above[name] = weight * own + (1 - weight) * added if below else own
            sure[name] = weight * variances[place] if below else variances[place]
        best.append(above)
        spread.append(sure)
    for place in range(len(parents) - 1, -1, -1):
        for name, whole in best[place + 1].items():
            below = [one for one in best[place] if parents[place][one] == name]
            loose = sum(spread[place][one] for one in below)
            missing = whole - sum(best[place][one] for one in below)
            for one in below:
                own = spread[place][one]
                best[place][one] += missing * own / loose
                spread[place][one] = own - own**2 / loose + (own / loose) ** 2 * spread[place + 1][name]
    return best, spread
