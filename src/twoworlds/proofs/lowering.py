"""A program in fewer words: the loops that list operations stand for, counting loops as while loops, branches that only assign
as conditional values. What is left are scalars, entries of lists, appends, draws, while, if, break, continue and return.

The lowered program draws the same noise in the same order and gives the same output; the tests check it on noise tapes. Reading
outside a list and combining lists of two lengths are errors at run time; the lengths of lists are public, so such an error
happens in both worlds or in neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from twoworlds.proofs.choices import chosen
from twoworlds.proofs.kinds import is_truth
from twoworlds.proofs.lists import TAKES_A_LIST, is_list, lists_of
from twoworlds.proofs.settling import settled
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
from twoworlds.worlds.errors import Unsupported

__all__ = ["lower"]

ZERO, ONE = Literal(Fraction(0)), Literal(Fraction(1))


def lower(program: Program) -> Program:
    """The same program without list operations."""
    return replace(program, body=settled(_Lowering(lists_of(program), program.parameters).block(program.body)))


def _bound(expr: Expr) -> Expr:
    """A bound of a range. It is whole, and so the same under `// 1`, which marks it: it must be public in every proof."""
    return Binary("//", expr, ONE)


def _scalar_call(function: str, arguments: tuple[Expr, ...]) -> Expr:
    """The listed functions of numbers as conditional values; of equals, `max` and `min` take the first."""
    if function == "abs":
        return Choice(Compare("<", arguments[0], ZERO), Unary("-", arguments[0]), arguments[0])
    if function == "clip":
        return _scalar_call("min", (_scalar_call("max", arguments[:2]), arguments[2]))
    if function == "Fraction":
        return arguments[0] if len(arguments) == 1 else Binary("/", *arguments)
    if function in ("max", "min") and len(arguments) > 1:
        first, second, *rest = arguments
        chosen = Choice(Compare(">" if function == "max" else "<", second, first), second, first)
        return _scalar_call(function, (chosen, *rest)) if rest else chosen
    return Call(function, arguments)


class _Lowering:
    """Carries the counter for fresh names, which contain @@ and so never meet those of the text or of the parser.

    `known` are the names that were given a value further up in the text.
    """

    def __init__(self, lists: frozenset[str], parameters: tuple[str, ...]) -> None:
        self.lists = lists
        self.known = set(parameters)
        self.fresh = 0
        self.line = 1
        self.may_fail = False  # whether what was lowered last is not defined for all lists

    def name(self, hint: str) -> str:
        self.fresh += 1
        return f"{hint}@@{self.fresh}"

    def is_list(self, expr: Expr) -> bool:
        return is_list(expr, self.lists)

    # statements

    def block(self, steps: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        lowered: list[Stmt] = []
        for step in steps:
            found = self.step(step)
            self.known.update(node.target for node in walk(tuple(found)) if isinstance(node, Assign | Draw))
            lowered += found
        return tuple(lowered)

    def step(self, step: Stmt) -> list[Stmt]:
        self.line = step.line
        before: list[Stmt] = []
        if isinstance(step, Assign):
            return self.assign(step)
        if isinstance(step, Store):
            index = self.scalar(step.index, before)
            return [*before, replace(step, index=index, value=self.scalar(step.value, before))]
        if isinstance(step, Append):
            value = self.scalar(step.value, before)
            return [*before, replace(step, value=value)]
        if isinstance(step, Draw):
            return self.draw(step)
        if isinstance(step, If):
            test = self.scalar(step.test, before)
            return [*before, *self.branch(replace(step, test=test))]
        if isinstance(step, For):
            return self.loop(step)
        if isinstance(step, While):
            return self.while_loop(step)
        if isinstance(step, Return):
            value = self.output(step.value, before)
            return [*before, replace(step, value=value)]
        return [step]

    def assign(self, step: Assign) -> list[Stmt]:
        before: list[Stmt] = []
        if not self.is_list(step.value):
            value = self.scalar(step.value, before)
            return [*before, replace(step, value=value)]
        if isinstance(step.value, Many) and not step.value.entries:
            return [step]
        held = self.listed(step.value, before)
        return [*before, replace(step, value=Name(held))]

    def branch(self, step: If) -> list[Stmt]:
        """A branch that only assigns becomes conditional values, so that the two worlds may differ in it."""
        known = set(self.known)
        then, otherwise = self.block(step.then), self.block(step.otherwise)
        yes, no = self.assigned(then), self.assigned(otherwise)
        if yes is None or no is None:
            return [replace(step, then=then, otherwise=otherwise)]
        test = Name(self.name("test"))
        start = Assign(step.line, test.name, step.test)
        if len(yes) == len(no) == 1 and yes[0].target == no[0].target:
            return [start, replace(yes[0], value=Choice(test, yes[0].value, no[0].value))]
        steps = [replace(node, value=Choice(test, node.value, self.before(node, known))) for node in yes]
        return [start, *steps, *(replace(node, value=Choice(test, self.before(node, known), node.value)) for node in no)]

    def before(self, step: Assign, known: set[str]) -> Expr:
        """What a variable holds where the branch is not taken; one that has no value yet is not read there and gets any."""
        if step.target in known:
            return Name(step.target)
        known.add(step.target)
        return Literal(value=False) if is_truth(step.value, frozenset()) else ZERO

    def assigned(self, block: tuple[Stmt, ...]) -> list[Assign] | None:
        """The block as assignments of single values, or None if it does anything else."""
        found = [step for step in block if isinstance(step, Assign) and not self.is_list(step.value)]
        return found if len(found) == len(block) else None

    def draw(self, step: Draw) -> list[Stmt]:
        before: list[Stmt] = []
        listed = [self.listed(part, before) for part in step.noise.arguments[:1] if self.is_list(part)]
        others = tuple(self.scalar(argument, before) for argument in step.noise.arguments[len(listed) :])
        noise = Noise(step.noise.law, (*map(Name, listed), *others))

        def draws(target: str) -> tuple[Stmt, ...]:
            if listed:
                return chosen(step, target, listed[0], noise, self.name)
            return (Draw(step.line, target, noise, None, step.site),)

        if step.count is None:
            return [*before, *draws(step.target)]
        count, one = self.scalar(step.count, before), self.name("draw")
        body = (*draws(one), Append(step.line, step.target, Name(one)))
        start = Assign(step.line, step.target, Many("list", ()))
        return [*before, start, *self.count_up(step.line, self.name("at"), ZERO, count, body)]

    def loop(self, step: For) -> list[Stmt]:
        before: list[Stmt] = []
        if isinstance(step.sequence, Call) and step.sequence.function == "range":
            return self.counted(step, step.sequence)
        held = self.listed(step.sequence, before)
        changed = {node.target for node in walk(step.body) if isinstance(node, Append | Store | Assign)}
        if held in changed:
            raise Unsupported(step.line, f"the loop over `{held}` changes it", "Loop over range(len(...)) instead")
        index = self.name("index")
        body = (Assign(step.line, step.target, Item(Name(held), Name(index))), *self.block(step.body))
        return [*before, *self.count_up(step.line, index, ZERO, Call("len", (Name(held),)), body)]

    def count_up(self, line: int, target: str, first: Expr, end: Expr, body: tuple[Stmt, ...]) -> list[Stmt]:
        """`for target in range(first, end)`: the bounds are read once, and `continue` still counts."""
        at, stop = Name(self.name("next")), Name(self.name("stop"))
        count = (Assign(line, target, at), Assign(line, at.name, Binary("+", at, ONE)))
        start = [Assign(line, at.name, _bound(first)), Assign(line, stop.name, _bound(end))]
        return [*start, While(line, Compare("<", at, stop), (*count, *body))]

    def counted(self, step: For, sequence: Call) -> list[Stmt]:
        """A range by steps of 1 or -1, as a count from 0 or up from its start."""
        before: list[Stmt] = []
        bounds = tuple(self.scalar(bound, before) for bound in sequence.arguments)
        if len(bounds) < 3 or bounds[2] == ONE:
            first, end = bounds[:2] if len(bounds) > 1 else (ZERO, bounds[0])
            return [*before, *self.count_up(step.line, step.target, first, end, self.block(step.body))]
        if bounds[2] != Unary("-", ONE):
            raise Unsupported(step.line, "the range steps by something else than 1 or -1", "Count by ones and multiply inside")
        index = self.name("index")
        downward = Assign(step.line, step.target, Binary("-", bounds[0], Name(index)))
        count = Binary("-", bounds[0], bounds[1])
        return [*before, *self.count_up(step.line, index, ZERO, count, (downward, *self.block(step.body)))]

    def while_loop(self, step: While) -> list[Stmt]:
        before: list[Stmt] = []
        test = self.scalar(step.test, before)
        if not before:
            return [replace(step, test=test, body=self.block(step.body))]
        leave = If(step.line, test, (), (Break(step.line),))
        return [While(step.line, Literal(value=True), (*before, leave, *self.block(step.body)))]

    def output(self, expr: Expr, before: list[Stmt]) -> Expr:
        if self.is_list(expr):
            return Name(self.listed(expr, before))
        if isinstance(expr, Many):
            return Many(expr.kind, tuple(self.output(entry, before) for entry in expr.entries))
        return self.scalar(expr, before)

    # expressions whose value is one number or truth value

    def scalar(self, expr: Expr, before: list[Stmt]) -> Expr:
        if self.is_list(expr) or isinstance(expr, Many):
            raise Unsupported(self.line, "a list stands where one value is expected", "Lists of lists are outside the prover")
        if isinstance(expr, Unary):
            return replace(expr, operand=self.scalar(expr.operand, before))
        if isinstance(expr, Binary | Compare):
            return replace(expr, left=self.scalar(expr.left, before), right=self.scalar(expr.right, before))
        if isinstance(expr, Logic):
            return replace(expr, parts=self.parts(expr, before))
        if isinstance(expr, Choice):
            test = self.scalar(expr.test, before)
            then = self.maybe(test, expr.then, before)
            return Choice(test, then, self.maybe(Unary("not", test), expr.otherwise, before))
        if isinstance(expr, Item):
            return Item(Name(self.listed(expr.sequence, before)), self.scalar(expr.index, before))
        if isinstance(expr, Call):
            return self.call(expr, before)
        return expr

    def parts(self, expr: Logic, before: list[Stmt]) -> tuple[Expr, ...]:
        """A later part is computed only if the earlier ones leave it open."""
        found: list[Expr] = []
        for part in expr.parts:
            asked = tuple(found) if expr.op == "and" else tuple(Unary("not", one) for one in found)
            found.append(self.maybe(Logic("and", asked), part, before) if asked else self.scalar(part, before))
        return tuple(found)

    def maybe(self, test: Expr, part: Expr, before: list[Stmt]) -> Expr:
        """A part that is computed only if the test holds: so are the loops it stands for, where these may fail."""
        outer, self.may_fail, own = self.may_fail, False, list[Stmt]()
        lowered = self.scalar(part, own)
        if self.may_fail:
            for node in walk(tuple(own)):
                if isinstance(node, Assign):
                    truth = is_truth(node.value, frozenset())
                    empty = node.value if isinstance(node.value, Many) else Literal(value=False) if truth else ZERO
                    before.append(Assign(self.line, node.target, empty))
            own = [If(self.line, test, tuple(own), ())]
        before.extend(own)
        self.may_fail |= outer
        return lowered

    def call(self, expr: Call, before: list[Stmt]) -> Expr:
        of_list = len(expr.arguments) == 1 and (self.is_list(expr.arguments[0]) or expr.function in TAKES_A_LIST)
        if not of_list:
            return _scalar_call(expr.function, tuple(self.scalar(argument, before) for argument in expr.arguments))
        held = self.listed(expr.arguments[0], before)
        if expr.function == "len":
            return Call("len", (Name(held),))
        if expr.function == "sum":
            total = self.name("sum")
            before.append(Assign(self.line, total, ZERO))
            before.extend(self.over(held, lambda entry: (Assign(self.line, total, Binary("+", Name(total), entry)),)))
            return Name(total)
        if expr.function in ("argmax", "max", "min"):
            return self.extreme(expr.function, held, before)
        raise Unsupported(
            self.line, f"`{expr.function}` of a list stands where one value is expected", "Give it a line of its own"
        )

    def extreme(self, function: str, held: str, before: list[Stmt]) -> Expr:
        """The first largest (or smallest) entry of a list, or its index."""
        self.may_fail = True  # of an empty list
        best, value, entry, index = (self.name(hint) for hint in ("best", "largest", "entry", "index"))
        sign: str = "<" if function == "min" else ">"
        better = Compare(sign, Name(entry), Name(value))  # type: ignore[arg-type]  # one of the two literals above
        take = (Assign(self.line, best, Name(index)), Assign(self.line, value, Name(entry)))
        self.known |= {best, value}
        body = (Assign(self.line, entry, Item(Name(held), Name(index))), *self.branch(If(self.line, better, take, ())))
        before.append(Assign(self.line, best, ZERO))
        before.append(Assign(self.line, value, Item(Name(held), ZERO)))
        before.extend(self.count_up(self.line, index, ONE, Call("len", (Name(held),)), body))
        return Name(best if function == "argmax" else value)

    # expressions whose value is a list

    def listed(self, expr: Expr, before: list[Stmt]) -> str:
        """The name of a variable that holds the list; new unless the expression is a name already."""
        if isinstance(expr, Name):
            return expr.name
        target = self.name("list")
        if isinstance(expr, Many):
            entries = [self.scalar(entry, before) for entry in expr.entries]
            before.append(Assign(self.line, target, Many("list", ())))
            before.extend(Append(self.line, target, entry) for entry in entries)
            return target
        if isinstance(expr, Call) and expr.function == "cumsum":
            return self.prefix_sums(expr, target, before)
        parts, build = self.entrywise(expr)
        if not self.is_list(expr) or build is None:
            raise Unsupported(self.line, "this list expression is outside the prover", "Write it as a loop with append")
        operands = [Name(self.listed(part, before)) if self.is_list(part) else self.scalar(part, before) for part in parts]
        self.may_fail |= sum(map(self.is_list, parts)) > 1  # of two lengths
        longest = next(operand for part, operand in zip(parts, operands, strict=True) if self.is_list(part))
        before.append(Assign(self.line, target, Many("list", ())))
        index = self.name("index")
        entries = [Item(op, Name(index)) if self.is_list(part) else op for part, op in zip(parts, operands, strict=True)]
        body = (Append(self.line, target, build(entries)),)
        before.extend(self.count_up(self.line, index, ZERO, Call("len", (longest,)), body))
        return target

    def entrywise(self, expr: Expr) -> tuple[tuple[Expr, ...], Callable[[list[Expr]], Expr] | None]:
        if isinstance(expr, Binary):
            return (expr.left, expr.right), lambda entry: Binary(expr.op, entry[0], entry[1])
        if isinstance(expr, Unary):
            return (expr.operand,), lambda entry: Unary(expr.op, entry[0])
        if isinstance(expr, Call) and expr.function == "clip":
            return expr.arguments, lambda entry: _scalar_call("clip", tuple(entry))
        return (), None

    def prefix_sums(self, expr: Call, target: str, before: list[Stmt]) -> str:
        held, total = self.listed(expr.arguments[0], before), self.name("sum")
        before.append(Assign(self.line, target, Many("list", ())))
        before.append(Assign(self.line, total, ZERO))
        before.extend(
            self.over(
                held,
                lambda entry: (
                    Assign(self.line, total, Binary("+", Name(total), entry)),
                    Append(self.line, target, Name(total)),
                ),
            )
        )
        return target

    def over(self, held: str, body: Callable[[Expr], tuple[Stmt, ...]]) -> list[Stmt]:
        index = self.name("index")
        return self.count_up(self.line, index, ZERO, Call("len", (Name(held),)), body(Item(Name(held), Name(index))))
