"""Pairs with a density: Gaussian and Laplace noise on a number that moves."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import acb, arb

from twoworlds.losses.balls import ball, is_number, normal_tail
from twoworlds.losses.discrete import LaplaceEnds
from twoworlds.losses.dominance import Pair

__all__ = ["Gaussian", "Laplace"]


@dataclass(frozen=True)
class Gaussian(Pair):
    """N(mu, 1) against N(0, 1): the loss is N(mu^2 / 2, mu^2) (Dong, Roth and Su 2022; Balle and Wang 2018)."""

    mu_squared: Fraction

    def __str__(self) -> str:
        return f"Gaussian(mu = {float(self.mu_squared) ** 0.5:.6g})"

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        half = ball(self.mu_squared) / 2
        return [(half * z * (z + 1)).exp() for z in (acb(t, step * k) for k in nodes)]

    def hockey(self, epsilon: arb) -> arb:
        mu = ball(self.mu_squared).sqrt()
        more = normal_tail(epsilon / mu - mu / 2)
        both = more - epsilon.exp() * normal_tail(epsilon / mu + mu / 2)
        return both if is_number(both) else arb(0).union(more)

    def exceeds(self, epsilon: arb) -> arb:
        mu = ball(self.mu_squared).sqrt()
        return normal_tail(epsilon / mu + mu / 2)

    def reverse(self) -> Gaussian:
        return self

    @property
    def largest(self) -> arb:
        return arb("inf")

    def envelope(self, t: arb, omega: arb) -> arb:
        return self.moment(t) * (-ball(self.mu_squared) * omega * omega / 2).exp()


@dataclass(frozen=True)
class Laplace(Pair):
    """Laplace noise of scale b on a number that moves by epsilon * b: atoms at losses +-epsilon, a density between them."""

    epsilon: Fraction

    def __str__(self) -> str:
        return f"Laplace(epsilon = {self.epsilon})"

    @property
    def atoms(self) -> LaplaceEnds:
        return LaplaceEnds(self.epsilon)

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        """The density of the loss is exp(-(epsilon - l) / 2) / 4 on [-epsilon, epsilon]."""
        epsilon, ends = ball(self.epsilon), self.atoms.moments(t, step, nodes)
        middle = (-epsilon / 2).exp() * epsilon / 2
        inside = [middle * ((acb(t, step * k) + arb(1) / 2) * acb(0, 1) * epsilon).sinc() for k in nodes]
        return [end + part for end, part in zip(ends, inside, strict=True)]

    def hockey(self, epsilon: arb) -> arb:
        top = ball(self.epsilon)
        within = arb.min(arb.max(epsilon, -top), top)
        return arb.max(1 - ((within - top) / 2).exp(), 1 - epsilon.exp())

    def exceeds(self, epsilon: arb) -> arb:
        top = ball(self.epsilon)
        inside = (-(arb.min(arb.max(epsilon, -top), top) + top) / 2).exp() / 2
        low = arb(1) if epsilon < -top else inside if epsilon < top else arb(0)
        high = arb(0) if epsilon > top else inside if epsilon > -top else arb(1)
        return low.union(high)  # at an atom, or where it cannot be told on which side of one: both

    def reverse(self) -> Laplace:
        return self

    @property
    def largest(self) -> Fraction:
        return self.epsilon

    def density_envelope(self, t: arb, omega: arb) -> arb:
        """The density's transform is (exp(z epsilon) - exp(-(z + 1) epsilon)) / (4 z + 2)."""
        return self.atoms.moment(t) / ((2 * t + 1) ** 2 + 4 * omega * omega).sqrt()

    def envelope(self, t: arb, omega: arb) -> arb:
        """Up to a quarter turn of an atom the two atoms draw apart; from there on the density has lost more than the atoms gain.

        Near 0 that is a parabola below the moment, without which a trillion releases would need as many frequencies as one.
        """
        moment, atoms, quarter = self.moment(t), self.atoms.moment(t), arb.pi() / (2 * ball(self.epsilon))
        if not omega < quarter:
            return arb.min(moment, atoms + self.density_envelope(t, omega))
        low, high = (atom.p * (t * atom.loss).exp() for atom in self.atoms.table())
        together = atoms * atoms - 2 * low * high * (1 - (2 * omega * ball(self.epsilon)).cos())
        near = arb.max(together, arb(0)).sqrt() + arb.min(moment - atoms, self.density_envelope(t, omega))
        return arb.min(moment, arb.max(near, atoms + self.density_envelope(t, quarter)))

    def effort(self, omega: float) -> int:  # noqa: ARG002  a closed form
        return 4
