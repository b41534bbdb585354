"""delta(epsilon) of a composition by a contour integral, with every error bounded.

Let L be the sum of the losses and M(z) = E[exp(z L); L < infinity] = product of the pairs' moments. For t > 0 the function
f(x) = exp(t x) delta(x) has the Fourier transform M(z) / (z (z + 1)) at z = t + i w, so Poisson's summation formula gives

    sum over j of exp(t j W) delta(epsilon + j W)  =  (1 / W) sum over k of M(z_k) exp(-z_k epsilon) / (z_k (z_k + 1)),

z_k = t + 2 pi i k / W. The term j = 0 is wanted. All others are positive, so the right side is an upper bound by itself:

- j < 0: delta <= 1, so they add up to at most exp(-t W) / (1 - exp(-t W));
- j > 0: delta(x) <= exp(K(u) - u x) u^u / (1 + u)^(1 + u) for any u > t (Chernoff; K = log M), a geometric series in j; they are
  zero once epsilon + W is above the largest loss.

The sum over k is cut at k = N. For |k| > N the moments are at most B, a product of the pairs' envelopes from frequency
2 pi N / W on, so the rest is at most exp(-t epsilon) B W / (2 pi^2 N).

If all losses lie on a lattice of spacing g and W is a multiple of g, the same formula holds with W / g nodes and the transform of
the function on the lattice in place of 1 / (z (z + 1)). Nothing is cut then; or if so, then with a bound on M between the cut and
the end pi / g of the lattice's own period.

If every pair has atoms and a density beside them (Laplace noise), M does not vanish far out: the part of the law where every loss
is an atom, with transform A(z), never does. That part lies on a lattice; it is computed there, and the line carries M - A, which
is at most sum over pairs of count * (density's envelope) * (all other envelopes).

All of it runs in ball arithmetic: rounding is in the radius. The cost does not depend on the number of compositions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

from flint import acb, arb

from twoworlds.losses.balls import ball, is_number
from twoworlds.losses.composition import Composition
from twoworlds.losses.dominance import Lattice
from twoworlds.losses.waves import Wave

__all__ = ["Curve", "Need", "curve_for", "curve_near", "log_prefactor"]

_ZERO = arb(0)
_FACTORS = (0.5, 0.65, 0.8, 0.9, 1.0, 1.12, 1.25, 1.5, 2.0, 3.0, 5.0)  # lines and Chernoff bounds tried, around the saddle


@dataclass(frozen=True)
class Curve:
    """The composed law on one vertical line: bounds delta(epsilon) of the finite losses for any epsilon, best near its own."""

    composition: Composition
    epsilon: Fraction  # where it is best
    t: arb
    period: arb
    beyond: tuple[tuple[arb, arb], ...]  # (u, K(u) + log(u^u / (1 + u)^(1 + u))) for some u > t
    line: tuple[acb, ...] = ()
    line_rest: arb = _ZERO  # bounds the moments beyond the last node of the line
    lattice: Lattice | None = None
    points: int = 0  # lattice points in half a period
    on_lattice: tuple[acb, ...] = ()
    lattice_rest: arb = _ZERO  # bounds the moments between the last node and the middle of the period

    def bounds(self, epsilon: Fraction) -> arb:
        """A ball around E[(1 - exp(epsilon - L))_+; L < infinity]."""
        if self.composition.is_within(epsilon):
            return arb(0)
        total = (self._line_sum(epsilon) if self.line else arb(0)) + (self._lattice_sum(epsilon) if self.lattice else arb(0))
        low = total - self._left() - self._right(epsilon)
        both = arb.max(low, arb(0)).union(arb.max(total, arb(0)))
        return both if is_number(both) else arb(0).union(arb(1))  # a sum that is no number says nothing

    @cached_property
    def _line_wave(self) -> Wave:
        step = 2 * arb.pi() / self.period
        points = (acb(self.t, step * k) for k in range(len(self.line)))
        return Wave([v / (z * (z + 1)) * (2 if k else 1) for k, (v, z) in enumerate(zip(self.line, points, strict=True))])

    def _line_sum(self, epsilon: Fraction) -> arb:
        total = self._line_wave.at(-2 * ball(epsilon) / self.period).real
        scale = (-self.t * ball(epsilon)).exp() / self.period
        cut = scale * self.line_rest * self.period**2 / (2 * arb.pi() ** 2 * (len(self.line) - 1))
        return scale * total + arb(0, cut.upper())

    @cached_property
    def _lattice_waves(self) -> tuple[Wave, Wave]:
        """For the lattice points >= 0, and for the same times exp(-l): a geometric series per node each."""
        assert self.lattice is not None
        gap, step, ones, twos = ball(self.lattice.spacing), 2 * arb.pi() / self.period, [], []
        for k, value in enumerate(self.on_lattice):
            z = acb(self.t, step * k)
            weighted = value * (1 if k in (0, self.points) else 2)
            ones.append(weighted / (1 - (-z * gap).exp()))
            twos.append(weighted / (1 - (-(z + 1) * gap).exp()))
        return Wave(ones), Wave(twos)

    def _lattice_sum(self, epsilon: Fraction) -> arb:
        """The sum over lattice points l >= first of P[L = l] (1 - exp(epsilon - l))."""
        assert self.lattice is not None
        first, over = _first_above(self.lattice, epsilon)
        turn, (ones, twos) = -2 * first / self.period, self._lattice_waves
        total = ones.at(turn) - over.exp() * twos.at(turn)
        below = arb.max(over.expm1(), arb(0)).upper()  # the first point may be a rounding error below epsilon
        scale = (-self.t * first).exp()
        # |1 - exp(-z g)| >= 1 - exp(-t g), so no kernel is above 2 / (1 - exp(-t g)).
        cut = 2 * self.lattice_rest / (1 - (-self.t * ball(self.lattice.spacing)).exp())
        return scale * (total.real / (2 * self.points) + arb(0, cut.upper())) + arb(0, below)

    def _left(self) -> arb:
        decay = (-self.t * self.period).exp()
        return decay / (1 - decay)

    def _right(self, epsilon: Fraction) -> arb:
        if self.composition.is_within(ball(epsilon) + self.period):
            return arb(0)
        best = arb("inf")
        for u, log_bound in self.beyond:
            ratio = ((self.t - u) * self.period).exp()
            best = arb.min(best, (log_bound - u * ball(epsilon)).exp() * ratio / (1 - ratio))
        return best


def _first_above(lattice: Lattice, epsilon: Fraction) -> tuple[arb, arb]:
    """The first lattice point at epsilon or above, and epsilon minus that point."""
    if isinstance(lattice.offset, Fraction) and isinstance(lattice.spacing, Fraction):
        first = lattice.offset + math.ceil((epsilon - lattice.offset) / lattice.spacing) * lattice.spacing
        return ball(first), ball(epsilon - first)
    steps = ((ball(epsilon) - ball(lattice.offset)) / ball(lattice.spacing)).lower().ceil()
    above = ball(lattice.offset) + steps * ball(lattice.spacing)
    return above, ball(epsilon) - above


def log_prefactor(u: arb) -> arb:
    """log of sup over x of (1 - exp(-x)) exp(-u x) = u^u / (1 + u)^(1 + u)."""
    return u * u.log() - (1 + u) * (1 + u).log()


@dataclass(frozen=True)
class Need:
    """Know delta near exp(log_delta), at this epsilon, to the relative tolerance, with at most so much work."""

    epsilon: Fraction
    log_delta: float
    tolerance: float
    work: float

    @property
    def decay(self) -> float:
        """What is left out must be below exp(-decay)."""
        return math.log(16 / self.tolerance) - self.log_delta

    def affords(self, composition: Composition, nodes: int, step: arb) -> bool:
        """Whether so many nodes are within the work; each also costs its part of the sums over all nodes."""
        return nodes * (composition.effort(nodes * float(step.mid())) + 40) <= self.work


def curve_near(composition: Composition, saddle: arb, need: Need) -> Curve | None:
    """A curve that knows what is needed, or None if it takes more work than allowed."""
    start = _place(composition, saddle, need)
    if start is None:
        return None
    if composition.lattice is not None:
        return _on_lattice(start, composition, need)
    nodes = _enough(start, need, split=False)
    if nodes is not None:
        return _on_line(start, nodes, split=False)
    atoms = composition.atoms
    beside = _on_lattice(start, atoms, need) if atoms is not None else None
    nodes = _enough(beside, need, split=True) if beside is not None else None
    return _on_line(beside, nodes, split=True) if beside is not None and nodes is not None else None


def curve_for(composition: Composition, saddle: arb, need: Need) -> Curve | None:
    """The best curve that the work allows, be it enough or not: its bounds hold in any case. None if it allows nothing."""
    start = _place(composition, saddle, need)
    if start is None or not need.affords(composition, 16, 2 * arb.pi() / start.period):
        return None
    nodes = 16
    while need.affords(composition, 2 * nodes, 2 * arb.pi() / start.period):
        nodes *= 2
    return _on_line(start, nodes, split=False)


def _place(composition: Composition, saddle: arb, need: Need) -> Curve | None:
    """The line and period that need the fewest nodes: both neighbours of the wanted term must be small enough.

    A line left of the saddle costs a little in the height of the integrand, and gains room for the Chernoff bound on the right.
    """
    heights = [(saddle * factor, _height(composition, saddle * factor)) for factor in _FACTORS]
    heights = [(t, height) for t, height in heights if is_number(height)]
    log_bounds = [height + log_prefactor(u) for u, height in heights]
    at, largest = float(need.epsilon), ball(composition.largest)
    room = float((largest - ball(need.epsilon)).upper()) * (1 + 1e-9) if is_number(largest) else math.inf
    best: tuple[float, float, arb] | None = None
    for t, height in heights:
        if best is not None and t > saddle:
            break
        after = [(u, bound) for (u, _), bound in zip(heights, log_bounds, strict=True) if u > t]
        rights = [float(((bound - u * at + need.decay) / (u - t)).mid()) for u, bound in after]
        period = max(need.decay / float(t.mid()), min([*rights, room]))
        cost = period * math.sqrt(max(float((height - t * at).mid()) + need.decay, 1.0))
        if best is None or cost < best[0]:
            best = cost, period, t
    if best is None or not math.isfinite(best[1]):
        return None
    beyond = tuple((u, bound) for (u, _), bound in zip(heights, log_bounds, strict=True) if u > best[2])
    return Curve(composition, need.epsilon, best[2], arb(best[1]), beyond)


@lru_cache(maxsize=1024)
def _height(composition: Composition, t: arb) -> arb:
    return composition.log_moment(t)


def _enough(start: Curve, need: Need, *, split: bool) -> int | None:
    """How many nodes until the rest of the sum is small enough; None if that is too much work."""
    step = 2 * arb.pi() / start.period
    unit = float((-start.t * ball(need.epsilon) + (start.period / (2 * arb.pi() ** 2)).log()).mid()) + need.decay
    nodes = 16
    while need.affords(start.composition, nodes, step):
        rest = start.composition.envelope(start.t, step * nodes, split=split)
        if rest < arb(math.log(nodes) - unit).exp():
            return nodes
        nodes = nodes * 4 // 3
    return None


def _on_line(start: Curve, nodes: int, *, split: bool) -> Curve:
    step = 2 * arb.pi() / start.period
    values = start.composition.moments(start.t, step, range(nodes + 1))
    if split and start.composition.atoms is not None:
        atoms = start.composition.atoms.moments(start.t, step, range(nodes + 1))
        values = [value - atom for value, atom in zip(values, atoms, strict=True)]
    return replace(start, line=tuple(values), line_rest=start.composition.envelope(start.t, step * nodes, split=split))


def _on_lattice(start: Curve, composition: Composition, need: Need) -> Curve | None:
    """Nodes for a composition on a lattice: all of them if they are few, else up to where the moments have died away."""
    lattice = composition.lattice
    assert lattice is not None
    points = math.ceil(float((start.period / (2 * ball(lattice.spacing))).upper())) + 1
    period = 2 * points * ball(lattice.spacing)
    step, nodes, rest = 2 * arb.pi() / period, points, arb(0)
    if points > 64:
        gap = ball(lattice.spacing)
        unit = float((-start.t * ball(need.epsilon) - (1 - (-start.t * gap).exp()).log()).mid()) + need.decay
        enough = 32
        while enough < points and not composition.zone_envelope(start.t, step * enough) < arb(-unit).exp():
            enough = enough * 4 // 3
        if enough < points:
            nodes, rest = enough, composition.zone_envelope(start.t, step * enough)
    if not need.affords(composition, nodes, step):
        return None
    values = composition.zone(start.t, points, range(nodes + 1))
    return replace(start, period=period, lattice=lattice, points=points, on_lattice=tuple(values), lattice_rest=rest)
