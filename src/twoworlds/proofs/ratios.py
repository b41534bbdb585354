"""Quotients of polynomials over named quantities, so that an obligation reaches the solvers without a division.

Two expressions for one quantity, such as 2 s / (2 s / e) and e, have one form here wherever both have a value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.proofs.runs import number
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.expressions import Expression

__all__ = ["Ratio", "atom", "constant", "note", "noting", "valued"]

Monomial = tuple[tuple[str, int], ...]
Polynomial = Mapping[Monomial, Fraction]
_MOST_TERMS = 400
_NOTED: ContextVar[dict[str, None] | None] = ContextVar("_NOTED", default=None)


@contextmanager
def noting() -> Iterator[dict[str, None]]:
    """What must hold for the computations of this block to have a value: that what they divide by is not 0."""
    facts: dict[str, None] = {}
    token = _NOTED.set(facts)
    try:
        yield facts
    finally:
        _NOTED.reset(token)


def note(fact: str) -> None:
    facts = _NOTED.get()
    if facts is not None:
        facts[fact] = None


@dataclass(frozen=True, eq=False)
class Ratio:
    """`top` over `bottom`; it has a value where the bottom is not 0."""

    top: Polynomial
    bottom: Polynomial

    def __add__(self, other: Any) -> Ratio:
        other = constant(other)
        if self.bottom == other.bottom:
            return _reduced(_plus(self.top, other.top), self.bottom)
        return _reduced(
            _plus(_product(self.top, other.bottom), _product(other.top, self.bottom)), _product(self.bottom, other.bottom)
        )

    def __mul__(self, other: Any) -> Ratio:
        other = constant(other)
        return _reduced(_product(self.top, other.top), _product(self.bottom, other.bottom))

    def __truediv__(self, other: Any) -> Ratio:
        other = constant(other)
        if not other.top:
            raise ZeroDivisionError("a formula divides by 0")
        if other.plain is None:
            note(f"(distinct 0.0 {other.above})")
        return _reduced(_product(self.top, other.bottom), _product(self.bottom, other.top))

    def __pow__(self, other: Any) -> Ratio:
        power = constant(other).plain
        if power is None or power.denominator != 1 or abs(power) > 12:
            raise Unsupported(1, "a power is not a small whole number", "Use squares and products")
        result = constant(1)
        for _ in range(abs(int(power))):
            result = result * self
        return result if power >= 0 else constant(1) / result

    def __neg__(self) -> Ratio:
        return self * -1

    def __sub__(self, other: Any) -> Ratio:
        return self + -constant(other)

    def __rsub__(self, other: Any) -> Ratio:
        return constant(other) - self

    def __rtruediv__(self, other: Any) -> Ratio:
        return constant(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def _compared(self, _: object) -> bool:
        raise Unsupported(1, "a branch depends on a parameter", "Compare with numbers only")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compared
    __hash__ = None  # type: ignore[assignment]  # what cannot be compared is no key

    def __bool__(self) -> bool:
        raise Unsupported(1, "a branch depends on a parameter", "Compare with numbers only")

    @property
    def plain(self) -> Fraction | None:
        """Its value, if it names nothing."""
        if not self.top:
            return Fraction(0)
        lone = set(self.top) == {()} and set(self.bottom) == {()}
        return self.top[()] / self.bottom[()] if lone else None

    @property
    def terms(self) -> Iterator[tuple[Fraction, Ratio]]:
        """It as a sum of numbers times quotients without a number."""
        for monomial, factor in sorted(self.top.items()):
            yield factor, Ratio({monomial: Fraction(1)}, self.bottom)

    @property
    def above(self) -> str:
        """The top as an SMT-LIB term."""
        return _spelled(self.top)

    @property
    def below(self) -> str:
        return _spelled(self.bottom)

    def sign(self) -> str:
        """A term that has the sign of the quotient, wherever the quotient has a value."""
        return self.above if self.bottom == {(): Fraction(1)} else f"(* {self.above} {self.below})"

    def __str__(self) -> str:
        return self.above if self.bottom == {(): Fraction(1)} else f"(/ {self.above} {self.below})"


def atom(name: str) -> Ratio:
    return Ratio({((name, 1),): Fraction(1)}, {(): Fraction(1)})


def constant(value: Any) -> Ratio:
    if isinstance(value, Ratio):
        return value
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise Unsupported(1, f"{value!r} is no exact number", "Use whole numbers, fractions and parameters")
    return Ratio({(): Fraction(value)} if value else {}, {(): Fraction(1)})


def valued(formula: Expression, read: Callable[[str], Ratio], apply: Callable[[str, list[Ratio]], Ratio]) -> Ratio:
    """A formula's quotient; `read` gives names and lengths ($len.x), `apply` what functions are."""

    def inner(node: Any) -> Ratio:
        if isinstance(node, ast.Constant):
            return constant(formula.constant(node))
        if isinstance(node, ast.Name):
            return read(node.id)
        if isinstance(node, ast.UnaryOp):
            return -inner(node.operand) if isinstance(node.op, ast.USub) else inner(node.operand)
        if isinstance(node, ast.BinOp):
            left, right = inner(node.left), inner(node.right)
            return _OPERATORS[type(node.op)](left, right)
        if node.func.id == "len":
            return read(f"$len.{node.args[0].id}")
        return apply(node.func.id, [inner(argument) for argument in node.args])

    return inner(formula.tree)


_OPERATORS: Mapping[type, Callable[[Ratio, Ratio], Ratio]] = {
    ast.Add: Ratio.__add__,
    ast.Sub: Ratio.__sub__,
    ast.Mult: Ratio.__mul__,
    ast.Div: Ratio.__truediv__,
    ast.Pow: Ratio.__pow__,
}


def _plus(one: Polynomial, other: Polynomial) -> Polynomial:
    total = {monomial: one.get(monomial, Fraction(0)) + other.get(monomial, Fraction(0)) for monomial in {**one, **other}}
    return {monomial: factor for monomial, factor in total.items() if factor}


def _product(one: Polynomial, other: Polynomial) -> Polynomial:
    if len(one) * len(other) > _MOST_TERMS:
        raise Unsupported(1, "a formula has too many terms", "Give its parts names of their own")
    total: dict[Monomial, Fraction] = {}
    for left, factor in one.items():
        for right, times in other.items():
            powers = dict(left)
            for name, power in right:
                powers[name] = powers.get(name, 0) + power
            monomial = tuple(sorted(powers.items()))
            total[monomial] = total.get(monomial, Fraction(0)) + factor * times
    return {monomial: factor for monomial, factor in total.items() if factor}


def _reduced(top: Polynomial, bottom: Polynomial) -> Ratio:
    """Without powers that all terms share; the first term below has the factor 1; a multiple of the bottom is a number."""
    if not top:
        return Ratio({}, {(): Fraction(1)})
    shared: dict[str, int] | None = None
    for monomial in (*top, *bottom):
        powers = dict(monomial)
        shared = (
            powers if shared is None else {name: min(power, powers[name]) for name, power in shared.items() if name in powers}
        )
    lead = bottom[min(bottom)]
    top, bottom = (
        {_without(monomial, shared or {}): factor / lead for monomial, factor in part.items()} for part in (top, bottom)
    )
    times = top.get(min(bottom), Fraction(0)) / bottom[min(bottom)]
    if times and top == {monomial: factor * times for monomial, factor in bottom.items()}:
        return Ratio({(): times}, {(): Fraction(1)})
    return Ratio(top, bottom)


def _without(monomial: Monomial, shared: Mapping[str, int]) -> Monomial:
    left = ((name, power - shared.get(name, 0)) for name, power in monomial)
    return tuple((name, power) for name, power in left if power)


def _spelled(part: Polynomial) -> str:
    terms = []
    for monomial, factor in sorted(part.items()):
        names = [name for name, power in monomial for _ in range(power)]
        parts = names if abs(factor) == 1 and names else [number(abs(factor)), *names]
        size = f"(* {' '.join(parts)})" if len(parts) > 1 else parts[0]
        terms.append(size if factor > 0 else f"(- {size})")
    return f"(+ {' '.join(terms)})" if len(terms) > 1 else terms[0] if terms else "0.0"
