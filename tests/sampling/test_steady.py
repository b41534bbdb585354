"""Constant work: the same law, and nothing that is done depends on what is drawn."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.sampling.oracles import fit
from tests.statistics import Judge
from twoworlds.sampling import steady
from twoworlds.sampling.draws import draw
from twoworlds.sampling.entropy import SeededEntropy, Stream
from twoworlds.sampling.laws import law_of
from twoworlds.sampling.ranges import in_steps
from twoworlds.sampling.steady import Powers, SteadyTable, steady_table
from twoworlds.worlds.distributions import (
    Bernoulli,
    DiscreteGaussian,
    Distribution,
    ExponentialWeights,
    Gaussian,
    Geometric,
    Gumbel,
    Laplace,
    NegativeBinomial,
    Skellam,
    Uniform,
)
from twoworlds.worlds.errors import BadArgument

DRAWS = 200_000
LAWS: list[tuple[Distribution, Distribution]] = [
    (Laplace(10), Laplace(13)),
    (Laplace(2**20), Laplace(13 * 2**17)),
    (Gaussian(10), Gaussian(13)),
    (Gaussian(200), Gaussian(260)),
    (Gaussian(2**20), Gaussian(13 * 2**17)),
    (DiscreteGaussian(2**20), DiscreteGaussian(13 * 2**17)),
    (Geometric(Fraction(13, 10**7)), Geometric("1e-6")),
    (Gumbel(100), Gumbel(130)),
    (NegativeBinomial("0.3", "0.05"), NegativeBinomial("0.39", "0.05")),
    (Skellam(50), Skellam("84.5")),
    (Bernoulli("0.3"), Bernoulli("0.39")),
    (ExponentialWeights(range(20), 13), ExponentialWeights(range(20), 10)),
]


def table(distribution: Distribution) -> SteadyTable:
    return steady_table(law_of(distribution, in_steps(distribution, Fraction(1))))


@pytest.mark.parametrize(("law", "wider"), LAWS, ids=str)
def test_constant_work_draws_the_same_law(judge: Judge, law: Distribution, wider: Distribution) -> None:
    """Chi-square against the textbook; the law at 1.3 times its scale is told apart."""
    source = SeededEntropy(51)
    judge.fits(fit(draw(law, DRAWS, entropy=source, constant_time=True), law))
    judge.rejects(fit(draw(wider, DRAWS, entropy=source, constant_time=True), law), planted="scale x 1.3")


@pytest.mark.parametrize("law", [law for law, _ in LAWS], ids=str)
def test_what_remains_is_as_rare_as_stated(law: Distribution) -> None:
    """The probability that a proposal is settled in balls, computed from the table: open hits, and tails."""
    made = table(law)
    strips, bounds = made.strips, made.bounds
    whole = 2.0 ** (strips.cut.length)
    begins = (0, *strips.ends)
    columns = len(strips.starts)
    assert (strips.ends[-1] - begins[columns]) / whole < 2.0**-55
    if isinstance(bounds, Powers):
        left = 0.0
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            left = max(left, open_depths(bounds, strips, share) / whole)
        assert left < 2.0**-30
    else:
        widths = [begins[i + 1] - begins[i] - strips.certain[i] for i in range(columns)]
        assert sum(widths) / whole < 2.0**-44


def open_depths(bounds: Powers, strips: Any, share: float) -> float:
    """How many depths of all columns lie between what is surely kept and what is surely refused, at this place in a column."""
    index = np.arange(len(strips.starts))
    members = (share * (2.0 ** np.array(strips.bits) - 1)).astype(np.uint64)
    rests = np.diff(np.array([0, *strips.ends[: len(index)]], np.uint64))
    low, high = np.zeros(len(index)), rests.astype(np.float64) + 1
    edge = []
    for which in (0, 1):  # the first depth not kept, and the first refused, by bisection
        under, over = low.copy(), high.copy()
        for _ in range(64):
            middle = np.floor((under + over) / 2)
            verdict = bounds.verdict(index, middle.astype(np.uint64), members)[which]
            beyond = ~verdict if which == 0 else verdict
            under, over = np.where(beyond, under, middle), np.where(beyond, middle, over)
        edge.append(over)
    return float(np.maximum(edge[1] - edge[0], 0).sum())


class Noting(Stream):
    """A stream that notes every request."""

    __slots__ = ("asked", "source")

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.asked: list[int] = []
        self.source = SeededEntropy(seed).stream()

    def fill(self, count: int) -> bytes | memoryview:
        self.asked.append(count)
        return self.source.fill(count)


@pytest.mark.parametrize("law", [Laplace(10), Gaussian(2**20), Geometric("0.1")], ids=str)
def test_the_work_does_not_depend_on_the_draws(law: Distribution, monkeypatch: pytest.MonkeyPatch) -> None:
    """Per proposal the same bits are asked for and the same array operations made, whatever comes out; nothing is settled."""
    made = table(law)
    monkeypatch.setattr(type(made.strips), "settle", None)  # would fail if it were called
    traces = []
    for seed in (1, 2, 3):
        stream, sizes = Noting(seed), []
        search = SteadyTable._search

        def noted(self: SteadyTable, words: np.ndarray, sizes: list[int] = sizes, search: Any = search) -> np.ndarray:
            sizes.append(len(words))
            return search(self, words)

        monkeypatch.setattr(SteadyTable, "_search", noted)
        drawn = made._propose(10_000, stream)
        monkeypatch.setattr(SteadyTable, "_search", search)
        assert 9_000 < len(drawn) <= 10_000
        traces.append((stream.asked, sizes))
    assert traces[0] == traces[1] == traces[2] == ([80_000, 80_000], [10_000])


def test_the_search_is_a_search() -> None:
    """Full depth without branches finds what numpy's binary search finds, at the ends too."""
    made = table(Laplace(3))
    ends = np.array(made.strips.ends, np.uint64)
    words = np.concatenate([ends, ends - 1, ends + 1, np.array([0, 2**64 - 1], np.uint64)])
    assert made._search(words).tolist() == np.searchsorted(ends, words, side="right").tolist()


def test_uniform_numbers_are_drawn_as_always() -> None:
    """Rejection from bits is of constant work per proposal already."""
    drawn = [draw(Uniform(100), 1000, entropy=SeededEntropy(1), constant_time=flag).tolist() for flag in (True, False)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("law", [Gumbel(2**20), Skellam(10**8), NegativeBinomial("0.5", "1e-6")], ids=str)
def test_laws_without_a_closed_form_are_refused_at_large_scales(law: Distribution) -> None:
    """Where constant work cannot be had the answer is an error with a way out, not work that depends on the draw."""
    with pytest.raises(BadArgument, match="constant_time"):
        draw(law, 10, constant_time=True)


def test_columns_too_wide_for_the_series_are_refused() -> None:
    """The power series is used only where its rest is proved to be small."""
    distribution = Laplace(2**20)
    law = law_of(distribution, in_steps(distribution, Fraction(1)))
    strips = steady.cut(law, steady.Cut(fine=1))
    with pytest.raises(ArithmeticError, match="too wide"):
        Powers(strips, law.decline)  # type: ignore[union-attr, arg-type]  # a Laplace has one
