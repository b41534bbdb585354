"""Logarithms between integers, against ball arithmetic, and the coin that is tossed with them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, strategies

from tests.statistics import Judge, binomial_test
from twoworlds.sampling import logs
from twoworlds.sampling.entropy import SeededEntropy

POSITIVE = strategies.one_of(
    strategies.fractions(Fraction(1, 10**6), 10**6),
    strategies.builds(Fraction, strategies.integers(1, 2**80), strategies.integers(1, 2**20)),
)


def encloses(bounds: tuple[int, int], value: Callable[[], arb], bits: int) -> bool:
    with ctx.workprec(600):
        scaled = value() * arb(2) ** bits
        return bool(scaled >= bounds[0] and scaled <= bounds[1])


def ball(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


@given(POSITIVE, strategies.integers(30, 300))
def test_logarithms_are_enclosed(x: Fraction, bits: int) -> None:
    """The truth lies between both ends, and they are close to one another."""
    bounds = logs.ln(x, bits)
    assert encloses(bounds, lambda: ball(x).log(), bits)
    assert bounds[1] - bounds[0] <= 200 * (bits + 20)


@given(POSITIVE, strategies.integers(30, 200))
def test_gamma_functions_are_enclosed(z: Fraction, bits: int) -> None:
    """Stirling's series with the bound of its first term left out, from tiny arguments to huge ones."""
    bounds = logs.stirling(z, bits)
    assert encloses(bounds, lambda: ball(z).lgamma() - (2 * arb.pi()).log() / 2, bits)
    assert bounds[1] - bounds[0] <= 400 * (bits + 20) * (int(z) + bits)


def test_planted_series_cut_too_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: with a wrong Bernoulli number the enclosure is lost, and the check above sees it."""
    original = logs._bernoulli_number
    monkeypatch.setattr(logs, "_bernoulli_number", lambda n: original(n) if n != 4 else -original(n))
    z = Fraction(201, 2)
    assert not encloses(logs.stirling(z, 100), lambda: ball(z).lgamma() - (2 * arb.pi()).log() / 2, 100)


def test_the_coin_has_its_probability(judge: Judge) -> None:
    """Tossed 20,000 times; a coin 1.3 times as far from 1 is told apart."""
    stream = SeededEntropy(5).stream()

    def tossed(y: Fraction) -> int:
        return sum(logs.below_exp(stream, lambda bits: logs.times(y, (1 << bits, 1 << bits))) for _ in range(20_000))

    judge.fits(binomial_test(tossed(Fraction(-7, 10)), 20_000, exp(-0.7)))
    judge.rejects(binomial_test(tossed(Fraction(-91, 100)), 20_000, exp(-0.7)), planted="exponent x 1.3")


def test_the_coin_asks_for_more_bits() -> None:
    """A probability that agrees with all the bits shown is decided by the ones to come."""
    asked: list[int] = []

    def exponent(bits: int) -> tuple[int, int]:
        asked.append(bits)
        return (-(200 << bits), 0) if len(asked) < 3 else (-1, 0)

    assert logs.below_exp(SeededEntropy(2).stream(), exponent)
    assert asked == [80, 144, 208]
