"""The program made ready for distributions: every choice that noise may decide becomes an `if` of its own.

`max`, `min`, `abs`, `clip`, `argmax`, `and`, `or`, `not`, comparisons as values and `x if c else y` are written out where noise
may reach them, so that at each branch it is plain which draws are still needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
    Break,
    Call,
    Choice,
    Compare,
    Draw,
    Expr,
    For,
    If,
    Item,
    Literal,
    Logic,
    Many,
    Name,
    Noise,
    Program,
    Return,
    Stmt,
    Store,
    Unary,
    While,
    walk,
)

__all__ = ["lower", "names"]

Block = tuple[Stmt, ...]

_TRUE, _FALSE, _NONE, _ZERO, _ONE = (Literal(value) for value in (True, False, None, Fraction(0), Fraction(1)))
_SHORT = 8


def names(node: object) -> frozenset[str]:
    """The variables that an expression, or a tuple of them, reads."""
    return frozenset(part.name for part in walk(node) if isinstance(part, Name))


def lower(program: Program, arguments: Mapping[str, Any]) -> Program:
    """The same program without choices inside expressions that noise reaches."""
    lists = _reached(program, {name for name, value in arguments.items() if isinstance(value, tuple)}, _makes_list)
    noisy = _reached(program, set(), _draws)
    return replace(program, body=_Lowering(noisy, lists).block(program.body))


def _reached(program: Program, start: set[str], fresh: Any) -> frozenset[str]:
    """The variables that a property reaches through assignments, wherever they stand."""
    found = set(start)
    steps = [node for node in walk(program.body) if isinstance(node, Assign | Append | Store | For | Draw)]
    while True:
        before = len(found)
        for step in steps:
            if step.target not in found and fresh(step, found):
                found.add(step.target)
        if len(found) == before:
            return frozenset(found)


def _draws(step: Stmt, noisy: set[str]) -> bool:
    if isinstance(step, For):
        return bool(names(step.sequence) & noisy)
    if isinstance(step, Store):
        return bool((names(step.value) | names(step.index)) & noisy)
    return isinstance(step, Draw) or (isinstance(step, Assign | Append) and bool(names(step.value) & noisy))


def _makes_list(step: Stmt, lists: set[str]) -> bool:
    if isinstance(step, Draw):
        return step.count is not None
    return isinstance(step, Append | Store) or (isinstance(step, Assign) and is_list(step.value, lists))


def is_list(expr: Expr, lists: frozenset[str] | set[str]) -> bool:
    """Whether an expression may be a list."""
    match expr:
        case Many():
            return True
        case Name(name):
            return name in lists
        case Binary(_, left, right):
            return is_list(left, lists) or is_list(right, lists)
        case Unary("-", operand):
            return is_list(operand, lists)
        case Choice(_, then, otherwise):
            return is_list(then, lists) or is_list(otherwise, lists)
        case Logic(_, parts):
            return any(is_list(part, lists) for part in parts)
        case Call(function, arguments):
            return function in ("range", "cumsum", "repeat") or (function == "clip" and is_list(arguments[0], lists))
    return False


class _Lowering:
    def __init__(self, noisy: frozenset[str], lists: frozenset[str]) -> None:
        self.noisy = noisy
        self.lists = lists
        self.made: set[str] = set()  # temporaries, noisy by construction
        self.line = 0

    def fresh(self, hint: str) -> str:
        name = f"{hint}#{len(self.made)}"
        self.made.add(name)
        return name

    def is_noisy(self, node: object) -> bool:
        used = names(node)
        return bool(used & self.noisy or used & self.made)

    # statements

    def block(self, body: Block) -> Block:
        return tuple(step for statement in body for step in self.statement(statement))

    def statement(self, step: Stmt) -> Block:
        self.line = step.line
        before: list[Stmt] = []
        match step:
            case Assign(line, target, value):
                return self.assign(line, target, value)
            case Store(line, target, index, value):
                kept = Store(line, target, self.expr(index, before), self.expr(value, before))
                return (*before, kept)
            case Append(line, target, value):
                grown = Append(line, target, self.expr(value, before))
                return (*before, grown)
            case Draw(line, target, noise, count, site):
                arguments = tuple(self.expr(argument, before) for argument in noise.arguments)
                drawn = Draw(line, target, Noise(noise.law, arguments), self.expr(count, before) if count else None, site)
                return (*before, drawn)
            case If(line, test, then, otherwise):
                return self.branch(line, test, self.block(then), self.block(otherwise))
            case For(line, target, sequence, body):
                value = self.expr(sequence, before)
                return (*before, For(line, target, value, self.block(body)))
            case While(line, test, body):
                if not self.is_noisy(test) or isinstance(test, Name):
                    return (While(line, test, self.block(body)),)
                leave = self.branch(line, test, (), (Break(line),))
                return (While(line, _TRUE, (*leave, *self.block(body))),)
            case Return(line, value):
                returned = Return(line, self.expr(value, before))
                return (*before, returned)
        return (step,)

    def assign(self, line: int, target: str, value: Expr) -> Block:
        before: list[Stmt] = []
        if not self.is_noisy(value):
            return (Assign(line, target, value),)
        match value:
            case Compare() | Unary("not", _):
                return self.branch(line, value, (Assign(line, target, _TRUE),), (Assign(line, target, _FALSE),))
            case Choice(test, then, otherwise):
                return self.branch(line, test, self.assign(line, target, then), self.assign(line, target, otherwise))
        kept = Assign(line, target, self.expr(value, before))
        return (*before, kept)

    def branch(self, line: int, test: Expr, then: Block, otherwise: Block) -> Block:
        """`if test: then else: otherwise`, where the test of the `if` that is left is a comparison or a plain value."""
        before: list[Stmt] = []
        if not self.is_noisy(test):
            return (If(line, test, then, otherwise),)
        match test:
            case Compare(op, left, right):
                plain: Expr = Compare(op, self.expr(left, before), self.expr(right, before))
                return (*before, If(line, plain, then, otherwise))
            case Unary("not", operand):
                return self.branch(line, operand, otherwise, then)
            case Logic("and", parts) if len(otherwise) <= _SHORT:
                for part in reversed(parts):
                    then = self.branch(line, part, then, otherwise)
                return then
            case Logic("or", parts) if len(then) <= _SHORT:
                for part in reversed(parts):
                    otherwise = self.branch(line, part, then, otherwise)
                return otherwise
        value = self.expr(test, before)
        return (*before, If(line, value, then, otherwise))

    # expressions

    def expr(self, expr: Expr, before: list[Stmt]) -> Expr:
        if not self.is_noisy(expr):
            return expr
        match expr:
            case Unary("-", operand):
                return Unary("-", self.expr(operand, before))
            case Binary(op, left, right):
                return Binary(op, self.expr(left, before), self.expr(right, before))
            case Compare() | Choice() | Unary("not", _):
                return self.named("value", self.line, expr, before)
            case Logic(op, parts):
                return self.logic(op, parts, before)
            case Item(sequence, index):
                return Item(self.expr(sequence, before), self.expr(index, before))
            case Call(function, arguments):
                return self.call(function, tuple(self.expr(argument, before) for argument in arguments), before)
            case Many(kind, entries):
                return Many(kind, tuple(self.expr(entry, before) for entry in entries))
        return expr

    def named(self, hint: str, line: int, value: Expr, before: list[Stmt]) -> Name:
        steps = self.assign(line, target := self.fresh(hint), value)
        before.extend(steps)
        return Name(target)

    def logic(self, op: str, parts: tuple[Expr, ...], before: list[Stmt]) -> Expr:
        line, target = self.line, self.fresh("either")
        steps = self.assign(line, target, parts[-1])
        for part in reversed(parts[:-1]):
            held = self.fresh("part")
            keep: Block = (Assign(line, target, Name(held)),)
            go_on = (steps, keep) if op == "and" else (keep, steps)
            steps = (*self.assign(line, held, part), *self.branch(line, Name(held), *go_on))
        before.extend(steps)
        return Name(target)

    def call(self, function: str, arguments: tuple[Expr, ...], before: list[Stmt]) -> Expr:
        line = self.line
        if function in ("max", "min"):
            if len(arguments) == 1:
                return self.extreme(function, arguments[0], before)
            best = self.named("best", line, arguments[0], before)
            for argument in arguments[1:]:
                self.improve(function, best, self.named("next", line, argument, before), before)
            return best
        if function == "abs":
            size = self.named("size", line, arguments[0], before)
            before.append(If(line, Compare("<", size, _ZERO), (Assign(line, size.name, Unary("-", size)),), ()))
            return size
        if function == "clip":
            return self.clip(arguments, before)
        if function == "argmax":
            return self.argmax(arguments[0], before)
        return Call(function, arguments)

    def improve(self, function: str, best: Name, candidate: Name, before: list[Stmt]) -> None:
        better = Compare(">" if function == "max" else "<", candidate, best)
        before.append(If(self.line, better, (Assign(self.line, best.name, candidate),), ()))

    def extreme(self, function: str, sequence: Expr, before: list[Stmt]) -> Expr:
        line, entry = self.line, Name(self.fresh("entry"))
        best, started = self.named("best", line, _NONE, before), self.named("started", line, _FALSE, before)
        more: list[Stmt] = []
        self.improve(function, best, entry, more)
        first = (Assign(line, best.name, entry), Assign(line, started.name, _TRUE))
        before.append(For(line, entry.name, sequence, (If(line, started, tuple(more), first),)))
        return best

    def argmax(self, sequence: Expr, before: list[Stmt]) -> Expr:
        line, entry = self.line, Name(self.fresh("entry"))
        best, index = self.named("best", line, _NONE, before), self.named("index", line, _ZERO, before)
        place = self.named("place", line, _NONE, before)
        taken = (Assign(line, best.name, entry), Assign(line, place.name, index))
        better = If(line, Compare(">", entry, best), taken, ())
        step = Assign(line, index.name, Binary("+", index, _ONE))
        first = If(line, Compare("==", index, _ZERO), taken, (better,))
        before.append(For(line, entry.name, sequence, (first, step)))
        return place

    def clip(self, arguments: tuple[Expr, ...], before: list[Stmt]) -> Expr:
        line = self.line
        value, low, high = arguments
        if not is_list(value, self.lists):
            held = self.named("held", line, value, before)
            self.hold(held, low, high, before)
            return held
        entry, kept = Name(self.fresh("entry")), self.named("kept", line, Many("list", ()), before)
        body: list[Stmt] = []
        self.hold(entry, low, high, body)
        before.append(For(line, entry.name, value, (*body, Append(line, kept.name, entry))))
        return kept

    def hold(self, value: Name, low: Expr, high: Expr, before: list[Stmt]) -> None:
        """`min(max(value, low), high)`."""
        before.append(If(self.line, Compare("<", value, low), (Assign(self.line, value.name, low),), ()))
        before.append(If(self.line, Compare(">", value, high), (Assign(self.line, value.name, high),), ()))
