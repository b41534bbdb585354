"""What a release costs: a `Loss` is a list of dominating pairs of worlds, composed exactly and read in any dialect.

The two directions, remove (P has Bob's record, Q does not) and add (the other way round), are composed apart and the larger is
taken last: the largest of sums can be smaller than the sum of largest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from flint import arb

from twoworlds.losses.balls import ball, exact_ends, float_above, float_below
from twoworlds.losses.composition import Composition
from twoworlds.losses.continuous import Gaussian, Laplace
from twoworlds.losses.discrete import Approximate, DiscreteLaplace, Finite, Mass
from twoworlds.losses.divergences import concentration, gaussian_parameter, renyi
from twoworlds.losses.dominance import Pair
from twoworlds.losses.drawn import drawn
from twoworlds.losses.odds import Odds, odds
from twoworlds.losses.solving import reader
from twoworlds.losses.tradeoff import INVISIBLE, Table, grid, table, type_two
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument, InfiniteLoss, MixedNeighbours
from twoworlds.worlds.rationals import exact, positive, probability

__all__ = [
    "Loss",
    "Terms",
    "approximate",
    "discrete_laplace",
    "finite",
    "from_points",
    "gaussian",
    "gaussian_privacy",
    "identity",
    "laplace",
    "pure",
    "randomized_response",
]

WIDTH = 1e-3
_ANY = "every pair of worlds"
_MOST_STEPS = 2000  # atoms of one discrete Laplace pair

Terms = tuple[tuple[Pair, int], ...]


@dataclass(frozen=True)
class Loss:
    """Dominating pairs with counts, per direction, for one neighbouring relation (`""` goes with any).

    `attained_by` names the neighbouring worlds that attain it; without it the loss is an upper bound only and says so: every
    interval then starts at its trivial end.
    """

    remove: Terms
    add: Terms
    neighbours: str = ""
    attained_by: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.neighbours, str):
            raise BadArgument("neighbours", self.neighbours, "is no name of a relation", "Give its name, such as 'add/remove'")
        object.__setattr__(self, "remove", _merged(self.remove))
        object.__setattr__(self, "add", _merged(self.add))

    @cached_property
    def directions(self) -> tuple[Composition, ...]:
        """The compositions whose maximum counts: remove, and add where it differs."""
        return tuple(Composition(terms) for terms in dict.fromkeys((self.remove, self.add)))

    def delta(self, epsilon: object, *, width: float | None = None) -> Interval:
        """The smallest delta at this epsilon, relatively no wider than `width`."""
        return self.deltas([epsilon], width=width)[0]

    def deltas(self, epsilons: Iterable[object], *, width: float | None = None) -> list[Interval]:
        """The smallest delta at each epsilon; the composed law is shared, so a curve costs little more than a point."""
        at, relative = [_at_least_zero(epsilon, "epsilon") for epsilon in epsilons], _width(width)
        rows = [[reader(direction).delta(epsilon, relative) for epsilon in at] for direction in self.directions]
        return [
            self._between([_unit(float_below(v)) for v in c], [_unit(float_above(v)) for v in c]) for c in zip(*rows, strict=True)
        ]

    def epsilon(self, delta: object, *, width: float | None = None) -> Interval:
        """The smallest epsilon at this delta, relatively no wider than `width`; infinite only where the loss is."""
        at = _delta(delta)
        bounds = [reader(direction).epsilon(at, _width(width)) for direction in self.directions]
        return self._between([low for low, _ in bounds], [high for _, high in bounds])

    def finite_epsilon(self, delta: object) -> float:
        """A finite epsilon that holds at this delta, or an error that says why there is none."""
        high = self.epsilon(delta).upper
        if math.isinf(high):
            raise InfiniteLoss(f"the loss at delta = {delta} is infinite", "Ask for a larger delta, or add noise")
        return high

    def tradeoff(self, alpha: object) -> Interval:
        """The least type II error of any test with type I error alpha, over both directions."""
        at = probability(alpha, "alpha")
        return self._worst_test(at, [type_two(direction, at) for direction in self.directions])

    def tradeoff_points(self, n: int = 33) -> list[tuple[Fraction, Interval]]:
        """The trade-off curve at n type I errors, evenly from 0 to 1, all read off one table of deltas."""
        count = _count(n, "n")
        if count < 2:
            raise BadArgument("n", n, "is below 2", "Ask for both ends of the curve at least")
        tables, points = [self._table(direction, count) for direction in self.directions], []
        for alpha in (Fraction(k, count - 1) for k in range(count)):
            if alpha in (0, 1):
                points.append((alpha, self.tradeoff(alpha)))
            else:
                points.append((alpha, self._worst_test(alpha, [one.type_two(alpha) for one in tables])))
        return points

    def _table(self, direction: Composition, count: int) -> Table:
        """delta on a grid of epsilons that reaches to type I errors below half a point's distance, on both sides."""
        small = Fraction(1, 8 * count)
        reach = [reader(side).reach(small) for side in (direction, direction.reversed)]
        top = Fraction(max(1.0, *(value for value in reach if math.isfinite(value)), math.log(8 * count)))
        return table(direction, grid(direction, top, 4 * count), negligible=INVISIBLE)

    def renyi(self, order: object) -> Interval:
        """The larger Renyi divergence of both directions; order 1 is Kullback and Leibler's, infinity the largest loss."""
        at = _order(order)
        values = [renyi(direction, at) for direction in self.directions]
        lows = [0.0 if v.is_nan() else max(float_below(v), 0.0) for v in values]
        return self._between(lows, [_most(v) for v in values])

    @property
    def rho(self) -> float:
        """A zCDP parameter that holds, rounded up: at most 0.01 % above the least, or than the Gaussian inside; or infinity."""
        return max(_most(concentration(direction)) for direction in self.directions)

    @property
    def mu(self) -> float:
        """A Gaussian (GDP) parameter that holds, rounded up; the least one for Gaussians alone; or infinity."""
        return max(_most(gaussian_parameter(direction)) for direction in self.directions)

    @property
    def advantage(self) -> Interval:
        """Total variation: how much better than a coin the best test does, delta at epsilon = 0."""
        return self.delta(0)

    def odds(self, prior: object, *, failure: object = Fraction(1, 10**6)) -> Odds:
        """What an observer with this prior belief in Bob's record can come to believe, and how well they can guess.

        Where the loss has no largest value the beliefs hold except with probability `failure`; the best guess holds always.
        """
        belief, risk = probability(prior, "prior"), _delta(failure, "failure")
        return odds(Composition(self.remove), Composition(self.add), belief, risk, is_attained=self.attained_by is not None)

    def compose(self, *losses: Loss) -> Loss:
        """All of these on the same records: the pairs of each direction side by side."""
        tag, attained = self.neighbours, self.attained_by
        remove, add = list(self.remove), list(self.add)
        for loss in losses:
            if not isinstance(loss, Loss):
                raise BadArgument("losses", loss, "is not a Loss", "Compose a bare moment bound as moments, and convert last")
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

    def _between(self, lows: Sequence[float], highs: Sequence[float]) -> Interval:
        """The maximum over the directions; a loss that is only an upper bound may be anything below."""
        return Interval(max(lows) if self.attained_by else 0.0, max(highs))

    def _worst_test(self, alpha: Fraction, bounds: Sequence[tuple[float, float]]) -> Interval:
        low, high = min(low for low, _ in bounds), min(high for _, high in bounds)
        return Interval(low, max(high if self.attained_by else float_above(ball(1 - alpha)), low))


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


def _both(one: str | None, other: str | None) -> str | None:
    """Who attains a composition: all of them at once, if every part is attained."""
    if one is None or other is None:
        return None
    names = dict.fromkeys(name for name in (*one.split("; "), *other.split("; ")) if name != _ANY)
    return "; ".join(names) or _ANY


def identity() -> Loss:
    """No release, no loss."""
    return Loss((), (), "", _ANY)


def pure(epsilon: object) -> Loss:
    """P[E] <= exp(epsilon) Q[E] for every event (Dwork, McSherry, Nissim and Smith 2006)."""
    return approximate(epsilon, 0)


def approximate(epsilon: object, delta: object) -> Loss:
    """P[E] <= exp(epsilon) Q[E] + delta for every event; an upper bound, so nothing is known to attain it."""
    pair = Approximate(_at_least_zero(epsilon, "epsilon"), _delta(delta))
    return _alike(pair if pair.epsilon or pair.delta else None, None)


def gaussian_privacy(mu: object) -> Loss:
    """No easier to tell apart than N(0, 1) and N(mu, 1) (Dong, Roth and Su 2022): an upper bound."""
    size = _at_least_zero(mu, "mu")
    return _alike(Gaussian(size**2) if size else None, None)


def gaussian(sigma: object, sensitivity: object = 1) -> Loss:
    """Gaussian noise of standard deviation sigma on a value that moves by at most the sensitivity in L2."""
    mu = _at_least_zero(sensitivity, "sensitivity") / positive(sigma, "sigma")
    return _alike(Gaussian(mu**2) if mu else None, f"a value moved by {sensitivity}")


def laplace(scale: object, sensitivity: object = 1) -> Loss:
    """Laplace noise on a number that moves by at most the sensitivity: the continuous worst case."""
    epsilon = _at_least_zero(sensitivity, "sensitivity") / positive(scale, "scale")
    return _alike(Laplace(epsilon) if epsilon else None, f"a number moved by {sensitivity}")


def discrete_laplace(scale: object, sensitivity: object = 1) -> Loss:
    """Discrete Laplace noise on an integer that moves by at most a whole sensitivity: exact atoms."""
    shift, unit = _count(sensitivity, "sensitivity"), 1 / positive(scale, "scale")
    if shift > _MOST_STEPS:
        raise BadArgument(
            "sensitivity",
            sensitivity,
            f"is above {_MOST_STEPS} grid steps",
            "Use a coarser grid, or pure(sensitivity / scale), which is a little more",
        )
    return _alike(DiscreteLaplace(unit, shift) if shift else None, f"an integer moved by {shift}")


def randomized_response(truth: object, options: object = 2) -> Loss:
    """The true one of some options with probability `truth`, else any other (Warner 1965); the worlds differ in the true one."""
    p, k = probability(truth, "truth"), _count(options, "options")
    if k < 2:
        raise BadArgument("options", options, "is below 2", "Give the number of possible answers")
    other = (1 - p) / (k - 1)
    rest: dict[object, object] = {"another": (k - 2) * other} if k > 2 else {}
    return finite({"one": p, "other": other, **rest}, {"one": other, "other": p, **rest}, attained_by="two different answers")


def finite(
    law: Mapping[object, object] | Sequence[object],
    other_law: Mapping[object, object] | Sequence[object],
    *,
    neighbours: str = "",
    attained_by: str | None = "the two given worlds",
) -> Loss:
    """The loss between two laws on finitely many outcomes, tabulated in two worlds; the first is the one with the record.

    Masses are rationals, floats (taken by their decimal text, and scaled to add up to 1), or balls around unknown numbers.
    """
    one, other = _masses(law, "law"), _masses(other_law, "other_law")
    none = (Fraction(0), Fraction(0))
    pair = Finite.of([(one.get(x, none), other.get(x, none)) for x in dict.fromkeys((*one, *other))])
    if len(pair.outcomes) == 1:
        return Loss((), (), neighbours, attained_by)
    return Loss(((pair, 1),), ((pair.reverse(), 1),), neighbours, attained_by)


def from_points(points: Iterable[tuple[object, object]]) -> Loss:
    """The loss of a drawn trade-off curve: nothing is easier than its corners (type I error, type II error) and their mixtures.

    Between two corners the likelihood ratio of the best test is constant: one outcome per piece, whose probabilities are the
    piece's width in type I and its height in type II error.
    """
    corners = drawn(points).corners
    outcomes = [((b - b_next, b - b_next), (a_next - a, a_next - a)) for (a, b), (a_next, b_next) in pairwise(corners)]
    first, last = corners[0], corners[-1]
    outcomes += [((1 - first[1],) * 2, (Fraction(0),) * 2), ((Fraction(0),) * 2, (1 - last[0],) * 2)]
    pair = Finite.of(outcomes)
    terms: Terms = ((pair, 1),) if len(pair.outcomes) > 1 else ()
    return Loss(terms, tuple((pair.reverse(), count) for pair, count in terms))


def _alike(pair: Pair | None, attained_by: str | None) -> Loss:
    """A loss that is the same in both directions; None loses nothing."""
    terms: Terms = ((pair, 1),) if pair else ()
    return Loss(terms, terms, "", attained_by)


def _masses(law: Mapping[object, object] | Sequence[object], argument: str) -> dict[object, Mass]:
    if not isinstance(law, Mapping | Sequence) or isinstance(law, str) or not law:
        raise BadArgument(argument, law, "is not a law", "Give a probability per outcome, as a mapping or a list")
    items = dict(law.items() if isinstance(law, Mapping) else enumerate(law))
    if any(isinstance(mass, arb) for mass in items.values()):
        return _balls(items, argument)
    masses = {outcome: probability(mass, argument) for outcome, mass in items.items()}
    total = sum(masses.values(), Fraction(0))
    if abs(total - 1) > Fraction(1, 10**9):
        raise BadArgument(argument, law, f"adds up to {float(total)}", "Give probabilities that add up to 1")
    return {outcome: (mass / total, mass / total) for outcome, mass in masses.items()}


def _balls(items: Mapping[object, object], argument: str) -> dict[object, Mass]:
    """Balls by their rational ends; each away from 0, or a likelihood ratio may be anything."""
    masses: dict[object, Mass] = {}
    for outcome, mass in items.items():
        ends = exact_ends(mass) if isinstance(mass, arb) else (probability(mass, argument),) * 2
        if not (0 < ends[0] <= ends[1] or ends[0] == ends[1] == 0):
            raise BadArgument(argument, mass, "may be 0", "Compute the probabilities with more bits")
        masses[outcome] = ends
    low, high = (sum((mass[end] for mass in masses.values()), Fraction(0)) for end in (0, 1))
    if not low <= 1 <= high:
        raise BadArgument(argument, (float(low), float(high)), "does not add up to 1", "Give probabilities that add up to 1")
    return masses


def _at_least_zero(value: object, argument: str) -> Fraction:
    number = exact(value, argument)
    if number < 0:
        raise BadArgument(argument, value, "is below 0", f"Give {argument} of 0 or more")
    return number


def _delta(value: object, argument: str = "delta") -> Fraction:
    number = exact(value, argument)
    if not 0 <= number < 1:
        raise BadArgument(argument, value, "is not in [0, 1)", "Give a probability of failure below 1")
    return number


def _order(value: object) -> Fraction | None:
    if isinstance(value, float) and value == math.inf:
        return None
    order = exact(value, "order")
    if order <= 0:
        raise BadArgument("order", value, "is not above 0", "Give a Renyi order above 0; 1 and infinity are fine")
    return order


def _width(value: float | None) -> float:
    number = WIDTH if value is None else float(positive(value, "width"))
    return min(max(number, 1e-12), 0.5)


def _most(value: arb) -> float:
    """The upper end; what could not be computed may be anything."""
    return math.inf if value.is_nan() else float_above(value)


def _unit(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _count(value: object, argument: str) -> int:
    number = exact(value, argument)
    if number.denominator != 1 or number < 0:
        raise BadArgument(argument, value, "is not a whole number of 0 or more", f"Give a whole {argument}")
    return int(number)
