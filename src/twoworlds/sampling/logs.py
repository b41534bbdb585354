"""Logarithms of rationals and of gamma functions between two integers, and coins of a probability known by its logarithm.

From integers alone, so that a first draw imports nothing: an interval is a pair (low, high) in units of 2^-bits, and every step
is rounded outward.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import comb, prod

from twoworlds.sampling.entropy import Stream

__all__ = ["Bounds", "below_exp", "difference", "fixed_ln", "ln", "stirling", "times"]

Bounds = tuple[int, int]


def _atanh(z: Fraction, bits: int) -> Bounds:
    """atanh z = z + z^3 / 3 + ... for z from 0 to 1/3.

    With u = 2^-bits: powers are rounded down, each less than 3 u below the truth (an error of u shrinks to u / 9, and less than
    2 u is new); with its own rounding a term is less than 4 u too small. What is left out is less than 5 u.
    """
    first = (z.numerator << bits) // z.denominator
    square = first * first >> bits
    total, power, k = 0, first, 1
    while power:
        total += power // k
        power = power * square >> bits
        k += 2
    return total, total + 2 * k + 5


@lru_cache(maxsize=64)
def _ln2(bits: int) -> Bounds:
    low, high = _atanh(Fraction(1, 3), bits)
    return 2 * low, 2 * high


def ln(x: Fraction, bits: int) -> Bounds:
    """The logarithm of a positive rational: x = f 2^e with f from 1 to 2, and ln f = 2 atanh((f - 1) / (f + 1))."""
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    part = x / Fraction(2) ** exponent
    if part < 1:
        exponent, part = exponent - 1, part * 2
    low, high = _atanh((part - 1) / (part + 1), bits)
    shift = times(Fraction(exponent), _ln2(bits))
    return shift[0] + 2 * low, shift[1] + 2 * high


@lru_cache(maxsize=256)
def fixed_ln(x: Fraction, bits: int) -> Bounds:
    """The logarithm of a public number, remembered; of what was drawn nothing is."""
    return ln(x, bits)


def times(factor: Fraction, bounds: Bounds) -> Bounds:
    """An interval times a rational."""
    low, high = bounds if factor >= 0 else bounds[::-1]
    return low * factor.numerator // factor.denominator, -(-high * factor.numerator // factor.denominator)


def difference(*parts: tuple[int, Bounds]) -> Bounds:
    """A sum of intervals with signs."""
    low = sum(bounds[0] if sign > 0 else -bounds[1] for sign, bounds in parts)
    return low, sum(bounds[1] if sign > 0 else -bounds[0] for sign, bounds in parts)


@lru_cache(maxsize=64)
def _bernoulli_number(n: int) -> Fraction:
    """B_n, by sum over k <= n of C(n + 1, k) B_k = 0."""
    if n < 2 or n % 2:
        return (Fraction(1), Fraction(-1, 2))[n] if n < 2 else Fraction(0)
    return -sum((comb(n + 1, k) * _bernoulli_number(k) for k in (0, 1, *range(2, n, 2))), Fraction(0)) / (n + 1)


def stirling(z: Fraction, bits: int) -> Bounds:
    """ln Gamma(z) - ln(2 pi) / 2 for z > 0.

    Stirling's series (z - 1/2) ln z - z + sum of B_2j / (2j (2j - 1) z^(2j - 1)) is off by less than the first term left out
    (DLMF 5.11(ii)). A small z is moved up first: Gamma(z) = Gamma(z + n) / (z (z + 1) ... (z + n - 1)).
    """
    moved = max(0, bits - int(z))
    if moved:
        product = prod(z.numerator + i * z.denominator for i in range(moved))
        return difference((1, stirling(z + moved, bits)), (-1, ln(Fraction(product, z.denominator**moved), bits)))
    whole = -z
    low, high = times(z - Fraction(1, 2), ln(z, bits))
    low, high = low + (whole.numerator << bits) // whole.denominator, high - (-whole.numerator << bits) // whole.denominator
    top, bottom, j = z.denominator, z.numerator, 1
    while True:
        number = _bernoulli_number(2 * j)
        term = (abs(number.numerator) * top << bits) // (number.denominator * 2 * j * (2 * j - 1) * bottom) + 1
        if term == 1:
            return low - 1, high + 1
        low, high = (low + term - 1, high + term) if number > 0 else (low - term, high - term + 1)
        top, bottom, j = top * z.denominator**2, bottom * z.numerator**2, j + 1


def below_exp(stream: Stream, exponent: Callable[[int], Bounds]) -> bool:
    """True with probability exp(y), for y <= 0 known between `exponent(bits)` to any number of bits.

    A uniform number U is revealed 64 bits at a time, until ln U is known to be below y or above.
    """
    known, shown = stream.word(), 64
    while True:
        bits = shown + 16
        low, high = exponent(bits)
        if ln(Fraction(known + 1, 1 << shown), bits)[1] <= low:
            return True
        if known and ln(Fraction(known, 1 << shown), bits)[0] >= high:
            return False
        known, shown = known << 64 | stream.word(), shown + 64
