"""Python's statements as the program's, each after the draws and lists that its expressions need."""

from __future__ import annotations

import ast

from twoworlds.source.expressions import Expressions, is_sample
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
    Return,
    Stmt,
    Store,
    While,
)
from twoworlds.worlds.errors import Unsupported

__all__ = ["Statements", "changed_names"]


class Statements(Expressions):
    """Reads the statements of one function."""

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
            self.variable(target, line)
            assert isinstance(target, ast.Name)
            read = ast.Name(target.id, ast.Load())
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
        target, sequence, reads = self.iteration(node.target, node.iter, before, rename=False, changed=changed_names(node.body))
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


def changed_names(body: list[ast.stmt]) -> frozenset[str]:
    """The names that a loop's body assigns, appends to or stores into."""
    changed = set()
    for node in (part for statement in body for part in ast.walk(statement)):
        if isinstance(node, ast.Attribute) or isinstance(getattr(node, "ctx", None), ast.Store):
            named = node.value if isinstance(node, ast.Attribute | ast.Subscript) else node  # the only attribute is `append`
            if isinstance(named, ast.Name):
                changed.add(named.id)
    return frozenset(changed)
