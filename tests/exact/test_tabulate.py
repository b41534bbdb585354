"""The exact reader against figures that can be worked out by hand."""

from __future__ import annotations

import math

import pytest

from twoworlds.exact.tabulate import tabulate
from twoworlds.mechanisms.above_threshold import above_threshold
from twoworlds.worlds.errors import NotNeighbours


def test_above_threshold_keeps_its_claim() -> None:
    """The exact epsilon of the card's worst worlds is above 0 and at most the claimed one."""
    table = tabulate(above_threshold, [0, 0, 0, 1], [1, 1, 1, 0], threshold=1, epsilon=1)
    assert 0.7 < table.epsilon.lower <= table.epsilon.upper <= 1
    assert table.epsilon.width < 1e-12
    assert set(table.outputs) == {0, 1, 2, 3, None}
    assert math.isclose(sum(entry.upper for entry in table.law.values()), 1)


def test_positional_public_parameters_mean_the_same() -> None:
    """Public parameters may be given in the card's order."""
    by_name = tabulate(above_threshold, [0, 0, 0, 1], [1, 1, 1, 0], threshold=1, epsilon=1)
    by_place = tabulate(above_threshold, [0, 0, 0, 1], [1, 1, 1, 0], 1, epsilon=1)
    assert by_name.law == by_place.law


def test_worlds_that_are_not_neighbours_are_refused() -> None:
    """Worlds further apart than the relation allows raise, and name the relation."""
    with pytest.raises(NotNeighbours, match="queries"):
        tabulate(above_threshold, [0], [2], threshold=1, epsilon=1)
