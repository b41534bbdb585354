"""delta(epsilon) of a composition by a contour integral, with every error bounded.

Let L be the sum of the losses and M(z) = E[exp(z L); L < infinity] = product of the pairs' moments. For t > 0 the function
f(x) = exp(t x) delta(x) has the Fourier transform M(z) / (z (z + 1)) at z = t + i w, so Poisson's summation formula gives

    sum over j of exp(t j W) delta(epsilon + j W)  =  (1 / W) sum over k of M(z_k) exp(-z_k epsilon) / (z_k (z_k + 1)),

z_k = t + 2 pi i k / W. The term j = 0 is wanted. All others are positive, so the right side is an upper bound by itself:

- j < 0: delta <= 1, so they add up to at most exp(-t W) / (1 - exp(-t W));
- j > 0: delta(x) <= exp(K(u) - u x) u^u / (1 + u)^(1 + u) for any u > t (Chernoff; K = log M), a geometric series in j; they are
  zero once epsilon + W is above the largest loss.

The sum over k is cut at k = N. For |k| > N the moments are at most B = product of the pairs' envelopes from frequency
2 pi (N + 1) / W on, so the rest is at most exp(-t epsilon) B W / (2 pi^2 N).

If all losses lie on a lattice of spacing g and W = N g, the same formula holds with N nodes and the transform of the function
on the lattice in place of 1 / (z (z + 1)); then nothing is cut.

All of it runs in ball arithmetic: rounding is in the radius. The cost does not depend on the number of compositions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import acb, arb

from twoworlds.losses.balls import ball, is_number
from twoworlds.losses.pairs import Lattice, Pair
from twoworlds.worlds.errors import BadArgument

__all__ = ["Composition", "Curve", "curve_at", "tilt_for_delta", "tilt_for_epsilon"]

_MOST_NODES = 1 << 14  # more nodes than this on one line are not worth their time
_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True)
class Composition:
    """Pairs with counts, all in one direction."""

    terms: tuple[tuple[Pair, int], ...]

    @cached_property
    def infinite(self) -> arb:
        """P[L = infinity]."""
        finite = arb(1)
        for pair, count in self.terms:
            finite *= (1 - ball(pair.infinite)) ** count
        return 1 - finite

    @cached_property
    def largest(self) -> Fraction | arb:
        """The supremum of the finite losses, exact where it is rational."""
        tops = [(pair.largest, count) for pair, count in self.terms]
        exact = sum((count * top for top, count in tops if isinstance(top, Fraction)), Fraction(0))
        loose = [count * top for top, count in tops if isinstance(top, arb)]
        return sum(loose, ball(exact)) if loose else exact

    @cached_property
    def lattice(self) -> Lattice | None:
        """The common lattice of all finite losses."""
        offset, spacing = Fraction(0), Fraction(0)
        for pair, count in self.terms:
            if pair.lattice is None:
                return None
            offset += count * pair.lattice.offset
            spacing = _common(spacing, pair.lattice.spacing)
        return Lattice(offset, spacing) if spacing else None

    def log_moment(self, t: arb) -> arb:
        """K(t) = log E[exp(t L); L < infinity]."""
        return sum((count * pair.moment(t).log() for pair, count in self.terms), arb(0))

    def envelope(self, t: arb, omega: arb) -> arb:
        """A bound on |M(t + i w)| for all w >= omega."""
        bound = arb(1)
        for pair, count in self.terms:
            bound *= pair.envelope(t, omega) ** count
        return bound

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        """M at z = t + i k step for k in nodes."""
        products = [acb(1)] * len(nodes)
        for pair, count in self.terms:
            products = [p * m**count for p, m in zip(products, pair.moments(t, step, nodes), strict=True)]
        return products

    def is_within(self, epsilon: Fraction | arb) -> bool:
        """Whether no finite loss is above epsilon, for sure."""
        if isinstance(self.largest, Fraction) and isinstance(epsilon, Fraction):
            return self.largest <= epsilon
        return bool(ball(self.largest) <= ball(epsilon))


def _common(one: Fraction, other: Fraction) -> Fraction:
    """The greatest common divisor of two rationals."""
    bottom = one.denominator * other.denominator
    return Fraction(math.gcd(one.numerator * other.denominator, other.numerator * one.denominator), bottom)


@dataclass(frozen=True)
class Curve:
    """The composed law on one vertical line: bounds delta(epsilon) of the finite losses for any epsilon, best near its own."""

    composition: Composition
    t: arb
    period: arb
    values: tuple[acb, ...]
    rest: arb  # bounds the moments beyond the last node
    on_lattice: bool
    beyond: tuple[tuple[arb, arb], ...]  # (u, K(u) + log(u^u / (1 + u)^(1 + u))) for some u > t

    def bounds(self, epsilon: Fraction) -> arb:
        """A ball around E[(1 - exp(epsilon - L))_+; L < infinity]."""
        if self.composition.is_within(epsilon):
            return arb(0)
        total = self._lattice_sum(epsilon) if self.on_lattice else self._line_sum(epsilon)
        low = total - self._left() - self._right(epsilon)
        both = arb.max(low, arb(0)).union(arb.max(total, arb(0)))
        if not is_number(both):
            raise BadArgument("epsilon", epsilon, "has no bounded contour sum", "Report this: it is a bug of ours")
        return both

    def _line_sum(self, epsilon: Fraction) -> arb:
        step = 2 * arb.pi() / self.period
        turn = -step * ball(epsilon)
        total = arb(0)
        for k, value in enumerate(self.values):
            z = acb(self.t, step * k)
            total += (value * acb(0, turn * k).exp() / (z * (z + 1))).real * (2 if k else 1)
        scale = (-self.t * ball(epsilon)).exp() / self.period
        cut = scale * self.rest * self.period**2 / (2 * arb.pi() ** 2 * (len(self.values) - 1))
        return scale * total + arb(0, 1) * cut.abs_upper()

    def _lattice_sum(self, epsilon: Fraction) -> arb:
        lattice = self.composition.lattice
        assert lattice is not None
        above = math.ceil((epsilon - lattice.offset) / lattice.spacing)
        gap, first = ball(lattice.spacing), ball(lattice.offset + above * lattice.spacing)
        over = ball(epsilon - lattice.offset - above * lattice.spacing).exp()
        step, half = 2 * arb.pi() / self.period, len(self.values) - 1
        total = arb(0)
        for k, value in enumerate(self.values):
            z = acb(self.t, step * k)
            kernel = 1 / (1 - (-z * gap).exp()) - over / (1 - (-(z + 1) * gap).exp())
            total += (value * (-z * first).exp() * kernel).real * (1 if k in (0, half) else 2)
        return total / (2 * half)

    def _left(self) -> arb:
        decay = (-self.t * self.period).exp()
        return decay / (1 - decay)

    def _right(self, epsilon: Fraction) -> arb:
        if self.composition.is_within(ball(epsilon) + self.period):
            return arb(0)
        best = arb(1)
        for u, log_bound in self.beyond:
            ratio = ((self.t - u) * self.period).exp()
            best = arb.min(best, (log_bound - u * ball(epsilon)).exp() * ratio / (1 - ratio))
        return best


def _log_prefactor(u: arb) -> arb:
    """log of sup over x of (1 - exp(-x)) exp(-u x) = u^u / (1 + u)^(1 + u)."""
    return u * u.log() - (1 + u) * (1 + u).log()


def curve_at(composition: Composition, t: arb, epsilon: Fraction, log_delta: float, tolerance: float) -> Curve:
    """Choose period and nodes so that delta near exp(log_delta) at this epsilon is known to the relative tolerance."""
    margin = math.log(16 / tolerance)
    period, beyond = _period(composition, t, epsilon, margin - log_delta)
    lattice = composition.lattice
    if lattice is not None:
        half = math.ceil(float((period / ball(lattice.spacing) / 2).upper())) + 1
        if half <= _MOST_NODES:
            period = ball(2 * half * lattice.spacing)
            values = composition.moments(t, 2 * arb.pi() / period, range(half + 1))
            return Curve(composition, t, period, tuple(values), arb(0), True, beyond)
    step = 2 * arb.pi() / period
    cut_unit = -t * ball(epsilon) + (period / (2 * arb.pi() ** 2)).log() - log_delta + margin
    nodes = 16
    while nodes < _MOST_NODES and not cut_unit + composition.envelope(t, step * (nodes + 1)).log() - math.log(nodes) < 0:
        nodes *= 2
    values = composition.moments(t, step, range(nodes + 1))
    return Curve(composition, t, period, tuple(values), composition.envelope(t, step * (nodes + 1)), False, beyond)


def _period(composition: Composition, t: arb, epsilon: Fraction, decay: float) -> tuple[arb, tuple[tuple[arb, arb], ...]]:
    """A period at which both neighbours of the wanted term are below exp(-decay), and the Chernoff bounds that show it."""
    left = decay / float(t.mid())
    best, beyond = math.inf, []
    for factor in (1.25, 1.5, 2.0, 3.0, 5.0):
        u = t * factor
        log_bound = composition.log_moment(u) + _log_prefactor(u)
        if is_number(log_bound):
            beyond.append((u, log_bound))
            best = min(best, float(((log_bound - u * ball(epsilon) + decay) / (u - t)).mid()))
    if isinstance(composition.largest, Fraction) or is_number(composition.largest):
        best = min(best, float((ball(composition.largest) - ball(epsilon)).upper()) * (1 + 1e-9))
    return arb(max(left, best)), tuple(beyond)


def tilt_for_delta(composition: Composition, epsilon: Fraction) -> arb:
    """The t > 0 that makes the integrand smallest where the line meets the real axis: its saddle point."""

    def height(t: arb) -> arb:
        return composition.log_moment(t) - t * ball(epsilon) - t.log() - (1 + t).log()

    return _least(height)


def tilt_for_epsilon(composition: Composition, log_delta: float) -> tuple[arb, arb]:
    """The t with the least Chernoff bound on epsilon at this delta, and the bound.

    epsilon <= (K(t) + log(1 / delta) + log(t^t / (1 + t)^(1 + t))) / t, which is the conversion from Renyi divergence
    (Canonne, Kamath and Steinke 2020, proposition 12).
    """

    def bound(t: arb) -> arb:
        return (composition.log_moment(t) - log_delta + _log_prefactor(t)) / t

    t = _least(bound)
    return t, bound(t)


def _least(function: object) -> arb:
    """Minimise a function with one valley over t > 0 (a heuristic: any t is valid, a good one is fast)."""
    assert callable(function)

    def value(logarithm: float) -> float:
        result = function(arb(math.exp(logarithm)))
        return float(result.mid()) if is_number(result) else math.inf

    low, mid, width = 0.0, 0.5, 0.5
    # Walk downhill with growing strides until the valley is bracketed, then narrow the bracket by the golden section.
    if value(low) < value(mid):
        low, mid, width = mid, low, -0.5
    high = mid + width
    while value(high) < value(mid) and abs(high) < 60:
        width *= 1.6
        low, mid, high = mid, high, high + width
    one, two = sorted((low, high))
    while two - one > 0.01:
        left, right = two - _GOLDEN * (two - one), one + _GOLDEN * (two - one)
        if value(left) < value(right):
            two = right
        else:
            one = left
    return arb(math.exp((one + two) / 2))
