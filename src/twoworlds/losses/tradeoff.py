"""Trade-off curves: the least type II error of any test at each type I error, and its duality with delta(epsilon).

Write x = exp(epsilon) and d(x) = delta(epsilon): d is convex, falls from d(0) = 1 to 0, and

    type II error at alpha = sup over x >= 0 of 1 - d(x) - alpha x    (Wasserman and Zhou 2010; Dong, Roth and Su 2022).

Every x gives a guarantee, a lower bound on the error of any test. For the other side d must be bounded from below at every x,
not only where it was computed: beyond two points a convex function lies above their secant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb

from twoworlds.losses.balls import ball, float_above, float_below, highest, lowest, precision
from twoworlds.losses.composition import Composition
from twoworlds.losses.discrete import Discrete
from twoworlds.losses.solving import reader

__all__ = ["INVISIBLE", "Table", "grid", "table", "type_two"]

_OFFSETS = (0.0, 0.002, 0.006, 0.02, 0.06, 0.2, 0.6)  # how far from the best epsilon d is computed, on both sides
_ROUGH, _FINE = 1e-3, 1e-4
INVISIBLE = 1e-6  # a drawn curve need not know smaller deltas any better
_MOST_CORNERS = 256


@dataclass(frozen=True)
class Table:
    """d at rising points: pairs (x, d(x)) of balls."""

    xs: tuple[arb, ...]
    ys: tuple[arb, ...]

    def type_two(self, alpha: Fraction) -> tuple[float, float]:
        """Floats around the least type II error at this type I error."""
        with precision():
            at = ball(alpha)
            guaranteed = float_below(highest(1 - y - x * at for x, y in zip(self.xs, self.ys, strict=True)))
            reachable = float_above(1 - self._least_sum(at))
            low = max(guaranteed, 0.0)
            return low, max(min(reachable, float_above(1 - at)), low)

    def _least_sum(self, alpha: arb) -> arb:
        """A lower bound on min over x >= 0 of d(x) + alpha x.

        Between two points the secants of the neighbours on both sides are below d. Any mean of the two is a line below d, and a
        line is smallest at an end; the mean is chosen to be as level as possible against alpha x.
        """
        xs, ys = [arb(0), *self.xs], [arb(1), *self.ys]
        last = len(xs) - 1
        bounds = []
        for i in range(last):
            lines = []
            if i >= 1:
                lines.append(Line(xs[i], ys[i].lower(), (ys[i].lower() - ys[i - 1].upper()) / (xs[i] - xs[i - 1])))
            if i + 2 <= last:
                slope = (ys[i + 2].upper() - ys[i + 1].lower()) / (xs[i + 2] - xs[i + 1])
                lines.append(Line(xs[i + 1], ys[i + 1].lower(), slope))
            bounds.append(_least_between(lines, xs[i], xs[i + 1], alpha))
        falling = (ys[last].lower() - ys[last - 1].upper()) / (xs[last] - xs[last - 1])
        bounds.append(alpha * xs[last] + (ys[last].lower() if falling + alpha > 0 else arb(0)))
        return lowest(bounds)

    def gaussian_bound(self) -> arb:
        """A mu whose curve N(0, 1) against N(mu, 1) is nowhere above the supporting lines 1 - d(x_i) - alpha x_i.

        A convex curve is below a polygon if it is below at the corners; there mu must be at least Phi^-1(1 - a) - Phi^-1(b). The
        table must reach from the smallest loss to the largest, so that the polygon ends in (0, 1) and (1, 0).
        """
        mus = [arb(0)]
        for a, b in self._corners():
            if not (a > 0 and b > 0):
                return arb("inf")
            mus.append(_quantile(1 - a) - _quantile(b))
        return highest(mus)

    def _corners(self) -> list[tuple[arb, arb]]:
        """Where the highest of the supporting lines changes: the hull of the points (x, d(x)), read as lines."""
        kept: list[tuple[arb, arb]] = []
        for x, y in zip(self.xs, (y.upper() for y in self.ys), strict=True):
            while len(kept) > 1:
                (x0, y0), (x1, y1) = kept[-2:]
                if (y1 - y0) * (x - x1) < (y - y1) * (x1 - x0):
                    break
                kept.pop()
            kept.append((x, y))
        meets = [((y0 - y1) / (x1 - x0), x0, y0) for (x0, y0), (x1, y1) in pairwise(kept)]
        return [(a, 1 - y - a * x) for a, x, y in meets]


@dataclass(frozen=True)
class Line:
    """y + slope * (. - x)."""

    x: arb
    y: arb
    slope: arb


def _least_between(lines: Sequence[Line], left: arb, right: arb, alpha: arb) -> arb:
    """A lower bound on max(lines, 0) + alpha x over [left, right]."""
    if not lines:
        return alpha * left
    slopes = [float((line.slope + alpha).mid()) for line in lines]
    share = 1.0
    if len(lines) == 2:
        share = slopes[1] / (slopes[1] - slopes[0]) if slopes[0] < 0 < slopes[1] else float(slopes[1] > 0)
        share = 0.0 if math.isnan(share) else share  # both slopes beyond floats; any share is valid
    shares = [arb(share), 1 - arb(share)][: len(lines)]  # in floats they need not add up to 1

    def height(x: arb) -> arb:
        return sum((s * (line.y + line.slope * (x - line.x)) for s, line in zip(shares, lines, strict=True)), alpha * x)

    return arb.max(arb.min(height(left), height(right)), alpha * left)


def _quantile(p: arb) -> arb:
    """Phi^-1."""
    return (2 * p - 1).erfinv() * arb(2).sqrt()


def grid(direction: Composition, top: Fraction, steps: int) -> list[Fraction]:
    """Epsilons from -top to top, evenly, and those where the curve has corners as far as they are known."""
    points = {top * (k - steps) / steps for k in range(2 * steps + 1)}
    return sorted(points | {corner for corner in _corners(direction) if abs(corner) <= top})


def _corners(direction: Composition) -> list[Fraction]:
    """Where the curve has corners, if they are known and few."""
    losses = direction.alone.losses() if isinstance(direction.alone, Discrete) else []
    near = [float(loss.mid()) for loss in losses] if len(losses) <= _MOST_CORNERS else []
    return [Fraction(loss) for loss in near if math.isfinite(loss)]


def table(direction: Composition, epsilons: Sequence[Fraction], width: float = _ROUGH, negligible: float = 0.0) -> Table:
    """d at these epsilons (rising, of either sign), relatively as close as asked or closer than what is negligible."""
    with precision():
        xs = tuple(ball(epsilon).exp() for epsilon in epsilons)
        return Table(xs, tuple(reader(direction).delta(epsilon, width, negligible) for epsilon in epsilons))


def type_two(direction: Composition, alpha: Fraction) -> tuple[float, float]:
    """Floats around the least type II error at type I error alpha."""
    if alpha in (0, 1):
        # At 0 the supremum is its limit at infinity: all but what P shows and Q never does.
        value = 1 - direction.infinite if alpha == 0 else arb(0)
        return max(float_below(value), 0.0), float_above(value)
    with precision():
        at = ball(alpha)
        read = reader(direction).delta

        def height(epsilon: float) -> float:
            point = Fraction(epsilon)
            return float((read(point, _ROUGH) + ball(point).exp() * at).mid())

        best = _lowest_point(height)
        points = {Fraction(best + sign * offset) for offset in _OFFSETS for sign in (-1, 1)}
        points |= {corner for corner in _corners(direction) if abs(corner - Fraction(best)) < _OFFSETS[-1]}
        return table(direction, sorted(points), _FINE).type_two(alpha)


def _lowest_point(height: Callable[[float], float]) -> float:
    """About where a function with one valley is lowest, to 0.002: strides from 0, then the golden section."""
    low, mid, stride = -0.25, 0.0, 0.25
    if height(low) < height(mid):
        low, mid, stride = mid, low, -stride
    high = mid + stride
    while height(high) < height(mid) and abs(high) < 700:
        stride *= 1.6
        low, mid, high = mid, high, high + stride
    one, two = sorted((low, high))
    golden = (math.sqrt(5) - 1) / 2
    while two - one > 2e-3:
        left, right = two - golden * (two - one), one + golden * (two - one)
        one, two = (one, right) if height(left) < height(right) else (left, two)
    return (one + two) / 2
