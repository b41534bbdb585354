"""Many states at once, equal ones merged: what keeps the number of states far below the number of runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from flint import fmpq

from twoworlds.exact.factors import Lawful, Tabled, Tail, added
from twoworlds.exact.states import State
from twoworlds.exact.trails import Trail
from twoworlds.exact.unseen import Linear

__all__ = ["Cloud", "Keys"]


class Keys:
    """What makes one value equal to another: draws count by their place, not by their number, and True is not 1.

    Lists without draws are numbered, so that a long one is compared only once.
    """

    def __init__(self) -> None:
        self.seen: dict[int, tuple[Any, Any]] = {}
        self.numbers: dict[Any, int] = {}
        self.undrawn = 0

    def of(self, value: Any, order: dict[int, int]) -> Any:
        kind = type(value)
        if kind is Fraction:
            return value
        if kind is tuple:
            known = self.seen.get(id(value))
            return known[1] if known is not None else self._list(value, order)
        if kind is Linear:
            self.undrawn += 1
            terms = tuple((order.setdefault(draw, len(order)), factor) for draw, factor in value.terms)
            return ("~", value.truth, terms, value.offset)
        return ("bool", value) if kind is bool else value

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
        """Every draw of the state is mentioned by one of its variables."""
        order: dict[int, int] = {}
        key: Any = tuple([(name, self.keys.of(state.env[name], order)) for name in sorted(state.env)])
        if state.draws:
            if len(order) != len(state.draws):
                raise AssertionError("a draw that nothing mentions was not summed out")
            state.draws = {draw: state.draws[draw] for draw in order}
            if state.ties:
                ties = frozenset((tie.op, self.keys.of(tie.form, order)) for tie in state.ties)
                key = (key, ties)
        same = self.found.setdefault(key, [])
        for index, other in enumerate(same):
            merged = _merged(other, state)
            if merged is not None:
                same[index] = merged
                return
        same.append(state)


def _merged(one: State, other: State) -> State | None:
    """Both states as one: possible when their draws differ in what is known of at most one."""
    apart = [
        (mine, yours) for mine, yours in zip(one.draws, other.draws, strict=True) if not one.draws[mine].same(other.draws[yours])
    ]
    if one.trail is not None and other.trail is not None:
        return None if apart else _joined(one, one.trail, other, other.trail)
    if not apart:
        return State(one.env, one.draws, one.weight + other.weight, one.ties)
    if len(apart) > 1:
        return None
    ((mine, yours),) = apart
    first, second = one.draws[mine], other.draws[yours]
    if isinstance(first, Tail) and isinstance(second, Tail):
        hull = Tail(_least(first.low, second.low), _most(first.high, second.high))
        return State(one.env, {**one.draws, mine: hull}, one.weight + other.weight, one.ties)
    if isinstance(first, Lawful) and isinstance(second, Lawful) and one.weight is other.weight:
        touching = _touching(first, second)
        if touching is not None:
            return State(one.env, {**one.draws, mine: touching}, one.weight, one.ties)
    if not (isinstance(first, Tabled) and isinstance(second, Tabled)):
        return None
    table = added(first.times(one.weight), second.times(other.weight))
    return State(one.env, {**one.draws, mine: table}, fmpq(1), one.ties)


def _joined(one: State, mine: Trail, other: State, yours: Trail) -> State | None:
    """Both trails into one, where the draw that they share with their past is the same."""
    places = [
        None if trail.shared is None else list(state.draws).index(trail.shared) for state, trail in ((one, mine), (other, yours))
    ]
    return State(one.env, one.draws, one.weight, one.ties, mine.joined(yours)) if places[0] == places[1] else None


def _touching(one: Lawful, other: Lawful) -> Lawful | None:
    """Two ranges of one law that touch, as one range."""
    if one.law is not other.law:
        return None
    for left, right in ((one, other), (other, one)):
        if left.high is not None and right.low == left.high + 1:
            return Lawful(one.law, left.low, right.high)
    return None


def _least(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else min(one, other)


def _most(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)
