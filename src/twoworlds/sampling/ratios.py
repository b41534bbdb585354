"""Single draws of laws whose weights are irrational but whose neighbouring weights have rational ratios: Poisson and its kin.

From the mode outward, blocks of one length are proposed with the probability of a geometric law, a place in the block uniformly,
and the place is kept with the ratio of its weight to the block's: a product of rationals, so a coin tosses it exactly. Where
weights are log-concave, ratios of neighbours only fall outward; so a block weighs no more than the first one's fall, once for
each block before it.

A product of very many ratios would take long. There the weights are known by their logarithms, between integers, and the coin is
tossed with those; it is as exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt, prod

from twoworlds.sampling.coins import bernoulli
from twoworlds.sampling.entropy import Stream
from twoworlds.sampling.logs import Bounds, below_exp, difference, fixed_ln, ln, stirling, times
from twoworlds.sampling.singles import geometric

__all__ = ["negative_binomial", "skellam"]

_LONGEST = 128  # a block; products of more ratios take a millisecond
_RAREST = 256  # the waiting time up to which a negative binomial of r below 1 is drawn from a geometric law
_GUARD = 24  # bits more than the coin asks for, beside those that a product with a large number loses


Ratio = Callable[[int], tuple[int, int]]
"""Numerator and denominator of the ratio of the weights k + 1 and k steps from the mode; never reduced, which would cost more."""
Log = Callable[[int, int], Bounds]
"""The logarithm of a weight, up to a constant, in units of 2^-bits: of what, and bits."""


@dataclass(frozen=True)
class _Falling:
    """A log-concave law by its mode and the ratios of neighbouring weights above and below it."""

    mode: int
    up: Ratio
    down: Ratio
    block: int
    fall: tuple[int, int]

    @staticmethod
    def of(mode: int, block: int, up: Ratio, down: Ratio) -> _Falling:
        """The law in blocks of about its standard deviation (2 or more: the first step may not fall)."""
        above, below = _product(up, block), _product(down, block)
        return _Falling(mode, up, down, block, above if above[0] * below[1] >= below[0] * above[1] else below)

    def draw(self, stream: Stream) -> int:
        top, bottom = self.fall
        while True:
            upward, blocks = stream.word() & 1, 0
            while bernoulli(stream, top, bottom):
                blocks += 1
            steps = blocks * self.block + stream.below(self.block)
            if not steps and not upward:  # the mode is proposed from above alone
                continue
            weight, whole = _product(self.up if upward else self.down, steps)
            if bernoulli(stream, weight * bottom**blocks, whole * top**blocks):
                return self.mode + steps if upward else self.mode - steps


def _product(ratio: Ratio, count: int) -> tuple[int, int]:
    """The weight that many steps from the mode, as a share of the mode's."""
    steps = [ratio(k) for k in range(count)]
    return prod(top for top, _ in steps), prod(bottom for _, bottom in steps)


@dataclass(frozen=True)
class _Wide:
    """The same by the logarithms of its weights, which are 0 below `0`."""

    mode: int
    log: Log
    block: int
    fall: Fraction

    @staticmethod
    def of(mode: int, block: int, log: Log) -> _Wide:
        """With a fall, in sixteenths, that is certainly not below that of the first block on either side."""
        bits = 64
        top = log(mode, bits)[0]
        ends = [mode + block, *([mode - block] if mode >= block else [])]
        gone = max(log(end, bits)[1] for end in ends) - top
        sixteenths = next(k for k in range(1, 17) if ln(Fraction(k, 16), bits)[0] >= gone or k == 16)
        if sixteenths == 16:
            raise ArithmeticError("weights do not fall within a standard deviation of the mode; please report this")
        return _Wide(mode, log, block, Fraction(sixteenths, 16))

    def draw(self, stream: Stream) -> int:
        while True:
            upward, blocks = stream.word() & 1, 0
            while bernoulli(stream, self.fall.numerator, self.fall.denominator):
                blocks += 1
            steps = blocks * self.block + stream.below(self.block)
            x = self.mode + steps if upward else self.mode - steps
            if x < 0 or (not steps and not upward):
                continue
            if not steps or below_exp(stream, lambda bits, x=x, n=blocks: self._kept(x, n, bits)):  # type: ignore[misc]  # mypy cannot infer a lambda with defaults
                return x

    def _kept(self, x: int, blocks: int, bits: int) -> Bounds:
        """The logarithm of the chance to keep x, proposed so many blocks from the mode."""
        envelope = times(Fraction(blocks), fixed_ln(self.fall, bits))
        return difference((1, self.log(x, bits)), (-1, _fixed(self.log, self.mode, bits)), (-1, envelope))


@dataclass(frozen=True)
class _Steep:
    """A negative binomial of r below 1, whose weights only fall: from 1 at 0, then in blocks 2^j to 2^(j + 1) - 1.

    Of each block, 2^-bound[j] is no less than the first weight. The last one is met again and again, the weights falling by
    (1 - p)^length each time (log-convex, and every ratio is at most 1 - p), which is at most 1/2.
    """

    log: Log
    bound: tuple[int, ...]
    shares: tuple[int, ...]

    @staticmethod
    def of(log: Log, p: Fraction) -> _Steep:
        bits, bound = 16, []
        last = ceil(1 / p).bit_length()
        start, unit = log(0, bits)[0], ln(Fraction(2), bits)
        for j in range(last + 1):
            bound.append(-(log(1 << j, bits)[1] - start) // unit[1])
        top = max([0, *(low - j for j, low in enumerate(bound))])
        blocks = [1 << top - low + j for j, low in enumerate(bound)]
        return _Steep(log, tuple(bound), (1 << top, *blocks[:-1], 2 * blocks[-1]))

    def draw(self, stream: Stream) -> int:
        while True:
            place, j = stream.below(sum(self.shares)), -1
            while place >= self.shares[j + 1]:
                place, j = place - self.shares[j + 1], j + 1
            if j < 0:
                return 0
            again = 0
            while j == len(self.bound) - 1 and stream.word() & 1:
                again += 1
            x = (1 << j) * (1 + again) + stream.bits(j)
            if below_exp(stream, lambda bits, x=x, n=self.bound[j] + again: self._kept(x, n, bits)):  # type: ignore[misc]  # mypy cannot infer a lambda with defaults
                return x

    def _kept(self, x: int, halvings: int, bits: int) -> Bounds:
        return difference(
            (1, self.log(x, bits)), (-1, _fixed(self.log, 0, bits)), (1, times(Fraction(halvings), fixed_ln(Fraction(2), bits)))
        )


@lru_cache(maxsize=64)
def _fixed(log: Log, x: int, bits: int) -> Bounds:
    """The logarithm of a weight that depends on the law alone."""
    return log(x, bits)


def skellam(stream: Stream, mean: Fraction) -> int:
    """The difference of two Poisson variables."""
    law = _poisson(mean)
    return law.draw(stream) - law.draw(stream)


@lru_cache(maxsize=32)
def _poisson(mean: Fraction) -> _Falling | _Wide:
    """P[x] proportional to mean^x / x!: upward from x the ratio is mean / (x + 1)."""
    mode, top, bottom = max(ceil(mean) - 1, 0), mean.numerator, mean.denominator
    block = isqrt(ceil(mean)) + 1
    if block > _LONGEST:
        return _Wide.of(mode, block, lambda x, bits: _log_weight(x, bits, mean, None))
    return _Falling.of(mode, block, lambda k: (top, bottom * (mode + k + 1)), lambda k: (bottom * max(mode - k, 0), top))


def _log_weight(x: int, bits: int, base: Fraction, r: Fraction | None) -> Bounds:
    """ln(base^x / x!), or ln(base^x Gamma(x + r) / x!), less a constant; rounding stays below 2^-bits."""
    spare = _GUARD + 2 * (x + int(r or 0)).bit_length()
    inner = bits + spare
    parts = [(1, times(Fraction(x), fixed_ln(base, inner))), (-1, stirling(Fraction(x + 1), inner))]
    if r is not None:
        parts.append((1, stirling(x + r, inner)))
    low, high = difference(*parts)
    return low >> spare, -(-high >> spare)


def negative_binomial(stream: Stream, r: Fraction, p: Fraction) -> int:
    """Failures before the r-th success.

    For r below 1 the weights are those of a geometric law times the product of (i + r) / (i + 1), i from 0 on, which falls.
    """
    if r >= 1:
        return _concave(r, p).draw(stream)
    if p * _RAREST < 1:
        return _convex(r, p).draw(stream)
    while True:
        failures = geometric(stream, p)
        if all(bernoulli(stream, i * r.denominator + r.numerator, (i + 1) * r.denominator) for i in range(failures)):
            return failures


@lru_cache(maxsize=32)
def _convex(r: Fraction, p: Fraction) -> _Steep:
    return _Steep.of(lambda x, bits: _log_weight(x, bits, 1 - p, r), p)


@lru_cache(maxsize=32)
def _concave(r: Fraction, p: Fraction) -> _Falling | _Wide:
    """For r of 1 or more, where weights are log-concave: upward from x the ratio is (x + r) (1 - p) / (x + 1)."""
    q = 1 - p
    mode = max(ceil((r * q - 1) / p), 0)
    block = isqrt(ceil(r * q / p**2)) + 1
    if block > _LONGEST:
        return _Wide.of(mode, block, lambda x, bits: _log_weight(x, bits, q, r))

    def up(k: int) -> tuple[int, int]:
        x = mode + k
        return (x * r.denominator + r.numerator) * q.numerator, (x + 1) * r.denominator * q.denominator

    def down(k: int) -> tuple[int, int]:
        bottom, top = up(-k - 1)
        return (top, bottom) if mode > k else (0, 1)

    return _Falling.of(mode, block, up, down)
