"""What an output tells somebody with a prior: the posterior over candidate worlds, the best guess, and the promised bound.

Bayes: P[world | output] is proportional to P[output | world] P[world]. If the mechanism is epsilon-private, the odds of any two
worlds `steps` neighbours apart move by a factor of at most e^(steps * epsilon), whatever the prior (Dwork and Roth 2014,
section 2.3.1; Kasiviswanathan and Smith 2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, fmpq

from twoworlds.exact.inputs import Call
from twoworlds.exact.outputs import covers
from twoworlds.exact.tabulate import CUT, laws
from twoworlds.exact.weights import Weight, ball, between, fraction, is_exact, precision, rational, share, total, unit, vanishes
from twoworlds.source.program import Program
from twoworlds.worlds.cards import Card
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.neighbours import Neighbours
from twoworlds.worlds.rationals import positive, probability

__all__ = ["Posterior", "posterior", "promise"]


@dataclass(frozen=True)
class Posterior:
    """The probability of each candidate after the output, and the most that the promised epsilon allows it to be."""

    candidates: tuple[Any, ...]
    prior: tuple[Fraction, ...]
    probabilities: tuple[Interval, ...]
    promised: tuple[Interval, ...]
    exact: tuple[Fraction, ...] | None = None

    @property
    def guess(self) -> Any:
        """The maximum a posteriori candidate."""
        return self.candidates[max(range(len(self.candidates)), key=lambda i: self.probabilities[i].lower)]

    @property
    def confidence(self) -> Interval:
        """The probability that the guess is right."""
        return max(self.probabilities, key=lambda chance: chance.lower)


def posterior(
    card: Card | Program | str,
    candidates: Sequence[Any],
    prior: Sequence[object],
    output: Any,
    /,
    *values: Any,
    epsilon: object = None,
    grid: object = 1,
    cut: object = CUT,
    neighbours: Neighbours | None = None,
    **public: Any,
) -> Posterior:
    """The posterior over candidate worlds once this output is seen.

    `candidates` are values of the private parameter, `prior` their probabilities. The promised bound is the card's price, or
    `epsilon=` of a program (none: no promise). If `epsilon` is a parameter of the mechanism it goes there.
    """
    promised, public = _epsilon(card, epsilon, public)
    call = Call.of(card, values, public, grid=grid, cut=cut, neighbours=neighbours)
    worlds = [call.world(value, "candidates") for value in candidates]
    chances = _prior(prior, len(worlds))
    found = laws(call, worlds)
    rows = [row for row in found.rows if covers(row.output, output)]
    if not rows:
        raise BadArgument("output", output, "has probability 0 in every candidate world", "Give an output that can occur")
    with precision():
        even = rows[0].even and (rows[0].single or all(map(vanishes, found.lost)))
        weights = _bayes([rational(chance) for chance in chances], rows[0].weights, found.lost, even=even)
        known = all(is_exact(weight) for weight in weights)
        odds = _promised(card, call, promised)
        steps = [[call.relation.steps(one, other, call.public) for other in worlds] for one in worlds]
        bounds = tuple(promise(odds, chances, steps[i], i) for i in range(len(worlds)))
    return Posterior(
        tuple(candidates),
        tuple(chances),
        tuple(unit(weight) for weight in weights),
        bounds,
        tuple(fraction(weight) for weight in weights) if known else None,
    )


def _epsilon(card: Card | Program | str, epsilon: object, public: dict[str, Any]) -> tuple[object, dict[str, Any]]:
    """Whether `epsilon=` is the mechanism's own parameter or the promise of a program without one."""
    if epsilon is None:
        return None, public
    names = card.parameters if isinstance(card, Card | Program) else ()
    if isinstance(card, str):
        from twoworlds.source.signature import parameters  # noqa: PLC0415  only texts need their head read twice
        from twoworlds.source.text import only_function  # noqa: PLC0415  only texts need it

        names = parameters(only_function(card))
    return (epsilon, {**public, "epsilon": epsilon}) if "epsilon" in names else (epsilon, public)


def _promised(card: Card | Program | str, call: Call, epsilon: object) -> arb:
    """e^epsilon as promised; infinite without a promise."""
    if isinstance(card, Card):
        bound = card.price.loss(call.public).epsilon(0).upper
        return arb.pos_inf() if bound == float("inf") else arb(bound).exp()
    return arb.pos_inf() if epsilon is None else ball(positive(epsilon, "epsilon")).exp()


def _prior(prior: Sequence[object], count: int) -> list[Fraction]:
    chances = [probability(chance, "prior") for chance in prior]
    if len(chances) != count or not chances:
        raise BadArgument("prior", prior, f"does not have one probability for each of {count} candidates", "Give one for each")
    if sum(chances) != 1:
        raise BadArgument("prior", prior, f"adds up to {sum(chances)}", "Give probabilities that add up to exactly 1, like '1/3'")
    return chances


def _bayes(prior: Sequence[fmpq], weights: Sequence[Weight], lost: Sequence[Weight], *, even: bool) -> list[Weight]:
    """The posterior; mass with unknown output may or may not be here, and an uneven row tells less than its output."""
    if not even:
        return [arb(0).union(arb(1)) if chance > 0 else fmpq(0) for chance in prior]
    joint = [chance * (weight + between(gone)) for chance, weight, gone in zip(prior, weights, lost, strict=True)]
    if total(joint) == 0:
        why = "rules out every world in which this output occurs"
        raise BadArgument("prior", [str(chance) for chance in prior], why, "Give some such world a chance")
    return [share(weight, total(joint[:i] + joint[i + 1 :])) for i, weight in enumerate(joint)]


def promise(odds: arb, prior: Sequence[Fraction], steps: Sequence[int | None], place: int) -> Interval:
    """The largest posterior of one candidate that e^epsilon allows, given how many neighbours away each other candidate is."""
    if prior[place] == 0:
        return unit(fmpq(0))
    rest = arb(0)
    for i, (chance, distance) in enumerate(zip(prior, steps, strict=True)):
        if i != place and distance is not None and odds.is_finite():
            rest = rest + ball(chance / prior[place]) / odds**distance
    return unit(1 / (1 + rest))
