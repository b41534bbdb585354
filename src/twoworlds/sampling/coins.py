"""Exact coins from integers alone: no float, no logarithm, no table.

A uniform real is revealed 64 bits at a time, and only as far as the comparison at hand needs; what has not been revealed is
still uniform. So each coin has its probability exactly, not to within 2^-64.
"""

from __future__ import annotations

from twoworlds.sampling.entropy import Stream

__all__ = ["bernoulli", "bernoulli_exp", "geometric_exp"]


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
