"""What must hold for every dominating pair: its moments, its curve, its slope and its reverse tell of the same two laws."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from flint import arb

from twoworlds.losses.balls import refine
from twoworlds.losses.dominance import Pair

POINTS = tuple(k / 4 for k in range(-12, 13))


def delta(pair: Pair, epsilon: float) -> float:
    return float(refine(lambda: pair.hockey(arb(epsilon))).mid())


def is_a_curve(pair: Pair) -> None:
    """delta falls and is convex in exp(epsilon), within its bounds, and the reversed pair mirrors it."""
    values = [delta(pair, epsilon) for epsilon in POINTS]
    for epsilon, value in zip(POINTS, values, strict=True):
        assert max(0.0, 1 - math.exp(epsilon)) - 1e-12 <= value <= 1 + 1e-12
        mirrored = 1 - math.exp(epsilon) * (1 - delta(pair.reverse(), -epsilon))
        assert value == pytest.approx(mirrored, abs=1e-11)
    for (e0, d0), (e1, d1), (e2, d2) in zip(*(list(zip(POINTS, values, strict=True))[k:] for k in range(3)), strict=False):
        assert d0 >= d1 - 1e-12
        share = (math.exp(e1) - math.exp(e0)) / (math.exp(e2) - math.exp(e0))
        assert d1 <= d0 + share * (d2 - d0) + 1e-12


def has_its_slope(pair: Pair) -> None:
    """What exceeds is a supporting slope of the curve: the line at each point lies below the curve everywhere."""
    for at in POINTS:
        slope, height = float(pair.exceeds(arb(at)).mid()), delta(pair, at)
        for epsilon in POINTS:
            assert delta(pair, epsilon) >= height - slope * (math.exp(epsilon) - math.exp(at)) - 1e-10


def has_its_moments(pair: Pair, integral: Callable[[complex], complex]) -> None:
    """The moment balls hold what another way of integrating gives, on the real axis and off it, left and right of 0."""
    for t in (0.4, 2.0, -0.5):
        values = pair.moments(arb(t), arb(1.5), range(4))
        for k, value in enumerate(values):
            found = complex(float(value.real.mid()), float(value.imag.mid()))
            assert found == pytest.approx(integral(complex(t, 1.5 * k)), rel=1e-7, abs=1e-9)
            assert float(value.real.rad()) < 1e-9 * float(values[0].real.mid())
        assert float(pair.moment(arb(t)).mid()) == pytest.approx(float(values[0].real.mid()))
        for omega in (0.05, 1.0, 4.0):
            bound = float(pair.envelope(arb(t), arb(omega)).upper())
            further = pair.moments(arb(t), arb(omega), range(1, 6))
            assert all(abs(complex(float(v.real.mid()), float(v.imag.mid()))) <= bound * (1 + 1e-9) for v in further)


def is_shifted(pair: Pair, integral: Callable[[complex], complex]) -> None:
    """All of it, for a pair and its reverse, given E_P[exp(z L)] of the pair; E_Q[exp(-z L)] is the same at -z - 1."""
    for side, laws in ((pair, integral), (pair.reverse(), lambda z: integral(-z - 1))):
        is_a_curve(side)
        has_its_slope(side)
        has_its_moments(side, laws)
