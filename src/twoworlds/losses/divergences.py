"""Other readings of a composition: Renyi divergence, and the smallest zCDP and Gaussian parameters that hold."""

from __future__ import annotations

import heapq
import math
from fractions import Fraction

from flint import arb

from twoworlds.losses.balls import ball, highest, is_number, precision
from twoworlds.losses.composition import Composition
from twoworlds.losses.continuous import Gaussian
from twoworlds.losses.dominance import Pair
from twoworlds.losses.sampled_gaussian import SampledGaussian
from twoworlds.losses.tradeoff import table

__all__ = ["concentration", "gaussian_parameter", "renyi"]

_TINY = Fraction(1, 2**30)  # how close to order 1 the divergence is taken for its limit
_GRID = 128  # lines that a Gaussian parameter is read from
_CLOSE = 1e-4  # relative width at which the search for rho stops
_CELLS = 600
_FIRST, _LAST = 2.0**-8, 2.0**24


def renyi(direction: Composition, order: Fraction | None) -> arb:
    """A ball around the Renyi divergence of this order; None is infinity, the largest loss.

    K(order - 1) / (order - 1), which grows with the order; at 1 its limit, Kullback and Leibler's divergence, lies between
    the values a little below and a little above.
    """
    with precision(256):
        infinite = direction.infinite
        if (order is None or order >= 1) and not infinite.is_zero():
            return arb("inf") if infinite > 0 else arb("nan")
        if order is None:
            return arb.max(ball(direction.largest), arb(0))
        if order == 1:
            return _at(direction, 1 - _TINY).union(_at(direction, 1 + _TINY))
        return _at(direction, order)


def _at(direction: Composition, order: Fraction) -> arb:
    t = ball(order - 1)
    return arb.max(direction.log_moment(t) / t, arb(0))


def concentration(direction: Composition) -> arb:
    """An upper bound, close to the least, on rho with K(t) <= rho t (t + 1) for all t > 0 (Bun and Steinke 2016).

    A Gaussian has exactly mu^2 / 2, and a sampled one comes up to that of the Gaussian inside it as t grows (exp is convex). The
    other pairs have bounded losses and are searched together.
    """
    with precision():
        if not direction.infinite.is_zero():
            return arb("inf")
        gaussians, rest = _parted(direction)
        return sum((count * ball(pair.mu_squared) / 2 for pair, count in gaussians), _searched(rest))


def _parted(direction: Composition) -> tuple[list[tuple[Gaussian | SampledGaussian, int]], Composition]:
    """Pairs with Gaussian tails, and the rest."""
    gaussians = [(pair, count) for pair, count in direction.terms if isinstance(pair, Gaussian | SampledGaussian)]
    return gaussians, Composition(tuple(term for term in direction.terms if term not in gaussians))


def _searched(direction: Composition) -> arb:
    """The largest of K(t) / (t (t + 1)), from above.

    K is convex and K(0) = 0, so K(t) / t grows: over a cell [a, b], K(t) / (t (t + 1)) is at most K(b) / (b (1 + a)). The cell
    with the largest bound is split until that is close to a value that is taken. Beyond the cells K(t) / t is at most the
    largest loss.
    """
    if not direction.terms:
        return arb(0)
    top = arb.max(ball(direction.largest), arb(0))
    if not is_number(top):
        return arb("inf")
    taken, heap, edge = arb(0), [_cell(direction, 0.0, _FIRST)], _FIRST
    while top / (1 + arb(edge)) > taken and edge < _LAST:
        heapq.heappush(heap, _cell(direction, edge, 2 * edge))
        edge *= 2
        taken = arb.max(taken, _value(direction, edge))
    for _ in range(_CELLS):
        worst, a, b = heap[0]
        if -worst <= float(taken.mid()) * (1 + _CLOSE):
            break
        middle = math.sqrt(a * b) if a else b / 4
        taken = arb.max(taken, _value(direction, middle))
        heapq.heapreplace(heap, _cell(direction, a, middle))
        heapq.heappush(heap, _cell(direction, middle, b))
    return highest([top / (1 + arb(edge)), *(_bound(direction, a, b) for _, a, b in heap)])


def _cell(direction: Composition, a: float, b: float) -> tuple[float, float, float]:
    bound = _bound(direction, a, b)
    return (-float(bound.upper()) if is_number(bound) else -math.inf), a, b


def _bound(direction: Composition, a: float, b: float) -> arb:
    return direction.log_moment(arb(b)) / arb(b) / (1 + arb(a))


def _value(direction: Composition, t: float) -> arb:
    return direction.log_moment(arb(t)) / (arb(t) * (arb(t) + 1))


def gaussian_parameter(direction: Composition) -> arb:
    """An upper bound on mu such that nothing is easier to tell apart than N(0, 1) and N(mu, 1) (Dong, Roth and Su 2022).

    Parameters of parts add up in squares. Parts with bounded losses are read together off their supporting lines; a sampled
    Gaussian is no harder to bound than the Gaussian inside it, and in its tail no easier.
    """
    with precision():
        if not direction.infinite.is_zero() or not direction.reversed.infinite.is_zero():
            return arb("inf")
        gaussians, rest = _parted(direction)
        squared = sum((n * ball(pair.mu_squared) for pair, n in gaussians), arb(0))
        if not rest.terms:
            return squared.sqrt()
        apart = sum((n * _pure_parameter(pair) ** 2 for pair, n in rest.terms), arb(0))
        together = _read_parameter(rest)
        return (squared + arb.min(apart, together**2)).sqrt()


def _pure_parameter(pair: Pair) -> arb:
    """Of randomized response: 2 Phi^-1(e^epsilon / (1 + e^epsilon)), at the corner of its curve."""
    epsilon = arb.max(ball(pair.largest), ball(pair.reverse().largest))
    return 2 * arb(2).sqrt() * (epsilon / 2).tanh().erfinv()


def _read_parameter(rest: Composition) -> arb:
    high, low = (float(ball(side.largest).upper()) for side in (rest, rest.reversed))
    if not (math.isfinite(high) and math.isfinite(low)):
        return arb("inf")
    top, bottom = Fraction(high), Fraction(-low)
    points = [bottom + (top - bottom) * k / _GRID for k in range(_GRID + 1)]
    return table(rest, points).gaussian_bound()
