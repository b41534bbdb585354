"""The Gaussian mechanism on a Poisson sample: N(0, 1) against the mixture (1 - q) N(0, 1) + q N(mu, 1), and the other way round.

Its moments are integrals over the real line of phi(x) w(x)^s, where phi is the normal density, w(x) = 1 - q + q exp(mu x -
mu^2 / 2), and s = z + 1 (record removed: the mixture comes first) or s = -z (record added). The trapezoid rule with spacing h
errs by at most 2 N / (exp(2 pi d / h) - 1) if the integrand is analytic for |Im x| < d and its absolute integral along every
line in there is at most N (Trefethen and Weideman 2014, "The exponentially convergent trapezoidal rule", theorem 5.1).

Write s = a + i b. On the line Im x = y, |phi| grows by exp(y^2 / 2). For |mu y| < pi, w is not zero, |arg w| <= mu |y|, and
w(x) cos(mu y / 2) <= |w(x + i y)| <= w(x). So N <= exp(d^2 / 2 + |b| mu d) cos(mu d / 2)^min(a, 0) I(a), where I(a) is the
integral at b = 0, itself bounded by the rule. Outside the nodes the integrand is bounded by Gaussian tails.

Far out on the line (the envelope): move the path of integration to Im x = y. There |w^s| = |w|^a exp(-b arg w), and arg w > 0
for 0 < mu y < pi (b > 0; else y < 0). The bound that absolute values give falls in |b| for every x, so computed at one frequency
it holds from there on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from flint import acb, arb

from twoworlds.losses.balls import ball, normal_tail
from twoworlds.losses.dominance import Pair
from twoworlds.losses.waves import powers

__all__ = ["SampledGaussian"]

_ACCURACY = 55.0  # the quadrature errs by about exp(-this), relative to the moment at the same point of the real axis
_ENOUGH_TO_AIM = 100  # points of the integrand to look for a path by
_MOST_POINTS = 100_000  # a tilt that needs more is useless: one single release already dominates the whole moment


@dataclass(frozen=True)
class SampledGaussian(Pair):
    """mu^2 and the sampling rate q < 1; `removed` says whether the mixture is the first law of the pair."""

    mu_squared: Fraction
    rate: Fraction
    removed: bool = True

    def __str__(self) -> str:
        mu = float(self.mu_squared) ** 0.5
        return f"Gaussian(mu = {mu:.6g}) sampled at {self.rate}{'' if self.removed else ', added'}"

    def reverse(self) -> SampledGaussian:
        return SampledGaussian(self.mu_squared, self.rate, not self.removed)

    @property
    def largest(self) -> arb:
        return arb("inf") if self.removed else -(1 - ball(self.rate)).log()

    def hockey(self, epsilon: arb) -> arb:
        """w is increasing, so the best event is a half-line; it ends where the likelihood ratio is exp(epsilon)."""
        q, mu = ball(self.rate), ball(self.mu_squared).sqrt()
        level = (epsilon if self.removed else -epsilon).exp() - (1 - q)
        if not level > 0:
            return 1 - epsilon.exp() if self.removed else arb(0)
        cut = (level / q).log() / mu + mu / 2
        if self.removed:
            return (1 - q - epsilon.exp()) * normal_tail(cut) + q * normal_tail(cut - mu)
        return (1 - epsilon.exp() * (1 - q)) * normal_tail(-cut) - epsilon.exp() * q * normal_tail(mu - cut)

    def exceeds(self, epsilon: arb) -> arb:
        q, mu = ball(self.rate), ball(self.mu_squared).sqrt()
        level = (epsilon if self.removed else -epsilon).exp() - (1 - q)
        if not level > 0:
            return arb(1) if self.removed else arb(0)
        cut = (level / q).log() / mu + mu / 2
        return normal_tail(cut) if self.removed else (1 - q) * normal_tail(-cut) + q * normal_tail(mu - cut)

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        rule = self._rule(t, float(step.mid()) * (nodes.stop - 1) * (1 + 1e-9))
        if rule is None:
            return [acb("nan")] * len(nodes)
        weights, losses = rule.table
        sign = 1 if self.removed else -1
        if self.removed:
            weights = tuple(weight * loss.exp() for weight, loss in zip(weights, losses, strict=True))
        sums = powers(weights, [sign * loss for loss in losses], t, step, nodes)
        error = rule.error(rule.real_integral)
        return [value + acb(arb(0, error), arb(0, error)) for value in sums]

    def moment(self, t: arb) -> arb:
        rule = self._rule(t, 0.0)
        return arb("nan") if rule is None else rule.real_integral

    def envelope(self, t: arb, omega: arb) -> arb:
        rule = self._rule(t, 0.0)
        if rule is None:
            return arb("nan")
        total = rule.real_integral
        shifted = rule.shifted(omega, total)
        return total if shifted is None else arb.min(total, shifted)

    def effort(self, omega: float) -> int:
        spacing, _ = _spacing(math.sqrt(self.mu_squared), 1.0, omega, 0.0, 0.0)
        return math.ceil(24 / spacing)

    def _rule(self, t: arb, frequency: float) -> Rule | None:
        a = t + 1 if self.removed else -t
        return (_kept if a.is_exact() else _fit)(self.mu_squared, self.rate, a, frequency)


@lru_cache(maxsize=256)
def _points(
    mu_squared: Fraction, rate: Fraction, spacing: float, first: int, last: int
) -> tuple[tuple[arb, ...], tuple[arb, ...]]:
    """phi * spacing and log w at spacing * first .. spacing * last."""
    q, mu = ball(rate), ball(mu_squared).sqrt()
    scale = spacing / (2 * arb.pi()).sqrt()
    points = [arb(spacing) * j for j in range(first, last + 1)]
    weights = tuple((-x * x / 2).exp() * scale for x in points)
    losses = tuple((q * (mu * x - mu * mu / 2).expm1()).log1p() for x in points)
    return weights, losses


@dataclass(frozen=True)
class Rule:
    """A trapezoid rule for integrals of phi w^(a + i b), |b| <= frequency, with everything its error bound needs."""

    mu_squared: Fraction
    rate: Fraction
    a: arb
    frequency: float
    strip: float
    spacing: float
    first: int
    last: int

    @property
    def mu(self) -> arb:
        return ball(self.mu_squared).sqrt()

    @property
    def table(self) -> tuple[tuple[arb, ...], tuple[arb, ...]]:
        return _points(self.mu_squared, self.rate, self.spacing, self.first, self.last)

    @cached_property
    def real_integral(self) -> arb:
        """The integral of phi w^a."""
        weights, losses = self.table
        total = sum((w * (self.a * loss).exp() for w, loss in zip(weights, losses, strict=True)), arb(0))
        share, tails = self._share(arb(0)), self._tails()
        high = ((total + tails) / (1 - share)).upper()
        return total + arb(0, (tails + share * high).upper())

    def error(self, integral: arb) -> arb:
        """How far the sum over the points may be from the integral of phi w^(a + i b)."""
        return (self._tails() + self._share(arb(self.frequency)) * integral).upper()

    def _share(self, b: arb) -> arb:
        """The error of the rule with infinitely many points, as a share of the integral of phi w^a."""
        d = arb(self.strip)
        growth = d * d / 2 + b * self.mu * d
        if not self.a >= 0:
            growth += self.a * (self.mu * d / 2).cos().log()
        return 2 * growth.exp() / (2 * arb.pi() * d / self.spacing).expm1()

    def _tails(self) -> arb:
        """A bound on the sum of phi w^a * spacing over the points left out: unimodal, so integral + spacing * maximum."""
        left, right = arb(-self.first) * self.spacing, arb(self.last) * self.spacing
        if not self.a >= 0:  # w >= 1 - q
            return (self.a * (-ball(self.rate)).log1p()).exp() * (self._beyond(left) + self._beyond(right))
        # w <= 1 on the left of 0. On the right log w has a slope of at most mu, so w(x) <= w(right) exp(mu (x - right)).
        tilt = self.a * self.mu
        log_w = (ball(self.rate) * (self.mu * right - self.mu * self.mu / 2).expm1()).log1p()
        constant = (self.a * log_w - tilt * right + tilt * tilt / 2).exp()
        return self._beyond(left) + constant * self._beyond(right - tilt)

    def _beyond(self, x: arb) -> arb:
        peak = arb.max(x, arb(0))
        return normal_tail(x) + self.spacing * (-peak * peak / 2).exp() / (2 * arb.pi()).sqrt()

    def shifted(self, omega: arb, integral: arb) -> arb | None:
        """The bound from the path Im x = y on the integrals of phi w^(a + i b) for all b >= omega, at about the best y."""
        y = _best_shift(self, float(omega.mid()))
        spacing, strip = _spacing(float(self.mu.mid()), float(self.a.mid()), 0.0, y, float(omega.mid()))
        if spacing * 2 * _MOST_POINTS < self.spacing * (self.last - self.first):
            return None
        last, first = math.ceil(self.last * self.spacing / spacing), math.floor(self.first * self.spacing / spacing)
        fine = Rule(self.mu_squared, self.rate, self.a, 0.0, strip, spacing, first, last)
        return fine._absolute(arb(y), omega, integral)

    def _absolute(self, y: arb, omega: arb, integral: arb) -> arb:
        q, mu, d = ball(self.rate), self.mu, arb(self.strip)
        turn = acb(0, mu * y).exp()
        weights, losses = self.table
        total = arb(0)
        for weight, loss in zip(weights, losses, strict=True):
            log = (1 - q + (loss.exp() - (1 - q)) * turn).log()
            total += weight * (self.a * log.real - omega * log.imag).exp()
        growth = d * d / 2 + omega / 2 * mu * arb.max(d - y, arb(0))
        thinner = arb(1)
        if not self.a >= 0:
            growth += self.a * (mu * (d + y) / 2).cos().log()
            thinner = (self.a * (mu * y / 2).cos().log()).exp()
        share = 2 * growth.exp() / (2 * arb.pi() * d / self.spacing).expm1()
        return (y * y / 2).exp() * (total + thinner * self._tails() + share * integral).upper()


def _fit(mu_squared: Fraction, rate: Fraction, a: arb, frequency: float) -> Rule | None:
    """Spacing and range for the wanted accuracy, chosen in floats: a poor choice only makes the error bound larger."""
    mu, tilt = math.sqrt(mu_squared), float(a.mid())
    spacing, strip = _spacing(mu, tilt, frequency, 0.0, 0.0)
    reach = math.sqrt(2 * _ACCURACY)
    if tilt < 0:
        left = right = math.sqrt(2 * (_ACCURACY - tilt * -math.log1p(-float(rate))))
    else:
        left, right = reach, _right_end(mu, float(rate), tilt)
    first, last = -_rounded(left / spacing), _rounded(right / spacing)
    if last - first > _MOST_POINTS:
        return None
    return Rule(mu_squared, rate, a, frequency, strip, spacing, first, last)


_kept = lru_cache(maxsize=1024)(_fit)  # only exact balls have a hash


def _rounded(points: float) -> int:
    """At least so many and one more, in steps of a sixth: neighbouring tilts share their points."""
    step = 1 << max(math.ceil(points).bit_length() - 3, 0)
    return math.ceil((points + 1) / step) * step


def _spacing(mu: float, a: float, frequency: float, y: float, omega: float) -> tuple[float, float]:
    """The widest spacing, over a few strips, with a small enough error; and the half-width of that strip."""
    best = (0.0, 0.0)
    room = 0.95 * (math.pi / mu - y)
    for part in (*(0.1 * k for k in range(1, 11)), min(math.sqrt(2 * _ACCURACY) / room, 1.0), min(y / room, 1.0)):
        d = part * room
        if d > 0:
            loss = _ACCURACY + d * d / 2 + frequency * mu * d + omega / 2 * mu * max(d - y, 0.0)
            loss += min(a, 0.0) * math.log(math.cos(min(mu * (d + y) / 2, 1.57)))
            best = max(best, (2 * math.pi * d / loss, d))
    return 2.0 ** (math.floor(4 * math.log2(best[0])) / 4), best[1]


def _right_end(mu: float, rate: float, a: float) -> float:
    """Where the tail of phi w^a to the right has become negligible, also behind a second bump near x = a mu."""
    integral = max(0.0, a * math.log(rate) + (a * a - a) * mu * mu / 2)
    end = math.sqrt(2 * _ACCURACY)
    while True:
        log_w = _log_w(mu, rate, end)
        tail = a * (log_w - mu * end) + (a * mu) ** 2 / 2 - max(end - a * mu, 0.0) ** 2 / 2
        if tail < integral - _ACCURACY:
            return end
        end *= 1.1


def _log_w(mu: float, rate: float, x: float) -> float:
    exponent = mu * x - mu * mu / 2
    return math.log1p(rate * math.expm1(exponent)) if exponent < 30 else exponent + math.log(rate)


def _best_shift(rule: Rule, omega: float) -> float:
    """About the best path for the envelope: a search in floats, any y in (0, pi / mu) is valid."""
    mu, rate, a = math.sqrt(rule.mu_squared), float(rule.rate), float(rule.a.mid())
    stride = max(1, (rule.last - rule.first) // _ENOUGH_TO_AIM)
    xs = [rule.spacing * j for j in range(rule.first, rule.last + 1, stride)]
    ratios = [rate * math.exp(min(mu * x - mu * mu / 2, 600.0)) for x in xs]

    def height(log_y: float) -> float:
        y = math.exp(log_y)
        cos, sin = math.cos(mu * y), math.sin(mu * y)
        logs = []
        for x, ratio in zip(xs, ratios, strict=True):
            real, imaginary = 1 - rate + ratio * cos, ratio * sin
            logs.append(a * math.log(math.hypot(real, imaginary)) - omega * math.atan2(imaginary, real) - x * x / 2)
        peak = max(logs)
        return y * y / 2 + peak + math.log(sum(math.exp(log - peak) for log in logs))

    low, high = math.log(1e-6 / mu), math.log(0.8 * math.pi / mu)
    while high - low > 0.05:
        left, right = high - 0.618 * (high - low), low + 0.618 * (high - low)
        low, high = (low, right) if height(left) < height(right) else (left, high)
    return math.exp((low + high) / 2)
