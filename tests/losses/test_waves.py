"""Sums of many turning exponentials: the matrix products hold what one sum at a time gives."""

from __future__ import annotations

import cmath
import math

import pytest
from flint import acb, arb
from hypothesis import given, settings, strategies

from twoworlds.losses.waves import Wave, powers

FLOATS = strategies.floats(-3, 3)


@settings(max_examples=30, deadline=None)
@given(
    strategies.lists(strategies.tuples(strategies.floats(0, 1), FLOATS), min_size=1, max_size=12),
    FLOATS,
    strategies.floats(0.01, 5),
    strategies.integers(0, 40),
    strategies.integers(1, 30),
)
def test_powers_are_sums_of_exponentials(terms: list[tuple[float, float]], t: float, step: float, first: int, count: int) -> None:
    """sum of weight exp(z loss) at every node, for any first node."""
    weights, losses = [arb(w) for w, _ in terms], [arb(loss) for _, loss in terms]
    found = powers(weights, losses, arb(t), arb(step), range(first, first + count))
    assert len(found) == count
    for k, value in zip(range(first, first + count), found, strict=True):
        truth = sum(w * cmath.exp(complex(t, k * step) * loss) for w, loss in terms)
        assert complex(value.real.mid(), value.imag.mid()) == pytest.approx(truth, abs=1e-9)
        plain = sum((acb(arb(t), arb(step) * k) * loss).exp() * w for w, loss in zip(weights, losses, strict=True))
        assert value.overlaps(plain)


@settings(max_examples=30, deadline=None)
@given(strategies.lists(FLOATS, min_size=1, max_size=40), strategies.floats(-4, 4))
def test_waves_are_sums_of_coefficients(coefficients: list[float], turn: float) -> None:
    """sum of c_k exp(i pi k turn)."""
    found = Wave([acb(c) for c in coefficients]).at(arb(turn))
    truth = sum(c * cmath.exp(1j * math.pi * k * turn) for k, c in enumerate(coefficients))
    assert complex(found.real.mid(), found.imag.mid()) == pytest.approx(truth, abs=1e-9)


def test_nothing_adds_up_to_nothing() -> None:
    """No terms: zero at every node."""
    assert powers([], [], arb(1), arb(1), range(3)) == [acb(0)] * 3
