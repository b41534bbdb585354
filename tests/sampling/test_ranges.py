"""Scales out of range, grids that are none, counts that are none: each an error that names the argument and says what to do."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from twoworlds.sampling.draws import Supply, draw, draw_one
from twoworlds.sampling.ranges import in_steps
from twoworlds.worlds import distributions
from twoworlds.worlds.distributions import (
    DiscreteGaussian,
    Distribution,
    Exponential,
    Gaussian,
    Geometric,
    Gumbel,
    Laplace,
    NegativeBinomial,
    Skellam,
    Uniform,
)
from twoworlds.worlds.errors import BadArgument

MOST = 2**50
ON_THE_GRID = [Laplace, Exponential, Gaussian, DiscreteGaussian, Gumbel]


@pytest.mark.parametrize("family", ON_THE_GRID)
@pytest.mark.parametrize("grid", [Fraction(1), Fraction(1, 1024), Fraction(3)])
def test_the_range_is_in_grid_steps(family: Any, grid: Fraction) -> None:
    """From a millionth of a step to 2^50 steps; one step further is refused, by name and with advice."""
    assert in_steps(family(grid / 10**6), grid) == Fraction(1, 10**6)
    assert in_steps(family(grid * MOST), grid) == MOST
    with pytest.raises(BadArgument, match=r"(scale|sigma) = .* finer grid"):
        in_steps(family(grid / (10**6 + 1)), grid)
    with pytest.raises(BadArgument, match=r"(scale|sigma) = .* coarser grid"):
        in_steps(family(grid * MOST + grid), grid)


@pytest.mark.parametrize(
    "law",
    [
        Laplace("1e-7"),
        Gaussian(2**51),
        DiscreteGaussian("1e-7"),
        Exponential(2**51),
        Gumbel(2**51),
        Geometric(Fraction(1, MOST + 1)),
        NegativeBinomial(1, Fraction(1, MOST + 1)),
        NegativeBinomial(MOST, Fraction(1, 2)),
        Skellam(2**100),
        Skellam("1e-13"),
    ],
    ids=str,
)
def test_every_way_to_draw_refuses(law: Distribution) -> None:
    """One draw, an array, a steady array, no draw at all, a supply: none returns a number."""
    for act in (
        lambda: draw_one(law),
        lambda: draw(law, 10),
        lambda: draw(law, 10**4),
        lambda: draw(law, 0),
        lambda: draw(law, 10, constant_time=True),
        lambda: Supply(law),
    ):
        with pytest.raises(BadArgument):
            act()


@pytest.mark.parametrize("grid", [0, -1, math.nan, math.inf, "wide", None, True])
def test_a_grid_is_positive(grid: Any) -> None:
    """Every way to draw refuses a grid that is no positive number."""
    for act in (lambda: draw_one(Laplace(1), grid), lambda: draw(Laplace(1), 3, grid=grid), lambda: Supply(Laplace(1), grid)):
        with pytest.raises(BadArgument, match="grid"):
            act()


@pytest.mark.parametrize("count", [-1, 1.0, 2.5, math.nan, "3", None, True, 2**40, Fraction(3)])
def test_a_count_is_a_whole_number(count: Any) -> None:
    """Counts that are negative, huge or not ints are refused, also where the law has a sampler of its own."""
    for law in (Laplace(1), Uniform(3)):
        with pytest.raises(BadArgument, match="count"):
            draw(law, count)


@pytest.mark.parametrize("thing", [None, 3, "laplace", Laplace, object()])
def test_only_distributions_are_drawn(thing: Any) -> None:
    """Anything else is an error that says so."""
    for act in (lambda: draw_one(thing), lambda: draw(thing, 3), lambda: Supply(thing)):
        with pytest.raises(BadArgument, match="is not a distribution"):
            act()


def test_an_array_cannot_hold_larger_numbers() -> None:
    """Uniform numbers beyond 2^63 are drawn one by one."""
    assert draw(Uniform(2**63), 3).min() >= 0
    with pytest.raises(BadArgument, match="64-bit"):
        draw(Uniform(2**63 + 1), 3)
    assert 0 <= draw_one(Uniform(2**200)) < 2**200


@pytest.mark.parametrize("value", [math.nan, math.inf, -1, 0, "many", None, True])
def test_distributions_refuse_bad_scales(value: Any) -> None:
    """No law with such a scale exists to be drawn from."""
    for family in (*ON_THE_GRID, Geometric, Skellam, lambda p: NegativeBinomial(1, p), lambda r: NegativeBinomial(r, "0.5")):
        with pytest.raises(BadArgument):
            family(value)


def test_every_distribution_can_be_drawn() -> None:
    """No law of the vocabulary is left out."""
    found = [getattr(distributions, name) for name in distributions.__all__ if name != "Distribution"]
    made = {
        "Categorical": ([1, 2],),
        "ExponentialWeights": ([1, 2],),
        "NegativeBinomial": (2, "0.5"),
        "Bernoulli": ("0.5",),
        "Geometric": ("0.5",),
    }
    for family in found:
        law = family(*made.get(family.__name__, (2,)))
        assert isinstance(draw_one(law), int)
        for count in (0, 5, 1000):
            assert draw(law, count).dtype == "int64"
            assert draw(law, count).shape == draw(law, count, constant_time=True).shape == (count,)
