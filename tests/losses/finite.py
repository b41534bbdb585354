"""Two worlds on finitely many outcomes, everything brute-forced: what dialects and conversions are held against."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hypothesis import strategies

SLACK = 1e-11  # the oracle is double precision; bounds under test are rounded the other way


@dataclass(frozen=True)
class Worlds:
    """The laws of one output in two neighbouring worlds."""

    one: tuple[Fraction, ...]
    other: tuple[Fraction, ...]

    def directions(self) -> tuple[tuple[tuple[Fraction, ...], tuple[Fraction, ...]], ...]:
        return (self.one, self.other), (self.other, self.one)

    def ratio(self) -> Fraction:
        """The largest ratio in either direction: e^epsilon, exactly."""
        return max(p / q for first, second in self.directions() for p, q in zip(first, second, strict=True))

    def renyi(self, order: float) -> float:
        return max(renyi(first, second, order) for first, second in self.directions())

    def delta(self, epsilon: float) -> float:
        """The hockey-stick divergence, the larger of both directions."""
        return max(
            math.fsum(max(float(p) - math.exp(epsilon) * float(q), 0.0) for p, q in zip(first, second, strict=True))
            for first, second in self.directions()
        )

    def tail(self, epsilon: float) -> float:
        """Pr[privacy loss > epsilon], the larger of both directions."""
        return max(
            math.fsum(float(p) for p, q in zip(first, second, strict=True) if p > 0 and (q == 0 or math.log(p / q) > epsilon))
            for first, second in self.directions()
        )

    def variation(self) -> Fraction:
        return sum((abs(p - q) for p, q in zip(self.one, self.other, strict=True)), Fraction(0)) / 2

    def tests(self) -> list[tuple[Fraction, Fraction]]:
        """The two errors of every deterministic test."""
        places = range(len(self.one))
        events = itertools.chain.from_iterable(itertools.combinations(places, size) for size in range(len(self.one) + 1))
        return [(sum(self.other[i] for i in event) + Fraction(0), 1 - sum(self.one[i] for i in event)) for event in events]

    def times(self, other: Worlds) -> Worlds:
        """Both outputs seen together."""
        return Worlds(
            tuple(p * r for p in self.one for r in other.one),
            tuple(q * s for q in self.other for s in other.other),
        )

    def reveal(self, delta: Fraction) -> Worlds:
        """With probability delta the world itself is told instead."""
        kept = 1 - delta
        return Worlds((*(kept * p for p in self.one), delta, Fraction(0)), (*(kept * q for q in self.other), Fraction(0), delta))


def renyi(first: Sequence[Fraction], second: Sequence[Fraction], order: float) -> float:
    """The Renyi divergence of one law from another, of any order from 1 to infinity."""
    pairs = [(float(p), float(q), p, q) for p, q in zip(first, second, strict=True) if p]
    if any(q == 0 for _, _, _, q in pairs):
        return math.inf
    if math.isinf(order):
        return max(math.log(p / q) for _, _, p, q in pairs)
    if order == 1:
        return math.fsum(p * math.log(exact_p / exact_q) for p, _, exact_p, exact_q in pairs)
    peak = max(order * math.log(p / q) for _, _, p, q in pairs)
    if peak > 100:
        total = math.fsum(q * math.exp(order * math.log(exact_p / exact_q) - peak) for _, q, exact_p, exact_q in pairs)
        return (peak + math.log(total)) / (order - 1)
    # log1p of the centred sum keeps the relative precision where the two laws are close
    centred = math.fsum(q * math.expm1(order * math.log(p / exact_q)) for _, q, p, exact_q in pairs)
    missing = math.fsum(float(q) for p, q in zip(first, second, strict=True) if not p)
    return math.log1p(centred - missing) / (order - 1)


def mix(weight: Fraction, one: Sequence[Fraction], other: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """One law with this probability, else the other."""
    return tuple(weight * p + (1 - weight) * q for p, q in zip(one, other, strict=True))


def law(weights: Sequence[int]) -> tuple[Fraction, ...]:
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def laws(size: int) -> strategies.SearchStrategy[tuple[Fraction, ...]]:
    return strategies.lists(strategies.integers(1, 40), min_size=size, max_size=size).map(law)


worlds = strategies.integers(2, 5).flatmap(lambda size: strategies.builds(Worlds, laws(size), laws(size)))
small_worlds = strategies.integers(2, 3).flatmap(lambda size: strategies.builds(Worlds, laws(size), laws(size)))
EPSILONS = (0.0, 0.05, 0.3, 1.0, 2.5)
ORDERS = (1.0, 1.0625, 1.5, 2.0, 3.25, 8.0, 40.0)
