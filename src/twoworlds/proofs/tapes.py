"""Worlds and noise on which a proof is tried out: small ones all, larger ones by a fixed sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from twoworlds.source.inference import infer
from twoworlds.source.interpreter import freeze, interpret
from twoworlds.source.program import Program
from twoworlds.worlds.distributions import Distribution
from twoworlds.worlds.errors import BadArgument, TwoWorldsError
from twoworlds.worlds.neighbours import Neighbours

__all__ = ["FAULTS", "Pair", "Ran", "Tape", "pairs", "plain", "ran", "read_from", "runs"]

T = TypeVar("T")
FAULTS = (TwoWorldsError, ArithmeticError, LookupError, TypeError, ValueError)
_MOST_TAPES, _MOST_DRAWS = 125, 60  # tapes of one pair of worlds that are listed; draws of one run
_FINITE = ("Uniform", "Categorical", "ExponentialWeights")
Tape = tuple[Any, ...]


@dataclass(frozen=True)
class Pair:
    """Two neighbouring worlds with the public parameters, on a grid; `unit` is the largest move of an entry on it."""

    one: Mapping[str, Any]
    two: Mapping[str, Any]
    unit: Fraction
    grid: Fraction


class _Numbers:
    """A fixed sequence that chooses, so that a verdict never changes (xorshift, Marsaglia 2003)."""

    def __init__(self, seed: int) -> None:
        self.state = (seed + 1) * 0x9E3779B97F4A7C15 % 2**64

    def integer(self, low: int, high: int) -> int:
        for turn in (13, -7, 17):
            self.state ^= (self.state << turn) % 2**64 if turn > 0 else self.state >> -turn
        return low + (self.state >> 11) % (high - low + 1)

    def choice(self, options: Sequence[T]) -> T:
        return options[self.integer(0, len(options) - 1)]


@dataclass(frozen=True)
class Ran:
    """One run: its output, also with numbers and truth values told apart (None if it failed), its laws and its draws."""

    output: Any
    told: Any
    laws: tuple[Distribution, ...]
    tape: Tape


def pairs(program: Program, relation: Neighbours, whole: frozenset[str], most: int) -> Iterator[tuple[Pair, int]]:
    """Worlds of the relation on a grid with public parameters, each with a number of its own; small ones and larger ones."""
    kinds = infer(program).variables
    listed = frozenset(name for name in program.parameters if kinds[name].is_sequence)
    for seed in range(most):
        numbers, longest = _Numbers(seed), 9 if seed % 2 else 2
        given = {name: _picked(numbers, name in whole, name in listed) for name in program.parameters}
        if relation.parameter in listed:
            given[relation.parameter] = [Fraction(0)] * numbers.integer(longest // 3, longest)
        found = _pair(relation, given, numbers)
        if found is not None:
            yield found, seed


def _picked(numbers: _Numbers, whole: bool, listed: bool) -> Any:
    if listed:
        least = numbers.choice((-2, 0))  # weights are not below 0
        return [Fraction(numbers.integer(least, 2)) for _ in range(8)]
    return Fraction(
        numbers.choice((1, 1, 2, 3)) if whole else numbers.choice((1, 2, 3, 1, 2, 1, 2, 0)),
        1 if whole else numbers.choice((1, 2)),
    )


def _pair(relation: Neighbours, given: Mapping[str, Any], numbers: _Numbers) -> Pair | None:
    """One pair; None where what was picked does not fit together."""
    grid = numbers.choice((Fraction(1), Fraction(1), Fraction(1, 2)))
    try:
        drawn = relation.pairs(numbers, given)
        worlds = _rounded(drawn[0], grid), _rounded(drawn[1], grid)
        if relation.steps(*worlds, given) not in (0, 1):
            return None
        unit = relation.bound({**given, relation.parameter: worlds[0]}) // grid * grid
    except FAULTS:
        return None
    one, two = ({name: freeze(value) for name, value in {**given, relation.parameter: world}.items()} for world in worlds)
    return Pair(one, two, unit, grid)


def _rounded(world: Any, grid: Fraction) -> Any:
    if isinstance(world, list | tuple):
        return [_rounded(entry, grid) for entry in world]
    return (Fraction(world) / grid + Fraction(1, 2)) // 1 * grid if type(world) in (int, Fraction) else world


def plain(value: Any) -> str:
    return f"[{', '.join(map(plain, value))}]" if isinstance(value, list | tuple) else str(value)


def ran(program: Program, world: Mapping[str, Any], draw: Callable[[int, Distribution], Any]) -> Ran:
    """One run; one that fails returns that it does."""
    laws: list[Distribution] = []
    tape: list[Any] = []

    def give(_: int, law: Distribution) -> Any:
        laws.append(law)
        tape.append(freeze(draw(len(tape), law)))
        if len(tape) > _MOST_DRAWS:
            raise BadArgument("noise", "...", "is drawn too often", "Try a smaller world")
        return tape[-1]

    try:
        output = interpret(program, world, give)
    except FAULTS:
        return Ran(None, None, tuple(laws), tuple(tape))
    return Ran(output, _told_apart(output), tuple(laws), tuple(tape))


def read_from(tape: Tape) -> Callable[[int, Distribution], Any]:
    """Draws that come from a tape, and nothing where it has ended."""
    return lambda at, _: tape[at] if at < len(tape) else None


def _told_apart(value: Any) -> Any:
    """Outputs that a reader can tell apart, apart: True and 1 are equal in Python."""
    if isinstance(value, tuple):
        return tuple(map(_told_apart, value))
    return (type(value).__name__, value) if isinstance(value, bool | str | None) else value


def _values(law: Distribution, reach: int, drift: int, grid: Fraction) -> list[Any]:
    """The values of a law; of noise on the grid those up to so many steps from a drift."""
    name = type(law).__name__
    if name in ("Bernoulli", "BernoulliExp"):
        return [False, True]
    if name in _FINITE:
        size = getattr(law, "n", 0) or len(getattr(law, "weights", ()) or getattr(law, "scores", ()))
        return [Fraction(at) for at in range(size)]
    one_sided = name in ("Exponential", "Geometric", "NegativeBinomial")
    step = grid if name in ("Laplace", "Exponential", "Gumbel", "Gaussian", "DiscreteGaussian") else Fraction(1)
    return [step * ((at + abs(drift)) if one_sided else (at + drift - reach)) for at in range(2 * reach + 1)]


def runs(program: Program, pair: Pair, seed: int) -> Iterator[Ran]:
    """Every run of world 1 over small noise, where these are few; then runs that drift, so that rare branches are met."""
    numbers = _Numbers(seed + 1)
    draws = len(ran(program, pair.one, lambda _, law: _values(law, 0, 0, pair.grid)[0]).tape)
    reach = next((reach for reach in (4, 2, 1) if (2 * reach + 1) ** draws <= _MOST_TAPES), 0)
    waiting: list[list[int]] = [[]] if reach else []
    for _ in range(2 * _MOST_TAPES):
        if not waiting:
            break

        def listed(at: int, law: Distribution, path: list[int] = waiting.pop()) -> Any:  # noqa: B008  this round's path
            values = _values(law, reach, 0, pair.grid)
            if at == len(path):
                waiting.extend([*path, other] for other in range(1, len(values)))
                path.append(0)
            return values[path[at]]

        yield ran(program, pair.one, listed)
    for _ in range(16):
        drifts = [numbers.choice((0, 0, 3, -3, 12, -12)) for _ in range(3)]

        def drifting(at: int, law: Distribution, drifts: list[int] = drifts) -> Any:
            return numbers.choice(_values(law, 4, drifts[min(at, 2)], pair.grid))

        yield ran(program, pair.one, drifting)
