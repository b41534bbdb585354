"""Naming groups by their users: the stated delta is exactly what is needed, and slips that are easily made cost more."""

from __future__ import annotations

import math

import pytest

from twoworlds.exact.tabulate import tabulate
from twoworlds.mechanisms.partition_selection import partition_selection
from twoworlds.sampling.run import repeat
from twoworlds.worlds.errors import BadArgument

SETTINGS = [(1, "1/2"), (3, 1), (6, "1/3")]


@pytest.mark.parametrize(("reach", "epsilon"), SETTINGS)
@pytest.mark.parametrize("users", [0, 1, 2, 5, 9])
def test_one_user_costs_the_price_and_no_less(reach: int, epsilon: object, users: int) -> None:
    """With one user more or fewer, the exact delta at epsilon is the price's; at no number of users is it more."""
    at = {"reach": reach, "epsilon": epsilon}
    price = partition_selection.price.at(at)
    exact = tabulate(partition_selection, [users], [users + 1], **at).delta(epsilon)
    assert exact.upper <= float(price["delta"]) * (1 + 1e-9)
    if users == 0:
        assert exact.lower >= float(price["delta"]) * (1 - 1e-9)


@pytest.mark.parametrize(
    ("slip", "instead"),
    [("range(2 * reach + 1)", "range(2 * reach - 1)"), ("1 / epsilon", "Fraction(1, 2) / epsilon")],
    ids=["a shorter tail", "half the noise"],
)
def test_wrong_twins_are_caught(slip: str, instead: str) -> None:
    """Noise that ends too soon, and too little noise: each costs more than the price."""
    twin = partition_selection.text.replace(slip, instead)
    assert twin != partition_selection.text
    price = float(partition_selection.price.at({"reach": 3, "epsilon": 1})["delta"])
    worst = max(
        tabulate(twin, [users], [users + 1], neighbours=partition_selection.neighbours, reach=3, epsilon=1).delta(1).lower
        for users in range(6)
    )
    assert worst > price * 1.2


def test_an_empty_group_is_never_named() -> None:
    """Groups without users are never there; with many users they always are, each with noise of its own."""
    runs = repeat(partition_selection, 2000, [0, 0, 100, 100], reach=5, epsilon=1)
    assert all(run[0] is None and run[1] is None for run in runs)
    assert all(95 <= count <= 105 for run in runs for count in run[2:])
    assert any(run[2] != run[3] for run in runs)


def test_noise_between_whole_numbers_is_refused() -> None:
    """Half steps leave fewer places for the noise than the price counts: at reach 5/2 the true delta is above the stated one."""
    stated = float(partition_selection.price.at({"reach": "5/2", "epsilon": 1})["delta"])
    chances = [math.exp(-abs(twice) / 2) for twice in range(-5, 6, 2)]
    assert chances[-1] / sum(chances) > 1.1 * stated
    with pytest.raises(BadArgument, match="reach"):
        repeat(partition_selection, 1, [1], reach="5/2", epsilon=1)
