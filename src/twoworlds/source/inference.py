"""Infers the kinds of a program by running it over kinds, branches and loops to a fixed point.

On the way everything is refused that Python and the program would not compute alike: numbers mixed with lists, quotients of ints,
truth values that are numbers, a variable without a value on some path, a list that is changed while another name can see it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from operator import itemgetter
from typing import Any

from twoworlds.source import rules
from twoworlds.source.kinds import (
    ARRAY,
    GRID,
    INT,
    LIST,
    NATURAL,
    NONE,
    PARAMETER,
    RANGE,
    TEXT,
    TRUTH,
    Clash,
    Finding,
    Kind,
    Kinds,
    Mark,
    join,
    several,
    single,
)
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
    Program,
    Return,
    Stmt,
    Store,
    Unary,
    While,
)
from twoworlds.source.sharing import assigned, lists_in, touched
from twoworlds.worlds.errors import Unsupported

__all__ = ["infer"]

Known = dict[str, Kind]
"""The variables that surely have a value at a point, with their kinds."""

_MOST_STEPS = 10_000  # every loop takes two rounds at least, so loops in loops double the work


def infer(program: Program) -> Kinds:
    """The kinds of a program; raises `Unsupported` with line, reason and fix where it has none."""
    shapes = {} if program.private is None else {program.private: (program.depth, False)}
    while True:
        try:
            return _Walk(program, shapes).kinds()
        except rules.Demand as demand:
            (name, depth), what = demand.origin, demand.what
            shapes[name] = (depth, True) if what == TRUTH else (depth + 1, False)
        except Clash as clash:
            raise Unsupported(1, clash.reason, clash.fix) from None


def _parameter(program: Program, name: str, shapes: dict[str, tuple[int, bool]]) -> Kind:
    """A parameter: a number unless its use says otherwise; private ones on the grid, public ones exact."""
    depth, is_truth = shapes.get(name, (0, False))
    secret = name == program.private
    mark = Mark.SECRET if secret else Mark.PUBLIC
    scalars = (TRUTH,) if is_truth else (INT, GRID) if secret else (PARAMETER,)
    length = mark if secret and not program.fixed_length else Mark.PUBLIC
    arrays = secret and not is_truth and any(draw.count is not None for draw in program.draws)
    kind = Kind(frozenset(scalars), mark=mark, origin=(name, depth))
    for level in range(depth):
        form = ARRAY if arrays and level == 0 and depth == 1 else LIST
        kind = several(form, kind, length if level == depth - 1 else mark)
    return kind


@dataclass
class _Loop:
    """Where a loop's early exits lead: what is known there, and what it depends on.

    `rounds` marks how many rounds there are, `skipped` whether the rest of a round is run.
    """

    broken: list[Known] = field(default_factory=list)
    continued: list[Known] = field(default_factory=list)
    rounds: Mark = Mark.PUBLIC
    skipped: Mark = Mark.PUBLIC


class _Walk:
    """One walk over the program; `known` is None where control cannot come."""

    def __init__(self, program: Program, shapes: dict[str, tuple[int, bool]]) -> None:
        self.program = program
        self.parameters = {name: _parameter(program, name, shapes) for name in program.parameters}
        self.known: Known | None = dict(self.parameters)
        self.line, self.steps = 1, 0
        self.control = Mark.PUBLIC  # on what the branches around this point depend
        self.leaving = Mark.PUBLIC  # on what it depends which `return` is reached
        self.loops: list[_Loop] = []
        self.variables: Known = dict(self.known)
        self.expressions: dict[int, Kind] = {}
        self.findings: dict[tuple[int, str], Mark] = {}
        self.returned: Kind = Kind()

    def kinds(self) -> Kinds:
        self.block(self.program.body)
        if self.known is not None:
            self.returned = join((self.returned, single(NONE)))
        findings = tuple(Finding(line, what, mark) for (line, what), mark in sorted(self.findings.items(), key=itemgetter(0)))
        return Kinds(
            self.program, self.parameters, self.variables, self.expressions, self.returned.marked(self.leaving), findings
        )

    # statements

    def block(self, body: tuple[Stmt, ...]) -> None:
        for step in body:
            self.line = step.line
            self.steps += 1
            if self.steps > _MOST_STEPS:
                raise Unsupported(step.line, "the loops within loops are too many to follow", "Write fewer loops in each other")
            if self.known is None:
                raise Unsupported(step.line, "this line is never reached", "Remove it")
            try:
                _STEPS[type(step)](self, step)
            except Clash as clash:
                raise Unsupported(step.line, clash.reason, clash.fix) from None

    def set(self, name: str, kind: Kind) -> None:
        assert self.known is not None
        kind = kind.marked(self.here)
        self.known[name] = kind
        self.variables[name] = join((self.variables.get(name, Kind()), kind))

    @property
    def here(self) -> Mark:
        """What it depends on that this statement runs in this round of the loops around it.

        How many rounds a loop has marks its variables after the loop only: in a round that both worlds reach, they agree on it.
        """
        return reduce(Mark.__or__, (loop.skipped for loop in self.loops if loop.skipped), self.control)

    def assign(self, step: Assign) -> None:
        kind = self.kind(step.value)
        if step.in_place and kind.is_sequence:
            raise Clash("a list is changed in place", "Build the new list under a new name")
        renamed = isinstance(step.value, Name) and "@" not in step.value.name and not step.last
        if not step.last:
            self.share(step.value)
        self.set(step.target, kind.shared() if renamed else kind)

    def share(self, value: Expr) -> None:
        """The lists that the value is or holds can be seen under another name from now on."""
        assert self.known is not None
        for name in lists_in(value):
            self.known[name] = self.known[name].shared()

    def changeable(self, name: str) -> Kind:
        """The list that is about to be changed: one that only this name can see."""
        kind = self.read(name)
        rules.entries_of(kind, f"`{name}`")
        if not kind.is_sequence or kind.scalars:
            raise Clash(f"`{name}` is {kind}, and only lists can be changed", "Start from a list: `xs = []`")
        if name in self.program.parameters and not kind.owned:
            raise Clash(f"the parameter `{name}` is changed", "Build a new list")
        if kind.forms != {LIST}:
            raise Clash(f"`{name}` is {kind}, and only lists can be changed", "Start from a list: `xs = []`")
        if not kind.owned:
            raise Clash(
                f"`{name}` is changed while it is looped over or known under another name", "Build a new list and name it anew"
            )
        return kind

    def append(self, step: Append) -> None:
        value = self.kind(step.value)
        kind = self.changeable(step.target)
        self.share(step.value)
        assert kind.entries is not None
        entries = join((kind.entries, _storable(value).marked(self.here)))
        self.set(step.target, several(LIST, entries, kind.length | self.here, kind.mark, owned=True))

    def store(self, step: Store) -> None:
        value = self.kind(step.value)
        kind = self.changeable(step.target)
        position = rules.index(self.kind(step.index), "the index")
        self.note("index", position.mark)
        self.share(step.value)
        assert kind.entries is not None
        mark = self.here | position.mark
        entries = join((kind.entries, _storable(value))).marked(mark)
        self.set(step.target, several(LIST, entries, kind.length, kind.mark, owned=True))

    def draw(self, step: Draw) -> None:
        arguments = [self.kind(argument) for argument in step.noise.arguments]
        for argument in arguments:
            self.note("noise", argument.flat())
        kind = rules.law(step.noise.law, arguments)
        if step.count is not None:
            count = rules.index(self.kind(step.count), "the number of draws")
            self.note("count", count.mark)
            kind = several(LIST if TRUTH in kind.scalars else ARRAY, kind, count.mark)
        self.set(step.target, kind)

    def branch(self, step: If) -> None:
        test = rules.truth(self.kind(step.test), "the test of `if`")
        outer, before = self.control, self.known
        assert before is not None
        self.control |= test.mark
        self.known = dict(before)
        self.block(step.then)
        then, self.known = self.known, dict(before)
        self.block(step.otherwise)
        self.known = _meet([then, self.known])
        self.control = outer

    def for_loop(self, step: For) -> None:
        sequence = self.kind(step.sequence)
        entries = rules.entries_of(sequence, "what is looped over")
        steps = sequence.mark | sequence.length
        self.note("bound", steps)
        held = step.sequence.name if isinstance(step.sequence, Name) else None
        assert self.known is not None
        owned = held is not None and self.known[held].owned and held not in touched(step.body)

        def enter() -> None:
            assert self.known is not None
            if held is not None and held in self.known:  # while it is looped over, the loop sees it too
                self.known[held] = self.known[held].shared()
            self.set(step.target, entries.marked(steps).shared())

        self.around(steps, enter, step.body)
        if owned and held is not None and self.known is not None:
            self.known[held] = replace(self.known[held], owned=True)

    def while_loop(self, step: While) -> None:
        def enter() -> None:
            self.line = step.line
            test = rules.truth(self.kind(step.test), "the test of `while`")
            self.note("bound", test.mark)
            self.loops[-1].rounds |= test.mark

        self.around(Mark.PUBLIC, enter, step.body, forever=step.test == Literal(value=True))

    def around(self, steps: Mark, enter: Callable[[], None], body: tuple[Stmt, ...], *, forever: bool = False) -> None:
        """The body again and again, until one more round teaches nothing new."""
        loop = _Loop(rounds=steps)
        self.loops.append(loop)
        head = self.known
        while True:  # kinds only grow, and there are finitely many
            assert head is not None
            learned, loop.broken, loop.continued, loop.skipped = loop.rounds, [], [], Mark.PUBLIC
            self.known = dict(head)
            enter()
            self.block(body)
            merged = _meet([head, self.known, *loop.continued])
            if merged == head and learned == loop.rounds:
                break
            head = merged
        self.loops.pop()
        self.known = _meet([*([] if forever else [head]), *loop.broken])
        for name in assigned(body) & set(self.known or ()):
            self.set(name, self.known[name].marked(loop.rounds))  # type: ignore[index]  # a name of `known`

    def leave(self, step: Break | Continue) -> None:
        loop = self.loops[-1] if self.loops else None
        if loop is None or self.known is None:
            raise Clash("`break` or `continue` stands outside a loop", "Put it into the loop")
        if isinstance(step, Break):
            loop.rounds |= self.here
            loop.broken.append(self.known)
        else:
            loop.skipped |= self.here
            loop.continued.append(self.known)
        self.known = None

    def give(self, step: Return) -> None:
        kind = self.kind(step.value)
        if RANGE in kind.forms:
            raise Clash("a range is returned", "Return a list: [i for i in range(n)]")
        for one, other in ((kind, self.returned), (self.returned, kind)):
            if one.origin is not None and one.origin[0] == self.program.private and one.numbers and TRUTH in other.scalars:
                raise rules.Demand(one.origin, TRUTH)  # one person's yes or no, handed back as it is
        self.returned = join((self.returned, kind))
        if self.returned.is_mixed:  # whoever sees the output can tell them apart; to the program they are one
            raise Clash("a list is returned in one place and a tuple in another", "Return lists everywhere, or tuples")
        self.leaving |= self.here
        self.known = None

    def note(self, what: str, mark: Mark) -> None:
        if mark:
            self.findings[self.line, what] = self.findings.get((self.line, what), Mark.PUBLIC) | mark

    # expressions

    def read(self, name: str) -> Kind:
        assert self.known is not None
        if name in self.known:
            return self.known[name]
        if name in assigned(self.program.body):
            raise Clash(f"`{name}` may have no value here", "Assign it on every path before this line, also before a loop")
        raise Clash(f"`{name}` is neither a parameter nor assigned", "Make it a parameter, or write its value")

    def kind(self, expr: Expr) -> Kind:
        """The kind of an expression where control is now."""
        kind = _KINDS[type(expr)](self, expr)
        seen = self.expressions.get(id(expr))
        self.expressions[id(expr)] = kind if seen is None else join((seen, kind))
        return kind

    def literal(self, expr: Literal) -> Kind:
        value = expr.value
        if isinstance(value, Fraction):
            return single(NATURAL)
        return single(NONE if value is None else TEXT if isinstance(value, str) else TRUTH)

    def unary(self, expr: Unary) -> Kind:
        operand = self.kind(expr.operand)
        return rules.logic([operand]) if expr.op == "not" else rules.negate(operand)

    def item(self, expr: Item) -> Kind:
        sequence, position = self.kind(expr.sequence), self.kind(expr.index)
        self.note("index", position.mark)
        return rules.element(sequence, position)

    def many(self, expr: Many) -> Kind:
        entries = join(_storable(self.kind(entry)) for entry in expr.entries)
        return several(expr.kind, entries, owned=expr.kind == LIST)


def _storable(kind: Kind) -> Kind:
    """What may become the entry of a list."""
    if RANGE in kind.forms:
        raise Clash("a range is put into a list", "Put a list there: [i for i in range(n)]")
    return kind.shared()


def _meet(ways: list[Known | None]) -> Known | None:
    """What is known where several ways join: the variables that have a value on all of them."""
    open_ways = [way for way in ways if way is not None]
    if not open_ways:
        return None
    first, *others = open_ways
    met = {}
    for name, kind in first.items():
        if all(name in way for way in others):
            met[name] = join([kind, *(way[name] for way in others if way[name] is not kind)])
    return met


_STEPS: dict[type[Stmt], Callable[[Any, Any], None]] = {
    Append: _Walk.append,
    Assign: _Walk.assign,
    Break: _Walk.leave,
    Continue: _Walk.leave,
    Draw: _Walk.draw,
    For: _Walk.for_loop,
    If: _Walk.branch,
    Return: _Walk.give,
    Store: _Walk.store,
    While: _Walk.while_loop,
}
_KINDS: dict[type[Expr], Callable[[Any, Any], Kind]] = {
    Binary: lambda walker, expr: rules.arithmetic(expr.op, walker.kind(expr.left), walker.kind(expr.right)),
    Call: lambda walker, expr: rules.call(expr.function, [walker.kind(argument) for argument in expr.arguments]),
    Choice: lambda walker, expr: rules.choose(*(walker.kind(part) for part in (expr.test, expr.then, expr.otherwise))),
    Compare: lambda walker, expr: rules.compare(expr.op, walker.kind(expr.left), walker.kind(expr.right)),
    Item: _Walk.item,
    Literal: _Walk.literal,
    Logic: lambda walker, expr: rules.logic([walker.kind(part) for part in expr.parts]),
    Many: _Walk.many,
    Name: lambda walker, expr: walker.read(expr.name),
    Unary: _Walk.unary,
}
