"""Prices and noise scales as z3 terms over the public parameters: which parameters must be positive, which bounds suffice."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from twoworlds.proofs.cores import fewest
from twoworlds.worlds.expressions import Expression

__all__ = ["divisors", "priced", "sufficient", "symbols"]

_EFFORT = 5_000_000


def priced(formula: Expression, read: Callable[[str], Any]) -> Any:
    """A price or bound as a term; logarithms and the like are unknown functions."""
    import z3  # noqa: PLC0415  an optional extra, and slow to load

    def inner(node: Any) -> Any:
        if isinstance(node, ast.Constant):
            return z3.RealVal(str(formula.constant(node)))
        if isinstance(node, ast.Name):
            return read(node.id)
        if isinstance(node, ast.UnaryOp):
            return -inner(node.operand) if isinstance(node.op, ast.USub) else inner(node.operand)
        if isinstance(node, ast.BinOp):
            left, right = inner(node.left), inner(node.right)
            if isinstance(node.op, ast.Pow):
                return z3.Function("power", z3.RealSort(), z3.RealSort(), z3.RealSort())(left, right)
            return {ast.Add: left + right, ast.Sub: left - right, ast.Mult: left * right, ast.Div: left / right}[type(node.op)]
        if node.func.id == "len":
            return read(f"$len.{node.args[0].id}")
        arguments = [inner(argument) for argument in node.args]
        if node.func.id == "abs":
            return z3.If(arguments[0] >= 0, arguments[0], -arguments[0])
        return z3.Function(f"{node.func.id}/{len(arguments)}", *[z3.RealSort()] * (len(arguments) + 1))(*arguments)

    return inner(formula.tree)


def symbols(term: Any) -> dict[str, Any]:
    """The constants in a term, by name."""
    found, waiting = {}, [term]
    while waiting:
        part = waiting.pop()
        if part.num_args() == 0 and part.decl().kind() == _uninterpreted():
            found[part.decl().name()] = part
        waiting.extend(part.children())
    return found


def _uninterpreted() -> Any:
    import z3  # noqa: PLC0415  an optional extra, and slow to load

    return z3.Z3_OP_UNINTERPRETED


def divisors(term: Any) -> list[Any]:
    """What the term divides by, numbers aside."""
    import z3  # noqa: PLC0415  an optional extra, and slow to load

    found, waiting = [], [term]
    while waiting:
        part = waiting.pop()
        waiting.extend(part.children())
        if z3.is_div(part) and not z3.is_rational_value(part.arg(1)):
            found.append(part.arg(1))
    return found


def positive(scale: Any, given: list[Any]) -> list[str]:
    """The parameters of a scale that are above 0 whenever the scale is drawn with."""
    import z3  # noqa: PLC0415  an optional extra, and slow to load

    solver = z3.Solver()
    solver.set("rlimit", _EFFORT)
    solver.add(*given, scale > 0, *(divisor != 0 for divisor in divisors(scale)))
    return [name for name, symbol in sorted(symbols(scale).items()) if solver.check(z3.Not(_real(symbol) > 0)) == z3.unsat]


def _real(symbol: Any) -> Any:
    import z3  # noqa: PLC0415  an optional extra, and slow to load

    return z3.ToReal(symbol) if z3.is_int(symbol) else symbol


def sufficient(bounds: list[Any], total: Any, price: Any, given: list[Any]) -> list[int] | None:
    """Which of the bounds on the charges keep the total cost within the price; None if not even all of them do."""
    import z3  # noqa: PLC0415  an optional extra, and slow to load

    solver = z3.Solver()
    solver.set("rlimit", _EFFORT)
    labels = [z3.Bool(f"bound:{at}") for at in range(len(bounds))]
    solver.add(*given, z3.Not(total <= price))
    solver.add(*(z3.Implies(label, bound) for label, bound in zip(labels, bounds, strict=True)))
    if solver.check(*labels) != z3.unsat:
        return None
    return fewest(labels, lambda chosen: solver.check(*chosen) == z3.unsat)


def weights(scales: Mapping[int, list[Fraction]]) -> dict[tuple[int, int], Fraction]:
    """Ratios of scales that were the same in all trials."""
    found = {}
    for one, first in scales.items():
        for other, second in scales.items():
            ratios = {a / b for a, b in zip(first, second, strict=False)}
            if one < other and len(ratios) == 1:
                found[one, other] = ratios.pop()
    return found
