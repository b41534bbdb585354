"""From a function's text to a program; the text is parsed and never executed.

Whatever lies outside the small language is refused with its line, the reason and a way to write it; nothing is guessed.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from twoworlds.source.expressions import Expressions, is_sample
from twoworlds.source.genuine import check_function
from twoworlds.source.inference import infer
from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
    Break,
    Continue,
    Expr,
    For,
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
from twoworlds.source.signature import declared, parameters
from twoworlds.source.text import hashed, only_function
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import Unsupported

__all__ = ["parse", "parse_function", "parse_text"]


def parse(card: Card) -> Program:
    """The program of a card, after checking that its text is what runs and that the names in it mean what they mean here."""
    check_function(card.function, card.text)
    return parse_text(card.text, card.neighbours.parameter)


@lru_cache(maxsize=512)
def parse_text(text: str, private: str | None = None) -> Program:
    """The program of the only function in the text; `private` is its secret parameter unless its decorator says so."""
    return parse_function(only_function(text), hashed(text), private)


def parse_function(function: ast.FunctionDef, digest: str, private: str | None = None) -> Program:
    """The program of one function definition, with its kinds checked."""
    try:
        program = _Statements().program(function, digest, private)
        infer(program)
    except RecursionError:
        raise Unsupported(function.lineno, "the function is nested too deeply", "Write it in several lines") from None
    return program


class _Statements(Expressions):
    """Turns one function's statements into the program's."""

    def program(self, function: ast.FunctionDef, digest: str, private: str | None) -> Program:
        names = parameters(function)
        relation = declared(function)
        body = self.block(function.body[1:] if ast.get_docstring(function) is not None else function.body)
        if not any(isinstance(part, Return) for part in walk(body)):
            raise Unsupported(function.lineno, "the function returns nothing", "Return what is to be released")
        private = private if private is not None else relation.parameter
        return Program(function.name, names, body, digest, private, relation.fixed_length, relation.depth)

    def block(self, statements: list[ast.stmt]) -> tuple[Stmt, ...]:
        return tuple(step for statement in statements for step in self.statement(statement))

    def statement(self, node: ast.stmt) -> list[Stmt]:
        self.depth += 1
        line = node.lineno
        before: list[Stmt] = []
        if isinstance(node, ast.Assign):
            if len(node.targets) != 1:
                raise Unsupported(line, "one value is assigned to several names at once", "Write one assignment per line")
            steps = self.assign(node.targets[0], node.value, line)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            steps = self.assign(node.target, node.value, line)
        elif isinstance(node, ast.AugAssign):
            steps = self.in_place(node)
        elif isinstance(node, ast.Return):
            value = self.expression(node.value, before) if node.value is not None else Literal(None)
            steps = [*before, Return(line, value)]
        elif isinstance(node, ast.If):
            test = self.expression(node.test, before)
            steps = [*before, If(line, test, self.block(node.body), self.block(node.orelse))]
        elif isinstance(node, ast.For):
            steps = self.for_loop(node)
        elif isinstance(node, ast.While):
            steps = self.while_loop(node)
        elif isinstance(node, ast.Break | ast.Continue | ast.Pass):
            steps = [] if isinstance(node, ast.Pass) else [Break(line) if isinstance(node, ast.Break) else Continue(line)]
        elif isinstance(node, ast.Expr):
            steps = self.call_statement(node)
        else:
            raise Unsupported(line, f"`{type(node).__name__}` is outside the language", "Use assignments, if, for, while, return")
        self.depth -= 1
        return steps

    def assign(self, target: ast.expr, value: ast.expr, line: int) -> list[Stmt]:
        before: list[Stmt] = []
        if isinstance(target, ast.Tuple):
            return self.unpack(target, value, line)
        if isinstance(target, ast.Subscript):
            result = self.expression(value, before)
            return [*before, *self.store(target, result, line)]
        name = self.variable(target, line)
        if is_sample(value):
            assert isinstance(value, ast.Call)
            noise, count = self.noise(value, before)
            return [*before, self.draw(name, noise, count, line)]
        result = self.expression(value, before)
        return [*before, Assign(line, name, result)]

    def store(self, target: ast.Subscript, result: Expr, line: int) -> list[Stmt]:
        before: list[Stmt] = []
        if isinstance(target.slice, ast.Slice):
            raise Unsupported(line, "a slice is assigned to", "Assign entry by entry")
        name = self.variable(target.value, line)
        index = self.expression(target.slice, before)
        return [*before, Store(line, name, index, result)]

    def in_place(self, node: ast.AugAssign) -> list[Stmt]:
        """`x += 1` as `x = x + 1`; the two differ for lists, which the kinds refuse here."""
        line, target = node.lineno, node.target
        if isinstance(target, ast.Subscript):
            read: ast.expr = ast.Subscript(target.value, target.slice, ast.Load())
            self.undrawn(target.slice, "in the index of an assignment in place")
        else:
            read = ast.Name(self.variable(target, line), ast.Load())
        before: list[Stmt] = []
        result = self.expression(ast.copy_location(ast.BinOp(ast.copy_location(read, target), node.op, node.value), node), before)
        if not isinstance(result, Binary):
            raise Unsupported(line, "a list is changed in place", "Build the new list under a new name")
        if isinstance(target, ast.Subscript):
            return [*before, *self.store(target, result, line)]
        return [*before, Assign(line, self.variable(target, line), result, in_place=True)]

    def unpack(self, target: ast.Tuple, value: ast.expr, line: int) -> list[Stmt]:
        if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
            raise Unsupported(line, "a value is unpacked into several names", "Write `a, b = x, y` or one assignment per line")
        before: list[Stmt] = []
        held = [(self.name("held"), self.expression(entry, before)) for entry in value.elts]
        steps: list[Stmt] = [*before, *(Assign(line, name, entry) for name, entry in held)]
        for part, (name, _) in zip(target.elts, held, strict=True):
            steps.append(Assign(line, self.variable(part, line), Name(name)))
        return steps

    def for_loop(self, node: ast.For) -> list[Stmt]:
        if node.orelse:
            raise Unsupported(node.lineno, "the loop has an `else`", "Put that code after the loop, behind a flag")
        before: list[Stmt] = []
        target, sequence, reads = self.iteration(node.target, node.iter, before, rename=False, changed=_changed(node.body))
        return [*before, For(node.lineno, target, sequence, (*reads, *self.block(node.body)))]

    def while_loop(self, node: ast.While) -> list[Stmt]:
        if node.orelse:
            raise Unsupported(node.lineno, "the loop has an `else`", "Put that code after the loop, behind a flag")
        before: list[Stmt] = []
        test = self.expression(node.test, before)
        if not before:
            return [While(node.lineno, test, self.block(node.body))]
        leave = If(node.lineno, test, (), (Break(node.lineno),))  # a test that draws noise is drawn afresh each time round
        return [While(node.lineno, Literal(value=True), (*before, leave, *self.block(node.body)))]

    def call_statement(self, node: ast.Expr) -> list[Stmt]:
        call = node.value
        before: list[Stmt] = []
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "append"
            and len(call.args) == 1
            and not call.keywords
        ):
            value = self.expression(call.args[0], before)
            return [*before, Append(node.lineno, self.variable(call.func.value, node.lineno), value)]
        raise Unsupported(node.lineno, "this statement has no effect a reader knows", "Only `name.append(value)` may stand alone")


def _changed(body: list[ast.stmt]) -> frozenset[str]:
    """The names that a loop's body assigns, appends to or stores into."""
    changed = set()
    for node in (part for statement in body for part in ast.walk(statement)):
        if isinstance(node, ast.Attribute) or isinstance(getattr(node, "ctx", None), ast.Store):
            named = node.value if isinstance(node, ast.Attribute | ast.Subscript) else node  # the only attribute is `append`
            if isinstance(named, ast.Name):
                changed.add(named.id)
    return frozenset(changed)
