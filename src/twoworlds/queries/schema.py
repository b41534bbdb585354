"""The published schema of `privacy.toml`, and the small part of JSON Schema that it is written in.

The file that editors complete by is the one that is checked here: there is no second list of keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from twoworlds.queries.refusals import nearest

__all__ = ["PLACEHOLDER", "Fault", "faults", "published"]

PLACEHOLDER = "?"

KINDS: Mapping[str, tuple[type, ...]] = {
    "object": (Mapping,),
    "array": (list, tuple),
    "string": (str, date, datetime),
    "integer": (int,),
    "number": (int, Fraction),
    "boolean": (bool,),
}
Path_ = tuple[str, ...]
Fault = tuple[Path_, str, str]
"""Where, what is wrong, how to mend it."""


@cache
def published() -> Mapping[str, Any]:
    """The schema as it is published."""
    text = (Path(__file__).parent / "privacy.schema.json").read_text(encoding="utf-8")
    schema: Mapping[str, Any] = json.loads(text)
    return schema


def faults(value: Any, schema: Mapping[str, Any] | None = None, at: Path_ = ()) -> Iterator[Fault]:
    """Everything in which the value departs from the schema, outermost first."""
    schema = _resolved(published() if schema is None else schema)
    about = str(schema.get("description", "")).partition(": ")[0]
    if value == PLACEHOLDER:
        yield at, "is still to be filled in", f"Write {about}" if about else "Write it"
        return
    if "enum" in schema:
        if value not in schema["enum"] or isinstance(value, bool):
            known = [str(one) for one in schema["enum"]]
            yield at, f"is {_shown(value)}", f"Write one of {', '.join(known)}"
        return
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not any(_is(value, kind) for kind in kinds):
        yield at, f"is {_shown(value)}", f"Write {about}"
        return
    if isinstance(value, Mapping):
        yield from _members(value, schema, at)
    elif isinstance(value, list | tuple):
        yield from _items(value, schema, at, about)
    elif isinstance(value, str):
        if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
            yield at, f"is {_shown(value)}", f"Write {about}"
    elif isinstance(value, int) and value < schema.get("minimum", value):
        yield at, f"is {value}", f"Write {about}"


def _members(value: Mapping[str, Any], schema: Mapping[str, Any], at: Path_) -> Iterator[Fault]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield at, f"has no {name}", f"Write {name} = ... ({_resolved(known[name]).get('description', '')})"
    others = schema.get("additionalProperties", True)
    for name, member in value.items():
        below = known.get(name, others)
        if below is False:
            yield (*at, name), "is no key of the format", "; ".join(nearest(name, list(known))).capitalize()
        else:
            yield from faults(member, below, (*at, name))


def _items(value: Sequence[Any], schema: Mapping[str, Any], at: Path_, about: str) -> Iterator[Fault]:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield at, f"has {len(value)} entries", f"Write {about}"
        return
    if PLACEHOLDER in value:
        yield at, "is still to be filled in", f"Write {about}"
        return
    for item in value:
        yield from faults(item, schema["items"], at)


def _resolved(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """With its reference put in; what stands beside the reference wins."""
    if "$ref" not in schema:
        return schema
    target = published()
    for part in schema["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    return {**target, **schema}


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value[:40]}"'
    if isinstance(value, Mapping):
        return "a table of keys"
    return "a list" if isinstance(value, list | tuple) else str(value)[:40]
