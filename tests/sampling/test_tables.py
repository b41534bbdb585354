"""A million draws of every law, at every scale, against the textbook; and the paths that are hardly ever taken, forced."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.sampling.oracles import ALPHA, Scripted, fit, fit_all
from tests.statistics import Judge, chi_square
from twoworlds.sampling.draws import draw
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.sampling.laws import law_of
from twoworlds.sampling.ranges import in_steps
from twoworlds.sampling.strips import Cut, Strips, cut
from twoworlds.sampling.tables import Table
from twoworlds.worlds.distributions import (
    Bernoulli,
    BernoulliExp,
    Categorical,
    DiscreteGaussian,
    Distribution,
    Exponential,
    ExponentialWeights,
    Gaussian,
    Geometric,
    Gumbel,
    Laplace,
    NegativeBinomial,
    Skellam,
)

MILLION = 1_000_000
FULL = 100_000_000

# A law, and the same with its scale (or what plays that part) multiplied by 1.3.
LAWS: list[tuple[Distribution, Distribution]] = [
    *((family(10), family(13)) for family in (Laplace, Exponential, Gaussian, DiscreteGaussian, Gumbel)),
    *((family(2**20), family(13 * 2**20 // 10)) for family in (Laplace, Exponential, Gaussian, DiscreteGaussian, Gumbel)),
    (Laplace(2**50), Laplace(10 * 2**50 // 13)),
    (Gaussian(150), Gaussian(195)),
    (Laplace("1/3"), Laplace("13/30")),
    (Geometric("0.13"), Geometric("0.1")),
    (Geometric(Fraction(13, 10**7)), Geometric("1e-6")),
    (NegativeBinomial("0.3", "0.05"), NegativeBinomial("0.39", "0.05")),
    (NegativeBinomial("0.3", "1e-5"), NegativeBinomial("0.39", "1e-5")),
    (NegativeBinomial("4.5", "1e-4"), NegativeBinomial("5.85", "1e-4")),
    (Skellam(50), Skellam("84.5")),
    (Skellam(10**5), Skellam(169_000)),
    (Bernoulli("0.3"), Bernoulli("0.39")),
    (BernoulliExp("1.2"), BernoulliExp("1.56")),
    (Categorical(range(100)), Categorical(range(30, 130))),
    (ExponentialWeights(range(20), 13), ExponentialWeights(range(20), 10)),
]


def strips_of(distribution: Distribution, fineness: Cut) -> Strips:
    return cut(law_of(distribution, in_steps(distribution, Fraction(1))), fineness)


@pytest.mark.parametrize(("law", "wider"), LAWS, ids=str)
def test_a_million_draws_follow_the_law(judge: Judge, law: Distribution, wider: Distribution) -> None:
    """Chi-square over two hundred cells; the law at 1.3 times its scale is told apart."""
    source = SeededEntropy(41)
    judge.fits(fit(draw(law, MILLION, entropy=source), law))
    judge.rejects(fit(draw(wider, MILLION, entropy=source), law), planted="scale x 1.3")


@pytest.mark.soak
@pytest.mark.parametrize(("law", "wider"), LAWS, ids=str)
def test_a_hundred_million_draws_follow_the_law(judge: Judge, effort: float, law: Distribution, wider: Distribution) -> None:
    """The same at full count, where an error of a few parts in a thousand of any cell would show."""
    source = SeededEntropy(42)
    rounds = max(1, round(FULL / MILLION * effort))
    judge.fits(fit_all((draw(law, MILLION, entropy=source) for _ in range(rounds)), law))
    judge.rejects(fit(draw(wider, MILLION, entropy=source), law), planted="scale x 1.3")


@pytest.mark.parametrize("grid", [Fraction(1, 1024), Fraction(3)])
def test_draws_count_grid_steps(judge: Judge, grid: Fraction) -> None:
    """On a grid of step g the law is that of scale / g; taking g for 1.3 g is seen."""
    drawn = draw(Laplace(20), MILLION, grid=grid, entropy=SeededEntropy(43))
    judge.fits(fit(drawn, Laplace(20), grid))
    judge.rejects(fit(drawn, Laplace(20), grid * Fraction(13, 10)), planted="scale x 1.3")


@pytest.mark.parametrize("law", [Laplace(2**20), Gaussian(2**50), Gumbel(2**30)], ids=str)
def test_low_bits_are_even(judge: Judge, law: Distribution) -> None:
    """At a large scale the last ten bits of a draw are uniform: no rounding to a float has taken them."""
    drawn = draw(law, MILLION, entropy=SeededEntropy(44))
    judge.fits(chi_square(np.bincount(drawn & 1023).tolist(), [MILLION / 1024] * 1024, ALPHA))
    rounded = (drawn >> 1 << 1) & 1023
    judge.rejects(
        chi_square(np.bincount(rounded, minlength=1024).tolist(), [MILLION / 1024] * 1024), planted="the last bit rounded"
    )


@pytest.mark.parametrize("law", [Laplace(2**50), Exponential(2**50), Gumbel(2**50)], ids=str)
def test_far_draws_are_exact_integers(law: Distribution) -> None:
    """The last member of the farthest column, beyond 2^53, is not rounded."""
    strips = strips_of(law, Cut())
    table = Table(strips)
    far = int(np.argmax(np.array(strips.starts)))
    begin = (0, *strips.ends)[far]
    words = (sum(strips.sure) << 48) + begin
    script = [lambda _: np.array([words >> 48], np.uint16), lambda _: np.array([2**64 - 1], np.uint64)]
    script += [lambda _: np.array([(words & (1 << 48) - 1) << 16], np.uint64), lambda _: np.array([2**64 - 1], np.uint64)]
    drawn = np.empty(1, np.int64)
    table._fill(drawn, Scripted(words=[0] * 9, arrays=iter(script)))
    assert int(drawn[0]) == strips.starts[far] + (1 << strips.bits[far]) - 1 > 2**53


@pytest.mark.parametrize(
    ("law", "fineness"),
    [
        (Laplace(5), Cut(guide=3, length=9, fine=0, cover=1)),
        (Laplace(300), Cut(guide=3, length=9, fine=0, cover=1)),
        (Gaussian(9), Cut(guide=4, length=8, fine=1, cover=1)),
        (Gaussian(300), Cut(guide=2, length=8, fine=1, cover=1)),
        (NegativeBinomial("0.3", "0.002"), Cut(guide=4, length=9, fine=1, cover=1)),
        (Gumbel(300), Cut(guide=3, length=9, fine=0, cover=1)),
    ],
    ids=str,
)
def test_forced_refinement_keeps_the_law(judge: Judge, law: Distribution, fineness: Cut) -> None:
    """With a few bits, wide columns and half the law in the tails, most draws are settled in balls: the law is the same."""
    strips = strips_of(law, fineness)
    table, settled = Table(strips), []
    table.strips = Counting(strips, settled)  # type: ignore[assignment]  # stands in
    drawn = table.draw(20_000, SeededEntropy(45).stream())
    assert len(settled) > 2_000
    judge.fits(fit(drawn, law))
    judge.rejects(fit(np.rint(drawn * 1.3), law), planted="scale x 1.3")


class Counting:
    """Strips that note what they are asked to settle."""

    def __init__(self, strips: Strips, settled: list[int]) -> None:
        self.strips, self.cut, self.settled = strips, strips.cut, settled

    def settle(self, stream: object, index: int, offset: int, x: int) -> int | None:
        self.settled.append(index)
        return self.strips.settle(stream, index, offset, x)  # type: ignore[arg-type]  # a stream


def test_tails_are_reached() -> None:
    """Where tails hold half the law, draws come from beyond both ends of the columns."""
    strips = strips_of(Laplace(5), Cut(guide=3, length=9, fine=0, cover=1))
    drawn = Table(strips).draw(2_000, SeededEntropy(46).stream())
    upward, downward = (tail.start for tail in strips.tails)
    assert (drawn > 2 * upward).any() and (drawn < 2 * downward).any()
