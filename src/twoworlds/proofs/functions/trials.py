"""Both runs on worlds that are tried: how far outputs are apart, and what is seen at the heads of loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from twoworlds.proofs.functions.claims import Stated
from twoworlds.proofs.functions.worlds import Worlds
from twoworlds.source.interpreter import freeze, interpret
from twoworlds.source.program import Append, Assign, Break, If, Program, Return, Stmt, Store, While, walk
from twoworlds.source.values import evaluate, whole
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["CASE", "FAILURES", "Row", "apart", "far", "heads", "output"]

Row = dict[str, Any]
CASE = "$case"  # the number of the worlds in which a row was seen: public parameters are the same in all its rows
FAILURES = (TwoWorldsError, ArithmeticError, TypeError, ValueError, LookupError)
_MOST_STEPS = 20_000


def output(program: Program, arguments: Mapping[str, Any]) -> Any:
    """What the function gives, exactly."""

    def undrawn(_: int, __: object) -> Any:
        raise AssertionError("a function draws nothing")

    return interpret(program, arguments, undrawn)


def _numbers(value: Any) -> list[Any]:
    return [part for entry in value for part in _numbers(entry)] if isinstance(value, tuple) else [value]


def apart(stated: Stated, one: Any, two: Any) -> Fraction | None:
    """How far two outputs are apart in the claim's measure, squared for L2; None where no number says it."""
    first, second = _numbers(freeze(one)), _numbers(freeze(two))
    if stated.metric == "discrete":
        return Fraction(first != second)
    if len(first) != len(second) or any(value is None or isinstance(value, str) for value in (*first, *second)):
        return None if first != second else Fraction(0)
    moves = [abs(Fraction(b) - Fraction(a)) for a, b in zip(first, second, strict=True)]
    if stated.metric == "Linf":
        return max(moves, default=Fraction(0))
    return sum((move**2 if stated.metric == "L2" else move for move in moves), Fraction(0))


def far(program: Program, stated: Stated, worlds: Worlds) -> tuple[Any, Any, Fraction | None]:
    """Both outputs of the function as it was written, and how far they are apart."""
    name = stated.neighbours.parameter
    outputs = [output(program, {**worlds.public, name: world}) for world in (worlds.one, worlds.two)]
    return outputs[0], outputs[1], apart(stated, *outputs)


class _Exit(Exception):
    pass


class _Leave(Exception):
    pass


class _Next(Exception):
    pass


def heads(program: Program, tried: Sequence[Worlds]) -> dict[int, list[Row]]:
    """Variables of both runs and ghosts, each time the two runs come to a loop's head together."""
    found: dict[int, list[Row]] = {}
    for case, worlds in enumerate(tried):
        for loop, row in _both(program, worlds, case):
            found.setdefault(loop, []).append(row)
    return found


def _both(program: Program, worlds: Worlds, case: int) -> list[tuple[int, Row]]:
    """What is seen until the runs end or part company; nothing where the function fails."""
    both = _Both(program, worlds, case)
    try:
        both.block(program.body)
    except _Exit:
        return both.seen
    except FAILURES:
        return []
    return both.seen


class _Both:
    """The straightened program in both worlds at once; it parts company at a test that differs."""

    def __init__(self, program: Program, worlds: Worlds, case: int) -> None:
        self.envs = [{**{name: freeze(value) for name, value in worlds.public.items()}, **slots} for slots in worlds.slots]
        self.fixed = {"$u": worlds.unit, CASE: case, **worlds.ghosts}
        self.seen: list[tuple[int, Row]] = []
        self.steps = 0
        self.loops = {id(node): at for at, node in enumerate(node for node in walk(program.body) if isinstance(node, While))}

    def both(self, expr: Any) -> tuple[Any, Any]:
        return evaluate(expr, self.envs[0]), evaluate(expr, self.envs[1])

    def public(self, expr: Any) -> Any:
        one, two = self.both(expr)
        if one != two:
            raise _Exit
        return one

    def block(self, steps: tuple[Stmt, ...]) -> None:
        for step in steps:
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise _Exit
            match step:
                case Assign(_, target, value):
                    for env, found in zip(self.envs, self.both(value), strict=True):
                        env[target] = found
                case Append() | Store():
                    self.write(step)
                case If(_, test, then, otherwise):
                    self.block(then if self.public(test) else otherwise)
                case While():
                    self.loop(step)
                case Return():
                    raise _Exit
                case Break():
                    raise _Leave
                case _:
                    raise _Next

    def loop(self, step: While) -> None:
        while True:
            self.seen.append((self.loops[id(step)], self.row()))
            if self.steps > _MOST_STEPS or not self.public(step.test):
                return
            try:
                self.block(step.body)
            except _Next:
                continue
            except _Leave:
                return

    def write(self, step: Append | Store) -> None:
        values = self.both(step.value)
        places = self.both(step.index) if isinstance(step, Store) else (None, None)
        for env, value, place in zip(self.envs, values, places, strict=True):
            entries = list(env[step.target])
            if place is None:
                entries.append(value)
            else:
                entries[whole(place, "index")] = value
            env[step.target] = tuple(entries)

    def row(self) -> Row:
        """All values under their names in hints; lists by their length and by how far they are apart."""
        found: Row = dict(self.fixed)
        for name in self.envs[0].keys() & self.envs[1].keys():
            one, two = self.envs[0][name], self.envs[1][name]
            found[f"{name}.1"], found[f"{name}.2"] = one, two
            if isinstance(one, tuple) and isinstance(two, tuple) and len(one) == len(two):
                moves = [abs(Fraction(b) - Fraction(a)) for a, b in zip(one, two, strict=True)]
                found |= {f"$len.{name}": Fraction(len(one)), f"$l1.{name}": sum(moves, Fraction(0))}
                found |= {
                    f"$linf.{name}": max(moves, default=Fraction(0)),
                    f"$sq.{name}": sum((m * m for m in moves), Fraction(0)),
                }
        return found
