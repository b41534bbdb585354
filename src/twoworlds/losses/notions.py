"""The variants of differential privacy in one table: what represents each one here, or why it is not offered.

The survey is Desfontaines and Pejo 2020 ("SoK: differential privacies"). A variant is a price, a neighbouring relation, a claim's
assumption, or an exact computation under a prior that is written down; `example` is a Python expression of it.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from twoworlds.worlds.errors import BadArgument

__all__ = ["Notion", "notion", "notions"]


@dataclass(frozen=True)
class Notion:
    """One variant: exactly one of `represented_by` (with its example) and `why_not` is there."""

    symbol: str
    name: str
    family: str
    means: str
    represented_by: str = ""
    example: str = ""
    why_not: str = ""

    def __post_init__(self) -> None:
        if bool(self.represented_by) == bool(self.why_not) or bool(self.represented_by) != bool(self.example):
            raise BadArgument("notion", self.name, "is neither represented nor refused", "Give an example, or say why not")

    @property
    def is_offered(self) -> bool:
        return bool(self.represented_by)


@cache
def notions() -> tuple[Notion, ...]:
    """All of them, in the survey's order."""
    text = files("twoworlds.losses").joinpath("notions.toml").read_text(encoding="utf-8")
    return tuple(Notion(**entry) for entry in tomllib.loads(text)["notion"])


def notion(name: str) -> Notion:
    """The variant of this name, or an error that lists the names that contain it."""
    for one in notions():
        if one.name == name:
            return one
    close = [one.name for one in notions() if isinstance(name, str) and name.strip() and name.lower() in one.name.lower()]
    raise BadArgument(
        "name", name, "is no variant of the survey", f"Known are {', '.join(close or (one.name for one in notions()))}"
    )
