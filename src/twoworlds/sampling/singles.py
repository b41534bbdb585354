"""One draw at a time, from integers alone: no table to build, nothing to import.

Every function takes the law's parameters in units of the grid as a numerator and a denominator.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from twoworlds.sampling.coins import bernoulli, bernoulli_exp, bernoulli_power, geometric_exp
from twoworlds.sampling.entropy import Stream

__all__ = ["categorical", "discrete_gaussian", "exponential", "exponential_weights", "gaussian", "geometric", "laplace"]


def exponential(stream: Stream, scale: Fraction) -> int:
    """P[x] proportional to exp(-x / scale) on x = 0, 1, ... (Canonne, Kamath and Steinke 2020, algorithm 2 without its sign).

    U + tV with U uniform below t, kept with probability exp(-U / t), and V geometric has P[x] proportional to exp(-x / t);
    the floor of its quotient by s has scale t / s.
    """
    top, bottom = scale.numerator, scale.denominator
    while True:
        part = stream.below(top)
        if bernoulli_exp(stream, part, top):
            return (part + top * geometric_exp(stream)) // bottom


def geometric(stream: Stream, p: Fraction) -> int:
    """Failures before the first success, in blocks of w = 2^k of about half the law's length.

    (1 - p)^(jw + l) = ((1 - p)^w)^j (1 - p)^l, so the block and the place in it are independent.
    """
    top, bottom = p.denominator - p.numerator, p.denominator
    bits = (bottom // p.numerator).bit_length() - 1
    place = stream.bits(bits)
    while not bernoulli_power(stream, top, bottom, place):
        place = stream.bits(bits)
    block = 0
    while bernoulli_power(stream, top, bottom, 1 << bits):
        block += 1
    return (block << bits) + place


def laplace(stream: Stream, scale: Fraction) -> int:
    """P[x] proportional to exp(-|x| / scale): a signed `exponential`, the negative zero refused."""
    while True:
        size = exponential(stream, scale)
        if stream.word() & 1:
            return size
        if size:
            return -size


def discrete_gaussian(stream: Stream, sigma: Fraction) -> int:
    """P[x] proportional to exp(-x^2 / (2 sigma^2)) (Canonne, Kamath and Steinke 2020, algorithm 3)."""
    step = sigma.numerator // sigma.denominator + 1
    scale, square = Fraction(step), sigma * sigma
    top, bottom = square.numerator, square.denominator
    # (|y| - sigma^2 / t)^2 / (2 sigma^2) = (|y| t bottom - top)^2 / (2 top bottom t^2)
    denominator = 2 * top * bottom * step * step
    while True:
        proposal = laplace(stream, scale)
        if bernoulli_exp(stream, (abs(proposal) * step * bottom - top) ** 2, denominator):
            return proposal


def gaussian(stream: Stream, sigma: Fraction) -> int:
    """The Gaussian of this standard deviation rounded to the nearest integer (Karney 2016, algorithm N, then rounded).

    A half-normal is k + x with k proportional to exp(-k^2 / 2) and x, uniform below 1, kept with probability
    exp(-x (2k + x) / 2). Only as many bits of x are drawn as the coins and the rounding need.
    """
    while True:
        k = _half_normal_whole(stream)
        fraction = _Uniform(stream)
        # exp(-x (2k + x) / 2) as k + 1 coins, whose exponents stay below 1
        if all(_keeps(stream, fraction, k) for _ in range(k + 1)):
            size = fraction.rounded(k, sigma)
            return size if stream.word() & 1 else -size


def _half_normal_whole(stream: Stream) -> int:
    """k = 0, 1, ... with probability proportional to exp(-k^2 / 2) = exp(-k / 2) exp(-k (k - 1) / 2)."""
    while True:
        k = 0
        while bernoulli_exp(stream, 1, 2):
            k += 1
        if bernoulli_exp(stream, k * (k - 1), 2):
            return k


class _Uniform:
    """A uniform real below 1, known to lie in [digits, digits + 1) / 2^length."""

    __slots__ = ("digits", "length", "stream")

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.digits = stream.word()
        self.length = 64

    def refine(self) -> None:
        self.digits = self.digits << 64 | self.stream.word()
        self.length += 64

    def rounded(self, whole: int, sigma: Fraction) -> int:
        """The integer nearest to sigma (whole + x); a tie has probability zero."""
        while True:
            unit = sigma.denominator << self.length
            low = 2 * sigma.numerator * ((whole << self.length) + self.digits) + unit
            nearest = low // (2 * unit)
            if nearest == (low + 2 * sigma.numerator - 1) // (2 * unit):
                return nearest
            self.refine()


def _keeps(stream: Stream, fraction: _Uniform, k: int) -> bool:
    """True with probability exp(-y), y = x (2k + x) / (2k + 2) below 1: von Neumann's coins of probability y / j."""
    j = 1
    while _under(stream, fraction, k, j):
        j += 1
    return j % 2 == 1


def _under(stream: Stream, fraction: _Uniform, k: int, j: int) -> bool:
    """Whether a fresh uniform number is below x (2k + x) / ((2k + 2) j)."""
    other = _Uniform(stream)
    while True:
        while other.length < fraction.length:
            other.refine()
        digits, length = fraction.digits, fraction.length
        # both sides in units of 1 / ((2k + 2) j 2^(2 length))
        scaled = other.digits * (2 * k + 2) * j << length
        if scaled + ((2 * k + 2) * j << length) <= digits * ((2 * k << length) + digits):
            return True
        if scaled >= (digits + 1) * ((2 * k << length) + digits + 1):
            return False
        fraction.refine()


def categorical(stream: Stream, weights: Sequence[Fraction]) -> int:
    """Index i with probability weights[i] / sum(weights): any index, kept with probability weights[i] / max(weights)."""
    best = max(weights)
    while True:
        i = stream.below(len(weights))
        share = weights[i]
        if bernoulli(stream, share.numerator * best.denominator, share.denominator * best.numerator):
            return i


def exponential_weights(stream: Stream, scores: Sequence[Fraction], scale: Fraction) -> int:
    """Index i with probability proportional to exp(scores[i] / scale): any index, kept with exp((scores[i] - best) / scale)."""
    best = max(scores)
    while True:
        i = stream.below(len(scores))
        gap = Fraction(best - scores[i]) / scale
        if bernoulli_exp(stream, gap.numerator, gap.denominator):
            return i
