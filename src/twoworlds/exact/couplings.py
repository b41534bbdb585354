"""Approximate couplings of finite laws: decide whether one exists, build its two witnesses, check its three clauses.

An (epsilon, delta)-coupling of a law over A and a law over B for a relation S is a pair of laws, left and right, over A x B with

    1. the left marginal of `left` is the first law, the right marginal of `right` is the second;
    2. both put mass on pairs in S only;
    3. left(E) - e^epsilon right(E) and right(E) - e^epsilon left(E) are at most delta for every set E of pairs

(Barthe, Koepf, Olmedo and Zanella 2012; Barthe and Olmedo 2013: the definition with two witnesses). For equality it is
(epsilon, delta)-privacy of the two worlds. Everything is exact; e^epsilon is given as rational odds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from twoworlds.exact.finite import Law, law_of_outputs
from twoworlds.exact.simplex import minimise
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import exact, probability

__all__ = ["Coupling", "check", "couple", "obstacle"]

Pair = tuple[Hashable, Hashable]
Relation = Iterable[Pair] | Callable[[Any, Any], bool] | None
"""Pairs, a function that decides, or None: equality."""


@dataclass(frozen=True)
class Coupling:
    """The two witnesses, and the least delta that they or any others attain at these odds."""

    left: Mapping[Pair, Fraction]
    right: Mapping[Pair, Fraction]
    odds: Fraction
    delta: Fraction


def couple(law: Mapping[Any, object], other: Mapping[Any, object], *, odds: object, relation: Relation = None) -> Coupling | None:
    """The coupling of least delta at e^epsilon = odds, with its witnesses; None if S leaves some outcome without a partner."""
    first, second, growth = law_of_outputs(law, "law"), law_of_outputs(other, "other"), _odds(odds)
    pairs = _pairs(first, second, relation)
    if {a for a, _ in pairs}.issuperset(first) and {b for _, b in pairs}.issuperset(second):
        return _solved(first, second, pairs, growth)
    return None


def _solved(first: Law, second: Law, pairs: list[Pair], growth: Fraction) -> Coupling:
    """The linear program: each pair carries multiples of (odds, 1) and of (1, odds); what is left over is the excess.

    The cone of those two generators holds exactly the (left, right) with left <= odds * right and right <= odds * left.
    """
    columns: list[tuple[dict[Any, Fraction], Any]] = []
    for a, b in pairs:
        columns.append(({("left", a): growth, ("right", b): Fraction(1)}, (a, b)))
        columns.append(({("left", a): Fraction(1), ("right", b): growth}, (a, b)))
    columns += [({("left", a): Fraction(1), "over left": Fraction(1)}, a) for a in first]
    columns += [({("right", b): Fraction(1), "over right": Fraction(1)}, b) for b in second]
    columns += [({"over left": Fraction(1)}, None), ({"over right": Fraction(1)}, None)]  # what the excess falls short of delta
    columns.append(({"over left": Fraction(-1), "over right": Fraction(-1)}, None))  # delta itself
    places = [("left", a) for a in _support(pairs, 0)] + [("right", b) for b in _support(pairs, 1)]
    names: list[Any] = [*places, "over left", "over right"]
    right = [(first if side == "left" else second).get(value, Fraction(0)) for side, value in places] + [Fraction(0)] * 2
    rows = [[column.get(name, Fraction(0)) for column, _ in columns] for name in names]
    cost = [Fraction(0)] * (len(columns) - 1) + [Fraction(1)]
    solution = minimise(cost, rows, right)
    assert solution is not None  # all mass as excess is feasible
    return _witnesses(solution, first, second, pairs, growth)


def _witnesses(
    solution: tuple[Fraction, list[Fraction]], first: Law, second: Law, pairs: list[Pair], growth: Fraction
) -> Coupling:
    delta, values = solution
    left = dict.fromkeys(pairs, Fraction(0))
    right = dict.fromkeys(pairs, Fraction(0))
    for i, pair in enumerate(pairs):
        down, up = values[2 * i], values[2 * i + 1]
        left[pair], right[pair] = growth * down + up, down + growth * up
    excess = iter(values[2 * len(pairs) :])
    for value, amount in zip(first, excess, strict=False):
        left[next(pair for pair in pairs if pair[0] == value)] += amount
    for value, amount in zip(second, excess, strict=False):
        right[next(pair for pair in pairs if pair[1] == value)] += amount
    return Coupling(
        {pair: mass for pair, mass in left.items() if mass}, {p: mass for p, mass in right.items() if mass}, growth, delta
    )


def check(
    coupling: Coupling,
    law: Mapping[Any, object],
    other: Mapping[Any, object],
    *,
    odds: object,
    delta: object,
    relation: Relation = None,
) -> None:
    """Raise `BadArgument` unless the witnesses satisfy the three clauses of the definition, exactly."""
    first, second, growth, slack = (
        law_of_outputs(law, "law"),
        law_of_outputs(other, "other"),
        _odds(odds),
        probability(delta, "delta"),
    )
    inside = _inside(first, second, relation)
    for name, witness, place, wanted in (("left", coupling.left, 0, first), ("right", coupling.right, 1, second)):
        for pair, mass in witness.items():
            if exact(mass, name) < 0:
                raise BadArgument(name, str(mass), f"is negative, at {pair!r}", "A witness is a law: 0 or more everywhere")
            if mass and not inside(*pair):
                raise BadArgument(name, pair, "has mass but is not in the relation", "Put mass on related pairs only (clause 2)")
        sums: dict[Hashable, Fraction] = {}
        for pair, mass in witness.items():
            sums[pair[place]] = sums.get(pair[place], Fraction(0)) + mass
        for value in {**sums, **wanted}:
            got, want = sums.get(value, Fraction(0)), wanted.get(value, Fraction(0))
            if got != want:
                why = f"has marginal {got} at {value!r}, where the law has {want}"
                raise BadArgument(name, "...", why, f"Make its {name} marginal the law (clause 1)")
    for name, one, against in (("left", coupling.left, coupling.right), ("right", coupling.right, coupling.left)):
        excess = sum(
            (max(Fraction(0), mass - growth * against.get(pair, Fraction(0))) for pair, mass in one.items()), Fraction(0)
        )
        if excess > slack:
            why = f"exceeds odds times the other witness by {excess} on some event, more than delta = {slack}"
            raise BadArgument(name, "...", why, f"Allow delta = {excess}, or larger odds (clause 3)")


def obstacle(
    law: Mapping[Any, object], other: Mapping[Any, object], *, odds: object, relation: Relation = None
) -> tuple[Fraction, frozenset[Any]]:
    """The largest law(X) - odds * other(S(X)) over events X, and an X that attains it: no coupling has a smaller delta.

    By max-flow and min-cut, exactly: Strassen's theorem for approximate liftings (Barthe, Espitau, Hsu, Sato and Strub 2017).
    """
    first, second, growth = law_of_outputs(law, "law"), law_of_outputs(other, "other"), _odds(odds)
    flow = _Flow()
    for a, mass in first.items():
        flow.add("source", ("left", a), mass)
    for b, mass in second.items():
        flow.add(("right", b), "sink", growth * mass)
    for a, b in _pairs(first, second, relation):
        flow.add(("left", a), ("right", b), Fraction(2) * growth)
    reached = flow.run()
    event = frozenset(a for a in first if ("left", a) in reached)
    inside = _inside(first, second, relation)
    image = sum((mass for b, mass in second.items() if any(inside(a, b) for a in event)), Fraction(0))
    return sum((first[a] for a in event), Fraction(0)) - growth * image, event


class _Flow:
    """A network with rational capacities; augmented along shortest paths (Edmonds and Karp 1972)."""

    def __init__(self) -> None:
        self.left: dict[Any, dict[Any, Fraction]] = {"source": {}, "sink": {}}

    def add(self, start: Any, end: Any, capacity: Fraction) -> None:
        self.left.setdefault(start, {})[end] = capacity
        self.left.setdefault(end, {}).setdefault(start, Fraction(0))

    def run(self) -> set[Any]:
        """Saturate the network; the source's side of a smallest cut."""
        while True:
            came = self._reach()
            if "sink" not in came:
                return set(came)
            path = ["sink"]
            while path[-1] != "source":
                path.append(came[path[-1]])
            edges = [(start, end) for end, start in pairwise(path)]
            amount = min(self.left[start][end] for start, end in edges)
            for start, end in edges:
                self.left[start][end] -= amount
                self.left[end][start] += amount

    def _reach(self) -> dict[Any, Any]:
        came: dict[Any, Any] = {"source": None}
        waiting = deque(["source"])
        while waiting:
            start = waiting.popleft()
            for end, capacity in self.left[start].items():
                if capacity > 0 and end not in came:
                    came[end] = start
                    waiting.append(end)
        return came


def _odds(odds: object) -> Fraction:
    growth = exact(odds, "odds")
    if growth < 1:
        raise BadArgument("odds", odds, "are below 1", "Odds are e^epsilon: 1 or more")
    return growth


def _pairs(first: Law, second: Law, relation: Relation) -> list[Pair]:
    """The related pairs of outcomes that could carry mass."""
    if relation is None:
        return [(value, value) for value in dict.fromkeys([*first, *second])]
    if callable(relation):
        return [(a, b) for a in first for b in second if relation(a, b)]
    return list(dict.fromkeys((a, b) for a, b in relation))


def _inside(first: Law, second: Law, relation: Relation) -> Callable[[Any, Any], bool]:
    if relation is None:
        return lambda a, b: bool(a == b)
    if callable(relation):
        return relation
    known = set(_pairs(first, second, relation))
    return lambda a, b: (a, b) in known


def _support(pairs: list[Pair], place: int) -> list[Hashable]:
    return list(dict.fromkeys(pair[place] for pair in pairs))
