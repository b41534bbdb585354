"""Bounds from balls hold, and an undecided comparison draws more bits until it is decided."""

from __future__ import annotations

import threading
from fractions import Fraction

import pytest
from flint import arb, ctx

from tests.sampling.oracles import Scripted
from twoworlds.sampling.balls import ball, ceiling, falls_below, floor, ratio, working
from twoworlds.sampling.entropy import SeededEntropy


@pytest.mark.parametrize(
    "value", [Fraction(0), Fraction(7), Fraction(-7), Fraction(22, 7), Fraction(-22, 7), Fraction(10**40, 3)]
)
@pytest.mark.parametrize("precision", [10, 53, 192])
def test_floor_and_ceiling_enclose(value: Fraction, precision: int) -> None:
    """At any precision the floor is no more and the ceiling no less; at enough of it they are the nearest."""
    with working(precision):
        low, high = floor(ball(value)), ceiling(ball(value))
    assert low <= value <= high
    if precision == 192:
        assert high - low <= 1


def test_precision_is_put_back() -> None:
    """Whatever the block does, flint's precision afterwards is what it was."""
    before = ctx.prec
    with working(777):
        assert ctx.prec == 777
    assert ctx.prec == before
    with pytest.raises(ZeroDivisionError), working(777):
        raise ZeroDivisionError
    assert ctx.prec == before


def test_threads_take_turns_with_the_precision() -> None:
    """One thread inside `working` keeps the others out, so that none sees a precision that is not its own."""
    seen: list[int] = []

    def read(bits: int) -> None:
        for _ in range(50):
            with working(bits):
                seen.append(ctx.prec - bits)

    threads = [threading.Thread(target=read, args=(bits,)) for bits in range(100, 108)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(seen) == {0}


@pytest.mark.parametrize(("words", "expected"), [([1], False), ([0, 5], False), ([0, 0, 0, 1], False)])
def test_an_exact_tie_is_broken_by_more_bits(words: list[int], expected: bool) -> None:
    """3 + V < 3 + 2^-64 * 2^-64 ... with V = 0.000...: each word of zeros leaves it open, the first other one decides."""
    stream = Scripted([*words])

    def value() -> arb:
        return arb(3) + arb(0, arb(2) ** -(ctx.prec // 2))  # a ball that never excludes 3

    assert falls_below(stream, 3, value) is expected
    assert stream._words == []


def test_certain_comparisons_draw_nothing() -> None:
    """Values at or beyond the ends of [offset, offset + 1] need no bit."""
    for value, expected in ((ratio(9, 2), True), (arb(4), True), (arb(3), False), (ratio(5, 2), False), (arb(-1), False)):
        assert falls_below(Scripted([]), 3, lambda value=value: value) is expected


def test_inside_the_unit_the_fraction_is_the_probability() -> None:
    """3 + V < 3 + 1/3 for V a uniform number whose words are played in: below a third it is, above it is not."""
    third = (1 << 64) // 3
    for words, expected in (([third - 1], True), ([third + 1], False), ([third, third - 1], True), ([third, third + 1], False)):
        assert falls_below(Scripted(list(words)), 3, lambda: ratio(10, 3)) is expected


def test_no_number_is_an_error() -> None:
    """A weight that is not a number never decides anything: the comparison gives up with an error."""
    with pytest.raises(ArithmeticError, match="no decision"):
        falls_below(SeededEntropy(1).stream(), 0, arb.nan)
