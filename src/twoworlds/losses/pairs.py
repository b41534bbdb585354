"""Dominating pairs: two laws (P, Q) that are at least as far apart as any two neighbouring worlds of a mechanism.

The privacy loss is L = log dP/dQ under P. A pair answers what the certified algorithms need of it, in balls:

- the moment E[exp(z L); L < infinity] on a vertical line of the complex plane, and a bound on its size far out on that line;
- the hockey-stick divergence delta(epsilon) = sup over events of P[E] - exp(epsilon) Q[E], in closed form;
- the probability under P that the loss is infinite, and the largest finite loss.

By Zhu, Dong and Wang 2022 ("Optimal accounting of differential privacy via characteristic function", theorem 10), if pairs
dominate mechanisms for every epsilon in R, then the product of the pairs dominates their adaptive composition. All pairs here
are used under that theorem, one direction at a time.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import acb, acb_mat, arb

from twoworlds.losses.balls import ball, normal_tail

__all__ = ["Approximate", "DiscreteLaplace", "Finite", "Gaussian", "Laplace", "Lattice", "Pair"]


@dataclass(frozen=True)
class Lattice:
    """All finite losses lie in offset + spacing * Z."""

    offset: Fraction
    spacing: Fraction


class Pair(ABC):
    """An ordered pair of laws (P, Q)."""

    __slots__ = ()

    @abstractmethod
    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        """E_P[exp(z L); L < infinity] at z = t + i k step for k in nodes (consecutive)."""

    @abstractmethod
    def hockey(self, epsilon: arb) -> arb:
        """delta(epsilon) of this pair alone."""

    @abstractmethod
    def reverse(self) -> Pair:
        """The pair (Q, P)."""

    @property
    @abstractmethod
    def largest(self) -> Fraction | arb:
        """The supremum of the finite losses; a Fraction where it is rational, an infinite ball where there is none."""

    @property
    def infinite(self) -> Fraction:
        """P[L = infinity]: what P can show and Q never does."""
        return Fraction(0)

    @property
    def lattice(self) -> Lattice | None:
        """The lattice that all finite losses lie on, if there is a rational one."""
        return None

    def moment(self, t: arb) -> arb:
        """E_P[exp(t L); L < infinity] for real t."""
        return self.moments(t, arb(0), range(1))[0].real

    def envelope(self, t: arb, omega: arb) -> arb:  # noqa: ARG002  the trivial bound holds for every omega
        """A bound on |E exp((t + i w) L)| for every w >= omega; the trivial one is its value at w = 0."""
        return self.moment(t)


def powers(weights: Sequence[arb], losses: Sequence[arb], t: arb, step: arb, nodes: range) -> list[acb]:
    """sum of weight * exp(z * loss) at z = t + i k step.

    With k = b r + s the sums are a product of two matrices of about sqrt(len(nodes)) exponentials per loss. (Multiplying by
    exp(i step loss) from node to node would be as fast, but boxes turned in the plane grow with every turn.)
    """
    block = math.isqrt(max(len(nodes) - 1, 0)) + 1
    strides = -(-len(nodes) // block)
    atoms = list(zip(weights, losses, strict=True))
    starts = [(nodes.start + b * block) * step for b in range(strides)]
    coarse = [[acb(t * loss, start * loss).exp() * weight for weight, loss in atoms] for start in starts]
    fine = [[acb(0, s * step * loss).exp() for s in range(block)] for loss in losses]
    table = acb_mat(coarse) * acb_mat(fine)
    return table.entries()[: len(nodes)]


@dataclass(frozen=True)
class Gaussian(Pair):
    """N(mu, 1) against N(0, 1): the loss is N(mu^2 / 2, mu^2) (Dong, Roth and Su 2022; Balle and Wang 2018)."""

    mu_squared: Fraction

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        half = ball(self.mu_squared) / 2
        return [(half * z * (z + 1)).exp() for z in (acb(t, step * k) for k in nodes)]

    def hockey(self, epsilon: arb) -> arb:
        mu = ball(self.mu_squared).sqrt()
        return normal_tail(epsilon / mu - mu / 2) - epsilon.exp() * normal_tail(epsilon / mu + mu / 2)

    def reverse(self) -> Gaussian:
        return self

    @property
    def largest(self) -> arb:
        return arb("inf")

    def envelope(self, t: arb, omega: arb) -> arb:
        return self.moment(t) * (-ball(self.mu_squared) * omega * omega / 2).exp()


@dataclass(frozen=True)
class Approximate(Pair):
    """The canonical pair of (epsilon, delta): with probability delta all is told, else randomized response.

    Kairouz, Oh and Viswanath 2017 ("The composition theorem for differential privacy", theorem 3.2): every mechanism that is
    (epsilon, delta)-private is, for two given neighbours, a post-processing of this pair.
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        epsilon, rest = ball(self.epsilon), ball(1 - self.delta)
        low = rest / (1 + epsilon.exp())
        return powers([low * epsilon.exp(), low], [epsilon, -epsilon], t, step, nodes)

    def hockey(self, epsilon: arb) -> arb:
        top = ball(self.epsilon)
        high, rest = top.exp() / (1 + top.exp()), ball(1 - self.delta)
        first = arb.max(high - epsilon.exp() * (1 - high), arb(0))
        second = arb.max(1 - high - epsilon.exp() * high, arb(0))
        return ball(self.delta) + rest * (first + second)

    def reverse(self) -> Approximate:
        return self

    @property
    def largest(self) -> Fraction:
        return self.epsilon

    @property
    def infinite(self) -> Fraction:
        return self.delta

    @property
    def lattice(self) -> Lattice:
        return Lattice(self.epsilon, 2 * self.epsilon)


@dataclass(frozen=True)
class Laplace(Pair):
    """Laplace noise of scale b on a number that moves by `epsilon * b`: atoms at both ends, a density between them."""

    epsilon: Fraction

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        epsilon = ball(self.epsilon)
        ends = powers([arb(1) / 2, (-epsilon).exp() / 2], [epsilon, -epsilon], t, step, nodes)
        middle = (-epsilon / 2).exp() * epsilon / 2
        inside = [middle * ((acb(t, step * k) + arb(1) / 2) * acb(0, 1) * epsilon).sinc() for k in nodes]
        return [end + part for end, part in zip(ends, inside, strict=True)]

    def hockey(self, epsilon: arb) -> arb:
        top = ball(self.epsilon)
        within = arb.min(arb.max(epsilon, -top), top)
        inner = 1 - ((within - top) / 2).exp()
        return arb.max(inner, 1 - epsilon.exp()) if not epsilon >= -top else inner

    def reverse(self) -> Laplace:
        return self

    @property
    def largest(self) -> Fraction:
        return self.epsilon


@dataclass(frozen=True)
class DiscreteLaplace(Pair):
    """P[x] proportional to exp(-|x| * unit) on the integers, against the same law moved by `shift`: both exact.

    The loss at x is (|x - shift| - |x|) * unit: shift * unit on one side, minus that on the other, and steps of 2 * unit between.
    """

    unit: Fraction
    shift: int

    def _atoms(self) -> tuple[list[arb], list[arb]]:
        ratio, unit = (-ball(self.unit)).exp(), ball(self.unit)
        end = 1 / (1 + ratio)
        inner = (1 - ratio) / (1 + ratio)
        weights = [end, *(inner * ratio**j for j in range(1, self.shift)), end * ratio**self.shift]
        return weights, [unit * (self.shift - 2 * j) for j in range(self.shift + 1)]

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        return powers(*self._atoms(), t, step, nodes)

    def hockey(self, epsilon: arb) -> arb:
        weights, losses = self._atoms()
        return sum((arb.max(w * (1 - (epsilon - loss).exp()), arb(0)) for w, loss in zip(weights, losses, strict=True)), arb(0))

    def reverse(self) -> DiscreteLaplace:
        return self

    @property
    def largest(self) -> Fraction:
        return self.unit * self.shift

    @property
    def lattice(self) -> Lattice:
        return Lattice(self.largest, 2 * self.unit)


@dataclass(frozen=True)
class Finite(Pair):
    """Two laws on finitely many outcomes, outcomes with equal ratio merged (the ratio is a sufficient statistic).

    Each atom is ((p_low, p_high), (q_low, q_high)); exact masses have low = high.
    """

    atoms: tuple[tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]], ...]

    @staticmethod
    def of(atoms: Sequence[tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]]) -> Finite:
        """Merge exact atoms of equal ratio, drop impossible ones, and order by ratio."""
        merged: dict[object, tuple[Fraction, Fraction]] = {}
        loose = []
        for (p_low, p_high), (q_low, q_high) in atoms:
            if p_low != p_high or q_low != q_high:
                loose.append(((p_low, p_high), (q_low, q_high)))
            elif p_low or q_low:
                ratio = p_low / q_low if q_low else None
                p, q = merged.get(ratio, (Fraction(0), Fraction(0)))
                merged[ratio] = (p + p_low, q + q_low)
        tight = sorted(merged.values(), key=lambda mass: mass[0] / (mass[0] + mass[1]))
        return Finite((*(((p, p), (q, q)) for p, q in tight), *loose))

    def _balls(self) -> tuple[list[arb], list[arb]]:
        """Probabilities and losses of the outcomes with a finite loss."""
        weights, losses = [], []
        for (p_low, p_high), (q_low, q_high) in self.atoms:
            if p_high > 0 and q_high > 0:
                p, q = ball(p_low).union(ball(p_high)), ball(q_low).union(ball(q_high))
                weights.append(p)
                losses.append(ball(p_low / q_low).log() if p_low == p_high and q_low == q_high else (p / q).log())
        return weights, losses

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        return powers(*self._balls(), t, step, nodes)

    def hockey(self, epsilon: arb) -> arb:
        total = arb(0)
        for (p_low, p_high), (q_low, q_high) in self.atoms:
            p, q = ball(p_low).union(ball(p_high)), ball(q_low).union(ball(q_high))
            total += arb.max(p - epsilon.exp() * q, arb(0))
        return total

    def reverse(self) -> Finite:
        return Finite.of([(q, p) for p, q in self.atoms])

    @property
    def largest(self) -> Fraction | arb:
        losses = self._balls()[1]
        top = losses[0] if losses else arb("-inf")
        for loss in losses[1:]:
            top = arb.max(top, loss)
        return top

    @property
    def infinite(self) -> Fraction:
        return sum((p[1] for p, q in self.atoms if q[1] == 0), Fraction(0))
