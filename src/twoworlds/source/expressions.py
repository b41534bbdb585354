"""Python's expressions as the program's; what has to happen first is written into a list of statements.

Python evaluates from left to right, and the parts of an expression that stay in place are pure, so draws and lists built by
loops may be lifted out before the statement, in the order of the text, as long as each would surely have been reached. Where
Python may skip a part (after `and`, inside `if else`) nothing can be lifted, and it is refused.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
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
    Stmt,
    Unary,
    walk,
)
from twoworlds.worlds import arrays, distributions
from twoworlds.worlds.errors import Unsupported

__all__ = ["BUILTINS", "FUNCTIONS", "LAWS", "Expressions", "is_sample"]

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
_RESERVED = frozenset({*FUNCTIONS, *LAWS})
_PAIRING = ("enumerate", "zip")
_CONSUMING = ("sum", "max", "min")  # functions that read a generator to its end, in order
_DEEPEST = 80  # levels; every reader walks programs by recursion


class Expressions(ABC):
    """Reads expressions of one function; holds the counters for draw sites and fresh names."""

    def __init__(self) -> None:
        self.sites = 0
        self.fresh = 0
        self.depth = 0
        self.renamed: dict[str, str] = {}
        self.inside: tuple[str, ...] = ()  # the helper functions that are being written in place
        self.helpers: Mapping[str, ast.FunctionDef] = {}

    def name(self, hint: str) -> str:
        """A name for a value on its way from one statement to the next; no Python text can contain it."""
        self.fresh += 1
        return f"{hint}@{self.fresh}"

    def own(self, name: str) -> str:
        """A variable of a list built in place or of a helper function, under a name that is its own."""
        self.fresh += 1
        return f"{name}${self.fresh}"

    def variable(self, node: ast.expr, line: int) -> str:
        """The plain name that is assigned to."""
        if not isinstance(node, ast.Name):
            raise Unsupported(line, "the target of this assignment is not a plain name", "Assign to a name or to name[index]")
        if node.id == "sample":
            raise Unsupported(line, "`sample` is assigned to", "Keep `sample` for drawing noise only")
        if node.id in _RESERVED or node.id in self.helpers:
            raise Unsupported(line, f"`{node.id}` is given another meaning", "Choose another name for the variable")
        return self.renamed.get(node.id, node.id)

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
        """The expression, after the statements that are added to `before`."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unsupported(node.lineno, f"the text is nested more than {_DEEPEST} levels deep", "Write it in several lines")
        read = getattr(self, f"read_{type(node).__name__.lower()}", None)
        if read is None:
            raise Unsupported(
                node.lineno, f"`{type(node).__name__}` is outside the language of cards", "Use arithmetic, comparisons, lists"
            )
        result: Expr = read(node, before)
        self.depth -= 1
        return result

    def undrawn(self, node: ast.expr, where: str) -> Expr:
        """An expression that may not be reached, so nothing can be lifted out of it: whether noise is drawn must be plain."""
        before: list[Stmt] = []
        result = self.expression(node, before)
        if before:
            what = "noise is drawn" if any(isinstance(part, Draw) for part in walk(tuple(before))) else "a list is built"
            raise Unsupported(node.lineno, f"{what} {where}, where it may be skipped", "Do it in a line before, or use `if`")
        return result

    def read_constant(self, node: ast.Constant, _: list[Stmt]) -> Expr:
        value = node.value
        if value is None or isinstance(value, bool | str):
            return Literal(value)
        if isinstance(value, int):
            return Literal(Fraction(value))
        raise Unsupported(
            node.lineno, f"{value!r} is not an exact number", "Write Fraction(1, 2) for a half, or make it a parameter"
        )

    def read_name(self, node: ast.Name, _: list[Stmt]) -> Expr:
        if node.id == "sample":
            raise Unsupported(node.lineno, "`sample` is used as a value", "Only call it: sample(Laplace(b))")
        if node.id in _RESERVED:
            raise Unsupported(node.lineno, f"`{node.id}` is used as a value", f"Only call it: {node.id}(...)")
        if self.inside and node.id not in self.renamed:
            raise Unsupported(node.lineno, f"`{node.id}` comes from outside the function", "Hand it in as an argument")
        return Name(self.renamed.get(node.id, node.id))

    def read_unaryop(self, node: ast.UnaryOp, before: list[Stmt]) -> Expr:
        if isinstance(node.op, ast.UAdd | ast.Invert):
            sign = "+" if isinstance(node.op, ast.UAdd) else "~"
            raise Unsupported(node.lineno, f"`{sign}` stands before a value", "Use `not` or `-`, or leave it out")
        operand = self.expression(node.operand, before)
        return Unary("not" if isinstance(node.op, ast.Not) else "-", operand)

    def read_binop(self, node: ast.BinOp, before: list[Stmt]) -> Expr:
        if type(node.op) not in _BINARY:
            raise Unsupported(node.lineno, f"`{type(node.op).__name__}` is outside the language of cards", "Use + - * / // % **")
        left, right = self.expression(node.left, before), self.expression(node.right, before)
        if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List) != isinstance(node.right, ast.List):
            return Call("repeat", (left, right) if isinstance(node.left, ast.List) else (right, left))
        return Binary(_BINARY[type(node.op)], left, right)

    def read_boolop(self, node: ast.BoolOp, before: list[Stmt]) -> Expr:
        first = self.expression(node.values[0], before)
        rest = tuple(self.undrawn(value, "after `and` or `or`") for value in node.values[1:])
        return Logic("and" if isinstance(node.op, ast.And) else "or", (first, *rest))

    def read_ifexp(self, node: ast.IfExp, before: list[Stmt]) -> Expr:
        test = self.expression(node.test, before)
        return Choice(test, self.undrawn(node.body, "inside `if else`"), self.undrawn(node.orelse, "inside `if else`"))

    def read_subscript(self, node: ast.Subscript, before: list[Stmt]) -> Expr:
        if isinstance(node.slice, ast.Slice):
            raise Unsupported(node.lineno, "a slice is taken", "Loop over the indices instead")
        sequence = self.expression(node.value, before)
        return Item(sequence, self.expression(node.slice, before))

    def read_list(self, node: ast.List, before: list[Stmt]) -> Expr:
        return Many("list", tuple(self.expression(entry, before) for entry in node.elts))

    def read_tuple(self, node: ast.Tuple, before: list[Stmt]) -> Expr:
        return Many("tuple", tuple(self.expression(entry, before) for entry in node.elts))

    def read_compare(self, node: ast.Compare, before: list[Stmt]) -> Expr:
        sides = [self.expression(node.left, before), self.expression(node.comparators[0], before)]
        sides += [self.undrawn(side, "in a chained comparison") for side in node.comparators[1:]]
        tests: list[Expr] = []
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if type(op) not in _COMPARE:
                raise Unsupported(node.lineno, f"`{type(op).__name__}` is outside the language", "Compare with < <= > >= == !=")
            if isinstance(op, ast.Is | ast.IsNot) and right != Literal(None):
                raise Unsupported(node.lineno, "`is` compares identities", "Use == or !=; `is` only with None")
            tests.append(Compare(_COMPARE[type(op)], left, right))
        return tests[0] if len(tests) == 1 else Logic("and", tuple(tests))

    def read_call(self, node: ast.Call, before: list[Stmt]) -> Expr:
        line = node.lineno
        if is_sample(node):
            noise, count = self.noise(node, before)
            target = self.name("noise")
            before.append(self.draw(target, noise, count, line))
            return Name(target)
        if isinstance(node.func, ast.Name) and node.func.id in self.helpers:
            return self.in_place_of_call(node.func.id, node, before)
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise Unsupported(line, "a method or keyword call is outside the language", "Call a listed function by position")
        name = node.func.id
        if name in _PAIRING:
            raise Unsupported(line, f"`{name}` stands outside a loop", f"Write `for ... in {name}(...)`")
        if name not in FUNCTIONS:
            raise Unsupported(line, f"`{name}` is not a function the readers know", f"Use one of {', '.join(sorted(FUNCTIONS))}")
        if name in _CONSUMING and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            return Call(name, (self.built(node.args[0], before),))
        return Call(name, tuple(self.expression(argument, before) for argument in node.args))

    @abstractmethod
    def in_place_of_call(self, name: str, node: ast.Call, before: list[Stmt]) -> Expr:
        """The body of a helper function, written where it is called."""

    # lists built by a loop

    def read_listcomp(self, node: ast.ListComp, before: list[Stmt]) -> Expr:
        return self.built(node, before)

    def built(self, node: ast.ListComp | ast.GeneratorExp, before: list[Stmt]) -> Expr:
        """`[value for x in xs if test]`, as the loop that it abbreviates; its variables are its own."""
        line = node.lineno
        if len(node.generators) != 1 or node.generators[0].is_async:
            raise Unsupported(line, "a list is built by two loops at once", "Write the loops out")
        generator, outer = node.generators[0], self.renamed
        kept = self.name("list")
        target, sequence, reads = self.iteration(generator.target, generator.iter, before, rename=True, changed=frozenset())
        body = (*reads, *self.kept(kept, generator.ifs, node.elt))
        self.renamed = outer
        before.append(Assign(line, kept, Many("list", ())))
        before.append(For(line, target, sequence, body))
        return Name(kept)

    def kept(self, target: str, tests: list[ast.expr], value: ast.expr) -> list[Stmt]:
        """Append the value if the tests hold; a later test, and what it draws, comes only after the earlier ones hold."""
        steps: list[Stmt] = []
        if not tests:
            entry = self.expression(value, steps)
            return [*steps, Append(value.lineno, target, entry)]
        test = self.expression(tests[0], steps)
        return [*steps, If(tests[0].lineno, test, tuple(self.kept(target, tests[1:], value)), ())]

    def iteration(
        self, target: ast.expr, over: ast.expr, before: list[Stmt], *, rename: bool, changed: frozenset[str]
    ) -> tuple[str, Expr, list[Stmt]]:
        """What a loop assigns, the sequence it runs over, and the statements that open its body.

        `for i, x in enumerate(xs)` and `for x, y in zip(xs, ys)` become loops over the index. A sequence that the body changes,
        or that takes work to compute, is held under a name of its own, for Python evaluates it once.
        """
        line = over.lineno
        pairing = over.func.id if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) else None
        if pairing not in _PAIRING:
            sequence = self.expression(over, before)
            return self.targets([target], line, rename=rename)[0], sequence, []
        assert isinstance(over, ast.Call)
        counted = pairing == "enumerate"
        if over.keywords or not over.args or (counted and len(over.args) != 1):
            raise Unsupported(line, f"`{pairing}` is called in another way", "Write `enumerate(xs)` or `zip(xs, ys)`")
        if not isinstance(target, ast.Tuple) or len(target.elts) != len(over.args) + counted:
            raise Unsupported(line, "the loop unpacks another number of values", "Give one name per sequence")
        sequences = [self.expression(argument, before) for argument in over.args]
        changed |= {part.id for part in target.elts if isinstance(part, ast.Name) and not rename}
        for i, sequence in enumerate(sequences):
            if not isinstance(sequence, Name) or sequence.name in changed:
                sequences[i] = Name(self.name("held"))
                before.append(Assign(line, sequences[i].name, sequence))  # type: ignore[attr-defined]  # it is a Name now
        targets = self.targets(target.elts, line, rename=rename)
        index = targets[0] if counted else self.name("index")
        lengths = tuple(Call("len", (sequence,)) for sequence in sequences)
        count = lengths[0] if len(lengths) == 1 else Call("min", lengths)
        reads: list[Stmt] = [
            Assign(line, name, Item(sequence, Name(index))) for name, sequence in zip(targets[counted:], sequences, strict=True)
        ]
        return index, Call("range", (count,)), reads

    def targets(self, parts: list[ast.expr], line: int, *, rename: bool) -> list[str]:
        """The loop's variables; those of a list built in place get names of their own."""
        names = [self.variable(part, line) for part in parts]
        if rename:
            written = [part.id for part in parts if isinstance(part, ast.Name)]
            fresh = {name: self.own(name) for name in written}
            self.renamed = {**self.renamed, **fresh}
            return [fresh[name] for name in written]
        return names


def is_sample(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sample"
