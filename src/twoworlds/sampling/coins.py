"""Exact coins from integers alone: no float, no logarithm, no table.

A uniform real is revealed 64 bits at a time, and only as far as the comparison at hand needs; what has not been revealed is
still uniform. So each coin has its probability exactly, not to within 2^-64.
"""

from __future__ import annotations

from twoworlds.sampling.entropy import Stream

__all__ = ["bernoulli", "bernoulli_exp", "bernoulli_power", "geometric_exp"]


def bernoulli(stream: Stream, numerator: int, denominator: int) -> bool:
    """True with probability numerator / denominator, for 0 <= numerator <= denominator."""
    known, target = stream.word() * denominator, numerator << 64
    while True:
        if known + denominator <= target:
            return True
        if known >= target:
            return False
        # The uniform number and the probability agree in all bits so far: reveal 64 more.
        known, target = (known << 64) + stream.word() * denominator, target << 64


def bernoulli_exp(stream: Stream, numerator: int, denominator: int) -> bool:
    """True with probability exp(-numerator / denominator) (Canonne, Kamath and Steinke 2020, algorithm 1)."""
    whole, numerator = divmod(numerator, denominator)
    for _ in range(whole):
        if not _below_one(stream, 1, 1):
            return False
    return _below_one(stream, numerator, denominator)


def _below_one(stream: Stream, numerator: int, denominator: int) -> bool:
    """The same for an exponent from 0 to 1: the first failure among coins of gamma / k comes at an odd k."""
    k = 1
    while bernoulli(stream, numerator, denominator * k):
        k += 1
    return k % 2 == 1


def geometric_exp(stream: Stream) -> int:
    """How often in a row a coin of probability exp(-1) comes up true."""
    count = 0
    while _below_one(stream, 1, 1):
        count += 1
    return count


def bernoulli_power(stream: Stream, numerator: int, denominator: int, exponent: int) -> bool:
    """True with probability (numerator / denominator)^exponent, without tossing `exponent` coins."""
    known, shown, spare = stream.word(), 64, exponent.bit_length() + 8
    while True:
        low, high = _power(numerator, denominator, exponent, shown + spare)
        if (known + 1) << spare <= low:
            return True
        if known << spare >= high:
            return False
        known, shown = known << 64 | stream.word(), shown + 64


def _power(numerator: int, denominator: int, exponent: int, bits: int) -> tuple[int, int]:
    """Integers around 2^bits (numerator / denominator)^exponent, by repeated squaring rounded down and up."""
    low, high = (numerator << bits) // denominator, -((-numerator << bits) // denominator)
    result_low = result_high = 1 << bits
    while exponent:
        if exponent & 1:
            result_low, result_high = result_low * low >> bits, -(-result_high * high >> bits)
        low, high = low * low >> bits, -(-high * high >> bits)
        exponent >>= 1
    return result_low, result_high
