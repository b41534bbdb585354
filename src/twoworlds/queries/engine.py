"""What an engine is to us: a dialect, a lock, and one way to run our own text and get whole numbers back.

An engine sees only text that `compiling` wrote, never an analyst's. It returns columns of 64-bit whole numbers (or keys),
computed exactly; it draws no noise. Whatever goes wrong once it has touched the data becomes `Failed`, one constant text: an
engine's own message can hold a value of a cell.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["Columns", "Engine", "Failed"]

Columns = Mapping[str, Any]  # one array per column of the result, all of one length


class Failed(TwoWorldsError):
    """The engine could not answer after it had seen the data. The text is the same whatever happened; the charge stays."""

    def __init__(self) -> None:
        super().__init__(
            "the engine could not finish, and what it was charged stays charged",
            "Ask the curator, who can run the same query without privacy; the reason may depend on the data",
        )


class Engine(Protocol):
    """A locked engine that holds the private tables under the names of the policy."""

    @property
    def dialect(self) -> str:
        """The name by which sqlglot knows its SQL."""
        ...

    def run(self, text: str) -> Columns:
        """The result of a query of ours; `Failed` if anything goes wrong."""
        ...

    def version(self, table: str) -> str:
        """Something that changes when the table's data do, for exact repeats; only a hash of it is kept."""
        ...

    def close(self) -> None:
        """Let go of the data."""
        ...
