"""The chart of this field: how well any test can tell two worlds apart, and what an adversary has achieved."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from twoworlds.figures import checks
from twoworlds.figures.charts import Axis, Chart
from twoworlds.figures.checks import Ink, Point, Undrawable
from twoworlds.figures.series import Area, Dot, Dots, Line, Series

__all__ = ["tradeoff"]

CLAIMS: tuple[Ink, ...] = ("first", "third", "fourth", "fifth")
DIAGONAL = ((0.0, 1.0), (1.0, 0.0))
STEP = 10 / 9
Curve = Sequence[Point]


def tradeoff(
    title: str,
    claims: Mapping[str, Curve],
    observed: Sequence[Dot] = (),
    *,
    band: tuple[Curve, Curve] | None = None,
    floor: float | None = None,
    description: str = "",
) -> Chart:
    """False positive rate across, false negative rate upwards, for every test between the two worlds.

    Claims are trade-off curves, convex and falling (Dong, Roth and Su 2022). Every test lies between a claim's curve and its
    mirror image; for the first claim this region is filled. An observed test whose whole interval lies below the first claim's
    curve contradicts it and is marked. With a `floor` both axes are logarithmic down to it, for epsilon lives in the corners.
    """
    if not claims and not observed:
        raise Undrawable("no claim and no observation", "Give at least one curve or one observed test")
    if len(claims) > len(CLAIMS):
        raise Undrawable(f"{len(claims)} claims in one chart", f"Draw at most {len(CLAIMS)}")
    if floor is not None and not 0 < checks.number(floor, "the floor") < 1:
        raise Undrawable(f"a floor of {floor}", "Give the smallest rate to show, such as 1e-4")
    claims = {name: checks.points(curve, name) for name, curve in claims.items()}
    series: list[Series] = []
    for i, ((name, curve), ink) in enumerate(zip(claims.items(), CLAIMS, strict=False)):
        if i == 0:
            series.append(_region(f"what {name} allows", curve, floor))
        series.append(Line(name, _drawn(curve, floor), ink))
    series.insert(min(1, len(series)), Line("a random guess", _drawn(DIAGONAL, floor), "neutral", dashed=True))
    if band is not None:
        series.append(Area("confidence band", _drawn(band[0], floor), _drawn(band[1], floor), "second"))
    series += _tests(next(iter(claims.values()), None), observed, floor)
    low, scale = (0.0, "linear") if floor is None else (floor, "log")
    x, y = (Axis(f"{which} rate", scale, low, 1.0) for which in ("false positive", "false negative"))  # type: ignore[arg-type]  # one of two
    words = description or f"Trade-off between the errors of tests, for {', '.join(claims) or 'an attack'}."
    return Chart(title, words, x, y, tuple(series), square=True)


def _region(name: str, curve: Curve, floor: float | None) -> Area:
    """Between the curve and its mirror image: a test that errs more often than a guess, turned round, errs less often."""
    mirrored = [(1 - x, 1 - y) for x, y in reversed(curve)]
    return Area(name, _drawn(curve, floor), _drawn(mirrored, floor))


def _tests(claim: Curve | None, observed: Sequence[Dot], floor: float | None) -> Iterator[Dots]:
    """The observed tests, those apart that contradict the claim."""
    outside = [claim is not None and _contradicts(dot, claim) for dot in observed]
    for name, ink, found in (("observed test", "second", False), ("contradicts the claim", "alarm", True)):
        dots = tuple(_lifted(dot, floor) for dot, out in zip(observed, outside, strict=True) if out == found)
        if dots:
            yield Dots(name, dots, ink)  # type: ignore[arg-type]  # one of the inks


def _contradicts(dot: Dot, claim: Curve) -> bool:
    """Whether the corner of the dot's intervals that is most favourable to the claim still lies below its curve."""
    x, y = dot.corners[2]
    return y < _height(claim, x)


def _height(curve: Curve, x: float) -> float:
    """The curve's value, by straight lines between its points; 0 to the right of its last, where any test may err no more."""
    for (left, above), (right, below) in pairwise(curve):
        if left <= x <= right:
            return below if right == left else above + (below - above) * (x - left) / (right - left)
    return curve[0][1] if x < curve[0][0] else 0.0


def _drawn(curve: Curve, floor: float | None) -> tuple[Point, ...]:
    """The curve as it is drawn: on logarithmic axes a straight line bends, so points are put in at rates a ninth apart."""
    points = tuple((float(x), float(y)) for x, y in curve)
    if floor is None:
        return points
    rates = [floor * STEP**k for k in range(math.ceil(math.log(1 / floor) / math.log(STEP)))]
    dense = [points[0]]
    for start, end in pairwise(points):
        dense += [*_between(start, end, rates), end]
    return tuple((max(x, floor), max(y, floor)) for x, y in dense)


def _between(start: Point, end: Point, rates: Sequence[float]) -> list[Point]:
    """The points of a straight line at which either coordinate is one of the rates."""
    shares = {
        (rate - a) / (b - a) for a, b in zip(start, end, strict=True) if a != b for rate in rates if min(a, b) < rate < max(a, b)
    }
    (x, y), (right, below) = start, end
    return [(x + (right - x) * share, y + (below - y) * share) for share in sorted(shares)]


def _lifted(dot: Dot, floor: float | None) -> Dot:
    """The dot with whatever is below the floor brought up to it."""
    if floor is None:
        return dot
    ends = (dot.x, dot.y, dot.x_low, dot.x_high, dot.y_low, dot.y_high)
    return Dot(*(None if end is None else max(end, floor) for end in ends))  # type: ignore[arg-type]  # x and y are numbers
