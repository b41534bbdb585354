"""What a certificate does to noise: the tape of world 2 for a tape of world 1, by its hints and the lowered program.

Nothing rests on this: `replay` checks the tapes themselves in the original program, however they were made.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import accumulate
from typing import Any

from twoworlds.proofs.guesses import guesses, told
from twoworlds.proofs.kinds import kinds
from twoworlds.proofs.tapes import FAULTS, Pair, Tape
from twoworlds.source.interpreter import interpret
from twoworlds.source.program import Noise, Program
from twoworlds.source.values import distribution

__all__ = ["Moving"]

Look = Callable[[str], Any]
_MEANINGS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": operator.mul,
    "/": operator.truediv,
    "$quotient/2": operator.truediv,
    "$floor/2": operator.floordiv,
    "$modulo/2": operator.mod,
    "$power/2": operator.pow,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "distinct": operator.ne,
}
_LONGEST = 100  # no list of a world is as long


@dataclass(frozen=True)
class _Step:
    """One draw of world 1: its site, its value, and what every variable held."""

    site: int
    noise: Any
    env: Mapping[str, Any]


@dataclass(frozen=True)
class Moving:
    """The map of tapes of a certificate for a lowered program."""

    program: Program
    private: str
    hints: Mapping[str, Any]
    whole: frozenset[str] = frozenset()

    def __call__(self, pair: Pair, tape: Tape, output: Any) -> Tape:
        first: list[_Step] = []
        guessed = guesses(self.program, kinds(self.program, self.private, self.whole), lists=True)
        ghosts = _ghosts(pair, self.private) | told(self.program, output, guessed, _LONGEST)
        result: list[Any] = []

        def record(site: int, given: Any) -> Any:
            first.append(_Step(site, tape[len(first)], given[1]))
            return first[-1].noise

        def shifted(site: int, given: Any) -> Any:
            step = first[len(result)]
            look = _looking(step.env, given[1], {**ghosts, "$noise": step.noise})
            cases = self.hints["shifts"].get(str(site), ())
            by: Mapping[str, int] = next((case["by"] for case in cases if _value(_tree(case["when"]), look)), {})
            result.append(step.noise + _size(by, look) if by else step.noise)
            return result[-1]

        with suppress(*FAULTS):  # a run that fails does so after its last draw
            interpret(self.program, pair.one, record, _law)
        with suppress(*FAULTS):
            interpret(self.program, pair.two, shifted, _law)
        return tuple(result)


def _law(noise: Noise, env: Mapping[str, Any]) -> Any:
    return distribution(noise, env), dict(env)


def _ghosts(pair: Pair, private: str) -> dict[str, Any]:
    one, two = pair.one[private], pair.two[private]
    ghosts: dict[str, Any] = {"$u": pair.unit, "$none": None}
    if isinstance(one, tuple):
        moves = [b - a for a, b in zip(one, two, strict=True)]
        ghosts["$up"] = all(move >= 0 for move in moves)
        ghosts["$moved/1"] = tuple(accumulate(map(abs, moves), initial=Fraction(0)))
    return ghosts


def _size(by: Mapping[str, int], look: Look) -> Fraction:
    """The combination of $u and of differences between the runs."""
    total = Fraction(0)
    for atom, times in by.items():
        one = _value(_tree(atom), look)
        other = _value(_tree(re.sub(r"\.1(?=[\s()]|$)", ".2", atom)), look)
        total += times * (one if atom == "$u" else other - one)
    return total


def _looking(one: Mapping[str, Any], two: Mapping[str, Any], ghosts: Mapping[str, Any]) -> Look:
    def look(name: str) -> Any:
        if name in ("true", "false"):
            return name == "true"
        if name in ghosts:
            return ghosts[name]
        if name.startswith("$len."):
            return Fraction(len(one[name[5:]]))
        return Fraction(name) if name[0].isdigit() else (one if name[-1] == "1" else two)[name[:-2]]

    return look


def _tree(text: str) -> Any:
    """SMT-LIB text as nested lists."""
    levels: list[list[Any]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            levels.append([])
        elif token == ")":
            inner = levels.pop()
            levels[-1].append(inner)
        else:
            levels[-1].append(token)
    [[tree]] = levels
    return tree


def _value(tree: Any, look: Look) -> Any:
    if isinstance(tree, str):
        return look(tree)
    op, *parts = tree
    if op == "ite":
        return _value(parts[1 if _value(parts[0], look) else 2], look)
    if op in ("and", "or"):
        return (all if op == "and" else any)(_value(part, look) for part in parts)
    values = [_value(part, look) for part in parts]
    if op == "=>":
        return not values[0] or values[1]
    if op == "not":
        return not values[0]
    if op == "-":
        return -values[0] if len(values) == 1 else reduce(operator.sub, values)
    if op in _MEANINGS:
        return reduce(_MEANINGS[op], values)
    return look(op)[int(values[0])]
