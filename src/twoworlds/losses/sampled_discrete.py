"""Discrete pairs on a Poisson sample: randomized response, tabulated mechanisms, discrete Laplace noise, products of a few."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from twoworlds.losses.balls import ball
from twoworlds.losses.discrete import Atom, Discrete

__all__ = ["SampledDiscrete"]


@dataclass(frozen=True)
class SampledDiscrete(Discrete):
    """((1 - q) N + q Y, N) if removed, else (N, (1 - q) N + q Y), for a discrete pair (Y, N): with the record, and without."""

    base: Discrete
    rate: Fraction
    removed: bool = True

    def __str__(self) -> str:
        return f"{self.base} sampled at {self.rate}{'' if self.removed else ', added'}"

    def reverse(self) -> SampledDiscrete:
        return SampledDiscrete(self.base, self.rate, not self.removed)

    def table(self) -> list[Atom]:
        q, atoms = ball(self.rate), []
        without_only = ball(self.base.reverse().infinite)
        mixed = [((1 - q) * atom.q + q * atom.p, atom.q, (q * atom.loss.expm1()).log1p()) for atom in self.base.table()]
        if without_only > 0:
            mixed.insert(0, ((1 - q) * without_only, without_only, (-q).log1p()))
        for mixture, without, loss in mixed:
            atoms.append(Atom(mixture, without, loss) if self.removed else Atom(without, mixture, -loss))
        return atoms

    @property
    def infinite(self) -> Fraction | arb:
        return ball(self.rate) * ball(self.base.infinite) if self.removed else Fraction(0)
