"""Pairs of worlds to try: the patterns that break mechanisms, small changes to a pair, and how a pair grows with its list.

Nothing is drawn at random, so the same program is always asked the same questions in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

from twoworlds.proofs.statements import Statement
from twoworlds.proofs.trials import Numbers
from twoworlds.source.interpreter import freeze
from twoworlds.source.program import Append, For, Item, Name, walk
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["LENGTH", "Pair", "changed", "doubled", "grown", "is_list", "pairs", "settings", "stretched"]

LENGTH = 4
_LONGEST = 12
_OTHERS = 16  # pairs of relations that are neither numbers nor lists of them
_EPSILONS = tuple(map(Fraction, ("1", "1/2", "2", "1/4", "-1")))
_SHAPES = ((0, 0, 0), (0, 0, 1), (1, 1, 0), (0, 0, -1), (-1, -1, 1), (2, -2, 0))
"""What the first, the middle and the last entry are, in units of the bound."""
_MOVES = ((1, 1, 1), (1, 0, 0), (0, 0, 1), (1, -1, -1), (1, 1, -1), (1, -1, 0), (-1, -1, -1), (-1, 1, 1), (-1, -1, 1), (0, 1, 0))
_HALVES = ((0, 0), (0, 1), (1, -1))


@dataclass(frozen=True)
class Pair:
    """Two values of the private parameter, and the public parameters."""

    one: Any
    other: Any
    public: Mapping[str, Any]

    @property
    def length(self) -> int | None:
        return len(self.one) if isinstance(self.one, tuple) else None


def settings(found: Statement) -> list[dict[str, Any]]:
    """Public parameters: ones for what scales, zeros for what is compared with; then others, with less noise or more."""
    names = [name for name in found.program.parameters if name != found.relation.parameter]
    lists = _lists(found) & set(names)
    priced = found.price.names
    scaling = priced | found.relation.by.names | found.whole
    one, half, two = Fraction(1), Fraction(1, 2), Fraction(2)

    def setting(scales: Fraction, counts: Fraction, rest: Fraction) -> dict[str, Any]:
        values = {name: counts if name in found.whole else scales if name in scaling else rest for name in names}
        return {**values, **dict.fromkeys(lists, (rest,) * LENGTH)}

    tried = [
        setting(one, one, Fraction(0)),
        setting(one, two, Fraction(0)),
        setting(Fraction(4), one, Fraction(0)),
        setting(one, one, one),
        setting(one, two, half),
        setting(half, one, two),
        setting(one, Fraction(4), two),
    ]
    return [public for at, public in enumerate(tried) if public not in tried[:at]]


def _lists(found: Statement) -> set[str]:
    """The names that are read as lists."""
    names = {
        node.sequence.name
        for node in walk(found.program.body)
        if isinstance(node, Item | For) and isinstance(node.sequence, Name)
    }
    return names | {node.target for node in walk(found.program.body) if isinstance(node, Append)}


def pairs(found: Statement, public: Mapping[str, Any], length: int = LENGTH) -> Iterator[Pair]:
    """Neighbouring worlds at these public parameters, likeliest to differ first; lists of this length."""
    relation = found.relation
    if is_list(found):
        bound = relation.bound({**public, relation.parameter: [Fraction(0)] * length})
        for one, moves in _lists_and_moves(length):
            first = tuple(bound * level for level in one)
            yield from _joined(found, first, tuple(a + bound * move for a, move in zip(first, moves, strict=True)), public)
    elif (values := getattr(relation, "values", None)) is not None:
        for one, other in permutations(values, 2):
            yield from _joined(found, one, other, public)
    elif hasattr(relation, "limit") and not hasattr(relation, "dimensions"):
        bound = relation.bound(public)
        for start in (0, 1, -1, 3):
            yield from _joined(found, start * bound, (start + 1) * bound, public)
    else:
        for start in range(_OTHERS):
            yield from _joined(found, *relation.pairs(Numbers(start), public), public)


def is_list(found: Statement) -> bool:
    relation = found.relation
    return hasattr(relation, "norm") or hasattr(getattr(relation, "relation", None), "norm")


def _lists_and_moves(length: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Entries and moves of a list: ends that differ from the middle, halves that differ from each other."""
    for first, middle, last in _SHAPES:
        for moves in _MOVES:
            yield _ends(first, middle, last, length), _ends(*moves, length)
    half = length // 2
    for left, right in _HALVES:
        yield (left,) * half + (right,) * (length - half), (1,) * half + (-1,) * (length - half)


def _ends(first: int, middle: int, last: int, length: int) -> tuple[int, ...]:
    return (first, *[middle] * (length - 2), last)[-length:]


def _joined(found: Statement, one: Any, other: Any, public: Mapping[str, Any]) -> Iterator[Pair]:
    """The pair, if the two are neighbours."""
    one, other = freeze(one), freeze(other)
    known = {**public, found.relation.parameter: one}
    try:
        if one != other and found.relation.obstacle(one, other, known) is None:
            yield Pair(one, other, dict(public))
    except TwoWorldsError:
        return


def changed(found: Statement, pair: Pair) -> Iterator[Pair]:
    """The pair with one thing about it changed: an entry, a move, a public parameter, the length of the list."""
    for name in sorted(pair.public):
        for value in _near(found, name, pair.public[name]):
            yield from _joined(found, pair.one, pair.other, {**pair.public, name: value})
    if pair.length is None or not is_list(found):
        yield from _moved_together(found, pair)
        return
    bound = found.relation.bound({**pair.public, found.relation.parameter: pair.one})
    for at in range(pair.length):
        for step in (bound, -bound, 4 * bound, -4 * bound):
            yield from _joined(
                found, _put(pair.one, at, pair.one[at] + step), _put(pair.other, at, pair.other[at] + step), pair.public
            )
        for move in (bound, -bound, Fraction(0)):
            if pair.other[at] != pair.one[at] + move:
                yield from _joined(found, pair.one, _put(pair.other, at, pair.one[at] + move), pair.public)


def _near(found: Statement, name: str, value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | bool) or not isinstance(value, Fraction):
        return
    if name in found.whole:
        yield from (value + 1, value + 2)
    elif name in found.price.names | found.relation.by.names:
        yield from (other for other in _EPSILONS if other != value)
    else:
        yield from (value + 1, value - 1, value + 4, value - 4, value + Fraction(1, 4))


def _moved_together(found: Statement, pair: Pair) -> Iterator[Pair]:
    """Numbers that move together."""
    if isinstance(pair.one, Fraction) and isinstance(pair.other, Fraction) and getattr(found.relation, "values", None) is None:
        for step in (1, -1, 4, -4):
            yield from _joined(found, pair.one + step, pair.other + step, pair.public)


def _put(entries: tuple[Any, ...], at: int, value: Any) -> tuple[Any, ...]:
    return (*entries[:at], value, *entries[at + 1 :])


def _repeated(pair: Pair, at: int, times: int) -> tuple[Any, Any]:
    worlds = ((*world[:at], *(world[at],) * times, *world[at + 1 :]) for world in (pair.one, pair.other))
    one, other = worlds
    return one, other


def grown(found: Statement, pair: Pair) -> Iterator[tuple[Pair, tuple[int, ...]]]:
    """Longer lists made of entries that are there, with the place that each entry comes from: one repeated, one put elsewhere."""
    assert pair.length is not None
    places = range(pair.length)
    distinct = {(pair.one[at], pair.other[at]): at for at in places}
    for at in places:
        for source in dict.fromkeys((at, *distinct.values())):
            order = (*range(at), source, *range(at, pair.length))
            yield from ((longer, order) for longer in _reordered(found, pair, order, pair.public))


def doubled(found: Statement, pair: Pair) -> Iterator[Pair]:
    """The list twice over, as it is and with each count of the parameters raised by one."""
    assert pair.length is not None
    order = (*range(pair.length), *range(pair.length))
    for name in (None, *sorted(found.whole & pair.public.keys())):
        public = pair.public if name is None else {**pair.public, name: pair.public[name] + 1}
        yield from _reordered(found, pair, order, public)


def _reordered(found: Statement, pair: Pair, order: tuple[int, ...], public: Mapping[str, Any]) -> Iterator[Pair]:
    yield from _joined(found, tuple(pair.one[at] for at in order), tuple(pair.other[at] for at in order), public)


def stretched(found: Statement, pair: Pair, at: int, length: int) -> Pair | None:
    """The pair at another length: entry `at` stands as often as it takes, or is left out."""
    assert pair.length is not None
    times = length - pair.length + 1
    if times < 0:
        return None
    return next(_joined(found, *_repeated(pair, at, times), pair.public), None)
