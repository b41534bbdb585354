"""The second algorithm: each pair bounded on a lattice from both sides, and so is what they compose to."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb

from tests.losses.pairs import delta
from twoworlds.losses.balls import ball, precision
from twoworlds.losses.composition import Composition
from twoworlds.losses.continuous import Gaussian, Laplace
from twoworlds.losses.contour import Need
from twoworlds.losses.discrete import Finite
from twoworlds.losses.dominance import Pair
from twoworlds.losses.folded import Folded
from twoworlds.losses.lattice import between, tabulate
from twoworlds.losses.sampled_gaussian import SampledGaussian

TABLE = Finite.of([((Fraction(p, 10),) * 2, (Fraction(q, 10),) * 2) for p, q in ((7, 3), (2, 5), (1, 2))])
FOLDED = Folded(((SampledGaussian(Fraction(1), Fraction(1, 10)), Fraction(1)),))
PAIRS = [Gaussian(Fraction(1)), Laplace(Fraction(1)), SampledGaussian(Fraction(1), Fraction(1, 10)), TABLE, FOLDED]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_the_lattice_pairs_are_below_and_above(pair: Pair) -> None:
    """On and off the lattice points: the lower curve nowhere above the pair's, the upper nowhere below, and close in between."""
    with precision():
        low, high = tabulate(pair, Fraction(1, 20), -120, 120)
        for k in range(-30, 60):
            epsilon = k / 17
            truth = delta(pair, epsilon)
            below, above = float(low.hockey(arb(epsilon)).upper()), float(high.hockey(arb(epsilon)).lower())
            assert below <= truth + 1e-12 and above >= truth - 1e-12
            assert above - below < 1 / 20


def test_a_finer_lattice_is_closer_by_its_square() -> None:
    """Half the pitch, about a quarter of the gap."""
    gaps = []
    with precision():
        for parts in (5, 10, 20):
            low, high = tabulate(Gaussian(Fraction(1)), Fraction(1, parts), -6 * parts, 6 * parts)
            gaps.append(float((high.hockey(arb(0.51)) - low.hockey(arb(0.51))).mid()))
    assert gaps[0] > 2.5 * gaps[1] > 6 * gaps[2] > 0


@pytest.mark.parametrize("count", [2, 9])
def test_compositions_lie_between(count: int) -> None:
    """n Gaussians are one Gaussian: the ball of the two composed lattice curves holds its delta."""
    whole, need = Gaussian(Fraction(count, 9)), Need(Fraction(1), -3.0, 1e-3, 2e6)
    with precision():
        found = between(Composition(((Gaussian(Fraction(1, 9)), count),)), arb(2), need)
        assert found is not None
        for at in (Fraction(1), Fraction(3, 2)):
            assert found.bounds(at).contains(whole.hockey(ball(at)))
        assert float(found.bounds(Fraction(1)).rel_accuracy_bits()) > 5


def test_too_fine_a_lattice_is_refused() -> None:
    """What would take too many cells is None, and something else is tried."""
    with precision():
        assert between(Composition(((Gaussian(Fraction(10**6)), 10**6),)), arb(50), Need(Fraction(1), -3.0, 1e-9, 2e6)) is None
