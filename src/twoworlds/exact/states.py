"""A state of the exact reader, and its moves: look at a draw, split on a condition, fuse draws, forget what is dead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from twoworlds.exact.effort import Effort
from twoworlds.exact.factors import Factor, Known, Tabled, Tail, earlier, later
from twoworlds.exact.lines import NEGATED, Condition, ranges
from twoworlds.exact.sums import convolved
from twoworlds.exact.trails import Trail, Untraced
from twoworlds.exact.unseen import Linear, draws_in, has_draws
from twoworlds.exact.weights import Weight, between, vanishes

__all__ = ["State", "fused", "is_hidden", "look", "prune", "settle", "split"]

_ASKED = "@asked"
_WIDEST = 400_000  # entries of the tables that a fusion may multiply
_PER_STEP = 20  # entries of a table that are about as much work as one step


class State:
    """Values of the live variables, what is known of the draws in them, and the probability of being here.

    `ties` are conditions between two draws that both live. All else about the draws is independent. A state with a `trail`
    remembers what happened to its weight and reckons nothing.
    """

    __slots__ = ("draws", "env", "stale", "ties", "trail", "weight")

    def __init__(
        self,
        env: dict[str, Any],
        draws: dict[int, Factor],
        weight: Weight,
        ties: tuple[Condition, ...] = (),
        trail: Trail | None = None,
    ) -> None:
        self.env = env
        self.draws = draws
        self.weight = weight
        self.ties = ties
        self.trail = trail
        self.stale = False  # whether a draw may have lost its last mention

    def put(self, name: str, value: Any) -> None:
        """Give a variable another value."""
        self.drop(name)
        self.env[name] = value

    def drop(self, name: str) -> None:
        """Forget a variable."""
        self.stale = self.stale or (name in self.env and has_draws(self.env[name]))
        self.env.pop(name, None)

    def copy(self) -> State:
        return State(dict(self.env), dict(self.draws), self.weight, self.ties, self.trail)

    @property
    def is_possible(self) -> bool:
        return not vanishes(self.weight)

    def tied(self, draw: int) -> list[Condition]:
        return [tie for tie in self.ties if draw in tie.draws]


def is_hidden(name: str) -> bool:
    """Whether a name belongs to the reader and not to the program: such values are always live."""
    return name[0] == "@"


# look


def look(state: State, draw: int, effort: Effort) -> Iterator[State]:
    """One state for each value of a draw, and one for each tail beyond the cut, in which it remains unseen."""
    factor = state.draws[draw]
    if state.trail is not None:
        raise Untraced
    if isinstance(factor, Tail):
        yield state
        return
    table = factor.tabled(effort.cut)
    effort.spend(len(table.weights))
    rest = {other: known for other, known in state.draws.items() if other != draw}
    tied, free = state.tied(draw), tuple(tie for tie in state.ties if draw not in tie.draws)
    for k, weight in enumerate(table.weights, table.start):
        if not vanishes(weight):
            env = {name: put(value, draw, k) for name, value in state.env.items()}
            seen = State(env, dict(rest), state.weight * weight, free)
            yield from _kept(seen, [Condition(put(tie.form, draw, k), tie.op) for tie in tied])
    for side, low, high in ((table.under, None, table.start - 1), (table.over, table.end + 1, None)):
        if side is not None:
            yield State(dict(state.env), {**state.draws, draw: Tail(low, high)}, between(state.weight * side.total), free)


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


def _kept(state: State, conditions: Sequence[Condition]) -> list[State]:
    """The parts of a state in which conditions on single draws hold."""
    states = [state]
    for condition in conditions:
        states = [part for each in states for part in _restricted(each, condition)]
    return states


# split


def split(state: State, condition: Condition, effort: Effort) -> list[State]:
    """The parts of the state in which the condition holds.

    A draw compared with a number is restricted to a range, so its law is only ever summed, in closed form. Two draws are tied,
    until one of them dies. Of more, those that only occur together are fused into one, or else one is looked at.
    """
    draws = condition.draws
    if len(draws) == 1:
        return _restricted(state, condition)
    if any(isinstance(state.draws[draw], Tail) for draw in draws):
        return [State(dict(state.env), dict(state.draws), between(state.weight), state.ties)]
    if len(draws) == 2:
        return _tie(state, condition)
    asked = State({**state.env, _ASKED: condition.form}, dict(state.draws), state.weight, state.ties, state.trail)
    parts = fused(asked, effort)
    if parts is None:
        chosen = min(draws, key=lambda draw: size(state.draws[draw], effort))
        parts = list(look(asked, chosen, effort))
    found: list[State] = []
    for part in parts:
        question = part.env.pop(_ASKED)
        found.extend(split(part, Condition(question, condition.op), effort))
    return found


def _tie(state: State, condition: Condition) -> list[State]:
    """Remember a condition between two draws, unless its answer is remembered already."""
    asked = (condition.form.terms, condition.form.offset)
    for tie in state.ties:
        if (tie.form.terms, tie.form.offset) == asked and tie.op in (condition.op, NEGATED[condition.op]):
            return [state.copy()] if tie.op == condition.op else []
    return [State(dict(state.env), dict(state.draws), state.weight, (*state.ties, condition), state.trail)]


def _restricted(state: State, condition: Condition) -> list[State]:
    draw, op, bound = condition.alone()
    factor = state.draws[draw]
    trail = state.trail and state.trail.restricted(draw)
    found = []
    for low, high in ranges(op, bound):
        low, high = later(low, factor.low), earlier(high, factor.high)  # noqa: PLW2901  the part of the range that is left
        if low is not None and high is not None and low > high:
            continue
        kept = factor.restrict(low, high)
        weight = state.weight
        if isinstance(kept, Tail) and isinstance(factor, Tabled):
            weight = between(weight * factor.outside(low, high))
        if not vanishes(weight) and not (low is not None and high is not None and vanishes(kept.total)):
            found.append(State(dict(state.env), {**state.draws, draw: kept}, weight, state.ties, trail))
    return found


def size(factor: Factor, effort: Effort) -> int:
    """How many values of a draw there are to look at."""
    return 0 if isinstance(factor, Tail) else factor.size(effort.cut)


# fuse


def fused(state: State, effort: Effort) -> list[State] | None:
    """The state with draws that occur only in one and the same sum or difference made one draw; None if there are none."""
    for group in _groups(state):
        if state.trail is not None:
            raise Untraced
        parts = _fused_group(state, group, effort)
        if parts is not None:
            return parts
    return None


def _groups(state: State) -> list[list[tuple[int, Fraction]]]:
    """Draws with their coefficients, grouped when every form that holds one holds all, in one proportion of size 1."""
    seen: dict[int, list[tuple[int, Fraction]]] = {}
    for place, found in enumerate([*_forms(tuple(state.env.values())), *(tie.form for tie in state.ties)]):
        for draw, factor in found.terms:
            seen.setdefault(draw, []).append((place, factor))
    groups: dict[Any, list[tuple[int, Fraction]]] = {}
    for draw, places in seen.items():
        lead = places[0][1]
        if not isinstance(state.draws[draw], Tail):
            key = (abs(lead), *((place, factor / lead) for place, factor in places))
            groups.setdefault(key, []).append((draw, lead))
    return [group for group in groups.values() if len(group) > 1]


def _forms(values: tuple[Any, ...]) -> Iterator[Linear]:
    for value in values:
        if isinstance(value, Linear):
            yield value
        elif isinstance(value, tuple):
            yield from _forms(value)


def _fused_group(state: State, group: list[tuple[int, Fraction]], effort: Effort) -> list[State] | None:
    """All draws of a group as one, added up two by two so that equal sizes meet."""
    lead = group[0][1]
    parts: list[tuple[Known, int]] = []
    for draw, factor in group:
        known = state.draws[draw]
        assert not isinstance(known, Tail)
        parts.append((known, 1 if factor == lead else -1))
    width = sum(known.size(effort.cut) for known, _ in parts)
    if width > _WIDEST:
        return None
    effort.spend(width // _PER_STEP)
    while len(parts) > 1:
        merged = []
        sums: dict[tuple[int, int], tuple[Known, int]] = {}  # of equal parts: the many coins of a count are one law
        for (one, plus), (other, sign) in zip(parts[::2], parts[1::2], strict=False):
            key = (id(one) * plus, id(other) * sign)
            if key not in sums:
                sums[key] = (convolved(one, other, plus * sign, effort.cut), plus)
            merged.append(sums[key])
        parts = merged + parts[len(parts) - len(parts) % 2 :]
    known, sign = parts[0]
    new = group[0][0]
    gone = [draw for draw, _ in group[1:]]
    env = {name: _without(value, gone) for name, value in state.env.items()}
    draws = {draw: factor for draw, factor in state.draws.items() if draw not in gone}
    draws[new] = known if sign > 0 or isinstance(known, Tail) else known.tabled(effort.cut).mirrored()
    inner = [Condition(_without(tie.form, gone), tie.op) for tie in state.ties]
    ties = tuple(tie for tie in inner if len(tie.draws) > 1)
    return _kept(State(env, draws, state.weight, ties), [tie for tie in inner if len(tie.draws) == 1])


def _without(value: Any, gone: Sequence[int]) -> Any:
    """The value with the fused draws left to the one that stands for all."""
    if isinstance(value, Linear):
        terms = tuple((draw, factor) for draw, factor in value.terms if draw not in gone)
        return value if len(terms) == len(value.terms) else Linear(terms, value.offset)
    if isinstance(value, tuple):
        entries = tuple(_without(entry, gone) for entry in value)
        return entries if any(a is not b for a, b in zip(entries, value, strict=True)) else value
    return value


# forget


def prune(state: State, live: frozenset[str], effort: Effort) -> list[State]:
    """Forget dead variables, then the draws that nothing mentions any more."""
    for name in [name for name in state.env if name not in live and not is_hidden(name)]:
        state.drop(name)
    return settle(state, effort)


def settle(state: State, effort: Effort) -> list[State]:
    """Sum out the draws that nothing mentions any more: free ones alone, tied ones as a factor on the draw they are tied to."""
    if not state.stale:
        return [state] if state.is_possible else []
    state.stale = False
    used: dict[int, None] = {}
    for value in state.env.values():
        draws_in(value, used)
    dead = [draw for draw in state.draws if draw not in used]
    while dead:
        way = 1 if state.trail is None else -1  # on a trail the oldest draw, which many were compared with, comes last
        draw = min(dead, key=lambda draw: (len(state.tied(draw)), isinstance(state.draws[draw], Tabled), way * draw))
        ties = state.tied(draw)
        if isinstance(state.draws[draw], Tail) and ties:  # whatever it is tied to may be anything
            state.ties = tuple(tie for tie in state.ties if tie not in ties)
            state.weight, ties = between(state.weight), []
        if len(ties) > 1:
            chosen = min(dead, key=lambda draw: size(state.draws[draw], effort))
            return [last for part in _looked(state, chosen, effort) for last in settle(part, effort)]
        dead.remove(draw)
        factor = state.draws.pop(draw)
        if not ties and state.trail is not None:
            state.trail = state.trail.died(draw, factor)
        elif not ties:
            state.weight = state.weight * factor.total
        elif not _weigh(state, ties[0], draw, factor, effort):
            return []
    return [state] if state.is_possible else []


def _looked(state: State, draw: int, effort: Effort) -> Iterator[State]:
    """As `look`, where a draw out in a tail is dead too: its ties have been counted as fulfilled, from above."""
    for part in look(state, draw, effort):
        part.draws.pop(draw, None)
        part.stale = True
        yield part


def _weigh(state: State, tie: Condition, draw: int, factor: Factor, effort: Effort) -> bool:
    """Turn the only tie of a dead draw into a factor on the other; False if that leaves nothing."""
    other, line = tie.about(draw)
    kept = state.draws[other]
    state.ties = tuple(each for each in state.ties if each is not tie)
    if state.trail is not None:
        state.trail = state.trail.weighed(other, kept, factor, line)
        return True
    if isinstance(kept, Tail):
        bound = factor.total if isinstance(factor, Tail) else line.most(factor, kept.low, kept.high)
        state.weight = between(state.weight * bound)
        return state.is_possible
    if isinstance(factor, Tail):
        state.weight = between(state.weight)
        return True
    effort.spend(size(kept, effort) // _PER_STEP)
    table = line.weigh(factor, kept, effort.cut)
    if table is None:
        return False
    state.draws[other] = table
    return True
