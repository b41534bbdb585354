"""Laplace noise on a Poisson sample: the Laplace pair's worse law mixed into the other.

Write l for the loss of the Laplace pair itself and w(l) = 1 - q + q exp(l). Under the law without the record, l has atoms of 1/2
at -epsilon and exp(-epsilon) / 2 at epsilon, and the density exp(-(epsilon + l) / 2) / 4 between. The moments are the integrals
of w^s over that law, with s = z + 1 (record removed: the mixture comes first) or s = -z (record added).

The density is integrated by Gauss-Legendre quadrature on panels. With n points on [-1, 1] it errs by at most
(64 / 15) N rho^(2 - 2 n) / (rho^2 - 1), if the integrand is analytic inside the ellipse with foci +-1 and half-axes
(rho +- 1 / rho) / 2, and at most N there (Trefethen 2013, "Approximation Theory and Approximation Practice", theorem 19.3). On
|Im l| < pi: w is not zero, |arg w| <= |Im l|, and w(Re l) cos(Im l / 2) <= |w(l)| <= w(Re l).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from flint import acb, arb

from twoworlds.losses.balls import ball
from twoworlds.losses.continuous import Laplace
from twoworlds.losses.dominance import Pair
from twoworlds.losses.waves import powers

__all__ = ["SampledLaplace"]

_ACCURACY = 60.0  # the quadrature errs by about exp(-this), relative to the largest value of the integrand
_ELLIPSE = 4.0


@lru_cache(maxsize=64)
def _legendre(count: int) -> tuple[tuple[arb, arb], ...]:
    """Points and weights of the Gauss-Legendre rule."""
    return tuple(arb.legendre_p_root(count, k, weight=True) for k in range(count))


@dataclass(frozen=True)
class SampledLaplace(Pair):
    """The epsilon of the Laplace pair and the sampling rate q < 1; `removed` says whether the mixture is the first law."""

    epsilon: Fraction
    rate: Fraction
    removed: bool = True

    def __str__(self) -> str:
        return f"Laplace(epsilon = {self.epsilon}) sampled at {self.rate}{'' if self.removed else ', added'}"

    def reverse(self) -> SampledLaplace:
        return SampledLaplace(self.epsilon, self.rate, not self.removed)

    def _mixed(self, loss: arb) -> arb:
        """log w."""
        return (ball(self.rate) * loss.expm1()).log1p()

    @cached_property
    def _ends(self) -> tuple[list[arb], list[arb]]:
        """Both atoms: their masses under the law without the record, and log w."""
        epsilon = ball(self.epsilon)
        return [arb(1) / 2, (-epsilon).exp() / 2], [self._mixed(-epsilon), self._mixed(epsilon)]

    @property
    def largest(self) -> arb:
        low, high = self._ends[1]
        return high if self.removed else -low

    def hockey(self, epsilon: arb) -> arb:
        """P[E] - exp(epsilon) Q[E] = slope * H + level, H a hockey-stick divergence of the Laplace pair (Balle et al. 2018)."""
        q, base = ball(self.rate), Laplace(self.epsilon)
        if self.removed:  # (1 - q) N + q Y against N: q Y - (exp(epsilon) - 1 + q) N
            over = (epsilon.exp() - 1 + q) / q
            return q * base.hockey(over.log()) if over > 0 else 1 - epsilon.exp()
        rest = 1 - epsilon.exp() * (1 - q)  # N against (1 - q) N + q Y: rest N - exp(epsilon) q Y
        return rest * base.hockey((epsilon.exp() * q / rest).log()) if rest > 0 else arb(0)

    def exceeds(self, epsilon: arb) -> arb:
        q, base = ball(self.rate), Laplace(self.epsilon)
        level = (epsilon if self.removed else -epsilon).exp() - 1 + q
        if not level > 0:
            return arb(1) if self.removed else arb(0)
        cut = (level / q).log()
        if self.removed:
            return base.exceeds(cut)
        # The event is l < cut; its probability under N and, by symmetry of the Laplace pair, under Y.
        without = 1 - base.exceeds(cut)
        return (1 - q) * without + q * base.exceeds(-cut)

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        a, frequency = (t + 1 if self.removed else -t), float(step.mid()) * (nodes.stop - 1) * (1 + 1e-9)
        panels = math.ceil(self.epsilon)
        count = self._count(frequency, panels)
        weights, losses = self._rule(panels, count)
        if self.removed:
            weights = [weight * loss.exp() for weight, loss in zip(weights, losses, strict=True)]
        sums = powers(weights, [loss if self.removed else -loss for loss in losses], t, step, nodes)
        error = self._error(a, arb(frequency), panels, count)
        return [value + acb(arb(0, error), arb(0, error)) for value in sums]

    def _count(self, frequency: float, panels: int) -> int:
        """How many points per panel, chosen in floats: a poor choice only makes the error bound larger."""
        growth = frequency * float(self.epsilon) / panels * (_ELLIPSE - 1 / _ELLIPSE) / 2
        return math.ceil((_ACCURACY + growth) / (2 * math.log(_ELLIPSE))) + 3

    def _rule(self, panels: int, count: int) -> tuple[list[arb], list[arb]]:
        """Masses and log w of the atoms and of the points of all panels."""
        epsilon, half = ball(self.epsilon), ball(self.epsilon / panels)
        weights, losses = (list(column) for column in self._ends)
        for panel in range(panels):
            centre = -epsilon + (2 * panel + 1) * half
            for point, weight in _legendre(count):
                loss = centre + half * point
                weights.append(half * weight * (-(epsilon + loss) / 2).exp() / 4)
                losses.append(self._mixed(loss))
        return weights, losses

    def _error(self, a: arb, frequency: arb, panels: int, count: int) -> arb:
        epsilon, half, rho = ball(self.epsilon), ball(self.epsilon / panels), arb(_ELLIPSE)
        wide, high = (rho + 1 / rho) / 2 * half, (rho - 1 / rho) / 2 * half
        total = arb(0)
        for panel in range(panels):
            centre = -epsilon + (2 * panel + 1) * half
            furthest = self._mixed(centre + wide if a >= 0 else centre - wide)
            largest = (a * furthest + frequency * high - (epsilon + centre - wide) / 2).exp() / 4
            if not a >= 0:
                largest *= (a * (high / 2).cos().log()).exp()
            total += largest
        return (64 * half / 15 * total * rho ** (2 - 2 * count) / (rho * rho - 1)).upper()

    def envelope(self, t: arb, omega: arb) -> arb:
        """Atoms as they are, and the density integrated by parts: w^s is the derivative of w^(s + 1) / ((s + 1) w').

        h = density / w' = exp(-(epsilon + 3 l) / 2) / (4 q) falls from exp(epsilon) / (4 q), so the boundary terms and the total
        variation of h add up to 2 h(-epsilon), times the largest w^(a + 1), over |s + 1| >= omega.
        """
        a = t + 1 if self.removed else -t
        masses, logs = self._ends
        atoms = sum((mass * (a * log).exp() for mass, log in zip(masses, logs, strict=True)), arb(0))
        top = arb.max(((a + 1) * logs[0]).exp(), ((a + 1) * logs[1]).exp())
        return arb.min(self.moment(t), atoms + ball(self.epsilon).exp() / (2 * ball(self.rate) * omega) * top)

    def effort(self, omega: float) -> int:
        panels = math.ceil(self.epsilon)
        return panels * self._count(omega, panels) + 2
