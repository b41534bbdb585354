"""What a release costs in the currency of a filter: any price, loss or moment bound through a theorem, rounded up.

A release is a price without names, a `Loss` or a `MomentBound`. Where no theorem leads to the currency, the answer is an error
that says which release would do; a release is never charged an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.losses import prices
from twoworlds.losses.prices import Dialect
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import exact, probability

if TYPE_CHECKING:
    from twoworlds.losses.moments import MomentBound

__all__ = ["approximate", "concentrated", "gaussian", "pure", "renyi", "renyi_limit"]

_BITS = 64


def pure(release: Any) -> Fraction:
    """epsilon at delta = 0."""
    if isinstance(release, prices.Pure):
        return _stored(release.at()["epsilon"])
    bound = _bound(release)
    most = bound.most
    if bound.delta_outside or most is None:
        raise _unpayable(release, "has no pure epsilon", "Release something with bounded log ratios, or open another budget")
    return _stored(most)


def concentrated(release: Any) -> tuple[Fraction, Fraction]:
    """rho, and the delta outside."""
    if isinstance(release, prices.Concentrated):
        numbers = release.at()
        return _stored(numbers["rho"]), _stored(numbers["delta"])
    bound = _bound(release)
    rho = bound.steepest
    if rho is None:
        fix = "Convert it to Approximate at the delta that you are willing to pay"
        raise _unpayable(release, "is not concentrated at every order", fix)
    return _stored(rho), _stored(bound.delta_outside)


def approximate(release: Any) -> tuple[Fraction, Fraction]:
    """epsilon and delta of an approximate guarantee; other releases by their largest log ratio and what may fail."""
    if isinstance(release, prices.Approximate | prices.Probabilistic | prices.Pure | prices.TotalVariation):
        numbers = release.at()
        return _stored(numbers.get("epsilon", Fraction(0))), _stored(numbers.get("delta", Fraction(0)))
    bound = _bound(release)
    most = bound.most
    if most is None:
        fix = "Convert it to Approximate at the delta that you are willing to pay"
        raise _unpayable(release, "has no epsilon without choosing a delta", fix)
    return _stored(most), _stored(bound.delta_outside)


def gaussian(release: Any) -> Fraction:
    """mu squared: Gaussian noise has its own, bounded log ratios go through the curve of pure privacy."""
    if isinstance(release, prices.GaussianPrivacy):
        return _stored(release.at()["mu"] ** 2)
    if not isinstance(release, Dialect):
        squared = _gaussian_pairs(release)
        if squared is not None:
            return _stored(squared)
    from twoworlds.losses.conversions import convert  # noqa: PLC0415  the numeric core loads only when a number is asked for

    epsilon = pure(release)
    return _stored(convert(prices.Pure(epsilon), prices.GaussianPrivacy).price.at()["mu"] ** 2)


def _gaussian_pairs(release: Any) -> Fraction | None:
    """The summed mu squared of a loss that is Gaussian throughout, sampled or not; None for others."""
    from twoworlds.losses.continuous import Gaussian  # noqa: PLC0415  as above, only when asked for
    from twoworlds.losses.loss import Loss  # noqa: PLC0415  the numeric core loads only when a number is asked for
    from twoworlds.losses.sampled_gaussian import SampledGaussian  # noqa: PLC0415  as above, only when asked for

    if not isinstance(release, Loss):
        return None
    totals = []
    for terms in (release.remove, release.add):
        if not all(isinstance(pair, Gaussian | SampledGaussian) for pair, _ in terms):
            return None
        totals.append(sum((count * pair.mu_squared for pair, count in terms), Fraction(0)))  # type: ignore[attr-defined]  # just checked
    return max(totals)


def renyi(release: Any, orders: Sequence[Fraction]) -> tuple[tuple[Fraction, ...], Fraction]:
    """The divergence at each order, and the delta outside; an order that the release does not bound is never within its limit."""
    bound = _bound(release)
    if not isinstance(orders, Sequence) or isinstance(orders, str) or not orders:
        raise BadArgument("orders", orders, "are no orders", "Give the orders of the filter, such as (2, 8, 32)")
    tops = [bound.renyi(order).upper for order in orders]
    if all(math.isinf(top) for top in tops):
        raise _unpayable(release, "is unbounded at every order of the filter", "Release something with a bounded divergence")
    beyond = Fraction(10) ** 30
    return tuple(beyond if math.isinf(top) else _stored(Fraction(top)) for top in tops), _stored(bound.delta_outside)


def renyi_limit(order: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest divergence at this order that still gives (epsilon, delta), rounded down, 0 if there is none.

    epsilon - log(1 - 1/a) + log(a delta) / (a - 1): the conversion of Canonne, Kamath and Steinke 2020, proposition 12, solved.
    """
    from twoworlds.losses.balls import ball, precision  # noqa: PLC0415  the numeric core loads only when asked for
    from twoworlds.losses.bounds import below  # noqa: PLC0415  as above, only when asked for

    at, most, outside = exact(order, "order"), exact(epsilon, "epsilon"), probability(delta, "delta")
    if at <= 1:
        raise BadArgument("order", order, "is not above 1", "Give an order of the filter")
    if most < 0:
        raise BadArgument("epsilon", epsilon, "is below 0", "Give the epsilon of the filter")
    if not outside:
        return Fraction(0)
    with precision():
        alpha = ball(at)
        limit = below(ball(most) - (1 - 1 / alpha).log() + (alpha * ball(outside)).log() / (alpha - 1))
    return max(limit or Fraction(0), Fraction(0))


def _bound(release: Any) -> MomentBound:
    """The moment bound of anything that has one."""
    from twoworlds.losses.moments import MomentBound, concentrated, pure_moments  # noqa: PLC0415  loads only when asked for
    from twoworlds.losses.spectra import moments_of  # noqa: PLC0415  as above, only when asked for

    if isinstance(release, MomentBound):
        return release
    if not isinstance(release, Dialect):
        return moments_of(release)
    if release.names:
        raise BadArgument("release", str(release), "still has parameters", "Evaluate the price first: price.loss(values)")
    numbers = release.at()
    if isinstance(release, prices.GaussianPrivacy):
        return concentrated(numbers["mu"] ** 2 / 2)
    if isinstance(release, prices.KullbackLeibler | prices.MutualInformation):
        return moments_of(release.loss())
    if set(numbers) <= {"epsilon", "delta"}:
        return pure_moments(numbers.get("epsilon", Fraction(0)), numbers.get("delta", Fraction(0)))
    return moments_of(release.loss())


def _unpayable(release: Any, why: str, fix: str) -> BadArgument:
    return BadArgument("release", str(release), why, fix)


def _stored(amount: Fraction) -> Fraction:
    """As it is if it is short, else rounded up to 64 significant bits: what a ledger adds up for years stays short."""
    if amount.denominator.bit_length() <= _BITS or not amount:
        return amount
    shift = _BITS - (amount.numerator.bit_length() - amount.denominator.bit_length())
    unit = Fraction(2) ** shift
    return Fraction(math.ceil(amount * unit)) / unit
