"""Pairs of laws with atoms only: randomized response, tabulated mechanisms, discrete Laplace noise, products of a few of them."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from flint import acb, arb, ctx, fmpz

from twoworlds.losses.balls import BITS, ball, highest
from twoworlds.losses.dominance import Lattice, Pair, zone_bound
from twoworlds.losses.waves import powers

__all__ = ["Approximate", "Discrete", "DiscreteLaplace", "Finite", "LaplaceEnds", "Mass", "Product", "multiplied"]

Mass = tuple[Fraction, Fraction]  # lower and upper end; equal where the mass is exact


class Atom(NamedTuple):
    """An outcome: its probabilities in both laws, and log p / q."""

    p: arb
    q: arb
    loss: arb


class Discrete(Pair):
    """Finitely many atoms with a finite loss; in the order of the lattice if there is one."""

    @abstractmethod
    def table(self) -> list[Atom]:
        """The atoms, at the precision of the moment."""

    @cached_property
    def _table(self) -> list[Atom]:
        return self.table()

    @cached_property
    def _columns(self) -> tuple[list[arb], list[arb]]:
        return [atom.p for atom in self._table], [atom.loss for atom in self._table]

    def losses(self) -> list[arb]:
        """The finite losses that occur."""
        return self._columns[1]

    def moments(self, t: arb, step: arb, nodes: range) -> list[acb]:
        return powers(*self._columns, t, step, nodes)

    def hockey(self, epsilon: arb) -> arb:
        x, table = epsilon.exp(), self._table if ctx.prec <= BITS else self.table()
        return sum((arb.max(atom.p - x * atom.q, arb(0)) for atom in table), ball(self.infinite))

    def exceeds(self, epsilon: arb) -> arb:
        above = sum((atom.q for atom in self._table if atom.loss > epsilon), arb(0))
        unsure = sum((atom.q for atom in self._table if not atom.loss > epsilon and not atom.loss < epsilon), arb(0))
        return above.union(above + unsure)

    @property
    def largest(self) -> Fraction | arb:
        return highest(atom.loss for atom in self._table)

    @property
    def lattice(self) -> Lattice | None:
        """Any two losses are a lattice."""
        return self._two

    @cached_property
    def _two(self) -> Lattice | None:
        losses = self.losses()
        if len(losses) != 2 or not abs(losses[1] - losses[0]) > 0:
            return None
        return Lattice(losses[0], abs(losses[1] - losses[0]))

    def zone_envelope(self, t: arb, omega: arb) -> arb:
        assert self.lattice is not None
        tilted = [atom.p * (t * atom.loss).exp() for atom in self._table]
        return zone_bound(tilted, ball(self.lattice.spacing) * omega)

    def effort(self, omega: float) -> int:  # noqa: ARG002  sums have no quadrature
        return len(self._table)


@dataclass(frozen=True)
class Approximate(Discrete):
    """The canonical pair of (epsilon, delta): with probability delta all is told, else randomized response.

    Kairouz, Oh and Viswanath 2017 ("The composition theorem for differential privacy", theorem 3.2): every mechanism that is
    (epsilon, delta)-private is, for two given neighbours, a post-processing of this pair.
    """

    epsilon: Fraction
    delta: Fraction = Fraction(0)

    def __str__(self) -> str:
        return f"({self.epsilon}, {self.delta})" if self.delta else f"pure {self.epsilon}"

    def table(self) -> list[Atom]:
        epsilon, rest = ball(self.epsilon), ball(1 - self.delta)
        if not self.epsilon:
            return [Atom(rest, rest, epsilon)]
        low = rest / (1 + epsilon.exp())
        high = low * epsilon.exp()
        return [Atom(low, high, -epsilon), Atom(high, low, epsilon)]

    def reverse(self) -> Approximate:
        return self

    @property
    def largest(self) -> Fraction:
        return self.epsilon

    @property
    def infinite(self) -> Fraction:
        return self.delta

    @property
    def lattice(self) -> Lattice:
        return Lattice(self.epsilon, 2 * self.epsilon)


@dataclass(frozen=True)
class LaplaceEnds(Discrete):
    """The atoms of the Laplace pair without the density between them: parts of laws, of mass below 1."""

    epsilon: Fraction

    def table(self) -> list[Atom]:
        epsilon, half = ball(self.epsilon), arb(1) / 2
        low = (-epsilon).exp() / 2
        return [Atom(low, half, -epsilon), Atom(half, low, epsilon)]

    def reverse(self) -> LaplaceEnds:
        return self

    @property
    def largest(self) -> Fraction:
        return self.epsilon

    @property
    def lattice(self) -> Lattice:
        return Lattice(self.epsilon, 2 * self.epsilon)


@dataclass(frozen=True)
class DiscreteLaplace(Discrete):
    """P[x] proportional to exp(-|x| * unit) on the integers, against the same law moved by `shift`: both exact.

    The loss at x is (|x - shift| - |x|) * unit: shift * unit on one side, minus that on the other, and steps of 2 * unit between.
    """

    unit: Fraction
    shift: int

    def __str__(self) -> str:
        return f"DiscreteLaplace(scale = {1 / self.unit}, moved by {self.shift})"

    def table(self) -> list[Atom]:
        ratio, unit = (-ball(self.unit)).exp(), ball(self.unit)
        end, inner = 1 / (1 + ratio), (1 - ratio) / (1 + ratio)
        masses = [end, *(inner * ratio**j for j in range(1, self.shift)), end * ratio**self.shift]
        losses = [unit * (self.shift - 2 * j) for j in range(self.shift + 1)]
        return [Atom(p, q, loss) for p, q, loss in zip(reversed(masses), masses, reversed(losses), strict=True)]

    def reverse(self) -> DiscreteLaplace:
        return self

    @property
    def largest(self) -> Fraction:
        return self.unit * self.shift

    @property
    def lattice(self) -> Lattice:
        return Lattice(self.largest, 2 * self.unit)


@dataclass(frozen=True)
class Finite(Discrete):
    """Two laws on finitely many outcomes, outcomes with equal ratio merged (the ratio is a sufficient statistic).

    Each outcome is ((p_low, p_high), (q_low, q_high)); exact masses have low = high.
    """

    outcomes: tuple[tuple[Mass, Mass], ...]

    @staticmethod
    def of(outcomes: Sequence[tuple[Mass, Mass]]) -> Finite:
        """Merge exact outcomes of equal ratio, drop impossible ones, and order by ratio."""
        merged: dict[object, tuple[Fraction, Fraction]] = {}
        loose = []
        for p, q in outcomes:
            if p[0] != p[1] or q[0] != q[1]:
                loose.append((p, q))
            elif p[0] or q[0]:
                ratio = p[0] / q[0] if q[0] else None
                before = merged.get(ratio, (Fraction(0), Fraction(0)))
                merged[ratio] = (before[0] + p[0], before[1] + q[0])
        exact = sorted(merged.values(), key=lambda mass: mass[0] / (mass[0] + mass[1]))
        return Finite((*(((p, p), (q, q)) for p, q in exact), *loose))

    def __str__(self) -> str:
        return f"Finite({len(self.outcomes)} outcomes)"

    def table(self) -> list[Atom]:
        atoms = []
        for p, q in self.outcomes:
            if p[1] > 0 and q[1] > 0:
                exact = p[0] == p[1] and q[0] == q[1]
                ends = ball(p[0]).union(ball(p[1])), ball(q[0]).union(ball(q[1]))
                atoms.append(Atom(*ends, (ball(p[0] / q[0]) if exact else ends[0] / ends[1]).log()))
        return atoms

    def reverse(self) -> Finite:
        return Finite.of([(q, p) for p, q in self.outcomes])

    @property
    def infinite(self) -> Fraction:
        return sum((p[1] for p, q in self.outcomes if q[1] == 0), Fraction(0))


@dataclass(frozen=True)
class Product(Discrete):
    """Discrete pairs with counts, multiplied out: every multiset of atoms with its multinomial probability."""

    terms: tuple[tuple[Discrete, int], ...]

    def __str__(self) -> str:
        return " * ".join(f"{pair}^{count}" for pair, count in self.terms)

    def table(self) -> list[Atom]:
        atoms = [Atom(arb(1), arb(1), arb(0))]
        for pair, count in self.terms:
            factors = list(_multisets(pair.table(), count))
            atoms = [Atom(a.p * b.p, a.q * b.q, a.loss + b.loss) for a in atoms for b in factors]
        return atoms

    def reverse(self) -> Product:
        return Product(tuple((pair.reverse(), count) for pair, count in self.terms))  # type: ignore[misc]  # discrete again

    @property
    def infinite(self) -> arb:
        return 1 - math.prod(((1 - ball(pair.infinite)) ** count for pair, count in self.terms), start=arb(1))


def multiplied(terms: Sequence[tuple[Pair, int]], most: int) -> Product | None:
    """The product of discrete pairs as one pair, if it has at most so many atoms."""
    size, discrete = 1, []
    for pair, count in terms:
        if not isinstance(pair, Discrete) or count > most:
            return None
        size *= math.comb(count + len(pair._table) - 1, count)
        discrete.append((pair, count))
    return Product(tuple(discrete)) if size <= most else None


def _multisets(atoms: Sequence[Atom], count: int) -> Iterator[Atom]:
    """All ways to draw `count` atoms, order forgotten."""
    if not atoms:
        return
    first, rest = atoms[0], atoms[1:]
    if not rest:
        yield Atom(first.p**count, first.q**count, first.loss * count)
        return
    for k in range(count + 1):
        ways = arb(fmpz(math.comb(count, k)))
        p, q, loss = ways * first.p**k, ways * first.q**k, first.loss * k
        for others in _multisets(rest, count - k):
            yield Atom(p * others.p, q * others.q, loss + others.loss)
