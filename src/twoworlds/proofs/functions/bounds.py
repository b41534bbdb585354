"""Formulas that a sensitivity may be: the rule table's with the program's clipping bounds put in, times what it multiplies by.

Nothing here is trusted. A bound is kept if it fits everything that was tried, and counts only if it is proved.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from twoworlds.proofs.functions.reading import Function
from twoworlds.proofs.functions.tables import is_table
from twoworlds.proofs.monomials import spelled
from twoworlds.source.program import Binary, Call, Expr, For, Item, Literal, Name, Program, walk
from twoworlds.worlds.errors import TwoWorldsError
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import AddRemove, Edit, Local, Neighbours
from twoworlds.worlds.sensitivity import RULES

__all__ = ["bounds", "factors", "levels", "value"]

_MOST = 400


def value(formula: Expression, public: Mapping[str, Any]) -> Fraction | None:
    """What the formula comes to, rounded up; None where it has no value."""
    try:
        return formula.above(public)
    except (TwoWorldsError, ArithmeticError):
        return None


def bounds(function: Function) -> list[Expression]:
    """Candidates, plain ones first."""
    program, stated = function.program, function.stated
    assert program is not None and stated is not None
    relation = stated.neighbours
    unit = "1" if is_table(relation) or isinstance(relation, Local) else f"({relation.by})"
    sizes = [unit, *_by_the_rules(program, relation, unit), *(f"abs({name})" for name in _numbers(program, relation.parameter))]
    sizes += ["1"] if unit != "1" else []
    plain = [*dict.fromkeys(sizes)]
    times = list(_factors(program, relation.parameter))
    lengths = [
        f"len({name})"
        for name in sorted(_lists(program))
        if name != relation.parameter or not is_table(relation) or type(relation).__name__ == "Replace"
    ]
    scaled = [size if factor == "1" else f"{factor} * {size}" for factor in times for size in plain]
    longer = [f"{length} * {size}" for length in lengths for size in plain]
    scaled += [f"{abs(number) ** 2}" for number in _literals(program) if abs(number) > 1]
    shorter = [f"({size}) / {length}" for length in lengths for size in scaled]
    shorter += [f"({size}) / {name}" for name in _divisors(program, relation.parameter) for size in scaled]
    longer += [f"{one} + {other}" for one, other in combinations_with_replacement(plain, 2) if one != other]
    longer += [f"({size}) ** 2" for size in plain if size != "1"]
    found = [_neat(text) for text in dict.fromkeys(["0", *scaled, *longer, *shorter])]
    return [Expression(text) for text in dict.fromkeys(found)][:_MOST]


def factors(program: Program) -> list[Fraction]:
    """Numbers by which a program may stretch a move, with their squares."""
    found = {Fraction(1), *(abs(number) for number in _literals(program) if number)}
    found |= {1 / number for number in found}
    return sorted(found | {number * number for number in found})


def levels(program: Program, private: str) -> list[Expression]:
    """Numbers that a variable may stay above or below."""
    texts = ["0", "1", *(str(part) for part in _literals(program)), *_numbers(program, private)]
    texts += [f"len({name})" for name in sorted(_lists(program)) if name != private]
    return [Expression(text) for text in dict.fromkeys(texts)]


def _neat(text: str) -> str:
    """Without brackets and ones that say nothing."""
    return ast.unparse(_Neat().visit(ast.parse(text, mode="eval").body))


class _Neat(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Mult) and _is_one(node.left):
            return node.right
        return node.left if isinstance(node.op, ast.Mult | ast.Div) and _is_one(node.right) else node


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _by_the_rules(program: Program, relation: Neighbours, unit: str) -> Iterator[str]:
    """The shared table's bounds for clipped values, where the program clips at public bounds."""
    for low, high in dict.fromkeys(_clips(program)):
        for rule in RULES.values():
            if len(rule.inputs) == 1 and {"low", "high"} <= rule.parameters <= {"low", "high", "n"}:
                if "n" in rule.parameters and isinstance(relation, AddRemove | Edit):
                    continue
                names = {"low": low, "high": high, "n": f"len({relation.parameter})", "d": unit}
                yield f"({_with(str(rule.stability), names)})"


def _with(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"[A-Za-z_]\w*", lambda word: names.get(word[0], word[0]), text)


def _clips(program: Program) -> Iterator[tuple[str, str]]:
    for node in walk(program.body):
        if isinstance(node, Call) and node.function == "clip":
            low, high = (spelled(part) for part in node.arguments[1:])
            if low is not None and high is not None:
                yield low, high
        elif isinstance(node, Call) and node.function in ("max", "min") and len(node.arguments) == 2:
            for outer, inner in (node.arguments, node.arguments[::-1]):
                if isinstance(inner, Call) and inner.function in ("max", "min") and inner.function != node.function:
                    ends = [
                        text
                        for part in (outer, *inner.arguments)
                        if (text := spelled(part)) is not None and _is_public(part, program)
                    ]
                    if len(ends) == 2:
                        yield (ends[1], ends[0]) if node.function == "min" else (ends[0], ends[1])


def _is_public(expr: Expr, program: Program) -> bool:
    return all(node.name in program.parameters for node in walk(expr) if isinstance(node, Name))


def _numbers(program: Program, private: str) -> list[str]:
    """Public parameters that are numbers."""
    return [name for name in program.parameters if name != private and name not in _lists(program) and name.isidentifier()]


def _lists(program: Program) -> set[str]:
    found = {
        node.sequence.name for node in walk(program.body) if isinstance(node, Item | For) and isinstance(node.sequence, Name)
    }
    found |= {
        part.name
        for node in walk(program.body)
        if isinstance(node, Call) and node.function in ("len", "sum", "argmax", "cumsum")
        for part in node.arguments
        if isinstance(part, Name)
    }
    return {name for name in found if name in program.parameters and name.isidentifier()}


def _literals(program: Program) -> list[Fraction]:
    found = [node.value for node in walk(program.body) if isinstance(node, Literal) and isinstance(node.value, Fraction)]
    ratios = [
        Fraction(node.arguments[0].value, node.arguments[1].value)  # type: ignore[attr-defined]  # literals, by the test
        for node in walk(program.body)
        if isinstance(node, Call)
        and node.function == "Fraction"
        and len(node.arguments) == 2
        and all(isinstance(part, Literal) and part.value for part in node.arguments)
    ]
    return sorted(set(found) | set(ratios))


def _factors(program: Program, private: str) -> Iterator[str]:
    yield from ("1", "2", "3")
    for number in _literals(program):
        if abs(number) not in (0, 1, 2, 3):
            yield f"{abs(number)}" if number.denominator == 1 else f"({abs(number)})"
            yield f"(1 / {abs(number)})" if number.denominator == 1 else f"({1 / abs(number)})"
    for name in _numbers(program, private):
        yield f"abs({name})"


def _divisors(program: Program, private: str) -> Iterator[str]:
    """What is divided by, where it is public."""
    for node in walk(program.body):
        if (
            isinstance(node, Binary)
            and node.op == "/"
            and isinstance(node.right, Name)
            and node.right.name in _numbers(program, private)
        ):
            yield node.right.name
