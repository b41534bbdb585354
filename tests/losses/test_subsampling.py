"""A theorem about sampling speaks of one relation; a loss for another one is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from twoworlds.losses.loss import gaussian
from twoworlds.losses.subsampling import poisson_sampled, with_replacement, without_replacement
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.neighbours import AddRemove, AddRemoveUser, Each, Edit, Group, Neighbours, Replace, User

ROWS = AddRemove("rows")


@pytest.mark.parametrize("relation", [ROWS, AddRemoveUser("rows")])
def test_coins_are_for_records_that_come_or_go(relation: Neighbours) -> None:
    """Poisson samples keep the relation of their loss."""
    loss = replace(gaussian(1), neighbours=str(relation))
    assert poisson_sampled(loss, "0.1").neighbours == str(relation)
    for sampled in (without_replacement, with_replacement):
        with pytest.raises(BadArgument, match="not the relation"):
            sampled(loss, 1, 10)


@pytest.mark.parametrize("relation", [Group(2, ROWS), Group(2, Replace("rows")), User("rows"), Edit("rows"), Each("queries")])
def test_groups_and_queries_are_not_sampled_as_one_record_is(relation: Neighbours) -> None:
    """Each of a group's records has a coin of its own, so the group's loss is not mixed in with one probability."""
    loss = replace(gaussian(1), neighbours=str(relation))
    with pytest.raises(BadArgument, match="not the relation"):
        poisson_sampled(loss, "0.1")
    with pytest.raises(BadArgument, match="not the relation"):
        without_replacement(loss, 1, 10)
