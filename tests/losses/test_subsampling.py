"""Amplification by sampling against the mechanism tabulated over every batch; refusals where there is no theorem."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import pytest

from tests.losses.malformed import accepted
from twoworlds.losses.loss import Loss, gaussian, laplace, pure, randomized_response
from twoworlds.losses.subsampling import poisson_sampled, with_replacement, without_replacement
from twoworlds.worlds.errors import BadArgument, MixedNeighbours
from twoworlds.worlds.neighbours import AddRemove, AddRemoveUser, Each, Edit, Group, Neighbours, Replace, User

TRUTH = Fraction(3, 4)


def gained(one: dict[int, Fraction], other: dict[int, Fraction], epsilon: float) -> float:
    grown = Fraction(math.exp(epsilon))
    return float(
        sum(max(one.get(x, Fraction(0)) - grown * other.get(x, Fraction(0)), Fraction(0)) for x in one.keys() | other.keys())
    )


def answers(ones: int) -> dict[int, Fraction]:
    """A coin that says whether there is a one in the batch, rightly three times in four: randomized response of a bit."""
    return {1: TRUTH, 0: 1 - TRUTH} if ones else {1: 1 - TRUTH, 0: TRUTH}


def counted(ones: int) -> dict[int, Fraction]:
    """Whether the number of ones plus Laplace noise of scale 2 is above 1/2: a post-processing of the noisy count."""
    rare = math.exp(-abs(ones - 0.5) / 2) / 2
    yes = Fraction(1 - rare if ones else rare)
    return {1: yes, 0: 1 - yes}


def mixed(laws: list[tuple[Fraction, dict[int, Fraction]]]) -> dict[int, Fraction]:
    return {x: sum((weight * law[x] for weight, law in laws), Fraction(0)) for x in (0, 1)}


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.2])
def test_poisson_samples_cost_what_the_mixture_does(epsilon: float) -> None:
    """One record that joins with probability q: both directions of the mixture are attained."""
    q = Fraction(1, 5)
    joined = mixed([(q, answers(1)), (1 - q, answers(0))])
    truth = max(gained(joined, answers(0), epsilon), gained(answers(0), joined, epsilon))
    found = poisson_sampled(randomized_response(TRUTH), q).delta(epsilon)
    assert found.lower - 1e-12 <= truth <= found.upper + 1e-15 and found.width < 1e-9


@pytest.mark.parametrize(("size", "records"), [(1, 4), (2, 5), (3, 3)])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.4])
def test_fixed_batches_bound_the_tabulated_mechanism(size: int, records: int, epsilon: float) -> None:
    """All batches drawn out, Bob's record a one or a zero and all others zeros, a noisy count of ones: never above the bound."""
    for scheme, draws in (
        (without_replacement, list(itertools.combinations(range(records), size))),
        (with_replacement, list(itertools.product(range(records), repeat=size))),
    ):
        share = Fraction(1, len(draws))
        batches = mixed([(share, counted(sum(place == 0 for place in draw))) for draw in draws])
        truth = max(gained(batches, counted(0), epsilon), gained(counted(0), batches, epsilon))
        assert scheme(laplace(2), size, records).delta(epsilon).upper >= truth


def test_the_sampling_lemma_is_attained_by_pure_releases() -> None:
    """log(1 + q (e^epsilon - 1)), at delta 0, by coins and by fixed batches alike."""
    lemma = math.log1p(0.1 * math.expm1(1))
    assert poisson_sampled(pure(1), "0.1").epsilon(0).upper == pytest.approx(lemma)
    assert without_replacement(pure(1), 10, 100).epsilon(0).upper == pytest.approx(lemma)


def test_both_directions_are_kept_apart_until_the_end() -> None:
    """Removal dominates far out, and composing the larger of both at every step would cost more than either."""
    loss = poisson_sampled(gaussian("0.5"), "0.1").power(20)
    sides = [Loss(side, side, "", "here") for side in (loss.remove, loss.add)]
    both, one, other = (each.delta(1) for each in (loss, *sides))
    assert both.upper == pytest.approx(max(one.upper, other.upper), rel=1e-9)
    assert abs(one.upper - other.upper) > 1e-3


def test_relations_do_not_mix_and_batches_are_not_shared() -> None:
    """Coins are about add/remove, fixed batches about replacement; two releases on one batch are one release."""
    with pytest.raises(MixedNeighbours):
        poisson_sampled(gaussian(1), "0.1").compose(without_replacement(gaussian(1), 1, 10))
    with pytest.raises(BadArgument):
        poisson_sampled(without_replacement(gaussian(1), 1, 10), "0.1")
    with pytest.raises(BadArgument, match="each release for itself"):
        poisson_sampled(laplace(1).power(3), "0.1")
    assert poisson_sampled(gaussian(1).power(4), "0.1").delta(1) == poisson_sampled(gaussian("0.5"), "0.1").delta(1)
    with pytest.raises(BadArgument):
        poisson_sampled(poisson_sampled(gaussian(1), "0.5"), "0.1")


def test_malformed_samples_are_refused() -> None:
    """A rate in (0, 1], whole sizes, a loss."""
    loss = gaussian(1)
    assert accepted(lambda rate: poisson_sampled(loss, rate), {"rate": 0.5}) == []
    assert accepted(lambda loss: poisson_sampled(loss, 0.5), {"loss": loss}) == []
    for scheme in (without_replacement, with_replacement):
        assert accepted(lambda size, records, scheme=scheme: scheme(loss, size, records), {"size": 2, "records": 9}) == []
    with pytest.raises(BadArgument):
        poisson_sampled(loss, 0)
    with pytest.raises(BadArgument, match="above the 9 records"):
        without_replacement(loss, 10, 9)


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
