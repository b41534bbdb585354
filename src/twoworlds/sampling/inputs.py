"""What a card sees of its inputs: private numbers on the grid with the sensitivity that rounding leaves, public numbers exact."""

from __future__ import annotations

from collections.abc import Mapping, Set
from fractions import Fraction
from typing import Any

from twoworlds.source.arguments import check_arguments
from twoworlds.source.parser import parse
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.grid import Parameter, number, on_grid
from twoworlds.worlds.neighbours import Local, Metric
from twoworlds.worlds.rationals import exact

__all__ = ["private", "public", "settle"]


def settle(card: Card, arguments: Mapping[str, Any], grid: Fraction) -> dict[str, Any]:
    """The arguments with the sensitivity rounded up to what holds once the private numbers are rounded to the grid.

    Whole numbers lie on every grid of step 1 or a fraction of it. That an input is of whole numbers is part of its declared type,
    so a neighbour is of whole numbers too and nothing is rounded. Arguments of another kind than the card uses are refused.
    """
    settled, relation = dict(arguments), card.neighbours
    if isinstance(relation, Local | Metric):
        settled[relation.parameter] = relation.admit(arguments[relation.parameter])
    check_arguments(parse(card), settled)
    before, value = relation.bound(arguments), settled[relation.parameter]
    fixed = getattr(relation, "grid", None)
    if _whole(value) and (1 / grid).denominator == 1:
        return settled
    if fixed is not None:
        raise BadArgument(
            relation.parameter, "...", f"is not made of multiples of {fixed}", "Give whole numbers, and a grid within 1"
        )
    after = relation.on_grid(grid).bound(arguments)
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
