"""Which names a part of the question can see, and which columns they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from twoworlds.queries.plan import Column
from twoworlds.queries.reading.grammar import Asked, place
from twoworlds.queries.refusals import nearest

__all__ = ["Entry", "Scope"]


@dataclass(frozen=True)
class Entry:
    """A name in reach: what the question may call it, and which column of the relation it is."""

    qualifier: str
    name: str
    column: str


@dataclass(frozen=True)
class Scope:
    """All names in reach. `person` is the column of the relation that says who somebody is, where users are protected."""

    entries: tuple[Entry, ...]
    person: str | None = None

    def found(self, node: exp.Column, asked: Asked) -> Column:
        """The column that a name means; capitals do not matter unless two names differ by them alone."""
        asked.checked(node)
        if not isinstance(node.this, exp.Identifier):
            asked.checked(node.this)
            raise asked.refused("TW-R003", "a star stands for columns of single rows", node, ("name what you want of many rows",))
        name, table = node.name, node.table
        fitting = [entry for entry in self.entries if entry.name.lower() == name.lower() and _same(entry.qualifier, table)]
        exact = [entry for entry in fitting if entry.name == name]
        columns = {entry.column for entry in exact or fitting}
        if len(columns) > 1:
            owners = sorted({f"{entry.qualifier}.{entry.name}" for entry in fitting})
            raise asked.refused(
                "TW-R009", f"{name} may be any of {', '.join(owners)}", node, (f"write {owner}" for owner in owners)
            )
        if not columns:
            if table and not any(_same(entry.qualifier, table) for entry in self.entries):
                raise asked.refused("TW-R005", f"no table here is called {table}", node, nearest(table, self.qualifiers()))
            known = [entry.name for entry in self.entries if _same(entry.qualifier, table)]
            raise asked.refused("TW-R006", f"there is no column {name}", node, nearest(name, list(dict.fromkeys(known))))
        return Column(columns.pop(), place(node))

    def qualifiers(self) -> list[str]:
        """What tables in reach are called."""
        return list(dict.fromkeys(entry.qualifier for entry in self.entries if entry.qualifier))

    def renamed(self, qualifier: str) -> Scope:
        """The same columns, seen from outside under one name."""
        return Scope(tuple(Entry(qualifier, entry.name, entry.column) for entry in self.entries), self.person)

    def joined(self, others: Iterable[Entry]) -> Scope:
        """With the columns of another table."""
        return Scope((*self.entries, *others), self.person)


def _same(qualifier: str, asked: str) -> bool:
    return not asked or qualifier.lower() == asked.lower()
