"""Draws from ratios, or from their logarithms where there are many, follow their laws without ball arithmetic."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies

from tests.sampling.oracles import fit
from tests.statistics import Judge
from twoworlds.sampling import ratios
from twoworlds.sampling.draws import draw_one
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.sampling.logs import difference, ln
from twoworlds.worlds.distributions import NegativeBinomial, Skellam

DRAWS = 5_000
LAWS: list[tuple[Any, Any]] = [
    # a law, and one that is told apart from it
    (Skellam("1/3"), Skellam("3/5")),
    (Skellam(1), Skellam("17/10")),
    (Skellam(60), Skellam(101)),
    (NegativeBinomial(3, "1/10"), NegativeBinomial("39/10", "1/10")),
    (NegativeBinomial(1, "1/3"), NegativeBinomial("13/10", "1/3")),
    (NegativeBinomial("1/2", "1/8"), NegativeBinomial("13/20", "1/8")),
    (NegativeBinomial("5/4", "1/40"), NegativeBinomial("13/8", "1/40")),
    (Skellam(2**14), Skellam(27_700)),
    (Skellam(10**6), Skellam(1_690_000)),
    (NegativeBinomial(1, "1/1000"), NegativeBinomial(1, "1/1300")),
    (NegativeBinomial(10**5, "1/2"), NegativeBinomial(169_000, "1/2")),
    (NegativeBinomial("1/2", "1/1000"), NegativeBinomial("1/2", "1/1300")),
    (NegativeBinomial("1/10", Fraction(1, 2**20)), NegativeBinomial("1/10", Fraction(1, 2**21))),
]


@pytest.mark.parametrize(("law", "other"), LAWS, ids=str)
def test_draws_follow_the_law(judge: Judge, law: Any, other: Any) -> None:
    """Chi-square against the textbook's distribution function; a law 1.3 times as wide is told apart."""
    source = SeededEntropy(8)
    judge.fits(fit([draw_one(law, entropy=source) for _ in range(DRAWS)], law))
    judge.rejects(fit([draw_one(other, entropy=source) for _ in range(DRAWS)], law), planted=str(other))


@given(strategies.fractions(Fraction(1, 50), 3000))
def test_ratios_are_those_of_the_poisson_law(mean: Fraction) -> None:
    """Outward from the mode the ratios are at most 1 and fall, up and down are each other's inverse, and a block always falls."""
    law = ratios._poisson(mean)
    assert isinstance(law, ratios._Falling) and law.fall[0] < law.fall[1]
    for steps in (law.up, law.down):
        found = [Fraction(*steps(k)) for k in range(40)]
        assert found == sorted(found, reverse=True) and found[0] <= 1
    assert Fraction(*law.up(0)) == mean / (law.mode + 1)
    assert law.mode == 0 or Fraction(*law.down(0)) == law.mode / mean


@given(strategies.fractions(1, 30), strategies.fractions(Fraction(1, 40), Fraction(99, 100)))
def test_ratios_are_those_of_the_negative_binomial_law(r: Fraction, p: Fraction) -> None:
    """The same where r is 1 or more, so that weights are log-concave."""
    law = ratios._concave(r, p)
    if not isinstance(law, ratios._Falling):
        return
    assert law.fall[0] < law.fall[1]
    for steps in (law.up, law.down):
        found = [Fraction(*steps(k)) for k in range(40)]
        assert found == sorted(found, reverse=True) and found[0] <= 1
    for x in range(law.mode, law.mode + 5):
        assert Fraction(*law.up(x - law.mode)) == (x + r) * (1 - p) / (x + 1)
    if law.mode:
        assert Fraction(*law.down(0)) == law.mode / ((law.mode - 1 + r) * (1 - p))


@pytest.mark.parametrize(
    ("law", "weight"),
    [
        (ratios._poisson(Fraction(10**5, 3)), lambda x: Fraction(10**5, 3 * (x + 1))),
        (ratios._concave(Fraction(5, 2), Fraction(1, 200)), lambda x: (x + Fraction(5, 2)) / (x + 1) * Fraction(199, 200)),
        (ratios._convex(Fraction(1, 3), Fraction(1, 300)), lambda x: (x + Fraction(1, 3)) / (x + 1) * Fraction(299, 300)),
    ],
)
def test_logarithms_are_those_of_the_ratios(law: Any, weight: Any) -> None:
    """Neighbours differ by the logarithm of their rational ratio, at any place and to any number of bits."""
    for x in (0, 1, 7, 300, 33_333, 10**9):
        for bits in (40, 200):
            low, high = difference((1, law.log(x + 1, bits)), (-1, law.log(x, bits)))
            least, most = ln(weight(x), bits)
            assert low <= most and least <= high
            assert high - low <= 8 * (most - least)


@pytest.mark.parametrize("law", [ratios._poisson(Fraction(10**5)), ratios._concave(Fraction(3), Fraction(1, 500))])
def test_wide_blocks_stay_above_the_weights(law: Any) -> None:
    """What is proposed outweighs what is kept wherever a block begins: chances are at most 1, and not needlessly small."""
    for blocks in range(12):
        for x in (law.mode + blocks * law.block, law.mode - blocks * law.block):
            assert x < 0 or law._kept(x, blocks, 64)[1] <= 16
    assert law.fall <= Fraction(3, 4)


def test_dyadic_blocks_stay_above_the_weights() -> None:
    """The same for r below 1."""
    law = ratios._convex(Fraction(1, 7), Fraction(1, 5000))
    last = len(law.bound) - 1
    for j, bound in enumerate(law.bound):
        assert -2 << 64 < law._kept(1 << j, bound, 64)[1] <= 16
    for again in range(9):
        assert law._kept((1 + again) << last, law.bound[last] + again, 64)[1] <= 16


def test_a_certain_success_never_fails() -> None:
    """With p = 1 there are no failures, for any r."""
    for r in ("1/3", 1, 5):
        assert {draw_one(NegativeBinomial(r, 1)) for _ in range(20)} == {0}


@pytest.mark.parametrize(
    "law", ["Skellam(50)", "Skellam(2**40)", "NegativeBinomial(3, '1/10')", "NegativeBinomial('1/2', '1/100000')"]
)
def test_a_first_draw_loads_no_ball_arithmetic(law: str) -> None:
    """In a new process neither flint nor numpy is there after a draw: loading them took most of the time."""
    text = (
        "import sys; from twoworlds.sampling.draws import draw_one; from twoworlds.worlds.distributions import *; "
        f"draw_one({law}); sys.exit('flint' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", text], check=False, timeout=60).returncode == 0
