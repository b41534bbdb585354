"""Trade-off curves: the least type II error of any test at each type I error, and its duality with delta(epsilon).

Write x = exp(epsilon) and d(x) = delta(epsilon): d is convex, falls from d(0) = 1 to 0, and

    type II error at alpha = sup over x >= 0 of 1 - d(x) - alpha x    (Wasserman and Zhou 2010; Dong, Roth and Su 2022).

Every x gives a guarantee, a lower bound on the error of any test. For the other side d must be bounded from below at every x,
not only where it was computed: beyond two points a convex function lies above their secant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb

from twoworlds.losses.balls import ball, float_above, float_below, precision

__all__ = ["least_sum", "type_two"]

_GOLDEN = 0.6180339887498949


def type_two(delta: Callable[[Fraction, float], arb], alpha: Fraction) -> tuple[float, float]:
    """Floats around the least type II error at type I error alpha, given delta(epsilon, width) for epsilon in R."""
    at = ball(alpha)
    if alpha == 0:  # the supremum is the limit x -> infinity: what is left is the chance that P shows what Q never does
        return max(float_below(1 - delta(Fraction(10**6), 1e-3)), 0.0), 1.0

    def height(epsilon: float) -> float:
        point = Fraction(epsilon)
        return float((delta(point, 1e-6) + ball(point).exp() * at).mid())

    low, high = -30.0, float((-at.log()).upper()) + 1.0
    while high - low > 1e-3:
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        low, high = (low, right) if height(left) < height(right) else (left, high)
    with precision():
        points = [Fraction((low + high) / 2 + 1e-3 * k) for k in range(-2, 3)]
        xs = [ball(point).exp() for point in points]
        ys = [delta(point, 1e-9) for point in points]
        guaranteed = max(float_below(1 - y - x * at) for x, y in zip(xs, ys, strict=True))
        reachable = float_above(1 - least_sum(xs, ys, at))
    return max(guaranteed, 0.0), min(max(reachable, 0.0), float_above(1 - at))


def least_sum(xs: Sequence[arb], ys: Sequence[arb], alpha: arb) -> arb:
    """A lower bound on min over x >= 0 of d(x) + alpha x, for a convex d >= 0 that meets the balls ys at xs > 0 and 1 at 0.

    Between two known points the secants of the neighbours on both sides are below d. Any mean of the two is a line below d, and
    a line is smallest at an end; the mean is chosen to be as level as possible against alpha x.
    """
    xs, ys = [arb(0), *xs], [arb(1), *ys]
    last = len(xs) - 1
    bounds = []
    for i in range(last):
        lines = []
        if i >= 1:
            lines.append((xs[i], ys[i].lower(), _slope(xs, ys[i - 1].upper(), ys[i].lower(), i - 1)))
        if i + 2 <= last:
            lines.append((xs[i + 1], ys[i + 1].lower(), _slope(xs, ys[i + 1].lower(), ys[i + 2].upper(), i + 1)))
        bounds.append(_least_between(lines, xs[i], xs[i + 1], alpha))
    falling = _slope(xs, ys[last - 1].upper(), ys[last].lower(), last - 1)
    bounds.append(ys[last].lower() + alpha * xs[last] if falling + alpha > 0 else alpha * xs[last])
    best = bounds[0]
    for bound in bounds[1:]:
        best = arb.min(best, bound)
    return best


def _slope(xs: Sequence[arb], y_left: arb, y_right: arb, i: int) -> arb:
    return (y_right - y_left) / (xs[i + 1] - xs[i])


def _least_between(lines: list[tuple[arb, arb, arb]], left: arb, right: arb, alpha: arb) -> arb:
    """A lower bound on max(lines, 0) + alpha x over [left, right]."""
    if not lines:
        return alpha * left
    slopes = [float((slope + alpha).mid()) for _, _, slope in lines]
    share = 1.0
    if len(lines) == 2 and slopes[0] < 0 < slopes[1]:
        share = slopes[1] / (slopes[1] - slopes[0])
    elif len(lines) == 2:
        share = 0.0 if slopes[1] <= 0 else 1.0
    shares = [share, 1 - share][: len(lines)]

    def height(x: arb) -> arb:
        return sum((s * (y + slope * (x - at)) for s, (at, y, slope) in zip(shares, lines, strict=True)), alpha * x)

    return arb.max(arb.min(height(left), height(right)), alpha * left)
