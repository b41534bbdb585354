"""Two worlds that refute a claim: neighbours in which some output is likelier by more than the price allows, exactly.

Worlds are tried from small to large in the patterns that break mechanisms; each pair's output law is tabulated, and the ratio is
a certified lower bound. Tables that grow large end the search, never the clock, so the answer is always the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from twoworlds.exact.tabulate import tabulate
from twoworlds.proofs.statements import Statement
from twoworlds.worlds.cards import Case
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["Refutation", "refute"]

_CUT = Fraction(1, 2**40)
_FIRST, _FOLLOWED = 4, 3
_LENGTHS = (1, 2, 3, 5, 8, 12, 20)
_LARGEST_TABLE = 4_000
_MARGIN = 1e-9


Pattern = tuple[Fraction, Fraction, Fraction, Fraction]
"""Most entries and the last in one world, then how far the first and the others move, in units of the bound."""


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
    pattern: Pattern | None = None
    growth: tuple[tuple[int, float], ...] = ()

    @property
    def excess(self) -> float:
        return self.epsilon - self.price

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
    """Two worlds among those tried that cost more than the price, if possible with how that grows along a pattern."""
    stated = next((tried for case in found.worst if (tried := _stated(found, case)) is not None), None)
    for public in _parameters(found):
        first = [tried for pattern in _patterns() if (tried := _try(found, pattern, _FIRST, public)[0])]
        first.sort(key=lambda tried: -tried.excess)
        for promising in first[:_FOLLOWED]:
            assert promising.pattern is not None
            seen = list(_along(found, promising.pattern, public))
            above = [tried for tried in seen if tried.excess > _MARGIN]
            if above:
                growth = tuple((len(tried.world) if _is_list(found) else 1, tried.epsilon) for tried in seen)
                return replace(above[0], growth=growth)
        if stated is not None:
            return stated
    return None


def _stated(found: Statement, case: Case) -> Refutation | None:
    """A worst case of the card's own, if it refutes the card."""
    tried, _ = _compare(found, (case.world, case.other), dict(case.at), None)
    return tried if tried is not None and tried.excess > _MARGIN else None


def _along(found: Statement, pattern: Pattern, public: Mapping[str, Any]) -> Iterator[Refutation]:
    """The pattern at growing lengths, as long as the next table can be expected to be small."""
    sizes: list[tuple[int, int]] = []
    for length in _LENGTHS if _is_list(found) else (1,):
        if len(sizes) > 1:
            (before, few), (last, many) = sizes[-2:]
            if many * (many / max(few, 1)) ** ((length - last) / (last - before)) > _LARGEST_TABLE:
                return
        tried, size = _try(found, pattern, length, public)
        sizes.append((length, size))
        if tried is not None:
            yield tried


def _is_list(found: Statement) -> bool:
    return hasattr(found.relation, "norm") or hasattr(found.relation, "relation")


def _patterns() -> Iterator[Pattern]:
    levels = tuple(map(Fraction, (0, 1, -1)))
    moves = [(0, 1), (1, 0), (1, -1), (-1, 1), (1, 1)]
    for start, (first, rest) in product(levels, moves):
        for last in {start, start + 1}:
            yield start, last, Fraction(first), Fraction(rest)


def _parameters(found: Statement) -> Iterator[dict[str, Any]]:
    """Public parameters: ones for what scales and zeros for what is compared with, then ones, then small and larger ones."""
    names = [name for name in found.program.parameters if name != found.relation.parameter]
    scaling = found.price.names | found.relation.by.names | found.whole
    one, half, two = Fraction(1), Fraction(1, 2), Fraction(2)
    yield {name: one if name in scaling else Fraction(0) for name in names}
    yield dict.fromkeys(names, one)
    yield {name: one if name in found.price.names | found.whole else half for name in names}
    yield {name: half if name in found.price.names else two for name in names}


def _try(found: Statement, pattern: Pattern, length: int, public: Mapping[str, Any]) -> tuple[Refutation | None, int]:
    try:
        worlds = _worlds(found, pattern, length, public)
    except (TwoWorldsError, ArithmeticError):
        return None, 0  # the bound has no value at these parameters
    return _compare(found, worlds, public, pattern)


def _compare(
    found: Statement, worlds: tuple[Any, Any], public: Mapping[str, Any], pattern: Pattern | None
) -> tuple[Refutation | None, int]:
    """What these worlds cost, and how large their table is; nothing where they or the parameters do not fit the program."""
    try:
        price = float(found.price.at({**public, found.relation.parameter: worlds[0]})["epsilon"])
        table = tabulate(found.program, *worlds, neighbours=found.relation, cut=_CUT, **public)
        witness, epsilon = table.witness, table.epsilon.lower
    except (TwoWorldsError, ArithmeticError, ValueError, TypeError, LookupError):
        return None, 0
    probabilities = witness.probability.lower, witness.other_probability.lower
    if witness.likelier_in == "other":
        worlds = worlds[1], worlds[0]
    return Refutation(*worlds, public, witness.output, probabilities, epsilon, price, pattern), len(table.rows)


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
