"""What quick bounds decide, balls decide alike; and what they leave open is little."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from twoworlds.sampling.balls import ceiling, floor, working
from twoworlds.sampling.bounds import Bounds, Chords, bounds_of
from twoworlds.sampling.laws import Unimodal, law_of
from twoworlds.sampling.ranges import in_steps
from twoworlds.sampling.steady import Powers
from twoworlds.sampling.strips import Cut, Strips, cut
from twoworlds.worlds.distributions import (
    DiscreteGaussian,
    Distribution,
    Exponential,
    Gaussian,
    Geometric,
    Gumbel,
    Laplace,
    NegativeBinomial,
    Skellam,
)

CONCAVE: list[Distribution] = [
    Laplace(300),
    Laplace(2**50),
    Exponential(2**20),
    Gaussian(140),
    Gaussian(2**20),
    Gaussian(2**50),
    DiscreteGaussian(2**20),
    Gumbel(2**20),
    Geometric(Fraction(1, 2**30)),
    NegativeBinomial("2.5", "1e-5"),
    Skellam(10**5),
]
CONVEX: list[Distribution] = [NegativeBinomial("0.02", "1e-5"), NegativeBinomial("0.9", Fraction(1, 2**30))]
CLOSED = [law for law in CONCAVE if not isinstance(law, Gumbel | NegativeBinomial | Skellam)]


def strips_of(distribution: Distribution, fineness: Cut = Cut()) -> Strips:  # noqa: B008  a frozen value
    return cut(law_of(distribution, in_steps(distribution, Fraction(1))), fineness)


def verdicts(bounds: Bounds, strips: Strips) -> tuple[int, int]:
    """How many hits near the true depth were compared, and how many of them left open; every decision is checked."""
    chosen = np.random.default_rng(1)
    hits: list[tuple[int, int, int, bool]] = []
    for index in [*range(0, len(strips.starts), len(strips.starts) // 100 + 1), len(strips.starts) - 1]:
        top = (1 << strips.bits[index]) - 1
        for member in {0, top, top // 2, int(chosen.integers(top + 1))}:
            with working(400):
                depth = strips.depth(index, strips.starts[index] + member)
            low, high = floor(depth) - 1, ceiling(depth)  # certainly kept at low, certainly refused at high
            distances = [0, 1, 2, *(1 << k for k in range(2, 44, 3))]
            hits += [(index, member, low - distance, True) for distance in distances if distance <= low]
            hits += [(index, member, max(0, high) + distance, False) for distance in distances]
    indices, members, offsets, right = (np.array(column) for column in zip(*hits, strict=True))
    kept, refused = bounds.verdict(indices, offsets.astype(np.uint64), members.astype(np.uint64))
    assert not (kept & ~right).any(), "kept what must be refused"
    assert not (refused & right).any(), "refused what must be kept"
    return len(hits), int((~(kept | refused)).sum())


@pytest.mark.parametrize("distribution", CONCAVE + CONVEX, ids=str)
def test_chords_never_contradict_balls(distribution: Distribution) -> None:
    """At hits as close to the true depth as one unit, in every seventh column, chords decide rightly or not at all."""
    strips = strips_of(distribution)
    bounds = bounds_of(strips)
    assert isinstance(bounds, Chords)
    compared, left = verdicts(bounds, strips)
    assert 0 < left < compared


@pytest.mark.parametrize("distribution", CLOSED, ids=str)
def test_powers_never_contradict_balls(distribution: Distribution) -> None:
    """The same for the closed forms of constant work."""
    strips = strips_of(distribution, Cut(cover=60))
    assert isinstance(strips.law, Unimodal) and strips.law.decline is not None
    compared, left = verdicts(Powers(strips, strips.law.decline), strips)
    assert 0 < left < compared


@pytest.mark.parametrize("distribution", [Laplace("7/2"), Gaussian(3), NegativeBinomial("0.3", "0.1")], ids=str)
def test_steps_never_contradict_balls(distribution: Distribution) -> None:
    """The same for columns of one integer, which leave one unit open."""
    strips = strips_of(distribution)
    compared, left = verdicts(bounds_of(strips), strips)
    assert 0 < left < compared


@pytest.mark.parametrize(("distribution", "fault"), [(Laplace(300), "_far"), (Gaussian(2**20), "_last"), (CONVEX[0], "_first")])
def test_a_wrong_bound_is_seen(distribution: Distribution, fault: str) -> None:
    """Bounds that are off by one part in 4096 contradict the balls."""
    strips = strips_of(distribution)
    bounds = bounds_of(strips)
    setattr(bounds, fault, getattr(bounds, fault) * (1 - 2.0**-12))
    with pytest.raises(AssertionError, match="must be"):
        verdicts(bounds, strips)


@pytest.mark.parametrize("fault", ["_value", "_sigma"])
def test_a_wrong_closed_form_is_seen(fault: str) -> None:
    """A height, or the width of a cell, that is off by one part in 2^30, or in eight, contradicts the balls."""
    strips = strips_of(Gaussian(140), Cut(cover=60))
    assert isinstance(strips.law, Unimodal) and strips.law.decline is not None
    bounds = Powers(strips, strips.law.decline)
    setattr(bounds, fault, getattr(bounds, fault) * (1 + (2.0**-30 if fault == "_value" else 1 / 8)))
    with pytest.raises(AssertionError, match="must be"):
        verdicts(bounds, strips)


def test_tails_are_left_open_and_unowned_numbers_start_over() -> None:
    """Bounds decide about columns alone."""
    for distribution in (Laplace(3), Laplace(300), NegativeBinomial("0.02", "1e-5")):
        strips = strips_of(distribution)
        outside = np.arange(len(strips.starts), len(strips.ends) + 1)
        zeros = np.zeros(len(outside), np.uint64)
        kept, refused = bounds_of(strips).verdict(outside, zeros, zeros)
        assert not kept.any()
        assert refused.tolist() == [False] * len(strips.tails) + [True]
