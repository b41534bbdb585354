"""What every pair has unless it knows better: trivial envelopes, and a bound far out on a lattice."""

from __future__ import annotations

import cmath
import math

import pytest
from flint import arb
from hypothesis import given, strategies

from twoworlds.losses.dominance import Pair, zone_bound
from twoworlds.losses.loss import approximate, gaussian

weights = strategies.lists(strategies.integers(0, 9), min_size=1, max_size=6).filter(any)
turns = strategies.floats(0, math.pi)


@given(weights, turns, turns)
def test_the_zone_bound_holds_from_its_turn_on(found: list[int], one: float, other: float) -> None:
    """|sum of w_j exp(i j theta)| at any theta from the turn to pi, summed term by term."""
    turn, theta = min(one, other), max(one, other)
    size = abs(sum(weight * cmath.exp(1j * j * theta) for j, weight in enumerate(found)))
    bound = float(zone_bound([arb(weight) for weight in found], arb(turn)).upper())
    assert size <= bound * (1 + 1e-9) + 1e-7  # the root of what should be 0
    assert bound <= sum(found) * (1 + 1e-9)


def test_the_zone_bound_says_something() -> None:
    """For two equal weights it is the size itself, which reaches 0 at pi."""
    for turn in (0.5, 2.0, 3.0):
        assert float(zone_bound([arb(1), arb(1)], arb(turn)).mid()) == pytest.approx(2 * math.cos(turn / 2))


@pytest.mark.parametrize("pair", [approximate("1/3", "0.1").remove[0][0], gaussian(1).remove[0][0]], ids=str)
def test_what_a_pair_need_not_know_is_sound(pair: Pair) -> None:
    """The inherited envelopes bound the moments that they speak of, and the moment is that of frequency 0."""
    t, step = arb("0.7"), arb(1)
    far = [abs(complex(float(v.real.mid()), float(v.imag.mid()))) for v in pair.moments(t, step, range(8))]
    plain = float(pair.moment(t).mid())
    assert far[0] == pytest.approx(plain)
    for envelope in (Pair.envelope, Pair.density_envelope, Pair.zone_envelope):
        assert max(far[1:]) <= float(envelope(pair, t, step).upper()) * (1 + 1e-12)
    if pair.lattice is not None:
        zone = Pair.zone(pair, t, 4, range(5))
        step = arb.pi() / (4 * arb(1) * arb(float(pair.lattice.spacing)))
        assert [float(v.real.mid()) for v in zone] == pytest.approx(
            [float(v.real.mid()) for v in pair.moments(t, step, range(5))]
        )
