"""What may be drawn: finite numbers, text that hides nothing, known inks. Everything else is an error before it is drawn."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from types import UnionType
from typing import Literal, SupportsFloat, get_args

__all__ = ["Ink", "Point", "Undrawable", "between", "ink", "number", "points", "settle", "several", "text"]

Point = tuple[float, float]
Ink = Literal["first", "second", "third", "fourth", "fifth", "neutral", "alarm"]
LARGEST = 1e300  # beyond it the width of an axis would overflow


class Undrawable(ValueError):
    """A chart's data are not what they should be: `what` is wrong, and how to `fix` it. (This room imports no other.)"""

    def __init__(self, what: str, fix: str) -> None:
        self.what = what
        self.fix = fix
        super().__init__(f"{what}. {fix}")

    def __reduce__(self) -> tuple[type[Undrawable], tuple[str, str]]:
        return Undrawable, (self.what, self.fix)


def settle(target: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(target, name, value)


def number(value: object, what: str) -> float:
    """A finite float; NaN, infinity and truth values are none, and zero has no sign."""
    if isinstance(value, bool) or not isinstance(value, SupportsFloat) or isinstance(value, type):
        raise Undrawable(f"{what}: {value!r:.60} is not a number", "Give finite numbers only")
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not abs(found) <= LARGEST:
        raise Undrawable(f"{what}: {value!r:.60} cannot be drawn", "Give finite numbers only, and cut what is too large")
    return found + 0.0


def text(value: object, what: str) -> str:
    """Text on one line: control characters and direction marks, which could forge what a reader sees, become a visible sign."""
    if not isinstance(value, str) or not value.strip():
        raise Undrawable(f"{what} is missing", "Give a short text")
    spaced = " ".join(value.split())
    return "".join("\N{REPLACEMENT CHARACTER}" if _is_unseen(character) else character for character in spaced)


def _is_unseen(character: str) -> bool:
    marks = unicodedata.bidirectional(character) in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return marks or unicodedata.category(character) in {"Cc", "Cs", "Cn", "Co"}


def points(values: object, name: object) -> tuple[Point, ...]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise Undrawable(f"{name}: no points", "Give pairs of numbers")
    found = []
    for value in values:
        if not isinstance(value, tuple | list) or len(value) != 2:
            raise Undrawable(f"{name}: {value!r:.60} is not a point", "Give pairs of numbers")
        found.append((number(value[0], str(name)), number(value[1], str(name))))
    if not found:
        raise Undrawable(f"{name}: no points", "Give at least one")
    return tuple(found)


def several(values: object, kind: type | UnionType, name: object) -> tuple[object, ...]:
    if not isinstance(values, tuple | list) or not values or not all(isinstance(value, kind) for value in values):
        raise Undrawable(f"{name!s:.60}: nothing that can be drawn", f"Give at least one {getattr(kind, '__name__', 'series')}")
    return tuple(values)


def ink(value: object) -> object:
    if value not in get_args(Ink):
        raise Undrawable(f"the ink {value!r:.60} is unknown", f"Choose from {', '.join(get_args(Ink))}")
    return value


def between(value: float, low: float | None, high: float | None) -> None:
    if (low is not None and low > value) or (high is not None and high < value):
        raise Undrawable(f"the value {value} is not within its interval from {low} to {high}", "Give an interval that holds it")
