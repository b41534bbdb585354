"""Runs a card's text both ways on one noise tape: as the Python function it is, and as the program that was parsed."""

from __future__ import annotations

import builtins
import random
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from twoworlds.sampling.inputs import private, public
from twoworlds.sampling.vectors import Vector
from twoworlds.source.interpreter import freeze, interpret
from twoworlds.source.program import Program
from twoworlds.worlds import arrays, distributions
from twoworlds.worlds.distributions import Distribution
from twoworlds.worlds.errors import BadArgument, TwoWorldsError
from twoworlds.worlds.grid import GridNumber, number
from twoworlds.worlds.rationals import exact

__all__ = ["FAILED", "OFF_GRID", "NoiseTape", "function_of", "run_function", "run_program"]

FAILED = "failed"
_ONE = object()
OFF_GRID = "off the grid"
"""A public number off the grid of an array that it was added to: the function fails closed, the program could go on."""
_FAULTS = (TwoWorldsError, ArithmeticError, LookupError, TypeError, ValueError)
_ON_GRID = {"Laplace", "Exponential", "Gumbel", "Gaussian", "DiscreteGaussian"}
_COINS = {"Bernoulli", "BernoulliExp"}


class NoiseTape:
    """The k-th draw depends on the seed, on k and on the law alone; the laws that were asked for are kept."""

    def __init__(self, seed: int, grid: Fraction) -> None:
        self.seed, self.grid = seed, grid
        self.laws: list[Distribution] = []

    def draw(self, law: Distribution) -> Fraction | bool:
        self.laws.append(law)
        pick = random.Random(f"{self.seed} {len(self.laws)} {law}")
        name = type(law).__name__
        if name in _COINS:
            return pick.random() < 0.5
        if name in _ON_GRID:
            return pick.randint(-5, 5) * self.grid
        if name == "Skellam":
            return Fraction(pick.randint(-3, 3))
        outcomes = {"Uniform": "n", "Categorical": "weights", "ExponentialWeights": "scores"}.get(name)
        most = getattr(law, outcomes) if outcomes else 3
        return Fraction(pick.randrange(most if isinstance(most, int) else len(most)))

    def sample(self, law: Distribution, count: Any = _ONE) -> Any:
        """What a card is handed: scalars as the sampling reader makes them, and its arrays."""
        if count is _ONE:
            return self.value(law)
        if exact(count, "count").denominator != 1 or count < 0:
            raise BadArgument("count", count, "is not a whole number", "Draw a whole number of times")
        counts = [self.draw(law) for _ in range(int(count))]
        if type(law).__name__ in _COINS:
            return counts
        grid = self.grid if type(law).__name__ in _ON_GRID else Fraction(1)
        return Vector([int(value / grid) for value in counts], grid)

    def value(self, law: Distribution) -> Any:
        drawn = self.draw(law)
        if isinstance(drawn, bool):
            return drawn
        return number(int(drawn / self.grid), self.grid) if type(law).__name__ in _ON_GRID else int(drawn)


def function_of(text: str) -> Callable[..., Any]:
    """The function that a card's text defines, made by Python itself (in tests only)."""
    scope: dict[str, Any] = {"mechanism": lambda **_: lambda function: function, "__builtins__": builtins, "Fraction": Fraction}
    scope |= {name: getattr(distributions, name) for name in distributions.__all__}
    scope |= {name: getattr(arrays, name) for name in arrays.__all__}
    scope |= {name: lambda *_, **__: None for name in ("Each", "Pure")}
    names = set(scope)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # generated text says things like `0 is None`
        exec(compile(text, "<generated>", "exec"), scope)
    return next(scope[name] for name in scope if name not in names)


def run_function(function: Callable[..., Any], program: Program, arguments: Mapping[str, Any], tape: NoiseTape) -> Any:
    """The function's output on inputs as the sampling reader hands them over, or FAILED."""
    try:
        return _plain(function(**_handed(program, arguments, tape.grid), sample=tape.sample))
    except _FAULTS as fault:
        return OFF_GRID if "no multiple of the grid" in str(fault) else FAILED


def run_program(program: Program, arguments: Mapping[str, Any], tape: NoiseTape) -> Any:
    """The program's output on the same inputs, or FAILED."""
    inputs = {name: _plain(value) for name, value in _handed(program, arguments, tape.grid).items()}
    try:
        return _plain(interpret(program, inputs, lambda _, law: tape.draw(law)))
    except _FAULTS:
        return FAILED


def _handed(program: Program, arguments: Mapping[str, Any], grid: Fraction) -> dict[str, Any]:
    """The inputs as the sampling reader hands them over: private numbers on the grid, public ones exact."""
    arrays = any(draw.count is not None for draw in program.draws)
    return {
        name: private(value, name, grid, arrays=arrays) if name == program.private else public(value, name)
        for name, value in arguments.items()
    }


def _plain(value: Any) -> Any:
    """An output for comparison: exact numbers as Fractions, lists and tuples alike; anything else is no output of a card."""
    if isinstance(value, GridNumber | Fraction):
        return Fraction(value.numerator, value.denominator)
    if isinstance(value, list | tuple | Vector):
        return tuple(_plain(entry) for entry in value)
    assert value is None or isinstance(value, bool | str | int), f"a card put out {value!r}"
    return freeze(value)
