"""Coins of exact probability: what is decided by the first word is right, and what is not is decided by more bits."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest

from tests.sampling.oracles import ALPHA, Scripted
from tests.statistics import Judge, binomial_test
from twoworlds.sampling.coins import bernoulli, bernoulli_exp, bernoulli_power, geometric_exp
from twoworlds.sampling.entropy import SeededEntropy, Stream

TOSSES = 40_000
LAST = (1 << 64) - 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([(1 << 64) // 3 - 1], True),
        ([(1 << 64) // 3 + 1], False),
        ([(1 << 64) // 3, (1 << 64) // 3 - 1], True),
        ([(1 << 64) // 3, (1 << 64) // 3 + 1], False),
        ([(1 << 64) // 3] * 5 + [0], True),
        ([(1 << 64) // 3] * 5 + [LAST], False),
    ],
)
def test_a_tie_is_broken_by_more_bits(words: list[int], expected: bool) -> None:
    """1/3 has the binary digits 0101...: as long as the words agree with them, more are drawn; the first that differs decides."""
    stream = Scripted(words)
    assert bernoulli(stream, 1, 3) is expected
    assert stream._words == []


def test_a_power_is_as_exact_as_a_ratio() -> None:
    """(1/3)^1 decides as 1/3 does, on every prefix of its digits; certain coins are certain."""
    third = (1 << 64) // 3
    for length in range(1, 6):
        for last, expected in ((third - 1, True), (third + 1, False)):
            words = [third] * length + [last]
            assert bernoulli_power(Scripted(list(words)), 1, 3, 1) is bernoulli(Scripted(words), 1, 3) is expected
    for word in (0, LAST):
        assert bernoulli_power(Scripted([word]), 5, 7, 0)
        assert not bernoulli_power(Scripted([word, 0, LAST]), 0, 7, 3)
        assert bernoulli(Scripted([word]), 7, 7)
        assert not bernoulli(Scripted([word]), 0, 7)


@pytest.mark.parametrize(
    ("toss", "probability", "wrong"),
    [
        (lambda stream: bernoulli(stream, 2, 7), 2 / 7, 2 / 7 * 1.3),
        (lambda stream: bernoulli_exp(stream, 3, 10), math.exp(-0.3), math.exp(-0.3 * 1.3)),
        (lambda stream: bernoulli_exp(stream, 23, 10), math.exp(-2.3), math.exp(-2.3 * 1.3)),
        (lambda stream: bernoulli_power(stream, 99, 100, 70), 0.99**70, 0.99 ** (70 * 1.3)),
        (lambda stream: bernoulli_power(stream, 2**50 - 1, 2**50, 2**50), math.exp(-1), math.exp(-1.3)),
        (lambda stream: geometric_exp(stream) >= 2, math.exp(-2), math.exp(-2 * 1.3)),
    ],
)
def test_a_coin_has_its_probability(judge: Judge, toss: Callable[[Stream], bool], probability: float, wrong: float) -> None:
    """The share of heads fits the probability, and does not fit one with the exponent scaled by 1.3."""
    stream = SeededEntropy(11).stream()
    heads = sum(toss(stream) for _ in range(TOSSES))
    judge.fits(binomial_test(heads, TOSSES, probability, ALPHA))
    judge.rejects(binomial_test(heads, TOSSES, wrong), planted="exponent x 1.3")


def test_first_word_decides_all_but_one_in_two_to_the_64() -> None:
    """For any ratio at most one 64-bit word leaves the coin open."""
    for ratio in (Fraction(1, 3), Fraction(5, 8), Fraction(2**70 + 1, 3**50), Fraction(1, 10**30)):
        boundary = (ratio.numerator << 64) // ratio.denominator
        for word in (boundary - 1, boundary + 1):
            if 0 <= word <= LAST:
                stream = Scripted([word])
                assert bernoulli(stream, ratio.numerator, ratio.denominator) is (word < boundary)
