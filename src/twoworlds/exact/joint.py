"""Two recorded readings taken together: every list with its probability in both worlds, equal pairs of probabilities as one.

Both graphs are walked in step along the lists that they write. Two lists whose factors are the same, in any order, are equally
likely in each world; from one pair of nodes on they stay so. So they go on as one row that counts them: with equal queries the
lists of a sparse vector fall into as many rows as there are counts of answers.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from flint import fmpq

from twoworlds.exact.alike import Alike, Told, Wrote, either
from twoworlds.exact.columns import Columns, Window
from twoworlds.exact.oneway import Row
from twoworlds.exact.pairing import Paired, Step, steps
from twoworlds.exact.revealing import revealed
from twoworlds.exact.trails import Close, End, Mark, Node, Reveal, Scale, Untraced, Weigh
from twoworlds.exact.weights import Weight, ball, total

__all__ = ["MOST_ROWS", "TooMany", "rows"]

MOST_ROWS = 50_000
_MOST_MOVES = 50_000  # rows, added up over all pairs of nodes
_FEW = 30_000  # lists: so many never move too often
_ALIKE = 8  # kinds of steps: of so few, lists are mostly alike
_MOST_ENTRIES = 10_000_000  # of all tables that stand at one pair of nodes


class TooMany(Exception):
    """The lists fall into too many rows."""


class _Line(NamedTuple):
    """Lists that are equally likely: what each weighs in both worlds, apart from its table; how many; which."""

    one: Weight
    other: Weight
    times: int
    told: Told
    even: bool
    single: bool


Key = tuple[int, tuple[int, ...], int]
"""What a line's weights were made of, in any order: single factors, tables summed out, and the factors of its open table.

A multiset of factors is a number with a digit for each, which counts it; summed tables are numbered, and sorted.
"""


@dataclass(frozen=True, eq=False)
class _Bundle:
    """The lines at one pair of nodes, and while the shared draw lives its tables in both worlds; `places` finds a line's."""

    lines: dict[Key, _Line]
    places: dict[int, int]
    tables: tuple[Columns | None, Columns | None]


def rows(graphs: tuple[Node, Node], lists: int, cut: Fraction) -> list[Row]:
    """One row for all lists that are equally likely in each world; `TooMany` at once if there are too many such rows."""
    joint = _Joint(graphs, cut)
    if lists > _FEW and joint.kinds > _ALIKE:
        _Joint(graphs, cut, counts=True).lines()
    found = [_row(line) for line in joint.lines()]
    for weights in ([row.weight for row in found], [row.other for row in found]):
        if not ball(total(weights)).overlaps(ball(1)):
            raise AssertionError("the outputs that were counted together do not make up the whole law")
    return found


def _row(line: _Line) -> Row:
    alike = Alike(line.told, line.times)
    single = line.times == 1
    output = alike.example if single else alike
    return Row(output, line.one * line.times, line.other * line.times, line.even, line.single and single)


class _Joint:
    """Two graphs walked in step; `counts` counts the lines and reckons no weights."""

    def __init__(self, graphs: tuple[Node, Node], cut: Fraction, *, counts: bool = False) -> None:
        self.graphs = graphs
        self.cut = cut
        self.counts = counts
        self.pairs = _reached(graphs)
        self.digit = _longest(self.pairs).bit_length()
        self.scales: dict[Any, int] = {}
        self.weighs: dict[Any, int] = {}
        self.closed: dict[int, int] = {}
        self.windows: dict[Any, Window] = {}
        self.vectors: dict[Any, Any] = {}
        self.moves = 0
        self.ties = itertools.count()

    @property
    def kinds(self) -> int:
        """How many answers there are whose chances differ."""
        pairs = [pair for found in self.pairs.values() for step in found for pair in step.events]
        return len(
            {tuple([event and event.key for event in pair]) for pair in pairs if any(type(each) is Weigh for each in pair)}
        )

    def once(self, numbers: dict[Any, int], key: Any) -> int:
        """A factor, as a multiset that holds it once."""
        return 1 << self.digit * numbers.setdefault(key, len(numbers))

    # walking

    def lines(self) -> list[_Line]:
        """The lines of whole lists."""
        waiting: dict[Paired, list[_Bundle]] = {self.graphs: [_Bundle({(0, (), 0): _START}, {}, (None, None))]}
        order: list[tuple[tuple[int, int], int, Paired]] = [(_order(self.graphs), next(self.ties), self.graphs)]
        found: dict[Key, _Line] = {}
        while order:
            _, _, pair = heapq.heappop(order)
            bundle = self._joined(waiting.pop(pair))
            for step in self.pairs[pair]:
                after = self._moved(bundle, step)
                if isinstance(step.label, End):
                    _add(found, after.lines)
                    continue
                if step.target not in waiting:
                    waiting[step.target] = []
                    heapq.heappush(order, (_order(step.target), next(self.ties), step.target))
                waiting[step.target].append(after)
            if len(found) > MOST_ROWS:
                raise TooMany
        return list(found.values())

    def _joined(self, bundles: list[_Bundle]) -> _Bundle:
        """What has come to one pair of nodes from everywhere."""
        lines: dict[Key, _Line] = {}
        for bundle in bundles:
            _add(lines, bundle.lines)
        self.moves += len(lines)
        if self.moves > _MOST_MOVES:
            raise TooMany
        places: dict[int, int] = {}
        chosen: list[list[int]] = []
        for bundle in bundles:
            fresh = {key: place for key, place in bundle.places.items() if key not in places}
            places.update(zip(fresh, range(len(places), len(places) + len(fresh)), strict=True))
            chosen.append(list(fresh.values()))
        tables = tuple(self._stacked([bundle.tables[world] for bundle in bundles], chosen) for world in (0, 1))
        return _Bundle(lines, places, (tables[0], tables[1]))

    def _stacked(self, parts: list[Columns | None], chosen: list[list[int]]) -> Columns | None:
        kept = [(columns, places) for columns, places in zip(parts, chosen, strict=True) if columns is not None and places]
        if sum(len(places) * columns.entries.shape[1] for columns, places in kept) > _MOST_ENTRIES:
            raise TooMany
        return Columns.stacked(kept) if kept else None

    # steps

    def _moved(self, bundle: _Bundle, step: Step) -> _Bundle:
        for events in step.events:
            bundle = self._after(bundle, events)
        if isinstance(step.label, Mark):
            value = step.label.value
            lines = {
                key: _Line(one, other, times, Wrote(told, value), even, single)
                for key, (one, other, times, told, even, single) in bundle.lines.items()
            }
            return _Bundle(lines, bundle.places, bundle.tables)
        return bundle

    def _after(self, bundle: _Bundle, events: tuple[Any, Any]) -> _Bundle:
        kind = next(type(event) for event in events if event is not None)
        if kind is Weigh:
            return self._weighed(bundle, events)
        if kind is Close:
            return self._closed(bundle)
        if kind is Reveal:
            return self._revealed(bundle, events)
        weights = [_mass(event) for event in events]
        once = self.once(
            self.scales, tuple([event and event.key if isinstance(event, Scale) else event and _keys(event) for event in events])
        )
        lines = {
            (scales + once, closed, table): line._replace(one=line.one * weights[0], other=line.other * weights[1])
            for (scales, closed, table), line in bundle.lines.items()
        }
        return _Bundle(lines, bundle.places, bundle.tables)

    def _weighed(self, bundle: _Bundle, events: tuple[Weigh | None, Weigh | None]) -> _Bundle:
        if not bundle.places:
            bundle = self._opened(bundle, events)
        once = self.once(self.weighs, tuple([event and event.key for event in events]))
        tables = [
            None if event is None or table is None else table.times(self._chances(world, event))
            for world, (event, table) in enumerate(zip(events, bundle.tables, strict=True))
        ]
        lines = {(scales, closed, table + once): line for (scales, closed, table), line in bundle.lines.items()}
        return _Bundle(lines, {key + once: place for key, place in bundle.places.items()}, (tables[0], tables[1]))

    def _opened(self, bundle: _Bundle, events: tuple[Weigh | None, Weigh | None]) -> _Bundle:
        names = [event and ("open", event.shared.law, event.shared.low, event.shared.high) for event in events]
        key = self.once(self.weighs, tuple(names))
        tables: list[Columns | None] = [None, None]
        for world, event in enumerate(events):
            if event is not None and not self.counts:
                if (world, names[world]) not in self.vectors:
                    self.vectors[world, names[world]] = self._window(world, event).masses(event.shared)
                tables[world] = Columns.opened(self.vectors[world, names[world]])
        lines = {(scales, closed, key): line for (scales, closed, _), line in bundle.lines.items()}
        return _Bundle(lines, {key: 0}, (tables[0], tables[1]))

    def _window(self, world: int, event: Weigh) -> Window:
        """One window for all the draws of a law, wide enough for everything that they are compared with in this world."""
        shared = event.shared
        name = (world, shared.law, shared.low, shared.high)
        if name not in self.windows:
            weighs = [
                pair[world]
                for found in self.pairs.values()
                for step in found
                for pair in step.events
                if isinstance(pair[world], Weigh) and pair[world].shared.same(shared)
            ]
            self.windows[name] = Window.of(shared, weighs, self.cut)
        return self.windows[name]

    def _chances(self, world: int, event: Weigh) -> Any:
        name = (world, event.key)
        if name not in self.vectors:
            self.vectors[name] = self._window(world, event).chances(event)
        return self.vectors[name]

    def _closed(self, bundle: _Bundle) -> _Bundle:
        zero = [fmpq(0)] * len(bundle.places)
        sums = [zero if table is None else table.totals() for table in bundle.tables]
        lines: dict[Key, _Line] = {}
        for (scales, closed, table), line in bundle.lines.items():
            number, place = self.closed.setdefault(table, len(self.closed)), bundle.places[table]
            one, other, times, told, even, single = line
            _put(
                lines,
                (scales, tuple(sorted((*closed, number))), 0),
                _Line(one * sums[0][place], other * sums[1][place], times, told, even, single),
            )
        return _Bundle(lines, {}, (None, None))

    def _revealed(self, bundle: _Bundle, events: tuple[Reveal, Reveal]) -> _Bundle:
        lines: dict[Key, _Line] = {}
        for value in revealed(events, self.cut):
            once = self.once(self.scales, value.key)
            told = {
                (scales + once, closed, table): _Line(
                    line.one * value.one,
                    line.other * value.other,
                    line.times,
                    Wrote(line.told, value.shown),
                    line.even and value.even,
                    line.single and value.single,
                )
                for (scales, closed, table), line in bundle.lines.items()
            }
            _add(lines, told)
        return _Bundle(lines, bundle.places, bundle.tables)


_START = _Line(fmpq(1), fmpq(1), 1, None, even=True, single=True)


def _add(lines: dict[Key, _Line], more: dict[Key, _Line]) -> None:
    """More lines; those of the same factors become one."""
    if not lines:
        lines.update(more)
        return
    for key, line in more.items():
        _put(lines, key, line)


def _put(lines: dict[Key, _Line], key: Key, line: _Line) -> None:
    known = lines.setdefault(key, line)
    if known is not line:
        one, other, times, told, even, single = known
        lines[key] = _Line(one, other, times + line.times, either(told, line.told), even, single)


def _mass(event: Any) -> Weight:
    """What a draw, or any of several ways, leaves of a weight."""
    if event is None:
        return fmpq(0)
    if isinstance(event, Scale):
        return event.factor.total
    found: Weight = fmpq(0)
    for way in event:
        weight: Weight = fmpq(1)
        for scale in way:
            weight = weight * scale.factor.total
        found = found + weight
    return found


def _keys(ways: Sequence[Sequence[Scale]]) -> Any:
    return tuple([tuple([scale.key for scale in way]) for way in ways])


def _order(pair: Paired) -> tuple[int, int]:
    """Every step leads to a pair that comes later; a world that cannot write the list has no node any more."""
    one, other = pair
    return (0, one.number) if one is not None else (1, 0 if other is None else other.number)


def _longest(pairs: dict[Paired, list[Step]]) -> int:
    """A bound on the number of factors of any list, and so on how often it can have one of them."""
    most: dict[Paired, int] = {}
    for pair in sorted(pairs, key=_order, reverse=True):
        most[pair] = max((len(step.events) + 1 + most.get(step.target, 0) for step in pairs[pair]), default=0)
    return max(most.values())


def _reached(graphs: tuple[Node, Node]) -> dict[Paired, list[Step]]:
    """Every pair of nodes that some list leads to, with the steps from it."""
    found: dict[Paired, list[Step]] = {}
    waiting: list[Paired] = [graphs]
    while waiting:
        pair = waiting.pop()
        if pair not in found:
            found[pair] = steps(pair)
            waiting += [step.target for step in found[pair] if not isinstance(step.label, End)]
    if not any(found.values()):
        raise Untraced
    return found
