"""One rule: if the inputs are at most so far apart, the outputs are at most so far apart."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import Neighbours
from twoworlds.worlds.rationals import exact

__all__ = ["Rule", "rules"]

Kind = type[Neighbours]
COUNTS = frozenset({"k", "n", "most", "most_left", "most_right", "groups"})  # parameters that count rows, entries or groups


@dataclass(frozen=True)
class Rule:
    """An operation, the relations in which its inputs' and its output's distances are measured, and the bound between them.

    `stability` is a formula over the distance `d` (`d1` and `d2` for two inputs) and the operation's public parameters. It holds
    for every distance, not for single steps only. `requires` lists formulas that must be 0 or more; `provided` says what the
    operation must be like besides, which whoever applies the rule answers for.
    """

    operation: str
    inputs: tuple[Kind, ...]
    output: Kind
    stability: Expression
    reason: str
    requires: tuple[Expression, ...] = ()
    provided: str = ""

    def __str__(self) -> str:
        inputs = ", ".join(kind.__name__ for kind in self.inputs)
        return f"{self.operation}: {inputs} -> {self.output.__name__} within {self.stability}"

    @property
    def distances(self) -> tuple[str, ...]:
        """What the formula calls the distances of the inputs."""
        return ("d",) if len(self.inputs) == 1 else tuple(f"d{place}" for place in range(1, len(self.inputs) + 1))

    @property
    def parameters(self) -> frozenset[str]:
        """The public parameters of the operation that the rule needs."""
        needed = self.stability.names.union(*(formula.names for formula in self.requires))
        return needed - set(self.distances)

    def bound(self, distances: Sequence[object], parameters: Mapping[str, object] | None = None) -> Fraction:
        """How far apart the outputs are at most, rounded up where it is irrational."""
        return self._value(self.stability, distances, parameters)

    def squared(self, distances: Sequence[object], parameters: Mapping[str, object] | None = None) -> Fraction:
        """The square of the bound, exact where the bound is the root of a rational: L2 distances are kept as squares."""
        return self._value(self._square, distances, parameters)

    @cached_property
    def _square(self) -> Expression:
        tree = self.stability.tree
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "sqrt":
            return Expression(ast.unparse(tree.args[0]))
        return Expression(f"({self.stability}) ** 2")

    def _value(self, formula: Expression, distances: Sequence[object], parameters: Mapping[str, object] | None) -> Fraction:
        known = self._known(distances, parameters or {})
        value = formula.enclose(known)
        if value.low < 0:
            raise BadArgument("parameters", parameters, f"make {self} negative", "Give sizes of 0 or more")
        return value.high

    def _known(self, distances: Sequence[object], parameters: Mapping[str, object]) -> dict[str, object]:
        if len(distances) != len(self.inputs):
            raise BadArgument("distances", distances, f"are not {len(self.inputs)}", f"{self.operation} has so many inputs")
        known: dict[str, object] = dict(parameters)
        for name in self.parameters & COUNTS & set(parameters):
            number = exact(parameters[name], name)
            if number < 0 or number.denominator != 1:
                raise BadArgument(name, parameters[name], "is not a whole number of 0 or more", f"Give {name} as a count")
        for name, distance in zip(self.distances, distances, strict=True):
            known[name] = exact(distance, name)
            if exact(distance) < 0:
                raise BadArgument(name, distance, "is below 0", "A distance is 0 or more")
        for formula in self.requires:
            value = formula.enclose(known)
            if value.low < 0:
                raise BadArgument(str(formula), float(value.low), f"is below 0 in {self.operation}", "Check its parameters")
        return known


def rules(
    operation: str, *entries: tuple[tuple[Kind, ...], Kind, str], reason: str, requires: str = "", provided: str = ""
) -> list[Rule]:
    """The rules of one operation, one for each way to measure its inputs and output; `requires` is separated by commas."""
    conditions = tuple(Expression(part.strip()) for part in requires.split(",") if part.strip())
    return [Rule(operation, inputs, output, Expression(text), reason, conditions, provided) for inputs, output, text in entries]
