"""Pairs with counts, composed: the sum of their losses, through the product of their moments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import acb, arb

from twoworlds.losses.balls import ball
from twoworlds.losses.beside import Beside
from twoworlds.losses.discrete import Discrete, multiplied
from twoworlds.losses.dominance import Lattice, Pair

__all__ = ["Composition", "common"]

_FEW = 6000  # products of so many atoms are multiplied out
_MOST_BITS = 1 << 20  # of a probability that is kept as a rational
_FEW_BESIDE = 600  # the same beside a pair whose curve is asked once per atom


@dataclass(frozen=True)
class Composition:
    """Pairs with counts, all in one direction."""

    terms: tuple[tuple[Pair, int], ...]

    @cached_property
    def reversed(self) -> Composition:
        """The same pairs, read the other way round."""
        return Composition(tuple((pair.reverse(), count) for pair, count in self.terms))

    @cached_property
    def alone(self) -> Pair | None:
        """The whole as one pair, if it is one or can be multiplied out."""
        if len(self.terms) == 1 and self.terms[0][1] == 1:
            return self.terms[0][0]
        smooth = [(pair, count) for pair, count in self.terms if not isinstance(pair, Discrete)]
        if len(smooth) == 1 and smooth[0][1] == 1:
            atoms = multiplied([term for term in self.terms if term not in smooth], _FEW_BESIDE)
            return Beside(atoms, smooth[0][0]) if atoms is not None else None
        return multiplied(self.terms, _FEW)

    @cached_property
    def infinite(self) -> arb:
        """P[L = infinity]."""
        return 1 - math.prod(((1 - ball(pair.infinite)) ** count for pair, count in self.terms), start=arb(1))

    @cached_property
    def infinite_exactly(self) -> Fraction | None:
        """The same as a rational, where it is one with few enough digits."""
        chances = [(pair.infinite, count) for pair, count in self.terms]
        bits = sum(count * chance.denominator.bit_length() for chance, count in chances if isinstance(chance, Fraction))
        if bits > _MOST_BITS or not all(isinstance(chance, Fraction) for chance, _ in chances):
            return None
        return 1 - math.prod(
            ((1 - chance) ** count for chance, count in chances if isinstance(chance, Fraction)), start=Fraction(1)
        )

    @cached_property
    def largest(self) -> Fraction | arb:
        """The supremum of the finite losses, exact where it is rational."""
        tops = [(pair.largest, count) for pair, count in self.terms]
        exact = sum((count * top for top, count in tops if isinstance(top, Fraction)), Fraction(0))
        loose = [count * top for top, count in tops if isinstance(top, arb)]
        return sum(loose, ball(exact)) if loose else exact

    def is_within(self, epsilon: Fraction | arb) -> bool:
        """Whether no finite loss is above epsilon, for sure."""
        if isinstance(self.largest, Fraction) and isinstance(epsilon, Fraction):
            return self.largest <= epsilon
        return bool(ball(self.largest) <= ball(epsilon))

    @cached_property
    def lattice(self) -> Lattice | None:
        """The common lattice of all finite losses: one kind of pair brings its own, several have one if theirs are rational."""
        own = [(pair.lattice, count) for pair, count in self.terms]
        if len(own) == 1 and own[0][0] is not None:
            return Lattice(own[0][0].offset * own[0][1], own[0][0].spacing)
        offset, spacing = Fraction(0), Fraction(0)
        for lattice, count in own:
            if lattice is None or isinstance(lattice.offset, arb) or isinstance(lattice.spacing, arb):
                return None
            offset += count * lattice.offset
            spacing = common(spacing, lattice.spacing)
        return Lattice(offset, spacing) if spacing else None

    @cached_property
    def atoms(self) -> Composition | None:
        """The part of the law where every loss is an atom, if it lies on a lattice and there is a density beside it."""
        parts = tuple((pair.atoms or pair, count) for pair, count in self.terms if pair.atoms or pair.lattice)
        if len(parts) < len(self.terms) or self.lattice is not None:
            return None
        whole = Composition(parts)
        return whole if whole.lattice is not None else None

    def _is_own(self, pair: Pair) -> bool:
        """Whether the lattice of the whole has the pair's own spacing."""
        assert self.lattice is not None
        return len(self.terms) == 1 or (pair.lattice is not None and pair.lattice.spacing == self.lattice.spacing)

    def log_moment(self, t: arb) -> arb:
        """K(t) = log E[exp(t L); L < infinity]; minus infinity where nothing can be seen in both worlds."""
        moments = [(pair.moment(t), count) for pair, count in self.terms]
        if any(moment.is_zero() for moment, _ in moments):
            return arb("-inf")
        return sum((count * moment.log() for moment, count in moments), arb(0))

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        """M at z = t + i k step for k in nodes."""
        products = [acb(1)] * len(nodes)
        for pair, count in self.terms:
            products = [p * m**count for p, m in zip(products, pair.moments(t, step, nodes), strict=True)]
        return products

    def envelope(self, t: arb, omega: arb, *, split: bool) -> arb:
        """A bound on |M(t + i w)| for all w >= omega; with the atoms split off, on |M - A|.

        Replacing the factors of M by those of A one by one, each step changes one factor by its density's transform.
        """
        bounds = [(pair.envelope(t, omega), pair, count) for pair, count in self.terms]
        total = math.prod((bound**count for bound, _, count in bounds), start=arb(1))
        if not split:
            return total
        return total * sum((n * pair.density_envelope(t, omega) / b for b, pair, n in bounds if pair.atoms), arb(0))

    def zone(self, t: arb, points: int, nodes: range) -> list[acb]:
        """M at z = t + i pi k / (points * spacing) for k in nodes, on a lattice."""
        assert self.lattice is not None
        products, step = [acb(1)] * len(nodes), arb.pi() / (points * ball(self.lattice.spacing))
        for pair, count in self.terms:
            values = pair.zone(t, points, nodes) if self._is_own(pair) else pair.moments(t, step, nodes)
            products = [p * m**count for p, m in zip(products, values, strict=True)]
        return products

    def effort(self, omega: float) -> int:
        """About how many terms there are per node up to frequency omega."""
        return sum(pair.effort(omega) for pair, _ in self.terms)

    def zone_envelope(self, t: arb, omega: arb) -> arb:
        """A bound on |M(t + i w)| for omega <= w <= pi / spacing, of a composition on a lattice."""
        assert self.lattice is not None
        total = arb(1)
        for pair, count in self.terms:
            total *= (pair.zone_envelope(t, omega) if self._is_own(pair) else pair.moment(t)) ** count
        return total


def common(one: Fraction, other: Fraction) -> Fraction:
    """The greatest common divisor of two rationals."""
    bottom = one.denominator * other.denominator
    return Fraction(math.gcd(one.numerator * other.denominator, other.numerator * one.denominator), bottom)
