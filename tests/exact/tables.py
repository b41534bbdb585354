"""Tables for tests: two finite laws side by side, as the exact reader would give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies

from twoworlds.exact.finite import FiniteMechanism
from twoworlds.exact.table import Table


def table_of(one: Mapping[Any, object] | Sequence[object], other: Mapping[Any, object] | Sequence[object]) -> Table:
    """The table of two laws; lists are laws on 0, 1, 2, ..."""
    laws = [law if isinstance(law, Mapping) else dict(enumerate(law)) for law in (one, other)]
    return FiniteMechanism.of({"world": laws[0], "other": laws[1]}).between("world", "other")


@strategies.composite
def laws(draw: strategies.DrawFn, size: int | None = None, least: int = 0) -> list[Fraction]:
    """A law on a few outcomes; with `least` = 0 some may be impossible."""
    count = draw(strategies.integers(2, 5)) if size is None else size
    weights = draw(strategies.lists(strategies.integers(least, 6), min_size=count, max_size=count).filter(any))
    return [Fraction(weight, sum(weights)) for weight in weights]


@strategies.composite
def pairs(draw: strategies.DrawFn, least: int = 0) -> tuple[list[Fraction], list[Fraction]]:
    """Two laws on the same outcomes."""
    size = draw(strategies.integers(2, 5))
    return draw(laws(size, least)), draw(laws(size, least))
