"""From events to losses: each event costs what its mechanisms cost together, checked against exact finite worlds."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings, strategies

from tests.losses.finite import EPSILONS, SLACK, Worlds, small_worlds
from tests.losses.malformed import MALFORMED
from twoworlds.losses import loss, prices
from twoworlds.losses.loss import Loss
from twoworlds.losses.moments import MomentBound
from twoworlds.losses.pricing import compose, loss_of
from twoworlds.losses.reading import parse
from twoworlds.losses.written import written
from twoworlds.worlds.errors import BadArgument, MixedNeighbours
from twoworlds.worlds.events import (
    Composed,
    Correlated,
    Parallel,
    Poisson,
    Ran,
    Repeated,
    Sampled,
    Shared,
    Shuffled,
    WithReplacement,
)
from twoworlds.worlds.neighbours import AddRemove, Edit, Group, Replace

ROWS, REPLACED = AddRemove("rows"), Replace("rows")


def ran(name: str) -> Ran:
    return Ran.of(name, "digest", {"epsilon": "0.5", "mu": "0.5"})


def between(pair: Worlds) -> Loss:
    return loss.finite(pair.one, pair.other)


@settings(max_examples=20)
@given(small_worlds, small_worlds, strategies.integers(1, 2))
def test_composed_and_repeated_events_cost_their_product(one: Worlds, other: Worlds, count: int) -> None:
    """The delta of the priced event is that of both outputs seen together, and equal events merge."""
    known = {"one": between(one), "other": between(other)}
    event = Composed((*(ran("one"),) * count, Repeated(1, ran("other"))))
    priced = loss_of(event, lambda card: known[card.card])
    whole = one.times(other) if count == 1 else one.times(one).times(other)
    for epsilon in EPSILONS:
        assert whole.delta(epsilon) == pytest.approx(priced.delta(Fraction(epsilon)).upper, rel=1e-3, abs=SLACK)
    assert priced == loss_of(Composed((Repeated(count, ran("one")), ran("other"))), lambda card: known[card.card])


@settings(max_examples=20)
@given(small_worlds, strategies.sampled_from([Fraction(1, 10), Fraction(2, 3)]))
def test_sampled_events_cost_the_mixture(pair: Worlds, rate: Fraction) -> None:
    """A Poisson sample costs no less than the mixture of the worlds, in both directions."""
    mixed = tuple(rate * p + (1 - rate) * q for p, q in zip(pair.one, pair.other, strict=True))
    priced = loss_of(Sampled(Poisson(rate), ran("one")), lambda _: between(pair))
    for epsilon in EPSILONS:
        assert Worlds(mixed, pair.other).delta(epsilon) <= priced.delta(Fraction(epsilon)).upper + SLACK


@settings(max_examples=6)
@given(strategies.lists(small_worlds, min_size=2, max_size=4))
def test_parallel_parts_cost_the_worst_part_or_the_two_worst(pairs: list[Worlds]) -> None:
    """Under add/remove no single part leaks more than the price; under replacement no two parts together do, in any directions.

    A record that leaves one part and enters another is removed there and added here. Once both went the same way.
    """
    known = {str(i): between(pair) for i, pair in enumerate(pairs)}
    events = [ran(name) for name in known]
    single = loss_of(Parallel.of(ROWS, events), lambda card: known[card.card])
    double = loss_of(Parallel.of(REPLACED, events), lambda card: known[card.card])
    for epsilon in EPSILONS:
        at = Fraction(epsilon)
        for i, one in enumerate(pairs):
            assert one.delta(epsilon) <= single.delta(at).upper + SLACK
            for other in pairs[i + 1 :]:
                for way in (other, Worlds(other.other, other.one)):
                    assert one.times(way).delta(epsilon) <= double.delta(at).upper + SLACK


def test_parallel_keeps_known_losses_where_one_dominates() -> None:
    """Parts of one family are ranked exactly; equal parts are one of them, or two; unlike parts become moments."""
    three = [written("gaussian", sigma=sigma) for sigma in (1, 2, 3)]
    assert loss_of(Parallel.of(ROWS, three)) == loss.gaussian(1)
    assert loss_of(Parallel.of(REPLACED, three)) == loss.gaussian(1).compose(loss.gaussian(2))
    equal = [written("pure", epsilon=1)] * 5
    assert loss_of(Parallel.of(ROWS, equal)) == loss.pure(1) and loss_of(Parallel.of(REPLACED, equal)) == loss.pure(1).power(2)
    assert loss_of(Parallel.of(Group(2, REPLACED), equal)) == loss.pure(1).power(4)
    unlike = loss_of(Parallel.of(ROWS, [written("pure", epsilon=1), written("gaussian", sigma=1)]))
    assert isinstance(unlike, MomentBound) and unlike.renyi(2).upper == pytest.approx(1)


def test_parallel_parts_are_priced_for_the_relation_of_the_table() -> None:
    """A loss that was sampled under add/remove has no place in a table whose records are replaced."""
    parts = [Sampled(Poisson(Fraction(1, 2)), written("pure", epsilon=1)), written("pure", epsilon=1)]
    assert loss_of(Parallel.of(ROWS, parts)).delta(0).upper < 0.5
    for other in (REPLACED, Group(2, ROWS), Edit("rows")):
        with pytest.raises(MixedNeighbours):
            loss_of(Parallel.of(other, parts))
    tagged = replace(loss.laplace(1), neighbours=str(ROWS))
    assert loss_of(Parallel.of(ROWS, [ran("count")]), lambda _: tagged) == tagged
    with pytest.raises(MixedNeighbours):
        loss_of(Parallel.of(REPLACED, [ran("count")]), lambda _: tagged)


def test_prices_are_evaluated_at_the_parameters_that_ran() -> None:
    """A price with names takes the event's parameters; a loss is taken as it is; anything else is an error."""
    assert loss_of(ran("count"), lambda _: prices.Pure("2 * epsilon")) == loss.pure(1)
    assert loss_of(ran("count"), lambda _: loss.pure(3)) == loss.pure(3)
    with pytest.raises(BadArgument, match="no price for count"):
        loss_of(ran("count"), lambda _: 0.5)
    with pytest.raises(BadArgument, match="lookup"):
        loss_of(ran("count"))


def test_bare_bounds_join_as_moments() -> None:
    """A composition with one bare bound is a moment bound, sampled or not; with none it stays exact."""
    mixed = loss_of(parse("zcdp(rho=0.01) and gaussian(sigma=10), 2 times"))
    assert isinstance(mixed, MomentBound) and mixed.rho == pytest.approx(0.02)
    assert isinstance(loss_of(parse("gaussian(sigma=1) and laplace(scale=1)")), Loss)
    sampled = loss_of(parse("zcdp(rho=0.01) sampled at 0.1, 5 times and gaussian(sigma=1) sampled at 0.1"))
    assert isinstance(sampled, MomentBound) and 0 < sampled.epsilon("1e-6").upper < 5
    batch = loss_of(parse("zcdp(rho=0.01) sampled 1 of 10 without replacement"))
    assert isinstance(batch, MomentBound) and batch.neighbours == "replace"
    with pytest.raises(BadArgument, match="bare moment bound"):
        loss_of(Sampled(WithReplacement(1, 10), written("zcdp", rho=1)))
    assert compose() == loss.identity()


def test_correlated_noise_costs_the_worst_column() -> None:
    """Prefix sums by a binary tree: each input is in log2(n) + 1 nodes; weights cost like groups."""
    tree = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (1, 1, 0, 0), (0, 0, 1, 1), (1, 1, 1, 1))
    event = Correlated(tuple(tuple(map(Fraction, row)) for row in tree), written("laplace", scale=2))
    assert loss_of(event) == loss.laplace(2).power(3)
    gaussian = Correlated(event.matrix, ran("noise"))
    assert loss_of(gaussian, lambda _: prices.GaussianPrivacy("mu")).epsilon("0.01").upper == pytest.approx(
        loss.gaussian_privacy("0.5").power(3).epsilon("0.01").upper, rel=1e-6
    )
    weighted = Correlated(((Fraction(3, 2), Fraction(0)), (Fraction(1), Fraction(1))), ran("noise"))
    assert loss_of(weighted, lambda _: prices.Pure("epsilon")) == loss.pure("1.5")
    with pytest.raises(BadArgument, match="grows with the distance"):
        loss_of(weighted, lambda _: loss.laplace(1))


ASYMMETRIC = Worlds((Fraction(1, 7), Fraction(6, 7)), (Fraction(7, 10), Fraction(3, 10)))


def test_opposite_directions_count_where_a_step_goes_both_ways() -> None:
    """Equal parts under replacement, and rows of opposite sign: told apart better than twice the worse direction."""
    against = ASYMMETRIC.times(Worlds(ASYMMETRIC.other, ASYMMETRIC.one)).delta(math.log(3))
    alike = between(ASYMMETRIC)
    assert against > alike.power(2).delta(Fraction(math.log(3))).upper + 0.005
    signed = Correlated(((Fraction(1),), (Fraction(-1),)), ran("one"))
    for event in (Parallel.of(REPLACED, [ran("one")] * 3), Parallel.of(Group(2, ROWS), [ran("one")] * 2), signed):
        assert loss_of(event, lambda _: alike).delta(Fraction(math.log(3))).upper >= against - SLACK
    assert loss_of(Correlated(((Fraction(1),), (Fraction(1),)), ran("one")), lambda _: alike) == alike.power(2)


def test_shared_gaussian_noise_loses_the_dishonest_part() -> None:
    """With a quarter honest the noise has half its deviation, so mu doubles; other noise does not keep its law."""
    event = Shared(Fraction(1, 4), ran("sum"))
    assert loss_of(event, lambda _: prices.GaussianPrivacy("mu")) == loss.gaussian_privacy(1)
    with pytest.raises(BadArgument, match="keep its law"):
        loss_of(event, lambda _: prices.Pure("epsilon"))


def test_what_has_no_theorem_has_no_price() -> None:
    """A shuffled event is refused with a way out, and so is everything that is no event."""
    with pytest.raises(BadArgument, match="no amplification theorem"):
        loss_of(Shuffled(100, written("randomized_response", p="0.75")))
    for wrong in MALFORMED:
        with pytest.raises(BadArgument):
            loss_of(wrong)


def test_a_million_equal_events_are_one_with_a_count() -> None:
    """Long histories price by their kinds, not by their length."""
    history: Any = Composed((written("gaussian", sigma=1000),) * 100_000 + (written("pure", epsilon="1e-6"),) * 10)
    assert math.isfinite(loss_of(history).epsilon("1e-6").upper)
