"""What a card sees of its inputs: private numbers on the grid with the sensitivity that rounding leaves, public numbers exact."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from twoworlds.source.arguments import check_arguments, check_laws
from twoworlds.source.inference import infer
from twoworlds.source.parser import parse
from twoworlds.source.program import Program
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.grid import Parameter, number, on_grid
from twoworlds.worlds.neighbours import Local, Metric
from twoworlds.worlds.rationals import exact

_NUMBERS = (int, float, str, Fraction)  # just these: True equals 1 and is remembered as the same

__all__ = ["divided_by_zero", "private", "public", "settle"]


def settle(card: Card, arguments: Mapping[str, Any], grid: Fraction) -> dict[str, Any]:
    """The arguments with the sensitivity rounded up to what holds once the private numbers are rounded to the grid.

    Whole numbers lie on every grid of step 1 or a fraction of it. That an input is of whole numbers is part of its declared type,
    so a neighbour is of whole numbers too and nothing is rounded. Arguments of another kind than the card uses are refused.
    """
    settled, relation = dict(arguments), card.neighbours
    if isinstance(relation, Local | Metric):
        settled[relation.parameter] = relation.admit(arguments[relation.parameter])
    _check(card, settled)
    value = settled[relation.parameter]
    fixed = getattr(relation, "grid", None)
    if _whole(value) and (1 / grid).denominator == 1:
        return settled
    if fixed is not None:
        raise BadArgument(
            relation.parameter, "...", f"is not made of multiples of {fixed}", "Give whole numbers, and a grid within 1"
        )
    before, after = relation.bound(arguments), relation.on_grid(grid).bound(arguments)
    if after != before:
        if relation.by.text not in arguments:
            raise BadArgument(
                "grid",
                grid,
                f"does not divide {relation.by}, by which neighbours may differ",
                "Choose a finer grid, 1 or a half of it",
            )
        settled[relation.by.text] = after
    return settled


def _check(card: Card, arguments: Mapping[str, Any]) -> None:
    """Refuse what is not of the kind that the card uses, what has no bound or price, and what makes no law: before any draw.

    What is remembered of a card and its public numbers makes this cheap; a secret number needs no second look.
    """
    secret = card.neighbours.parameter
    given = tuple((name, value) for name, value in arguments.items() if name != secret)
    if all(type(value) in _NUMBERS for _, value in given) and not _facts(card).price_needs_secret:
        _check_public(card, given)
    else:
        _check_values(card, arguments)
    if not (_facts(card).secret_is_number and type(arguments[secret]) in _NUMBERS):
        check_arguments(_facts(card).program, {secret: arguments[secret]})


@lru_cache(maxsize=1024)
def _check_public(card: Card, given: tuple[tuple[str, Any], ...]) -> None:
    _check_values(card, dict(given))


def _check_values(card: Card, arguments: Mapping[str, Any]) -> None:
    program, secret = _facts(card).program, card.neighbours.parameter
    given = {name: value for name, value in arguments.items() if name != secret}
    check_arguments(program, given)
    card.neighbours.bound(arguments)
    card.price.at(arguments)
    try:
        check_laws(program, {name: public(value, name) for name, value in given.items()})
    except ZeroDivisionError:
        raise divided_by_zero(card, given) from None


def divided_by_zero(card: Card, arguments: Mapping[str, Any]) -> BadArgument:
    """The error for parameters at which a card divides by zero; it names the public one that is."""
    for name, value in arguments.items():
        if name != card.neighbours.parameter and isinstance(value, int | float | str | Fraction) and not exact(value, name):
            return BadArgument(name, value, f"makes {card.name} divide by zero", "Give a number other than 0")
    return BadArgument("arguments", ", ".join(arguments), f"make {card.name} divide by zero", "Give other numbers")


@dataclass(frozen=True)
class _Facts:
    """What is looked up of a card at each run; parsing it, once, makes sure that it is a program of the small language."""

    program: Program
    secret_is_number: bool
    price_needs_secret: bool


@lru_cache(maxsize=256)
def _facts(card: Card) -> _Facts:
    program, secret = parse(card), card.neighbours.parameter
    kind = infer(program).parameters[secret]
    return _Facts(program, bool(kind.numbers) and not kind.is_sequence, secret in card.price.names | card.neighbours.by.names)


def private(value: Any, name: str, grid: Fraction, *, arrays: bool) -> Any:
    """The secret input as the card sees it: numbers on the grid, lists of them (arrays for array cards), truth values."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        return number(on_grid(_secret(value, name), grid), grid)
    if isinstance(value, bytes | Mapping | Set):
        raise BadArgument(name, "...", f"is a {type(value).__name__}", "Give a list of numbers, in an order that is public")
    if arrays and grid == 1 and str(getattr(value, "dtype", "")) == "int64" and value.ndim == 1:
        from twoworlds.sampling.vectors import Vector  # noqa: PLC0415  numpy is loaded, or there were no such array

        return Vector(value, grid)
    entries = value.tolist() if hasattr(value, "tolist") else list(value)
    kinds = set(map(type, entries))
    nested = any(hasattr(kind, "__iter__") for kind in kinds)
    if arrays and nested:
        raise BadArgument(name, "...", "is a list of lists", "Give one number per entry")
    if nested or (bool in kinds and not arrays):
        return [private(entry, name, grid, arrays=False) for entry in entries]
    if kinds <= {int, bool} and (1 / grid).denominator == 1:
        steps = 1 / grid
        counts = entries if steps == 1 else [entry * steps.numerator for entry in entries]
    else:
        counts = [on_grid(_secret(entry, name), grid) for entry in entries]
    if arrays:
        from twoworlds.sampling.vectors import Vector  # noqa: PLC0415  numpy loads only for cards that draw arrays

        return Vector(counts, grid)
    return counts if grid == 1 else [number(count, grid) for count in counts]


def _secret(value: Any, name: str) -> Fraction:
    """A private number, or an error that does not repeat what was in its place."""
    try:
        return exact(value, name)
    except BadArgument:
        raise BadArgument(name, "...", "holds something that is no finite number", "Give ints, Fractions or floats") from None


def public(value: Any, name: str) -> Any:
    """A public parameter as the card sees it: numbers exact, lists of numbers likewise, truth values and None as they are."""
    if value is None or isinstance(value, bool | Parameter):
        return value
    if isinstance(value, list | tuple):
        return type(value)(public(entry, name) for entry in value)
    return Parameter(exact(value, name))


def _whole(value: Any) -> bool:
    """Whether an input is declared to be of whole numbers: ints, integer arrays, truth values, lists of them."""
    if hasattr(value, "dtype"):
        return str(value.dtype).startswith(("int", "uint", "bool"))
    if isinstance(value, list | tuple):
        return set(map(type, value)) <= {int, bool} or all(_whole(entry) for entry in value)
    return isinstance(value, int)
