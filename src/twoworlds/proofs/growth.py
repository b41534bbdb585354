"""How a refutation grows: the shortest list on which its pattern refutes, longer ones, and finer grids."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from twoworlds.exact.encodings import Differences
from twoworlds.proofs.limits import in_the_limit
from twoworlds.proofs.measures import follow, weigh
from twoworlds.proofs.paths import leaves, outputs, repeated
from twoworlds.proofs.patterns import Pair, is_list, stretched
from twoworlds.proofs.refutations import Refutation
from twoworlds.proofs.statements import Statement

__all__ = ["explained", "read_plainly"]

_TABLE = 10_000
_CLEAR = 1.02
_NEARLY = 0.98
_FIRST = (10, 12, 24)
_TRIED = 3  # lists that are tried for one that refutes on every fine grid too
_LENGTHS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 40)
_FINER = (Fraction(1, 2), Fraction(1, 4))


def explained(found: Statement, best: Refutation) -> Refutation:
    """The refutation on the shortest list, with what longer lists and finer grids give."""
    if best.pair.length is not None and is_list(found):
        best = _grown(found, best)
    grids = [(best.grid, best.loss)]
    for grid in _FINER:
        tried = _tried(found, best, best.pair, leaves(best.output), grid)
        if tried is not None:
            grids.append((grid, tried.loss))
    return best.but(grids=tuple(grids), limit=_limit(found, best))


def _limit(found: Statement, best: Refutation) -> tuple[float, float] | None:
    """The ln ratio as the grid goes to 0, for a pure price and an output that is one."""
    if best.measure != "epsilon" or best.loss == math.inf or isinstance(best.output, Differences):
        return None
    return in_the_limit(found, best.pair, leaves(best.output))


def _tried(found: Statement, best: Refutation, pair: Pair, output: Any, grid: Fraction = Fraction(1)) -> Refutation | None:
    """Another pair, along the paths of the same output where there is one, else by its table."""
    tried = follow(found, pair, output, grid=grid, most=_TABLE)[0] if isinstance(output, tuple) else None
    return tried or (None if best.is_followed else weigh(found, pair, grid=grid, most=_TABLE)[0])


def read_plainly(found: Statement, best: Refutation) -> Refutation:
    """A single output in the place of a set that is known by differences only, where one shows as much."""
    if not isinstance(best.output, Differences):
        return best
    for output in outputs(found, best.pair):
        tried, _ = follow(found, best.pair, output, most=_TABLE)
        if tried is not None and tried.loss >= _NEARLY * best.loss and tried.excess > 0:
            return tried
    return best


def _grown(found: Statement, best: Refutation) -> Refutation:
    """Along the entry whose repetition costs most: the shortest list that refutes, with the losses of the others."""
    ways = [list(_along(found, best, at, _FIRST)) for at in (*range(best.pair.length or 0), None)]
    longer = [(round(way[-1][1].loss / way[-1][0], 6), -index) for index, way in enumerate(ways) if way]
    if not longer:
        return best
    chosen = -max(longer)[1]
    seen = list(_along(found, best, None if chosen == best.pair.length else chosen, _LENGTHS))
    above = [tried for _, tried in seen if tried.excess > 0] or [best]
    clear = [tried for tried in above if tried.score > _CLEAR] or above[-1:]
    shortest = next((tried for tried in clear[:_TRIED] if _holds_in_the_limit(found, tried)), clear[0])
    return shortest.but(growth=tuple((length, tried.loss) for length, tried in seen))


def _holds_in_the_limit(found: Statement, tried: Refutation) -> bool:
    """Whether finer grids do not take the refutation away, as far as is known."""
    limit = _limit(found, tried)
    return limit is None or limit[0] > tried.price


def _along(found: Statement, best: Refutation, at: int | None, lengths: tuple[int, ...]) -> Iterator[tuple[int, Refutation]]:
    """The pair and its output with entry `at`, or each entry, as often as each length needs."""
    begun, loss = best.pair.length or 0, 0.0
    for length in lengths:
        asked = _stretched(found, best, at, length)
        if asked is None:
            continue
        tried = best if length == begun else _tried(found, best, *asked)
        if tried is not None and tried.loss >= loss / 2:
            loss = tried.loss
            yield length, tried
        elif length > begun:
            return  # it cannot be computed, or drowns in the mass that was cut


def _stretched(found: Statement, best: Refutation, at: int | None, length: int) -> tuple[Pair, Any] | None:
    begun, output = best.pair.length or 0, leaves(best.output)
    if at is not None:
        pair = stretched(found, best.pair, at, length)
        return None if pair is None else (pair, repeated(output, at, length - begun + 1))
    if length % begun:
        return None
    pair = best.pair
    for entry in reversed(range(begun)):
        longer = stretched(found, pair, entry, (pair.length or 0) + length // begun - 1)
        if longer is None:
            return None
        pair, output = longer, repeated(output, entry, length // begun)
    return pair, output
