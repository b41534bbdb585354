"""Total variation from averages: what a divergence or an information in nats leaves of the best test."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from twoworlds.losses.balls import ball, precision
from twoworlds.losses.bounds import above
from twoworlds.worlds.errors import BadArgument, InfiniteLoss
from twoworlds.worlds.rationals import exact

__all__ = ["variation", "variation_from_divergence", "variation_from_information"]


def variation(divergence: arb) -> arb:
    """Total variation from Kullback-Leibler: Pinsker, or Bretagnolle and Huber 1979 where that is smaller."""
    return min((divergence / 2).sqrt().upper(), (-(-divergence).expm1()).sqrt().upper())


def variation_from_divergence(epsilon: object) -> Fraction:
    """The total variation distance that a Kullback-Leibler divergence of so many nats allows at most."""
    with precision():
        return _below_one(variation(_nats(epsilon)), epsilon)


def variation_from_information(epsilon: object) -> Fraction:
    """The total variation that so many nats of mutual information allow at most: sqrt(2 epsilon) (Cuff and Yu 2016).

    Under a fair prior on the two worlds the information is the mean divergence from their mixture, each at half the distance:
    Pinsker gives information >= variation^2 / 2.
    """
    with precision():
        return _below_one((2 * _nats(epsilon)).sqrt(), epsilon)


def _below_one(distance: arb, nats: object) -> Fraction:
    top = above(distance)
    if top is None or top >= 1:
        raise InfiniteLoss(f"{nats} nats leave the total variation unbounded: the guarantee says nothing", "Give fewer nats")
    return top


def _nats(epsilon: object) -> arb:
    number = exact(epsilon, "epsilon")
    if number < 0:
        raise BadArgument("epsilon", epsilon, "is below 0", "Give an epsilon of 0 or more, in nats")
    return ball(number)
