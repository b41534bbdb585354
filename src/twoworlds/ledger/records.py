"""Events as JSON and back. The text is part of the hash chain, so its form never changes; a new kind of event gets a new name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from twoworlds.worlds import events
from twoworlds.worlds.errors import BadArgument

__all__ = ["decode", "encode"]

_KINDS: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        events.Ran,
        events.Distance,
        events.Poisson,
        events.WithoutReplacement,
        events.WithReplacement,
        events.Sampled,
        events.Repeated,
        events.Composed,
        events.Parallel,
        events.Correlated,
        events.Shared,
        events.Shuffled,
    )
}

_PARTS = {kind: tuple(part.name for part in fields(kind)) for kind in _KINDS.values()}
_PLAIN = (str, int, bool, type(None))


def encode(value: Any) -> Any:
    """An event, or a part of one, as JSON: exact numbers become text such as `1/3`."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    names = _PARTS.get(kind)
    if names is not None:
        return {"kind": kind.__name__, **{name: encode(getattr(value, name)) for name in names}}
    if isinstance(value, Fraction):
        return {"exact": f"{value.numerator}/{value.denominator}"}
    if isinstance(value, tuple | list):
        return [encode(entry) for entry in value]
    if isinstance(value, bool | int | str):
        return value
    raise BadArgument("event", value, "has a part that cannot be recorded", "Record exact numbers, text, lists and events only")


def decode(record: Any) -> Any:
    """What `encode` wrote, as it was."""
    if isinstance(record, Mapping):
        if set(record) == {"exact"}:
            return Fraction(record["exact"])
        kind = _KINDS.get(str(record.get("kind")))
        if kind is None:
            raise BadArgument("record", record.get("kind"), "is no kind of event that this version knows", "Upgrade twoworlds")
        return kind(**{name: decode(part) for name, part in record.items() if name != "kind"})
    return tuple(decode(entry) for entry in record) if isinstance(record, list) else record
