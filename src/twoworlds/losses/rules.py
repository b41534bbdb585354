"""The arithmetic of conversions between dialects: prices in, prices out, rounded so that the new guarantee still follows.

Each function is one row, or one shape of row, of the table in `losses.conversions`, which carries the theorems.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from twoworlds.losses.balls import ball, precision
from twoworlds.losses.bounds import above
from twoworlds.losses.moments import MomentBound, concentrated, pure_moments
from twoworlds.losses.prices import (
    Approximate,
    Concentrated,
    Dialect,
    GaussianPrivacy,
    KullbackLeibler,
    MeanConcentrated,
    MutualInformation,
    Probabilistic,
    Pure,
    Renyi,
    TotalVariation,
    Truncated,
)
from twoworlds.losses.variation import variation_from_divergence
from twoworlds.worlds.errors import BadArgument, InfiniteLoss

__all__ = ["moments"]


def moments(price: Dialect) -> MomentBound:
    """The Renyi curve of a guarantee that has one."""
    if not isinstance(price, Dialect):
        raise BadArgument("price", price, "is not a guarantee in numbers", "Give a price without parameters, like Pure(1)")
    numbers = price.at()
    if isinstance(price, Pure):
        return pure_moments(numbers["epsilon"])
    if isinstance(price, GaussianPrivacy):
        return concentrated(numbers["mu"] ** 2 / 2)
    bound = price.loss()
    if not isinstance(bound, MomentBound) or bound.delta_outside:
        raise InfiniteLoss("the event outside the guarantee makes every order infinite", "Ask for an approximate guarantee")
    return bound


def approximate(price: Dialect, delta: Fraction) -> Dialect:
    """The least epsilon of the loss at this delta."""
    return Approximate(Fraction(price.loss().finite_epsilon(delta)), delta)


def approximate_from_pure(price: Dialect, delta: Fraction) -> Dialect:
    """delta(x) of randomized response, (e^epsilon - e^x) / (1 + e^epsilon), solved for x."""
    epsilon = ball(price.at()["epsilon"])
    rest = epsilon.exp() - ball(delta) * (1 + epsilon.exp())
    return Approximate(_up(rest.log()) if rest > 1 else 0, _failure(delta))


def approximate_as_it_is(price: Dialect) -> Dialect:
    """The same epsilon and delta."""
    return Approximate(**price.at())


def approximate_from_variation(price: Dialect) -> Dialect:
    """epsilon = 0, and delta the total variation."""
    return Approximate(0, Fraction(price.loss().delta(0).upper))


def variation(price: Dialect) -> Dialect:
    """delta at epsilon = 0."""
    distance = Fraction(price.loss().delta(0).upper)
    if distance >= 1:
        raise InfiniteLoss("the two worlds may be told apart outright", "Tighten the guarantee")
    return TotalVariation(distance)


def renyi(price: Dialect, order: Fraction) -> Dialect:
    """The curve at this order."""
    return Renyi(order, _finite(moments(price).renyi(order).upper))


def divergence(price: Dialect) -> Dialect:
    """The curve at order 1."""
    return KullbackLeibler(_finite(moments(price).renyi(1).upper))


def information(price: Dialect) -> Dialect:
    """The divergence at order 1 bounds the information: it is a mean of divergences from a mixture, and those are convex."""
    nats = price.at()["epsilon"] if isinstance(price, KullbackLeibler) else _finite(moments(price).renyi(1).upper)
    return MutualInformation(nats)


def concentrated_from_moments(price: Dialect) -> Dialect:
    """The steepest line from the origin that the curve touches."""
    return Concentrated(_known(moments(price).steepest))


def concentrated_from_approximate(price: Dialect) -> Dialect:
    """rho of pure privacy, outside an event of probability delta."""
    numbers = price.at()
    return Concentrated(_known(pure_moments(numbers.get("epsilon", Fraction(0))).steepest), numbers["delta"])


def truncated(price: Dialect, omega: Fraction) -> Dialect:
    """The same line, up to an order."""
    return Truncated(_known(moments(price).steepest), omega)


def truncated_from_renyi(price: Dialect) -> Dialect:
    """Below its order the divergence is at most epsilon, which is at most epsilon * order."""
    numbers = price.at()
    return Truncated(numbers["epsilon"], numbers["order"])


def mean_from_pure(price: Dialect) -> Dialect:
    """Mean epsilon tanh(epsilon / 2); a loss within [-epsilon, epsilon] is subgaussian with spread epsilon (Hoeffding)."""
    return MeanConcentrated(_finite(moments(price).renyi(1).upper), price.at()["epsilon"])


def gaussian_from_pure(price: Dialect) -> Dialect:
    """2 quantile(e^epsilon / (1 + e^epsilon)); quantile(p) = sqrt(2) erfinv(2 p - 1), and 2 p - 1 = tanh(epsilon / 2).

    The curve of pure privacy is two straight lines between (0, 1), its corner and (1, 0). A Gaussian curve through that corner
    is convex, so it lies below them.
    """
    epsilon = price.at()["epsilon"]
    with precision(256 + 4 * math.ceil(epsilon)):  # erfinv loses what tanh(epsilon / 2) has in common with 1
        return GaussianPrivacy(_up(2 * arb(2).sqrt() * (ball(epsilon) / 2).tanh().erfinv()) if epsilon else 0)


def probabilistic_from_pure(price: Dialect) -> Dialect:
    """No loss is above epsilon."""
    return Probabilistic(price.at()["epsilon"], 0)


def probabilistic_from_approximate(price: Dialect, epsilon: Fraction) -> Dialect:
    """delta >= E[(1 - e^(e - L))+] >= (1 - e^(e - x)) Pr[L > x] for every x above e."""
    bound = price if isinstance(price, Approximate) else approximate_from_variation(price)
    numbers = bound.at()
    if numbers["delta"] == 0 and epsilon >= numbers["epsilon"]:
        return Probabilistic(epsilon, 0)
    if epsilon <= numbers["epsilon"]:
        raise InfiniteLoss("the tail is bounded only above the epsilon of the guarantee", "Ask for a larger epsilon")
    return _tail(epsilon, above(ball(numbers["delta"]) / -(ball(numbers["epsilon"] - epsilon)).expm1()))


def probabilistic_from_divergence(price: Dialect, epsilon: Fraction) -> Dialect:
    """E[max(L, 0)] is at most the divergence plus the total variation, as log x <= x - 1; then Markov."""
    if epsilon <= 0:
        raise InfiniteLoss("Markov's inequality says nothing at epsilon = 0", "Ask for a larger epsilon")
    nats = price.at()["epsilon"]
    return _tail(epsilon, (nats + variation_from_divergence(nats)) / epsilon)


def probabilistic_from_line(price: Dialect, delta: Fraction) -> Dialect:
    """Markov at order 1 + s: shift + rho (1 + s) + log(1 / delta) / s, at the best s within the limit."""
    numbers, far = moments(price).curves[0][0], -ball(_failure(delta)).log()
    rho, shift = numbers.rho_, numbers.shift  # type: ignore[attr-defined]  # these dialects are lines
    limit = numbers.below  # type: ignore[attr-defined]  # these dialects are lines
    best = Fraction(math.sqrt(float(far.mid()) / float(rho))) if rho else Fraction(2**40)
    step = min(best, (limit - 1) * Fraction(2**40 - 1, 2**40)) if limit else best
    return Probabilistic(_up(ball(shift) + ball(rho) * ball(1 + step) + far / ball(step)), delta)


def probabilistic_from_renyi(price: Dialect, delta: Fraction) -> Dialect:
    """epsilon + log(1 / delta) / (order - 1): Markov's inequality."""
    numbers = price.at()
    return Probabilistic(_up(ball(numbers["epsilon"]) - ball(_failure(delta)).log() / ball(numbers["order"] - 1)), delta)


def _failure(delta: Fraction) -> Fraction:
    if not 0 < delta < 1:
        raise BadArgument(
            "delta", float(delta), "is not between 0 and 1", "Give a delta far below one over the number of records"
        )
    return delta


def _tail(epsilon: Fraction, delta: Fraction | None) -> Dialect:
    if delta is None or delta >= 1:
        raise InfiniteLoss("the bound on the tail reaches 1", "Ask for a larger epsilon")
    return Probabilistic(epsilon, delta)


def _up(value: arb) -> Fraction:
    top = above(value)
    if top is None:
        raise InfiniteLoss("the theorem gives no finite number here", "Ask for a larger delta or epsilon")
    return max(top, Fraction(0))


def _finite(value: float) -> Fraction:
    if math.isinf(value):
        raise InfiniteLoss("the guarantee does not reach this order", "Ask for a smaller order")
    return Fraction(value)


def _known(value: Fraction | None) -> Fraction:
    if value is None:
        raise InfiniteLoss("the guarantee is not concentrated at every order", "Ask for an approximate guarantee")
    return value
