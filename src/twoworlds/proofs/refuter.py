"""Two worlds that refute a claim: neighbours in which some event is likelier by more than the price allows.

Worlds are tried from the patterns that break mechanisms, their output laws tabulated, and the best pairs bettered one change at a
time along the paths of one output, which stays cheap for long lists. What is reported is certified from below. Steps are counted,
never seconds, so the answer is always the same. A claim is about every grid gZ, so a single grid refutes it; what finer grids
give is reported beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.proofs.growth import explained, read_plainly
from twoworlds.proofs.measures import MEASURED, follow, weigh
from twoworlds.proofs.paths import altered, leaves, outputs, reordered
from twoworlds.proofs.patterns import LENGTH, Pair, changed, doubled, grown, is_list, pairs, settings
from twoworlds.proofs.refutations import Refutation
from twoworlds.proofs.statements import Statement
from twoworlds.source.interpreter import freeze

__all__ = ["glance", "refute"]

_STEPS, _SCAN, _CLIMB = 240_000, 30_000, 20_000
_GLANCE = 9_000
_PATH, _ASKED = 3_000, 8
_FIRST_TABLE, _LARGEST_TABLE = 3_000, 80_000
_PAIR = 100  # steps for the work on a pair that is no tabulation
_FAILURES, _PLENTY = 3, 20
_FOLLOWED = 2
_CLEAR = 1.02
_BETTER = 1.002  # the least factor that counts
_COARSE = Fraction(1, 2**20)


@dataclass
class _Budget:
    """Steps of tabulation that are left here and in all; whether whole tables have been too large."""

    left: int
    all: _Budget | None = None
    large: bool = False

    def spend(self, steps: int) -> None:
        self.left -= steps + _PAIR
        if self.all is not None:
            self.all.spend(steps)

    @property
    def is_spent(self) -> bool:
        return self.left < 0 or (self.all is not None and self.all.is_spent)

    def weigh(self, found: Statement, pair: Pair, most: int) -> Refutation | None:
        """The pair's whole table, or, where it is too large, the best of a few outputs."""
        if not self.large:
            tried, steps = weigh(found, pair, most=most, cut=_COARSE)
            self.spend(steps)
            if tried is not None:
                return tried
            self.large = steps >= most
        asked = [self.follow(found, pair, output) for output in outputs(found, pair)[:_ASKED]]
        return max((each for each in asked if each), key=lambda each: each.score, default=None)

    def follow(self, found: Statement, pair: Pair, output: Any) -> Refutation | None:
        tried, steps = follow(found, pair, output, most=_PATH, cut=_COARSE)
        self.spend(steps)
        return tried


def glance(found: Statement) -> Refutation | None:
    """What a first look refutes: most wrong programs, in a fraction of the time that looking for a proof of them takes."""
    return refute(found, _GLANCE)


def refute(found: Statement, steps: int = _STEPS) -> Refutation | None:
    """Two worlds among those tried that cost more than the price, with how the loss grows; None if there are none."""
    if not isinstance(found.price, MEASURED):
        return None
    for seen in _searched(found, steps):
        best = _confirmed(found, seen)
        if best is not None:
            return explained(found, best)
    return None


def _searched(found: Statement, steps: int) -> Iterator[Refutation]:
    """What seems to refute, roughly tabulated: the card's own worst cases, then each setting, scanned and bettered."""
    for case in found.worst:
        public = {name: freeze(value) for name, value in case.at.items()}
        pair = Pair(freeze(case.world), freeze(case.other), public)
        tried, _ = weigh(found, pair, most=_LARGEST_TABLE)
        if tried is not None and tried.excess > 0:
            yield tried
    budget = _Budget(steps)
    for public in settings(found):
        if budget.is_spent:
            return
        seen = sorted(_scanned(found, public, budget), key=lambda tried: -tried.score)
        if seen and seen[0].score > _CLEAR:
            yield seen[0]
        for start in () if budget.is_spent else seen[:_FOLLOWED]:
            better = _climbed(found, start, budget)
            if better.excess > 0:
                yield better


def _confirmed(found: Statement, seen: Refutation) -> Refutation | None:
    """The same pair, finely tabulated, if it refutes."""
    if seen.is_followed:
        tried, _ = follow(found, seen.pair, seen.output, most=_LARGEST_TABLE)
    else:
        tried, _ = weigh(found, seen.pair, most=_LARGEST_TABLE)
    best = tried if tried is not None and tried.loss >= seen.loss else seen
    return read_plainly(found, best) if best.excess > 0 else None


def _scanned(found: Statement, public: Mapping[str, Any], whole: _Budget) -> list[Refutation]:
    """The pairs of a setting, up to the first that clearly refutes; shorter lists where longer ones do not fit the program."""
    seen: list[Refutation] = []
    for length in range(LENGTH, 0, -1) if is_list(found) else (LENGTH,):
        budget, failed = _Budget(_SCAN, whole), 0
        for pair in pairs(found, public, length):
            if budget.is_spent or failed == _FAILURES:
                break
            tried = budget.weigh(found, pair, _FIRST_TABLE)
            failed = failed + 1 if tried is None else -_PLENTY
            if tried is not None:
                seen.append(tried)
                if tried.score > _CLEAR:
                    break
        if seen:
            break
    return seen


def _climbed(found: Statement, start: Refutation, whole: _Budget) -> Refutation:
    """The pair bettered by one change at a time, until it refutes, no change helps, or the budget is spent."""
    budget, best, known = _Budget(_CLIMB, whole), start, {_key(start.pair, start.output)}
    while best.score <= _CLEAR:
        better = next((tried for kind in _kinds(found, best) if (tried := _bettered(found, best, kind, budget, known))), None)
        if better is None:
            return best
        best = better
    return best


def _bettered(
    found: Statement, best: Refutation, changes: Iterator[tuple[Pair, Any]], budget: _Budget, known: set[Any]
) -> Refutation | None:
    """The best of these changes, if it betters the pair by enough."""
    reached, least = None, best.score * _BETTER
    for pair, output in changes:
        if _key(pair, output) in known or budget.is_spent:
            continue
        known.add(_key(pair, output))
        tried = budget.follow(found, pair, output) if isinstance(output, tuple) else budget.weigh(found, pair, _FIRST_TABLE)
        if tried is not None and tried.score > least:
            reached, least = tried, tried.score
    return reached


def _kinds(found: Statement, best: Refutation) -> Iterator[Iterator[tuple[Pair, Any]]]:
    """Longer lists first, then other outputs, then other worlds and parameters."""
    pair, output = best.pair, leaves(best.output)
    if pair.length is not None and is_list(found):
        yield ((longer, reordered(output, order)) for longer, order in grown(found, pair))
        yield ((twice, reordered(output, (*range(pair.length), *range(pair.length)))) for twice in doubled(found, pair))
    if isinstance(output, tuple):
        yield ((pair, asked) for asked in altered(output))
    yield ((other, output) for other in changed(found, pair))


def _key(pair: Pair, output: Any) -> Any:
    return pair.one, pair.other, tuple(sorted(pair.public.items(), key=str)), output if isinstance(output, tuple) else None
