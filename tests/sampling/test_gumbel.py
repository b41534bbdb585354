"""Gumbel draws from integers: bounds that hold, ties that are broken, the law at every scale."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from tests.sampling.oracles import Scripted, fit
from tests.statistics import Judge
from twoworlds.sampling.balls import ball, ratio, working
from twoworlds.sampling.draws import draw_one
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.sampling.gumbel import _cumulative, exponential_ends, gumbel
from twoworlds.worlds.distributions import Gumbel


def test_exponentials_lie_between_their_ends() -> None:
    """For exponents from 0 to beyond the precision, at several precisions: enclosed, and within two units."""
    chosen = np.random.default_rng(1)
    with working(400):
        for bits in (20, 88, 200):
            for size in (0, 1, 2, 10**3, 10**6, 10**9):
                for denominator in (1, 7, 10**6, 2**40 + 1):
                    numerator = int(chosen.integers(size + 1))
                    low, high = exponential_ends(numerator, denominator, bits)
                    value = ratio(-numerator, denominator).exp() * arb(2) ** bits
                    assert low <= value <= high <= low + 2


@pytest.mark.parametrize("scale", [Fraction(1, 10**6), Fraction(1, 3), Fraction(10), Fraction(2**50)])
def test_the_distribution_function_lies_between_its_ends(scale: Fraction) -> None:
    """Near the middle and far out on both sides, where it is 0 or 1 to every bit."""
    bits = 88
    with working(2000):
        for share in (-60, -40, -5, -2, -1, 0, 1, 2, 5, 40, 70, 1000):
            for x in (math.floor(share * scale), math.ceil(share * scale)):
                low, high = _cumulative(x, scale, bits)
                value = (-ball(-x / scale).exp()).exp() * arb(2) ** bits
                assert not value < low
                assert not value > high
                assert 0 <= low <= high <= low + 60


def test_more_bits_are_drawn_where_the_first_do_not_decide() -> None:
    """At scale 1 the border between 0 and 1 is 1/e: its own digits leave the draw open, the first that differs decides."""
    with working(1000):
        digits = int((arb(-1).exp() * arb(2) ** 192).floor().unique_fmpz())
    words = [digits >> 128, digits >> 64 & 2**64 - 1, digits & 2**64 - 1]
    for last, expected in ((words[2] - 1, 0), (words[2] + 1, 1)):
        stream = Scripted([words[0], words[1], last])
        assert gumbel(stream, Fraction(1)) == expected
        assert stream._words == []


@pytest.mark.parametrize("word", [0, 1, 2**63, 2**64 - 2, 2**64 - 1])
@pytest.mark.parametrize("scale", [Fraction(1, 10**6), Fraction(1), Fraction(2**50)])
def test_extreme_words_are_drawn_from(word: int, scale: Fraction) -> None:
    """The first and the last number of 64 bits give draws far out, not errors; further bits come from the tape."""
    found = gumbel(Scripted([word, 12345, 67890, 13579]), scale)
    size = -math.log((word + 0.5) / 2**64) if word < 2**63 else -math.log1p((word - 2**64) / 2**64)
    if 0 < word < 2**64 - 1:
        assert found == pytest.approx(-math.log(size) * float(scale), rel=0.1, abs=1)


@pytest.mark.parametrize("scale", ["1/2", 2**40])
def test_draws_follow_the_law(judge: Judge, scale: object) -> None:
    """Chi-square at a small and a large scale; 1.3 times the scale is told apart."""
    law, source = Gumbel(scale), SeededEntropy(81)
    judge.fits(fit(np.array([draw_one(law, 1, source) for _ in range(10_000)]), law))
    wider = Gumbel(law.scale * Fraction(13, 10))
    judge.rejects(fit(np.array([draw_one(wider, 1, source) for _ in range(10_000)]), law), planted="scale x 1.3")
