"""The exact reader against figures that can be worked out by hand."""

from __future__ import annotations

import math

import pytest

from twoworlds.exact.tabulate import tabulate
from twoworlds.mechanisms.above_threshold import above_threshold
from twoworlds.worlds.errors import BadArgument, NotNeighbours


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


@pytest.mark.parametrize("epsilon", ["1e300", "1e400"])
def test_probabilities_beyond_all_numbers_are_an_error(epsilon: str) -> None:
    """Worlds that are told apart for sure: the probabilities were no numbers, each maximum passed over them, epsilon was 0."""
    with pytest.raises(BadArgument, match="beyond all numbers"):
        tabulate(above_threshold, [0, 0], [1, 1], 1, epsilon=epsilon)


@pytest.mark.parametrize("power", [5, 10, 12, 100])
def test_next_to_no_noise_tells_next_to_everything(power: int) -> None:
    """epsilon / 2 of epsilon = 10^power is attained here; once it took as many digits as the numbers had, and all memory."""
    table = tabulate(above_threshold, [0, 0], [1, 1], 1, epsilon=10**power)
    assert table.epsilon.lower > 0.49 * 10**power
    assert table.delta(1).upper == 1
    assert table.witness.probability.upper == 1 and table.law[0].upper < 1e-300
    assert table.tradeoff_at("0.01").upper < 1e-300
