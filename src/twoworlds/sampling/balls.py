"""Ball arithmetic where a draw is decided: integer bounds on real numbers, and a comparison that never guesses.

A ball of `flint.arb` encloses the number it stands for, and each operation widens it by its own rounding error (Johansson 2017),
at any precision. So a bound taken from a ball is proved; a ball too wide to decide only costs another round.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx, fmpq

from twoworlds.sampling.entropy import Stream, after_fork

__all__ = ["PRECISION", "ball", "ceiling", "falls_below", "floor", "ratio", "working"]

PRECISION = 192
_MOST_PRECISION = 1 << 17  # a comparison that is open after so many bits has probability 2^-40000: it is a bug
_turn = threading.RLock()  # flint's precision is one setting for all threads


def _renew_turn() -> None:
    """In the child of a fork: whichever thread held the lock is not there to release it."""
    global _turn  # noqa: PLW0603  a lock is state of the process
    _turn = threading.RLock()


after_fork(_renew_turn)


@contextmanager
def working(precision: int = PRECISION) -> Iterator[None]:
    """Inside this block balls carry so many bits."""
    with _turn, ctx.workprec(precision):
        yield


def ratio(numerator: int, denominator: int) -> arb:
    """The tightest ball around numerator / denominator."""
    return arb(fmpq(numerator, denominator))


def ball(number: Fraction | int) -> arb:
    """The tightest ball around a rational."""
    return arb(fmpq(number.numerator, number.denominator))


def floor(value: arb) -> int:
    """The largest integer that is certainly no more than the value."""
    mantissa, exponent = value.lower().man_exp()
    return int(mantissa) << int(exponent) if exponent >= 0 else int(mantissa) >> -int(exponent)


def ceiling(value: arb) -> int:
    """The least integer that is certainly no less than the value."""
    return -floor(-value)


def falls_below(stream: Stream, offset: int, value: Callable[[], arb]) -> bool:
    """Whether offset + V < value, for V uniform below 1 and revealed 64 bits at a time until the answer is certain.

    `value` is computed anew in each round, with twice the precision. The answer is right for every real value. Where the value is
    rational and agrees with all the bits shown, the bits to come decide; so this ends with probability 1.
    """
    known, shown, precision = offset, 0, PRECISION
    while precision <= _MOST_PRECISION:
        with working(precision):
            scaled = value() * 2**shown
            if scaled >= known + 1:
                return True
            if scaled <= known:
                return False
        known, shown, precision = known << 64 | stream.word(), shown + 64, precision * 2
    raise ArithmeticError(f"no decision after {shown} bits: the law's weight does not become precise; please report this")
