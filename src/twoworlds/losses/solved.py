"""One open number of a text, solved for: `calibrate("gaussian(sigma=?), 10 times", epsilon=1, delta=1e-5)`.

The loss must rise or fall with the number throughout its range; which of both is found by trying. The answer keeps the promise by
a certified bound, and a value a millionth further on would not be known to.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from twoworlds.losses.pricing import loss_of
from twoworlds.losses.reading import describe, parse
from twoworlds.worlds.errors import BadArgument, InfiniteLoss
from twoworlds.worlds.events import Event
from twoworlds.worlds.rationals import exact

__all__ = ["Calibrated", "calibrate"]

_CLOSE = Fraction(1, 10**6)
_POWERS = [Fraction(2) ** power for power in range(-30, 31)]
_TRIALS = sorted({*_POWERS, *(1 - power for power in _POWERS if power < 1)})
_HALF = Fraction(1, 2)

Reading = Callable[[Fraction], Event]


@dataclass(frozen=True)
class Calibrated:
    """The solution: the number, on the side that keeps the promise, and the text that carries it."""

    value: Fraction
    text: str


def calibrate(text: str, parameter: str | None = None, *, epsilon: object, delta: object) -> Calibrated:
    """The value of the number written `?`, or of the named parameter, at which the releases satisfy (epsilon, delta).

    For a number that raises the loss it is the largest, for one that lowers it the smallest; whole numbers stay whole.
    """
    goal, failure = exact(epsilon, "epsilon"), exact(delta, "delta")
    if goal < 0:
        raise BadArgument("epsilon", epsilon, "is below 0", "Give the epsilon to reach")
    if not 0 <= failure < 1:
        raise BadArgument("delta", delta, "is not in [0, 1)", "Give the delta to reach")
    read = _opened(text, parameter)
    valid = [value for value in _TRIALS if _reads(read, value)]
    if not valid:
        raise BadArgument("text", text, "reads with no value of the open number", "Check the other parameters")

    @lru_cache(maxsize=256)
    def holds(value: Fraction) -> bool:
        try:
            loss = loss_of(read(value))
            if failure == 0:  # the largest loss, without a curve
                return loss.epsilon(0).upper <= goal
            return Fraction(loss.delta(goal).upper) <= failure
        except BadArgument:
            return False  # what cannot be certified is not promised

    kept, broken = _bracketed(holds, valid, f"epsilon = {float(goal):g} at delta = {float(failure):g}")
    value = _narrowed(holds, kept, broken, whole=all(value.denominator == 1 for value in valid))
    return Calibrated(value, describe(read(value)))


def _opened(text: str, parameter: str | None) -> Reading:
    """The text as a function of its open number."""
    if parameter is not None and not isinstance(parameter, str):
        raise BadArgument("parameter", parameter, "is no name of a number in the text", "Give a name such as 'sigma'")
    if parameter is not None:
        return lambda value: parse(text, instead=(parameter, value))
    if not isinstance(text, str) or text.count("?") != 1:
        raise BadArgument("text", text, "leaves no single number open", "Write one ?, as in 'gaussian(sigma=?)', or name it")
    return lambda value: parse(text, unknown=value)


def _reads(read: Reading, value: Fraction) -> bool:
    try:
        read(value)
    except BadArgument as error:
        if error.argument == "parameter":
            raise
        return False
    return True


def _bracketed(holds: Callable[[Fraction], bool], valid: list[Fraction], goal: str) -> tuple[Fraction, Fraction]:
    """Two trials around the solution, one that keeps the promise and one that does not, found by growing steps from the middle.

    Upwards first: a coin's loss is symmetric about 1/2, and its answer is the larger one.
    """
    middle = min(range(len(valid)), key=lambda place: abs(valid[place] - 1))
    if _HALF in valid and valid[-1] < 1:
        middle = valid.index(_HALF)
    kept, reach = holds(valid[middle]), 1
    while reach < 2 * len(valid):
        for place in (min(middle + reach, len(valid) - 1), max(middle - reach, 0)):
            if holds(valid[place]) != kept:
                return (valid[middle], valid[place]) if kept else (valid[place], valid[middle])
        reach *= 2
    tried = f"from {float(valid[0]):g} to {float(valid[-1]):g}"
    if kept:
        raise InfiniteLoss(f"every value {tried} keeps {goal}", "Ask for a smaller goal")
    raise InfiniteLoss(f"no value {tried} reaches {goal}", "Ask for a larger epsilon, or a larger delta: many have none at 0")


def _narrowed(holds: Callable[[Fraction], bool], kept: Fraction, broken: Fraction, *, whole: bool) -> Fraction:
    """Bisect, then shorten the number towards the side that keeps the promise."""
    while abs(kept - broken) > (1 if whole else _CLOSE * max(kept, broken) / 4):
        middle = (kept + broken) / 2
        middle = Fraction(round(middle)) if whole else middle.limit_denominator(10**12)
        kept, broken = (middle, broken) if holds(middle) else (kept, middle)
    if whole:
        return kept
    unit = Fraction(10) ** (math.floor(math.log10(kept)) - 6)
    shorter = [unit * math.floor(kept / unit), unit * math.ceil(kept / unit)]
    return next((value for value in (shorter if kept > broken else shorter[::-1]) if holds(value)), kept)
