"""The interpreter over distributions: a program run once for all its noise, equal states merged.

What is returned is a law over outputs in which noise that nobody had to look at is still undrawn; `outputs` lays it out.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from twoworlds.exact.clouds import Cloud, Keys
from twoworlds.exact.effort import MOST_STEPS, Effort, TooMuch
from twoworlds.exact.factors import Lawful
from twoworlds.exact.laws import Law, law_of
from twoworlds.exact.lines import Condition
from twoworlds.exact.liveness import Live, liveness
from twoworlds.exact.lowering import lower
from twoworlds.exact.states import State, fused, is_hidden, look, prune, settle, split
from twoworlds.exact.unseen import Linear, Look, has_draws
from twoworlds.exact.weights import Weight, interval, rational, total
from twoworlds.source.program import (
    Append,
    Assign,
    Break,
    Compare,
    Continue,
    Draw,
    Expr,
    For,
    If,
    Program,
    Return,
    Stmt,
    Store,
    While,
)
from twoworlds.source.values import distribution, evaluate, whole
from twoworlds.worlds.errors import TwoWorldsError, Unsupported

__all__ = ["OUTPUT", "Reader", "run"]

OUTPUT = "@output"
_MOST_STATES = 200_000
_MOST_ROUNDS = 100_000
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def run(program: Program, arguments: Mapping[str, Any], grid: Fraction, cut: Fraction, most: int = MOST_STEPS) -> Reader:
    """Read the program on these exact arguments; the result's `returned` holds the outputs and `lost` the mass that was cut."""
    lowered = lower(program, arguments)
    entry, live = liveness(lowered)
    reader = Reader(live, grid, Effort(cut, most), lowered)
    start = State({name: value for name, value in arguments.items() if name in entry}, {}, fmpq(1))
    for state in reader.block(lowered.body, [start]):
        reader.give(state, None)
    return reader


class Reader:
    """One reading of one program: where its states have got to, and what they returned."""

    def __init__(self, live: dict[int, Live], grid: Fraction, effort: Effort, program: Program) -> None:
        self.live = live
        self.grid = grid
        self.effort = effort
        self.program = program  # keeps the statements, whose identities index `live`
        self.keys = Keys()
        self.returned = Cloud(self.keys)
        self.lost: Weight = fmpq(0)
        self.loops: list[tuple[list[State], list[State]]] = []
        self.draws = 0
        self.laws: dict[Law, Lawful] = {}

    # bookkeeping

    def give(self, state: State, value: Any) -> None:
        """Put an output on record."""
        state.env, state.stale = {OUTPUT: value}, True
        for part in settle(state, self.effort):
            self.returned.add(part)

    def lose(self, state: State) -> None:
        """A state whose draw lies somewhere in a tail, where its value is needed: its output may be anything."""
        self.lost = self.lost + arb(state.weight).upper() if isinstance(state.weight, arb) else self.lost + state.weight

    def merged(self, states: Iterable[State]) -> list[State]:
        return list(Cloud(self.keys, states))

    def count(self, states: list[State]) -> None:
        """Count a step for every state, within the limits."""
        self.effort.spend(len(states))
        if len(states) > _MOST_STATES:
            raise TooMuch

    def explosion(self, states: list[State], line: int) -> Unsupported:
        """The error for a line whose outcomes do not fit, with what there is too much of."""
        values: dict[str, set[Any]] = {}
        for state in states[:20_000]:
            for name, value in state.env.items():
                if not is_hidden(name):
                    values.setdefault(name, set()).add(self.keys.of(value, {}))
        name, found = max(values.items(), key=lambda item: len(item[1]), default=("", set()))
        noisy = sorted({name for state in states[:1] for name, value in state.env.items() if has_draws(value)} - {""})
        what = (
            f"`{name}` alone has {len(found):,} values" if len(found) > 1 else "its noise would have to be listed value by value"
        )
        noise = f" (noise in {', '.join(each for each in noisy if not is_hidden(each))})" if noisy else ""
        return Unsupported(
            line,
            f"there are too many outcomes: {self.effort.steps:,} steps were not enough; {what}{noise}",
            "Use fewer inputs, noise of a smaller scale, a coarser grid or a larger cut",
        )

    def attempt(self, state: State, function: Callable[[dict[str, Any]], Any], line: int) -> list[tuple[State, Any]]:
        """The state with a value computed from its variables; the states that it becomes where that needs noise to be seen."""
        try:
            return [(state, function(state.env))]
        except Look as needed:
            draw = needed.draw
        except TwoWorldsError:
            raise
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise Unsupported(line, f"the value cannot be computed: {error}", "Keep it defined for every noise") from None
        together = fused(state, self.effort)
        if together is not None:
            return [result for part in together for result in self.attempt(part, function, line)]
        parts = []
        for part in look(state, draw, self.effort):
            if draw in part.draws:
                self.lose(part)
            else:
                parts.append(part)
        self.count(parts)
        return [result for part in self.merged(parts) for result in self.attempt(part, function, line)]

    # statements

    def block(self, body: tuple[Stmt, ...], states: list[State]) -> list[State]:
        for step in body:
            if not states:
                return states
            try:
                self.count(states)
                states = getattr(self, _STEPS[type(step)])(step, states)
            except TooMuch:
                raise self.explosion(states, step.line) from None
        return states

    def after(self, step: Stmt, results: list[State], before: int) -> list[State]:
        """Forget what the statement was the last to read; merge if it made more states."""
        dead = self.live[id(step)].dead
        settled = []
        for state in results:
            for name in dead:
                state.drop(name)
            settled.extend(settle(state, self.effort))
        return self.merged(settled) if len(settled) > before else settled

    def assign(self, step: Assign, states: list[State]) -> list[State]:
        results = []
        for state in states:
            for part, value in self.attempt(state, lambda env: evaluate(step.value, env), step.line):
                part.put(step.target, value)
                results.append(part)
        return self.after(step, results, len(states))

    def store(self, step: Store, states: list[State]) -> list[State]:
        def stored(env: dict[str, Any]) -> tuple[Any, ...]:
            entries = list(env[step.target])
            entries[whole(evaluate(step.index, env), "index")] = evaluate(step.value, env)
            return tuple(entries)

        return self.set(step, stored, states)

    def append(self, step: Append, states: list[State]) -> list[State]:
        return self.set(step, lambda env: (*env[step.target], evaluate(step.value, env)), states)

    def set(self, step: Store | Append, value: Callable[[dict[str, Any]], Any], states: list[State]) -> list[State]:
        results = []
        for state in states:
            for part, result in self.attempt(state, value, step.line):
                part.put(step.target, result)
                results.append(part)
        return self.after(step, results, len(states))

    def draw(self, step: Draw, states: list[State]) -> list[State]:
        def wanted(env: dict[str, Any]) -> tuple[Any, int | None]:
            count = None if step.count is None else whole(evaluate(step.count, env), "count")
            return distribution(step.noise, env), count

        results = []
        for state in states:
            for part, (noise, count) in self.attempt(state, wanted, step.line):
                law = law_of(noise, self.grid)
                known = self.laws.setdefault(law, Lawful(law, law.first, law.last))
                fresh = [self.draws + i for i in range(1 if count is None else count)]
                self.draws += len(fresh)
                values = tuple(Linear(((draw, law.step),), Fraction(0), truth=law.truth) for draw in fresh)
                part.draws = {**part.draws, **dict.fromkeys(fresh, known)}
                part.put(step.target, values if count is not None else values[0])
                results.append(part)
        return self.after(step, results, len(states))

    def branch(self, step: If, states: list[State]) -> list[State]:
        live = self.live[id(step)]
        then, otherwise = self.parted(step.test, states, live.first, live.second, step.line)
        then, otherwise = self.block(step.then, then), self.block(step.otherwise, otherwise)
        return self.merged(then + otherwise) if then and otherwise else then + otherwise

    def parted(
        self, test: Expr, states: list[State], first: frozenset[str], second: frozenset[str], line: int
    ) -> tuple[list[State], list[State]]:
        """The states in which the test holds and those in which it fails, each with what is still needed there."""
        holds: list[State] = []
        fails: list[State] = []
        for state in states:
            for part, answer in self.attempt(state, lambda env: _asked(test, env), line):
                if isinstance(answer, Condition):
                    holds.extend(split(part, answer, self.effort))
                    fails.extend(split(part, answer.negated, self.effort))
                else:
                    (holds if answer else fails).append(part)
        return self.kept(holds, first), self.kept(fails, second)

    def kept(self, states: list[State], live: frozenset[str]) -> list[State]:
        pruned = [part for state in states for part in prune(state, live, self.effort)]
        return self.merged(pruned) if len(pruned) > 1 else pruned

    def each(self, step: For, states: list[State]) -> list[State]:
        live = self.live[id(step)]
        hidden = f"@{id(step)}"
        active, done = [], []
        for state in states:
            for part, sequence in self.attempt(state, lambda env: _sequence(step.sequence, env), step.line):
                part.env[hidden] = (sequence, 0, has_draws(sequence))
                active.append(part)
        breaks: list[State] = []
        while active:
            going = []
            for state in active:
                values, place, drawn = state.env[hidden]
                if place == len(values):
                    done.append(state)
                else:
                    state.put(step.target, values[place])
                    state.put(hidden, (values[1:], 0, True) if drawn else (values, place + 1, False))
                    going.extend(settle(state, self.effort))
            again: list[State] = []
            self.loops.append((breaks, again))
            going = self.block(step.body, going)
            self.loops.pop()
            active = self.kept(going + again, live.first)
        return self.left([*done, *breaks], hidden, live.after)

    def left(self, states: list[State], hidden: str, live: frozenset[str]) -> list[State]:
        for state in states:
            state.drop(hidden)
        return self.kept(states, live)

    def repeat(self, step: While, states: list[State]) -> list[State]:
        live = self.live[id(step)]
        done: list[State] = []
        breaks: list[State] = []
        active, rounds = states, 0
        while active:
            self.count(active)
            rounds += 1
            if rounds > _MOST_ROUNDS:
                left = interval(total([_mass(state) for state in active])).upper
                raise Unsupported(
                    step.line,
                    f"the loop may go on for ever: after {_MOST_ROUNDS:,} rounds it still runs with probability {left:.3g}",
                    "Give the loop a public bound, or a way out that some noise takes in every round",
                )
            active, fails = self.parted(step.test, active, live.first | live.after, live.second, step.line)
            done = self.merged([*done, *fails]) if fails else done
            again: list[State] = []
            self.loops.append((breaks, again))
            active = self.block(step.body, active) + again
            self.loops.pop()
            active = self.kept(active, live.first)
            if active and total([_mass(state) for state in active]) <= rational(self.effort.cut):
                for state in active:
                    self.lose(state)
                break
        return self.left([*done, *breaks], "", live.after)

    def give_back(self, step: Return, states: list[State]) -> list[State]:
        for state in states:
            for part, value in self.attempt(state, lambda env: evaluate(step.value, env), step.line):
                self.give(part, value)
        return []

    def leave(self, step: Break, states: list[State]) -> list[State]:
        self.loops[-1][0].extend(self.kept(states, self.live[id(step)].after))
        return []

    def go_on(self, step: Continue, states: list[State]) -> list[State]:
        self.loops[-1][1].extend(self.kept(states, self.live[id(step)].after))
        return []


def _mass(state: State) -> Weight:
    mass = state.weight
    for factor in state.draws.values():
        mass = mass * factor.total
    return mass


def _asked(test: Expr, env: dict[str, Any]) -> Any:
    """The truth of a test, or the condition on noise that decides it."""
    if not isinstance(test, Compare):
        value = evaluate(test, env)
        return Condition(value, "!=") if isinstance(value, Linear) else bool(value)
    left, right = evaluate(test.left, env), evaluate(test.right, env)
    if not isinstance(left, Linear) and not isinstance(right, Linear):
        return _COMPARISONS[test.op](left, right)
    if not isinstance(left, Linear | Fraction | int) or not isinstance(right, Linear | Fraction | int):
        if test.op in ("==", "!="):
            return test.op == "!="
        raise TypeError(f"{test.op} between a number and {'None' if left is None or right is None else 'a list'}")
    difference = left - right
    if isinstance(difference, Linear):
        return Condition(difference, test.op)
    return _COMPARISONS[test.op](difference, 0)


def _sequence(expr: Expr, env: dict[str, Any]) -> tuple[Any, ...]:
    value = evaluate(expr, env)
    if not isinstance(value, tuple):
        raise TypeError("a loop runs over something that is not a list")
    return value


_STEPS: dict[type[Stmt], str] = {
    Assign: "assign",
    Store: "store",
    Append: "append",
    Draw: "draw",
    If: "branch",
    For: "each",
    While: "repeat",
    Return: "give_back",
    Break: "leave",
    Continue: "go_on",
}
"""The method that reads each statement."""
