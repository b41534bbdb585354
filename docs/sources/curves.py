"""Trade-off curves as points to draw."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

__all__ = ["claimed", "corners"]

POINTS = 64


def claimed(loss: Any) -> list[tuple[float, float]]:
    """The trade-off curve of a loss, from below; a bounded loss has a corner, which is a point of its own."""
    alphas = {Fraction(at, POINTS) for at in range(POINTS + 1)}
    most = loss.epsilon(0).upper
    if math.isfinite(most):
        alphas.add(Fraction(1 / (1 + math.exp(most))))
    return [(float(alpha), loss.tradeoff(alpha).lower) for alpha in sorted(alphas)]


def corners(table: Any) -> list[tuple[float, float]]:
    """The corners of the trade-off curve between two tabulated worlds."""
    return [(vertex.alpha.upper, vertex.beta.upper) for vertex in table.tradeoff]
