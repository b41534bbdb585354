"""Reader 1: runs a card's own Python function, with exact noise on the grid.

Private numbers are rounded to the grid and are then whole multiples of it; public numbers are exact rationals; `sample` serves
exact draws. So what runs is the program that was parsed, tabulated and proved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from twoworlds.sampling.draws import Supply, draw
from twoworlds.sampling.entropy import Entropy
from twoworlds.sampling.inputs import divided_by_zero, private, public, settle
from twoworlds.source.parser import parse
from twoworlds.worlds import distributions
from twoworlds.worlds.cards import Card
from twoworlds.worlds.distributions import Distribution, Laplace
from twoworlds.worlds.errors import BadArgument, TwoWorldsError
from twoworlds.worlds.grid import GridNumber, step
from twoworlds.worlds.rationals import exact

__all__ = ["repeat", "run", "run_each"]

ON_THE_GRID = (
    distributions.Laplace,
    distributions.Exponential,
    distributions.Gumbel,
    distributions.Gaussian,
    distributions.DiscreteGaussian,
)
_ONE = object()  # a single draw; None is no number of draws
_MOST_AHEAD = 1 << 18  # entries of arrays fetched ahead: two megabytes
_MOST_BY_IDENTITY = 64  # laws kept by the identity of their scale; more than a program has sites


def run(card: Card, *values: Any, grid: object = 1, entropy: Entropy | None = None, **named: Any) -> Any:
    """One output of the card on these inputs. The noise is fresh; nothing is recorded: releases go through the ledger."""
    return repeat(card, 1, *values, grid=grid, entropy=entropy, **named)[0]


def repeat(card: Card, runs: int, *values: Any, grid: object = 1, entropy: Entropy | None = None, **named: Any) -> list[Any]:
    """Independent outputs of the card on the same inputs, sharing the noise supply."""
    spacing = _checked(card, grid, entropy)
    arguments = settle(card, card.bind(*values, **named), spacing)
    secret = card.neighbours.parameter
    known = _public(arguments, secret)
    known[secret] = private(arguments[secret], secret, spacing, arrays=_draws_arrays(card))
    call = partial(card.function, **known, sample=_sampler(spacing, entropy))
    return _outputs(card, arguments, [call] * runs)


def run_each(card: Card, secrets: Sequence[Any], *, grid: object = 1, entropy: Entropy | None = None, **at: Any) -> list[Any]:
    """One output for each of these secret inputs, with noise of its own, all at the same public parameters.

    What the runs share is looked at once, and arrays of noise are fetched for all of them together.
    """
    spacing, secret = _checked(card, grid, entropy), card.neighbours.parameter
    arrays, sample = _draws_arrays(card), _sampler(spacing, entropy, len(secrets))
    bound = card.bind(**{secret: secrets[0]}, **at) if secrets else {}
    found, before, known = list[Any](), None, dict[str, Any]()
    for value in secrets:
        arguments = settle(card, {**bound, secret: value}, spacing)
        given = {name: one for name, one in arguments.items() if name != secret}
        if given != before:  # rounding one of the inputs to the grid may leave more sensitivity
            before, known = given, _public(given, secret)
        known[secret] = private(arguments[secret], secret, spacing, arrays=arrays)
        found += _outputs(card, arguments, [partial(card.function, **known, sample=sample)])
    return found


def _checked(card: Card, grid: object, entropy: Entropy | None) -> Fraction:
    """The step of the grid, where there is a card to run."""
    if not isinstance(card, Card):
        raise BadArgument("card", card, "is not a card", "Give a function under @mechanism(...)")
    if entropy is not None and not hasattr(entropy, "stream"):
        raise BadArgument("entropy", entropy, "is no source of entropy", "Leave it out for the operating system's")
    return step(grid)


def _public(arguments: Mapping[str, Any], secret: str) -> dict[str, Any]:
    return {name: public(value, name) for name, value in arguments.items() if name != secret}


def _outputs(card: Card, arguments: Mapping[str, Any], calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """What the calls give, as ordinary Python."""
    try:
        return [_plain(call()) for call in calls]
    except (TypeError, ValueError, LookupError, ArithmeticError) as fault:
        if isinstance(fault, TwoWorldsError):
            raise
        raise _failure(card, arguments, fault) from None


def _failure(card: Card, arguments: Mapping[str, Any], fault: Exception) -> BadArgument:
    """A run that ended in an error of Python's, whose own words may tell of the data: parameters are named, data are not."""
    if isinstance(fault, ZeroDivisionError):
        return divided_by_zero(card, arguments)
    why = f"make {card.name} end in an error of Python, {type(fault).__name__}"
    fix = "Give inputs that it is meant for: no empty list, no index outside"
    return BadArgument("arguments", ", ".join(arguments), why, fix)


@lru_cache(maxsize=256)
def _draws_arrays(card: Card) -> bool:
    """Whether the card draws whole arrays; parsing it, once, also makes sure that it is a program of the small language."""
    return any(draw.count is not None for draw in parse(card).draws)


def _sampler(grid: Fraction, entropy: Entropy | None, runs: int = 1) -> Callable[..., Any]:
    """The `sample` that is handed to the card. A scalar draw is a look-up by the identity of its scale.

    For several runs, whole arrays are fetched ahead; what is fetched is gone when the runs are, and is served once.
    """
    by_scale: dict[int, Callable[[], Any]] = {}
    held: list[Fraction] = []  # keeps the scales alive, so that their identities stay theirs
    by_law: dict[Distribution, Callable[[], Any]] = {}
    ahead: dict[tuple[Distribution, int], Any] = {}

    def block(law: Distribution, count: int) -> Any:
        if runs == 1:
            return draw(law, count, grid=grid, entropy=entropy)
        left = ahead.get((law, count), ())
        if not len(left):
            times = max(1, min(runs, _MOST_AHEAD // max(count, 1)))
            left = draw(law, times * count, grid=grid, entropy=entropy).reshape(times, count)
        ahead[law, count] = left[1:]
        return left[0]

    def stream(law: Distribution) -> Callable[[], Any]:
        try:
            return by_law[law]
        except KeyError:
            supply = by_law[law] = _values(law, grid, Supply(law, grid, entropy).next)
            return supply

    def sample(law: Distribution, count: Any = _ONE) -> Any:
        if count is not _ONE:
            return _vector(law, count, grid, block)
        if law.__class__ is Laplace:
            try:
                return by_scale[id(law.scale)]()
            except KeyError:
                scale = law.scale
                if len(held) < _MOST_BY_IDENTITY:
                    held.append(scale)
                    by_scale[id(scale)] = stream(law)
        return stream(law)()

    return sample


def _values(law: Distribution, grid: Fraction, following: Callable[[], int]) -> Callable[[], Any]:
    """Drawn counts as the numbers that the law means."""
    if isinstance(law, distributions.Bernoulli | distributions.BernoulliExp):
        return lambda: bool(following())
    if isinstance(law, ON_THE_GRID) and grid != 1:
        return lambda: GridNumber(following(), grid)
    return following


def _vector(law: Distribution, count: Any, grid: Fraction, block: Callable[[Distribution, int], Any]) -> Any:
    from twoworlds.sampling.vectors import Vector  # noqa: PLC0415  numpy loads only for cards that draw arrays

    times = exact(count, "count")
    if times.denominator != 1:
        raise BadArgument("count", str(times), "is not a whole number", "Draw a whole number of times")
    counts = block(law, int(times))
    if isinstance(law, distributions.Bernoulli | distributions.BernoulliExp):
        return [bool(value) for value in counts.tolist()]
    return Vector(counts, grid if isinstance(law, ON_THE_GRID) else Fraction(1))


def _plain(output: Any) -> Any:
    """An output as ordinary Python: ints where whole, Fractions otherwise, lists and tuples of them."""
    if output is None or isinstance(output, bool | str):
        return output
    if isinstance(output, int | Fraction | GridNumber):
        value = output.value if isinstance(output, GridNumber) else Fraction(output)
        return int(value) if value.denominator == 1 else value
    if isinstance(output, tuple):
        return tuple(_plain(entry) for entry in output)
    return [_plain(entry) for entry in output]
