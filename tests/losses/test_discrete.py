"""Pairs with atoms only, sampled or not, and one of them beside another law: against sums over their atoms."""

from __future__ import annotations

import cmath
import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings

from tests.losses.finite import Worlds, worlds
from tests.losses.pairs import delta, has_its_slope, is_a_curve
from twoworlds.losses.beside import Beside
from twoworlds.losses.continuous import Gaussian
from twoworlds.losses.discrete import Approximate, Discrete, DiscreteLaplace, Finite, multiplied
from twoworlds.losses.dominance import Pair
from twoworlds.losses.sampled_discrete import SampledDiscrete


def tabled(pair: Worlds) -> Finite:
    return Finite.of([((p, p), (q, q)) for p, q in zip(pair.one, pair.other, strict=True)])


@settings(max_examples=20, deadline=None)
@given(worlds)
def test_tables_and_their_samples_have_their_curves(pair: Worlds) -> None:
    """A table, and ((1 - q) N + q Y, N) of it, are the sums over their outcomes."""
    q, table = Fraction(1, 5), tabled(pair)
    mixed = Worlds(tuple((1 - q) * b + q * a for a, b in zip(pair.one, pair.other, strict=True)), pair.other)
    for made, truth in ((table, pair), (SampledDiscrete(table, q), mixed)):
        is_a_curve(made)
        for epsilon in (-0.7, 0.0, 0.4):
            gained = sum(max(float(p) - math.exp(epsilon) * float(r), 0.0) for p, r in zip(truth.one, truth.other, strict=True))
            assert delta(made, epsilon) == pytest.approx(gained, abs=1e-12)


@pytest.mark.parametrize(
    "pair",
    [Approximate(Fraction(1)), DiscreteLaplace(Fraction(1, 3), 4), SampledDiscrete(Approximate(Fraction(2)), Fraction(1, 9))],
)
def test_atoms_are_two_laws_with_their_moments(pair: Discrete) -> None:
    """Both laws add up to 1, every loss is the logarithm of its ratio, moments are sums over atoms; all on the lattice."""
    atoms = pair.table()
    assert float(sum(atom.p for atom in atoms).mid()) == pytest.approx(1) == float(sum(atom.q for atom in atoms).mid())
    for atom in atoms:
        assert atom.loss.overlaps((atom.p / atom.q).log())
    has_its_slope(pair)
    for k, value in enumerate(pair.moments(arb(0.3), arb(2), range(3))):
        truth = sum(float(a.p.mid()) * cmath.exp(complex(0.3, 2 * k) * float(a.loss.mid())) for a in atoms)
        assert complex(float(value.real.mid()), float(value.imag.mid())) == pytest.approx(truth)
    lattice = pair.lattice
    assert lattice is not None
    places = [(float(a.loss.mid()) - float(arb(0) + _ball(lattice.offset))) / float(_ball(lattice.spacing)) for a in atoms]
    assert all(abs(place - round(place)) < 1e-9 for place in places)
    for omega in (0.5, 2.0):
        bound = float(pair.zone_envelope(arb(0.3), arb(omega)).upper())
        top = math.pi / float(_ball(lattice.spacing))
        for w in (omega + (top - omega) * k / 7 for k in range(8) if omega < top):
            value = pair.moments(arb(0.3), arb(w), range(1, 2))[0]
            assert abs(complex(float(value.real.mid()), float(value.imag.mid()))) <= bound * (1 + 1e-9)


def _ball(value: Fraction | arb) -> arb:
    from twoworlds.losses.balls import ball

    return ball(value)


def test_failures_are_counted_once() -> None:
    """(epsilon, delta) pairs multiplied: P[L = infinity] is 1 - (1 - delta)^n, and delta(epsilon) never falls below it."""
    product = multiplied([(Approximate(Fraction(1), Fraction(1, 10)), 3)], 1000)
    assert product is not None
    assert float(product.infinite.mid()) == pytest.approx(1 - 0.9**3) == pytest.approx(delta(product, 50.0))
    assert multiplied([(Approximate(Fraction(1)), 5000)], 100) is None


@pytest.mark.parametrize("other", [Gaussian(Fraction(1)), Approximate(Fraction(1, 2), Fraction(1, 100))])
def test_an_atom_beside_another_law(other: Pair) -> None:
    """Read atom by atom, a discrete pair beside another has the curve, the slope and the moments of the product."""
    first = Approximate(Fraction(1), Fraction(1, 50))
    both = Beside(first, other)
    is_a_curve(both)
    has_its_slope(both)
    one, two, whole = (pair.moments(arb(0.5), arb(1), range(3)) for pair in (first, other, both))
    assert all(w.overlaps(a * b) for a, b, w in zip(one, two, whole, strict=True))
    if isinstance(other, Discrete):
        product = multiplied([(first, 1), (other, 1)], 100)
        assert product is not None
        assert all(delta(both, e) == pytest.approx(delta(product, e)) for e in (-1.0, 0.0, 0.4, 3.0))
