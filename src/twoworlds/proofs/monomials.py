"""Prices as people write them: sums of products of parameters, gathered and with what they share in front."""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from twoworlds.source.program import Binary, Call, Expr, Literal, Name, Unary
from twoworlds.worlds.expressions import Expression

__all__ = ["ONE", "Monomial", "monomial", "spelled", "total"]


@dataclass(frozen=True)
class Monomial:
    """A number times powers of parameters, of lengths of lists, and of whatever else is left as it is written."""

    factor: Fraction
    powers: Mapping[str, int] = field(default_factory=dict)

    def __mul__(self, other: Monomial) -> Monomial:
        return self._joined(other, 1)

    def __truediv__(self, other: Monomial) -> Monomial:
        return self._joined(other, -1)

    def _joined(self, other: Monomial, sign: int) -> Monomial:
        powers = Counter(self.powers)
        for atom, power in other.powers.items():
            powers[atom] += sign * power
        return Monomial(self.factor * other.factor**sign, {atom: power for atom, power in powers.items() if power})


ONE = Monomial(Fraction(1))


def monomial(value: Expression | Expr) -> Monomial | None:
    """A formula, or an expression of a program, as one product; None where it is no expression of numbers."""
    text = str(value) if isinstance(value, Expression) else spelled(value)
    return None if text is None else _product(ast.parse(text, mode="eval").body)


def spelled(expr: Expr) -> str | None:
    """An expression of a program as a formula."""
    match expr:
        case Literal(value) if isinstance(value, Fraction):
            return str(value) if value.denominator == 1 else f"({value})"
        case Name(name):
            return name if name.isidentifier() else None
        case Call("len", (Name(name),)):
            return f"len({name})"
        case Call("Fraction", (inside,)):
            return spelled(inside)
        case Call("Fraction", (above, below)):
            return spelled(Binary("/", above, below))
        case Unary("-", operand):
            inner = spelled(operand)
            return inner and f"(-{inner})"
        case Binary("+" | "-" | "*" | "/" as op, left, right):
            one, other = spelled(left), spelled(right)
            return None if one is None or other is None else f"({one} {op} {other})"
    return None


def _product(node: ast.expr) -> Monomial:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return Monomial(Fraction(str(node.value)))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        left, right = _product(node.left), _product(node.right)
        if not (isinstance(node.op, ast.Div) and right.factor == 0):
            return left * right if isinstance(node.op, ast.Mult) else left / right
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return Monomial(Fraction(-1)) * _product(node.operand)
    text = ast.unparse(node)
    return Monomial(Fraction(1), {text if isinstance(node, ast.Name | ast.Call) else f"({text})": 1})


def total(terms: Iterable[Monomial]) -> str:
    """The sum as a formula: (1 + 6 * limit) / 4 * epsilon."""
    gathered: dict[tuple[tuple[str, int], ...], Fraction] = {}
    for term in terms:
        key = tuple(sorted(term.powers.items()))
        gathered[key] = gathered.get(key, Fraction(0)) + term.factor
    plain_first = sorted(gathered.items(), key=lambda entry: (len(entry[0]), entry[0]))
    parts = [Monomial(factor, dict(key)) for key, factor in plain_first if factor]
    if not parts:
        return "0"
    shared = _shared(parts)
    below = math.lcm(*((part / shared).factor.denominator for part in parts))
    inner = [_written((part / shared) * Monomial(Fraction(below))) for part in parts]
    front = inner[0] if len(inner) == 1 else f"({' + '.join(inner)})"
    front = front if below == 1 else f"{front} / {below}"
    return _times(front, shared)


def _shared(parts: list[Monomial]) -> Monomial:
    """The powers that all parts have at least."""
    atoms = dict.fromkeys(atom for part in parts for atom in part.powers)
    least = {atom: min(part.powers.get(atom, 0) for part in parts) for atom in atoms}
    return Monomial(Fraction(1), {atom: power for atom, power in least.items() if power})


def _written(term: Monomial) -> str:
    return _times(str(term.factor), term)


def _times(front: str, term: Monomial) -> str:
    above = [_power(atom, power) for atom, power in sorted(term.powers.items()) if power > 0]
    below = [_power(atom, -power) for atom, power in sorted(term.powers.items()) if power < 0]
    text = " * ".join([part for part in (front, *above) if part != "1"]) or "1"
    if not below:
        return text
    return f"{text} / {below[0] if len(below) == 1 else '(' + ' * '.join(below) + ')'}"


def _power(atom: str, power: int) -> str:
    return atom if power == 1 else f"{atom} ** {power}"
