"""Certified answers for one direction: delta at an epsilon, epsilon at a delta.

A reader keeps the contour lines it has drawn: neighbouring questions, and so whole curves, share the composed law.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from flint import arb

from twoworlds.losses.balls import ball, float_above, float_below, highest, is_number, precision, refine
from twoworlds.losses.composition import Composition
from twoworlds.losses.contour import Curve, Need, curve_for, curve_near, log_prefactor
from twoworlds.losses.lattice import Between, between

__all__ = ["Reader", "reader"]

_ROUNDS = 4
_CHEAP, _DEAR = 2e6, 1e7  # terms to add up: about 0.2 and 1 seconds
_SHARPER = ((1e-9, 3e5), (1e-7, 5e6), (1e-6, 5e6))  # relative errors of delta that are aimed for while they take so few terms
_SHORT = 1 / 16  # no closer is an epsilon looked for that is merely large enough
_ENOUGH_CURVES = 12  # for drawing
_SHARES = (0.125, 0.25, 0.5, 0.75, 0.875)
_FARTHEST = 1e300  # no epsilon beyond it is looked for
_GOLDEN = (math.sqrt(5) - 1) / 2


@lru_cache(maxsize=64)
def reader(composition: Composition) -> Reader:
    """The reader of a composition, with what it has already drawn."""
    return Reader(composition)


class Reader:
    """Reads delta(epsilon) of a composition, in both senses."""

    def __init__(self, composition: Composition) -> None:
        self.composition = composition
        self.curves: list[Curve | Between] = []
        self.heights: dict[float, arb] = {}  # t and K(t), wherever it has been computed
        self.rough: dict[float, float] = {}  # about K(t) + log_prefactor(t), to choose among them

    def delta(self, epsilon: Fraction, width: float, negligible: float = 0.0) -> arb:
        """A ball around delta(epsilon), relatively no wider than asked, or than what is negligible, where that can be reached."""
        found = self._delta(epsilon, width, negligible)
        return found if is_number(found) else arb(0).union(arb(1))  # the numbers are beyond all balls

    def _delta(self, epsilon: Fraction, width: float, negligible: float) -> arb:
        composition = self.composition
        with precision():
            if not composition.terms:
                return arb.max(1 - ball(epsilon).exp(), arb(0))
            if composition.is_within(epsilon):
                return composition.infinite
            if composition.alone is not None:
                pair = composition.alone
                return arb.max(refine(lambda: pair.hockey(ball(epsilon))), arb(0))
            if epsilon < 0:
                # P[E] - exp(epsilon) Q[E] over events E, written with the complements of E.
                back = reader(composition.reversed).delta(-epsilon, width, negligible)
                return arb.max(1 - ball(epsilon).exp() * (1 - back), arb(0))
            return composition.infinite + self._finite_part(epsilon, width, negligible)

    def _finite_part(self, epsilon: Fraction, width: float, negligible: float = 0.0) -> arb:
        def is_enough(value: arb) -> bool:
            return _is_within(value, width) or bool(value.rad() <= negligible / 2)

        near = [curve for curve in self.curves if abs(float(curve.epsilon - epsilon)) * float(curve.t.mid()) < 4]
        best = arb(0, 1)
        for curve in sorted(near, key=lambda curve: abs(curve.epsilon - epsilon)):
            best = _narrower(best, curve.bounds(epsilon))
            if is_enough(best):
                return best
        floor = self._floor(epsilon)
        known = arb.max(self._chernoff(epsilon), floor)
        if is_enough(known):
            return known
        saddle, log_delta = self._saddle(epsilon)
        known = arb.max(self._chernoff(epsilon), floor)
        if is_enough(known) or not math.isfinite(log_delta):  # no moment is known
            return known
        least = math.log(negligible / width) if negligible else -math.inf  # a smaller delta need not be known as well
        need = Need(epsilon, max(log_delta, least), width, _CHEAP)
        for _ in range(_ROUNDS):
            if negligible and len(self.curves) >= _ENOUGH_CURVES:
                break
            drawn = self._draw(saddle, need, () if negligible else _SHARPER[:1], thrifty=negligible > 0)
            if drawn is None:  # too fine to afford: what is known already, or something coarser
                if best.rad() < 0.5 or need.tolerance > 0.1:
                    break
                need = replace(need, tolerance=need.tolerance * 16)
                continue
            value, before = drawn.bounds(epsilon), best
            best = _narrower(best, value)
            if is_enough(best) or best.rad() > before.rad() * 0.8:
                break
            # Where the ball says little, the tail is one single large loss, which the saddle point does not see.
            seen = value.mid() if value.rad() < value.mid() / 2 else floor.mid()
            log_delta = min(need.log_delta - 2, float(seen.log().mid())) if seen > 0 else need.log_delta - 10
            need = replace(need, tolerance=need.tolerance / 4, log_delta=max(log_delta, least))
        return arb.max(_narrower(best, known), floor)

    def _draw(
        self, saddle: arb, need: Need, sharper: Sequence[tuple[float, float]], *, thrifty: bool = False
    ) -> Curve | Between | None:
        """By the contour, sharper than asked while that is cheap; else on a lattice; else whatever the contour can afford.

        None if nothing can afford it; what is thrifty stops before the dear ways.
        """
        more = (replace(need, tolerance=aim, work=work) for aim, work in sharper if aim < need.tolerance)
        sharp = (curve_near(self.composition, saddle, sharp_need) for sharp_need in more)
        curve = (
            next(filter(None, sharp), None)
            or curve_near(self.composition, saddle, need)
            or (curve_for(self.composition, saddle, need) if thrifty else self._dear(saddle, need))
        )
        if curve is not None:
            self.curves.append(curve)
        return curve

    def _dear(self, saddle: arb, need: Need) -> Curve | Between | None:
        more, coarse = replace(need, work=_DEAR), replace(need, tolerance=max(need.tolerance, 0.1))
        return (
            between(self.composition, saddle, need)
            or curve_near(self.composition, saddle, more)
            or between(self.composition, saddle, coarse)
            or curve_for(self.composition, saddle, more)
        )

    def _floor(self, epsilon: Fraction) -> arb:
        """A lower bound on the finite part without a curve.

        No pair alone tells more than all together. And min(1, exp(epsilon - L)) <= exp(s (epsilon - L)) for s in [0, 1], so the
        finite part is at least 1 - P[L = infinity] - exp(s epsilon) E[exp(-s L); L < infinity].
        """
        known = [arb(0)]
        if self.composition.infinite.is_zero():
            known += [pair.hockey(ball(epsilon)) for pair, _ in self.composition.terms]
        for s in _SHARES:
            overlap = (self._height(-arb(s)) + s * ball(epsilon)).exp()
            known += [1 - self.composition.infinite - overlap] if is_number(overlap) else []
        return highest(value.lower() for value in known)

    def _chernoff(self, epsilon: Fraction) -> arb:
        """All that is known without a curve: the Chernoff bound on the best of the lines where the moment is known."""
        at, top = float(epsilon), 1 - self.composition.infinite
        best = min(self.rough, key=lambda t: self.rough[t] - t * at, default=None)
        if best is None:
            return arb(0).union(top)
        bound = self.heights[best] - best * ball(epsilon) + log_prefactor(arb(best))
        return arb(0).union(arb.min(bound.exp(), top))

    def _height(self, t: arb) -> arb:
        """K(t), kept: one search for a saddle starts where others did."""
        place = float(t.mid())
        if place not in self.heights:
            self.heights[place] = self.composition.log_moment(arb(place))
            if place > 0 and is_number(self.heights[place]):
                self.rough[place] = float((self.heights[place] + log_prefactor(arb(place))).mid())
        return self.heights[place]

    def _saddle(self, epsilon: Fraction) -> tuple[arb, float]:
        """The t at which the integrand is smallest on the real axis, and log delta by the saddle point formula (an estimate)."""

        def height(t: arb) -> arb:
            return self._height(t) - t * ball(epsilon) - t.log() - (1 + t).log()

        t = _least(height)
        step = t / 32
        low, mid, high = (float(height(x).mid()) for x in (t - step, t, t + step))
        bend = max((low - 2 * mid + high) / float(step.mid()) ** 2, 1e-300)
        return t, mid - math.log(2 * math.pi * bend) / 2

    def epsilon(self, delta: Fraction, width: float) -> tuple[float, float]:
        """Floats around the smallest epsilon >= 0 with delta(epsilon) <= delta."""
        composition = self.composition
        with precision():
            if not composition.terms:
                return 0.0, 0.0
            finite = ball(delta) - composition.infinite
            if not finite > 0:
                exact = composition.infinite_exactly
                return self._without_slack(finite if exact is None else ball(delta - exact))
            t, chernoff = self._tilt(float(finite.log().mid()))
            largest = ball(composition.largest)
            top = min((max(float_above(bound), 0.0) for bound in (chernoff, largest) if is_number(bound)), default=math.inf)
            if composition.alone is not None:
                return self._alone(ball(delta), top)
            if sum((count * pair.hockey(arb(0)) for pair, count in composition.terms), arb(0)) <= ball(delta):
                return 0.0, 0.0  # total variations add up
            return self._from_curves(finite, width, t, top)

    def _alone(self, delta: arb, top: float) -> tuple[float, float]:
        """Of one pair the curve is known everywhere, so a top is found where no moment gives one."""

        def curve(epsilon: Fraction) -> arb:
            return self.delta(epsilon, 1e-12)

        enough = 1.0
        while math.isinf(top) and enough < _FARTHEST:
            top, enough = (enough if curve(Fraction(enough)) <= delta else top), enough * 16
        return _crossing(curve, delta, top) if math.isfinite(top) else (0.0, top)

    def _without_slack(self, finite: arb) -> tuple[float, float]:
        """All of delta is spent on infinite losses: only the largest finite loss, or infinity, is left."""
        if finite < 0:
            return math.inf, math.inf
        top = ball(self.composition.largest)
        if not finite.is_zero():  # too close to tell: both are possible
            return 0.0, math.inf
        return (max(float_below(top), 0.0), max(float_above(top), 0.0)) if is_number(top) else (math.inf, math.inf)

    def _from_curves(self, finite: arb, width: float, t: arb, top: float) -> tuple[float, float]:
        if math.isinf(top):
            return 0.0, top  # no moment is known
        log_delta = float(finite.log().mid())
        low, high, guess = 0.0, top, top
        tolerance = min(max(width * top * float(t.mid()) / 4, 1e-12), 0.1)
        for known in self._drawn_near(top, finite, tolerance):
            below, above = _crossing(known.bounds, finite, top)
            low, high = max(low, below), min(high, above)
            if high - low <= width * high:
                return low, high
        for _ in range(_ROUNDS):
            curve = self._draw(t, Need(Fraction(guess), log_delta, tolerance, _CHEAP), _SHARPER)
            if curve is None:
                return low, high
            below, above = _crossing(curve.bounds, finite, top)
            low, high = max(low, below), min(high, above)
            if high - low <= width * high:
                return low, high
            # The Chernoff bound may have been far off: draw the next line where the crossing now is.
            guess, tolerance = high, tolerance / 8
            t, _ = self._saddle(Fraction(guess))
        at_zero = low == 0.0 and self._finite_part(Fraction(0), 1e-3) <= finite
        return (0.0, 0.0) if at_zero else (low, high)

    def _drawn_near(self, epsilon: float, finite: arb, tolerance: float) -> list[Curve | Between]:
        """The curve that knows most here, if it already knows this much."""
        known = [(curve.bounds(Fraction(epsilon)).rad(), curve) for curve in self.curves[-_ENOUGH_CURVES:]]
        near = [(float((radius / finite).mid()), curve) for radius, curve in known if radius < finite * tolerance]
        return [curve for _, curve in sorted(near, key=lambda entry: entry[0])[:1]]

    def reach(self, delta: Fraction) -> float:
        """An epsilon that is surely enough at this delta, at most about twice the smallest one; infinity if none is known."""
        with precision():
            finite = ball(delta) - self.composition.infinite
            if not self.composition.terms or not finite > 0:
                return math.inf if self.composition.terms else 0.0
            chernoff = self._tilt(float(finite.log().mid()))[1]
            if not is_number(chernoff):
                return math.inf
            top = max(float_above(chernoff), 0.0)
            while top > _SHORT and self.delta(Fraction(top / 2), 0.1, float(delta) / 8) <= ball(delta):
                top /= 2
            return top

    def _tilt(self, log_delta: float) -> tuple[arb, arb]:
        """The t with the least Chernoff bound on epsilon at this delta, and the bound.

        epsilon <= (K(t) + log(1 / delta) + log(t^t / (1 + t)^(1 + t))) / t, which is the conversion from Renyi divergence of
        Canonne, Kamath and Steinke 2020, proposition 12.
        """

        def bound(t: arb) -> arb:
            return (self._height(t) - log_delta + log_prefactor(t)) / t

        t = _least(bound)
        return t, bound(t) + arb(0, 1e-12)  # log_delta is a float


def _is_within(value: arb, width: float) -> bool:
    return bool(value.rad() <= value.mid() * width / 2)


def _narrower(one: arb, other: arb) -> arb:
    return other if other.rad() < one.rad() else one


def _least(function: Callable[[arb], arb]) -> arb:
    """About the least point of a function with one valley over t > 0: any t is valid, a good one is fast."""
    seen: dict[float, float] = {}

    def value(logarithm: float) -> float:
        if logarithm not in seen:
            result = function(arb(math.exp(logarithm)))
            seen[logarithm] = float(result.mid()) if is_number(result) else math.inf
        return seen[logarithm]

    low, mid, width = 0.0, 1.0, 1.0
    if value(low) < value(mid):
        low, mid, width = mid, low, -1.0
    high = mid + width
    while value(high) < value(mid) and abs(high) < 60:
        width *= 1.6
        low, mid, high = mid, high, high + width
    one, two = sorted((low, high))
    left, right = two - _GOLDEN * (two - one), one + _GOLDEN * (two - one)
    while two - one > 0.03:
        if value(left) < value(right):
            two, right = right, left
            left = two - _GOLDEN * (two - one)
        else:
            one, left = left, right
            right = one + _GOLDEN * (two - one)
    return arb(math.exp(min(seen, key=lambda logarithm: seen[logarithm])))


def _crossing(curve: Callable[[Fraction], arb], level: arb, top: float) -> tuple[float, float]:
    """Where a falling curve of balls crosses a level: a point surely above the level (or 0), and a point surely below it.

    It is below at the top, which may be infinite. A search in floats between 0 and the top, by secants of log(curve / level),
    then steps outward until both are sure.
    """

    def height(epsilon: float) -> float:
        mid = curve(Fraction(epsilon)).mid()
        return float((mid / level).log().mid()) if mid > 0 else -1e3

    if curve(Fraction(0)) <= level:
        return 0.0, 0.0
    here, slope = _root(height, top)
    spread = curve(Fraction(here)).rad() / level
    step = 1.01 * float(spread.upper()) / max(abs(slope), 1e-300) + 1e-15 * here + 1e-300
    high = _outward(lambda epsilon: bool(curve(epsilon) <= level), here, step, top)
    low = _outward(lambda epsilon: bool(curve(epsilon) >= level), here, -step, 0.0)
    return low, high


def _root(height: Callable[[float], float], top: float) -> tuple[float, float]:
    """About the root of a falling function on [0, top], and the slope there: secants, and halves where those are slow."""
    low, high = 0.0, top
    before, here = top, top * (1 - 1e-3)
    value_before, value = height(before), height(here)
    slope, widths = -1e-300, [math.inf, math.inf]
    for _ in range(120):
        if value > 0:
            low = max(low, here)
        else:
            high = min(high, here)
        if here != before and value != value_before:
            slope = (value - value_before) / (here - before)
        if abs(value) < 1e-13 or high - low <= 1e-15 * high:
            break
        guess = here - value / slope if slope < 0 else -1.0
        is_slow = high - low > widths[-2] / 2  # in three steps
        widths.append(high - low)
        before, value_before = here, value
        here = guess if low < guess < high and not is_slow else (low + high) / 2
        value = height(here)
    return here, slope


def _outward(is_sure: Callable[[Fraction], bool], start: float, step: float, end: float) -> float:
    """The first of start, start + step, start + 2.5 step, ... that is sure; or the end, which is."""
    here = start
    for _ in range(90):
        if not min(start, end) <= here <= max(start, end):
            break
        if is_sure(Fraction(here)):
            return here
        here, step = here + step, step * 1.5
    return end
