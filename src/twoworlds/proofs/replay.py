"""A proof by alignment tried out: the program itself, not the lowered one, run on noise tapes of two neighbouring worlds.

Theorem. Let T send every tape of world 1 on which the program returns o to a tape of world 2 on which it returns o, no two of
them to one tape, with as many draws of the same laws, and let the log of the ratio of the tapes' chances be at most c. Then the
chance of o in world 1 is at most exp(c) times that in world 2. (Sum over the tapes; the relation is symmetric.)
So a map of tapes is checked for what it does, whoever computed it and however: nothing here reads the hints of a certificate, the
lowered program or an obligation. Where the program was misread on the way to its certificate, the two runs end apart.

Every tape of small noise is tried in small worlds, and tapes that drift in larger ones: it is a test, no proof.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.losses.prices import Approximate, Concentrated, Dialect, GaussianPrivacy, Pure
from twoworlds.proofs.tapes import FAULTS, Pair, Tape, pairs, plain, ran, read_from, runs
from twoworlds.source.program import Program
from twoworlds.worlds.distributions import Distribution, ExponentialWeights
from twoworlds.worlds.neighbours import Neighbours

__all__ = ["Move", "replayed"]

_PAIRS = 18
Move = Callable[[Pair, Tape, Any], Tape]
"""The tape of world 2 for a tape of world 1 and the output that it makes."""


class _Apart(Exception):
    """What is wrong with the map."""


@dataclass(frozen=True)
class _Limit:
    """What the shifts may cost together; `squared`: as the halves of their squares."""

    most: Fraction
    squared: bool
    mixed: bool = False
    """Of pure and concentrated parts: which of them a draw belongs to is not told, so the cheaper counts."""


def replayed(
    program: Program, relation: Neighbours, price: Dialect, whole: frozenset[str], move: Move, *, squared: bool
) -> str | None:
    """Where the map is no coupling at the price; None if it is one in all worlds that were tried.

    `squared`: no shift waits for its draw, and each costs (a / s)^2 / 2 of a concentrated price.
    """
    tried = 0
    for pair, seed in pairs(program, relation, whole, 12 * _PAIRS):
        limit = _limit(price, pair, squared)
        if limit is None:
            continue
        try:
            tried += _is_coupled(program, pair, limit, move, seed)
        except _Apart as why:
            worlds = " and ".join(plain(world[relation.parameter]) for world in (pair.one, pair.two))
            public = [f"{name} = {plain(value)}" for name, value in pair.one.items() if name != relation.parameter]
            return f"{why}, for {', '.join([f'{relation.parameter} = {worlds}', *public])} on the grid {pair.grid}"
        if tried >= _PAIRS:
            return None
    return None if tried else "no world was found in which the program runs"


def _is_coupled(program: Program, pair: Pair, limit: _Limit, move: Move, seed: int) -> bool:
    """Whether any run came to an output; each run is held against its partner in world 2."""
    taken: dict[tuple[Any, Tape], Tape] = {}
    for one in runs(program, pair, seed):
        try:
            tape = move(pair, one.tape, one.output)
        except FAULTS as why:
            raise _Apart(f"the noise of world 2 has no value ({why})") from why
        two = ran(program, pair.two, read_from(tape))
        if one.told is None and two.told is None:
            continue
        alike = len(one.laws) == len(two.laws) and all(map(_are_alike, one.laws, two.laws))
        if not alike or two.tape != tape:
            raise _Apart("the two worlds do not draw the same noise")
        if two.told != one.told:
            raise _Apart(f"world 1 returns {plain(one.output)} and world 2 {plain(two.output)}")
        if taken.setdefault((one.told, tape), one.tape) != one.tape:
            raise _Apart("two tapes of world 1 become one of world 2")
        draws = zip(one.laws, two.laws, one.tape, tape, strict=True)
        costs = (
            _cost(law, *noise, pair.grid, limit) if law == other else _choice(law, other, noise, limit)
            for law, other, noise in ((law, other, (first, second)) for law, other, first, second in draws)
        )
        if sum(costs) > limit.most:
            raise _Apart(f"the noise {plain(one.tape)} becomes {plain(tape)}, which costs more than the price")
    return bool(taken)


def _limit(price: Dialect, pair: Pair, squared: bool) -> _Limit | None:
    """The price in these worlds; None where the claim has no meaning."""
    try:
        if isinstance(price, Pure | Approximate):
            most = price.epsilon.above(pair.one)
        elif isinstance(price, Concentrated):
            rho = price.rho.enclose(pair.one)
            most = rho.high if squared else (rho + rho).sqrt().high
        else:
            assert isinstance(price, GaussianPrivacy)
            most = price.mu.above(pair.one) ** 2 / 2
    except FAULTS:
        return None
    return _Limit(most, squared, squared and isinstance(price, Approximate)) if most >= 0 else None


def _are_alike(one: Distribution, two: Distribution) -> bool:
    """The same law, or choices by weights among equally many, whose scores differ."""
    both = isinstance(one, ExponentialWeights) and isinstance(two, ExponentialWeights)
    return one == two or (both and (one.scale, len(one.scores)) == (two.scale, len(two.scores)))  # type: ignore[attr-defined]  # both are


def _choice(one: Any, two: Any, indices: tuple[Any, Any], limit: _Limit) -> Fraction:
    """A bound on the log of the ratio of the chances of an index, or an eighth of the square of how far scores come apart."""
    index, other = indices
    if index != other:
        raise _Apart("a choice by weights is moved")
    moves: list[Fraction] = [after - before for before, after in zip(one.scores, two.scores, strict=True)]
    apart = max(moves) - (min(moves) if limit.squared else moves[int(index)])
    size = apart / Fraction(one.scale)
    return size * size / 8 if limit.squared else size


def _cost(law: Distribution, one: Any, two: Any, grid: Fraction, limit: _Limit) -> Fraction:
    """A bound on the log of the ratio of the chances of the two draws, or the half of the square of the shift in scales."""
    name = type(law).__name__
    if one == two:
        return Fraction(0)
    if name not in ("Laplace", "Exponential", "Gumbel", "Gaussian", "DiscreteGaussian") or ((two - one) / grid).denominator != 1:
        raise _Apart(f"{law} cannot be moved from {one} to {two}")
    if name in ("Exponential", "Gumbel") and two < one:
        raise _Apart("one-sided noise moves down")
    scale: Fraction = getattr(law, "scale", None) or law.sigma  # type: ignore[attr-defined]  # one of the five above
    if name in ("Gaussian", "DiscreteGaussian") and not limit.squared:
        raise _Apart(f"{law} is at no finite distance from its shifted copy")
    size: Fraction = abs(two - one) / scale
    squared = size * size / 2
    return (
        min(size, squared) if limit.mixed and name not in ("Gaussian", "DiscreteGaussian") else squared if limit.squared else size
    )
