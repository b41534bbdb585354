"""What may depend on the private parameter: variables, and exits of loops and of the function that hide behind a secret test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from twoworlds.proofs.functions.changes import assigned, names_in, rewritten
from twoworlds.source.program import (
    Append,
    Assign,
    Break,
    Call,
    Continue,
    If,
    Literal,
    Name,
    Program,
    Return,
    Stmt,
    Store,
    While,
    walk,
)

__all__ = ["Secrets", "counts", "secrets"]

Exit = Break | Continue | Return


@dataclass(frozen=True)
class Secrets:
    """`names` may differ between the worlds; `loops` (by identity) have an exit behind a secret test; so may the function."""

    names: frozenset[str]
    loops: frozenset[int]
    returns: bool
    sized: frozenset[str]

    def within(self, expr: object) -> bool:
        """Whether an expression may differ between the worlds; the length of a list of public length does not."""
        return bool(names_in(_without_lengths(expr, self.sized)) & self.names)

    def hides(self, loop: While) -> bool:
        """Whether the loop's exits must be flags."""
        inside = any(isinstance(node, Return) for node in walk(loop.body))
        return id(loop) in self.loops or (self.returns and inside)


def _without_lengths(expr: Any, sized: frozenset[str]) -> Any:
    def change(part: Any) -> Any:
        known = (
            isinstance(part, Call)
            and part.function == "len"
            and isinstance(part.arguments[0], Name)
            and part.arguments[0].name in sized
        )
        return Literal(None) if known else None

    return rewritten(expr, change)


def counts(loop: While) -> bool:
    """Whether the loop counts to a bound that was fixed before it: its first two statements are the count."""
    return len(loop.body) > 1 and isinstance(loop.body[1], Assign) and loop.body[1].target.startswith("next@@")


def secrets(program: Program, private: frozenset[str], sized: bool) -> Secrets:
    """The least set that contains the private parameters and is closed under assignments and branches."""
    lists = {node.target for node in walk(program.body) if isinstance(node, Append)}
    known = Secrets(private, frozenset(), returns=False, sized=(private if sized else frozenset()) | lists)
    while True:
        found = _Walk(known)
        found.block(program.body, inside=False, loops=())
        more = Secrets(known.names | found.names, known.loops | found.loops, known.returns or found.returns, known.sized)
        if more == known:
            return known
        known = more


class _Walk:
    """One pass with what is known so far."""

    def __init__(self, known: Secrets) -> None:
        self.known = known
        self.names: set[str] = set()
        self.loops: set[int] = set()
        self.returns = False

    def block(self, steps: tuple[Stmt, ...], inside: bool, loops: tuple[While, ...]) -> None:
        for step in steps:
            match step:
                case Assign(_, target, value) | Append(_, target, value):
                    if inside or self.known.within(value):
                        self.names.add(target)
                case Store(_, target, index, value):
                    if inside or self.known.within((index, value)):
                        self.names.add(target)
                case If(_, test, then, otherwise):
                    within = inside or self.known.within(test)
                    self.block(then, within, loops)
                    self.block(otherwise, within, loops)
                case While():
                    self.loop(step, inside, loops)
                case Return() if inside:
                    self.returns = True
                    self.loops.update(map(id, loops))
                case Break() | Continue() if inside and loops:
                    self.loops.add(id(loops[-1]))

    def loop(self, step: While, inside: bool, loops: tuple[While, ...]) -> None:
        body = step.body[2:] if counts(step) else step.body
        self.block(body, inside or self.known.within(step.test), (*loops, step))
        if self.known.hides(step):
            self.names.update(assigned(body))
