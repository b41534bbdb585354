"""The array operations of cards, each defined as a loop; a faster array of some reader answers by its own method.

They stand beside the builtins `len`, `sum`, `min`, `max` and `abs`, which mean in cards what they mean in Python.
"""

from __future__ import annotations

from typing import Any

from twoworlds.worlds.errors import BadArgument

__all__ = ["argmax", "clip", "cumsum"]


def argmax(values: Any) -> int:
    """The index of the first largest entry."""
    if not len(values):
        raise BadArgument("values", "[]", "has no largest entry", "Give at least one number")
    if hasattr(values, "argmax"):
        return int(values.argmax())
    best = 0
    for i in range(1, len(values)):
        if values[i] > values[best]:
            best = i
    return best


def clip(value: Any, low: Any, high: Any) -> Any:
    """The number, or each entry of the list, held between low and high."""
    if hasattr(value, "clip"):
        return value.clip(low, high)
    if isinstance(value, list | tuple):
        return [clip(entry, low, high) for entry in value]
    return min(max(value, low), high)


def cumsum(values: Any) -> Any:
    """All prefix sums: entry i is the sum of the entries up to and with i."""
    if hasattr(values, "cumsum"):
        return values.cumsum()
    sums, total = [], 0
    for value in values:
        total = total + value
        sums.append(total)
    return sums
