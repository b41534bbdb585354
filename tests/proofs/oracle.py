"""An oracle for refutations: a program's output law by brute force, one run of the plain interpreter for every noise tape.

Nothing of the exact reader is used: floats, a cut window of noise, every combination of draws. Slow, and so for small cases only.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from twoworlds.source.interpreter import interpret
from twoworlds.source.program import Program
from twoworlds.worlds import distributions as laws

__all__ = ["TooManyTapes", "chance"]

_WINDOW = 24
_MOST = 15_000


class TooManyTapes(Exception):
    """The case is too large for brute force."""


class _Missing(Exception):
    def __init__(self, law: laws.Distribution) -> None:
        self.law = law


def chance(program: Program, arguments: Mapping[str, Any], output: Any) -> float:
    """About the probability of this output: the sum over all tapes, each draw within the window."""
    total, runs = 0.0, 0
    waiting: list[tuple[tuple[Any, ...], float]] = [((), 1.0)]
    while waiting:
        tape, weight = waiting.pop()
        runs += 1
        if runs > _MOST:
            raise TooManyTapes
        following = iter(tape)

        def draw(_: int, law: laws.Distribution, following: Any = following) -> Any:
            try:
                return next(following)
            except StopIteration:
                raise _Missing(law) from None

        try:
            total += weight if same(interpret(program, arguments, draw), output) else 0.0
        except _Missing as missing:
            waiting += [((*tape, value), weight * mass) for value, mass in masses(missing.law)]
    return total


def same(one: Any, other: Any) -> bool:
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(itertools.starmap(same, zip(one, other, strict=True)))
    return (one is None) == (other is None) and isinstance(one, bool) == isinstance(other, bool) and one == other


def masses(law: laws.Distribution) -> list[tuple[Any, float]]:
    """The values of a draw on the whole numbers, with their chances, by the textbook formulas."""
    if isinstance(law, laws.Laplace):
        r = math.exp(-1 / law.scale)
        return [(Fraction(k), (1 - r) / (1 + r) * r ** abs(k)) for k in range(-_WINDOW, _WINDOW + 1)]
    if isinstance(law, laws.Exponential):
        r = math.exp(-1 / law.scale)
        return [(Fraction(k), (1 - r) * r**k) for k in range(2 * _WINDOW)]
    if isinstance(law, laws.Bernoulli):
        return [(True, float(law.p)), (False, float(1 - law.p))]
    if isinstance(law, laws.Uniform):
        return [(Fraction(k), 1 / law.n) for k in range(law.n)]
    if isinstance(law, laws.Categorical):
        return [(Fraction(k), float(weight / sum(law.weights))) for k, weight in enumerate(law.weights)]
    raise TooManyTapes(law)
