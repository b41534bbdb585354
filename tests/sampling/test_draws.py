"""Whichever path a request takes, it is the same law, counts are counts, and a tape plays the same again."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.sampling.oracles import fit
from tests.statistics import Judge
from twoworlds.sampling import draws
from twoworlds.sampling.draws import FEW, FEW_OF_A_LIST, Supply, draw, draw_one
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.worlds.distributions import Categorical, Gaussian, Geometric, Gumbel, Laplace


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    draws._kept.cache_clear()


@pytest.mark.parametrize("count", [0, 1, FEW, FEW + 1, 10**5])
def test_as_many_as_asked_for(count: int) -> None:
    """Arrays of 64-bit integers of the length that was asked for, on both sides of the border between coins and tables."""
    for steady in (False, True):
        drawn = draw(Laplace(10), count, constant_time=steady)
        assert drawn.shape == (count,) and drawn.dtype == np.int64


def test_tapes_do_not_depend_on_what_came_before() -> None:
    """A seeded draw is the same whether or not a table of its law is kept; only the system's own entropy profits from one."""
    before = draw(Laplace(10), 100, entropy=SeededEntropy(1)).tolist()
    draw(Laplace(10), 10 * FEW)
    for _ in range(10):
        draw(Laplace(10), FEW)
    assert draw(Laplace(10), 100, entropy=SeededEntropy(1)).tolist() == before


def test_many_small_requests_build_a_table() -> None:
    """Small requests come from coins until they add up to the price of a table; seeded ones always do."""
    for entropy, expected in ((None, True), (SeededEntropy(1), False)):
        draws._kept.cache_clear()
        for _ in range(2 * FEW // 100):
            draw(Laplace(10), 100, entropy=entropy)
        assert (draws._kept(Laplace(10), Fraction(10))._table is not None) is expected


def test_lists_of_weights_soon_get_a_table() -> None:
    """A draw from a list takes as long as the list; a few of them pay for its table."""
    many = Categorical(range(1, 2001))
    draw(many, FEW_OF_A_LIST, entropy=SeededEntropy(1))
    assert draws._kept(many, Fraction(1))._table is None
    drawn = draw(many, FEW_OF_A_LIST + 1, entropy=SeededEntropy(1))
    assert draws._kept(many, Fraction(1))._table is not None
    assert drawn.min() >= 0 and drawn.max() < 2000


def test_tables_are_kept_but_not_for_ever() -> None:
    """Equal laws share a table; the cache is bounded."""
    draw(Laplace(10), 1000)
    draw(Laplace("10"), 1000)
    assert draws._kept.cache_info().currsize == 1
    for scale in range(1, 100):
        draw(Laplace(scale), 1)
    assert draws._kept.cache_info().currsize == draws._REMEMBERED


def test_only_the_ratio_of_scale_and_grid_matters() -> None:
    """Scale 3 on quarters is scale 12 on ones, draw by draw."""
    fine = draw(Laplace(3), 2000, grid=Fraction(1, 4), entropy=SeededEntropy(2))
    plain = draw(Laplace(12), 2000, entropy=SeededEntropy(2))
    assert fine.tolist() == plain.tolist()


def test_counts_have_no_grid() -> None:
    """Laws of counts give the same counts on every grid."""
    for law in (Geometric("0.2"), Categorical([1, 2, 3])):
        drawn = [draw(law, 2000, grid=grid, entropy=SeededEntropy(3)).tolist() for grid in (1, Fraction(1, 8))]
        assert drawn[0] == drawn[1]


@pytest.mark.parametrize("law", [Laplace(4), Gumbel(6)], ids=str)
def test_a_supply_serves_the_law(judge: Judge, law: Laplace | Gumbel) -> None:
    """Draw by draw, through every size of block, the law is kept; 1.3 times its scale is told apart."""
    served = {}
    for factor in (1, Fraction(13, 10)):
        supply = Supply(type(law)(law.scale * factor), entropy=SeededEntropy(71))
        served[factor] = np.array([supply.next() for _ in range(40_000)])
    judge.fits(fit(served[1], law))
    judge.rejects(fit(served[Fraction(13, 10)], law), planted="scale x 1.3")


def test_blocks_grow() -> None:
    """A supply fetches one draw when one is wanted, and no more than 16,384 ahead."""
    supply = Supply(Gaussian(3))
    supply.next()
    assert supply._ahead == []
    seen = 1
    while seen < 60_000:
        supply.next()
        seen += 1
        assert len(supply._ahead) <= min(4 * seen, 1 << 14)
    assert supply._block == 1 << 14


def test_a_supply_replays_its_tape() -> None:
    """The same seed gives the same numbers in the same order."""
    one, other = (Supply(Laplace(9), Fraction(1, 2), SeededEntropy(5)) for _ in range(2))
    assert [one.next() for _ in range(3000)] == [other.next() for _ in range(3000)]


def test_single_draws_are_plain_integers() -> None:
    """`draw_one` and a supply give Python ints, at any scale."""
    for scale in ("1e-6", 1, 2**50):
        assert type(draw_one(Laplace(scale))) is int
        supply = Supply(Laplace(scale))
        assert {type(supply.next()) for _ in range(2000)} == {int}
