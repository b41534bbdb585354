"""A draw that nobody has looked at yet: a linear form in undrawn noise, standing in the environment for its value."""

from __future__ import annotations

import numbers
from fractions import Fraction
from typing import Any, NoReturn

__all__ = ["Linear", "Look", "draws_in", "has_draws"]


class Look(Exception):
    """Somebody needs the value of this draw: the reader enumerates it and evaluates again."""

    def __init__(self, draw: int) -> None:
        self.draw = draw


class Linear:
    """The sum of coefficient x draw over the terms, plus an offset; `truth` marks a bare coin, whose value is True or False."""

    __slots__ = ("offset", "terms", "truth")

    def __init__(self, terms: tuple[tuple[int, Fraction], ...], offset: Fraction, *, truth: bool = False) -> None:
        self.terms = terms
        self.offset = offset
        self.truth = truth

    def __repr__(self) -> str:
        return " + ".join([f"{factor}*draw{draw}" for draw, factor in self.terms] + [str(self.offset)])

    def _look(self, *_: Any) -> NoReturn:
        raise Look(self.terms[0][0])

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Linear):
            terms = dict(self.terms)
            for draw, factor in other.terms:
                terms[draw] = terms.get(draw, Fraction(0)) + factor
            return form(terms, self.offset + other.offset)
        if isinstance(other, numbers.Rational):
            return Linear(self.terms, self.offset + Fraction(other))
        return NotImplemented

    __radd__ = __add__

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, Linear | numbers.Rational) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Linear):
            return self._look()
        if isinstance(other, numbers.Rational):
            factor = Fraction(other)
            return form({draw: term * factor for draw, term in self.terms}, self.offset * factor)
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Linear) or not isinstance(other, numbers.Rational):
            return self._look()
        return self * (1 / Fraction(other))

    # Everything else needs the value. `numerator` and `denominator` make `Fraction(x)`, and so every index, count and
    # parameter of a law, ask for it too.
    __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _look
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = __abs__ = __int__ = __float__ = _look
    __hash__ = None  # type: ignore[assignment]  # equality would need the value
    numerator = denominator = property(_look)


numbers.Rational.register(Linear)


def form(terms: dict[int, Fraction], offset: Fraction) -> Any:
    """The linear form, or a plain number when every term cancels."""
    left = tuple(sorted((draw, factor) for draw, factor in terms.items() if factor))
    return Linear(left, offset) if left else offset


def has_draws(value: Any) -> bool:
    """Whether a value waits for noise."""
    kind = type(value)
    if kind is not tuple:
        return kind is Linear
    kinds = set(map(type, value))
    return Linear in kinds or (tuple in kinds and any(map(has_draws, value)))


def draws_in(value: Any, found: dict[int, None]) -> None:
    """Note the draws that a value holds, in their order of appearance."""
    kind = type(value)
    if kind is Linear:
        for draw, _ in value.terms:
            found[draw] = None
    elif kind is tuple:
        for entry in value:
            kind = type(entry)
            if kind is Linear or kind is tuple:  # most entries of most lists are neither
                draws_in(entry, found)
