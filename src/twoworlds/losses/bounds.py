"""The ends of balls as exact rationals: what a ledger stores and a comparison of two bounds needs."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from twoworlds.losses.balls import upper

__all__ = ["above", "below", "infinity", "is_at_most", "zero"]

infinity = arb("inf")
zero = arb(0)


def above(value: arb) -> Fraction | None:
    """The upper end of a ball, exactly; None when it is infinite; not-a-number is an error."""
    top = upper(value)
    if not top.is_finite():
        return None
    mantissa, exponent = (int(part) for part in top.man_exp())
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def below(value: arb) -> Fraction | None:
    """The lower end of a ball, exactly; None when it is minus infinity."""
    negated = above(-value)
    return None if negated is None else -negated


def is_at_most(one: arb, other: arb) -> bool:
    """Whether the upper end of one bound is no larger than that of the other; an infinite bound is no smaller than any."""
    first, second = above(one), above(other)
    return second is None or (first is not None and first <= second)
