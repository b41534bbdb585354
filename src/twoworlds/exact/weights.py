"""Probabilities that are never floats: exact rationals (`fmpq`) where every law is rational, else balls (`arb`).

A ball is a midpoint with a radius that covers the truth (Johansson 2017, Arb). Whatever leaves this room as a float is rounded
outward by `interval`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq, fmpz

from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import float_above, float_below

__all__ = [
    "Weight",
    "ball",
    "between",
    "fraction",
    "interval",
    "is_exact",
    "larger",
    "likelihood",
    "log",
    "lower",
    "precision",
    "quotient",
    "rational",
    "share",
    "span",
    "total",
    "unit",
    "upper",
    "vanishes",
]

Weight = Any
"""An `fmpq` or an `arb`; they mix, and a mixed result is a ball."""

_BITS = 256  # twice the default cut's bits, so that rounding never shows beside the mass that was cut
_FINE = 1 << 16  # bits beyond which an end is rounded outward
_LONG = 4096  # bits of a rational that is still divided exactly


@contextmanager
def precision(bits: int = _BITS) -> Iterator[None]:
    """Compute balls at this many bits inside the block."""
    before = ctx.prec
    ctx.prec = max(bits, before)
    try:
        yield
    finally:
        ctx.prec = before


def rational(value: Fraction | int) -> fmpq:
    """A Fraction as an `fmpq`."""
    number = Fraction(value)
    return fmpq(fmpz(number.numerator), fmpz(number.denominator))


def ball(value: Weight | Fraction | int) -> arb:
    """A number as a ball."""
    return value if isinstance(value, arb) else arb(rational(value) if isinstance(value, Fraction | int) else value)


def vanishes(weight: Weight) -> bool:
    """Whether this is exactly zero; a ball around zero does not vanish, and neither `!=` nor `>` would say so."""
    return bool(weight == 0)


def is_exact(value: Weight) -> bool:
    """Whether this is a rational, known exactly."""
    return isinstance(value, fmpq)


def fraction(value: Weight) -> Fraction:
    """An exact weight as a Fraction."""
    if not isinstance(value, fmpq):
        raise BadArgument("weight", value, "is irrational or was cut", "Read it as an interval")
    return Fraction(int(value.p), int(value.q))


def span(low: Weight, high: Weight) -> arb:
    """A ball that covers everything from low to high."""
    return ball(low).union(ball(high))


def between(weight: Weight) -> Weight:
    """A ball that covers everything from 0 to this weight; exactly 0 stays so."""
    return weight if vanishes(weight) else arb(0).union(ball(weight))


def total(weights: Sequence[Weight]) -> Weight:
    """The sum; exact when every weight is."""
    return sum(weights, fmpq(0))


def log(weight: Weight) -> arb:
    """The logarithm; minus infinity at exactly zero, and infinite at infinity."""
    number = ball(weight)
    return arb.neg_inf() if vanishes(number) else number.log() if number.is_finite() else number


def quotient(over: Weight, under: Weight) -> arb:
    """A ratio of positive weights; rationals of many thousand digits are divided as balls."""
    if is_exact(over) and is_exact(under) and max(over.height_bits(), under.height_bits()) <= _LONG:
        return ball(over / under)
    return ball(over) / ball(under)


def likelihood(over: Weight, under: Weight) -> Weight:
    """A ratio; infinite where nothing stands below."""
    return arb.pos_inf() if vanishes(under) else over / under


def larger(one: arb, other: arb) -> arb:
    """The maximum, of infinite values too, where `arb.max` gives a ball that says nothing; of what is no number, no number."""
    if one.is_nan() or other.is_nan():
        return arb.nan()
    for value, rest in ((one, other), (other, one)):
        if not value.is_finite():
            return value if value > 0 else rest
    return arb.max(one, other)


def share(one: Weight, rest: Weight) -> Weight:
    """x / (x + y) of two weights of 0 or more: it grows with x and falls with y, so its ends are known from theirs."""
    if is_exact(one) and is_exact(rest):
        return fmpq(0) if vanishes(one) else one / (one + rest)
    first, second = ball(one).nonnegative_part(), ball(rest).nonnegative_part()
    ends = [(first.lower(), second.upper()), (first.upper(), second.lower())]
    low, high = [arb(0) if vanishes(x) else x / (x + y) for x, y in ends]
    return low.union(high)


def unit(low: Weight, high: Weight | None = None) -> Interval:
    """The floats around a probability, held between 0 and 1."""
    found = interval(low, high)
    return Interval(min(max(found.lower, 0.0), 1.0) + 0.0, min(max(found.upper, 0.0), 1.0) + 0.0)


def lower(value: Weight) -> Fraction | None:
    """The lower end, exactly unless it is all but 0; None below every number."""
    return _end(value, toward=-1)


def upper(value: Weight) -> Fraction | None:
    """The upper end, exactly unless it is all but 0; None above every number."""
    return _end(value, toward=1)


def interval(low: Weight, high: Weight | None = None) -> Interval:
    """The floats around a weight, or around everything from the lower end of one to the upper end of another."""
    return Interval(_float(low, toward=-1), _float(low if high is None else high, toward=1))


def _float(value: Weight, toward: int) -> float:
    """The nearest float on this side of the value."""
    end = _end(value, toward)
    if end is None:
        infinite = arb(value)
        return float("inf") if infinite > 0 else float("-inf") if infinite < 0 else toward * float("inf")
    return (float_above(end) if toward > 0 else float_below(end)) + 0.0  # never -0.0


def _end(value: Weight, toward: int) -> Fraction | None:
    if isinstance(value, fmpq):
        return fraction(value)
    if value.is_nan():
        raise BadArgument("ball", value, "is not a number", "Report this: it is a bug of ours")
    end = value.upper() if toward > 0 else value.lower()
    if not end.is_finite():
        return None
    mantissa, exponent = (int(part) for part in end.man_exp())
    if exponent + mantissa.bit_length() < -_FINE:  # exp(-1e12) has more digits than there is memory
        outward = (mantissa > 0) - (mantissa < 0) == toward
        return Fraction(toward, 1 << _FINE) if outward else Fraction(0)
    if exponent > _FINE:
        return None if (mantissa > 0) == (toward > 0) else Fraction(-toward << _FINE)
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)
