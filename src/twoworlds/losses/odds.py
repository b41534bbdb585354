"""What a loss means for Bob: how far belief in his record can move, and how often the best guess is right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from twoworlds.losses.balls import ball, float_above, float_below, highest, is_number, lowest, precision
from twoworlds.losses.composition import Composition
from twoworlds.losses.solving import reader
from twoworlds.worlds.claims import Interval

__all__ = ["Odds", "odds"]

_WIDTH = 1e-4
_ROOM = 2.0  # how much of epsilon's tail is spent on turning delta into a probability: exp(-_ROOM) of it is lost


@dataclass(frozen=True)
class Odds:
    """Beliefs that Bob's record is there, before and after everything was seen.

    The belief after lies between `posterior_low` and `posterior_high`, except with probability `failure` (0 where the loss has a
    largest value). `best_guess` bounds exactly, with no exception, the probability that an observer with this prior who guesses
    as well as possible guesses right; without any release it would be max(prior, 1 - prior).
    """

    prior: Fraction
    posterior_low: float
    posterior_high: float
    failure: float
    best_guess: Interval


def odds(remove: Composition, add: Composition, prior: Fraction, failure: Fraction, *, is_attained: bool) -> Odds:
    """Read the odds off both directions: in `remove` the first law is the world with Bob."""
    with precision():
        guess = _best_guess(remove, add, prior, is_attained=is_attained)
        up, spent_up = _largest(remove, failure)
        down, spent_down = _largest(add, failure)
        low = float_below(_posterior(prior, -down))
        high = float_above(_posterior(prior, up))
        return Odds(prior, max(low, 0.0), min(high, 1.0), max(spent_up, spent_down), guess)


def _posterior(prior: Fraction, loss: arb) -> arb:
    """prior e^L / (prior e^L + 1 - prior)."""
    if prior in (0, 1):
        return ball(prior)
    after = 1 / (1 + ball((1 - prior) / prior) * (-loss).exp())
    return after if is_number(after) else arb(0).union(arb(1))


def _largest(direction: Composition, failure: Fraction) -> tuple[arb, float]:
    """A value that the loss exceeds with at most this probability under the first law; with probability 0 where it can be.

    delta(e) >= E[(1 - exp(e - L)); L > e + r] >= (1 - exp(-r)) P[L > e + r].
    """
    if direction.infinite.is_zero() and ball(direction.largest).is_finite():
        return arb.max(ball(direction.largest), arb(0)), 0.0
    if failure == 0:
        return arb("inf"), 0.0
    room = arb(_ROOM)
    share = 1 - (-room).exp()
    target = Fraction(max(float_below(share * ball(failure)), 0.0))
    _, epsilon = reader(direction).epsilon(target, _WIDTH)
    return (ball(epsilon) + room if math.isfinite(epsilon) else arb("inf")), float_above(ball(failure))


def _best_guess(remove: Composition, add: Composition, prior: Fraction, *, is_attained: bool) -> Interval:
    """1 - prior + prior delta(log((1 - prior) / prior)), and the same with the worlds exchanged; both bounds hold."""
    if prior in (0, 1):
        return Interval(1.0, 1.0)
    log_odds = ball((1 - prior) / prior).log()
    low, high = Fraction(float_below(log_odds)), Fraction(float_above(log_odds))
    p, rest = ball(prior), ball(1 - prior)
    tops = [rest + p * reader(remove).delta(low, _WIDTH), p + rest * reader(add).delta(-high, _WIDTH)]
    bottoms = [rest + p * reader(remove).delta(high, _WIDTH), p + rest * reader(add).delta(-low, _WIDTH)]
    trivial = max(prior, 1 - prior)
    top = min(float_above(lowest(tops)), 1.0)
    bottom = float_below(highest(bottoms)) if is_attained else 0.0
    bottom = min(max(bottom, float_below(ball(trivial))), top)
    return Interval(bottom, max(top, bottom))
