"""Malformed calls: each argument of a valid call, replaced by what nobody should get a number for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from twoworlds.worlds.errors import TwoWorldsError

MALFORMED: tuple[Any, ...] = (math.nan, math.inf, -math.inf, -1, -0.5, "", "many", None, True, [], {}, 1j, object())


def bad_calls(
    function: Callable[..., Any], valid: Mapping[str, Any], allowed: Mapping[str, tuple[Any, ...]] | None = None
) -> Iterator[tuple[str, Any, Callable[[], Any]]]:
    """Every single-argument corruption of a valid call, but for the values that the argument allows."""
    for name in valid:
        for value in MALFORMED:
            if any(value is good or (type(value) is type(good) and value == good) for good in (allowed or {}).get(name, ())):
                continue
            yield name, value, lambda name=name, value=value: function(**{**valid, name: value})


def accepted(
    function: Callable[..., Any], valid: Mapping[str, Any], allowed: Mapping[str, tuple[Any, ...]] | None = None
) -> list[tuple[str, Any, Any]]:
    """Malformed calls that gave a result instead of an error of ours with a fix; the valid call itself must work."""
    function(**valid)
    wrong = []
    for name, value, call in bad_calls(function, valid, allowed):
        try:
            wrong.append((name, value, call()))
        except TwoWorldsError as error:
            if not error.what:
                wrong.append((name, value, error))
    return wrong
