"""What a card really costs on small worlds, by exact tables: no proof may be of less, and no refutation of more."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.exact.inputs import Call
from twoworlds.exact.tabulate import laws
from twoworlds.proofs.patterns import pairs, settings
from twoworlds.proofs.statements import Statement
from twoworlds.proofs.trials import Numbers
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["Loss", "losses"]

_CUT = Fraction(1, 2**60)
_STEPS = 12_000
_CANNOT = (TwoWorldsError, ArithmeticError, ValueError, TypeError, LookupError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Loss:
    """A certified lower bound on what two neighbouring worlds cost, and the price there if it has one."""

    one: Any
    other: Any
    public: dict[str, Any]
    grid: Fraction
    epsilon: float
    price: Fraction


def losses(found: Statement, seed: int, most: int = 40) -> Iterator[Loss]:
    """The losses of some pairs at some parameters on two grids; what does not fit the program is left out."""
    pick, tried = random.Random(f"hunt {seed}"), 0
    for public in settings(found)[:4]:
        for grid in (Fraction(1), Fraction(1, 2)):
            for one, other in _pairs(found, public, pick):
                if tried == most:
                    return
                loss = _loss(found, one, other, public, grid)
                if loss is not None:
                    tried += 1
                    yield loss


def _pairs(found: Statement, public: dict[str, Any], pick: random.Random) -> Iterator[tuple[Any, Any]]:
    known = [(pair.one, pair.other) for length in (1, 2, 3) for pair in pairs(found, public, length)]
    yield from pick.sample(known, min(8, len(known)))
    for _ in range(6):
        try:
            one, other = found.relation.pairs(Numbers(pick.randrange(10**6)), public)
        except _CANNOT:
            continue
        if not isinstance(one, list) or len(one) <= 3:
            yield one, other


def _loss(found: Statement, one: Any, other: Any, public: dict[str, Any], grid: Fraction) -> Loss | None:
    try:
        price = found.price.at({**public, found.relation.parameter: one})["epsilon"]
        found.relation.check(one, other, {**public, found.relation.parameter: one})
        call = Call.of(found.program, (), public, grid=grid, cut=_CUT, neighbours=found.relation)
        table = laws(call, (call.world(one, "world"), call.world(other, "other")), _STEPS).table(found.name)
        return Loss(one, other, public, grid, table.epsilon.lower, price)
    except _CANNOT:
        return None
