"""How much work a search for a proof may take, counted and not timed, so that a verdict depends on no clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Effort", "Exhausted"]

_MOST = 24_000_000
_RUN = 3_000  # a trial takes about as long as so many of z3's steps


class Exhausted(Exception):
    """The work that a proof may take has been done."""


@dataclass
class Effort:
    """Steps of z3, and trials at so many steps each, that are left to one search for a proof."""

    left: int = _MOST
    seen: dict[int, int] = field(default_factory=dict)

    def ran(self) -> None:
        """Both runs went through one trial."""
        self.spend(_RUN)

    def solved(self, solver: Any) -> None:
        """A solver has answered: what z3 counted in its context since it was last asked."""
        statistics = solver.statistics()
        if "rlimit count" not in statistics.keys():  # noqa: SIM118  z3's statistics are no mapping
            return
        context = id(solver.ctx)
        count = statistics.get_key_value("rlimit count")
        self.spend(count - self.seen.get(context, 0))
        self.seen[context] = count

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise Exhausted
