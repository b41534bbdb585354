"""Where a state has come from, when that is remembered instead of reckoned: the steps of a reading as a graph.

States that differ only in what they have written are one state here, so a graph of a few hundred nodes holds millions of outputs:
each output is a path from the start, read off the labels of its edges, and its probability is what the events on the way say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from twoworlds.exact.factors import Factor, Lawful
from twoworlds.exact.lines import Line

__all__ = ["Close", "Edge", "End", "Event", "Mark", "Node", "Noisy", "Reveal", "Scale", "Tangled", "Trail", "Untraced", "Weigh"]


class Untraced(Exception):
    """Something that a trail cannot remember: the reading has to be done in full."""


class Scale(NamedTuple):
    """A draw has died: what was left of its law is a factor."""

    factor: Lawful

    @property
    def key(self) -> Any:
        return ("scale", *_known(self.factor))


class Weigh(NamedTuple):
    """A draw has died that was compared with the shared one: its chance is a factor for each value of that."""

    shared: Lawful
    gone: Lawful
    line: Line

    @property
    def key(self) -> Any:
        return ("weigh", *_known(self.shared), *_known(self.gone), self.line)


class Close(NamedTuple):
    """The shared draw has died: it is summed out."""

    shared: Lawful

    @property
    def key(self) -> Any:
        return ("close", *_known(self.shared))


class Reveal(NamedTuple):
    """slope * draw + offset is written, and nothing else ever speaks of the draw."""

    factor: Lawful
    slope: Fraction
    offset: Fraction

    @property
    def key(self) -> Any:
        return ("reveal", *_known(self.factor), self.slope, self.offset)


class Tangled(NamedTuple):
    """A number is written that shares its noise with something else: its values can be counted, no more."""

    width: int

    @property
    def key(self) -> Any:
        raise Untraced


Event = Scale | Weigh | Close | Reveal | Tangled


def _known(factor: Lawful) -> tuple[Any, ...]:
    return factor.law, factor.low, factor.high


class Mark(NamedTuple):
    """A written value; `kind` tells True from 1."""

    kind: str
    value: Any


class Noisy(NamedTuple):
    """A written number that holds noise of its own."""


class End(NamedTuple):
    """The list is returned."""


class Edge(NamedTuple):
    """The way from a node to the next; without a label nothing is written on it."""

    events: tuple[Event, ...]
    label: Mark | Noisy | End | None
    target: Node | None


@dataclass(eq=False, repr=False)  # a graph has more paths than anybody wants to see
class Node:
    """A place that states go on from; edges lead from lower numbers to higher."""

    number: int
    edges: list[Edge] = field(default_factory=list)

    def ways(self) -> Iterator[Edge]:
        """The labelled edges that lead on from here, with all events on the way to them."""
        waiting: list[tuple[Node, tuple[Event, ...]]] = [(self, ())]
        while waiting:
            node, before = waiting.pop()
            for edge in node.edges:
                if edge.label is None and edge.target is not None:
                    waiting.append((edge.target, before + edge.events))
                else:
                    yield Edge(before + edge.events, edge.label, edge.target)


class Graph:
    """The nodes of one reading."""

    def __init__(self) -> None:
        self.nodes = 0

    def node(self) -> Node:
        self.nodes += 1
        return Node(self.nodes)


@dataclass(frozen=True, eq=False)
class Trail:
    """A state's place: the last node, what happened since, and which draw is the shared one, if some draw is."""

    graph: Graph
    node: Node
    events: tuple[Event, ...] = ()
    shared: int | None = None

    @staticmethod
    def start() -> Trail:
        graph = Graph()
        return Trail(graph, graph.node())

    def weighed(self, draw: int, kept: Factor, gone: Factor, line: Line) -> Trail:
        """A draw that was compared with this one has died."""
        if not isinstance(kept, Lawful) or not isinstance(gone, Lawful) or self.shared not in (None, draw):
            raise Untraced
        return Trail(self.graph, self.node, (*self.events, Weigh(kept, gone, line)), draw)

    def died(self, draw: int, factor: Factor) -> Trail:
        """A draw that nothing is tied to has died."""
        if not isinstance(factor, Lawful):
            raise Untraced
        if draw == self.shared:
            return Trail(self.graph, self.node, (*self.events, Close(factor)))
        if (factor.low, factor.high) == (factor.law.first, factor.law.last):
            return self
        return Trail(self.graph, self.node, (*self.events, Scale(factor)), self.shared)

    def restricted(self, draw: int) -> Trail:
        """A draw was compared with a number; the shared one may not be, for its law is on record already."""
        if draw == self.shared:
            raise Untraced
        return self

    def wrote(self, label: Mark | Noisy, *events: Event) -> Trail:
        """A value was written."""
        target = self.graph.node()
        self.node.edges.append(Edge((*self.events, *events), label, target))
        return Trail(self.graph, target, (), self.shared)

    def ended(self) -> None:
        """The list was returned."""
        self.node.edges.append(Edge(self.events, End(), None))

    def joined(self, other: Trail) -> Trail:
        """Both ways lead on from one node; the shared draws of both are the same by now."""
        target = self.graph.node()
        for trail in (self, other):
            trail.node.edges.append(Edge(trail.events, None, target))
        return Trail(self.graph, target, (), self.shared)
