"""Neighbouring inputs that are tried: short lists of telling numbers, with parameters that fit. Nothing is drawn at random."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.proofs.functions.reading import Function
from twoworlds.proofs.functions.tables import here, is_table
from twoworlds.proofs.trials import Numbers
from twoworlds.source.program import Call, For, Item, Literal, Name, walk
from twoworlds.worlds.errors import TwoWorldsError
from twoworlds.worlds.neighbours import L2, AddRemove, Edit, Local, Monotone, Number, One, Replace

__all__ = ["Worlds", "pairs"]

_FAR = (Fraction(1000), Fraction(-1000))


@dataclass(frozen=True)
class Worlds:
    """Two neighbouring inputs with the public parameters; `slots` are both as the straightened program takes them."""

    one: Any
    two: Any
    public: Mapping[str, Any]
    unit: Fraction
    slots: tuple[Mapping[str, Any], Mapping[str, Any]]
    ghosts: Mapping[str, Any]


def pairs(function: Function, count: int) -> Iterator[Worlds]:
    """Up to this many pairs; parameters for which the relation has no bound are left out."""
    found = 0
    for start in range(3 * count):
        try:
            made = _Maker(function, Numbers(start), start).pair()
        except (TwoWorldsError, ArithmeticError, ValueError):
            continue
        if made is not None:
            yield made
            found += 1
        if found == count:
            return


class _Maker:
    def __init__(self, function: Function, numbers: Numbers, start: int) -> None:
        assert function.program is not None and function.stated is not None
        self.program, self.numbers, self.start = function.program, numbers, start
        self.relation = function.stated.neighbours
        self.telling = [
            part.value for part in walk(self.program.body) if isinstance(part, Literal) and isinstance(part.value, Fraction)
        ]

    def public(self) -> dict[str, Any]:
        """Small numbers in rising order (bounds are often written low before high); lists where a list is read."""
        names = [name for name in self.program.parameters if name != self.relation.parameter]
        sequences = [node.sequence for node in walk(self.program.body) if isinstance(node, Item | For)]
        lists = {sequence.name for sequence in sequences if isinstance(sequence, Name)}
        calls = [node for node in walk(self.program.body) if isinstance(node, Call) and node.function in ("len", "sum")]
        lists |= {part.name for node in calls for part in node.arguments if isinstance(part, Name)}
        values: dict[str, Any] = {}
        at = Fraction(self.numbers.choice((-3, -1, 0, 0, 1)))
        for name in names:
            if name in lists:
                values[name] = tuple(sorted(Fraction(self.numbers.integer(-2, 4)) for _ in range(self.numbers.integer(1, 4))))
            else:
                at += self.numbers.choice((1, 1, 2, 3)) if self.start % 5 else self.numbers.choice((1, 0, -1))
                values[name] = at
        return values

    def entry(self, public: Mapping[str, Any]) -> Fraction:
        given = [value for value in public.values() if isinstance(value, Fraction)]
        given += [entry for value in public.values() if isinstance(value, tuple) for entry in value]
        near = [value + step for value in (*given, *self.telling) for step in (0, 1, -1)]
        options: list[Fraction] = [*near, Fraction(0), Fraction(1), Fraction(-1), *(_FAR if self.start % 3 == 0 else ())]
        return self.numbers.choice(options)

    def pair(self) -> Worlds | None:
        public = self.public()
        relation, name = self.relation, self.relation.parameter
        inner: Any = getattr(relation, "relation", relation)
        if isinstance(inner, Local):
            values = relation.values if isinstance(relation, Local) and relation.values else None
            one, two = (
                (self.numbers.choice(values), self.numbers.choice(values)) if values else (self.entry(public), self.entry(public))
            )
            if isinstance(one, list | tuple) or isinstance(two, list | tuple):
                return None
            return Worlds(one, two, public, Fraction(0), ({name: Fraction(one)}, {name: Fraction(two)}), {})
        if is_table(inner):
            return self.rows(public, inner)
        length = self.numbers.integer(0, 5)
        world: Any = self.entry(public) if isinstance(inner, Number) else [self.entry(public) for _ in range(length)]
        unit = relation.bound({**public, name: world})
        other = relation.neighbour(self.numbers, world, {**public, name: world})
        if isinstance(inner, Number):
            return Worlds(world, other, public, unit, ({name: world}, {name: other}), {})
        moves = [b - a for a, b in zip(world, other, strict=True)]
        power = 2 if isinstance(inner, L2) else 1
        moved = tuple(sum((abs(move) ** power for move in moves[:at]), Fraction(0)) for at in range(len(moves) + 1))
        ghosts: dict[str, Any] = {"$moved": moved}
        if isinstance(inner, One):
            ghosts["$at"] = _first(moves)
        if isinstance(relation, Monotone):
            ghosts["$up"] = all(move >= 0 for move in moves)
        return Worlds(world, other, public, unit, ({name: tuple(world)}, {name: tuple(other)}), ghosts)

    def rows(self, public: Mapping[str, Any], relation: Any) -> Worlds:
        """Slots that both worlds share, but for one."""
        name = relation.parameter
        rows = [self.entry(public) for _ in range(self.numbers.integer(1, 6))]
        at = self.numbers.integer(0, len(rows) - 1)
        others = list(rows)
        there = [[Fraction(1)] * len(rows) for _ in (0, 1)]
        if isinstance(relation, Replace | Edit):
            others[at] = self.entry(public)
        if isinstance(relation, AddRemove | Edit):
            missing = self.numbers.choice((0, 1) if isinstance(relation, AddRemove) else (0, 1, 2))
            if missing < 2:
                there[missing][at] = Fraction(0)
        slots: list[dict[str, Any]] = [{name: tuple(rows)}, {name: tuple(others)}]
        lists = [rows, others]
        if isinstance(relation, AddRemove | Edit):
            lists = [
                [row for row, is_there in zip(world, present, strict=True) if is_there]
                for world, present in zip(lists, there, strict=True)
            ]
            for world, present in zip(slots, there, strict=True):
                world[here(name)] = tuple(present)
        return Worlds(lists[0], lists[1], public, Fraction(1), (slots[0], slots[1]), {"$at": Fraction(at)})


def _first(moves: list[Fraction]) -> Fraction:
    """Where the first entry moves."""
    return Fraction(next((at for at, move in enumerate(moves) if move), 0))
