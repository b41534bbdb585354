"""Two worlds that refute a claim: neighbours in which some output is likelier by more than the price allows, exactly.

Worlds are tried from small to large in the patterns that break mechanisms; each pair's output law is tabulated, and the ratio is
a certified lower bound. Tables that grow large end the search, never the clock, so the answer is always the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from twoworlds.exact.tabulate import tabulate
from twoworlds.proofs.statements import Statement
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["Refutation", "refute"]

_CUT = Fraction(1, 2**60)
_LENGTHS = (1, 2, 3, 5, 8, 12)
_LARGEST_TABLE = 20_000
_MARGIN = 1e-9


@dataclass(frozen=True)
class Refutation:
    """Two neighbouring worlds and an output whose probabilities differ by more than the price."""

    world: Any
    other: Any
    parameters: Mapping[str, Any]
    output: Any
    probabilities: tuple[float, float]
    epsilon: float
    price: float
    growth: tuple[tuple[int, float], ...] = ()

    @property
    def details(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "world": _plain(self.world),
            "other": _plain(self.other),
            "parameters": {name: _plain(value) for name, value in self.parameters.items()},
            "output": _plain(self.output),
            "probabilities": list(self.probabilities),
            "epsilon": self.epsilon,
            "price": self.price,
            "growth": [list(point) for point in self.growth],
        }


def refute(found: Statement) -> Refutation | None:
    """The worst pair of worlds among those tried, if it costs more than the price; with how it grows along its pattern."""
    worst: Refutation | None = None
    for public in _parameters(found):
        for pattern in _patterns():
            seen: list[Refutation] = []
            for length in _LENGTHS if _is_list(found) else (1,):
                tried, size = _try(found, pattern, length, public)
                if tried is not None:
                    seen.append(tried)
                if size > _LARGEST_TABLE:
                    break
            above = [tried for tried in seen if tried.epsilon > tried.price + _MARGIN]
            if above and (worst is None or above[-1].epsilon / above[-1].price > worst.epsilon / max(worst.price, 1e-300)):
                growth = tuple((len(tried.world) if _is_list(found) else 1, tried.epsilon) for tried in seen)
                worst = _with_growth(above[0], growth)
        if worst is not None:
            return worst
    return None


def _with_growth(found: Refutation, growth: tuple[tuple[int, float], ...]) -> Refutation:
    return Refutation(
        found.world, found.other, found.parameters, found.output, found.probabilities, found.epsilon, found.price, growth
    )


Pattern = tuple[Fraction, Fraction, Fraction, Fraction]
"""First and last entry in one world, then how far the first and the others move, in units of the bound."""


def _is_list(found: Statement) -> bool:
    return hasattr(found.relation, "norm") or hasattr(found.relation, "relation")


def _patterns() -> Iterator[Pattern]:
    levels = tuple(map(Fraction, (0, 1, -1)))
    moves = [(0, 1), (1, 0), (1, -1), (-1, 1), (1, 1)]
    for start, (first, rest) in product(levels, moves):
        for last in {start, start + 1}:
            yield start, last, Fraction(first), Fraction(rest)


def _parameters(found: Statement) -> Iterator[dict[str, Any]]:
    """Public parameters: ones for what scales, then zeros for what may be compared with, then smaller prices."""
    names = [name for name in found.program.parameters if name != found.relation.parameter]
    priced = found.price.names | found.relation.by.names | found.whole
    for epsilon in (Fraction(1), Fraction(1, 2)):
        yield {name: epsilon if name in found.price.names else Fraction(1 if name in priced else 0) for name in names}
    yield dict.fromkeys(names, Fraction(1))
    yield {name: Fraction(1, 2) if name in found.price.names else Fraction(2) for name in names}


def _try(found: Statement, pattern: Pattern, length: int, public: Mapping[str, Any]) -> tuple[Refutation | None, int]:
    try:
        worlds = _worlds(found, pattern, length, public)
        price = float(found.price.at({**public, found.relation.parameter: worlds[0]})["epsilon"])
        table = tabulate(found.program, *worlds, neighbours=found.relation, cut=_CUT, **public)
        witness, epsilon = table.witness, table.epsilon.lower
    except (TwoWorldsError, ArithmeticError, ValueError, TypeError, IndexError):
        return None, 0  # these worlds or parameters do not fit the program
    probabilities = witness.probability.lower, witness.other_probability.lower
    if witness.likelier_in == "other":
        worlds = worlds[1], worlds[0]
    return Refutation(*worlds, public, witness.output, probabilities, epsilon, price), len(table.rows)


def _worlds(found: Statement, pattern: Pattern, length: int, public: Mapping[str, Any]) -> tuple[Any, Any]:
    start, last, first, rest = pattern
    if not _is_list(found):
        values = getattr(found.relation, "values", None)
        if values is not None:
            return values[0], values[1]
        return start, start + found.relation.bound(public)
    one = [start] * (length - 1) + [last]
    bound = found.relation.bound({**public, found.relation.parameter: one})
    return one, [value + bound * (rest if at else first) for at, value in enumerate(one)]


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else str(value)
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value
