"""A number written with noise of its own: its values in both worlds, as far as their ratio changes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from flint import fmpq

from twoworlds.exact.outputs import AtLeast, AtMost, hole, values
from twoworlds.exact.trails import Reveal
from twoworlds.exact.weights import Weight

__all__ = ["Shown", "revealed"]


class Shown(NamedTuple):
    """A value, or a tail of values, with its probability in both worlds; equal `key`s have equal probabilities."""

    shown: Any
    one: Weight
    other: Weight
    even: bool
    single: bool
    key: Any


@lru_cache(maxsize=1024)
def revealed(events: tuple[Reveal, Reveal], cut: Fraction) -> tuple[Shown, ...]:
    """The values of the number, its tails as one each."""
    return tuple(_revealed(events, cut))


def _revealed(events: tuple[Reveal, Reveal], cut: Fraction) -> Iterator[Shown]:
    bounds = hole(events, cut)
    found: dict[Any, list[Weight]] = {}
    rates: dict[Any, set[Any]] = {}
    for world, event in enumerate(events):
        for label, weight, rate in values(event.factor, event.slope, event.offset, bounds):
            found.setdefault(label, [fmpq(0), fmpq(0)])[world] = weight
            if rate:
                rates.setdefault(label, set()).add(rate)
    laws = tuple([(event.factor.law, event.factor.low, event.factor.high, event.slope) for event in events])
    start, apart = events[0].offset, events[1].offset - events[0].offset
    for label, (one, other) in found.items():
        tail = isinstance(label, AtLeast | AtMost)
        known = rates.get(label)
        even = known is None or (len(known) == 1 and None not in next(iter(known)))
        place = (type(label).__name__, label.value - start, label.spacing) if tail else label - start
        yield Shown(label, one, other, even, not tail, ("shown", laws, apart, place))
