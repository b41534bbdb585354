"""A reading that only remembers: the graph of what is written on the way, for programs that write a list and return it.

What is written is never read again, so it need not keep states apart: it becomes the labels of a graph. States are then as few as
the program's other variables make them, however many lists can come out.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import fmpq

from twoworlds.exact.effort import Effort
from twoworlds.exact.factors import Lawful
from twoworlds.exact.liveness import liveness
from twoworlds.exact.lowering import lower
from twoworlds.exact.reader import Reader
from twoworlds.exact.states import State, settle, size
from twoworlds.exact.trails import Mark, Node, Noisy, Reveal, Tangled, Trail, Untraced
from twoworlds.exact.unseen import Linear, draws_in, has_draws
from twoworlds.source.program import Append, Assign, Many, Name, Program, Return, walk
from twoworlds.source.values import evaluate
from twoworlds.worlds.errors import Unsupported

__all__ = ["recorded", "written"]

_MOST_STEPS = 20_000
_FEWEST_VALUES = 64  # of a finite law that is written value by value


def written(program: Program) -> str | None:
    """The list that every return returns and that is otherwise only appended to."""
    returns = [step for step in walk(program.body) if isinstance(step, Return)]
    names = {step.value.name for step in returns if isinstance(step.value, Name)}
    if len(names) != 1 or not all(isinstance(step.value, Name) for step in returns):
        return None
    (name,) = names
    starts = [
        step for step in program.body if isinstance(step, Assign) and step.target == name and step.value == Many("list", ())
    ]
    steps = [step for step in walk(program.body) if getattr(step, "target", None) == name]
    reads = [node for node in walk(program.body) if isinstance(node, Name) and node.name == name]
    plain = len(starts) == 1 and all(isinstance(step, Append) for step in steps if step is not starts[0])
    return name if plain and len(steps) > 1 and len(reads) == len(returns) else None


def recorded(program: Program, arguments: Mapping[str, Any], grid: Fraction, cut: Fraction) -> Node:
    """The graph of a reading of the program on these arguments, from its first node; `Untraced` where there is none."""
    name = written(program)
    if name is None:
        raise Untraced
    lowered = lower(program, arguments)
    entry, live = liveness(lowered)
    recorder = _Recorder(live, grid, Effort(cut, _MOST_STEPS), lowered)
    recorder.name = name
    trail = Trail.start()
    start = State({key: value for key, value in arguments.items() if key in entry}, {}, fmpq(1), (), trail)
    try:
        left = recorder.block(lowered.body, [start])
    except Unsupported:
        raise Untraced from None
    if left:
        raise Untraced
    return trail.node


class _Recorder(Reader):
    """The reader, with every state on a trail and the list on none of them."""

    name = ""

    def assign(self, step: Assign, states: list[State]) -> list[State]:
        return states if step.target == self.name else super().assign(step, states)

    def append(self, step: Append, states: list[State]) -> list[State]:
        if step.target != self.name:
            return super().append(step, states)
        results = []
        for state in states:
            for part, value in self.attempt(state, lambda env: evaluate(step.value, env), step.line):
                for name in self.live[id(step)].dead:
                    part.drop(name)
                results.extend(self._wrote(part, value))
        return self.merged([last for part in results for last in settle(part, self.effort)])

    def _wrote(self, state: State, value: Any) -> list[State]:
        """The states after a value was written: one for each value of a finite draw, else one."""
        trail = state.trail
        assert trail is not None
        if not has_draws(value):
            state.trail = trail.wrote(Mark(type(value).__name__, value))
            return [state]
        if not isinstance(value, Linear):
            raise Untraced
        draw, factor = value.terms[0][0], state.draws[value.terms[0][0]]
        if len(value.terms) > 1 or draw == trail.shared or not isinstance(factor, Lawful) or not self._alone(state, draw):
            state.trail = self._tangled(state, trail, value)
            return [state]
        del state.draws[draw]
        if value.truth or (factor.low is not None and factor.high is not None):
            return self._listed(state, factor, value)
        state.trail = trail.wrote(Noisy(), Reveal(factor, value.terms[0][1], value.offset))
        return [state]

    def _tangled(self, state: State, trail: Trail, value: Linear) -> Trail:
        """A number is written that shares noise with answers; sums that only share noise with other sums are for the reader."""
        draws = [draw for draw, _ in value.terms]
        if not any(draw == trail.shared or state.tied(draw) for draw in draws):
            raise Untraced
        return trail.wrote(Noisy(), Tangled(max(size(state.draws[draw], self.effort) for draw in draws)))

    @staticmethod
    def _alone(state: State, draw: int) -> bool:
        """Whether nothing but what is being written speaks of the draw."""
        used: dict[int, None] = {}
        for value in state.env.values():
            draws_in(value, used)
        return draw not in used and not state.tied(draw)

    def _listed(self, state: State, factor: Lawful, value: Linear) -> list[State]:
        low, high = factor.low or 0, factor.high or 0
        if high - low >= _FEWEST_VALUES:
            raise Untraced
        found = []
        for k in range(low, high + 1):
            part = state.copy()
            assert part.trail is not None
            shown = k == 1 if value.truth else value.terms[0][1] * k + value.offset
            part.trail = part.trail.died(-1, factor.restrict(k, k)).wrote(Mark(type(shown).__name__, shown))
            found.append(part)
        return found

    def give_back(self, _: Return, states: list[State]) -> list[State]:
        for state in states:
            for name in list(state.env):
                state.drop(name)
            for part in settle(state, self.effort):
                assert part.trail is not None
                part.trail.ended()
        return []

    def lose(self, _: State) -> None:
        raise Untraced
