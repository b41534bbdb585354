"""Certified answers for one direction: delta at an epsilon, epsilon at a delta, one pair alone in closed form."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from twoworlds.losses.balls import ball, float_above, float_below, precision, refine
from twoworlds.losses.contour import Composition, Curve, curve_at, tilt_for_delta, tilt_for_epsilon

__all__ = ["delta_ball", "epsilon_bounds", "reverse"]

_ROUNDS = 4


def reverse(composition: Composition) -> Composition:
    """The same pairs, read the other way round."""
    return Composition(tuple((pair.reverse(), count) for pair, count in composition.terms))


def delta_ball(composition: Composition, epsilon: Fraction, width: float) -> arb:
    """A ball around delta(epsilon), relatively no wider than asked where that can be reached."""
    with precision():
        if not composition.terms:
            return arb.max(1 - ball(epsilon).exp(), arb(0))
        if composition.is_within(epsilon):
            return composition.infinite
        if len(composition.terms) == 1 and composition.terms[0][1] == 1:
            pair = composition.terms[0][0]
            return arb.max(refine(lambda: pair.hockey(ball(epsilon))), arb(0))
        if epsilon < 0:
            # P[E] - exp(epsilon) Q[E] over events E, written with the complements of E.
            back = delta_ball(reverse(composition), -epsilon, width)
            return arb.max(1 - ball(epsilon).exp() * (1 - back), arb(0))
        return composition.infinite + _finite_part(composition, epsilon, width)


def _finite_part(composition: Composition, epsilon: Fraction, width: float) -> arb:
    t = tilt_for_delta(composition, epsilon)
    log_delta = float((composition.log_moment(t) - t * ball(epsilon) - t.log() - (1 + t).log()).mid()) - 3
    tolerance = width
    value = arb(1)
    for _ in range(_ROUNDS):
        value = curve_at(composition, t, epsilon, log_delta, tolerance).bounds(epsilon)
        if value.rad() <= value.mid() * width / 2:
            break
        tolerance /= 4
        if value.mid() > 0:
            log_delta = min(log_delta - 3, float(value.mid().log()))
    return value


def epsilon_bounds(composition: Composition, delta: Fraction, width: float) -> tuple[float, float]:
    """Floats around the smallest epsilon >= 0 with delta(epsilon) <= delta."""
    with precision():
        finite = ball(delta) - composition.infinite
        if not composition.terms:
            return 0.0, 0.0
        if not finite > 0:
            return _without_slack(composition, finite)
        alone = len(composition.terms) == 1 and composition.terms[0][1] == 1
        return _alone(composition, delta) if alone else _together(composition, finite, width)


def _without_slack(composition: Composition, finite: arb) -> tuple[float, float]:
    """delta is all spent on infinite losses: only the largest finite loss, or infinity, is left."""
    if finite < 0:
        return math.inf, math.inf
    top = composition.largest
    high = float_above(ball(top))
    low = float_below(ball(top)) if math.isfinite(high) else math.inf
    return max(low, 0.0) if finite.is_zero() else 0.0, max(high, 0.0) if finite.is_zero() else math.inf


def _alone(composition: Composition, delta: Fraction) -> tuple[float, float]:
    """Bisection on the closed form of a single pair."""

    def is_above(epsilon: float) -> bool | None:
        value = delta_ball(composition, Fraction(epsilon), 1e-12)
        return True if value > ball(delta) else False if value <= ball(delta) else None

    if is_above(0.0) is False:
        return 0.0, 0.0
    low, high = 0.0, 1e-300
    while is_above(high) is not False:
        low, high = high if is_above(high) else low, high * 2 if high > 1e-3 else high * 1e6
    top = high
    while top - low > 2e-15 * top:
        mid = (low + top) / 2
        above = is_above(mid)
        if above is False:
            top = mid
        elif above:
            low = mid
        else:
            break
    high = top
    while not is_above(low) and low > 0:
        low = low - (high - low) - 1e-300
    return max(low, 0.0), high


def _together(composition: Composition, finite: arb, width: float) -> tuple[float, float]:
    log_delta = float(finite.log().mid())
    t, bound = tilt_for_epsilon(composition, log_delta)
    best_low, best_high = 0.0, max(float_above(bound), 0.0)
    if not math.isfinite(best_high):
        return 0.0, math.inf
    if best_high == 0.0 or delta_ball(composition, Fraction(0), 1e-3) <= finite + composition.infinite:
        return 0.0, 0.0
    guess, tolerance = best_high, min(max(width * best_high * float(t.mid()) / 4, 1e-9), 0.1)
    for _ in range(_ROUNDS):
        curve = curve_at(composition, t, Fraction(guess), log_delta, tolerance)
        low, high = _crossing(curve, finite, guess)
        best_low, best_high = max(best_low, low), min(best_high, high)
        if best_high - best_low <= width * best_high:
            break
        tolerance, guess = tolerance / 8, best_high
    return best_low, best_high


def _crossing(curve: Curve, finite: arb, start: float) -> tuple[float, float]:
    """Where a decreasing curve crosses a level: a point surely above it and a point surely below it."""
    slope = -float(curve.t.mid())
    level = float(finite.log().mid())

    def height(epsilon: float) -> float:
        mid = curve.bounds(Fraction(epsilon)).mid()
        return float(mid.log().mid()) - level if mid > 0 else -50.0

    here, value = start, height(start)
    for _ in range(40):
        there = max(here - max(min(value / slope, 0.5 * abs(here) + 1e-9), -0.5 * abs(here) - 1e-9), 0.0)
        if abs(there - here) <= 1e-13 * abs(here) + 1e-300:
            break
        new = height(there)
        if new != value:
            slope = min((new - value) / (there - here), -1e-12)
        here, value = there, new
        if abs(value) < 1e-12:
            break
    error = curve.bounds(Fraction(here))
    spread = float((error.rad() / finite).upper()) / abs(slope) if finite > 0 else 0.0
    low = high = here
    step = 1.01 * spread + 1e-14 * abs(here) + 1e-300
    for _ in range(60):
        if curve.bounds(Fraction(high)) <= finite:
            break
        high = here + step
        step *= 1.5
    else:
        high = math.inf
    step = 1.01 * spread + 1e-14 * abs(here) + 1e-300
    for _ in range(60):
        if low <= 0 or curve.bounds(Fraction(low)) >= finite:
            break
        low = here - step
        step *= 1.5
    else:
        low = 0.0
    return max(low, 0.0), high
