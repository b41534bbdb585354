"""Ball arithmetic at the edge of the rationals: numbers go in exactly, bounds come out rounded outward.

A ball (`flint.arb`) holds a real number between two floats of any length, and every operation widens it by its own rounding error
(Johansson 2017). So the upper end of a formula computed in balls is a proved upper bound on the formula.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import float_above

if TYPE_CHECKING:
    from flint import arb

__all__ = ["above", "ball", "below", "float_over", "float_under", "infinity", "is_at_most", "working", "zero"]


@contextmanager
def working(bits: int = 128) -> Iterator[None]:
    """Inside this block balls carry so many bits."""
    from flint import ctx  # noqa: PLC0415  loaded only when a number is asked for

    with ctx.workprec(bits):
        yield


def ball(number: Fraction | int) -> arb:
    """The tightest ball around a rational."""
    from flint import arb, fmpq  # noqa: PLC0415  loaded only when a number is asked for

    return arb(fmpq(number.numerator, number.denominator))


def zero() -> arb:
    return ball(0)


def infinity() -> arb:
    from flint import arb  # noqa: PLC0415  loaded only when a number is asked for

    return arb.pos_inf()


def above(value: arb) -> Fraction | None:
    """The upper end of a ball, exactly; None when it is infinite."""
    top = value.upper()
    if top.is_nan():
        raise BadArgument("bound", value, "is not a number", "Report this: it is a bug of ours")
    if not top.is_finite():
        return None
    mantissa, exponent = (int(part) for part in top.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def below(value: arb) -> Fraction | None:
    """The lower end of a ball, exactly; None when it is minus infinity."""
    negated = above(-value)
    return None if negated is None else -negated


def float_over(value: arb) -> float:
    """The least float that is the upper end of a ball or more."""
    top = above(value)
    return math.inf if top is None else float_above(top)


def float_under(value: arb) -> float:
    """The greatest float that is the lower end of a ball or less."""
    return -float_over(-value)


def is_at_most(one: arb, other: arb) -> bool:
    """Whether the upper end of one bound is no larger than that of the other; an infinite bound is no smaller than any."""
    first, second = above(one), above(other)
    return second is None or (first is not None and first <= second)
