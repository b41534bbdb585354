"""Plain words about numbers: what an epsilon and a delta leave of a secret. Every sentence is computed from its values.

Bob's record is the secret. An observer has a prior that Bob is in the table, sees the release, and holds a posterior. With pure
privacy the odds move by a factor of at most e^epsilon either way. With (epsilon, delta) they may move further for outputs whose
probability is above delta: approximate privacy is not probabilistic privacy (`unlikely` has the factor that does hold but for
outputs of a given probability, and the verdict uses it; Kasiviswanathan and Smith 2014 compare the two).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import Enclosure, exact, float_above, printed_above

__all__ = ["Belief", "belief", "posterior", "unlikely", "verdict"]

_ROOMS = (1 / 64, 1 / 16, 1 / 4)  # parts of epsilon tried between a delta and a probability
_ROOMIEST = 64.0  # a larger part spares no more of delta than rounding does
_UNSEEN = Fraction(1, 10**17)  # a guess that is right so little more often is the same float
_CROWD = 10**15  # more records than any table has
_NARROWEST = Fraction(1, 64)  # room beyond epsilon for what is said of the two numbers alone
_LARGE = 700  # e^epsilon beyond this is beyond a double; the posterior is 1 as far as anyone can tell


class Curved(Protocol):
    """A loss whose curve can be asked, both ways."""

    def delta(self, epsilon: object) -> Interval: ...

    def epsilon(self, delta: object) -> Interval: ...


@dataclass(frozen=True)
class Belief:
    """For one prior that Bob is there: the largest posterior but for unlikely outputs, and how often the best guess is right."""

    prior: float
    posterior: float
    guess: float


def posterior(prior: object, epsilon: float) -> float:
    """The largest posterior that a factor of e^epsilon on the odds allows, rounded up."""
    belief = _prior(prior)
    _epsilon(epsilon)
    if epsilon > _LARGE:
        return 1.0
    growth = Enclosure(Fraction(epsilon)).exp().high
    return float_above(growth * belief / (growth * belief + 1 - belief))


def unlikely(loss: Curved, failure: object) -> float:
    """A value that the privacy loss exceeds with at most this probability, rounded up.

    That is more than epsilon at delta = failure: delta discounts an output by how far its loss is beyond epsilon, a probability
    does not. From delta(e) = E[(1 - exp(e - L))+] >= (1 - exp(-r)) P[L > e + r], for every r > 0.
    """
    if not callable(getattr(loss, "epsilon", None)):
        raise BadArgument("loss", loss, "is not a loss", "Give a Loss or a MomentBound")
    chance = exact(failure, "failure")
    if not 0 <= chance < 1:
        raise BadArgument("failure", failure, "is not in [0, 1)", "Give the probability of the outputs to leave out")
    bounds = [loss.epsilon(0).upper]
    near = loss.epsilon(chance).upper
    for part in _ROOMS if chance and math.isfinite(near) else ():
        room = Fraction(min(part * near, _ROOMIEST)) if near else Fraction(part)
        share = 1 - Enclosure(-room).exp().high
        beyond = loss.epsilon(chance * share).upper
        bounds.append(float_above(Fraction(beyond) + room) if math.isfinite(beyond) else math.inf)
    return min(bounds)


def belief(loss: Curved, prior: object, epsilon: float) -> Belief:
    """What a prior can become while the loss is at most epsilon, and the success rate of the maximum a posteriori guess.

    For a prior p of at most 1/2 the best guess is right with probability (1 - p) + max over events of p P[E] - (1 - p) Q[E],
    which is (1 - p) + p delta(log((1 - p) / p)); for the others by symmetry.
    """
    before = _prior(prior)
    if not callable(getattr(loss, "delta", None)):
        raise BadArgument("loss", loss, "is not a loss", "Give a Loss or a MomentBound")
    rare = min(before, 1 - before)
    level = Enclosure((1 - rare) / rare).log().low  # a smaller epsilon has a larger delta
    gain = rare * _enough(loss, max(level, Fraction(0)))
    return Belief(float(before), posterior(before, epsilon), min(float_above(1 - rare + gain), 1.0))


def _enough(loss: Curved, level: Fraction) -> Fraction:
    """A bound on delta at this epsilon, as close as a guess depends on it: far out, how small it is takes long to know."""
    if loss.epsilon(_UNSEEN).upper > level:
        return Fraction(loss.delta(level).upper)
    return _UNSEEN if loss.epsilon(0).upper > level else Fraction(0)


def verdict(epsilon: float, delta: object, records: int | None = None, *, farthest: float = math.inf) -> tuple[str, ...]:
    """What these numbers promise Bob, sentence by sentence.

    `farthest` is a value that the privacy loss exceeds with probability delta at most (`unlikely` has it of a loss). Of epsilon
    and delta alone less can be said, and less is.
    """
    _epsilon(epsilon)
    _epsilon(farthest, "farthest")
    failure = exact(delta, "delta")
    if not 0 <= failure < 1:
        raise BadArgument("delta", delta, "is not in [0, 1)", "Give a probability of failure below 1")
    if records is not None and (isinstance(records, bool) or not isinstance(records, int) or records < 1):
        raise BadArgument("records", records, "is not a whole number of 1 or more", "Say how many records there are")
    if math.isinf(epsilon):
        about = "No finite epsilon holds here: some output may tell outright whether Bob is in the table."
    else:
        about = _about_epsilon(epsilon, *_reach(epsilon, failure, farthest))
    return (about, *_about_delta(failure, records))


def _reach(epsilon: float, delta: Fraction, farthest: float) -> tuple[float, Fraction]:
    """A loss that is exceeded with at most the probability beside it: P[L > e + r] <= delta / (1 - exp(-r)), as in `unlikely`."""
    if not delta:
        return epsilon, delta
    if math.isfinite(farthest):
        return farthest, delta
    room = max(Fraction(epsilon) / 8, _NARROWEST)
    return float_above(Fraction(epsilon) + room), delta / (1 - Enclosure(-min(room, Fraction(_ROOMIEST))).exp().high)


def _about_epsilon(epsilon: float, farthest: float, chance: Fraction) -> str:
    shown = f"epsilon {_shown(epsilon)}"
    if chance >= 1:
        return f"{shown} says next to nothing beside so large a delta: any output may tell outright whether Bob is in the table."
    if epsilon == chance == 0:
        return f"{shown}: the output says nothing about Bob."
    rest = f"but for outputs of probability {_shown(_meant(chance))} in all, " if chance else ""
    coin = f"{rest}an even bet that Bob is in the table can become {_percent(posterior(Fraction(1, 2), farthest))}"
    if epsilon <= 0.1:
        return f"{shown} is strong: {coin}."
    if epsilon <= 1:
        return (
            f"{shown} is a real limit: {coin}, a suspicion of one in a hundred {_percent(posterior(Fraction(1, 100), farthest))}."
        )
    if epsilon <= 3:
        return f"{shown} bounds the odds: {coin}, {_factor(farthest)}. Whether that is little depends on what is at stake."
    if epsilon <= 10:
        rare = _percent(posterior(Fraction(1, 1000), farthest))
        return f"{shown} is a weak promise: {coin}, a suspicion of one in a thousand {rare}."
    rare = _percent(posterior(Fraction(1, 10**6), farthest))
    return (
        f"{shown} says next to nothing: {coin}, {_factor(farthest)} in the odds, and a suspicion of one in a million "
        f"can become {rare}. An attack that failed would not change that."
    )


def _about_delta(delta: Fraction, records: int | None) -> tuple[str, ...]:
    if delta == 0:
        return ("delta 0: the bound holds for every output, without exception.",)
    seen = _meant(delta)
    shown = f"delta {_shown(seen)}"
    if records is None:
        people = math.floor(1 / delta)
        if people > _CROWD:
            return (f"{shown} is far below one over the number of records of any table.",)
        return (
            f"{shown} suits tables far smaller than {people:,} records: publishing one of {people:,} at random would satisfy it.",
        )
    expected = delta * records
    if expected >= 1:
        return (
            f"{shown} with {records:,} records is a licence to publish one person at random: the mechanism that releases one "
            f"whole record and nothing else satisfies (0, 1/{records:,}).",
        )
    chance = -math.expm1(records * math.log1p(-seen))
    licence = f"a mechanism that publishes each record with that probability satisfies it, and exposes someone {_often(chance)}"
    if expected >= Fraction(1, 1000):
        return (f"{shown} is too close to one over {records:,} records: {licence}. Make it far smaller.",)
    return (f"{shown} is far below one over {records:,} records: even {licence}.",)


def _often(chance: float) -> str:
    if chance < 1 / _CROWD:
        return f"less than once in {_CROWD:,} releases"
    return f"in {_percent(chance)} of releases" if chance >= 0.001 else f"once in {round(1 / chance):,} releases"


def _factor(loss: float) -> str:
    if loss < 14:
        return f"a factor of {printed_above(float_above(Enclosure(Fraction(loss)).exp().high), 3)}"
    return f"a factor of 10^{math.ceil(loss / math.log(10))}"


def _percent(share: float) -> str:
    """A percentage rounded up, with as many nines as it takes to stay below certainty."""
    if share >= 1 - 1e-9:
        return "certainty, as far as anyone can tell"
    digits = max(0, math.ceil(-math.log10(1 - share)) - 1) if share > 0.5 else max(0, 1 - math.floor(math.log10(share * 100)))
    scale = 10**digits
    return f"{math.ceil(share * 100 * scale - 1e-9) / scale:.{digits}f}%"


def _shown(value: float) -> str:
    return printed_above(value, 4)


def _meant(value: Fraction) -> float:
    """The float whose decimal text is this number, else the one above: never 0, however small the number."""
    nearest = float(value)
    return nearest if exact(nearest) == value else float_above(value)


def _prior(prior: object) -> Fraction:
    belief = exact(prior, "prior")
    if not 0 < belief < 1:
        raise BadArgument("prior", prior, "is not strictly between 0 and 1", "Give what the observer believed before")
    return belief


def _epsilon(value: float, argument: str = "epsilon") -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction) or math.isnan(value) or value < 0:
        raise BadArgument(argument, value, "is not a number of 0 or more", "Give the epsilon of the guarantee")
