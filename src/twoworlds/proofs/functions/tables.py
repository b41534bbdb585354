"""Tables of rows in no order: each loop over them must not care about the order, and a missing row is a slot that is skipped.

A table relation lets its rows be reordered. A loop that only adds to sums, or only keeps a largest or a smallest value, gives the
same whatever the order (`orderless`), so the two worlds may be taken to list their common rows alike. Where a row may be missing,
both worlds have the same slots, and in one slot a row is there in one world only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import Any

from twoworlds.proofs.functions.changes import assigned, names_in, rewritten, uses
from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
    Break,
    Call,
    Compare,
    Continue,
    Expr,
    For,
    If,
    Item,
    Literal,
    Name,
    Program,
    Return,
    Stmt,
    Store,
    While,
    walk,
)
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.neighbours import AddRemove, Edit, Neighbours, Replace

__all__ = ["SLOT", "here", "is_table", "slotted"]

SLOT = "slot@"
ZERO, ONE = Literal(Fraction(0)), Literal(Fraction(1))


def is_table(relation: Neighbours) -> bool:
    return isinstance(relation, AddRemove | Replace | Edit)


def here(name: str) -> str:
    """The list that says of each slot whether a row is there: 1 or 0."""
    return f"{name}@here"


def slotted(program: Program, relation: Neighbours) -> Program:
    """The program with its loops over the table as loops over slots."""
    table, fresh = relation.parameter, count(1)
    program = replace(program, body=_by_row(program.body, table, fresh))
    program = replace(program, body=_summed(program.body, table, fresh))
    _check_uses(program, table, relation)
    if not isinstance(relation, Edit):
        for loop in _loops(program.body, table):
            _check_order(loop, program)
    if isinstance(relation, Replace):
        return program
    body = _over_slots(program.body, table, fresh)
    counted = _how_many(table, fresh) if any(name == _number(table) for name in names_in(body)) else ()
    return replace(program, body=(*counted, *body), parameters=(*program.parameters, here(table)))


def _loops(body: object, table: str) -> Iterator[For]:
    return (node for node in walk(body) if isinstance(node, For) and node.sequence == Name(table))


def _number(table: str) -> str:
    return f"{table}@count"


def _length(table: str) -> Expr:
    return Call("len", (Name(table),))


def _by_row(body: Any, table: str, fresh: Any) -> Any:
    """`for i in range(len(rows))` that uses i as rows[i] alone is a loop over the rows."""

    def change(part: Any) -> Any:
        if not (isinstance(part, For) and part.sequence == Call("range", (_length(table),))):
            return None
        item, row = Item(Name(table), Name(part.target)), f"row@{next(fresh)}"
        inner = rewritten(part.body, lambda piece: Name(row) if piece == item else None)
        if uses(inner, part.target) or part.target in assigned(inner):
            return None
        return For(part.line, row, Name(table), _by_row(inner, table, fresh))

    return rewritten(body, change)


def _summed(body: tuple[Stmt, ...], table: str, fresh: Any) -> tuple[Stmt, ...]:
    """`sum(rows)` as a loop before the statement it stands in."""
    found: list[Stmt] = []
    for step in body:
        before: list[Stmt] = []

        def change(piece: Any, line: int = step.line, before: list[Stmt] = before) -> Any:
            if piece != Call("sum", (Name(table),)):
                return None
            total, row = f"sum@t{next(fresh)}", f"row@{next(fresh)}"
            more = Assign(line, total, Binary("+", Name(total), Name(row)))
            before.extend([Assign(line, total, ZERO), For(line, row, Name(table), (more,))])
            return Name(total)

        if isinstance(step, If):
            then, otherwise = (_summed(block, table, fresh) for block in (step.then, step.otherwise))
            changed: Stmt = If(step.line, rewritten(step.test, change), then, otherwise)
        elif isinstance(step, For):
            changed = replace(step, sequence=rewritten(step.sequence, change), body=_summed(step.body, table, fresh))
        elif isinstance(step, While):
            changed = replace(step, body=_summed(step.body, table, fresh))
        else:
            changed = rewritten(step, change)
        found += [*before, changed]
    return tuple(found)


def _check_uses(program: Program, table: str, relation: Neighbours) -> None:
    """Nothing but loops over the rows and their number: an index would read an order that means nothing."""
    for node in walk(program.body):
        if isinstance(node, Stmt):
            parts = [getattr(node, name) for name in ("value", "test", "index") if hasattr(node, name)]
            parts += [node.sequence] if isinstance(node, For) and node.sequence != Name(table) else []
            for part in parts:
                left = rewritten(part, lambda piece: ZERO if piece == _length(table) else None)
                if uses(left, table):
                    what = _shown(part, table)
                    raise Unsupported(
                        node.line,
                        f"{what} reads the rows of {relation} other than one by one",
                        f"Write a loop, `for row in {table}`, or sum(...) over it; start a maximum from a public bound",
                    )


def _shown(part: Expr, table: str) -> str:
    calls = [node.function for node in walk(part) if isinstance(node, Call) and Name(table) in node.arguments]
    return (
        f"`{calls[0]}({table})`"
        if calls
        else f"`{table}[...]`"
        if any(isinstance(node, Item) for node in walk(part))
        else f"`{table}`"
    )


def _over_slots(body: Any, table: str, fresh: Any) -> Any:
    def change(part: Any) -> Any:
        if part == _length(table):
            return Name(_number(table))
        if not (isinstance(part, For) and part.sequence == Name(table)):
            return None
        inner = (
            Assign(part.line, part.target, _row(table, slot := f"{SLOT}{next(fresh)}")),
            *_over_slots(part.body, table, fresh),
        )
        return For(part.line, slot, Call("range", (_length(table),)), (If(part.line, _is_here(table, slot), inner, ()),))

    return rewritten(body, change)


def _row(table: str, slot: str) -> Expr:
    return Item(Name(table), Name(slot))


def _is_here(table: str, slot: str) -> Expr:
    return Compare("==", Item(Name(here(table)), Name(slot)), ONE)


def _how_many(table: str, fresh: Any) -> tuple[Stmt, ...]:
    number, slot = _number(table), f"{SLOT}{next(fresh)}"
    more = Assign(1, number, Binary("+", Name(number), ONE))
    return Assign(1, number, ZERO), For(1, slot, Call("range", (_length(table),)), (If(1, _is_here(table, slot), (more,), ()),))


def _check_order(loop: For, program: Program) -> None:
    """The loop gives the same for every order of the rows, or `Unsupported` says what does not."""
    reader = _Orderless(loop)
    reader.block(loop.body, {loop.target})
    for name in reader.local:
        inside = uses(loop, name)
        if uses(program.body, name) != inside:
            raise Unsupported(
                loop.line, f"`{name}` keeps what the last row left, and rows have no order", "Use it inside the loop only"
            )


class _Orderless:
    """A round computes with the row and with what the loop does not change, and adds to sums or keeps extremes of its own."""

    def __init__(self, loop: For) -> None:
        self.changed = assigned(loop)
        self.local: set[str] = {loop.target}
        self.kept: dict[str, str] = {}

    def block(self, steps: tuple[Stmt, ...], known: set[str]) -> set[str]:
        """What is assigned in this round after the steps, on every path."""
        for step in steps:
            match step:
                case Assign(line, target, value):
                    how = _kept(target, value)
                    if how is not None and target not in known:
                        self.keep(target, how[0], line)
                        self.read(how[1], known, line)
                    else:
                        self.read(value, known, line)
                        known = known | {target}
                        self.local.add(target)
                case Store(line, target, index, value):
                    how = _kept_entry(target, index, value)
                    if how is None:
                        raise Unsupported(line, f"an entry of `{target}` is overwritten row by row", "Add to it: counts[k] += 1")
                    self.keep(target, how[0], line)
                    self.read(index, known, line)
                    self.read(how[1], known, line)
                case If(line, test, then, otherwise):
                    self.read(test, known, line)
                    known = self.block(then, known) & self.block(otherwise, known)
                case For(line, target, sequence, body):
                    self.read(sequence, known, line)
                    self.block(body, known | {target})
                    self.local.add(target)
                case Continue():
                    return known | self.changed
                case Append(line, target) | While(line, target, _):
                    raise Unsupported(
                        line, "a list is built, or a loop runs, row by row", "Rows have no order: add to sums instead"
                    )
                case Break(line) | Return(line):
                    raise Unsupported(line, "the loop stops at some row, and rows have no order", "Go through all rows")
        overlap = self.local & self.kept.keys()
        if overlap:
            raise Unsupported(
                steps[0].line if steps else 1,
                f"`{min(overlap)}` depends on the order of the rows",
                "Rows have no order: add to sums",
            )
        return known

    def keep(self, name: str, how: str, line: int) -> None:
        if self.kept.setdefault(name, how) != how:
            raise Unsupported(
                line, f"`{name}` is changed in two ways, so it depends on the order of the rows", "Use two variables"
            )

    def read(self, expr: Expr, known: set[str], line: int) -> None:
        for name in names_in(expr):
            if name in self.changed and name not in known:
                raise Unsupported(
                    line,
                    f"`{name}` carries over from row to row, and rows have no order",
                    "Only add to it, or take max or min with it",
                )


def _kept(name: str, value: Expr) -> tuple[str, Expr] | None:
    """How an assignment keeps a value whatever the order: it adds, or takes the larger or smaller."""
    return _combined(Name(name), value)


def _kept_entry(name: str, index: Expr, value: Expr) -> tuple[str, Expr] | None:
    found = _combined(Item(Name(name), index), value)
    return None if found is None or name in names_in(found[1]) or name in names_in(index) else found


def _combined(old: Expr, value: Expr) -> tuple[str, Expr] | None:
    match value:
        case Binary("+", left, right) if old in (left, right) and left != right:
            return "add", right if left == old else left
        case Binary("-", left, right) if left == old:
            return "add", right
        case Call("max" | "min" as function, (left, right)) if old in (left, right) and left != right:
            return function, right if left == old else left
    return None
