"""How many rows users have, told privately: what a bound leaves out, and which bound makes the whole error smallest.

A user who counts for C rows at the most loses what is beyond; noise grows with C. Where people differ much, what is left out is
many times the noise, so the bound matters more than the mechanism. Both are told from one histogram: users by their number of
rows, in cells that grow with it. Each user is in one cell, so it is cheap, and everything below is made of its noisy numbers.

Few have very many rows, so the last cells drown in noise. There the users are taken to become fewer from cell to cell at the pace
of the last cells that are seen (a power law, as in most tables of activity): an estimate, and it is called one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.queries.plan import Aggregate, Column, Output, PerUser, Query, Relation

__all__ = ["Contributions", "Uncounted", "question"]

EDGES = (
    *range(1, 8),
    *(quarter * 2**power for power in range(1, 4) for quarter in range(4, 8)),
    *(half * 2**power for power in range(5, 23) for half in (2, 3)),
    2**24,
)
"""Where cells begin: each number up to 7; then 8, 10, 12, 14, 16, 20, ... to 56; then 64, 96, 128, 192, ... to 2^24."""

POINTS = 16
STEEPEST, FLATTEST = 0.02, 0.45
"""When rows double, users become fewer by a factor between these; from 1/2 on their rows would not add up."""

Cell = tuple[int, int, float]
"""From how many rows to how many, and the users who have so many."""


def question(source: Relation) -> Query:
    """Users by the number of their rows in this relation."""
    rows = PerUser(source, (("rows", Aggregate("count")),))
    cells = Aggregate("histogram", (Column("rows"),), (("edges", tuple(map(Fraction, EDGES))),))
    return Query(rows, (Output("users", cells),), columns=("users",))


@dataclass(frozen=True)
class Uncounted:
    """The share of the rows that a bound leaves out, with the interval that the noise leaves for it."""

    rows: int
    share: float
    low: float
    high: float

    def __str__(self) -> str:
        between = f"between {self.low:.1%} and {self.high:.1%}"
        return f"about {self.share:.1%} of the rows are not counted ({between}), as a user counts for {self.rows:,} at the most"


@dataclass(frozen=True)
class Contributions:
    """Noisy numbers of users in each cell; with 95 % all of them are within `reach` of the true ones."""

    users: tuple[float, ...]
    reach: float

    @property
    def seen(self) -> int:
        """How many cells stand out of the noise: from the fullest on, those before the first two that do not."""
        fullest = max(range(len(self.users)), key=self.users.__getitem__, default=0)
        hidden = [users <= self.reach for users in self.users]
        ends = (i for i in range(fullest, len(hidden)) if all(hidden[i : i + 2]))
        return next(ends, len(hidden))

    def cells(self, most: int = 0, more: float = 0.0) -> list[Cell]:
        """The users as seen, then ever fewer until there is none; of those with `most` rows and above, `more` in every cell."""
        found = [
            (EDGES[i], EDGES[i + 1] - 1, max(0.0, self.users[i] + (more if EDGES[i + 1] > most else -more)))
            for i in range(self.seen)
        ]
        return found + self._continued(found, max(more, 0.0))

    def _continued(self, cells: Sequence[Cell], more: float) -> list[Cell]:
        """Users with more rows than are seen: whenever rows double, as much fewer as they became when rows doubled before.

        Of the first that are not seen there are hardly more than were counted. With `more`, as many as noise allows.
        """
        if not cells:
            return []
        end = cells[-1][1] + 1
        octaves = [sum(users for low, _, users in cells if end <= low * 2**back < 2 * end) for back in (1, 2, 3)]
        pace = sum(octaves[:2]) / max(sum(octaves[1:]), 1.0)  # of sums, as the noise of the last is large beside it
        last = max((octaves[0] + octaves[1] * pace) / 2 + more, 1.0)
        counted = sum(users for low, users in zip(EDGES, self.users, strict=False) if end <= low < 2 * end)
        hidden = max(0.0, counted) + max(more, self.reach)
        pace = max(min(pace if not more else FLATTEST, FLATTEST, hidden / last), STEEPEST)
        found: list[Cell] = []
        while end < EDGES[-1] and (last := last * pace) >= 1:
            found.append((end, 2 * end - 1, last))
            end *= 2
        return found

    def rows(self) -> float:
        """All rows, about."""
        return _beyond(self.cells(), 0)

    def uncounted(self, most: int) -> Uncounted:
        """What a bound leaves out; the interval is for the noise of the cells that are seen, and for where in them users are."""
        low = _share([cell for cell in self.cells(most, -self.reach) if cell[0] < EDGES[self.seen]], most, _nearer)
        high = _share(self.cells(most, self.reach), most, _farther)
        return Uncounted(most, min(max(_share(self.cells(), most, _spread), low), high), low, high)

    def candidates(self) -> list[int]:
        """Bounds worth a thought: where cells begin, up to where nobody is."""
        largest = max((high for _, high, _ in self.cells()), default=1)
        return [edge for edge in EDGES if edge <= largest + 1]

    def best(self, error: Callable[[int, float], float]) -> int:
        """The bound with the least error, which is given for a bound and the rows that it leaves out."""
        cells = self.cells()
        return min(self.candidates(), key=lambda most: error(most, _beyond(cells, most)))


Sizes = Callable[[int, int, int], Sequence[float]]


def _spread(low: int, high: int, _: int) -> Sequence[float]:
    """Users spread evenly over a cell."""
    return [low + (high - low) * place / (POINTS - 1) for place in range(POINTS)]


def _nearer(low: int, high: int, most: int) -> Sequence[float]:
    """At the end of a cell from which least is left out, as a share of all."""
    return [high if high <= most else low]


def _farther(low: int, high: int, most: int) -> Sequence[float]:
    """At the end from which most is."""
    return [low if high <= most else high]


def _share(cells: Sequence[Cell], most: int, sizes: Sizes) -> float:
    whole = _beyond(cells, 0, sizes, most)
    return _beyond(cells, most, sizes, most) / whole if whole else 0.0


def _beyond(cells: Sequence[Cell], most: int, sizes: Sizes = _spread, bound: int = 0) -> float:
    """The rows of users beyond `most` each."""
    total = 0.0
    for low, high, users in cells:
        held = sizes(low, high, bound)
        total += users * sum(max(0.0, size - most) for size in held) / len(held)
    return total
