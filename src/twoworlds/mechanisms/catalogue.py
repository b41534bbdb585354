"""All cards of the package, found by looking: adding a mechanism is adding one file."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from twoworlds import mechanisms
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import BadArgument

__all__ = ["card", "cards"]


@cache
def cards() -> dict[str, Card]:
    """Every card by name, in alphabetical order."""
    found: dict[str, Card] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(mechanisms.__path__)):
        members = vars(importlib.import_module(f"{mechanisms.__name__}.{module}"))
        found |= {member.name: member for member in members.values() if isinstance(member, Card)}
    return dict(sorted(found.items()))


def card(name: str) -> Card:
    """The card of this name; only its own file is loaded."""
    if name.isidentifier():
        try:
            found = getattr(importlib.import_module(f"{mechanisms.__name__}.{name}"), name, None)
        except ModuleNotFoundError:
            found = None
        if isinstance(found, Card):
            return found
    raise BadArgument("card", name, "is not a mechanism here", f"Use one of: {', '.join(cards())}")
