"""The law of a sum of two draws against the definition."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, fmpq

from twoworlds.exact import sums
from twoworlds.exact.factors import Known, Lawful, Tabled
from twoworlds.exact.laws import law_of
from twoworlds.exact.sums import convolved
from twoworlds.exact.tails import Rate, Side
from twoworlds.exact.weights import ball, precision
from twoworlds.worlds.distributions import Distribution, Exponential, Gaussian, Laplace, Uniform

GRID, CUT = Fraction(1), Fraction(1, 2**64)


def lawful(noise: Distribution, low: int | None = None, high: int | None = None) -> Lawful:
    law = law_of(noise, GRID)
    return Lawful(law, law.first, law.last).restrict(low, high)


def with_tail() -> Tabled:
    """A table whose upper side goes on geometrically."""
    return Tabled(-1, (fmpq(1, 4), fmpq(0), fmpq(1, 4)), None, Side.geometric(Rate(Fraction(1, 2)), arb(1) / 8))


FACTORS = {
    "uniform": lambda: lawful(Uniform(5)),
    "a table with a tail": with_tail,
    "one-sided": lambda: lawful(Exponential(2)),
    "restricted": lambda: lawful(Laplace(3), low=2),
    "the same Laplace": lambda: lawful(Laplace(3)),
    "another Laplace": lambda: lawful(Laplace("7/2")),
    "a Gaussian": lambda: lawful(Gaussian(2)),
}


def summed(one: Known, other: Known, sign: int, z: int) -> arb:
    """P[k1 + sign k2 = z] by adding up, far enough out that the rest is below 2^-150."""
    reach = range(-600, 601)
    first, second = one.at(-600, 600), other.at(-1200, 1200)
    return sum((ball(first[k + 600]) * second[sign * (z - k) + 1200] for k in reach), arb(0))


@pytest.mark.parametrize("name", FACTORS)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("swapped", [False, True])
def test_sums_with_laplace_noise(name: str, sign: int, swapped: bool) -> None:
    """Every mass of the sum covers its definition, far narrower than the cut; so do both tails."""
    with precision():
        pair = [FACTORS[name](), lawful(Laplace(3))]
        one, other = pair[::-1] if swapped else pair
        found = convolved(one, other, sign, CUT)
        for z in (found.start - 9, found.start, found.start + 7, -3, 0, 1, 5, found.end - 7, found.end, found.end + 9):
            (mass,) = found.at(z, z)
            assert mass.overlaps(summed(one, other, sign, z) + arb(0, "1e-44"))
            if found.start <= z <= found.end:
                assert mass.rad() < 1e-15 * mass
        assert ball(found.total).overlaps(ball(one.total) * other.total)
        assert ball(found.total).rad() < 1e-15


def test_the_recurrence_is_the_product(monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without the short cut for Laplace noise the law is the same."""
    with precision():
        one, other = lawful(Laplace(2), low=0), lawful(Laplace(3))
        quick = convolved(one, other, 1, CUT)
        monkeypatch.setattr(sums, "_whole_laplace", lambda _: None)
        slow = convolved(one, other, 1, CUT)
        assert (quick.start, quick.end) == (slow.start, slow.end)
        assert all(a.overlaps(b) for a, b in zip(quick.weights, slow.weights, strict=True))


@pytest.mark.parametrize(("place", "count"), [(0, 3), (2, 2), (-2, 7), (5, 3), (-6, 3), (1, 9)])
def test_swept_sums(place: int, count: int) -> None:
    """Each sum is of the weights at its place and before, times the ratio for every place between; outside as inside."""
    weights, ratio = (fmpq(3), fmpq(5), fmpq(7)), fmpq(1, 2)
    wanted = [
        sum((weight * ratio ** (here - k) for k, weight in enumerate(weights) if k <= here), fmpq(0))
        for here in range(place, place + count)
    ]
    assert sums._swept(weights, ratio, fmpq(0), place, count) == wanted
    assert sums._swept((), ratio, fmpq(0), place, count) == [0] * count


def test_swept_sums_after_a_side() -> None:
    """What lies behind the first weight counts as a weight at the place before it."""
    with_side = sums._swept((fmpq(5),), fmpq(1, 2), fmpq(3), -1, 4)
    assert with_side == sums._swept((fmpq(3), fmpq(5)), fmpq(1, 2), fmpq(0), 0, 4)
