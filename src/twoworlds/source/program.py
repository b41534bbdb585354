"""The small language: what remains of a card's Python once it is parsed.

Expressions are pure. Noise is drawn by the statement `Draw` alone: the parser lifts every `sample(...)` out of the expression it
stands in, left to right, so a reader meets each draw as a step of its own. Every statement keeps the line it came from.

Names that no Python text can contain: `noise@1` is a value on its way from one statement to the next, read there and nowhere
else; `x$2` is a variable of a list built in place or of a helper function that was written in place of its call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Literal as OneOf

__all__ = [
    "Append",
    "Assign",
    "Binary",
    "Break",
    "Call",
    "Choice",
    "Compare",
    "Continue",
    "Draw",
    "Expr",
    "For",
    "If",
    "Item",
    "Literal",
    "Logic",
    "Many",
    "Name",
    "Noise",
    "Program",
    "Return",
    "Stmt",
    "Store",
    "Unary",
    "While",
    "walk",
]


@dataclass(frozen=True)
class Expr:
    """A pure expression."""


@dataclass(frozen=True)
class Literal(Expr):
    """A constant: an exact number, a truth value, None or a piece of text that is only ever returned."""

    value: Fraction | bool | str | None


@dataclass(frozen=True)
class Name(Expr):
    name: str


@dataclass(frozen=True)
class Unary(Expr):
    op: OneOf["-", "not"]
    operand: Expr


@dataclass(frozen=True)
class Binary(Expr):
    """Arithmetic; between two lists, and between a list and a number, entry by entry."""

    op: OneOf["+", "-", "*", "/", "//", "%", "**"]
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Compare(Expr):
    op: OneOf["<", "<=", ">", ">=", "==", "!="]
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Logic(Expr):
    """`and` / `or`, evaluated left to right and no further than needed."""

    op: OneOf["and", "or"]
    parts: tuple[Expr, ...]


@dataclass(frozen=True)
class Choice(Expr):
    """`then if test else otherwise`."""

    test: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True)
class Item(Expr):
    """`sequence[index]`."""

    sequence: Expr
    index: Expr


@dataclass(frozen=True)
class Call(Expr):
    """One of the listed functions, or `repeat(entries, count)` for `[0] * n`; see `values.FUNCTIONS` for their meaning."""

    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class Many(Expr):
    """A list or a tuple of the given entries."""

    kind: OneOf["list", "tuple"]
    entries: tuple[Expr, ...]


@dataclass(frozen=True)
class Noise:
    """A distribution of `worlds.distributions` by its class name, its parameters as expressions."""

    law: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class Stmt:
    line: int


@dataclass(frozen=True)
class Assign(Stmt):
    """`target = value`; `in_place` remembers that it was written `target += ...`, which for a list would be another thing.

    `last` says of a value that is a name that nothing reads this name again: the result of a helper function.
    """

    target: str
    value: Expr
    in_place: bool = False
    last: bool = False


@dataclass(frozen=True)
class Store(Stmt):
    """`target[index] = value`."""

    target: str
    index: Expr
    value: Expr


@dataclass(frozen=True)
class Append(Stmt):
    target: str
    value: Expr


@dataclass(frozen=True)
class Draw(Stmt):
    """`target = sample(noise)` or `target = sample(noise, count)`; `site` numbers the draws of the text from 0."""

    target: str
    noise: Noise
    count: Expr | None
    site: int


@dataclass(frozen=True)
class If(Stmt):
    test: Expr
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]


@dataclass(frozen=True)
class For(Stmt):
    """`for target in sequence`; a range is the call `range(...)`."""

    target: str
    sequence: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class While(Stmt):
    test: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class Break(Stmt):
    pass


@dataclass(frozen=True)
class Continue(Stmt):
    pass


@dataclass(frozen=True)
class Return(Stmt):
    value: Expr


@dataclass(frozen=True)
class Program:
    """A parsed card: its name, its parameters in order (without `sample`) and its body.

    `private` is the secret parameter, if it is known; with `fixed_length`, neighbours agree on its length; `depth` is 1 where
    the neighbouring relation is one of lists.
    """

    name: str
    parameters: tuple[str, ...]
    body: tuple[Stmt, ...]
    digest: str
    private: str | None = None
    fixed_length: bool = False
    depth: int = 0

    @property
    def draws(self) -> tuple[Draw, ...]:
        """All draws of the text, by site."""
        found = [node for node in walk(self.body) if isinstance(node, Draw)]
        return tuple(sorted(found, key=lambda draw: draw.site))


def walk(node: object) -> Iterator[object]:
    """Every part of a program below this one, itself first, in the order of the text."""
    if isinstance(node, tuple):
        for part in node:
            yield from walk(part)
    elif is_dataclass(node):
        yield node
        for field in fields(node):
            yield from walk(getattr(node, field.name))
