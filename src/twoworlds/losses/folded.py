"""Symmetric pairs that are known through a bound on their curve for epsilon >= 0: fixed-size samples under replacement."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import acb, arb

from twoworlds.losses.balls import ball, highest
from twoworlds.losses.dominance import Pair

__all__ = ["Folded"]

_NEVER = 10**12  # more terms than any contour may have: these pairs are composed on a lattice


@dataclass(frozen=True)
class Folded(Pair):
    """delta(epsilon) = sum of weight * (delta of a part) + rest for epsilon >= 0; below 0 by symmetry.

    If d is the curve of some pair over x = exp(epsilon), 1 - x + x d(1 / x) is that of its reverse. A mechanism on a symmetric
    relation whose curve is at most d for x >= 1 therefore has one of at most 1 - x + x d(1 / x) below, and any convex curve above
    a mechanism's is that of a dominating pair (Zhu, Dong and Wang 2022, proposition 8). Weights are rounded up.
    """

    parts: tuple[tuple[Pair, Fraction], ...]
    rest: Fraction = Fraction(0)

    def __str__(self) -> str:
        first = self.parts[0][0]
        return f"{first}, both ways" if len(self.parts) == 1 else f"{first} and {len(self.parts) - 1} more, both ways"

    def reverse(self) -> Folded:
        return self

    def _right(self, epsilon: arb) -> arb:
        return sum((ball(weight) * part.hockey(epsilon) for part, weight in self.parts), ball(self.rest))

    def hockey(self, epsilon: arb) -> arb:
        if epsilon >= 0:
            return self._right(epsilon)
        below = 1 - epsilon.exp() * (1 - self._right(-epsilon))
        return below if epsilon < 0 else arb.max(below, self._right(epsilon))

    def exceeds(self, epsilon: arb) -> arb:
        """Minus the slope of the curve; in d(x) = 1 - x + x d(1 / x) the product and chain rules."""
        outward = abs(epsilon)
        right = sum((ball(weight) * part.exceeds(outward) for part, weight in self.parts), arb(0))
        left = arb.max(1 - self._right(outward) - outward.exp() * right, arb(0))
        return right if epsilon >= 0 else left if epsilon < 0 else right.union(left)

    @property
    def infinite(self) -> Fraction:
        return self.rest

    @property
    def largest(self) -> arb:
        return highest(ball(part.largest) for part, _ in self.parts)

    def moment(self, t: arb) -> arb:
        """An upper bound: the curve d is at most (part's curve) + (reversed part's curve) - (1 - x)_+.

        For t > 0 the moment is 1 plus an integral of d - (1 - x)_+ with a positive weight, so it obeys the same inequality.
        """
        total = arb(1)
        for part, weight in self.parts:
            total += ball(weight) * (part.moment(t) + part.reverse().moment(t) - 2)
        return total

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:  # noqa: ARG002  there is no formula off the real axis
        return [acb("nan")] * len(nodes)

    def effort(self, omega: float) -> int:  # noqa: ARG002  never by the contour
        return _NEVER
