"""A state of the exact reader, and its four moves: forget what is dead, look at a draw, split on a condition, merge equals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any

from flint import fmpq

from twoworlds.exact.factors import Factor, Lawful, Tabled, Tail, zero
from twoworlds.exact.unseen import Linear, draws_in
from twoworlds.exact.weights import Weight, between, vanishes

__all__ = ["Cloud", "Condition", "Keys", "State", "has_draws", "look", "prune", "settle", "split"]

_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


class State:
    """Values of the live variables, what is known of the draws in them, and the probability of being here.

    The draws are independent given the environment: a comparison that would tie two live draws looks at one of them.
    """

    __slots__ = ("draws", "env", "weight")

    def __init__(self, env: dict[str, Any], draws: dict[int, Factor], weight: Weight) -> None:
        self.env = env
        self.draws = draws
        self.weight = weight

    @property
    def is_possible(self) -> bool:
        return not vanishes(self.weight)


@dataclass(frozen=True)
class Condition:
    """`form op 0`, a question about undrawn noise."""

    form: Linear
    op: str

    @property
    def negated(self) -> Condition:
        return Condition(self.form, _NEGATED[self.op])

    def alone(self) -> tuple[int, str, Fraction]:
        """Of a single draw: `draw op bound`."""
        ((draw, factor),) = self.form.terms
        return draw, self.op if factor > 0 else _FLIPPED[self.op], -self.form.offset / factor


def _ranges(op: str, bound: Fraction) -> list[tuple[int | None, int | None]]:
    """The integers k with `k op bound`, as ranges."""
    if op == ">=":
        return [(math.ceil(bound), None)]
    if op == ">":
        return [(math.floor(bound) + 1, None)]
    if op == "<=":
        return [(None, math.floor(bound))]
    if op == "<":
        return [(None, math.ceil(bound) - 1)]
    whole = bound.denominator == 1
    if op == "==":
        return [(int(bound), int(bound))] if whole else []
    return [(None, int(bound) - 1), (int(bound) + 1, None)] if whole else [(None, None)]


# forget


def prune(state: State, live: frozenset[str]) -> State:
    """Forget dead variables, then the draws that nothing mentions any more. Names with @ in front belong to loops."""
    state.env = {name: value for name, value in state.env.items() if name in live or name[0] == "@"}
    return settle(state)


def settle(state: State) -> State:
    """Sum out the draws that nothing mentions any more."""
    if state.draws:
        used: dict[int, None] = {}
        for value in state.env.values():
            draws_in(value, used)
        if len(used) < len(state.draws):
            for draw, factor in state.draws.items():
                if draw not in used:
                    state.weight = state.weight * factor.total
            state.draws = {draw: factor for draw, factor in state.draws.items() if draw in used}
    return state


def survivors(state: State, live: frozenset[str]) -> dict[int, None]:
    """The draws that live variables mention."""
    used: dict[int, None] = {}
    for name, value in state.env.items():
        if name in live or name[0] == "@":
            draws_in(value, used)
    return used


# look


def look(state: State, draw: int, cut: Fraction) -> Iterator[State]:
    """One state for each value of a draw, and one for each tail beyond the cut, in which it remains unseen."""
    factor = state.draws[draw]
    if isinstance(factor, Tail):
        yield state
        return
    table = factor.tabled(cut)
    for k, weight in enumerate(table.weights, table.start):
        if not vanishes(weight):
            env = {name: put(value, draw, k) for name, value in state.env.items()}
            yield State(env, {d: f for d, f in state.draws.items() if d != draw}, state.weight * weight)
    for bound, low, high in ((table.under, table.law.first, table.start - 1), (table.over, table.end + 1, table.law.last)):
        if not vanishes(bound):
            yield State(dict(state.env), {**state.draws, draw: Tail(low, high)}, between(state.weight * bound))


def put(value: Any, draw: int, k: int) -> Any:
    """The value once this draw is known to be k."""
    if isinstance(value, Linear):
        factors = dict(value.terms)
        if draw not in factors:
            return value
        if value.truth:
            return k == 1
        offset = value.offset + factors.pop(draw) * k
        return Linear(tuple(factors.items()), offset) if factors else offset
    if isinstance(value, tuple):
        entries = tuple(put(entry, draw, k) for entry in value)
        return entries if any(a is not b for a, b in zip(entries, value, strict=True)) else value
    return value


# split


def split(state: State, condition: Condition, live: frozenset[str], cut: Fraction) -> list[State]:
    """The parts of the state in which the condition holds, where only these variables are read afterwards.

    A draw compared with a number is restricted to a range, so its law is only ever summed, in closed form. Of two draws compared
    with each other the one that dies becomes a factor, its tail probability, on the one that lives. Otherwise one is looked at.
    """
    draws = [draw for draw, _ in condition.form.terms]
    if len(draws) == 1:
        return _restricted(state, condition)
    if len(draws) == 2:
        alive = survivors(state, live)
        dying = [draw for draw in draws if draw not in alive]
        if any(isinstance(state.draws[draw], Tail) for draw in draws):
            return _unsure(state, condition, dying)
        if dying:
            dying.sort(key=lambda draw: (isinstance(state.draws[draw], Lawful), _size(state, draw, cut)))
            return _weighed(state, condition, dying[-1], cut)
    seen = [draw for draw in draws if not isinstance(state.draws[draw], Tail)]
    if not seen:
        return [State(dict(state.env), dict(state.draws), between(state.weight))]
    chosen = min(seen, key=lambda draw: _size(state, draw, cut))
    asked = State({**state.env, "@asked": condition.form}, state.draws, state.weight)
    found: list[State] = []
    for part in look(asked, chosen, cut):
        form = part.env.pop("@asked")
        found.extend(split(part, Condition(form, condition.op), live, cut))
    return found


def _restricted(state: State, condition: Condition) -> list[State]:
    draw, op, bound = condition.alone()
    factor = state.draws[draw]
    found = []
    for low, high in _ranges(op, bound):
        low, high = _later(low, factor.low), _earlier(high, factor.high)  # noqa: PLW2901  the part of the range that is left
        if low is not None and high is not None and low > high:
            continue
        part = State(dict(state.env), dict(state.draws), state.weight)
        part.draws[draw] = kept = factor.restrict(low, high)
        if isinstance(kept, Tail) and isinstance(factor, Tabled):
            part.weight = between(part.weight * factor.outside(low, high))
        if part.is_possible:
            found.append(part)
    return found


def _weighed(state: State, condition: Condition, dying: int, cut: Fraction) -> list[State]:
    """The draw that dies, summed out given each value of the other."""
    factors = dict(condition.form.terms)
    scale = factors.pop(dying)
    ((other, slope),) = factors.items()
    op = condition.op if scale > 0 else _FLIPPED[condition.op]
    line = Line(op, -slope / scale, -condition.form.offset / scale)
    gone, kept = state.draws[dying], state.draws[other]
    assert not isinstance(gone, Tail) and not isinstance(kept, Tail)
    table = kept.tabled(cut)
    chances = line.chances(gone, table.start, table.end)
    weights = tuple(map(mul, table.weights, chances))
    under = zero if vanishes(table.under) else table.under * line.most(gone, table.law.first, table.start - 1)
    over = zero if vanishes(table.over) else table.over * line.most(gone, table.end + 1, table.law.last)
    if vanishes(under) and vanishes(over) and all(map(vanishes, weights)):
        return []
    left = {draw: factor for draw, factor in state.draws.items() if draw != dying}
    left[other] = Tabled(table.law, table.start, weights, under, over)
    env = {name: value for name, value in state.env.items() if not _mentions(value, dying)}
    return [State(env, left, state.weight)]


def _unsure(state: State, condition: Condition, dying: list[int]) -> list[State]:
    """With a draw somewhere out in a tail, at most everything that can be there satisfies the condition."""
    factors = dict(condition.form.terms)
    bound: Weight = fmpq(1)
    env, left = state.env, dict(state.draws)
    for draw in dying:
        (other,) = factors.keys() - {draw}
        gone, tail = state.draws[draw], state.draws[other]
        if isinstance(tail, Tail) and not isinstance(gone, Tail):
            op = condition.op if factors[draw] > 0 else _FLIPPED[condition.op]
            line = Line(op, -factors[other] / factors[draw], -condition.form.offset / factors[draw])
            bound = line.most(gone, tail.low, tail.high)
            del left[draw]
            env = {name: value for name, value in env.items() if not _mentions(value, draw)}
    return [] if vanishes(bound) else [State(dict(env), left, between(state.weight * bound))]


@dataclass(frozen=True)
class Line:
    """`x op slope * y + offset`, as a question about x for every y."""

    op: str
    slope: Fraction
    offset: Fraction

    def chances(self, factor: Lawful | Tabled, first: int, last: int) -> list[Weight]:
        """The mass of x that satisfies it, for each y in first..last."""
        if self.op == "!=":
            hits = Line("==", self.slope, self.offset).chances(factor, first, last)
            return [factor.total - hit for hit in hits]
        if abs(self.slope) != 1:
            return [self._chance(factor, y) for y in range(first, last + 1)]
        if self.op == "==" and self.offset.denominator != 1:
            return [zero] * (last - first + 1)
        read, shift = _READERS[self.op](self.offset)
        if self.slope > 0:
            return read(factor, first + shift, last + shift)
        return read(factor, shift - last, shift - first)[::-1]

    def _chance(self, factor: Lawful | Tabled, y: int) -> Weight:
        bound = self.slope * y + self.offset
        if self.op == "==" and bound.denominator != 1:
            return zero
        read, k = _READERS[self.op](bound)
        return read(factor, k, k)[0]

    def most(self, factor: Lawful | Tabled, low: int | None, high: int | None) -> Weight:
        """A bound on the mass of x that satisfies it, over all y from low to high."""
        if self.op in ("==", "!="):
            return factor.total
        grows = (self.slope > 0) == (self.op in ("<", "<="))  # whether more of x satisfies it as y grows
        end = high if grows else low
        return factor.total if end is None else self._chance(factor, end)


_READERS: dict[str, Callable[[Fraction], tuple[Callable[[Any, int, int], list[Weight]], int]]] = {
    ">=": lambda bound: (lambda factor, first, last: factor.above(first, last), math.ceil(bound)),
    ">": lambda bound: (lambda factor, first, last: factor.above(first, last), math.floor(bound) + 1),
    "<=": lambda bound: (lambda factor, first, last: factor.below(first, last), math.floor(bound)),
    "<": lambda bound: (lambda factor, first, last: factor.below(first, last), math.ceil(bound) - 1),
    "==": lambda bound: (lambda factor, first, last: factor.at(first, last), math.floor(bound)),
}


def _size(state: State, draw: int, cut: Fraction) -> int:
    factor = state.draws[draw]
    assert not isinstance(factor, Tail)
    if isinstance(factor, Tabled):
        return len(factor.weights)
    first, last = factor.law.window(cut)
    return min(last, last if factor.high is None else factor.high) - max(first, first if factor.low is None else factor.low) + 1


def _mentions(value: Any, draw: int) -> bool:
    used: dict[int, None] = {}
    draws_in(value, used)
    return draw in used


# merge


class Keys:
    """What makes one value equal to another: draws count by their place, not by their number, and True is not 1.

    Lists without draws are numbered, so that a long one is compared only once.
    """

    def __init__(self) -> None:
        self.seen: dict[int, tuple[Any, Any]] = {}
        self.numbers: dict[Any, int] = {}
        self.undrawn = 0

    def of(self, value: Any, order: dict[int, int]) -> Any:
        if isinstance(value, tuple):
            known = self.seen.get(id(value))
            return known[1] if known is not None else self._list(value, order)
        if isinstance(value, Linear):
            self.undrawn += 1
            terms = tuple((order.setdefault(draw, len(order)), factor) for draw, factor in value.terms)
            return ("~", value.truth, terms, value.offset)
        return ("bool", value) if isinstance(value, bool) else value

    def _list(self, value: tuple[Any, ...], order: dict[int, int]) -> Any:
        before = self.undrawn
        key = ("list", *[self.of(entry, order) for entry in value])
        if self.undrawn != before:
            return key
        number = ("list number", self.numbers.setdefault(key, len(self.numbers)))
        self.seen[id(value)] = (value, number)  # the value is kept, so that its id stays its own
        return number


class Cloud:
    """States, equal ones merged: their weights add up."""

    def __init__(self, keys: Keys, states: Iterable[State] = ()) -> None:
        self.keys = keys
        self.found: dict[Any, list[State]] = {}
        for state in states:
            self.add(state)

    def __iter__(self) -> Iterator[State]:
        for same in self.found.values():
            yield from same

    def add(self, state: State) -> None:
        order: dict[int, int] = {}
        key = tuple([(name, self.keys.of(state.env[name], order)) for name in sorted(state.env)])
        if state.draws:
            state.draws = {draw: state.draws[draw] for draw in order}
        same = self.found.setdefault(key, [])
        for index, other in enumerate(same):
            merged = _merged(other, state)
            if merged is not None:
                same[index] = merged
                return
        same.append(state)


def has_draws(value: Any) -> bool:
    """Whether a value waits for noise."""
    if isinstance(value, tuple):
        return any(has_draws(entry) for entry in value)
    return isinstance(value, Linear)


def _merged(one: State, other: State) -> State | None:
    """Both states as one: possible when their draws differ in what is known of at most one."""
    apart = [
        (mine, yours) for mine, yours in zip(one.draws, other.draws, strict=True) if not one.draws[mine].same(other.draws[yours])
    ]
    if not apart:
        return State(one.env, one.draws, one.weight + other.weight)
    if len(apart) > 1:
        return None
    ((mine, yours),) = apart
    first, second = one.draws[mine], other.draws[yours]
    if isinstance(first, Tail) and isinstance(second, Tail):
        hull = Tail(_least(first.low, second.low), _most(first.high, second.high))
        return State(one.env, {**one.draws, mine: hull}, one.weight + other.weight)
    if isinstance(first, Tail) or isinstance(second, Tail):
        return None
    if one.weight is other.weight and isinstance(first, Lawful) and isinstance(second, Lawful):
        joined = _joined(first, second)
        if joined is not None:
            return State(one.env, {**one.draws, mine: joined}, one.weight)
    if not (isinstance(first, Tabled) and isinstance(second, Tabled)):
        return None
    table = _added(_scaled(first, one.weight), _scaled(second, other.weight))
    return State(one.env, {**one.draws, mine: table}, fmpq(1))


def _joined(one: Lawful, other: Lawful) -> Lawful | None:
    """Two ranges of one law that touch, as one range."""
    if one.law is not other.law:
        return None
    for left, right in ((one, other), (other, one)):
        if left.high is not None and right.low == left.high + 1:
            return Lawful(one.law, left.low, right.high)
    return None


def _scaled(table: Tabled, weight: Weight) -> Tabled:
    if isinstance(weight, fmpq) and weight == 1:
        return table
    return Tabled(
        table.law, table.start, tuple(entry * weight for entry in table.weights), table.under * weight, table.over * weight
    )


def _added(one: Tabled, other: Tabled) -> Tabled:
    """Two tables added; where one ends in an unknown tail, the other's entries out there join the bound."""
    start, end = min(one.start, other.start), max(one.end, other.end)
    for table in (one, other):
        start = max(start, table.start) if not vanishes(table.under) else start
        end = min(end, table.end) if not vanishes(table.over) else end
    under, over = one.under + other.under, one.over + other.over
    weights = [zero] * (end - start + 1)
    for table in (one, other):
        for k, weight in enumerate(table.weights, table.start):
            if k < start:
                under = under + weight
            elif k > end:
                over = over + weight
            else:
                weights[k - start] = weights[k - start] + weight
    return Tabled(one.law, start, tuple(weights), under, over)


def _later(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else max(one, other)


def _earlier(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)


def _least(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else min(one, other)


def _most(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)
