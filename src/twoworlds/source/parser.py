"""From a function's text to a program; the text is parsed and never executed.

Whatever lies outside the small language is refused with its line, the reason and a way to write it; nothing is guessed.
"""

from __future__ import annotations

import ast
import builtins
import textwrap
from fractions import Fraction
from functools import lru_cache
from typing import Any

from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
    Break,
    Call,
    Choice,
    Compare,
    Continue,
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
)
from twoworlds.worlds import arrays, distributions
from twoworlds.worlds.cards import Card, digest
from twoworlds.worlds.errors import Unsupported

__all__ = ["parse", "parse_function", "parse_text"]

_BINARY: dict[type[ast.operator], Any] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
}
_COMPARE: dict[type[ast.cmpop], Any] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "==",
    ast.IsNot: "!=",
}
BUILTINS = ("abs", "enumerate", "len", "max", "min", "range", "sum", "zip")
FUNCTIONS = (*BUILTINS, *arrays.__all__, "Fraction")
LAWS = tuple(name for name in distributions.__all__ if name != "Distribution")


def parse(card: Card) -> Program:
    """The program of a card, after checking that the names it uses mean in its module what they mean here."""
    program = parse_text(card.text)
    _check_names(card)
    return program


@lru_cache(maxsize=512)
def parse_text(text: str) -> Program:
    """The program of the only function in the text."""
    tree = ast.parse(textwrap.dedent(text))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if len(functions) != 1:
        raise Unsupported(1, f"the text holds {len(functions)} functions", "Give the text of a single function")
    return parse_function(functions[0], digest(text))


def parse_function(function: ast.FunctionDef, hashed: str) -> Program:
    """The program of one function definition."""
    arguments = function.args
    if arguments.vararg or arguments.kwarg:
        raise Unsupported(function.lineno, "the function takes *args or **kwargs", "Name every parameter")
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    if "sample" not in names:
        raise Unsupported(function.lineno, "the function takes no `sample`", "Add `*, sample` and draw all noise from it")
    return _Reader(names).program(function, hashed)


def _check_names(card: Card) -> None:
    """One source has one meaning only if `Laplace`, `len` and the like are the real ones in the card's module."""
    scope = card.function.__globals__
    for node in ast.walk(ast.parse(card.text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        name = node.func.id
        if name in BUILTINS:
            genuine, found = getattr(builtins, name), scope.get(name, getattr(builtins, name))
        elif name in LAWS or name in arrays.__all__:
            genuine, found = getattr(distributions if name in LAWS else arrays, name), scope.get(name)
        else:
            continue
        if found is not genuine:
            raise Unsupported(
                node.lineno, f"`{name}` is not the one of twoworlds in this module", f"Do not give another thing the name {name}"
            )


class _Reader:
    """Turns one function's statements into the program's; holds the counters for draw sites and fresh names."""

    def __init__(self, parameters: list[str]) -> None:
        self.parameters = parameters
        self.sites = 0
        self.fresh = 0
        self.renamed: dict[str, str] = {}

    def program(self, function: ast.FunctionDef, hashed: str) -> Program:
        body = function.body[1:] if ast.get_docstring(function) is not None else function.body
        parameters = tuple(name for name in self.parameters if name != "sample")
        return Program(function.name, parameters, self.block(body), hashed)

    def block(self, statements: list[ast.stmt]) -> tuple[Stmt, ...]:
        return tuple(step for statement in statements for step in self.statement(statement))

    def name(self, hint: str) -> str:
        """A name that Python text cannot contain, so it never clashes."""
        self.fresh += 1
        return f"{hint}@{self.fresh}"

    # statements

    def statement(self, node: ast.stmt) -> list[Stmt]:
        line = node.lineno
        before: list[Stmt] = []
        if isinstance(node, ast.Assign):
            if len(node.targets) != 1:
                raise Unsupported(line, "one value is assigned to several names at once", "Write one assignment per line")
            return self.assign(node.targets[0], node.value, line)
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return self.assign(node.target, node.value, line)
        if isinstance(node, ast.AugAssign):
            current = ast.copy_location(_load(node.target), node.target)
            return self.assign(node.target, ast.copy_location(ast.BinOp(current, node.op, node.value), node), line)
        if isinstance(node, ast.Return):
            value = self.expression(node.value, before) if node.value is not None else Literal(None)
            return [*before, Return(line, value)]
        if isinstance(node, ast.If):
            test = self.expression(node.test, before)
            return [*before, If(line, test, self.block(node.body), self.block(node.orelse))]
        if isinstance(node, ast.For):
            return self.loop(node)
        if isinstance(node, ast.While):
            return self.while_loop(node)
        if isinstance(node, ast.Break | ast.Continue | ast.Pass):
            return [] if isinstance(node, ast.Pass) else [Break(line) if isinstance(node, ast.Break) else Continue(line)]
        if isinstance(node, ast.Expr):
            return self.call_statement(node)
        raise Unsupported(line, f"`{type(node).__name__}` is outside the language", "Use assignments, if, for, while, return")

    def assign(self, target: ast.expr, value: ast.expr, line: int) -> list[Stmt]:
        before: list[Stmt] = []
        if isinstance(target, ast.Tuple):
            return self.unpack(target, value, line)
        if isinstance(target, ast.Subscript):
            result = self.expression(value, before)
            index = self.expression(target.slice, before)
            return [*before, Store(line, self.variable(target.value, line), index, result)]
        name = self.variable(target, line)
        if _is_sample(value):
            assert isinstance(value, ast.Call)
            noise, count = self.noise(value, before)
            return [*before, self.draw(name, noise, count, line)]
        result = self.expression(value, before)
        return [*before, Assign(line, name, result)]

    def unpack(self, target: ast.Tuple, value: ast.expr, line: int) -> list[Stmt]:
        if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
            raise Unsupported(line, "a value is unpacked into several names", "Write `a, b = x, y` or one assignment per line")
        before: list[Stmt] = []
        held = [(self.name("held"), self.expression(entry, before)) for entry in value.elts]
        steps: list[Stmt] = [*before, *(Assign(line, name, entry) for name, entry in held)]
        for part, (name, _) in zip(target.elts, held, strict=True):
            steps.append(Assign(line, self.variable(part, line), Name(name)))
        return steps

    def variable(self, node: ast.expr, line: int) -> str:
        if not isinstance(node, ast.Name):
            raise Unsupported(line, "the target of this assignment is not a plain name", "Assign to a name or to name[index]")
        if node.id == "sample":
            raise Unsupported(line, "`sample` is assigned to", "Keep `sample` for drawing noise only")
        return self.renamed.get(node.id, node.id)

    def loop(self, node: ast.For) -> list[Stmt]:
        if node.orelse:
            raise Unsupported(node.lineno, "the loop has an `else`", "Put that code after the loop, behind a flag")
        before: list[Stmt] = []
        call = node.iter
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("enumerate", "zip"):
            return self.paired_loop(node, call)
        sequence = self.expression(call, before)
        return [*before, For(node.lineno, self.variable(node.target, node.lineno), sequence, self.block(node.body))]

    def paired_loop(self, node: ast.For, call: ast.Call) -> list[Stmt]:
        """`for i, x in enumerate(xs)` and `for x, y in zip(xs, ys)`, as a loop over the index."""
        line = node.lineno
        before: list[Stmt] = []
        if not isinstance(node.target, ast.Tuple) or call.keywords:
            raise Unsupported(line, "the loop's targets do not match", "Write `for i, x in enumerate(xs)`")
        assert isinstance(call.func, ast.Name)
        sequences = [self.expression(argument, before) for argument in call.args]
        counted = call.func.id == "enumerate"
        if len(node.target.elts) != len(sequences) + counted or (counted and len(sequences) != 1):
            raise Unsupported(line, "the loop unpacks another number of values", "Give one target per sequence")
        targets = [self.variable(part, line) for part in node.target.elts]
        index = targets[0] if counted else self.name("index")
        lengths = tuple(Call("len", (sequence,)) for sequence in sequences)
        count = lengths[0] if len(lengths) == 1 else Call("min", lengths)
        reads = [
            Assign(line, target, Item(sequence, Name(index)))
            for target, sequence in zip(targets[counted:], sequences, strict=True)
        ]
        return [*before, For(line, index, Call("range", (count,)), (*reads, *self.block(node.body)))]

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
        if isinstance(call, ast.Constant) and isinstance(call.value, str):
            return []
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

    # draws

    def draw(self, target: str, noise: Noise, count: Expr | None, line: int) -> Draw:
        site, self.sites = self.sites, self.sites + 1
        return Draw(line, target, noise, count, site)

    def noise(self, call: ast.Call, before: list[Stmt]) -> tuple[Noise, Expr | None]:
        line = call.lineno
        if not 1 <= len(call.args) <= 2 or call.keywords:
            raise Unsupported(line, "`sample` takes a distribution and at most a count", "Write sample(Laplace(b), n)")
        law = call.args[0]
        if not isinstance(law, ast.Call) or not isinstance(law.func, ast.Name) or law.func.id not in LAWS or law.keywords:
            raise Unsupported(
                line, "the distribution is not written in place", f"Write one of {', '.join(LAWS)} inside sample(...)"
            )
        arguments = tuple(self.expression(argument, before) for argument in law.args)
        count = self.expression(call.args[1], before) if len(call.args) == 2 else None
        return Noise(law.func.id, arguments), count

    # expressions

    def expression(self, node: ast.expr, before: list[Stmt]) -> Expr:
        line = node.lineno
        if isinstance(node, ast.Constant):
            return self.constant(node)
        if isinstance(node, ast.Name):
            if node.id == "sample":
                raise Unsupported(line, "`sample` is used as a value", "Only call it: sample(Laplace(b))")
            return Name(self.renamed.get(node.id, node.id))
        if isinstance(node, ast.UnaryOp):
            return self.unary(node, before)
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            left = self.expression(node.left, before)
            return Binary(_BINARY[type(node.op)], left, self.expression(node.right, before))
        if isinstance(node, ast.Compare):
            return self.comparison(node, before)
        if isinstance(node, ast.BoolOp):
            first = self.expression(node.values[0], before)
            rest = tuple(self.undrawn(value, "after `and` or `or`") for value in node.values[1:])
            return Logic("and" if isinstance(node.op, ast.And) else "or", (first, *rest))
        if isinstance(node, ast.IfExp):
            test = self.expression(node.test, before)
            return Choice(test, self.undrawn(node.body, "inside `if else`"), self.undrawn(node.orelse, "inside `if else`"))
        if isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Slice):
                raise Unsupported(line, "a slice is taken", "Loop over the indices instead")
            sequence = self.expression(node.value, before)
            return Item(sequence, self.expression(node.slice, before))
        if isinstance(node, ast.List | ast.Tuple):
            kind = "list" if isinstance(node, ast.List) else "tuple"
            return Many(kind, tuple(self.expression(entry, before) for entry in node.elts))  # type: ignore[arg-type]  # a literal
        if isinstance(node, ast.ListComp):
            return self.comprehension(node, before)
        if isinstance(node, ast.Call):
            return self.call(node, before)
        raise Unsupported(line, f"`{type(node).__name__}` is outside the language of cards", "Use arithmetic, comparisons, lists")

    def constant(self, node: ast.Constant) -> Literal:
        value = node.value
        if value is None or isinstance(value, bool | str):
            return Literal(value)
        if isinstance(value, int):
            return Literal(Fraction(value))
        raise Unsupported(
            node.lineno, f"{value!r} is a float, which is not exact", "Write Fraction(1, 2) for a half, or make it a parameter"
        )

    def unary(self, node: ast.UnaryOp, before: list[Stmt]) -> Expr:
        operand = self.expression(node.operand, before)
        if isinstance(node.op, ast.UAdd):
            return operand
        if isinstance(node.op, ast.Invert):
            raise Unsupported(node.lineno, "`~` is outside the language of cards", "Use `not` or `-`")
        return Unary("not" if isinstance(node.op, ast.Not) else "-", operand)

    def comparison(self, node: ast.Compare, before: list[Stmt]) -> Expr:
        sides = [self.expression(node.left, before)]
        sides += [self.expression(side, before) for side in node.comparators[:1]]
        sides += [self.undrawn(side, "in a chained comparison") for side in node.comparators[1:]]
        tests: list[Expr] = []
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if type(op) not in _COMPARE:
                raise Unsupported(node.lineno, f"`{type(op).__name__}` is outside the language", "Compare with < <= > >= == !=")
            if isinstance(op, ast.Is | ast.IsNot) and not (isinstance(right, Literal) and not isinstance(right.value, Fraction)):
                raise Unsupported(node.lineno, "`is` compares identities", "Use == or !=")
            tests.append(Compare(_COMPARE[type(op)], left, right))
        return tests[0] if len(tests) == 1 else Logic("and", tuple(tests))

    def undrawn(self, node: ast.expr, where: str) -> Expr:
        """An expression that may not be reached, so it must not draw: whether noise is drawn would depend on secrets."""
        before: list[Stmt] = []
        result = self.expression(node, before)
        if before:
            raise Unsupported(node.lineno, f"noise is drawn {where}, where it may be skipped", "Draw it in a line before")
        return result

    def comprehension(self, node: ast.ListComp, before: list[Stmt]) -> Expr:
        """`[value for x in xs]`, as the loop that it abbreviates."""
        if len(node.generators) != 1 or node.generators[0].is_async:
            raise Unsupported(node.lineno, "a list is built by two loops at once", "Write the loops out")
        generator, line = node.generators[0], node.lineno
        sequence = self.expression(generator.iter, before)
        if not isinstance(generator.target, ast.Name):
            raise Unsupported(line, "a list is built over several targets", "Write the loop out")
        kept, outer = self.name("list"), dict(self.renamed)
        variable = self.name(generator.target.id)
        self.renamed[generator.target.id] = variable
        body: list[Stmt] = []
        tests = [self.expression(test, body) for test in generator.ifs]
        inner: list[Stmt] = []
        value = self.expression(node.elt, inner)
        inner.append(Append(line, kept, value))
        if tests:
            body.append(If(line, tests[0] if len(tests) == 1 else Logic("and", tuple(tests)), tuple(inner), ()))
        else:
            body.extend(inner)
        self.renamed = outer
        before.append(Assign(line, kept, Many("list", ())))
        before.append(For(line, variable, sequence, tuple(body)))
        return Name(kept)

    def call(self, node: ast.Call, before: list[Stmt]) -> Expr:
        line = node.lineno
        if _is_sample(node):
            noise, count = self.noise(node, before)
            target = self.name("noise")
            before.append(self.draw(target, noise, count, line))
            return Name(target)
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise Unsupported(line, "a method or keyword call is outside the language", "Call a listed function by position")
        name = node.func.id
        if name not in FUNCTIONS or name in ("enumerate", "zip"):
            raise Unsupported(line, f"`{name}` is not a function the readers know", f"Use one of {', '.join(sorted(FUNCTIONS))}")
        return Call(name, tuple(self.expression(argument, before) for argument in node.args))


def _is_sample(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sample"


def _load(target: ast.expr) -> ast.expr:
    """The target of `x += 1` read as a value."""
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    raise Unsupported(target.lineno, "the target of this assignment is not a plain name", "Assign to a name or to name[index]")
