"""Expressions in both runs: what they come to, what is known of entries, and what must not fail in one run alone."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from twoworlds.proofs.functions.points import Pair, Point, joined, number, same
from twoworlds.proofs.functions.tables import here
from twoworlds.proofs.kinds import is_whole
from twoworlds.source import program as lang
from twoworlds.worlds.errors import Unsupported

__all__ = ["Reader", "placed"]

_OPERATORS = {"==": "=", "!=": "distinct"}


class Reader:
    """Reads one expression in both runs; `facts` is what its entries are known to be, `read` which entries were read."""

    def __init__(self, runs: Any, point: Point) -> None:
        self.runs, self.point = runs, point
        self.facts: list[str] = []
        self.read = dict(point.read)
        self.tests: list[Pair] = []
        self.passed: list[str] = []

    def pair(self, expr: lang.Expr) -> Pair:
        match expr:
            case lang.Literal(value) if isinstance(value, bool):
                return (str(value).lower(),) * 2
            case lang.Literal(value) if isinstance(value, Fraction):
                return (number(value),) * 2
            case lang.Name(name) if name in self.point.env:
                return self.point.env[name]
            case lang.Unary(op, operand):
                return joined(op, self.pair(operand))
            case lang.Compare(op, left, right):
                return joined(_OPERATORS.get(op, op), self.pair(left), self.pair(right))
            case lang.Logic(op, parts):
                return self.logic(op, parts)
            case lang.Choice(test, then, otherwise):
                return self.choice(self.pair(test), then, otherwise)
            case lang.Binary("+" | "-" | "*" as op, left, right):
                return joined(op, self.pair(left), self.pair(right))
            case lang.Binary("**", left, lang.Literal(power)) if isinstance(power, Fraction) and power in (0, 1, 2, 3, 4):
                base = self.pair(left)
                return joined("*", ("1.0", "1.0"), ("1.0", "1.0"), *[base] * int(power))
            case lang.Binary("//", left, lang.Literal(1)) if is_whole(left, self.runs.kinds.whole):  # the bounds of a range
                return self.pair(left)
            case lang.Binary(op, left, right):
                return self.partial(op, self.pair(left), self.pair(right))
            case lang.Item(lang.Name(name), index):
                return self.entry(name, self.pair(index))
            case lang.Call("len", (lang.Name(name),)):
                return self.point.env[f"$len.{name}"]
        raise Unsupported(self.runs.line, f"{expr} is outside the prover", "Use numbers, comparisons and entries")

    def logic(self, op: str, parts: tuple[lang.Expr, ...]) -> Pair:
        """A later part is computed only if the earlier ones leave it open."""
        pairs: list[Pair] = []
        depth = len(self.tests)
        for part in parts:
            pairs.append(self.pair(part))
            self.tests.append(pairs[-1] if op == "and" else joined("not", pairs[-1]))
        del self.tests[depth:]
        return joined(op, *pairs)

    def choice(self, test: Pair, then: lang.Expr, otherwise: lang.Expr) -> Pair:
        chosen = []
        for guard, part in ((test, then), (joined("not", test), otherwise)):
            self.tests.append(guard)
            chosen.append(self.pair(part))
            self.tests.pop()
        return joined("ite", test, *chosen)

    def together(self, fails: Pair, why: str) -> None:
        """What fails in one run fails in the other."""
        if not self.tests:  # where control goes on, nothing failed
            self.passed += [f"(not {text})" for text in dict.fromkeys(fails)]
        if fails[0] != fails[1] or any(one != two for one, two in self.tests):
            reached = [" ".join(test[run] for test in self.tests) for run in (0, 1)]
            goal = same((f"(and true {reached[0]} {fails[0]})", f"(and true {reached[1]} {fails[1]})"))
            self.runs.claim(self.point.assume(*self.facts), goal, why)

    def partial(self, op: str, left: Pair, right: Pair) -> Pair:
        if not re.fullmatch(r"[1-9]\d*\.0", right[0]) or right[0] != right[1]:
            self.together(joined("=", right, ("0.0", "0.0")), "what is divided by is 0 in both worlds or in neither")
        if op == "/":
            return joined("/", left, right)
        if op in ("//", "%"):
            floor = tuple(f"(to_real (to_int (/ {one} {two})))" for one, two in zip(left, right, strict=True))
            whole = (floor[0], floor[1])
            return whole if op == "//" else joined("-", left, joined("*", right, whole))
        return joined("$power/2", left, right)

    def entry(self, name: str, index: Pair) -> Pair:
        """An entry of a list: as the relation says, or any two numbers as far apart as the list's entries can be."""
        length = self.point.env[f"$len.{name}"][0]
        inside = joined("and", joined("<=", (f"(- {length})",) * 2, index), joined("<", index, (length, length)))
        self.together(joined("not", inside), "the index is inside the list in both worlds or in neither")
        index = placed(index[0], length), placed(index[1], length)
        if name in self.runs.program.parameters:
            secret = name in (self.runs.private, here(self.runs.private))
            for at in dict.fromkeys(index) if secret else ():
                self.facts += [fact for fact in self.runs.near(name, at) if fact not in self.facts]
            return f"({name}.1 {index[0]})", f"({name}.{2 if secret else 1} {index[1]})"
        if name not in self.read:
            self.read[name] = self.runs.fresh_list(name)
        functions = self.read[name]
        for at in dict.fromkeys(index):
            gap = self.runs.gap((f"({functions[0]} {at})", f"({functions[1]} {at})"), name in self.runs.kinds.truths)
            far = [self.point.env[f"{ghost}.{name}"][0] for ghost in self.runs.ghosts]
            bounds = [f"(<= {gap} {far[0]})", f"(<= {gap} {far[1]})", *(f"(<= (* {gap} {gap}) {most})" for most in far[2:])]
            self.facts += [fact for fact in bounds if fact not in self.facts]
        return f"({functions[0]} {index[0]})", f"({functions[1]} {index[1]})"


def placed(index: str, length: str) -> str:
    """The place that an index means; one below 0 counts from the end."""
    return index if _counts_up(index) else f"(ite (< {index} 0.0) (+ {index} {length}) {index})"


def _counts_up(text: str) -> bool:
    """A number written out, or the counter of a loop from 0: no index from the end."""
    return bool(re.fullmatch(r"\d+\.0", text)) or ("next@@" in text and text.startswith("(to_real next@@"))
