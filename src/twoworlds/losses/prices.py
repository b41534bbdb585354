"""Prices: what a card costs, as formulas over its public parameters.

`Pure("epsilon")` is a loss that waits for its parameters: the prover reads the formula, `price.loss(values)` evaluates it,
rounded up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from twoworlds.worlds.expressions import Expression

__all__ = ["Pure"]


@dataclass(frozen=True, init=False)
class Pure:
    """P[E] <= exp(epsilon) P'[E] for every event E and all neighbours (Dwork, McSherry, Nissim and Smith 2006)."""

    epsilon: Expression

    def __init__(self, epsilon: object) -> None:
        object.__setattr__(self, "epsilon", Expression.of(epsilon, "epsilon"))

    def __str__(self) -> str:
        return f"pure {self.epsilon}"

    @property
    def names(self) -> frozenset[str]:
        return self.epsilon.names

    def loss(self, values: Mapping[str, object] | None = None) -> Any:
        from twoworlds.losses.loss import pure  # noqa: PLC0415  the numeric core loads only when a number is asked for

        return pure(self.epsilon.above(values or {}))
