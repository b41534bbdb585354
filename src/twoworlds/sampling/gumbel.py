"""One Gumbel draw from integers alone: inversion, with the distribution function held between whole numbers.

A float guesses the answer; fixed-point bounds on the distribution function prove it, or move it, or ask for more bits.
"""

from __future__ import annotations

import math
from fractions import Fraction

from twoworlds.sampling.entropy import Stream

__all__ = ["exponential_ends", "gumbel"]

_SPARE = 24  # bits computed beyond those of the uniform number


def gumbel(stream: Stream, scale: Fraction) -> int:
    """The least x with U < exp(-exp(-x / scale)), for a uniform U of which as many bits are drawn as the answer needs."""
    digits, length = stream.word(), 64
    while True:
        found = _inverse(digits, length, scale)
        if found is not None:
            return found
        digits, length = digits << 64 | stream.word(), length + 64


def _inverse(digits: int, length: int, scale: Fraction) -> int | None:
    """The answer for every U in [digits, digits + 1) / 2^length, or None where it is not the same for all of them."""
    bits = length + _SPARE
    least, most = digits << _SPARE, (digits + 1) << _SPARE
    x = _guess(digits, length, scale)
    below, here = _cumulative(x - 1, scale, bits), _cumulative(x, scale, bits)
    while here[1] <= least:
        x, below, here = x + 1, here, _cumulative(x + 1, scale, bits)
    while below[0] >= most:
        x, below, here = x - 1, _cumulative(x - 2, scale, bits), below
    return x if below[1] <= least and most <= here[0] else None


def _guess(digits: int, length: int, scale: Fraction) -> int:
    """Near the answer, by floats."""
    whole = 1 << length
    if digits >= whole >> 1:
        size = -math.log1p(-(2 * (whole - digits) - 1) / (2 * whole))
    else:
        size = -math.log((2 * digits + 1) / (2 * whole))
    return math.ceil(-math.log(size) * scale)


def _cumulative(x: int, scale: Fraction, bits: int) -> tuple[int, int]:
    """Whole numbers around 2^bits exp(-exp(-x / scale))."""
    top, bottom = abs(x) * scale.denominator, scale.numerator
    if x < 0 and 5 * top > 3 * bits * bottom:  # exp(-exp(0.6 bits)) is less than 2^-bits, as bits are more than 10
        return 0, 1
    low, high = exponential_ends(top, bottom, bits)
    if x < 0:
        low, high = (1 << 2 * bits) // high, (1 << 2 * bits) // low + 1
    return exponential_ends(high, 1 << bits, bits)[0], exponential_ends(low, 1 << bits, bits)[1]


def exponential_ends(numerator: int, denominator: int, bits: int) -> tuple[int, int]:
    """Whole numbers around 2^bits exp(-numerator / denominator), for an exponent of 0 or more.

    exp(y) for y = numerator / (denominator 2^halvings) <= 1/16 is summed from terms rounded down. A term is less than 3 units
    above its rounded value (its own rounding, and a sixteenth of the last one's error); what is left out after the first term of
    zero, and the rounding of y, come to less than 6 units more. Squaring and the reciprocal round outward.
    """
    if numerator > denominator * (bits + 1):
        return 0, 1
    halvings = (numerator // denominator).bit_length() + 4
    scale = bits + 2 * halvings + 16
    step = (numerator << scale - halvings) // denominator
    low, high, term, count = 1 << scale, 6, 1 << scale, 1
    while term:
        term = (term * step >> scale) // count
        low, high, count = low + term, high + 3, count + 1
    high += low
    for _ in range(halvings):
        low, high = low * low >> scale, -(-high * high >> scale)
    spare = scale - bits
    return (1 << 2 * scale) // high >> spare, ((1 << 2 * scale) // low >> spare) + 1
