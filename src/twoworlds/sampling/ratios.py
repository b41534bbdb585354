"""Single draws of laws whose weights are irrational but whose neighbouring weights have rational ratios: Poisson and its kin.

From the mode outward, blocks of one length are proposed with the probability of a geometric law, a place in the block uniformly,
and the place is kept with the ratio of its weight to the block's: a product of rationals, so a coin tosses it exactly. Where
weights are log-concave, ratios of neighbours only fall outward; so a block weighs no more than the first one's fall, once for
each block before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, isqrt, prod

from twoworlds.sampling.coins import bernoulli
from twoworlds.sampling.entropy import Stream
from twoworlds.sampling.singles import geometric

__all__ = ["negative_binomial", "skellam"]

_LONGEST = 128  # a block; products of more ratios take a millisecond
_RAREST = 256  # the waiting time up to which a negative binomial of r below 1 is drawn from a geometric law


Ratio = Callable[[int], tuple[int, int]]
"""Numerator and denominator of the ratio of the weights k + 1 and k steps from the mode; never reduced, which would cost more."""


@dataclass(frozen=True)
class _Falling:
    """A log-concave law by its mode and the ratios of neighbouring weights above and below it."""

    mode: int
    up: Ratio
    down: Ratio
    block: int
    fall: tuple[int, int]

    @staticmethod
    def of(mode: int, variance: Fraction, up: Ratio, down: Ratio) -> _Falling | None:
        """The law in blocks of about its standard deviation (2 or more: the first step may not fall); None where that is long."""
        block = isqrt(ceil(variance)) + 1
        if block > _LONGEST:
            return None
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


def skellam(stream: Stream, mean: Fraction) -> int | None:
    """The difference of two Poisson variables; None where the mean is too large."""
    law = _poisson(mean)
    return None if law is None else law.draw(stream) - law.draw(stream)


@lru_cache(maxsize=32)
def _poisson(mean: Fraction) -> _Falling | None:
    """P[x] proportional to mean^x / x!: upward from x the ratio is mean / (x + 1)."""
    mode, top, bottom = max(ceil(mean) - 1, 0), mean.numerator, mean.denominator
    return _Falling.of(mode, mean, lambda k: (top, bottom * (mode + k + 1)), lambda k: (bottom * max(mode - k, 0), top))


def negative_binomial(stream: Stream, r: Fraction, p: Fraction) -> int | None:
    """Failures before the r-th success; None where they are too many.

    For r below 1 the weights are those of a geometric law times the product of (i + r) / (i + 1), i from 0 on, which falls.
    """
    if r >= 1:
        law = _concave(r, p)
        return None if law is None else law.draw(stream)
    while p * _RAREST >= 1:
        failures = geometric(stream, p)
        if all(bernoulli(stream, i * r.denominator + r.numerator, (i + 1) * r.denominator) for i in range(failures)):
            return failures
    return None


@lru_cache(maxsize=32)
def _concave(r: Fraction, p: Fraction) -> _Falling | None:
    """For r of 1 or more, where weights are log-concave: upward from x the ratio is (x + r) (1 - p) / (x + 1)."""
    q = 1 - p
    mode = max(ceil((r * q - 1) / p), 0)

    def up(k: int) -> tuple[int, int]:
        x = mode + k
        return (x * r.denominator + r.numerator) * q.numerator, (x + 1) * r.denominator * q.denominator

    def down(k: int) -> tuple[int, int]:
        bottom, top = up(-k - 1)
        return (top, bottom) if mode > k else (0, 1)

    return _Falling.of(mode, r * q / p**2, up, down)
