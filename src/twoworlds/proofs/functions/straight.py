"""Branches on secrets as conditional values, so that two runs which take different sides still stand at the same line.

`if test: x = 1` becomes x = 1 if test else x. What leaves early raises a flag; all that follows happens only while it is down.
Branches on public values stay: both runs take the same side. The result computes the same as the program, which the tests check.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from twoworlds.proofs.functions.changes import assigned, names_in
from twoworlds.proofs.functions.secrets import Secrets, counts, secrets
from twoworlds.proofs.kinds import is_truth, kinds
from twoworlds.source.program import (
    Append,
    Assign,
    Break,
    Choice,
    Continue,
    Expr,
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
    walk,
)
from twoworlds.worlds.errors import Unsupported

__all__ = ["straight"]

ZERO, TRUE, FALSE = Literal(Fraction(0)), Literal(value=True), Literal(value=False)
RETURNED = "returned@"
_TEMPORARY = ("test@@", "next@@", "stop@@")  # of the round that they stand in, or counts that run on


def straight(program: Program, private: frozenset[str], sized: bool) -> Program:
    """A lowered program whose branches are all public; `sized` says that the private list's length is public."""
    return _Straight(program, secrets(program, private, sized)).program()


@dataclass(frozen=True)
class _Place:
    """Where a step stands: the conditions under which it has an effect, and the flags of its loop's exits."""

    active: tuple[Expr, ...] = ()
    broken: str = ""
    skipped: str = ""

    def under(self, *tests: Expr) -> _Place:
        return replace(self, active=(*self.active, *(test for test in tests if test not in self.active)))


class _Straight:
    def __init__(self, program: Program, secret: Secrets) -> None:
        self.given, self.secret = program, secret
        found = kinds(program, program.private or "")
        self.truths, self.lists = found.truths, found.lists
        self.held: dict[str, None] = {}
        self.flags: dict[str, None] = {RETURNED: None} if secret.returns else {}
        self.results = 0

    def program(self) -> Program:
        body = self.block(self.given.body, _Place())
        kept = {
            node.target: None
            for node in walk(self.given.body)
            if isinstance(node, Assign) and node.target in names_in(node.value)
        }
        names = [name for name in {**kept, **self.held} if name not in self.given.parameters and name not in self.lists]
        start = [Assign(1, name, FALSE if name in self.truths else ZERO) for name in names]
        start += [Assign(1, name, FALSE) for name in self.flags]
        end = self.result(self.given.body) if self.secret.returns else ()
        return replace(self.given, body=(*start, *body, *end))

    def flag(self, hint: str) -> str:
        name = f"{hint}@{len(self.flags) + 1}"
        self.flags[name] = None
        return name

    def block(self, steps: tuple[Stmt, ...], place: _Place) -> tuple[Stmt, ...]:
        done: list[Stmt] = []
        for step in steps:
            changed = self.step(step, place)
            done += changed
            raised = assigned(tuple(changed)) & {RETURNED, place.broken, place.skipped}
            place = place.under(*(Unary("not", Name(flag)) for flag in sorted(raised)))
        return tuple(done)

    def step(self, step: Stmt, place: _Place) -> list[Stmt]:
        match step:
            case Assign():
                return [self.assign(step, place.active)]
            case Append(line, target, _) if place.active:
                why = f"whether `{target}` gets an entry may depend on a secret"
                raise Unsupported(line, why, "Append in every round, such as 0 where nothing counts")
            case Store(line, target, index, value) if place.active:
                at = Choice(_all(place.active), index, ZERO)
                return [Store(line, target, at, Choice(_all(place.active), value, Item(Name(target), at)))]
            case If():
                return self.branch(step, place)
            case While():
                return self.loop(step, place)
            case Return():
                return self.leave(step, place.active)
            case Break() if place.broken:
                return [self.up(step.line, place.broken, place.active)]
            case Continue() if place.skipped:
                return [self.up(step.line, place.skipped, place.active)]
        return [step]

    def up(self, line: int, flag: str, active: tuple[Expr, ...]) -> Stmt:
        return Assign(line, flag, Choice(_all(active), TRUE, Name(flag)) if active else TRUE)

    def assign(self, step: Assign, active: tuple[Expr, ...]) -> Stmt:
        line, target, value = step.line, step.target, step.value
        if value == Literal(None) or (isinstance(value, Literal) and isinstance(value.value, str)):
            raise Unsupported(line, f"`{target}` is no number here, and has no distance from one", "Start from a number")
        if target.startswith("stop@@") and self.secret.within(value):
            raise Unsupported(
                line, "the number of rounds depends on a secret", "Loop to a public bound, and count only what is meant"
            )
        if not active or target.startswith(_TEMPORARY):
            return step
        if target in self.lists:
            if "@" in target and isinstance(value, Many):
                return step  # a temporary list, which nothing reads when it was not wanted
            raise Unsupported(line, f"which list `{target}` is may depend on a secret", "Build the list before the branch")
        self.held[target] = None
        return replace(step, value=Choice(_all(active), value, Name(target)))

    def branch(self, step: If, place: _Place) -> list[Stmt]:
        flags = place.broken or (self.secret.returns and _leaves(step))
        if not place.active and not self.secret.within(step.test) and not flags:
            return [replace(step, then=self.block(step.then, place), otherwise=self.block(step.otherwise, place))]
        test = self.flag("test")
        start = Assign(step.line, test, Choice(_all(place.active), step.test, FALSE) if place.active else step.test)
        then = self.block(step.then, place.under(Name(test)))
        return [start, *then, *self.block(step.otherwise, place.under(Unary("not", Name(test))))]

    def loop(self, step: While, place: _Place) -> list[Stmt]:
        if not counts(step) and self.secret.within(step.test):
            raise Unsupported(step.line, "the number of rounds depends on a secret", "Loop to a public bound")
        count = step.body[:2] if counts(step) else ()
        if not place.active and not self.secret.hides(step):
            return [replace(step, body=(*count, *self.block(step.body[len(count) :], _Place())))]
        broken, skipped = self.flag("broken"), self.flag("skipped")
        inner = _Place(place.active, broken, skipped).under(Unary("not", Name(broken)))
        if any(isinstance(node, Return) for node in walk(step.body)):
            inner = inner.under(Unary("not", Name(RETURNED)))
        body = self.block(step.body[len(count) :], inner)
        test = step.test if counts(step) else _all((*inner.active, step.test))
        lowered = [Assign(step.line, flag, FALSE) for flag in (broken,)]
        return [*lowered, While(step.line, test, (*count, Assign(step.line, skipped, FALSE), *body))]

    def leave(self, step: Return, active: tuple[Expr, ...]) -> list[Stmt]:
        parts = _parts(step.value)
        if any(isinstance(part, Literal) and not isinstance(part.value, Fraction | bool) for part in parts):
            raise Unsupported(step.line, "what is returned is no number, and has no distance", "Return numbers on every path")
        if not self.secret.returns:
            return [step]
        if any(isinstance(part, Name) and part.name in self.lists for part in parts):
            raise Unsupported(step.line, "which list is returned may depend on a secret", "Return one list, on one line")
        self.results = max(self.results, len(parts))
        self.truths |= {f"result@{at}" for at, part in enumerate(parts) if is_truth(part, self.truths)}
        held = [self.assign(Assign(step.line, f"result@{at}", part), active) for at, part in enumerate(parts)]
        return [*held, self.up(step.line, RETURNED, active)]

    def result(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """The one exit of a function whose exits are flags; it is reached with a result, or the function gave none."""
        if not _ends(body):
            raise Unsupported(body[-1].line, "the function may return nothing", "Return a number on every path")
        if {len(_parts(node.value)) for node in walk(body) if isinstance(node, Return)} != {self.results}:
            raise Unsupported(
                body[-1].line, "the function returns different numbers of values", "Return the same number of values"
            )
        names: list[Expr] = [Name(f"result@{at}") for at in range(self.results)]
        return (Return(body[-1].line, names[0] if len(names) == 1 else Many("tuple", tuple(names))),)


def _parts(value: Expr) -> tuple[Expr, ...]:
    return value.entries if isinstance(value, Many) and value.kind == "tuple" else (value,)


def _leaves(step: If) -> bool:
    return any(isinstance(node, Return) for node in walk((step.then, step.otherwise)))


def _ends(body: tuple[Stmt, ...]) -> bool:
    """Whether every way through the statements returns."""
    last = body[-1] if body else None
    return isinstance(last, Return) or (isinstance(last, If) and _ends(last.then) and _ends(last.otherwise))


def _all(parts: tuple[Expr, ...]) -> Expr:
    return parts[0] if len(parts) == 1 else Logic("and", parts)
