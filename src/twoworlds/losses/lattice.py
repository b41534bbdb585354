"""The second algorithm: every pair put on a lattice of losses, once so that it is harder to tell apart and once easier.

Write x = exp(epsilon) and d(x) = delta(epsilon) of one pair. A convex falling d with corners only at the points x_i = exp(i h) is
the curve of a pair with losses on the lattice h Z (and, for what is left at the right end, infinity): at x_i it has Q-mass q_i,
the change of slope, and P-mass x_i q_i. For measures of any mass, d of a product of pairs is

    d12(x) = sum over atoms of pair 1 of p d2(x q / p) = sum over atoms j of pair 2 of p_j d1(x q_j / p_j),

so it grows with the curve of each factor. Hence a curve above (below) each pair's gives bounds above (below) for the product:

- above: the chords between the points (x_i, d(x_i)) (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022, "Connect the dots");
- below: tangents of d at points between the lattice's; at each x_i the lower of the two neighbouring tangents, then the lower
  convex hull. This is a real attack: by Blackwell's theorem a smaller curve is a post-processing, here "merge outputs of like
  loss, and now and then pass one for its neighbour".

Both err by the second order of h. Composing the lattice pairs is the contour sum over one period of the lattice, with the
moments from one discrete Fourier transform. Masses, transform and sums are balls, so rounding is covered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple

from flint import acb, arb

from twoworlds.losses.balls import ball, is_number, refine
from twoworlds.losses.composition import Composition, common
from twoworlds.losses.contour import Curve, Need, curve_near
from twoworlds.losses.dominance import Lattice, Pair
from twoworlds.worlds.errors import BadArgument

__all__ = ["Between", "Tabulated", "between", "tabulate"]

_MOST_CELLS = 1 << 15  # whose curve is computed one by one
_TINY = arb(2) ** -400
_WORK = 4e6  # terms: some 50,000 nodes


@dataclass(frozen=True, eq=False)
class Tabulated(Pair):
    """Atoms of P-mass masses[k] at the losses (first + k) * spacing, and a mass at infinity."""

    spacing: Fraction
    first: int
    masses: tuple[arb, ...]
    beyond: arb

    @property
    def infinite(self) -> arb:
        return self.beyond

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        return [self._moment(acb(t, step * k)) for k in nodes]

    def _moment(self, z: acb) -> acb:
        """Horner's rule in exp(z spacing)."""
        turn, total = (z * ball(self.spacing)).exp(), acb(0)
        for mass in reversed(self.masses):
            total = total * turn + mass
        return total * (z * ball(self.first * self.spacing)).exp()

    def moment(self, t: arb) -> arb:
        factor, total = (t * ball(self.spacing)).exp(), arb(0)
        for mass in reversed(self.masses):
            total = total * factor + mass
        return total * (t * ball(self.first * self.spacing)).exp()

    def zone(self, t: arb, points: int, nodes: range) -> list[acb]:
        """One discrete Fourier transform of the tilted masses, folded into one period of 2 * points."""
        factor, weight = (t * ball(self.spacing)).exp(), (t * ball(self.first * self.spacing)).exp()
        folded = [arb(0)] * (2 * points)
        for k, mass in enumerate(self.masses):
            place = (self.first + k) % (2 * points)
            folded[place] += mass * weight
            weight *= factor
        turned = acb.dft([acb(value) for value in folded])
        return [turned[k].conjugate() for k in nodes]

    def hockey(self, epsilon: arb) -> arb:
        losses = (ball((self.first + k) * self.spacing) for k in range(len(self.masses)))
        parts = (mass * arb.max(1 - (epsilon - loss).exp(), arb(0)) for mass, loss in zip(self.masses, losses, strict=True))
        return sum(parts, self.infinite)

    def exceeds(self, epsilon: arb) -> arb:
        losses = (ball((self.first + k) * self.spacing) for k in range(len(self.masses)))
        return sum((m * (-loss).exp() for m, loss in zip(self.masses, losses, strict=True) if loss > epsilon), arb(0))

    def reverse(self) -> Pair:
        raise BadArgument("pair", self, "is a bound in one direction only", "Report this: it is a bug of ours")

    @cached_property
    def largest(self) -> Fraction:
        return (self.first + len(self.masses) - 1) * self.spacing

    @property
    def lattice(self) -> Lattice:
        return Lattice(Fraction(0), self.spacing)

    def effort(self, omega: float) -> int:  # noqa: ARG002  a Fourier transform: some thirty products per node
        return 30


def tabulate(pair: Pair, spacing: Fraction, first: int, last: int, tiny: arb = _TINY) -> tuple[Tabulated, Tabulated]:
    """The pair on the lattice points first .. last (and one more): from below and from above; deltas known at least to `tiny`."""
    xs = [ball(k * spacing).exp() for k in range(first, last + 2)]
    return _below(pair, spacing, first, xs, tiny), _above(pair, spacing, first, xs[:-1], tiny)


def _above(pair: Pair, spacing: Fraction, first: int, xs: Sequence[arb], tiny: arb) -> Tabulated:
    """Chords from (0, 1) to the first point, from point to point, and level after the last."""
    ys = [refine(partial(pair.hockey, x.log()), negligible=tiny) for x in xs]
    corners = [(-1, arb(0), arb(1)), *((k, x, y) for k, (x, y) in enumerate(zip(xs, ys, strict=True)))]
    return Tabulated(spacing, first, _masses(corners, len(xs)), arb.max(ys[-1], arb(0)))


def _below(pair: Pair, spacing: Fraction, first: int, xs: Sequence[arb], tiny: arb) -> Tabulated:
    """At every lattice point the lower of two tangents, so that each chord lies below one of them; down to 0 at the right end."""
    infinite, half = ball(pair.infinite), ball(spacing / 2).exp()
    lines: list[Line] = [Line(arb(0), 1 - infinite, arb(-1))]  # d(x) >= 1 - x
    for x in xs[:-1]:
        epsilon = (x * half).log()
        lines.append(Line(x * half, refine(partial(pair.hockey, epsilon), negligible=tiny) - infinite, -pair.exceeds(epsilon)))
    ys = [arb.min(before.at(x), after.at(x)).lower() for x, before, after in zip(xs, lines, lines[1:], strict=False)]
    ys.append(lines[-1].at(xs[-1]).lower())
    # The chord into the last corner, of height 0, must lie below a tangent too; if not, the corner before it goes down to 0.
    end = next((k for k, y in enumerate(ys) if not y > 0), len(ys) - 1)
    end -= 0 if lines[end].at(xs[end]) >= 0 else 1
    if end < 0:
        return Tabulated(spacing, first, (arb(0),) * len(xs), infinite)
    corners = [(-1, arb(0), 1 - infinite), *((k, xs[k], ys[k]) for k in range(end)), (end, xs[end], arb(0))]
    return Tabulated(spacing, first, _masses(_hull(corners), len(xs)), infinite)


class Line(NamedTuple):
    """y + slope * (. - x)."""

    x: arb
    y: arb
    slope: arb

    def at(self, x: arb) -> arb:
        return self.y + self.slope * (x - self.x)


Corner = tuple[int, arb, arb]  # which lattice point (-1 for x = 0), x and y


def _masses(corners: Sequence[Corner], count: int) -> tuple[arb, ...]:
    """P-masses x * (change of slope) at the corners; the curve is level after the last."""
    slopes = [(y - left_y) / (x - left_x) for (_, left_x, left_y), (_, x, y) in pairwise(corners)]
    masses = [arb(0)] * count
    for (k, x, _), before, after in zip(corners[1:], slopes, [*slopes[1:], arb(0)], strict=True):
        masses[k] = x * arb.max(after - before, arb(0))
    return tuple(masses)


def _hull(corners: Sequence[Corner]) -> list[Corner]:
    """The lower convex hull; a corner that is not surely convex is left out."""
    kept: list[Corner] = []
    for corner in corners:
        while len(kept) > 1:
            (_, x0, y0), (_, x1, y1) = kept[-2:]
            if (y1 - y0) * (corner[1] - x1) < (corner[2] - y1) * (x1 - x0):
                break
            kept.pop()
        kept.append(corner)
    return kept


@dataclass(frozen=True)
class Between:
    """Two curves with the wanted one between them; read like one curve."""

    composition: Composition
    below: Curve | None  # None: nothing but 0
    above: Curve

    @property
    def epsilon(self) -> Fraction:
        return self.above.epsilon

    @property
    def t(self) -> arb:
        return self.above.t

    def bounds(self, epsilon: Fraction) -> arb:
        """A ball around E[(1 - exp(epsilon - L))_+; L < infinity]; what the upper lattice moved to infinity is in it."""
        beyond = self.above.composition.infinite - self.composition.infinite
        low = self.below.bounds(epsilon) if self.below else arb(0)
        high = self.above.bounds(epsilon) + arb.max(beyond, arb(0))
        return arb.max(low.lower(), arb(0)).union(high.upper())


def between(composition: Composition, saddle: arb, need: Need) -> Between | None:
    """Both lattice bounds, fine enough for what is needed; None if that takes too many cells.

    A cell of width h adds (above) or takes (below) up to about h^2 / 12 of variance per release, which moves log delta by
    t (t + 1) / 2 times that.
    """
    t, releases = float(saddle.mid()), sum(count for _, count in composition.terms)
    wanted = min(math.sqrt(4 * need.tolerance / (releases * t * (t + 1))), _span(composition) / 16)
    spacing = _spacing(composition, wanted)
    tail = need.log_delta + math.log(need.tolerance / (16 * releases))
    ranges = [_range(pair, spacing, tail) for pair, _ in composition.terms]
    if sum(last - first for first, last in ranges) > _MOST_CELLS:
        return None
    tiny = (arb(tail) - 30).exp()
    tables = [tabulate(pair, spacing, *ends, tiny) for (pair, _), ends in zip(composition.terms, ranges, strict=True)]
    counts, finer = [count for _, count in composition.terms], replace(need, tolerance=need.tolerance / 8, work=_WORK)
    below, above = (Composition(tuple(zip(side, counts, strict=True))) for side in zip(*tables, strict=True))
    is_trivial = any(not any(mass > 0 for mass in table.masses) for table, _ in tables)
    high = curve_near(above, saddle, finer)
    low = None if is_trivial else curve_near(below, saddle, finer)
    return Between(composition, low, high) if high is not None and (is_trivial or low is not None) else None


def _span(composition: Composition) -> float:
    """The width of the narrowest law of a loss: a pitch must resolve it."""
    both = [(ball(pair.largest), ball(pair.reverse().largest)) for pair, _ in composition.terms]
    return min((float((high + low).mid()) for high, low in both if is_number(high + low)), default=math.inf)


def _spacing(composition: Composition, wanted: float) -> Fraction:
    """At most the wanted pitch; one on which all atoms lie, where there is such a one."""
    base = Fraction(0)
    for pair, _ in composition.terms:
        lattice = pair.lattice or (pair.atoms.lattice if pair.atoms else None)
        for part in (lattice.offset, lattice.spacing) if lattice else ():
            base = common(base, abs(part)) if isinstance(part, Fraction) else base
    base = base or Fraction(1)
    return base / math.ceil(base / Fraction(wanted))


def _range(pair: Pair, spacing: Fraction, log_tail: float) -> tuple[int, int]:
    """The lattice points between which all but exp(log_tail) of the pair lies, on either side."""
    tail = arb(log_tail).exp()
    last = _first_below(pair, spacing, tail)
    first = -_first_below(pair.reverse(), spacing, tail)
    return first, max(last, first + 1)


def _first_below(pair: Pair, spacing: Fraction, tail: arb) -> int:
    """The first lattice point at which the pair's finite delta has fallen to the tail."""

    def is_below(k: int) -> bool:
        return not pair.hockey(ball(k * spacing)) - ball(pair.infinite) > tail

    high = 1
    while not is_below(high) and high < _MOST_CELLS:
        high *= 2
    low = high // 2
    while high - low > 1:
        mid = (low + high) // 2
        low, high = (low, mid) if is_below(mid) else (mid, high)
    return high
