"""Lists that the search follows entry by entry, as the checker does: a function of the index, and what was stored since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from twoworlds.proofs.kinds import Kinds
from twoworlds.source.program import Assign, Choice, Expr, Item, Logic, Name, Program, walk

__all__ = ["SELECT", "Entries", "below", "followed", "guarded", "reads"]

SELECT = "select "
"""Before the name of a list that is followed, where a hint reads one of its entries."""


@dataclass(frozen=True)
class Entries:
    """A list in one run: what it was at its base, with the base's name, length there, and what was stored since."""

    name: str
    base: Any
    length: Any
    stores: tuple[tuple[Any, Any], ...] = ()

    def put(self, index: Any, value: Any) -> Entries:
        return replace(self, stores=(*self.stores, (index, value)))

    def at(self, index: Any) -> Any:
        import z3  # noqa: PLC0415  an optional extra, and slow to load

        entry = self.base(index)
        for at, value in self.stores:
            entry = z3.If(same(index, at), value, entry)
        return entry


def below(one: Any, other: Any) -> Any:
    """That an index is less than another, between whole numbers: a solver then sees that it is less by 1."""
    first, second = _whole(one), _whole(other)
    return one < other if first is None or second is None else first < second


def same(one: Any, other: Any) -> Any:
    first, second = _whole(one), _whole(other)
    return one == other if first is None or second is None else first == second


def _whole(term: Any) -> Any:
    """A sum of whole numbers as such; None for anything else."""
    import z3  # noqa: PLC0415  an optional extra, and slow to load

    if z3.is_to_real(term):
        return term.arg(0)
    if z3.is_rational_value(term) and term.denominator_as_long() == 1:
        return z3.IntVal(term.numerator_as_long())
    if z3.is_add(term):
        parts = [_whole(part) for part in term.children()]
        return None if any(part is None for part in parts) else z3.Sum(parts)
    return None


def reads(program: Program, names: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """Which of these lists are read at which variables."""
    found: dict[tuple[str, str], None] = {}
    for node in walk(program.body):
        if isinstance(node, Item) and isinstance(node.sequence, Name) and isinstance(node.index, Name):
            found[node.sequence.name, node.index.name] = None
    return tuple(pair for pair in found if pair[0] in names)


def followed(program: Program, kinds: Kinds) -> frozenset[str]:
    """The lists that the program builds and reads, under all their names."""
    read = {node.sequence.name for node in walk(program.body) if isinstance(node, Item) and isinstance(node.sequence, Name)}
    names = (read & kinds.lists) - set(program.parameters)
    size = -1
    while size != len(names):
        size = len(names)
        for node in walk(program.body):
            if isinstance(node, Assign) and isinstance(node.value, Name) and {node.target, node.value.name} & names:
                names |= {node.target, node.value.name}
    return frozenset(names - set(program.parameters))


def guarded(expr: Any, guards: tuple[tuple[bool, Expr], ...] = ()) -> Iterator[tuple[Item, tuple[tuple[bool, Expr], ...]]]:
    """Every reading of an entry, with the tests on the way to it and how they came out."""
    if isinstance(expr, Logic):
        for part in expr.parts:
            yield from guarded(part, guards)
            guards = (*guards, (expr.op == "and", part))
    elif isinstance(expr, Choice):
        yield from guarded(expr.test, guards)
        yield from guarded(expr.then, (*guards, (True, expr.test)))
        yield from guarded(expr.otherwise, (*guards, (False, expr.test)))
    elif isinstance(expr, tuple):
        for part in expr:
            yield from guarded(part, guards)
    elif isinstance(expr, Expr):
        if isinstance(expr, Item):
            yield expr, guards
        for name in expr.__dataclass_fields__:
            yield from guarded(getattr(expr, name), guards)
