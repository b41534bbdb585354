"""The moments of a loss whose pair of worlds is known: how a `Loss` joins a composition of bare moment bounds.

The pairs give log E[exp(t L)] at t = order - 1, for each direction apart; counts multiply it. Where one world can show what the
other never does, both laws are conditioned on not showing it, and the larger of the two probabilities becomes the delta outside.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb

from twoworlds.losses.balls import ball, is_number, precision
from twoworlds.losses.bounds import above, infinity, zero
from twoworlds.losses.continuous import Gaussian, Laplace
from twoworlds.losses.cumulants import Curve, Laplacian, Line, PureCurve, SubsampledGaussian
from twoworlds.losses.discrete import Approximate
from twoworlds.losses.loss import Loss, Terms
from twoworlds.losses.moments import MomentBound
from twoworlds.losses.pairs import Pair
from twoworlds.losses.sampled_gaussian import SampledGaussian
from twoworlds.worlds.errors import BadArgument

__all__ = ["LossCurve", "moments_of"]

_CELLS = 160  # how often the search for rho may split its worst cell
_CLOSE = Fraction(1, 10_000)


def moments_of(loss: Loss | MomentBound) -> MomentBound:
    """The Renyi curve of a loss, as a bound that composes with bare ones; a moment bound is its own."""
    if isinstance(loss, MomentBound):
        return loss
    if not isinstance(loss, Loss):
        raise BadArgument("loss", loss, "is not a loss", "Give a Loss or a MomentBound")
    with precision():
        outside = max(_outside(loss.remove), _outside(loss.add))
    if dict(loss.remove) == {pair.reverse(): count for pair, count in loss.add}:
        curves = _closed(loss.remove)
        if curves is not None:
            return MomentBound(curves, min(outside, Fraction(1)), loss.neighbours)
    return MomentBound(((LossCurve(loss.remove, loss.add), 1),), min(outside, Fraction(1)), loss.neighbours)


def _outside(terms: Terms) -> Fraction:
    """The probability that either world shows what the other never does, at most: failures of all pairs added up."""
    chances = [(count, _greater(pair.infinite, pair.reverse().infinite)) for pair, count in terms]
    tops = [(count, chance if isinstance(chance, Fraction) else above(chance)) for count, chance in chances]
    return sum((count * (top if top is not None else Fraction(1)) for count, top in tops), Fraction(0))


def _closed(terms: Terms) -> tuple[tuple[Curve, int], ...] | None:
    """Curves that bound both directions in closed form, if every pair has one; the pairs of a list may then be added up."""
    curves = [(_closed_pair(pair), count) for pair, count in terms]
    return None if any(curve is None for curve, _ in curves) else tuple((curve, count) for curve, count in curves if curve)


def _closed_pair(pair: Pair) -> Curve | None:
    if isinstance(pair, Gaussian):
        return Line(pair.mu_squared / 2)
    if isinstance(pair, SampledGaussian):
        return SubsampledGaussian(pair.mu_squared, pair.rate)
    if isinstance(pair, Laplace):
        return Laplacian(pair.epsilon)
    if isinstance(pair, Approximate):
        return PureCurve(pair.epsilon)
    return None


@dataclass(frozen=True)
class LossCurve(Curve):
    """The larger of the two directions at each order."""

    remove: Terms
    add: Terms

    def renyi(self, order: Fraction) -> arb:
        if order == 1:
            order = Fraction(1025, 1024)  # the divergence grows with the order
        return _larger(*(_moment(terms, order) / ball(order - 1) for terms in (self.remove, self.add)))

    def most(self) -> Fraction | arb:
        return _greater(*(_sum(terms, _largest) for terms in (self.remove, self.add)))

    def rho(self) -> Fraction | arb:
        """A line through the origin above the curve: closed forms pair by pair, or a search, whichever is smaller."""
        by_pair = _greater(*(_sum(terms, _rho) for terms in (self.remove, self.add)))
        searched = _steepest(self)
        return by_pair if not is_number(searched) or ball(by_pair) <= searched else searched


def _larger(one: arb, other: arb) -> arb:
    if not (is_number(one) and is_number(other)):
        return infinity
    return arb.max(one.upper(), other.upper())


def _greater(one: Fraction | arb, other: Fraction | arb) -> Fraction | arb:
    """The larger of two bounds, exact if both are."""
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return max(one, other)
    return _larger(ball(one), ball(other))


def _sum(terms: Terms, value: Callable[[Pair], Fraction | arb]) -> Fraction | arb:
    """Rational parts add up exactly, the others in balls."""
    parts = [(value(pair), count) for pair, count in terms]
    exacts = sum((count * part for part, count in parts if isinstance(part, Fraction)), Fraction(0))
    balls = [count * part for part, count in parts if not isinstance(part, Fraction)]
    return sum(balls, ball(exacts)) if balls else exacts


def _largest(pair: Pair) -> Fraction | arb:
    """The largest loss once both laws are conditioned on what both can show."""
    return pair.largest if _fails_alike(pair) else ball(pair.largest) + _conditioning(pair)


@lru_cache(maxsize=8192)
def _pair_moment(pair: Pair, order: Fraction) -> arb:
    """log E[exp((order - 1) L)] of both laws conditioned on what both can show."""
    t = ball(order - 1)
    moment = pair.moment(t).log()
    return moment - ball(order) * (1 - ball(pair.infinite)).log() + t * (1 - ball(pair.reverse().infinite)).log()


def _conditioning(pair: Pair) -> arb:
    """How much conditioning can raise the largest loss."""
    return (1 - ball(pair.reverse().infinite)).log() - (1 - ball(pair.infinite)).log()


def _moment(terms: Terms, order: Fraction) -> arb:
    return sum((count * _pair_moment(pair, order) for pair, count in terms), zero)


def _fails_alike(pair: Pair) -> bool:
    one, other = pair.infinite, pair.reverse().infinite
    return isinstance(one, Fraction) and isinstance(other, Fraction) and one == other


def _rho(pair: Pair) -> Fraction | arb:
    """rho of one pair in closed form: Gaussian, Laplace, or by its largest loss."""
    if isinstance(pair, Gaussian | SampledGaussian):
        return pair.mu_squared / 2
    if isinstance(pair, Laplace):
        epsilon = ball(pair.epsilon)
        return epsilon + (-epsilon).expm1()
    largest = _larger(ball(_largest(pair)), ball(_largest(pair.reverse())))
    return largest * (largest / 2).tanh()


def _steepest(curve: Curve) -> arb:
    """sup of curve(order) / order over the orders: on a cell it is at most curve(right end) / left end; split the worst cells."""
    most = above(ball(curve.most()))
    if most is None:
        return infinity
    if most == 0:
        return zero
    cells = [(Fraction(2) ** step, Fraction(2) ** (step + 1)) for step in range(14)]
    bounds = {cell: above(curve.renyi(cell[1])) for cell in cells}
    beyond = most / cells[-1][1]
    for _ in range(_CELLS):
        if any(bound is None for bound in bounds.values()):
            return infinity
        worst = max(bounds, key=lambda cell: (bounds[cell] or Fraction(0)) / cell[0])
        top = (bounds[worst] or Fraction(0)) / worst[0]
        if top <= beyond or worst[1] - worst[0] <= worst[0] * _CLOSE:
            break
        middle = Fraction(math.sqrt(float(worst[0] * worst[1]))).limit_denominator(1 << 16)
        if not worst[0] < middle < worst[1]:
            break
        bounds[worst[0], middle], bounds[middle, worst[1]] = above(curve.renyi(middle)), bounds.pop(worst)
    return ball(max(beyond, *((bound or Fraction(0)) / cell[0] for cell, bound in bounds.items())))
