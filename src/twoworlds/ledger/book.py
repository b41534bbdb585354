"""The durable budget: reserve, then draw noise, then release. What was reserved stays spent, whatever happens next.

Each population has one binding filter, fixed when it is created. A reservation stores the event and the price charged for
it, so a later edit of a card, or a better accountant, cannot change history. Entries are chained by hashes, and the head of the
chain is signed; `verify` walks them. A ledger is keyed by populations, not by files: an edited file, or next month's table of the
same people, keeps its spend.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from twoworlds.ledger import charging, copies, curation, entries, pages, receipts, verification
from twoworlds.ledger.accounts import Account, Slice, account_from, amounts_from, slice_from
from twoworlds.ledger.answers import sealed
from twoworlds.ledger.charging import Charge, Reservation
from twoworlds.ledger.entries import Entry
from twoworlds.ledger.pages import Page
from twoworlds.ledger.records import encode
from twoworlds.ledger.store import Store
from twoworlds.ledger.verification import Tampered, Verified
from twoworlds.losses.filters import Filter, Spent
from twoworlds.worlds.claims import Claim
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Event

__all__ = ["Ledger", "Reservation", "Tampered", "Verified"]

_CHUNK = 4096


class Ledger:
    """A file that remembers every charge to every population. Threads, processes and forks may share it.

    Its key and its witness lie beside it, or in the folder `keep` (else in the one that TWOWORLDS_KEEP names).
    """

    def __init__(self, path: str | Path, *, keep: str | Path | None = None) -> None:
        for argument, given in (("path", path), ("keep", keep)):
            if not isinstance(given, str | Path) and (argument == "path" or given is not None):
                raise BadArgument(argument, given, "is no path", "Give the name of a file, and of a folder to keep its key in")
        self._store = Store(Path(path), None if keep is None else Path(keep))
        self._keep = keep
        self._budgets: dict[str, Filter] = {}  # fixed when they are created, so they need no second look

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (self.path, self._keep)

    @property
    def path(self) -> Path:
        return self._store.path

    def close(self) -> None:
        """Close the files; the next use opens them again."""
        self._store.close()

    # Budgets

    def create(self, population: str, budget: Filter, *, renews: int | None = None, protects: str | None = None) -> None:
        """Fix a population's binding filter and its caps, once and for all.

        With `renews`, the caps are those of each period of so many days, and the claim over several periods is their composition.
        `protects` says what the budget speaks of, such as "one user, added or removed": a price for something else is refused.
        """
        if protects is not None:
            named("protects", protects)
        self._store.write(curation.Creation(named("population", population), budget, renews, protects))

    def allot(self, population: str, principal: str, **caps: object) -> None:
        """Set this much of a population's caps aside for one analyst, who can spend that and nothing else; or change it."""
        amounts = amounts_from(caps)
        self._store.write(curation.Allotment(population, named("principal", principal), amounts))

    def populations(self) -> list[str]:
        """Every population that has a budget, by name."""
        with self._store.reading() as connection:
            return entries.populations(connection)

    def account(self, population: str) -> Account:
        """What a population has left today, with its slices, periods and guarantee."""
        with self._store.reading() as connection:
            created, newest = entries.created(connection, population), entries.newest(connection, population)
            if created is None or newest is None:
                raise charging.unknown(population, entries.populations(connection))
        return account_from(created.fields, newest.fields).at(pages.now().date())

    def slices(self, population: str) -> list[Slice]:
        """The slices of a population's analysts, as they stand today."""
        account, found = self.account(population), []
        with self._store.reading() as connection:
            for principal in entries.principals(connection, population):
                newest = entries.newest(connection, population, principal)
                if newest is not None:
                    found.append(account.slice_at(slice_from(principal, newest.fields["slice"])))
        return found

    def budget(self, population: str) -> tuple[Filter, Spent]:
        """The binding filter of a population and what has been charged to it."""
        account = self.account(population)
        return account.budget, account.spent

    def affords(self, population: str, price: Any, *, principal: str | None = None) -> bool:
        """Whether this price could be charged now; charges nothing."""
        account = self.account(population)
        own = next((own for own in self.slices(population) if own.principal == principal), None)
        return account.affords(account.budget.cost(price), own)

    # Charges

    def reserve(
        self,
        population: str,
        event: Event,
        price: Any,
        *,
        idempotency: str | None = None,
        principal: str | None = None,
        request: str | None = None,
        claim: Claim | None = None,
        interactive: bool = False,
        protects: str | None = None,
        again: bool = False,
    ) -> Reservation:
        """Charge the price of an event (a price without names, or a loss), durably, or raise `Exhausted` and charge nothing.

        The account is read and the charge written in one transaction, so no two processes can both take the last of a budget.
        The same `idempotency` key gives the answer that was released under it, or, once, another try at no new charge. The same
        `request` (a question, a colon, the version of its data) gives the answer that was released for it last, unless it is to
        be answered `again`. A mechanism that is `interactive` is charged whole before its first answer. `protects` is what the
        price speaks of, in the words of `create`.
        """
        for argument, value in (("idempotency", idempotency), ("principal", principal), ("request", request)):
            if value is not None:
                named(argument, value)
        budget = self._budgets.get(population)
        if budget is None:
            budget = self._budgets[population] = self.account(population).budget
        if interactive:
            budget.affords(budget.start(), price, interactive=True)  # refuses where no theorem allows it
        told = None if claim is None else _told(claim)
        return self._store.write(
            Charge(population, encode(event), budget, budget.cost(price), idempotency, principal, request, told, protects, again)
        )

    def release(self, reservation: Reservation, answer: Any) -> Entry:
        """Record that the answer leaves; an unreleased reservation stays charged.

        Let out the `value` of the entry: where somebody else answered this reservation first, that answer counts.
        """
        text, digest = sealed(answer)
        return self._store.write(lambda page: charging.record(page, reservation, text, digest))

    def repeat(self, population: str, request: str) -> Reservation | None:
        """The answer that was released to this very question before, free of charge; None if there is none."""
        with self._store.reading() as connection:
            for prior in entries.by_request(connection, population, request):
                found = charging.stored(connection, prior)
                if found is not None:
                    return found
        return None

    def receipt(self, entry: str, *, with_answer: bool = True, against: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A receipt of the release with this hash (or the beginning of it), as JSON that proves itself: see `receipts`.

        Without its answer it proves the charge, and tells nobody what was found. `against` is a head that was kept before.
        """
        return receipts.receipt(self._store, entry, with_answer=with_answer, against=against)

    def head(self) -> dict[str, Any]:
        """The newest signed head: kept elsewhere, it shows later that nothing of today is missing; its `key` is to be pinned."""
        with self._store.reading() as connection:
            return receipts.head(connection)

    # The curator

    def void(self, reservation: int, reason: str, *, statement: str | None = None) -> Entry:
        """Close a reservation for good. Its charge stays, unless the curator signs a statement that nothing of it ever left."""
        return self._store.write(curation.Voiding(reservation, reason, statement))

    def rotate(self) -> str:
        """Hand over to a new key, in an entry signed by the old one; the new public key."""
        return self._store.write(curation.Rotation(self._store.key_path, None))

    def rekey(self, reason: str) -> str:
        """Put a new key in the place of one that is lost. Whoever pinned the old key will see that it was not handed over."""
        return self._store.write(curation.Rotation(self._store.key_path, named("reason", reason)))

    def acknowledge(self, reason: str, charges: Mapping[str, Mapping[str, object] | None]) -> None:
        """Open a sealed ledger again, at the price of the charges that are lost: for each population amounts, or None for all."""
        amounts = {name: None if given is None else amounts_from(given) for name, given in charges.items()}
        witness = self._store.witness
        self._store.write(curation.Acknowledgement(named("reason", reason), amounts, witness), unseals=True)

    def sealed(self) -> str | None:
        """Why nothing can be charged until the curator acknowledges a loss; None while it can."""

        def look(page: Page) -> str | None:
            return page.sealed

        return self._store.write(look, unseals=True)

    def backup(self, path: str | Path) -> dict[str, Any]:
        """Copy the ledger into a new file, checked; the head that it ends with. The key is not in it."""
        return copies.backup(self._store, Path(path))

    # History

    def history(self, population: str | None = None) -> list[Entry]:
        """Every entry, or those of one population, oldest first."""
        found: list[Entry] = []
        while True:
            with self._store.reading() as connection:
                more = entries.entries(connection, found[-1].seq if found else 0, population, _CHUNK)
            if not more:
                return found
            found += more

    def verify(self, *, key: str | None = None, against: Mapping[str, Any] | None = None) -> Verified:
        """Walk the whole chain, add up every charge again, check the signed head; raise `Tampered` where something does not hold.

        `key` pins the public key, `against` is a head that was kept elsewhere: the ledger must continue it.
        """
        return verification.verify(self._store, key=key, against=against)


def named(argument: str, value: str) -> str:
    """A name that a person can read back: text with no control characters."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise BadArgument(argument, value, "is empty, or no printable text", f"Give the {argument} in letters and signs")
    return value


def _told(claim: Claim) -> dict[str, Any]:
    """A claim without its loss: that is what was charged."""
    return {
        "neighbours": claim.neighbours,
        "unit": claim.unit,
        "assumptions": list(claim.assumptions),
        "status": claim.status,
    }


def _reopened(path: Path, keep: str | Path | None) -> Ledger:
    return Ledger(path, keep=keep)
