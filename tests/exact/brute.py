"""The output law of a program by running it on every noise there is: what the exact reader is held against.

No laziness, no merging, no liveness: the tape interpreter of `source` runs once for each combination of draws. Infinite laws are
cut short, and the mass of the runs that are left out bounds the difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from twoworlds.exact.laws import law_of
from twoworlds.exact.weights import Weight, precision, rational, vanishes
from twoworlds.source.interpreter import interpret
from twoworlds.source.program import Draw, For, If, Literal, Many, Noise, Program, Stmt, While
from twoworlds.worlds.distributions import Distribution

MOST_RUNS = 4_000


class TooMany(Exception):
    """More combinations of draws than a test should run."""


class _Next(Exception):
    """The run met a draw that has no value yet."""


def law(program: Program, arguments: Mapping[str, Any], grid: Fraction = Fraction(1), reach: int = 2) -> dict[Any, Weight]:
    """Each output with its probability; draws of infinite laws go from -reach to reach."""
    found: dict[Any, Weight] = {}
    waiting: list[tuple[tuple[Any, Weight], ...]] = [()]
    runs = 0
    with precision():
        while waiting:
            path = waiting.pop()
            runs += 1
            if runs > MOST_RUNS:
                raise TooMany
            asked: list[Distribution] = []
            try:
                output = interpret(program, arguments, _tape(path, asked))
            except _Next:
                waiting += [(*path, choice) for choice in _choices(asked[-1], grid, reach)]
                continue
            weight = rational(1)
            for _, chance in path:
                weight = weight * chance
            key = typed(output)
            found[key] = found[key] + weight if key in found else weight
    return found


def _tape(path: tuple[tuple[Any, Weight], ...], asked: list[Distribution]) -> Any:
    def draw(_: int, noise: Distribution) -> Any:
        asked.append(noise)
        if len(asked) > len(path):
            raise _Next
        return path[len(asked) - 1][0]

    return draw


def _choices(noise: Distribution, grid: Fraction, reach: int) -> list[tuple[Any, Weight]]:
    """The values of a law with their masses."""
    table = law_of(noise, grid)
    first = table.first if table.first is not None else -reach
    last = table.last if table.last is not None else reach
    choices = [(k == 1 if table.truth else table.step * k, table.mass(k)) for k in range(first, last + 1)]
    return [(value, mass) for value, mass in choices if not vanishes(mass)]


def typed(value: Any) -> Any:
    """An output as a key that tells True from 1."""
    if isinstance(value, tuple):
        return ("list", *(typed(entry) for entry in value))
    return (type(value).__name__, value) if isinstance(value, bool) or value is None else value


# the same program with other noise


def with_noise(program: Program, change: Mapping[str, tuple[str, tuple[Fraction, ...]]]) -> Program:
    """The program with some laws exchanged for others with constant parameters."""
    return replace(program, body=tuple(_changed(step, change) for step in program.body))


def _changed(step: Stmt, change: Mapping[str, tuple[str, tuple[Fraction, ...]]]) -> Stmt:
    if isinstance(step, Draw) and step.noise.law in change:
        name, numbers = change[step.noise.law]
        constants = tuple(Literal(number) for number in numbers)
        arguments = (Many("list", constants),) if name == "Categorical" else constants
        return replace(step, noise=Noise(name, arguments))
    if isinstance(step, If):
        then, otherwise = (tuple(_changed(part, change) for part in block) for block in (step.then, step.otherwise))
        return replace(step, then=then, otherwise=otherwise)
    if isinstance(step, For | While):
        return replace(step, body=tuple(_changed(part, change) for part in step.body))
    return step
