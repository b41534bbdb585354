"""Ball arithmetic: every number is a midpoint with a radius that provably covers all rounding so far.

`arb` (Johansson 2017, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic") has unlimited exponents, so
neither exp(30000) nor 1e-400 needs care. This module is the border between balls and the exact or float numbers of the house:
rationals come in enclosed, floats leave rounded in the stated direction, and a ball that is not a number is an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce

from flint import acb, arb, ctx, fmpq

from twoworlds.worlds.errors import BadArgument

__all__ = [
    "ball",
    "exact_ends",
    "float_above",
    "float_below",
    "highest",
    "is_number",
    "lowest",
    "normal_tail",
    "precision",
    "refine",
    "upper",
]

BITS = 128
_FAR = 1000


@contextmanager
def precision(bits: int = BITS) -> Iterator[None]:
    """Compute with this many bits inside the block. Fewer bits widen balls, they never make them wrong."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def ball(value: Fraction | int | float | arb) -> arb:
    """The smallest ball around an exact number (floats are taken for what they are, bit by bit)."""
    if isinstance(value, Fraction):
        return arb(fmpq(value.numerator, value.denominator))
    return arb(value)


def is_number(value: arb | acb) -> bool:
    """Whether the ball is finite: balls that lost all information are NaN or have infinite radius."""
    return bool(value.is_finite())


def upper(value: arb) -> arb:
    """The top of a ball as an exact ball; not-a-number is an error."""
    if value.is_nan():
        raise BadArgument("ball", value, "is not a number", "Report this: it is a bug of ours")
    return value.upper()


def exact_ends(value: arb) -> tuple[Fraction, Fraction]:
    """Both ends of a finite ball as rationals."""
    ends = []
    for end in (value.lower(), value.upper()):
        mantissa, exponent = end.man_exp()
        ends.append(Fraction(int(mantissa)) * Fraction(2) ** int(exponent))
    return ends[0], ends[1]


def float_above(value: arb) -> float:
    """The least float above the whole ball."""
    top = upper(value)
    if not top.is_finite():
        return math.inf if top > 0 else -math.inf
    mantissa, exponent = (int(part) for part in top.man_exp())
    excess = max(mantissa.bit_length() - 53, 0)
    mantissa, exponent = -((-mantissa) >> excess), exponent + excess
    try:
        nearest = math.ldexp(mantissa, exponent)
    except OverflowError:
        return math.inf if mantissa > 0 else -float.fromhex("0x1.fffffffffffffp+1023")
    return math.nextafter(nearest, math.inf) if exponent < -1074 else nearest


def float_below(value: arb) -> float:
    """The greatest float below the whole ball."""
    return 0.0 - float_above(-value)  # never -0.0


def refine(compute: Callable[[], arb], accurate: int = 45, limit: int = 1 << 13, negligible: arb | None = None) -> arb:
    """Repeat a computation with more and more bits until its ball is relatively small, or small beside what is negligible.

    There is a limit to it: the value may be zero.
    """
    bits = BITS
    while True:
        with precision(bits):
            value = compute()
        is_small = negligible is not None and value.rad() < negligible
        if value.rel_accuracy_bits() >= accurate or is_small or bits >= limit:
            return value
        bits *= 2


def highest(values: Iterable[arb]) -> arb:
    """The largest of some balls (a ball around the largest of the numbers in them); minus infinity of none."""
    return reduce(arb.max, values, arb("-inf"))


def lowest(values: Iterable[arb]) -> arb:
    """The smallest of some balls; infinity of none."""
    return reduce(arb.min, values, arb("inf"))


def normal_tail(x: arb) -> arb:
    """P[N(0, 1) > x]; of a wide ball by its ends, far out, where the library's bound on the spread says nothing."""
    scaled = x / arb(2).sqrt()
    if abs(scaled) < _FAR:
        return scaled.erfc() / 2
    return scaled.lower().erfc().union(scaled.upper().erfc()) / 2
