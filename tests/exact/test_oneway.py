"""Rows that stand for many outputs, and mass whose output is not known."""

from __future__ import annotations

import pytest

from twoworlds.exact.oneway import Row
from twoworlds.exact.table import Table
from twoworlds.exact.tabulate import tabulate
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.neighbours import Number

# The square of a draw must be looked at, so its tail is cut: the mass may lie on any output, on 16 alone for example.
CUT = """
def f(count, *, sample):
    noisy = count + sample(Laplace(20))
    if sample(Bernoulli(Fraction(1, 2))):
        other = sample(Laplace(1))
        return noisy + 0 * (other * other)
    return noisy
"""


def tables() -> tuple[Table, Table]:
    """The table with mass that was cut, and the same without."""
    found = [tabulate(CUT, 0, 1, neighbours=Number("count"), cut=cut) for cut in ("1e-10", "1e-60")]
    return found[0], found[1]


def whole_tail(table: Table) -> Row:
    """The row of all outputs from some number up."""
    return next(row for row in table.rows if not row.single and str(row.output).endswith("more"))


def test_a_set_does_not_speak_for_each_of_its_outputs_where_mass_was_cut() -> None:
    """All that was cut may lie on one output of the set: nothing is told of that output alone, though of the set it is."""
    table, _ = tables()
    row = whole_tail(table)
    assert row.even and not table.speaks_for_each(row)
    assert table.posterior("1/2")[row.output] == Interval(0.0, 1.0)
    assert table.law[row.output].width < 1e-8
    losses = dict(table.backward.loss_law())
    assert min(loss.lower for loss in losses) < -1e300, "an output of the set may be as unlikely as one likes in this world"


def test_tails_count_a_set_only_where_every_output_of_it_reaches() -> None:
    """P[L >= 1/20 - 1e-5]: the set as a whole reaches it, but one output of it may not; it is in the upper end alone."""
    table, fine = tables()
    row = whole_tail(table)
    assert row.other - 1.0512 * (row.weight + table.lost) > 0
    tail = table.backward.tail(odds="1.0512")
    assert tail.width >= float(row.other.lower()) > 0.01
    assert fine.backward.tail(odds="1.0512").lower <= tail.upper


def test_single_outputs_are_told_as_far_as_the_cut_allows() -> None:
    """For outputs of their own row the cut only widens the interval."""
    table, fine = tables()
    for output in (-2, 0, 1, 3):
        wide, narrow = table.posterior("1/3")[output], fine.posterior("1/3")[output]
        assert wide.lower <= narrow.lower <= narrow.upper <= wide.upper
        assert wide.width < 1e-3 and narrow.width < 1e-12


@pytest.mark.parametrize("epsilon", ["0", "1/2", "1"])
def test_events_are_not_touched(epsilon: str) -> None:
    """delta speaks of events, for which it is enough to know the mass of the set: the cut adds itself and no more."""
    table, fine = tables()
    assert table.delta(epsilon).lower <= fine.delta(epsilon).lower <= fine.delta(epsilon).upper <= table.delta(epsilon).upper
    assert table.delta(epsilon).width < 1e-5
