"""A trade-off curve given by points: the smallest (epsilon, delta) that it satisfies.

The curve is the one that is drawn: straight lines between the points, from no false alarm at all to nothing but false alarms.
Mixing two tests is a test, so points above the lower convex hull say nothing. Everything is rational but the last logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from twoworlds.worlds.errors import BadArgument, InfiniteLoss
from twoworlds.worlds.rationals import Enclosure, exact, float_above, probability

__all__ = ["DrawnCurve", "drawn"]

Point = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class DrawnCurve:
    """The corners of a convex trade-off curve: (type I error, type II error), from (0, .) to (., 0)."""

    corners: tuple[Point, ...]

    def _both(self) -> list[Point]:
        """The corners in both orders of the worlds: swapping the worlds swaps the errors."""
        return [*self.corners, *((b, a) for a, b in self.corners)]

    def tradeoff(self, alpha: object) -> Fraction:
        """The type II error that the drawn curve has at this type I error."""
        at = probability(alpha, "alpha")
        if at >= self.corners[-1][0]:
            return Fraction(0)
        left, right = next(pair for pair in zip(self.corners, self.corners[1:], strict=False) if pair[1][0] > at)
        share = (at - left[0]) / (right[0] - left[0])
        return left[1] + share * (right[1] - left[1])

    def delta(self, epsilon: object) -> float:
        """The smallest delta at this epsilon: the largest 1 - b - e^epsilon a over the corners, in both orders, rounded up."""
        target = exact(epsilon, "epsilon")
        if target < 0:
            raise BadArgument("epsilon", epsilon, "is below 0", "Give an epsilon of 0 or more")
        growth = Enclosure(target).exp().low
        return float_above(max(Fraction(0), *(1 - b - growth * a for a, b in self._both())))

    def epsilon(self, delta: object) -> float:
        """The smallest epsilon at this delta: the largest log((1 - delta - b) / a) over the corners, rounded up."""
        target = exact(delta, "delta")
        if not 0 <= target < 1:
            raise BadArgument("delta", delta, "is not in [0, 1)", "Give a probability of failure below 1")
        largest = Fraction(1)
        for a, b in self._both():
            rest = 1 - target - b
            if rest > 0 and a == 0:
                return math.inf
            if rest > 0:
                largest = max(largest, rest / a)
        return float_above(Enclosure(largest).log().high)

    def frontier(self) -> tuple[tuple[float, float], ...]:
        """Pairs (epsilon, delta) that the curve satisfies, where its delta(epsilon) has corners, from epsilon 0 on."""
        both = sorted({(-b, -a) for a, b in self._both()}, reverse=True)
        ratios = [(b0 - b) / (a - a0) for (b0, a0), (b, a) in pairwise([(-b, -a) for b, a in both]) if a != a0]
        growths = sorted({Fraction(1), *(ratio for ratio in ratios if ratio > 1)})
        return tuple((epsilon, self.delta(epsilon)) for epsilon in (float_above(Enclosure(x).log().high) for x in growths))

    def finite_epsilon(self, delta: object) -> float:
        """A finite epsilon at this delta, or an error that says from which delta on there is one."""
        found = self.epsilon(delta)
        if math.isinf(found):
            least = float(max(1 - b for a, b in self._both() if a == 0))
            raise InfiniteLoss(f"no finite epsilon holds at delta = {delta}", f"This curve needs a delta of {least:g} or more")
        return found


def drawn(points: Iterable[tuple[object, object]]) -> DrawnCurve:
    """The trade-off curve through these points (type I error, type II error); its ends are added where they are missing."""
    try:
        given = [(probability(a, "type I error"), probability(b, "type II error")) for a, b in points]
    except (TypeError, ValueError) as error:
        if isinstance(error, BadArgument):
            raise
        raise BadArgument("points", points, "are not pairs of errors", "Give points like (0.1, 0.6)") from None
    if not given:
        raise BadArgument("points", points, "are empty", "Give at least one point (type I error, type II error)")
    for a, b in given:
        if a + b > 1:
            raise BadArgument("points", (float(a), float(b)), "is worse than guessing", "Keep type I plus type II error within 1")
    return DrawnCurve(_hull([*given, (Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))]))


def _hull(points: list[Point]) -> tuple[Point, ...]:
    """The lower convex hull, from the lowest point at the left down to the first point at height 0."""
    lowest: dict[Fraction, Fraction] = {}
    for a, b in points:
        lowest[a] = min(b, lowest.get(a, b))
    corners: list[Point] = []
    for point in sorted(lowest.items()):
        while len(corners) >= 2 and _turns_up(corners[-2], corners[-1], point):
            corners.pop()
        if not corners or corners[-1][1] > 0:
            corners.append(point)
    return tuple(corners)


def _turns_up(one: Point, middle: Point, other: Point) -> bool:
    """Whether the middle point lies on or above the line between the other two."""
    return (middle[1] - one[1]) * (other[0] - one[0]) >= (other[1] - one[1]) * (middle[0] - one[0])
