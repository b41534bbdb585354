"""A price in several parts, each for draws of its own."""

from __future__ import annotations

from dataclasses import dataclass

from twoworlds.losses.prices import Pure
from twoworlds.worlds.expressions import Expression

__all__ = ["Purses"]


@dataclass(frozen=True)
class Purses:
    """Pure prices of the draws at some sites each, to be kept one by one; of `known` it is known that none is below 0."""

    each: tuple[tuple[frozenset[int], Pure], ...]
    known: tuple[Expression, ...] = ()

    @property
    def epsilon(self) -> Expression:
        """What all draws together may cost."""
        return Expression(" + ".join(f"({price.epsilon})" for _, price in self.each))
