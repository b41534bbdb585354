"""What people type, read exactly: numbers, lists of numbers, truth values, name=value pairs. Nothing is executed."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import exact

__all__ = ["pairs", "world"]

_WORDS = {"true": True, "yes": True, "false": False, "no": False, "none": None}


def world(text: str, argument: str) -> Any:
    """`0,0,1` is a list, `3` or `1/2` a number, `yes` a truth value; `[3]` is a list of one."""
    inner = text.strip()
    if inner.startswith("[") and inner.endswith("]"):
        return [_number(part, argument) for part in inner[1:-1].split(",") if part.strip()]
    if "," in inner:
        return [_number(part, argument) for part in inner.split(",") if part.strip()]
    return _number(inner, argument)


def pairs(settings: Iterable[str], argument: str) -> dict[str, Any]:
    """`epsilon=1` and the like, by name."""
    values = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.strip().isidentifier():
            raise BadArgument(argument, setting, "does not read as name=value", "Write for example epsilon=1")
        values[name.strip()] = world(text, name.strip())
    return values


def _number(text: str, argument: str) -> Any:
    word = text.strip().lower()
    if word in _WORDS:
        return _WORDS[word]
    value: Fraction = exact(word, argument)
    return int(value) if value.denominator == 1 else value
