"""The durable budget: reserve, then draw noise, then release. What was reserved stays spent, whatever happens next.

Each population has one binding filter, fixed when it is created. A reservation stores the event and the price charged for
it, so a later edit of a card, or a better accountant, cannot change history. Entries are chained by hashes; `verify` walks them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from twoworlds.ledger.chain import GENESIS, canonical, link
from twoworlds.ledger.records import encode
from twoworlds.ledger.store import Entry, Store
from twoworlds.losses.filters import Filter, Spent, filter_from_json, spent_from_json
from twoworlds.worlds.errors import BadArgument, TwoWorldsError
from twoworlds.worlds.events import Event

__all__ = ["Ledger", "Reservation", "Tampered", "Verified"]


class Tampered(TwoWorldsError):
    """The chain of hashes is broken: somebody changed history."""


@dataclass(frozen=True)
class Reservation:
    """A charge that is on disk. `answer` holds the stored answer when the same request was released before."""

    seq: int
    population: str
    hash: str
    answer: Any = None
    released: bool = False


@dataclass(frozen=True)
class Verified:
    """How many entries were checked, and the hash of the last: keep it elsewhere to notice a restored backup."""

    entries: int
    head: str


class Ledger:
    """A file that remembers every charge to every population."""

    def __init__(self, path: str | Path) -> None:
        self._store = Store(Path(path))

    @property
    def path(self) -> Path:
        return self._store.path

    def create(self, population: str, budget: Filter) -> None:
        """Fix a population's binding filter and its caps, once and for all."""
        if not population.strip():
            raise BadArgument("population", population, "is empty", "Name the people that the data are about")
        content = {"filter": budget.to_json(), "state": budget.start().to_json(), "at": _now()}
        with self._store.writing() as connection:
            if self._store.last(population, ("CREATE",)):
                raise BadArgument("population", population, "has a budget already", "Caps are fixed; name another population")
            self._store.append(connection, population, "CREATE", canonical(content))

    def populations(self) -> list[str]:
        return sorted({entry.population for entry in self._store.entries()})

    def budget(self, population: str) -> tuple[Filter, Spent]:
        """The binding filter of a population and what has been charged to it."""
        created = self._store.last(population, ("CREATE",))
        if created is None:
            known = ", ".join(self.populations()) or "none yet"
            raise BadArgument("population", population, f"has no budget in this ledger (populations: {known})", "Create it first")
        newest = self._store.last(population, ("CREATE", "RESERVE"))
        assert newest is not None
        return filter_from_json(json.loads(created.content)["filter"]), spent_from_json(json.loads(newest.content)["state"])

    def reserve(self, population: str, event: Event, price: Any, *, idempotency: str | None = None) -> Reservation:
        """Charge the price of an event (a price without names, or a loss), durably, or raise `Exhausted` and charge nothing.

        The filter is read and the charge written in one transaction, so no two processes can both take the last of a budget.
        """
        with self._store.writing() as connection:
            if idempotency is not None and (seen := self._store.by_key(idempotency)):
                return self._seen(seen, population, event)
            binding, state = self.budget(population)
            after = binding.charge(state, price)
            charge = {currency: str(amount) for currency, amount in binding.cost(price).items()}
            content = {"event": encode(event), "charge": charge, "state": after.to_json(), "at": _now()}
            entry = self._store.append(connection, population, "RESERVE", canonical(content), idempotency)
        return Reservation(entry.seq, population, entry.hash)

    def _seen(self, entry: Entry, population: str, event: Event) -> Reservation:
        """The same request again: its own charge stands, and its stored answer, if any, is free."""
        if entry.population != population or json.loads(entry.content)["event"] != encode(event):
            raise BadArgument(
                "idempotency", entry.idempotency, "was used for another request", "Give each request a key of its own"
            )
        for later in self._store.entries(population):
            if later.kind == "RELEASE" and json.loads(later.content)["reservation"] == entry.seq:
                return Reservation(entry.seq, population, entry.hash, json.loads(later.content)["answer"], released=True)
        return Reservation(entry.seq, population, entry.hash)

    def release(self, reservation: Reservation, answer: Any) -> Entry:
        """Record that the answer leaves; an unreleased reservation stays charged."""
        content = {"reservation": reservation.seq, "answer": encode(answer), "at": _now()}
        with self._store.writing() as connection:
            return self._store.append(connection, reservation.population, "RELEASE", canonical(content))

    def history(self, population: str | None = None) -> list[Entry]:
        return list(self._store.entries(population))

    def verify(self) -> Verified:
        """Walk the whole chain; raise `Tampered` at the first entry that does not follow from the one before."""
        head, expected = GENESIS, 1
        for entry in self._store.entries():
            text = f"{entry.seq}\n{entry.population}\n{entry.kind}\n{entry.idempotency or ''}\n{entry.content}"
            if entry.seq != expected or link(head, text) != entry.hash:
                raise Tampered(
                    f"entry {expected} of {self.path} does not follow from the one before", "Restore a copy that verifies"
                )
            head, expected = entry.hash, expected + 1
        return Verified(expected - 1, head)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
