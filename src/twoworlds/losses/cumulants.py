"""Renyi curves of single mechanisms: for every order, a certified bound on the Renyi divergence in both directions.

The order-alpha divergence of P from Q is log(E_Q[(P/Q)^alpha]) / (alpha - 1); order 1 is its limit, Kullback-Leibler. It grows
with the order, and (alpha - 1) times it is convex in the order and zero at 1 (van Erven and Harremoes 2014). So a bound at one
order says something at all smaller ones.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import acb, arb

from twoworlds.losses.balls import ball
from twoworlds.losses.bounds import above, infinity, is_at_most, zero

__all__ = [
    "Coin",
    "Curve",
    "Laplacian",
    "Largest",
    "Line",
    "Points",
    "PoissonSampled",
    "PureCurve",
    "SubsampledGaussian",
    "Summed",
    "WithoutReplacementSampled",
]

_LARGEST_SUM = 4096  # the longest binomial sum that is worth computing; the mechanism without sampling bounds higher orders


class Curve(ABC):
    """A Renyi curve: `renyi(order)` is a ball whose upper end bounds both directions, infinite where nothing is known."""

    __slots__ = ()

    @abstractmethod
    def renyi(self, order: Fraction) -> arb:
        """A bound at an order of 1 or more."""

    def rho(self) -> Fraction | arb:
        """A bound on the divergence divided by the order, over all orders (concentrated privacy); infinite if unknown."""
        return infinity

    def most(self) -> Fraction | arb:
        """A bound at order infinity (pure privacy), exact where it is rational; infinite if there is none."""
        return infinity

    def landmarks(self) -> tuple[Fraction, ...]:
        """Orders at which a conversion should look."""
        return ()


@dataclass(frozen=True, slots=True)
class Line(Curve):
    """At most shift + rho * order, for all orders, or for those below a limit.

    With shift 0: zero-concentrated privacy (Bun and Steinke 2016); with a limit: truncated (Bun, Dwork, Rothblum and Steinke
    2018). The Gaussian of standard deviation sigma and sensitivity d attains rho = d^2 / (2 sigma^2) in equality.
    """

    rho_: Fraction
    shift: Fraction = Fraction(0)
    below: Fraction | None = None

    def renyi(self, order: Fraction) -> arb:
        if self.below is not None and order >= self.below:
            return infinity
        return ball(max(self.shift + self.rho_ * order, Fraction(0)))

    def rho(self) -> Fraction | arb:
        return infinity if self.below is not None else self.rho_ + max(self.shift, Fraction(0))

    def most(self) -> Fraction | arb:
        flat = self.rho_ == 0 and self.below is None
        return max(self.shift, Fraction(0)) if flat else infinity

    def landmarks(self) -> tuple[Fraction, ...]:
        return () if self.below is None else (1 + (self.below - 1) * Fraction(2**30 - 1, 2**30),)


@dataclass(frozen=True, slots=True)
class Points(Curve):
    """Known at finitely many orders; in between by convexity of (order - 1) * divergence, beyond the last order unknown."""

    known: tuple[tuple[Fraction, Fraction], ...]

    def renyi(self, order: Fraction) -> arb:
        moments = [(Fraction(1), Fraction(0)), *((at, (at - 1) * bound) for at, bound in self.known)]
        if order == 1:
            return ball(min(bound for _, bound in self.known))
        chords = [
            ((right - order) * low + (order - left) * high) / (right - left)
            for left, low in moments
            for right, high in moments
            if left < order <= right
        ]
        return ball(min(chords) / (order - 1)) if chords else infinity

    def landmarks(self) -> tuple[Fraction, ...]:
        return tuple(order for order, _ in self.known)


@dataclass(frozen=True, slots=True)
class PureCurve(Curve):
    """The tight curve of pure privacy, attained by randomized response (Steinke 2024; Bun and Steinke 2016, proposition 3.3).

    With c(x) = log cosh(x): (c((order - 1/2) epsilon) - c(epsilon / 2)) / (order - 1). Hence rho = epsilon tanh(epsilon / 2): the
    slope of the numerator, epsilon tanh((order - 1/2) epsilon), is at most (2 order - 1) epsilon tanh(epsilon / 2), because
    tanh(m x) <= m tanh(x) for m >= 1; integrate from order 1. It is attained as the order falls to 1.
    """

    epsilon: Fraction

    def renyi(self, order: Fraction) -> arb:
        epsilon = ball(self.epsilon)
        if order == 1:
            return self.rho()
        # epsilon - log((1 + e^-epsilon) / (1 + e^-(2 order - 1) epsilon)) / (order - 1): nothing overflows
        ratio = (-epsilon).exp().log1p() - (-(2 * ball(order) - 1) * epsilon).exp().log1p()
        return epsilon - ratio / ball(order - 1)

    def rho(self) -> arb:
        epsilon = ball(self.epsilon)
        return epsilon * (epsilon / 2).tanh()

    def most(self) -> Fraction:
        return self.epsilon


@dataclass(frozen=True, slots=True)
class Coin(Curve):
    """Randomized response that tells the truth with probability p: Bernoulli(p) against Bernoulli(1 - p)."""

    p: Fraction

    def _epsilon(self) -> arb:
        return abs((ball(self.p) / ball(1 - self.p)).log())

    def renyi(self, order: Fraction) -> arb:
        if order == 1:
            return self.rho()
        truth, lie, alpha = ball(self.p), ball(1 - self.p), ball(order)
        return (truth**alpha * lie ** (1 - alpha) + lie**alpha * truth ** (1 - alpha)).log() / (alpha - 1)

    def rho(self) -> arb:
        return self._epsilon() * abs(ball(2 * self.p - 1))

    def most(self) -> arb:
        return self._epsilon()


@dataclass(frozen=True, slots=True)
class Laplacian(Curve):
    """Laplace noise whose scale is 1 / epsilon sensitivities (Mironov 2017, proposition 6).

    rho = epsilon + e^-epsilon - 1, its value at order 1 (Harrison and Manurangsi 2025).
    """

    epsilon: Fraction

    def renyi(self, order: Fraction) -> arb:
        if order == 1:
            return self.rho()
        epsilon, alpha = ball(self.epsilon), ball(order)
        near = alpha / (2 * alpha - 1) * ((alpha - 1) * epsilon).exp()
        far = (alpha - 1) / (2 * alpha - 1) * (-alpha * epsilon).exp()
        return (near + far).log() / (alpha - 1)

    def rho(self) -> arb:
        epsilon = ball(self.epsilon)
        return epsilon + (-epsilon).expm1()

    def most(self) -> Fraction:
        return self.epsilon


@dataclass(frozen=True, slots=True)
class SubsampledGaussian(Curve):
    """N(0, 1) against N(mu, 1) on a Poisson sample, under addition or removal of one record; mu = sensitivity / sigma.

    Removal dominates at every order (Mironov, Talwar and Zhang 2019, theorem 5). Whole orders: their closed binomial sum; others:
    the defining integral, by rigorous quadrature. The unsampled Gaussian bounds every order, as divergences are jointly convex.
    """

    mu_squared: Fraction
    rate: Fraction

    def renyi(self, order: Fraction) -> arb:
        plain = ball(order * self.mu_squared / 2)
        if self.rate == 1 or order > _LARGEST_SUM:
            return plain
        if order == 1:
            return self.renyi(Fraction(17, 16))
        if order.denominator == 1:
            sampled = _gaussian_sum(self.mu_squared, self.rate, int(order))
        else:
            sampled = _gaussian_integral(self.mu_squared, self.rate, order)
        return sampled if is_at_most(sampled, plain) else plain

    def rho(self) -> Fraction:
        return self.mu_squared / 2


@lru_cache(maxsize=4096)
def _gaussian_sum(mu_squared: Fraction, rate: Fraction, order: int) -> arb:
    spread, total, weight = ball(mu_squared / 2), zero, ball(1 - rate) ** order
    odds = ball(rate / (1 - rate))
    for k in range(order + 1):
        total += weight * (spread * (k * k - k)).exp()
        weight *= odds * (order - k) / (k + 1)
    return total.log() / (order - 1)


@lru_cache(maxsize=4096)
def _gaussian_integral(mu_squared: Fraction, rate: Fraction, order: Fraction) -> arb:
    """log of the integral of (1 - q + q e^(mu x - mu^2 / 2))^order against the normal density, over (order - 1).

    The mixed ratio is at most max(1, r), so the two tails that are left out weigh at most erfc(c / sqrt 2) times 1 plus the
    unsampled moment, where c standard deviations are kept on either side of both bumps, at 0 and at order * mu.
    """
    mu, spread, alpha, q = ball(mu_squared).sqrt(), ball(mu_squared / 2), ball(order), ball(rate)
    keep = math.ceil(math.sqrt(float(order) ** 2 * float(mu_squared) + 160))

    def integrand(x: acb, analytic: bool) -> acb:
        mixed = acb(1 - q) + acb(q) * (acb(mu) * x - acb(spread)).exp()
        return (mixed.log(analytic=analytic) * acb(alpha) - x * x / 2).exp()

    middle = acb.integral(integrand, acb(-keep), acb(alpha * mu + keep)).real / (2 * arb.pi()).sqrt()
    tails = (ball(keep) / ball(2).sqrt()).erfc() * (1 + (alpha * (alpha - 1) * spread).exp())
    return (middle + tails.union(zero)).log() / (alpha - 1)


@dataclass(frozen=True, slots=True)
class PoissonSampled(Curve):
    """Any curve on a Poisson sample, under addition or removal of one record (Zhu and Wang 2019, theorem 5).

    Whole orders in closed form; other orders by convexity between their whole neighbours. Sampling never hurts, so the curve
    itself bounds every order as well.
    """

    curve: Curve
    rate: Fraction

    def renyi(self, order: Fraction) -> arb:
        plain = self.curve.renyi(order)
        if self.rate == 1 or order > _LARGEST_SUM:
            return plain
        sampled = _between(_poisson_moment, self.curve, self.rate, order)
        return sampled if is_at_most(sampled, plain) else plain

    def rho(self) -> Fraction | arb:
        return self.curve.rho()

    def most(self) -> arb:
        return (ball(self.rate) * ball(self.curve.most()).expm1()).log1p()


@dataclass(frozen=True, slots=True)
class WithoutReplacementSampled(Curve):
    """Any curve on a uniform sample of fixed size, one record replaced (Wang, Balle and Kasiviswanathan 2019, theorem 9)."""

    curve: Curve
    rate: Fraction

    def renyi(self, order: Fraction) -> arb:
        plain = self.curve.renyi(order)
        if self.rate == 1 or order > _LARGEST_SUM:
            return plain
        sampled = _between(_fixed_size_moment, self.curve, self.rate, order)
        return sampled if is_at_most(sampled, plain) else plain

    def rho(self) -> Fraction | arb:
        return self.curve.rho()

    def most(self) -> arb:
        return (ball(self.rate) * ball(self.curve.most()).expm1()).log1p()


@lru_cache(maxsize=16384)
def _poisson_moment(curve: Curve, rate: Fraction, order: int) -> arb:
    """log E of the sampled ratio to a whole order: terms from 3 on are tripled, which covers the other direction."""
    q, stay = ball(rate), ball(1 - rate)
    total = stay ** (order - 1) * (order * q - q + 1)
    for k, weight in _weights(rate, order):
        total += weight * (1 if k == 2 else 3) * ((k - 1) * curve.renyi(Fraction(k))).exp()
    return total.log()


@lru_cache(maxsize=16384)
def _fixed_size_moment(curve: Curve, rate: Fraction, order: int) -> arb:
    """log(1 + sum over j >= 2 of C(order, j) rate^j times a bound on the j-th ternary divergence)."""
    two, edge = curve.renyi(Fraction(2)), ball(curve.most()).expm1()
    total, binomial = ball(1), ball(order)
    for j in range(2, order + 1):
        binomial = binomial * (order - j + 1) / j
        cap = arb.min(ball(2), edge**j)
        term = ((j - 1) * curve.renyi(Fraction(j))).exp() * cap
        if j == 2:
            term = arb.min(term, 4 * two.expm1())
        total += binomial * ball(rate) ** j * term
    return total.log()


def _weights(rate: Fraction, order: int) -> list[tuple[int, arb]]:
    """C(order, k) (1 - rate)^(order - k) rate^k for k from 2 on."""
    odds, weight, weights = ball(rate / (1 - rate)), ball(1 - rate) ** order, []
    for k in range(order + 1):
        if k >= 2:
            weights.append((k, weight))
        weight = weight * odds * (order - k) / (k + 1)
    return weights


def _between(moment: Callable[[Curve, Fraction, int], arb], curve: Curve, rate: Fraction, order: Fraction) -> arb:
    """A divergence at any order from the moments at whole orders: its chord between the two next to it; it is zero at order 1."""
    left, right = math.floor(order), math.ceil(order)
    if order == 1:
        return moment(curve, rate, 2)  # the divergence of order 2 bounds that of order 1
    low = zero if left == 1 else moment(curve, rate, left)
    if left == right:
        return low / ball(order - 1)
    high = moment(curve, rate, right)
    return (ball(right - order) * low + ball(order - left) * high) / ball(order - 1)


@dataclass(frozen=True, slots=True)
class Largest(Curve):
    """The sum of the `parts` largest of several curves at each order: what one record can reach when it lies in so many parts."""

    curves: tuple[Curve, ...]
    parts: int = 1

    def _sum(self, values: list[arb]) -> arb:
        tops = [above(value) for value in values]
        if None in tops:
            return infinity
        ranked = sorted((top for top in tops if top is not None), reverse=True)
        return ball(sum(ranked[: self.parts], Fraction(0)))

    def renyi(self, order: Fraction) -> arb:
        return self._sum([curve.renyi(order) for curve in self.curves])

    def rho(self) -> arb:
        return self._sum([ball(curve.rho()) for curve in self.curves])

    def most(self) -> arb:
        return self._sum([ball(curve.most()) for curve in self.curves])


@dataclass(frozen=True, slots=True)
class Summed(Curve):
    """Several curves added up into one."""

    curves: tuple[tuple[Curve, int], ...]

    def _sum(self, values: list[Fraction | arb]) -> arb:
        return sum((count * ball(value) for value, (_, count) in zip(values, self.curves, strict=True)), zero)

    def renyi(self, order: Fraction) -> arb:
        return self._sum([curve.renyi(order) for curve, _ in self.curves])

    def rho(self) -> arb:
        return self._sum([curve.rho() for curve, _ in self.curves])

    def most(self) -> arb:
        return self._sum([curve.most() for curve, _ in self.curves])
