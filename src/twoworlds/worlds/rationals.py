"""Exact numbers: `0.1` means 1/10, never the nearest binary fraction.

A guarantee must not depend on the rounding of a float literal, so every parameter becomes a `Fraction` on its way in. Where
a value is irrational (a logarithm, an exponential) it is held between two rationals, computed with `decimal` at 60 digits and
widened by more than its rounding error (`decimal` rounds ln, exp and sqrt correctly, so one unit in the last place covers it).
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Sized
from fractions import Fraction
from numbers import Rational
from typing import SupportsFloat

from twoworlds.worlds.errors import BadArgument

__all__ = ["Enclosure", "exact", "float_above", "float_below", "positive", "printed_above", "printed_below", "probability"]

_DIGITS = 60
_CONTEXT = decimal.Context(prec=_DIGITS, rounding=decimal.ROUND_HALF_EVEN, Emin=-999_999_999, Emax=999_999_999)
_LARGEST_EXPONENT = 100_000  # exp of more than this is refused rather than computed
_LARGEST_DECIMAL = 10_000  # a decimal exponent beyond this is refused: 1e1000000000 has a billion digits
_LARGEST_POWER = 1_000_000  # bits of a whole power


def exact(value: object, argument: str = "value") -> Fraction:
    """The exact rational that a person means: ints and Fractions as they are, floats and strings by their decimal text."""
    if type(value) is Fraction:
        return value
    if type(value) is int:
        return Fraction(value)
    if isinstance(value, bool):
        raise BadArgument(argument, value, "is a truth value, not a number", "Give a number")
    if isinstance(value, Rational) and _is_scalar(value):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, decimal.Decimal):
        return _from_decimal(value, argument)
    if isinstance(value, str):
        return _from_text(value, argument)
    if isinstance(value, float) or (isinstance(value, SupportsFloat) and _is_scalar(value)):
        number = float(value)
        if not math.isfinite(number):
            raise BadArgument(argument, value, "is not finite", "Give a finite number")
        return Fraction(repr(number))
    raise BadArgument(argument, value, "is not a number", "Give an int, a Fraction, a float or a string like '1/3'")


def _is_scalar(value: object) -> bool:
    """Whether a foreign object is one number: not a type, not an array of one, not NumPy's truth values and time spans."""
    return not isinstance(value, type | Sized) and getattr(getattr(value, "dtype", None), "kind", "f") not in "bmM"


def _from_decimal(value: decimal.Decimal, argument: str) -> Fraction:
    if not value.is_finite():
        raise BadArgument(argument, value, "is not finite", "Give a finite number")
    if abs(value.adjusted()) > _LARGEST_DECIMAL:
        raise BadArgument(argument, value, "is out of range", f"Keep decimal exponents within {_LARGEST_DECIMAL:,}")
    return Fraction(value)


def _from_text(value: str, argument: str) -> Fraction:
    exponent = value.lower().rpartition("e")[2].strip().lstrip("+-")
    if exponent.isdecimal() and "e" in value.lower() and (len(exponent) > 6 or int(exponent) > _LARGEST_DECIMAL):
        raise BadArgument(argument, value, "is out of range", f"Keep decimal exponents within {_LARGEST_DECIMAL:,}")
    try:
        return Fraction(value.strip())
    except (ValueError, ZeroDivisionError):
        raise BadArgument(argument, value, "does not read as a number", "Write it like 0.1, 1e-6 or 1/3") from None


def positive(value: object, argument: str) -> Fraction:
    """An exact number above zero."""
    number = exact(value, argument)
    if number <= 0:
        raise BadArgument(argument, value, "is not above 0", f"Give a positive {argument}")
    return number


def probability(value: object, argument: str) -> Fraction:
    """An exact number from 0 to 1."""
    number = exact(value, argument)
    if not 0 <= number <= 1:
        raise BadArgument(argument, value, "is not a probability", "Give a number from 0 to 1")
    return number


def float_above(value: Fraction) -> float:
    """The least float that is `value` or more."""
    value = exact(value)
    try:
        nearest = float(value)
    except OverflowError:
        return math.inf if value > 0 else -float.fromhex("0x1.fffffffffffffp+1023")
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def float_below(value: Fraction) -> float:
    """The greatest float that is `value` or less."""
    return -float_above(-exact(value)) + 0.0  # a zero without a sign


def printed_above(value: float, digits: int = 7) -> str:
    """A number with so many digits, the last one rounded up: what is printed is no smaller than what is meant."""
    return _printed(value, digits, decimal.ROUND_CEILING)


def printed_below(value: float, digits: int = 7) -> str:
    """A number with so many digits, the last one rounded down."""
    return _printed(value, digits, decimal.ROUND_FLOOR)


def _printed(value: float, digits: int, rounding: str) -> str:
    if not math.isfinite(value):
        return f"{value:g}"
    shown = f"{value:.{digits}g}"
    rounded = decimal.Context(prec=digits, rounding=rounding).create_decimal(decimal.Decimal(value))
    # A float that is the nearest one to a short decimal means that decimal.
    return shown if float(shown) == value else f"{float(rounded):.{digits}g}"


class Enclosure:
    """A real number known to lie between two rationals; exact when both are equal.

    Only what prices and accuracy statements need: + - * / and whole powers, log, exp, sqrt, ceil, floor, min, max, abs.
    """

    __slots__ = ("high", "low")

    def __init__(self, low: Fraction, high: Fraction | None = None) -> None:
        self.low = exact(low, "low")
        self.high = self.low if high is None else exact(high, "high")
        if self.low > self.high:
            raise BadArgument("enclosure", (low, high), "is empty", "Give the lower end first")

    def __repr__(self) -> str:
        return f"Enclosure({self.low})" if self.low == self.high else f"Enclosure({float(self.low)}, {float(self.high)})"

    @property
    def is_exact(self) -> bool:
        return self.low == self.high

    def __add__(self, other: Enclosure) -> Enclosure:
        return Enclosure(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Enclosure:
        return Enclosure(-self.high, -self.low)

    def __sub__(self, other: Enclosure) -> Enclosure:
        return self + -other

    def __mul__(self, other: Enclosure) -> Enclosure:
        if self.is_exact and other.is_exact:
            return Enclosure(self.low * other.low)
        corners = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Enclosure(min(corners), max(corners))

    def __truediv__(self, other: Enclosure) -> Enclosure:
        if other.low <= 0 <= other.high:
            raise BadArgument("divisor", other, "may be zero", "Give parameters that keep the divisor away from zero")
        return self * Enclosure(1 / other.high, 1 / other.low)

    def power(self, exponent: Enclosure) -> Enclosure:
        if exponent.is_exact and exponent.low.denominator == 1:
            whole = int(exponent.low)
            if abs(whole) > 10_000:
                raise BadArgument("exponent", whole, "is too large", "Keep whole powers within 10,000")
            bits = max(end.numerator.bit_length() + end.denominator.bit_length() for end in (self.low, self.high))
            if bits * abs(whole) > _LARGEST_POWER:
                raise BadArgument("exponent", whole, "makes too large a power", "Keep the result within a million bits")
            if whole < 0:
                return Enclosure(Fraction(1)) / self.power(Enclosure(Fraction(-whole)))
            ends = [self.low**whole, self.high**whole]
            straddles = self.low < 0 < self.high and whole % 2 == 0 and whole > 0
            return Enclosure(Fraction(0) if straddles else min(ends), max(ends))
        return (self.log() * exponent).exp()

    def _monotone(self, function: str) -> Enclosure:
        return Enclosure(_decimal(self.low, function)[0], _decimal(self.high, function)[1])

    def log(self) -> Enclosure:
        if self.low <= 0:
            raise BadArgument(
                "log argument", self, "is not above 0", "Give parameters that keep the logarithm's argument positive"
            )
        return Enclosure(Fraction(0)) if self.low == self.high == 1 else self._monotone("ln")

    def exp(self) -> Enclosure:
        if self.low == self.high == 0:
            return Enclosure(Fraction(1))
        if max(abs(self.low), abs(self.high)) > _LARGEST_EXPONENT:
            raise BadArgument("exp argument", self, "is too large to compute", f"Keep it within {_LARGEST_EXPONENT:,}")
        return self._monotone("exp")

    def sqrt(self) -> Enclosure:
        if self.low < 0:
            raise BadArgument("sqrt argument", self, "is below 0", "Give parameters that keep the root's argument at 0 or more")
        if self.is_exact:
            top, bottom = math.isqrt(self.low.numerator), math.isqrt(self.low.denominator)
            if top * top == self.low.numerator and bottom * bottom == self.low.denominator:
                return Enclosure(Fraction(top, bottom))
        return self._monotone("sqrt")

    def ceil(self) -> Enclosure:
        return Enclosure(Fraction(math.ceil(self.low)), Fraction(math.ceil(self.high)))

    def floor(self) -> Enclosure:
        return Enclosure(Fraction(math.floor(self.low)), Fraction(math.floor(self.high)))

    def absolute(self) -> Enclosure:
        low, high = sorted((abs(self.low), abs(self.high)))
        return Enclosure(Fraction(0) if self.low < 0 < self.high else low, high)

    def maximum(self, other: Enclosure) -> Enclosure:
        return Enclosure(max(self.low, other.low), max(self.high, other.high))

    def minimum(self, other: Enclosure) -> Enclosure:
        return Enclosure(min(self.low, other.low), min(self.high, other.high))


def _decimal(value: Fraction, function: str) -> tuple[Fraction, Fraction]:
    """Rational bounds on a monotone increasing function at a rational point."""
    bounds = []
    for rounding, toward in ((decimal.ROUND_FLOOR, -1), (decimal.ROUND_CEILING, 1)):
        directed = _CONTEXT.copy()
        directed.rounding = rounding
        point = directed.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))
        if function == "ln":
            result = _CONTEXT.ln(point) if point > 0 else decimal.Decimal("-1e9")
        elif function == "exp":
            result = _CONTEXT.exp(point)
        else:
            result = _CONTEXT.sqrt(max(point, decimal.Decimal(0)))
        if not result:  # ln(1) and sqrt(0), exactly; a step from zero would have a billion digits
            bounds.append(Fraction(0))
            continue
        step = _CONTEXT.next_plus(result) if toward > 0 else _CONTEXT.next_minus(result)
        bounds.append(Fraction(step))
    return bounds[0], bounds[1]
