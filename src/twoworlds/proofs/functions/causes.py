"""Why a function has no bound: the first line at which one person's number, of any size, gets through."""

from __future__ import annotations

from twoworlds.proofs.functions.changes import names_in
from twoworlds.proofs.functions.reading import Function
from twoworlds.proofs.functions.tables import is_table
from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
    Call,
    Choice,
    Compare,
    Expr,
    For,
    If,
    Item,
    Literal,
    Logic,
    Name,
    Return,
    Stmt,
    Store,
    Unary,
    While,
    walk,
)
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.neighbours import Local
from twoworlds.worlds.sensitivity import REFUSED

__all__ = ["cause"]


def cause(function: Function, unmet: str | None = None) -> Unsupported | None:
    """The place and what is missing there, if numbers of any size come in or a secret number divides; else None."""
    assert function.program is not None and function.stated is not None
    if unmet is not None:
        line = unmet.partition(":")[0].removeprefix("line ")
        divides = "divided by" in unmet
        why = "what is divided by depends on a secret, and may be 0 in one world alone"
        return Unsupported(int(line), why, REFUSED["mean"]) if divides else None
    relation = function.stated.neighbours
    if not is_table(relation) and not isinstance(relation, Local):
        return None
    return _Cause(relation.parameter).block(function.program.body)


class _Cause:
    """`wild` are the variables that one person's entry may set to anything."""

    def __init__(self, private: str) -> None:
        self.private, self.wild = private, {private}

    def block(self, steps: tuple[Stmt, ...]) -> Unsupported | None:
        for step in steps:
            found = self.step(step)
            if found is not None:
                return found
        return None

    def step(self, step: Stmt) -> Unsupported | None:
        match step:
            case For(_, target, sequence, body):
                if self.is_wild(sequence) and not (isinstance(sequence, Call) and sequence.function == "range"):
                    self.wild.add(target)
                return self.block(body)
            case While(_, _, body):
                return self.block(body)
            case If(_, _, then, otherwise):
                return self.block(then) or self.block(otherwise)
            case Assign(line, target, value):
                if self.adds(target, value):
                    return self.refused(line, f"the sum `{target}`", names_in(value) & self.wild)
                if (call := self.sums(value)) is not None:
                    return self.refused(line, f"sum({call})", {call})
                if self.is_wild(value):
                    self.wild.add(target)
            case Append(_, target, value) if self.is_wild(value):
                self.wild.add(target)
            case Store(line, target, _, value) if self.is_wild(value):
                return self.refused(line, f"`{target}`", names_in(value) & self.wild)
            case Return(line, value):
                if (call := self.sums(value)) is not None:
                    return self.refused(line, f"sum({call})", {call})
                if self.is_wild(value):
                    return self.refused(line, "what is returned", names_in(value) & self.wild)
        return None

    def refused(self, line: int, what: str, names: set[str]) -> Unsupported:
        name = _plain(min(names)) if names else self.private
        fix = f"Clip first: sum(clip(x, 0, 200_000) for x in {self.private}) moves by at most 200,000"
        entry = f"`{name}`" if name != self.private else f"an entry of `{self.private}`"
        return Unsupported(line, f"{what} has no bound: one person can change it by any amount through {entry}", fix)

    def adds(self, target: str, value: Expr) -> bool:
        """Whether something wild is added to what the variable held."""
        return isinstance(value, Binary) and target in names_in(value) and self.is_wild(value) and target not in self.wild

    def sums(self, value: Expr) -> str | None:
        calls = [node for node in walk(value) if isinstance(node, Call) and node.function == "sum"]
        return next(
            (_plain(part.name) for call in calls for part in call.arguments if isinstance(part, Name) and part.name in self.wild),
            None,
        )

    def is_wild(self, expr: Expr) -> bool:
        """Whether one person can make the value as large as they like."""
        match expr:
            case Name(name):
                return name in self.wild
            case Literal() | Compare() | Logic() | Call("len" | "argmax" | "range", _):
                return False
            case Call("clip", (_, low, high)):
                return self.is_wild(low) or self.is_wild(high)
            case Call("min" | "max", (one, other)):
                return not (self.is_bounded(one) or self.is_bounded(other)) and (self.is_wild(one) or self.is_wild(other))
            case Call(_, parts):
                return any(map(self.is_wild, parts))
            case Unary(_, operand):
                return self.is_wild(operand)
            case Choice(_, then, otherwise):
                return self.is_wild(then) or self.is_wild(otherwise)
            case Binary(_, left, right):
                return self.is_wild(left) or self.is_wild(right)
            case Item(sequence, _):
                return self.is_wild(sequence)
        return False

    def is_bounded(self, expr: Expr) -> bool:
        """Half of a clip that was written as min and max."""
        return isinstance(expr, Call) and expr.function in ("min", "max") and len(expr.arguments) == 2


def _plain(name: str) -> str:
    return name.partition("$")[0].partition("@")[0]
