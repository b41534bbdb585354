"""A dominating pair: two laws (P, Q) that are at least as far apart as any two neighbouring worlds of a mechanism.

The privacy loss is L = log dP/dQ under P. A pair answers what the certified algorithms need of it, in balls:

- the moment E[exp(z L); L < infinity] on a vertical line of the complex plane, and bounds on its size far out on that line;
- the hockey-stick divergence delta(epsilon) = sup over events of P[E] - exp(epsilon) Q[E], and its slope;
- the probability under P that the loss is infinite, and the largest finite loss.

By Zhu, Dong and Wang 2022 ("Optimal accounting of differential privacy via characteristic function", theorem 10), if pairs
dominate mechanisms for every epsilon in R, then the product of the pairs dominates their adaptive composition. All pairs here
are used under that theorem, one direction at a time.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import acb, arb

from twoworlds.losses.balls import ball

__all__ = ["Lattice", "Pair", "zone_bound"]


@dataclass(frozen=True)
class Lattice:
    """All finite losses lie in offset + spacing * Z, both rational; or both balls, around numbers that are not."""

    offset: Fraction | arb
    spacing: Fraction | arb


class Pair(ABC):
    """An ordered pair of laws (P, Q)."""

    @abstractmethod
    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        """E_P[exp(z L); L < infinity] at z = t + i k step for k in nodes (consecutive)."""

    @abstractmethod
    def hockey(self, epsilon: arb) -> arb:
        """delta(epsilon) of this pair alone."""

    @abstractmethod
    def exceeds(self, epsilon: arb) -> arb:
        """Q[L > epsilon], or any number up to Q[L >= epsilon]: minus the slope of delta in exp(epsilon)."""

    @abstractmethod
    def reverse(self) -> Pair:
        """The pair (Q, P)."""

    @property
    @abstractmethod
    def largest(self) -> Fraction | arb:
        """The supremum of the finite losses; a Fraction where it is rational, an infinite ball where there is none."""

    @property
    def infinite(self) -> Fraction | arb:
        """P[L = infinity]: what P can show and Q never does."""
        return Fraction(0)

    @property
    def lattice(self) -> Lattice | None:
        """The lattice that all finite losses lie on, if there is one; of a pair alone it need not be rational."""
        return None

    @property
    def atoms(self) -> Pair | None:
        """The atoms alone (a part of the law, on a lattice) where there is a density beside them."""
        return None

    def moment(self, t: arb) -> arb:
        """E_P[exp(t L); L < infinity] for real t."""
        return self.moments(t, arb(0), range(1))[0].real

    def zone(self, t: arb, points: int, nodes: range) -> list[acb]:
        """The moments at z = t + i pi k / (points * spacing), for a pair on a lattice."""
        assert self.lattice is not None
        return self.moments(t, arb.pi() / (points * ball(self.lattice.spacing)), nodes)

    def envelope(self, t: arb, omega: arb) -> arb:  # noqa: ARG002  the trivial bound holds for every omega
        """A bound on |E exp((t + i w) L)| for every w >= omega; the trivial one is its value at w = 0."""
        return self.moment(t)

    def density_envelope(self, t: arb, omega: arb) -> arb:
        """As `envelope`, for the density beside the atoms."""
        return self.envelope(t, omega)

    def zone_envelope(self, t: arb, omega: arb) -> arb:  # noqa: ARG002  the trivial bound holds for every omega
        """A bound on |E exp((t + i w) L)| for omega <= w <= pi / spacing, on a lattice."""
        return self.moment(t)

    def effort(self, omega: float) -> int:  # noqa: ARG002  only quadratures need more for faster oscillations
        """About how many terms a moment at frequency omega has."""
        return 1


def zone_bound(weights: Sequence[arb], turn: arb) -> arb:
    """A bound on |sum over j of weight_j exp(i j theta)| for turn <= theta <= pi.

    Its square is (sum of weights)^2 - sum over j, k of weight_j weight_k (1 - cos((j - k) theta)). Every term of the last sum is
    at least 0, and those with |j - k| = 1 grow with theta, so they may be taken at theta = turn and all others left out.
    """
    total = sum(weights, arb(0))
    steps = sum((one * following for one, following in pairwise(weights)), arb(0))
    return arb.max(total * total - 2 * steps * (1 - turn.cos()), arb(0)).sqrt()
