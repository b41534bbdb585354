"""Lists that are built by one loop and read by others, done away with: each reader runs the building loop itself.

Nothing in a program has an effect but its assignments, so what an entry was made of can be computed again where it is read. A
list whose length depends on a secret, `[x for x in rows if x > 0]`, then never exists.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import count, pairwise
from typing import Any

from twoworlds.proofs.functions.changes import assigned, named, names_in, rewritten, uses
from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
    Break,
    Call,
    Continue,
    Expr,
    For,
    If,
    Literal,
    Many,
    Name,
    Program,
    Return,
    Stmt,
    Store,
    While,
    walk,
)

__all__ = ["fused"]

EMPTY = Many("list", ())
ZERO, ONE = Literal(Fraction(0)), Literal(Fraction(1))


def fused(program: Program) -> Program:
    """The same function without the lists that can be done away with."""
    fresh = count(1)
    program = replace(program, body=_spread(program.body, fresh))
    while True:
        body = _block(_renamed(program.body), program, fresh)
        if body == program.body:
            return program
        program = replace(program, body=body)


def _spread(body: Any, fresh: Any) -> Any:
    """`[0] * n` as a loop that appends."""
    if isinstance(body, tuple):
        return tuple(part for step in body for part in _spread_step(step, fresh))
    return body


def _spread_step(step: Stmt, fresh: Any) -> tuple[Stmt, ...]:
    match step:
        case Assign(line, target, Call("repeat", (Many("list", (entry,)), times))):
            loop = For(line, f"times@f{next(fresh)}", Call("range", (times,)), (Append(line, target, entry),))
            return (Assign(line, target, EMPTY), loop)
        case If(_, _, then, otherwise):
            return (replace(step, then=_spread(then, fresh), otherwise=_spread(otherwise, fresh)),)
        case For(_, _, _, body) | While(_, _, body):
            return (replace(step, body=_spread(body, fresh)),)
    return (step,)


def _renamed(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """`ys = [...]` builds a list under a name of the parser's and then gives it the name ys: the first is not needed."""
    copies = {
        node.value.name: node.target
        for node in walk(body)
        if isinstance(node, Assign) and isinstance(node.value, Name) and "@" in node.value.name
    }
    times = Counter(node.target for node in walk(body) if isinstance(node, Assign))
    chosen = {
        old: new for old, new in copies.items() if times[old] == times[new] == 1 and uses(body, old) == 1 and _builds(body, old)
    }
    if not chosen:
        return body
    return _drop(named(body, chosen))  # type: ignore[no-any-return]  # statements stay statements


def _builds(body: tuple[Stmt, ...], name: str) -> bool:
    return any(isinstance(node, Assign) and node.target == name and node.value == EMPTY for node in walk(body))


def _drop(body: Any) -> Any:
    """Without assignments of a variable to itself."""
    if isinstance(body, tuple):
        return tuple(_drop(step) for step in body if not (isinstance(step, Assign) and step.value == Name(step.target)))
    if isinstance(body, If):
        return replace(body, then=_drop(body.then), otherwise=_drop(body.otherwise))
    return replace(body, body=_drop(body.body)) if isinstance(body, For | While) else body


def _block(steps: tuple[Stmt, ...], program: Program, fresh: Any) -> tuple[Stmt, ...]:
    for at, (start, loop) in enumerate(pairwise(steps)):
        if isinstance(start, Assign) and start.value == EMPTY and isinstance(loop, For):
            rest = steps[at + 2 :]
            if _may_go(start.target, loop, rest, program):
                return (*steps[:at], *_inside(rest, start.target, loop, fresh))
    return tuple(_deeper(step, program, fresh) for step in steps)


def _deeper(step: Stmt, program: Program, fresh: Any) -> Stmt:
    if isinstance(step, If):
        return replace(step, then=_block(step.then, program, fresh), otherwise=_block(step.otherwise, program, fresh))
    return replace(step, body=_block(step.body, program, fresh)) if isinstance(step, For | While) else step


def _may_go(name: str, loop: For, rest: tuple[Stmt, ...], program: Program) -> bool:
    """Whether the loop only builds the list, and later statements of its block only go through it, with the same values."""
    steps = [node for node in walk(loop.body) if isinstance(node, Stmt)]
    appends = [node for node in steps if isinstance(node, Append | Store)]
    if len(appends) != 1 or any(isinstance(node, For | While | Break | Continue | Return) for node in steps):
        return False
    if (
        not isinstance(appends[0], Append)
        or appends[0].target != name
        or not _ends_with(loop.body, appends[0])
        or name in names_in(loop)
    ):
        return False
    locals_ = assigned(loop) - {name}
    times = Counter(node.target for node in walk(program.body) if isinstance(node, Assign | Append | Store | For))
    free = names_in(loop) - locals_
    if any(times[other] > 1 or (times[other] and other in program.parameters) for other in free):
        return False
    everywhere = sum(uses(program.body, local) for local in locals_)
    inside = sum(uses(loop, local) for local in locals_)
    readers = _readers(rest, name)
    return everywhere == inside and times[name] == 2 and 0 < readers == uses(program.body, name)


def _ends_with(body: tuple[Stmt, ...], append: Append) -> bool:
    last = body[-1]
    if isinstance(last, If):
        return not last.otherwise and bool(last.then) and _ends_with(last.then, append)
    return last is append or last == append


def _readers(rest: tuple[Stmt, ...], name: str) -> int:
    """The uses of the list that go through it entry by entry: loops over it, its sum and its length."""
    loops = sum(isinstance(node, For) and node.sequence == Name(name) for node in walk(rest))
    calls = sum(
        isinstance(node, Call) and node.function in ("sum", "len") and node.arguments == (Name(name),) for node in walk(rest)
    )
    inside = sum(uses(node.body, name) for node in walk(rest) if isinstance(node, For) and node.sequence == Name(name))
    return -1 if inside else loops + calls


def _inside(rest: tuple[Stmt, ...], name: str, loop: For, fresh: Any) -> tuple[Stmt, ...]:
    """The statements with the building loop in place of each reader."""
    found: list[Stmt] = []
    for step in rest:
        before: list[Stmt] = []
        if isinstance(step, For) and step.sequence == Name(name):
            found.append(_copy(loop, name, fresh, step.target, step.body))
            continue
        match step:
            case If(line, test, then, otherwise):
                blocks = [_inside(block, name, loop, fresh) for block in (then, otherwise)]
                changed: Stmt = If(line, _counted(test, name, loop, fresh, before), *blocks)
            case For(line, target, sequence, body):
                over = _counted(sequence, name, loop, fresh, before)
                changed = For(line, target, over, _inside(body, name, loop, fresh))
            case While(line, test, body):
                changed = While(line, test, _inside(body, name, loop, fresh))
            case _:
                changed = _counted(step, name, loop, fresh, before)
        found += [*before, changed]
    return tuple(found)


def _counted(part: Any, name: str, loop: For, fresh: Any, before: list[Stmt]) -> Any:
    """The part with sums and lengths of the list as variables that loops before it compute."""

    def change(piece: Any) -> Any:
        if not (isinstance(piece, Call) and piece.arguments == (Name(name),) and piece.function in ("sum", "len")):
            return None
        number = next(fresh)
        total, entry = f"{piece.function}@f{number}", f"entry@f{number}"
        more: Expr = Name(entry) if piece.function == "sum" else ONE
        before.append(Assign(loop.line, total, ZERO))
        before.append(_copy(loop, name, fresh, entry, (Assign(loop.line, total, Binary("+", Name(total), more)),)))
        return Name(total)

    return rewritten(part, change)


def _copy(loop: For, name: str, fresh: Any, target: str, body: tuple[Stmt, ...]) -> For:
    """The building loop under names of its own, which hands each entry on instead of keeping it."""
    number = next(fresh)
    own = {local: f"{local}@f{number}" for local in assigned(loop) - {name}}
    renamed: For = named(loop, own)

    def hand_on(steps: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        last = steps[-1]
        if isinstance(last, If):
            return (*steps[:-1], replace(last, then=hand_on(last.then)))
        assert isinstance(last, Append)
        return (*steps[:-1], Assign(last.line, target, last.value), *body)

    return replace(renamed, body=hand_on(renamed.body))
