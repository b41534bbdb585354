"""What a release costs: a `Loss` is a list of dominating pairs of worlds, composed exactly and read in any dialect.

The two directions, remove (P has Bob's record, Q does not) and add (the other way round), are composed apart and the larger is
taken last: the largest of sums can be smaller than the sum of largest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from twoworlds.losses.balls import ball, float_above, float_below
from twoworlds.losses.composition import Composition
from twoworlds.losses.pairs import Approximate, DiscreteLaplace, Finite, Gaussian, Laplace, Pair
from twoworlds.losses.solving import reader
from twoworlds.losses.tradeoff import type_two
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument, InfiniteLoss, MixedNeighbours
from twoworlds.worlds.rationals import exact, positive, probability

__all__ = [
    "Loss",
    "approximate",
    "discrete_laplace",
    "finite",
    "gaussian",
    "gaussian_privacy",
    "identity",
    "laplace",
    "pure",
]

WIDTH = 1e-3

Terms = tuple[tuple[Pair, int], ...]


def _merged(terms: Sequence[tuple[Pair, int]]) -> Terms:
    """Equal pairs by count; all Gaussians in one, since N(mu, 1)^n against N(0, 1)^n is N(sqrt(n) mu, 1) against N(0, 1)."""
    counts: dict[Pair, int] = {}
    mu_squared = Fraction(0)
    for pair, count in terms:
        if isinstance(pair, Gaussian):
            mu_squared += count * pair.mu_squared
        else:
            counts[pair] = counts.get(pair, 0) + count
    if mu_squared:
        counts[Gaussian(mu_squared)] = 1
    return tuple(sorted(counts.items(), key=lambda term: repr(term[0])))


@dataclass(frozen=True)
class Loss:
    """Dominating pairs with counts, per direction, for one neighbouring relation (`""` goes with any).

    `attained_by` names the neighbouring worlds that attain it; without it the loss is an upper bound only and says so: every
    interval then starts at the trivial end.
    """

    remove: Terms
    add: Terms
    neighbours: str = ""
    attained_by: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "remove", _merged(self.remove))
        object.__setattr__(self, "add", _merged(self.add))

    @cached_property
    def directions(self) -> tuple[Composition, ...]:
        """The compositions whose maximum counts."""
        return tuple(Composition(terms) for terms in dict.fromkeys((self.remove, self.add)))

    def delta(self, epsilon: object, *, width: float | None = None) -> Interval:
        """The smallest delta at this epsilon, relatively no wider than `width`."""
        at = _at_least_zero(epsilon, "epsilon")
        balls = [reader(direction).delta(at, _width(width)) for direction in self.directions]
        low = max(float_below(value) for value in balls)
        high = max(float_above(value) for value in balls)
        return self._interval(min(max(low, 0.0), 1.0), min(max(high, 0.0), 1.0))

    def epsilon(self, delta: object, *, width: float | None = None) -> Interval:
        """The smallest epsilon at this delta, relatively no wider than `width`; infinite only where the loss is."""
        at = _delta(delta)
        bounds = [reader(direction).epsilon(at, _width(width)) for direction in self.directions]
        return self._interval(max(low for low, _ in bounds), max(high for _, high in bounds))

    def finite_epsilon(self, delta: object) -> float:
        """A finite epsilon that holds at this delta, or an error that says why there is none."""
        high = self.epsilon(delta).upper
        if math.isinf(high):
            raise InfiniteLoss(f"the loss at delta = {delta} is infinite", "Ask for a larger delta, or add noise")
        return high

    def tradeoff(self, alpha: object) -> Interval:
        """The least type II error of any test with type I error alpha, over both directions."""
        at = probability(alpha, "alpha")
        bounds = [type_two(reader(direction).delta, at) for direction in self.directions]
        low, high = min(low for low, _ in bounds), min(high for _, high in bounds)
        trivial = float_above(ball(1 - at))
        return Interval(low, max(high, low) if self.attained_by else max(trivial, low))

    def compose(self, *losses: Loss) -> Loss:
        """All of these on the same records: the pairs of each direction side by side."""
        tag, attained = self.neighbours, self.attained_by
        remove, add = list(self.remove), list(self.add)
        for loss in losses:
            if tag and loss.neighbours and tag != loss.neighbours:
                raise MixedNeighbours(tag, loss.neighbours)
            tag = tag or loss.neighbours
            attained = _both(attained, loss.attained_by)
            remove += loss.remove
            add += loss.add
        return Loss(tuple(remove), tuple(add), tag, attained)

    def power(self, n: int) -> Loss:
        """n times the same, with fresh noise."""
        times = _count(n, "n")
        remove = tuple((pair, count * times) for pair, count in self.remove) if times else ()
        add = tuple((pair, count * times) for pair, count in self.add) if times else ()
        return Loss(remove, add, self.neighbours, self.attained_by)

    def then(self, function: Callable[..., object]) -> Loss:
        """After post-processing: the loss is no larger, and no longer known to be attained."""
        if not callable(function):
            raise BadArgument("function", function, "is not a function", "Give the function applied to the output")
        return Loss(self.remove, self.add, self.neighbours)

    def reverse(self) -> Loss:
        """Both directions exchanged."""
        return Loss(self.add, self.remove, self.neighbours, self.attained_by)

    def __str__(self) -> str:
        return " + ".join(f"{count} x {pair}" if count > 1 else str(pair) for pair, count in self.remove) or "no loss"

    def _interval(self, low: float, high: float) -> Interval:
        return Interval(low if self.attained_by else 0.0, high)


def _both(one: str | None, other: str | None) -> str | None:
    if one is None or other is None:
        return None
    return one if one == other else f"{one}; {other}"


def identity() -> Loss:
    """No release, no loss."""
    return Loss((), (), "", "every pair of worlds")


def pure(epsilon: object) -> Loss:
    """P[E] <= exp(epsilon) Q[E] for every event (Dwork, McSherry, Nissim and Smith 2006)."""
    return approximate(epsilon, 0)


def approximate(epsilon: object, delta: object) -> Loss:
    """P[E] <= exp(epsilon) Q[E] + delta for every event; an upper bound, so nothing is known to attain it."""
    pair = Approximate(_at_least_zero(epsilon, "epsilon"), _delta(delta))
    terms: Terms = ((pair, 1),) if pair.epsilon or pair.delta else ()
    return Loss(terms, terms)


def gaussian_privacy(mu: object) -> Loss:
    """No easier to tell apart than N(0, 1) and N(mu, 1) (Dong, Roth and Su 2022): an upper bound."""
    size = _at_least_zero(mu, "mu")
    terms: Terms = ((Gaussian(size**2), 1),) if size else ()
    return Loss(terms, terms)


def gaussian(sigma: object, sensitivity: object = 1) -> Loss:
    """Gaussian noise of standard deviation sigma on a value that moves by at most the sensitivity in L2."""
    mu = _at_least_zero(sensitivity, "sensitivity") / positive(sigma, "sigma")
    terms: Terms = ((Gaussian(mu**2), 1),) if mu else ()
    return Loss(terms, terms, "", f"a value moved by {sensitivity}")


def laplace(scale: object, sensitivity: object = 1) -> Loss:
    """Laplace noise on a number that moves by at most the sensitivity: the continuous worst case."""
    epsilon = _at_least_zero(sensitivity, "sensitivity") / positive(scale, "scale")
    terms: Terms = ((Laplace(epsilon), 1),) if epsilon else ()
    return Loss(terms, terms, "", f"a number moved by {sensitivity}")


def discrete_laplace(scale: object, sensitivity: object = 1) -> Loss:
    """Discrete Laplace noise on an integer that moves by at most a whole sensitivity: exact atoms."""
    shift = _count(sensitivity, "sensitivity")
    terms: Terms = ((DiscreteLaplace(1 / positive(scale, "scale"), shift), 1),) if shift else ()
    return Loss(terms, terms, "", f"an integer moved by {shift}")


def finite(
    law: Mapping[object, object] | Sequence[object],
    other_law: Mapping[object, object] | Sequence[object],
    *,
    neighbours: str = "",
    attained_by: str | None = "the two given worlds",
) -> Loss:
    """The loss between two laws on finitely many outcomes, tabulated in two worlds; remove reads `law` first."""
    one, other = _masses(law, "law"), _masses(other_law, "other_law")
    if set(one) != set(other):
        one = {**dict.fromkeys(other, Fraction(0)), **one}
        other = {**dict.fromkeys(one, Fraction(0)), **other}
    pair = Finite.of([((one[x], one[x]), (other[x], other[x])) for x in one])
    if len(pair.outcomes) == 1:
        return Loss((), (), neighbours, attained_by)
    return Loss(((pair, 1),), ((pair.reverse(), 1),), neighbours, attained_by)


def _masses(law: Mapping[object, object] | Sequence[object], argument: str) -> dict[object, Fraction]:
    items = law.items() if isinstance(law, Mapping) else enumerate(law)
    masses = {outcome: probability(mass, argument) for outcome, mass in items}
    total = sum(masses.values(), Fraction(0))
    if abs(total - 1) > Fraction(1, 10**9):
        raise BadArgument(argument, law, f"adds up to {float(total)}", "Give probabilities that add up to 1")
    return {outcome: mass / total for outcome, mass in masses.items()}


def _at_least_zero(value: object, argument: str) -> Fraction:
    number = exact(value, argument)
    if number < 0:
        raise BadArgument(argument, value, "is below 0", f"Give {argument} of 0 or more")
    return number


def _delta(value: object) -> Fraction:
    number = exact(value, "delta")
    if not 0 <= number < 1:
        raise BadArgument("delta", value, "is not in [0, 1)", "Give a probability of failure below 1")
    return number


def _width(value: float | None) -> float:
    number = WIDTH if value is None else float(positive(value, "width"))
    return min(max(number, 1e-12), 0.5)


def _count(value: object, argument: str) -> int:
    number = exact(value, argument)
    if number.denominator != 1 or number < 0:
        raise BadArgument(argument, value, "is not a whole number of 0 or more", f"Give a whole {argument}")
    return int(number)
