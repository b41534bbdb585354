"""Bounds on moments: what zCDP, RDP and their kin promise, composed as moments and converted last.

A bare bound on Renyi divergences has no single pair of worlds that composes without loss, so it is kept as it is: a sum of Renyi
curves, beside the probability delta of an event outside which they hold (approximate zCDP: Bun and Steinke 2016, section
8). Composition adds curves and deltas; a conversion picks the order at the very end. Only upper bounds are
shown: nothing says that a bare bound is attained.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from twoworlds.losses.balls import ball, float_above, float_below, precision
from twoworlds.losses.bounds import above, infinity, is_at_most, zero
from twoworlds.losses.cumulants import (
    Coin,
    Curve,
    Laplacian,
    Line,
    Points,
    PoissonSampled,
    PureCurve,
    SubsampledGaussian,
    WithoutReplacementSampled,
)
from twoworlds.losses.orders import GRID, epsilon_at, least_error, least_over_orders, log_delta_at
from twoworlds.losses.variation import variation
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument, InfiniteLoss, MixedNeighbours
from twoworlds.worlds.rationals import exact, positive, probability

__all__ = [
    "ADD_REMOVE",
    "REPLACE",
    "MomentBound",
    "concentrated",
    "gaussian_moments",
    "laplace_moments",
    "mean_concentrated",
    "pure_moments",
    "randomized_response_moments",
    "renyi_at",
    "renyi_curve",
    "subsampled_gaussian_moments",
    "truncated",
]


ADD_REMOVE, REPLACE = "add/remove", "replace"


@dataclass(frozen=True)
class MomentBound:
    """Renyi curves with their counts, holding outside an event of probability `delta_outside` in either world."""

    curves: tuple[tuple[Curve, int], ...]
    delta_outside: Fraction = Fraction(0)
    neighbours: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.neighbours, str):
            raise BadArgument("neighbours", self.neighbours, "is no name of a relation", "Give its name, such as 'add/remove'")

    @property
    def attained_by(self) -> None:
        """No pair of worlds is known to attain a bare bound."""
        return None

    def compose(self, *others: MomentBound) -> MomentBound:
        """All of these on the same records: curves and deltas add up; equal curves merge by count."""
        counts: dict[Curve, int] = {}
        outside, neighbours = Fraction(0), ""
        for bound in (self, *others):
            if not isinstance(bound, MomentBound):
                raise BadArgument("other", bound, "is not a moment bound", "Turn it into one with moments_of(loss)")
            if neighbours and bound.neighbours and neighbours != bound.neighbours:
                raise MixedNeighbours(neighbours, bound.neighbours)
            neighbours = neighbours or bound.neighbours
            outside += bound.delta_outside
            for curve, count in bound.curves:
                counts[curve] = counts.get(curve, 0) + count
        return MomentBound(tuple(counts.items()), min(outside, Fraction(1)), neighbours)

    def power(self, n: int) -> MomentBound:
        """The same, n times."""
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise BadArgument("n", n, "is not a whole number of 1 or more", "Say how many times it ran")
        curves = tuple((curve, times * n) for curve, times in self.curves)
        return MomentBound(curves, min(self.delta_outside * n, Fraction(1)), self.neighbours)

    def then(self, function: Callable[..., object]) -> MomentBound:
        """Post-processing by any function: Renyi divergences cannot grow (van Erven and Harremoes 2014, theorem 9)."""
        if not callable(function):
            raise BadArgument("function", function, "is not a function", "Give the function that post-processes the output")
        return self

    def reverse(self) -> MomentBound:
        """The other order of the two worlds: the bound holds for both."""
        return self

    def sampled(self, rate: object) -> MomentBound:
        """On a Poisson sample of this rate, under addition or removal of one record (Zhu and Wang 2019, theorem 5)."""
        q = _rate(rate)
        return self._resampled(q, ADD_REMOVE, lambda curve: PoissonSampled(curve, q))

    def sampled_without_replacement(self, size: int, records: int) -> MomentBound:
        """On `size` of `records` records, one of them replaced (Wang, Balle and Kasiviswanathan 2019, theorem 9)."""
        q = _rate(Fraction(_whole(size, "size"), _whole(records, "records")))
        return self._resampled(q, REPLACE, lambda curve: WithoutReplacementSampled(curve, q))

    def _resampled(self, rate: Fraction, relation: str, sampled: Callable[[Curve], Curve]) -> MomentBound:
        if self.neighbours not in ("", relation):
            raise MixedNeighbours(self.neighbours, relation)
        if self.delta_outside:
            raise BadArgument("delta", self.delta_outside, "is not 0", "Sample the exact moment bound; keep the delta part aside")
        if len(self.curves) != 1 or self.curves[0][1] != 1:
            raise BadArgument("bound", self.curves, "was composed before the sampling", "Sample each step, then compose")
        return MomentBound(((sampled(self.curves[0][0]) if rate < 1 else self.curves[0][0], 1),), neighbours=relation)

    def tradeoff_points(self, n: int = 33) -> list[tuple[Fraction, Interval]]:
        """The curve at n evenly spaced type I errors."""
        if isinstance(n, bool) or not isinstance(n, int) or n < 2:
            raise BadArgument("n", n, "is not a whole number of 2 or more", "Ask for both ends at least")
        return [(Fraction(i, n - 1), self.tradeoff(Fraction(i, n - 1))) for i in range(n)]

    # ------------------------------------------------------------------------------------------------ its values

    def renyi(self, order: object) -> Interval:
        """The Renyi divergence of this order (1: Kullback-Leibler; infinity: the largest log ratio), outside the delta event."""
        with precision():
            if isinstance(order, float) and math.isinf(order) and order > 0:
                return Interval(0.0, float_above(self._most()))
            number = exact(order, "order")
            if number < 1:
                raise BadArgument("order", order, "is below 1", "Give an order of 1 or more, or math.inf")
            return Interval(0.0, float_above(self._renyi(number)))

    @property
    def rho(self) -> float:
        """The least rho for which the curve stays below rho * order: zCDP, with `delta_outside` its approximate part."""
        with precision():
            return float_above(ball(self._sum(lambda curve: curve.rho())))

    @property
    def mu(self) -> float:
        """No theorem turns a moment bound into Gaussian privacy, so this is infinite; a Gaussian loss knows its own mu."""
        return math.inf

    @property
    def advantage(self) -> Interval:
        """The total variation distance: how much better than a coin flip the best test can be, scaled to 1."""
        return self.delta(0)

    def epsilon(self, delta: object) -> Interval:
        """The smallest epsilon at this delta over all orders (Canonne, Kamath and Steinke 2020, proposition 12).

        r(a) + log(1 - 1/a) - log(a delta) / (a - 1); every order gives a valid bound, so only the best one needs care.
        Infinite where the delta is used up by the event outside, or is zero and the log ratio is unbounded.
        """
        target = _delta(delta)
        with precision():
            if target < self.delta_outside:
                return Interval(0.0, math.inf)
            # what is left for the curves: delta = outside + (1 - outside) * inside
            inside, best = (target - self.delta_outside) / (1 - self.delta_outside), self._most()
            if inside > 0 and is_at_most(self._total_variation(), ball(inside)):
                return Interval(0.0, 0.0)
            if inside > 0:
                log_delta = ball(inside).log()
                found = self._best(lambda order, divergence: epsilon_at(order, divergence, log_delta))
                best = found if is_at_most(found, best) else best
            return Interval(0.0, max(float_above(best), 0.0))

    def finite_epsilon(self, delta: object) -> float:
        """A finite epsilon that holds at this delta, or an error that says why there is none."""
        top = self.epsilon(delta).upper
        if math.isinf(top):
            raise InfiniteLoss(
                f"no finite epsilon holds at delta = {delta} for this moment bound",
                f"Ask for a delta above {float(self.delta_outside):g}, or tighten the bound",
            )
        return top

    def delta(self, epsilon: object) -> Interval:
        """The smallest delta at this epsilon over all orders (the same theorem, solved for delta)."""
        target = exact(epsilon, "epsilon")
        if target < 0:
            raise BadArgument("epsilon", epsilon, "is below 0", "Give an epsilon of 0 or more")
        with precision():
            most = self.most
            if most is not None and most <= target:
                inside = zero
            else:
                far = ball(target)
                inside = self._best(lambda order, divergence: log_delta_at(order, divergence, far)).exp()
                variation = self._total_variation()
                inside = inside if is_at_most(inside, variation) else variation
            outside = ball(self.delta_outside)
            total = outside + (1 - outside) * inside
            return Interval(0.0, min(float_above(total), 1.0))

    def tradeoff(self, alpha: object) -> Interval:
        """The least type II error of a test whose type I error is alpha.

        Any test is post-processing to one bit, so its two errors must satisfy the binary Renyi constraint at every order, in both
        directions (Balle, Barthe, Gaboardi, Hsu and Sato 2020, section 4). The lower end is certified in balls.
        """
        with precision():
            error = probability(alpha, "alpha")
            stay = 1 - self.delta_outside
            if error >= stay:
                return Interval(0.0, float_above(ball(1 - error)))
            inner, least = error / stay, Fraction(0)
            for order in self._orders():
                divergence = self._renyi(order)
                if divergence.is_finite():
                    least = max(least, least_error(inner, order, divergence, least))
            return Interval(max(float_below(ball(stay * least)), 0.0), float_above(ball(1 - error)))

    # ------------------------------------------------------------------------------------------------- in balls

    @property
    def most(self) -> Fraction | None:
        """The largest log ratio outside the delta event, exact where it is rational; None if it is unbounded."""
        return self._top(lambda curve: curve.most())

    @property
    def steepest(self) -> Fraction | None:
        """rho, exact where it is rational; None if it is unbounded."""
        return self._top(lambda curve: curve.rho())

    def _top(self, value: Callable[[Curve], Fraction | arb]) -> Fraction | None:
        with precision():
            total = self._sum(value)
            return total if isinstance(total, Fraction) else above(total)

    def _sum(self, value: Callable[[Curve], Fraction | arb]) -> Fraction | arb:
        """Rational parts add up exactly, the others in balls."""
        exacts, balls = Fraction(0), zero
        for curve, count in self.curves:
            part = value(curve)
            if isinstance(part, Fraction):
                exacts += count * part
            else:
                balls += count * part
        return exacts if balls.is_zero() else ball(exacts) + balls

    def _renyi(self, order: Fraction) -> arb:
        return ball(self._sum(lambda curve: curve.renyi(order)))

    def _most(self) -> arb:
        return ball(self._sum(lambda curve: curve.most()))

    def _total_variation(self) -> arb:
        """Pinsker or Bretagnolle-Huber from Kullback-Leibler, or tanh(epsilon / 2) where the log ratio is bounded."""
        divergence, most = self._renyi(Fraction(1)), self._most()
        bounds = [variation(divergence)] if divergence.is_finite() else []
        if most.is_finite():
            bounds.append((most / 2).tanh())
        return min((bound.upper() for bound in bounds), default=arb(1))

    def _orders(self) -> list[Fraction]:
        """Orders worth trying: a wide geometric grid, and wherever a curve says it matters."""
        return sorted({*GRID, *(order for curve, _ in self.curves for order in curve.landmarks())})

    def _best(self, value: Callable[[Fraction, arb], arb]) -> arb:
        """The smallest value over the orders: the grid's best, then golden sections around it. Every order is sound."""

        def score(order: Fraction) -> arb:
            divergence = self._renyi(order)
            return value(order, divergence) if divergence.is_finite() else infinity

        return least_over_orders(self._orders(), score)


# --------------------------------------------------------------------------------------------------- constructors


def concentrated(rho: object, delta: object = 0, neighbours: str = "") -> MomentBound:
    """rho-zCDP, or delta-approximate rho-zCDP (Bun and Steinke 2016, definition 1.1 and section 8)."""
    return MomentBound(((Line(_amount(rho, "rho")), 1),), _delta(delta), neighbours)


def truncated(rho: object, omega: object, neighbours: str = "") -> MomentBound:
    """(rho, omega)-truncated concentrated privacy: zCDP for orders below omega (Bun, Dwork, Rothblum and Steinke 2018)."""
    limit = exact(omega, "omega")
    if limit <= 1:
        raise BadArgument("omega", omega, "is not above 1", "Give the order below which the bound holds")
    return MomentBound(((Line(_amount(rho, "rho"), below=limit), 1),), neighbours=neighbours)


def mean_concentrated(mean: object, spread: object, neighbours: str = "") -> MomentBound:
    """(mean, spread)-concentrated privacy (Dwork and Rothblum 2016): the loss has this mean at most, subgaussian around it.

    E[e^((a - 1) L)] <= e^((a - 1) mean + (a - 1)^2 spread^2 / 2), so the divergence is at most mean + (a - 1) spread^2 / 2.
    """
    centre, square = _amount(mean, "mean"), _amount(spread, "spread") ** 2
    return MomentBound(((Line(square / 2, centre - square / 2), 1),), neighbours=neighbours)


def renyi_at(order: object, epsilon: object, delta: object = 0, neighbours: str = "") -> MomentBound:
    """(order, epsilon)-RDP at one order (Mironov 2017), hence also below it."""
    return renyi_curve({exact(order, "order"): epsilon}, delta, neighbours)


def renyi_curve(points: Mapping[object, object], delta: object = 0, neighbours: str = "") -> MomentBound:
    """RDP at several orders: {order: epsilon}."""
    if not isinstance(points, Mapping) or not points:
        raise BadArgument("points", points, "has no orders", "Give {order: epsilon} with at least one order")
    known = []
    for order, bound in points.items():
        at = exact(order, "order")
        if at <= 1:
            raise BadArgument("order", order, "is not above 1", "Give orders above 1")
        known.append((at, _amount(bound, "epsilon")))
    return MomentBound(((Points(tuple(sorted(known))), 1),), _delta(delta), neighbours)


def pure_moments(epsilon: object, delta: object = 0, neighbours: str = "") -> MomentBound:
    """The tight Renyi curve of pure privacy; with delta, of approximate privacy.

    An (epsilon, delta) pair is dominated by randomized response at epsilon with probability 1 - delta and full disclosure
    otherwise (Kairouz, Oh and Viswanath 2017), so delta is the event outside.
    """
    return MomentBound(((PureCurve(_amount(epsilon, "epsilon")), 1),), _delta(delta), neighbours)


def gaussian_moments(sigma: object, sensitivity: object = 1, neighbours: str = "") -> MomentBound:
    """Gaussian noise: rho = sensitivity^2 / (2 sigma^2) (Bun and Steinke 2016, proposition 1.6), attained at every order."""
    ratio = positive(sensitivity, "sensitivity") / positive(sigma, "sigma")
    return MomentBound(((Line(ratio**2 / 2), 1),), neighbours=neighbours)


def laplace_moments(scale: object, sensitivity: object = 1, neighbours: str = "") -> MomentBound:
    """Laplace noise (Mironov 2017, proposition 6)."""
    ratio = positive(sensitivity, "sensitivity") / positive(scale, "scale")
    return MomentBound(((Laplacian(ratio), 1),), neighbours=neighbours)


def randomized_response_moments(p: object, neighbours: str = "") -> MomentBound:
    """A coin that tells the truth with probability p (Mironov 2017, proposition 5)."""
    truth = probability(p, "p")
    if truth in (0, 1):
        raise BadArgument("p", p, "tells the answer outright", "Give a probability strictly between 0 and 1")
    return MomentBound(((Coin(truth), 1),), neighbours=neighbours)


def subsampled_gaussian_moments(sigma: object, rate: object, sensitivity: object = 1) -> MomentBound:
    """The Gaussian on a Poisson sample, under addition or removal of a record (Mironov, Talwar and Zhang 2019)."""
    mu = positive(sensitivity, "sensitivity") / positive(sigma, "sigma")
    return MomentBound(((SubsampledGaussian(mu**2, _rate(rate)), 1),), neighbours=ADD_REMOVE)


def _amount(value: object, argument: str) -> Fraction:
    number = exact(value, argument)
    if number < 0:
        raise BadArgument(argument, value, "is below 0", f"Give a {argument} of 0 or more")
    return number


def _delta(delta: object) -> Fraction:
    number = exact(delta, "delta")
    if not 0 <= number < 1:
        raise BadArgument("delta", delta, "is not in [0, 1)", "Give a delta far below one over the number of records")
    return number


def _rate(rate: object) -> Fraction:
    number = exact(rate, "rate")
    if not 0 < number <= 1:
        raise BadArgument("rate", rate, "is not in (0, 1]", "Give the probability that a record joins the batch")
    return number


def _whole(value: object, argument: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadArgument(argument, value, "is not a whole number of 1 or more", f"Give a whole number of {argument}")
    return value
