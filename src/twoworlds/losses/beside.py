"""A discrete pair beside any other one: their product, read atom by atom."""

from __future__ import annotations

from dataclasses import dataclass

from flint import acb, arb

from twoworlds.losses.balls import ball
from twoworlds.losses.discrete import Discrete
from twoworlds.losses.dominance import Pair

__all__ = ["Beside"]


@dataclass(frozen=True)
class Beside(Pair):
    """The product of both pairs: once an atom of loss l has been seen, the other pair decides at epsilon - l.

    delta(epsilon) = P[infinite] + sum over atoms of p * (the other's delta at epsilon - l), and the same for its slope.
    """

    told: Discrete
    other: Pair

    def __str__(self) -> str:
        return f"{self.told} * {self.other}"

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        both = zip(self.told.moments(t, step, nodes), self.other.moments(t, step, nodes), strict=True)
        return [one * another for one, another in both]

    def hockey(self, epsilon: arb) -> arb:
        table = self.told.table()  # at the precision of the moment
        seen = (atom.p * self.other.hockey(epsilon - atom.loss) for atom in table)
        return sum(seen, ball(self.told.infinite))

    def exceeds(self, epsilon: arb) -> arb:
        return sum((atom.q * self.other.exceeds(epsilon - atom.loss) for atom in self.told.table()), arb(0))

    def reverse(self) -> Beside:
        turned = self.told.reverse()
        assert isinstance(turned, Discrete)
        return Beside(turned, self.other.reverse())

    @property
    def largest(self) -> arb:
        return ball(self.told.largest) + ball(self.other.largest)

    @property
    def infinite(self) -> arb:
        return 1 - (1 - ball(self.told.infinite)) * (1 - ball(self.other.infinite))

    def effort(self, omega: float) -> int:
        return self.told.effort(omega) + self.other.effort(omega)
