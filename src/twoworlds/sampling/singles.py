"""One draw at a time, from integers alone: no table to build, nothing to import.

Every function takes the law's parameters in units of the grid as a numerator and a denominator.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import lcm

from twoworlds.sampling.coins import bernoulli, bernoulli_exp, bernoulli_power, geometric_exp
from twoworlds.sampling.entropy import Stream
from twoworlds.sampling.logs import Bounds, below_exp, difference, fixed_ln, times

__all__ = ["categorical", "discrete_gaussian", "exponential", "exponential_weights", "gaussian", "geometric", "laplace"]

_MOST_HALVES = 64  # what is rarer than 2^-64 beside the largest is proposed with that
_HALVINGS = Fraction(144_268, 100_000)  # a little below 1 / ln 2
_NEVER = -(1 << 62)
_TWO = Fraction(2)


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
    """Index i with probability weights[i] / sum(weights).

    A weight n / d is below 2^(e + 1), with e the bits of n less those of d; so i is proposed with 2^(e + 1), and kept with the
    share that the weight has of that.
    """
    parts = [(weight.numerator, weight.denominator) for weight in weights]
    sizes = [n.bit_length() - d.bit_length() if n else _NEVER for n, d in parts]
    top = max(sizes)
    halves = [min(top - size, _MOST_HALVES) for size in sizes]
    ends = _ends(halves)
    while True:
        i = bisect_right(ends, stream.below(ends[-1]))
        (n, d), up = parts[i], halves[i] - top - 1
        if bernoulli(stream, n << max(up, 0), d << max(-up, 0)):
            return i


def exponential_weights(stream: Stream, scores: Sequence[Fraction], scale: Fraction) -> int:
    """Index i with probability proportional to exp(scores[i] / scale).

    With g how far its score is from the best, in scales, k = floor(g * 1.44268) is no more than g / ln 2 = g * 1.442695...; so
    i is proposed with 2^-k, and kept with exp(-g) 2^k.
    """
    whole = lcm(*{score.denominator for score in scores})
    numbers = [score.numerator * (whole // score.denominator) for score in scores]
    best, unit = max(numbers), scale.numerator * whole
    top, bottom = _HALVINGS.numerator * scale.denominator, _HALVINGS.denominator * unit
    halves = [min((best - number) * top // bottom, _MOST_HALVES) for number in numbers]
    ends = _ends(halves)
    while True:
        i = bisect_right(ends, stream.below(ends[-1]))
        gap = Fraction((best - numbers[i]) * scale.denominator, unit)
        if not gap or below_exp(stream, partial(_short, gap, halves[i])):
            return i


def _ends(halves: Sequence[int]) -> list[int]:
    """Running sums of 2^-halves, as whole numbers."""
    return list(accumulate([1 << _MOST_HALVES - k for k in halves]))


def _short(gap: Fraction, halves: int, bits: int) -> Bounds:
    """k ln 2 - g, at most 0."""
    return difference((1, times(Fraction(halves), fixed_ln(_TWO, bits))), (-1, times(gap, (1 << bits, 1 << bits))))
