"""How an answer is read, and what whoever shows it can see of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from twoworlds.queries.outputs import Cell
from twoworlds.queries.pricing import Offer
from twoworlds.queries.slices import Learnt
from twoworlds.worlds.errors import BadArgument

__all__ = ["PLAIN", "Released", "Row", "Style"]

Row = Mapping[str, Cell]


@dataclass(frozen=True)
class Style:
    """How an answer is read; all of it is post-processing of what was released, so none of it costs anything.

    `simultaneous` makes all intervals hold together, `sampling` takes the rows for a sample of a larger population,
    `nonnegative` cuts off below 0 what cannot be there, `totals` makes counts whole and nonnegative with their sum kept.
    """

    confidence: float = 0.95
    simultaneous: bool = False
    sampling: bool = False
    nonnegative: bool = False
    totals: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise BadArgument("confidence", self.confidence, "is not between 0 and 1", "Give for example 0.95")

    def __str__(self) -> str:
        """What an interval of this style means."""
        of = ", all intervals together" if self.simultaneous else ""
        error = "noise and sampling error" if self.sampling else "noise"
        return f"{error}, {self.confidence * 100:g} %{of}"


PLAIN = Style()


class Released(Protocol):
    """An answer, to those that show it or write it down."""

    @property
    def offer(self) -> Offer: ...

    @property
    def receipt(self) -> str | None: ...

    @property
    def repeated(self) -> bool: ...

    @property
    def style(self) -> Style: ...

    @property
    def learnt(self) -> Learnt | None: ...

    @property
    def cells(self) -> Sequence[Row]: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def totals(self) -> Mapping[str, int]: ...

    def is_key(self, name: str) -> bool: ...
