"""What the search knows of guesses of the whole output, and of lists that are followed entry by entry, at a point."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from twoworlds.proofs.entries import Entries, below, guarded
from twoworlds.proofs.guesses import AMONG, COUNT, Guess, settled
from twoworlds.proofs.kinds import Kinds, lists_of_truths
from twoworlds.source.program import Append, Assign, Expr, Item, Name, Program, Stmt, Store, While, walk

__all__ = ["EXIT", "Clause", "Foretelling", "Place", "Point"]

Place = tuple[str, Any]
EXIT: Place = ("exit", None)


@dataclass(frozen=True)
class Clause:
    """From facts, and what is known at places, follows the goal, or what is claimed at the head."""

    facts: tuple[Any, ...]
    known: tuple[tuple[Place, Mapping[str, Any]], ...]
    head: Place | None
    values: Mapping[str, Any]
    goal: Any = None
    why: str = ""


@dataclass(frozen=True)
class Point:
    env: Mapping[str, tuple[Any, Any]]
    facts: tuple[Any, ...] = ()
    known: tuple[tuple[Place, Mapping[str, Any]], ...] = ()

    def put(self, name: str, pair: tuple[Any, Any]) -> Point:
        return replace(self, env={**self.env, name: pair})

    def assume(self, *facts: Any) -> Point:
        return replace(self, facts=(*self.facts, *facts))

    def given(self, place: Place, values: Mapping[str, Any]) -> Point:
        return replace(self, known=(*self.known, (place, values)))


class Foretelling(ABC):
    """The part of the clauses that speaks of guesses and of lists that are followed."""

    z3: Any
    program: Program
    kinds: Kinds
    foretold: tuple[Guess, ...]
    probes: tuple[tuple[str, str], ...]
    axioms: list[Any]
    ghosts: dict[str, Any]
    count: int

    @abstractmethod
    def reading(self, expr: Expr, point: Point, run: int, built: list[tuple[Any, Any]]) -> Any:
        """The expression in one run."""

    @abstractmethod
    def values(self, expr: Expr, point: Point) -> tuple[Any, Any, Point]:
        """The expression in both runs, and what is known after it."""

    @abstractmethod
    def demand(self, point: Point, goal: Any, why: str) -> Point:
        """A goal, known from then on."""

    @abstractmethod
    def arrive(self, place: Place, point: Point, values: Mapping[str, Any] | None = None) -> None:
        """What is claimed at a place."""

    @abstractmethod
    def fresh(self, name: str) -> tuple[Any, Any]:
        """Any value in run 1 and any in run 2."""

    def ghost_entry(self, name: str, index: Any) -> Any:
        """What a ghost says of an index: whether it is among the guesses, how many are below it, what is guessed there."""
        if name == AMONG:
            return self.among(index)
        return self.counted(index) if name == COUNT else self.guess(next(one for one in self.foretold if one.name == name), index)

    def put_entry(self, name: str, index: tuple[Any, Any], value: tuple[Any, Any], point: Point) -> Point:
        one, two = point.env[f"$at.{name}"]
        return point.put(f"$at.{name}", (one.put(index[0], value[0]), two.put(index[1], value[1])))

    def stored(self, step: Store, index: tuple[Any, Any], point: Point) -> Point:
        """An entry takes the place of another, which must be there."""
        point = self.read_inside(Item(Name(step.target), step.index), point)
        one, two, point = self.values(step.value, point)
        return self.put_entry(step.target, index, (one, two), point)

    def among(self, number: Any) -> Any:
        return self.z3.Function(AMONG, self.z3.RealSort(), self.z3.BoolSort())(number)

    def guess(self, guess: Guess, index: Any) -> Any:
        """An entry of a list that is guessed: one of the guesses, if it is whole."""
        z3 = self.z3
        if not guess.whole:
            return z3.Function(guess.name, z3.RealSort(), z3.RealSort())(index)
        number = z3.ToReal(z3.Function(guess.name, z3.RealSort(), z3.IntSort())(index))
        self.axioms.append(z3.Implies(index >= 0, self.among(number)))
        return number

    def counted(self, index: Any) -> Any:
        """How many of the guesses are below an index."""
        z3, real = self.z3, self.z3.RealSort()
        count = z3.Function(COUNT, real, real)
        step = count(index + 1) == count(index) + z3.If(self.among(index), z3.RealVal(1), z3.RealVal(0))
        whole = [guess for guess in self.foretold if guess.whole]
        lengths = [self.ghosts[guess.length] if guess.of_list else z3.RealVal(1) for guess in whole]
        most = z3.Sum(z3.RealVal(0), *(z3.If(length <= 1, z3.RealVal(1), length) for length in lengths))
        self.axioms += [count(0) == 0, z3.Implies(index >= 0, z3.And(step, count(index) >= 0)), count(index) <= most]
        return count(index)

    def settle(self, rest: tuple[Stmt, ...], point: Point) -> Point:
        sure = settled(rest, self.program, self.kinds) if self.foretold else {}
        return point.assume(*(point.env[name][0] == self.ghosts[f"$o{at}"] for name, at in sure.items() if name in point.env))

    def written(self, loop: While, point: Point) -> list[str]:
        """The lists that are followed and that a loop changes."""
        changed = {node.target for node in walk(loop.body) if isinstance(node, Append | Assign | Store)}
        return [name for name in sorted(changed) if f"$at.{name}" in point.env]

    def begin(self, name: str, point: Point, length: Any) -> Point:
        """A list of which only its hint is known."""
        self.count += 1
        z3 = self.z3
        sort = z3.BoolSort() if name in lists_of_truths(self.program, self.kinds) else z3.RealSort()
        bases = (z3.Function(f"{name}!{self.count}.{run}", z3.RealSort(), sort) for run in (1, 2))
        one, two = (Entries(name, base, length) for base in bases)
        return point.put(f"$at.{name}", (one, two))

    def given_at(self, name: str, index: Any, point: Point) -> Point:
        """What is known of one entry."""
        one, two = point.env[f"$at.{name}"]
        inside = self.z3.And(index >= 0, below(index, one.length))
        cell = {"$at": index, "$one": one.base(index), "$two": two.base(index), "$in": inside, **self.ghosts}
        return point.given(("cell", one.name), cell)

    def probed(self, point: Point) -> Point:
        for name, index in self.probes:
            if f"$at.{name}" in point.env and index in point.env:
                for run in dict.fromkeys(point.env[index]):
                    point = self.given_at(name, run, point)
        return point

    def entries_hold(self, names: list[str], point: Point) -> None:
        """Every entry of these lists is as its hint says."""
        for name in names:
            at = self.fresh("$len.at")[0]
            one, two = point.env[f"$at.{name}"]
            inside = self.given_at(name, at, point).assume(at >= 0, below(at, point.env[f"$len.{name}"][0]))
            self.arrive(("cell", name), inside, {"$at": at, "$one": one.at(at), "$two": two.at(at), **self.ghosts})

    def read_inside(self, expr: Expr, point: Point) -> Point:
        """Entries are there where they are read, and are as their hint says."""
        for item, guards in guarded(expr):
            name = item.sequence.name if isinstance(item.sequence, Name) else ""
            if f"$at.{name}" not in point.env:
                continue
            within = []
            for run in (0, 1):
                index = self.reading(item.index, point, run, [])
                point = self.given_at(name, index, point)
                tests = [self.reading(test, point, run, []) for _, test in guards]
                asked = [test if wanted else self.z3.Not(test) for (wanted, _), test in zip(guards, tests, strict=True)]
                inside = self.z3.And(index >= 0, below(index, point.env[f"$len.{name}"][run]))
                within.append(self.z3.Implies(self.z3.And(*asked), inside))
            one, two = (self.reading(item.index, point, run, []) for run in (0, 1))
            fine = self.z3.And(*within)
            if one.eq(two):  # then it is there in both runs or in neither
                fine = self.z3.Or(fine, one >= 0)
            self.demand(point, fine, "the index is within the list")
            point = point if guards else point.assume(*within)
        return point

    def promised(self, step: Append, point: Point) -> Point:
        """What is appended to a list that is guessed is what the guess says, and there is room for it."""
        for guess in self.foretold:
            if guess.of_list == step.target:
                length = point.env[f"$len.{step.target}"][0]
                one, two, point = self.values(step.value, point)
                point = point.assume(one == self.guess(guess, length), length < self.ghosts[guess.length])
                point = self.demand(point, one == two, f"line {step.line}: both runs append the same")
        return point

    def whole_lengths(self, point: Point) -> Point:
        """At an exit, lists that are guessed are as long as the guess says."""
        known = [guess for guess in self.foretold if guess.of_list and f"$len.{guess.of_list}" in point.env]
        return point.assume(*(point.env[f"$len.{guess.of_list}"][0] == self.ghosts[guess.length] for guess in known))

    def leave_list(self, name: str, point: Point) -> None:
        """Both runs return the same list, unless it is known that they do."""
        if any(guess.of_list == name for guess in self.foretold):
            return
        if f"$at.{name}" in point.env:
            at, lists = self.fresh("$len.at")[0], point.env[f"$at.{name}"]
            known = self.given_at(name, at, point).assume(at >= 0, below(at, point.env[f"$len.{name}"][0]))
            self.demand(known, lists[0].at(at) == lists[1].at(at), "both runs return the same list")
            return
        place, pair = ("cell", name), self.fresh(name)
        cell = {"$at": self.fresh("$at")[0], "$one": pair[0], "$two": pair[1], **self.ghosts}
        self.demand(point.given(place, cell), pair[0] == pair[1], "both runs return the same list")
