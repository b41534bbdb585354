"""Programs rewritten: parts replaced, names renamed, what is read and assigned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from twoworlds.source.program import Append, Assign, Draw, For, Name, Store, walk

__all__ = ["assigned", "named", "names_in", "rewritten", "uses"]


def rewritten(part: Any, change: Callable[[Any], Any]) -> Any:
    """The part with every piece that `change` answers for replaced, outermost first; None leaves a piece as it is."""
    if isinstance(part, tuple):
        return tuple(rewritten(entry, change) for entry in part)
    if not is_dataclass(part) or isinstance(part, type):
        return part
    changed = change(part)
    if changed is not None:
        return changed
    inner = {field.name: rewritten(getattr(part, field.name), change) for field in fields(part)}
    return part if all(inner[name] is getattr(part, name) for name in inner) else replace(part, **inner)


def named(part: Any, names: Mapping[str, str]) -> Any:
    """The part with variables renamed, where they are read and where they are assigned."""

    def change(piece: Any) -> Any:
        if isinstance(piece, Name):
            return Name(names[piece.name]) if piece.name in names else piece
        if isinstance(piece, Assign | Append | Store | For) and piece.target in names:
            inner = {field.name: named(getattr(piece, field.name), names) for field in fields(piece) if field.name != "target"}
            return replace(piece, target=names[piece.target], **inner)
        return None

    return rewritten(part, change)


def names_in(part: object) -> set[str]:
    """The variables that are read."""
    return {node.name for node in walk(part) if isinstance(node, Name)}


def assigned(part: object) -> set[str]:
    """The variables that are assigned or changed."""
    return {node.target for node in walk(part) if isinstance(node, Append | Assign | Draw | For | Store)}


def uses(part: object, name: str) -> int:
    """How often a variable is read."""
    return sum(isinstance(node, Name) and node.name == name for node in walk(part))
