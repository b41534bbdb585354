"""What a person adds to a card where the search stops: how the noise differs, what holds in every round. Tried, never trusted.

    align=("1", "other(bar) - bar + q[i] - other(q[i]) if q[i] + noise >= bar else 0")
    invariant=("other(largest) - largest <= 1",)

`align` has one expression for each `sample` of the text, in order: how much run 2 draws above run 1, in steps of the relation's
bound. A name means its value in run 1, `other(name)` that in run 2, `noise` the draw of run 1, `output` what is returned.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction

from twoworlds.proofs.alignments import NOISE, Alignment, Case, Shift
from twoworlds.proofs.choices import TOLL
from twoworlds.source.program import Binary, Compare, Expr, Item, Literal, Logic, Name, Program, Unary
from twoworlds.worlds.errors import Unsupported

__all__ = ["aligned_as", "held"]

_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_UNIT = Name("$u")


def aligned_as(texts: tuple[str, ...], program: Program, shifted: frozenset[int]) -> Alignment:
    """The alignment that a person wrote down, by the sites of the draws that can be shifted."""
    draws = [draw for draw in program.draws if draw.site >= 0]
    if len(texts) != len(draws):
        raise Unsupported(1, f"`align` has {len(texts)} entries for {len(draws)} draws", "Give one for each `sample`")
    cases = {draw.site: _cases(_tree(text)) for draw, text in zip(draws, texts, strict=True) if draw.site in shifted}
    return cases | {draw.site: (Case(None, Shift()),) for draw in draws if draw.noise.law == TOLL}


def held(texts: tuple[str, ...]) -> list[Expr]:
    """Formulas that a person expects to hold in every round of a loop."""
    return [_formula(_tree(text), 1) for text in texts]


def _tree(text: str) -> ast.expr:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        raise Unsupported(1, f"the annotation {text!r} is no expression", "Write it in Python") from None


def _cases(node: ast.expr) -> tuple[Case, ...]:
    if isinstance(node, ast.IfExp):
        return Case(_formula(node.test, 1), _shift(node.body)), *_cases(node.orelse)
    return (Case(None, _shift(node)),)


def _shift(node: ast.expr) -> Shift:
    """An integer number of steps, and integer multiples of how far values differ between the runs."""
    terms = _linear(node)
    units = terms.pop(_UNIT, Fraction(0))
    first = {atom: times for atom, times in terms.items() if not _is_other(atom)}
    second = {_of_first(atom): times for atom, times in terms.items() if _is_other(atom)}
    if any(first.get(atom, 0) + second.get(atom, 0) for atom in {**first, **second}):
        raise Unsupported(1, f"`{ast.unparse(node)}` is no difference between the runs", "Write other(x) - x")
    if any(times.denominator != 1 for times in (units, *second.values())):
        raise Unsupported(1, f"`{ast.unparse(node)}` may leave the grid", "Use whole multiples")
    return Shift(int(units), tuple((_plain(atom), int(times)) for atom, times in second.items() if times))


def _linear(node: ast.expr) -> dict[Expr, Fraction]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        sign = 1 if isinstance(node.op, ast.Add) else -1
        total = _linear(node.left)
        for atom, times in _linear(node.right).items():
            total[atom] = total.get(atom, Fraction(0)) + sign * times
        return total
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.Constant):
        return {atom: times * Fraction(node.left.value) for atom, times in _linear(node.right).items()}  # type: ignore[arg-type]  # a known sign
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return {atom: -times for atom, times in _linear(node.operand).items()}
    formula = _formula(node, 1)
    if isinstance(formula, Literal) and isinstance(formula.value, Fraction):
        return {_UNIT: formula.value}
    if isinstance(formula, Name | Item) and formula != NOISE:
        return {formula: Fraction(1)}
    raise Unsupported(1, f"`{ast.unparse(node)}` is no sum of differences", "Write whole numbers and other(x) - x")


def _formula(node: ast.expr, run: int) -> Expr:
    """An expression over both runs, under the names of hints: x.1 and x.2."""
    match node:
        case ast.Constant(value) if isinstance(value, bool | int):
            return Literal(value if isinstance(value, bool) else Fraction(value))
        case ast.Name("noise"):
            return NOISE
        case ast.Name("output"):
            return Name("$o0")
        case ast.Name(name):
            return Name(f"{name}.{run}")
        case ast.Call(ast.Name("other"), [inner], []):
            return _formula(inner, 2)
        case ast.Call(ast.Name("len"), [ast.Name(name)], []):
            return Name(f"$len.{name}")
        case ast.Subscript(ast.Name(name), index):
            return Item(Name(f"{name}.{run}"), _formula(index, 1))
        case ast.UnaryOp(ast.Not() | ast.USub() as op, operand):
            return Unary("not" if isinstance(op, ast.Not) else "-", _formula(operand, run))
        case ast.BinOp(left, op, right) if type(op) in _BINARY:
            return Binary(_BINARY[type(op)], _formula(left, run), _formula(right, run))  # type: ignore[arg-type]  # a known sign
        case ast.Compare(left, [op], [right]) if type(op) in _COMPARE:
            return Compare(_COMPARE[type(op)], _formula(left, run), _formula(right, run))  # type: ignore[arg-type]  # a known sign
        case ast.BoolOp(op, parts):
            return Logic("and" if isinstance(op, ast.And) else "or", tuple(_formula(part, run) for part in parts))
    raise Unsupported(1, f"`{ast.unparse(node)}` is outside the words of an annotation", "Use + - *, comparisons, other(x)")


def _is_other(atom: Expr) -> bool:
    name = atom.sequence if isinstance(atom, Item) else atom
    return isinstance(name, Name) and name.name.endswith(".2")


def _of_first(atom: Expr) -> Expr:
    """The same value in run 1."""
    return _renamed(atom, {".2": ".1"})


def _plain(atom: Expr) -> Expr:
    return _renamed(atom, {".1": ""})


def _renamed(atom: Expr, ends: Mapping[str, str]) -> Expr:
    if isinstance(atom, Item):
        index = _renamed(atom.index, {".1": ""}) if "" in ends.values() else atom.index
        return Item(_renamed(atom.sequence, ends), index)
    if isinstance(atom, Name):
        end = next((end for end in ends if atom.name.endswith(end)), "")
        return Name(atom.name.removesuffix(end) + ends.get(end, ""))
    return atom
