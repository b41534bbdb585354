"""The exact reader's verb: `tabulate(card, world, other)` gives the whole output law in both worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq

from twoworlds.exact.effort import MOST_STEPS
from twoworlds.exact.inputs import Call
from twoworlds.exact.joint import MOST_ROWS, TooMany, rows
from twoworlds.exact.outputs import Laid, lay_out
from twoworlds.exact.pairing import lists
from twoworlds.exact.reader import run
from twoworlds.exact.recording import recorded
from twoworlds.exact.table import Row, Table
from twoworlds.exact.trails import Untraced
from twoworlds.exact.weights import Weight, precision
from twoworlds.source.program import Program
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.neighbours import Neighbours

__all__ = ["CUT", "Laws", "laws", "tabulate"]

CUT = Fraction(1, 2**128)
"""The default for the mass of an infinite law that may be cut from one draw; whatever is reported covers it."""
_FEW_LISTED = 300  # so few lists are listed one by one, with more digits
_MOST_LISTED = 200_000
_FEWER_NUMBERS = "Use a smaller limit, fewer inputs, a coarser grid, or noise of a smaller scale"
_FEWER = "Use a smaller limit or fewer inputs; inputs that are equal in both worlds, or move alike, cost nothing more"


def tabulate(
    card: Card | Program | str,
    world: Any,
    other: Any,
    /,
    *values: Any,
    grid: object = 1,
    cut: object = CUT,
    neighbours: Neighbours | None = None,
    **public: Any,
) -> Table:
    """The output law of a card in two neighbouring worlds, exactly.

    `world` and `other` are two values of the card's private parameter; the public parameters follow, by position or by name.
    A program, or the text of one, takes its `neighbours=` here. Noise lives on the multiples of `grid`. An infinite law that
    must be enumerated is cut where at most `cut` is left, and every number of the table covers what was cut. Where a list is
    written and there are very many, lists that are equally likely in each world are one row, which counts them.
    """
    call = Call.of(card, values, public, grid=grid, cut=cut, neighbours=neighbours)
    first, second = call.world(world, "world"), call.world(other, "other")
    call.relation.check(first, second, call.public)
    found = _alike(call, first, second)
    return laws(call, [first, second]).table(call.program.name) if found is None else found


def _alike(call: Call, first: Any, second: Any) -> Table | None:
    """The table of a program that writes lists, many lists in one row; None where it writes none, or too few to count."""
    try:
        with precision():
            one, other = (
                recorded(call.program, {**call.public, call.private: world}, call.grid, call.cut) for world in (first, second)
            )
            count, tangled = max(lists(one), lists(other))
            if tangled and count > _MOST_LISTED:
                why = f"its answers and numbers share noise, and together they have {count:,} values to list"
                raise Unsupported(1, why, _FEWER_NUMBERS)
            if tangled or count <= _FEW_LISTED:
                return None
            return Table(tuple(rows((one, other), count, call.cut)), fmpq(0), fmpq(0), call.program.name)
    except TooMany:
        raise Unsupported(1, f"its {count:,} outputs are of more than {MOST_ROWS:,} different probabilities", _FEWER) from None
    except Untraced:
        return None


@dataclass(frozen=True)
class Laws:
    """The output laws of any number of worlds, row by row, and the mass in each whose output is not known."""

    rows: tuple[Laid, ...]
    lost: tuple[Weight, ...]
    steps: int = 0

    def table(self, name: str) -> Table:
        """The first two worlds side by side."""
        rows = tuple(Row(output, weights[0], weights[1], even, single) for output, weights, even, single in self.rows)
        return Table(rows, self.lost[0], self.lost[1], name)


def laws(call: Call, worlds: Sequence[Any], most: int = MOST_STEPS) -> Laws:
    """The program's output law in each of these worlds, laid out on common rows, in `most` steps each and so many rows."""
    with precision():
        readers = [run(call.program, {**call.public, call.private: world}, call.grid, call.cut, most) for world in worlds]
        rows = tuple(lay_out(readers))
    return Laws(rows, tuple(reader.lost for reader in readers), sum(reader.effort.steps for reader in readers))
