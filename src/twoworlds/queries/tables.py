"""Private tables as lazy frames: every method gives a new one, and nothing is read until a question is released."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twoworlds.queries.plan import Relation, Scan
from twoworlds.queries.policy import Policy
from twoworlds.queries.questions import Question
from twoworlds.queries.reading import read
from twoworlds.queries.session import Session, session
from twoworlds.worlds.errors import BadArgument

__all__ = ["Table", "open"]


class Table:
    """Rows of a private table, or rows made of them; a question is asked with `agg` or `sql`."""

    def __init__(self, session: Session, relation: Relation) -> None:
        self.session = session
        self.relation = relation

    def sql(self, text: str) -> Question:
        """A question in SQL."""
        return Question(self.session, read(text, self.session.policy), text)


def open(
    source: Any = None,
    policy: str | Path | Policy = "privacy.toml",
    *,
    table: str | None = None,
    analyst: str | None = None,
) -> Table:
    """A private table under its policy. `source` is a path or a frame; without it, the policy says where the data are."""
    opened = session(policy, analyst=analyst)
    tables = opened.policy.tables
    if table is None:
        if len(tables) != 1:
            raise BadArgument("table", table, f"has to be one of {', '.join(tables)}", "Give table=...")
        table = next(iter(tables))
    if table not in tables:
        raise BadArgument("table", table, "is not declared", f"Give one of {', '.join(tables)}")
    if source is not None:
        opened = Session(opened.policy, {table: source}, analyst=analyst)
    return Table(opened, Scan(table))
