"""A stated sensitivity: neighbouring inputs, how outputs are measured, and the bound, kept on the function or given beside it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import AddRemove, Edit, Neighbours

__all__ = ["Measure", "Stated", "sensitive", "stated_of"]

Measure = Literal["L1", "L2", "Linf", "discrete"]
"""How far two outputs are apart. For one number the first three are the absolute difference; the last is 1 if they differ."""

F = TypeVar("F", bound=Callable[..., Any])
_STATED = "__sensitivity__"


@dataclass(frozen=True)
class Stated:
    """`by` is a formula over the public parameters; None asks for the smallest bound that can be proved."""

    neighbours: Neighbours
    by: Expression | None = None
    metric: Measure = "L1"

    def __post_init__(self) -> None:
        if not isinstance(self.neighbours, Neighbours):
            raise BadArgument(
                "neighbours", self.neighbours, "is no relation", 'Write it like Each("xs", by=1) or AddRemove("rows")'
            )
        if self.metric not in get_args(Measure):
            raise BadArgument("metric", self.metric, "is no way to measure outputs", f"Use {', '.join(get_args(Measure))}")
        private = self.neighbours.parameter
        if self.by is not None and _depends(self.by, private, isinstance(self.neighbours, AddRemove | Edit)):
            why = f"depends on the private parameter {private}"
            raise BadArgument("by", str(self.by), why, "Use public parameters (the number of rows is public under Replace alone)")

    @staticmethod
    def of(neighbours: Neighbours, by: object = None, metric: Measure = "L1") -> Stated:
        return Stated(neighbours, None if by is None else Expression.of(by, "by"), metric)

    @property
    def bound(self) -> str:
        """The bound with its measure, as certificates print it."""
        return f"{self.by} in {self.metric}" if self.by is not None else f"any bound in {self.metric}"


def sensitive(*, neighbours: Neighbours, by: object = None, metric: Measure = "L1") -> Callable[[F], F]:
    """State how far a function moves: on neighbouring inputs its outputs are at most `by` apart. The function stays as it is.

    `twoworlds.sensitivity(function)` proves or refutes it; without `by` the smallest provable bound is inferred.
    """
    stated = Stated.of(neighbours, by, metric)

    def keep(function: F) -> F:
        setattr(function, _STATED, stated)
        return function

    return keep


def _depends(formula: Expression, private: str, sized: bool) -> bool:
    """Whether a bound would tell a secret; the length of a list is none, unless rows come and go."""
    lengths = [node.args[0] for node in ast.walk(formula.tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "len"]
    named = [node for node in ast.walk(formula.tree) if isinstance(node, ast.Name) and node.id == private]
    return any(sized or all(node is not length for length in lengths) for node in named)


def stated_of(function: Callable[..., Any]) -> Stated | None:
    """What the decorator said of a function."""
    found = getattr(function, _STATED, None)
    return found if isinstance(found, Stated) else None
