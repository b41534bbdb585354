"""From two nodes, one of each world: what may be written next, and what happens on the way to it in each world."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from twoworlds.exact.trails import Edge, End, Mark, Node, Noisy, Scale, Tangled, Untraced

__all__ = ["Paired", "Step", "lists", "steps"]

Paired = tuple[Node | None, Node | None]
"""A node of each world; None in a world that cannot write the list."""


class Step(NamedTuple):
    """What is written, the events in both worlds two by two, and where it leads; an event is None where there is no node.

    In place of one event stand all ways to it, each a tuple of scales, where a world has several.
    """

    label: Mark | Noisy | End
    events: tuple[tuple[Any, Any], ...]
    target: Paired


def steps(pair: Paired) -> list[Step]:
    """The steps from a pair of nodes, one for each thing that may be written."""
    found: dict[Any, tuple[list[Edge], list[Edge]]] = {}
    for world, node in enumerate(pair):
        for way in node.ways() if node is not None else ():
            found.setdefault(way.label, ([], []))[world].append(way)
    if Noisy() in found and any(isinstance(label, Mark) and isinstance(label.value, Fraction | int) for label in found):
        raise Untraced  # a number with noise may be the number without
    return [_step(label, *ways) for label, ways in found.items()]


def _step(label: Any, one: list[Edge], other: list[Edge]) -> Step:
    if label == Noisy() and (len(one) != 1 or len(other) != 1):
        raise Untraced
    return Step(label, _paired(one, other), (_target(one), _target(other)))


def _target(ways: Sequence[Edge]) -> Node | None:
    """The one node that all these ways lead to."""
    nodes = {_onward(way.target) for way in ways}
    if len(nodes) > 1:
        raise Untraced
    return next(iter(nodes), None)


def _onward(node: Node | None) -> Node | None:
    """The node where anything happens next."""
    while node is not None and len(node.edges) == 1 and node.edges[0].label is None and not node.edges[0].events:
        node = node.edges[0].target
    return node


def _paired(one: Sequence[Edge], other: Sequence[Edge]) -> tuple[tuple[Any, Any], ...]:
    """The events of both worlds two by two; all scales of several ways as one."""
    if len(one) <= 1 and len(other) <= 1:
        first, second = ([*ways[0].events] if ways else None for ways in (one, other))
        if first is None or second is None:
            known = first or second or []
            return tuple([(event, None) if second is None else (None, event) for event in known])
        if [type(event) for event in first] == [type(event) for event in second]:
            return tuple(zip(first, second, strict=True))
    if not all(isinstance(event, Scale) for ways in (one, other) for way in ways for event in way.events):
        raise Untraced
    return ((tuple([way.events for way in one]) or None, tuple([way.events for way in other]) or None),)


def lists(start: Node) -> tuple[int, bool]:
    """How many lists a graph writes, where a number that shares its noise counts with all its values; whether one does."""
    nodes: dict[int, list[Edge]] = {}
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if node.number not in nodes:
            nodes[node.number] = list(node.ways())
            waiting += [way.target for way in nodes[node.number] if way.target is not None]
    counts: dict[int, int] = {}
    tangled = False
    for number in sorted(nodes, reverse=True):
        counts[number] = 0
        for way in nodes[number]:
            width = 1
            for event in way.events:
                if isinstance(event, Tangled):
                    width, tangled = width * event.width, True
            counts[number] += width * (1 if way.target is None else counts[way.target.number])
    return counts[start.number], tangled
