"""The account of what is written: certified epsilon or delta, the curve, what it means for Bob, the older methods beside it.

account("gaussian(sigma=1) sampled at 0.01, 10000 times", delta=1e-5)
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from twoworlds.losses.pricing import Lookup, loss_of
from twoworlds.losses.reading import describe, parse
from twoworlds.losses.theorems import Priced, older_methods
from twoworlds.losses.verdicts import Belief, belief, unlikely, verdict
from twoworlds.losses.written import loss_as_written
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Event
from twoworlds.worlds.rationals import exact, float_above, float_below

__all__ = ["Account", "account"]

POINTS = 33
PRIORS = (Fraction(1, 1000), Fraction(1, 100), Fraction(1, 10), Fraction(1, 2))


@dataclass(frozen=True)
class Account:
    """What the releases cost: `asked` says which of epsilon and delta was given, the other is the certified answer."""

    text: str
    asked: str
    epsilon: Interval
    delta: Interval
    curve: tuple[tuple[float, Interval], ...]
    odds: tuple[Belief, ...]
    verdict: tuple[str, ...]
    older: tuple[Priced, ...]

    def json(self) -> dict[str, Any]:
        """Plain data; what is infinite is null."""
        plain = asdict(self)
        plain["curve"] = [{"alpha": alpha, **asdict(beta)} for alpha, beta in self.curve]
        result = _finite(plain)
        assert isinstance(result, dict)
        return result


def account(
    what: str | Event,
    *,
    delta: object = None,
    epsilon: object = None,
    records: int | None = None,
    lookup: Lookup = loss_as_written,
    older: bool = True,
) -> Account:
    """Everything there is to say about these releases at one delta, or at one epsilon."""
    if (delta is None) == (epsilon is None):
        which = "is given beside epsilon" if epsilon is not None else "is missing, and so is epsilon"
        raise BadArgument("delta", delta, f"{which}: one of both is needed", "Give delta=1e-6, or epsilon=1")
    event = parse(what) if isinstance(what, str) else what
    loss = loss_of(event, lookup)
    if epsilon is None:
        asked, given = "delta", exact(delta, "delta")
        epsilons, deltas = loss.epsilon(delta), _as_given(given)
    else:
        asked, at = "epsilon", exact(epsilon, "epsilon")
        deltas, epsilons = loss.delta(epsilon), _as_given(at)
        given = Fraction(min(deltas.upper, math.nextafter(1.0, 0.0)))
    top, farthest = epsilons.upper, unlikely(loss, given)
    return Account(
        text=_text(event),
        asked=asked,
        epsilon=epsilons,
        delta=deltas,
        curve=tuple((float(alpha), beta) for alpha, beta in loss.tradeoff_points(POINTS)),
        odds=tuple(belief(loss, prior, farthest) for prior in PRIORS),
        verdict=verdict(top, given, records, farthest=farthest),
        older=older_methods(event, given, lookup) if older else (),
    )


def _as_given(value: Fraction) -> Interval:
    """The float whose decimal text is the value; where there is none, the floats around it."""
    low, high = float_below(value), float_above(value)
    meant = [near for near in (low, high) if math.isfinite(near) and exact(near) == value]
    return Interval(meant[0], meant[0]) if meant else Interval(low, high)


def _text(event: Event) -> str:
    try:
        return describe(event)
    except BadArgument:  # events of cards have no place in the text language
        return str(event)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
