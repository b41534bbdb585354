"""Which variables are still read after each statement: what a state may forget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from twoworlds.exact.lowering import names
from twoworlds.source.program import Append, Assign, Break, Continue, Draw, For, If, Program, Return, Stmt, Store, While

__all__ = ["Live", "liveness"]

Names = frozenset[str]
_NOTHING: Names = frozenset()


@dataclass(frozen=True)
class Live:
    """The variables read after a statement, and on entering its first block and its second (or what follows instead)."""

    after: Names
    first: Names = _NOTHING
    second: Names = _NOTHING
    before: Names = _NOTHING

    def join(self, other: Live) -> Live:
        return Live(self.after | other.after, self.first | other.first, self.second | other.second, self.before | other.before)

    @cached_property
    def dead(self) -> Names:
        """What the statement may be the last to read."""
        return self.before - self.after


def liveness(program: Program) -> tuple[Names, dict[int, Live]]:
    """What is read on entry, and the liveness of each statement by its identity."""
    found: dict[int, Live] = {}
    return _block(program.body, _NOTHING, _NOTHING, _NOTHING, found), found


def _block(body: tuple[Stmt, ...], after: Names, leave: Names, again: Names, found: dict[int, Live]) -> Names:
    """What is read from the start of a block, given what is read after it, after a break and after a continue."""
    live = after
    for step in reversed(body):
        live = _step(step, live, leave, again, found)
    return live


def _step(step: Stmt, after: Names, leave: Names, again: Names, found: dict[int, Live]) -> Names:
    match step:
        case Assign(_, target, value):
            before, live = (after - {target}) | names(value), Live(after)
        case Store(_, target, index, value):
            before, live = after | {target} | names(index) | names(value), Live(after)
        case Append(_, target, value):
            before, live = after | {target} | names(value), Live(after)
        case Draw(_, target, noise, count, _):
            before, live = (after - {target}) | names(noise) | names(count), Live(after)
        case If(_, test, then, otherwise):
            first, second = (_block(part, after, leave, again, found) for part in (then, otherwise))
            before, live = first | second | names(test), Live(after, first, second)
        case For(_, target, sequence, body):
            head = _loop(body, after, frozenset({target}), found)
            before, live = head | names(sequence), Live(after, head, after)
        case While(_, test, body):
            head = _loop(body, after | names(test), _NOTHING, found)
            before, live = head | names(test), Live(after, head, after)
        case Return(_, value):
            before, live = names(value), Live(_NOTHING)
        case Break():
            before, live = leave, Live(leave)
        case Continue():
            before, live = again, Live(again)
        case _:
            before, live = after, Live(after)
    made = frozenset({step.target}) if isinstance(step, Assign | Draw) else _NOTHING
    live = replace(live, before=before | made)
    found[id(step)] = live.join(found.get(id(step), live))
    return before


def _loop(body: tuple[Stmt, ...], after: Names, bound: Names, found: dict[int, Live]) -> Names:
    """What is read at the head of a loop: the least set that the body maps into itself."""
    head = after
    while True:
        again = head | (_block(body, head, after, head, found) - bound)
        if again == head:
            return head
        head = again
