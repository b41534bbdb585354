"""The epsilon that does what is wanted: the cheapest that is near enough, or the largest that can be paid. Reads no data.

Prices rise and errors fall with epsilon, so bisection finds it, among the numbers of three digits, which people can type again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.ledger.accounts import Amounts
from twoworlds.losses.filters import Filter
from twoworlds.losses.prices import Dialect
from twoworlds.queries.outlook import Expected, expected
from twoworlds.queries.pricing import Offer
from twoworlds.worlds.errors import BadArgument, Exhausted

__all__ = ["Target", "cheapest", "largest", "target", "too_dear"]

Offering = Callable[[Fraction], Offer]

_DIGITS = 900
_LOWEST, _HIGHEST = -6, 4
"""Powers of ten between which an epsilon is looked for."""

_MOST = _DIGITS * (_HIGHEST - _LOWEST) - 1


@dataclass(frozen=True)
class Target:
    """An error that is not to be exceeded, with a confidence; for one output by name, or for all."""

    reach: float
    confidence: float = 0.95
    output: str | None = None

    def missed(self, offer: Offer) -> list[Expected]:
        """The outputs that will be further away than this."""
        found = expected(offer, self.confidence)
        return [one for one in found if self.output in (None, one.name) and not one.reach <= self.reach]


def target(text: str) -> Target:
    """Read `50@95`, `visits=50@95` or `50`: at most 50 away with 95 % confidence."""
    matched = re.fullmatch(r"(?:(.+)=)?\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*(?:@\s*([0-9.]+)\s*%?)?", text.strip())
    try:
        reach, percent = float(matched[2]), float(matched[3] or 95)  # type: ignore[index]  # else a TypeError
    except (TypeError, ValueError):
        raise BadArgument("error", text, "is no error", "Write for example 50@95: within 50 with 95 % confidence") from None
    if not reach > 0:
        raise BadArgument("error", text, "is not above 0", "Noise never vanishes; write how much of it you can bear")
    if not 0 < percent < 100:
        raise BadArgument("error", text, "has a confidence outside 0 to 100", "Write for example 50@95")
    return Target(reach, percent / 100, matched[1].strip() if matched and matched[1] else None)


def cheapest(offering: Offering, wanted: Sequence[Target]) -> Fraction:
    """The smallest epsilon at which no output that is asked about is expected to be further away than wanted."""
    most = offering(_number(_MOST))
    for one in wanted:
        _check(most, one)
    return _number(_first(lambda epsilon: not any(one.missed(offering(epsilon)) for one in wanted)))


def largest(pricing: Callable[[Fraction], Dialect], left: Amounts, budget: Filter) -> Fraction | None:
    """The largest epsilon whose price is within what is left; None if there is none."""

    def dear(epsilon: Fraction) -> bool:
        cost = budget.cost(pricing(epsilon))
        return any(amount > left[currency] for currency, amount in cost.items())

    place = _first(dear)
    return _number(place - 1) if place else None


def too_dear(refused: Exhausted, most: Fraction | None, near: Sequence[str] = ()) -> Exhausted:
    """The refusal, with the largest version that can still be paid and its errors."""
    if most is None:
        return Exhausted(refused.what, "Nothing of this question can be paid any more; ask the curator")
    told = ", ".join([f"epsilon = {float(most):g}", *near])
    return Exhausted(refused.what, f"The largest version that it affords now: {told}")


def _check(offer: Offer, wanted: Target) -> None:
    """The target can be met at some price, and we know how."""
    known = expected(offer, wanted.confidence)
    names = [one.name for one in known]
    if wanted.output is not None and wanted.output not in names:
        raise BadArgument("error", wanted.output, "is no output with an error", f"Name one of {', '.join(names) or 'none here'}")
    asked = [one for one in known if wanted.output in (None, one.name)]
    if not asked:
        raise BadArgument("error", wanted.reach, "has nothing to be the error of", "Ask by epsilon")
    depending = [one.name for one in asked if one.rows is not None]
    if depending and offer.typed.table.size is None:
        others = [one.name for one in known if one.rows is None]
        fix = f"Declare size in privacy.toml if it is public, or name an output: {(others or ['NAME'])[0]}={wanted.reach:g}"
        raise BadArgument("error", depending[0], "depends on how many rows there are, which is not public", fix)
    if missed := wanted.missed(offer):
        why = f"is below what any budget reaches: {missed[0].name} has {missed[0]}"
        raise BadArgument("error", wanted.reach, why, "Write a larger error, or ask larger groups")


def _first(holds: Callable[[Fraction], bool]) -> int:
    """The place of the smallest number of the grid for which it holds, if it holds for all larger ones; else the last."""
    low, high = -1, _MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(_number(middle)) else (middle, high)
    return high


def _number(place: int) -> Fraction:
    """The numbers of three digits in order, from a millionth on."""
    power, digits = divmod(place, _DIGITS)
    return Fraction(100 + digits) * Fraction(10) ** (_LOWEST + power - 2)
