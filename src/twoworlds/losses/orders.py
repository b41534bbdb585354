"""Which order to convert at, and what a bound at one order says of a test's two errors.

Every order gives a sound conversion, so the search is free to be a heuristic: a geometric grid, then golden sections.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from flint import arb

from twoworlds.losses.balls import ball, float_above
from twoworlds.losses.bounds import above, below, infinity, zero

__all__ = ["GRID", "epsilon_at", "least_error", "least_over_orders", "log_delta_at"]

_GOLDEN = (math.sqrt(5) - 1) / 2
_LAST_FLOAT = 2**1000  # orders beyond floats refute nothing that others do not


def _round(order: Fraction) -> Fraction:
    """A nearby order with few bits: whole above 32, where whole orders are cheap and dense enough."""
    return Fraction(round(order)) if order > 32 else Fraction(max(round(order * 4096), 4097), 4096)


GRID = tuple(_round(1 + Fraction(2) ** whole * half) for whole in range(-8, 31) for half in (Fraction(1), Fraction(181, 128)))


def least_over_orders(orders: Sequence[Fraction], score: Callable[[Fraction], arb]) -> arb:
    """The smallest score: the best of these orders, then golden sections between its neighbours."""
    scores = [score(order) for order in orders]
    heights = [float_above(value) for value in scores]
    at = min(range(len(orders)), key=heights.__getitem__)
    low, high = (math.log(float(orders[place] - 1)) for place in (max(at - 1, 0), min(at + 1, len(orders) - 1)))
    return min([(heights[at], scores[at]), *_golden(low, high, score)], key=lambda candidate: candidate[0])[1]


def _golden(low: float, high: float, score: Callable[[Fraction], arb]) -> Iterator[tuple[float, arb]]:
    """Scores along a golden-section search over log(order - 1), each with its upper end."""

    def at(place: float) -> tuple[float, arb]:
        value = score(_round(1 + Fraction(math.exp(place))))
        return float_above(value), value

    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = at(left), at(right)
    for _ in range(24):
        yield at_left
        yield at_right
        if at_left[0] <= at_right[0]:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = at(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = at(right)


def epsilon_at(order: Fraction, divergence: arb, log_delta: arb) -> arb:
    """epsilon from the divergence of one order (Canonne, Kamath and Steinke 2020, proposition 12)."""
    alpha = ball(order)
    return divergence + (1 - 1 / alpha).log() - (log_delta + alpha.log()) / (alpha - 1)


def log_delta_at(order: Fraction, divergence: arb, epsilon: arb) -> arb:
    """The same, solved for log delta."""
    alpha = ball(order)
    return (alpha - 1) * (divergence - epsilon + (1 - 1 / alpha).log()) - alpha.log()


def least_error(error: Fraction, order: Fraction, divergence: arb, known: Fraction) -> Fraction:
    """A type II error that is refuted at this order, as large as bisection finds; `known` if none beats it.

    Doubles do the search; balls then confirm what they found, one step below it.
    """
    if order > _LAST_FLOAT:
        return known
    top, low, high = float_above(divergence), float(known), float(1 - error)
    if not _seems_refuted(float(error), low, float(order), top):
        return known
    for _ in range(50):
        middle = (low + high) / 2
        if _seems_refuted(float(error), middle, float(order), top):
            low = middle
        else:
            high = middle
    found = Fraction(low) * (1 - Fraction(1, 2**36))
    return found if found > known and _refuted(error, found, order, divergence) else known


def _seems_refuted(error: float, other: float, order: float, top: float) -> bool:
    return max(_float_binary(1 - other, error, order), _float_binary(1 - error, other, order)) > top


def _float_binary(p: float, q: float, order: float) -> float:
    logs = []
    for first, second in ((p, q), (1 - p, 1 - q)):
        if first > 0:
            if second <= 0:
                return math.inf
            logs.append(order * math.log(first) + (1 - order) * math.log(second))
    peak = max(logs)
    return (peak + math.log(math.fsum(math.exp(value - peak) for value in logs))) / (order - 1)


def _refuted(error: Fraction, other: Fraction, order: Fraction, divergence: arb) -> bool:
    """Whether the two errors of a test are surely impossible: their binary divergence exceeds the bound in some direction."""
    top = above(divergence)
    if top is None:
        return False
    for p, q in ((1 - other, error), (1 - error, other)):
        least = below(_binary(p, q, order))
        if least is None or least > top:
            return True
    return False


def _binary(p: Fraction, q: Fraction, order: Fraction) -> arb:
    """The Renyi divergence of Bernoulli(p) from Bernoulli(q), infinite where q is 0 or 1 and p is not."""
    alpha, total = ball(order), zero
    for top, bottom in ((p, q), (1 - p, 1 - q)):
        if top == 0:
            continue
        if bottom == 0:
            return infinity
        total += (alpha * ball(top).log() + (1 - alpha) * ball(bottom).log()).exp()
    return total.log() / (alpha - 1)
