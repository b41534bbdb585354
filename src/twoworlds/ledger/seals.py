"""A sealed ledger: its witness has seen what it no longer holds, so nothing is charged until the curator acknowledges it."""

from __future__ import annotations

import sqlite3
from typing import Any

from twoworlds.ledger.pages import Page
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["Sealed", "seal"]


class Sealed(TwoWorldsError):
    """The ledger does not continue what was seen of it; charges that were made may be missing from it."""

    def __init__(self, why: str) -> None:
        super().__init__(why, "Restore a copy that holds them all, or acknowledge the loss: twoworlds ledger acknowledge")


def seal(connection: sqlite3.Connection, page: Page, kept: dict[str, Any] | None) -> str | None:
    """Why the ledger is sealed, or None: it must extend the head that its witness kept."""
    if kept is None:
        return "the witness of this ledger is missing, so an older copy could not be told from the newest"
    if kept["ledger"] != page.head["ledger"]:
        return f"the witness belongs to another ledger, {kept['ledger']}"
    if kept["size"] > page.seq:
        lost = kept["size"] - page.seq
        return f"an older copy was put back: the witness has seen {kept['size']} entries, the last {lost} of them are missing"
    if kept["size"] > page.witnessed:
        row = connection.execute("SELECT hash FROM entry WHERE seq = ?", (kept["size"],)).fetchone()
        if row[0].hex() != kept["chain"]:
            return f"entry {kept['size']} is not the one that the witness has seen: the history was exchanged"
    page.witnessed = max(page.witnessed, kept["size"])
    return None
