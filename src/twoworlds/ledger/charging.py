"""What happens inside the transaction of a charge and of a release.

A charge is written before any noise is drawn; an answer leaves only after its RELEASE entry is on disk, and a reservation has one
RELEASE at most. So whoever draws noise twice under one reservation, because it was retried or because two asked at once, lets one
answer out all the same: the first that is recorded, which the others get too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from twoworlds.ledger import entries
from twoworlds.ledger.accounts import Account, Amounts, Slice, account_from, amounts_text, slice_from
from twoworlds.ledger.entries import Entry
from twoworlds.ledger.pages import Page
from twoworlds.losses.filters import Filter
from twoworlds.worlds.errors import BadArgument, TwoWorldsError

__all__ = ["Charge", "Reservation", "Voided", "cost_of", "keep", "record", "slice_at", "standing", "stored"]


class Voided(TwoWorldsError):
    """The curator voided the reservation, so nothing may be answered under it."""


@dataclass(frozen=True)
class Reservation:
    """A charge that is on disk. When its answer was released before, `answer` holds it, and `receipt` the hash of its entry."""

    seq: int
    population: str
    hash: str
    answer: Any = None
    released: bool = False
    receipt: str | None = None


def standing(page: Page, population: str) -> Account:
    """What a population has left, on this page's day."""
    found = page.known.get(population)
    if found is None:
        created, newest = entries.created(page.connection, population), entries.newest(page.connection, population)
        if created is None or newest is None:
            raise unknown(population, entries.populations(page.connection))
        found = account_from(created.fields, newest.fields)
    account: Account = found.at(date.fromisoformat(page.at[:10]))
    page.known[population] = account
    return account


def unknown(population: str, known: list[str]) -> BadArgument:
    """The error that names the populations that there are."""
    why = f"has no budget in this ledger (populations: {', '.join(known) or 'none yet'})"
    return BadArgument("population", population, why, "Create it first")


def slice_at(page: Page, population: str, principal: str, account: Account) -> Slice | None:
    """An analyst's slice, as it stands in the account's period; None where there is none."""
    found = page.known.get((population, principal))
    if found is None:
        newest = entries.newest(page.connection, population, principal)
        if newest is None:
            return None
        found = slice_from(principal, newest.fields["slice"])
    return account.slice_at(found)


def keep(page: Page, population: str, account: Account, own: Slice | None) -> dict[str, Any]:
    """The fields that say how things stand after an entry; the page remembers them."""
    page.known[population] = account
    if own is None:
        return account.to_json()
    page.known[population, own.principal] = own
    return {**account.to_json(), "slice": own.to_json()}


@dataclass(frozen=True)
class Charge:
    """The price of one event, to be written."""

    population: str
    event: Any
    budget: Filter
    cost: Amounts
    idempotency: str | None = None
    principal: str | None = None
    request: str | None = None
    claim: Mapping[str, Any] | None = None
    protects: str | None = None
    again: bool = False

    def __call__(self, page: Page) -> Reservation:
        if self.idempotency is not None:
            seen = entries.by_key(page.connection, self.idempotency)
            if seen is not None:
                return self._again(page, seen)
        if self.request is not None and not self.again:
            for prior in entries.by_request(page.connection, self.population, self.request):
                if self._asks_the_same(prior) and (answer := stored(page.connection, prior)) is not None:
                    return answer
        account = standing(page, self.population)
        if account.budget != self.budget:
            raise BadArgument("population", self.population, "has another budget than before", "Open the ledger anew")
        if self.protects is not None and account.protects not in (None, self.protects):
            why = f"is a budget for {account.protects}, and this protects {self.protects}: their prices cannot be added up"
            raise BadArgument("population", self.population, why, "Give it a population, and a budget, of its own")
        own = self._slice(page, account)
        account, own = account.charge(self.cost, own)
        written = page.append(
            "RESERVE",
            population=self.population,
            event=self.event,
            charge=amounts_text(self.cost),
            principal=self.principal,
            idempotency=self.idempotency,
            request=self.request,
            claim=self.claim,
            **keep(page, self.population, account, own),
        )
        return Reservation(written.seq, self.population, written.hash)

    def _slice(self, page: Page, account: Account) -> Slice | None:
        if self.principal is None:
            return None
        own = slice_at(page, self.population, self.principal, account)
        if own is None and account.allotted:
            raise BadArgument(
                "principal", self.principal, "has no slice of this population, and others have", "Ask the curator for one"
            )
        return own

    def _asks_the_same(self, entry: Entry) -> bool:
        known = entry.fields
        return bool(known["event"] == self.event and known["charge"] == amounts_text(self.cost))

    def _same_question(self, entry: Entry) -> bool:
        """Many questions are the same event; a request names the question up to a colon, then the version of its data."""
        before, now = ((one or "").partition(":")[0] for one in (entry.fields.get("request"), self.request))
        return not before or not now or before == now

    def _again(self, page: Page, seen: Entry) -> Reservation:
        """The key was used: its stored answer is free; a charge that was never answered may be tried once more."""
        owners = seen.population, seen.fields.get("principal")
        if owners != (self.population, self.principal) or not self._asks_the_same(seen) or not self._same_question(seen):
            raise BadArgument(
                "idempotency", self.idempotency, "was used for another request", "Give each request a key of its own"
            )
        answer = stored(page.connection, seen)
        if answer is not None:
            return answer
        _refuse_voided(page, seen.seq)
        if entries.about(page.connection, seen.seq, "RETRY") is not None:
            why = "was tried again already and never answered, or is being answered now; its charge stands"
            raise BadArgument("idempotency", self.idempotency, why, "Ask again in a moment, or pay anew under another key")
        page.append("RETRY", population=self.population, reservation=seen.seq)
        return Reservation(seen.seq, self.population, seen.hash)


def stored(connection: Any, reserved: Entry) -> Reservation | None:
    """The answer that was released under a reservation."""
    released = entries.about(connection, reserved.seq, "RELEASE")
    if released is None:
        return None
    return Reservation(reserved.seq, str(reserved.population), reserved.hash, released.value, True, released.hash)


def record(page: Page, reservation: Reservation, text: str, digest: str) -> Entry:
    """Write the release of an answer; where one is written already, that one counts."""
    reserved = entries.entry(page.connection, reservation.seq)
    if reserved is None or reserved.kind != "RESERVE" or reserved.hash != reservation.hash:
        fix = "Nothing was released; reserve in the ledger that records the answer"
        raise BadArgument("reservation", reservation.seq, "is not a charge in this ledger", fix)
    released = entries.about(page.connection, reserved.seq, "RELEASE")
    if released is not None:
        return released
    _refuse_voided(page, reserved.seq)
    return page.append("RELEASE", population=reserved.population, reservation=reserved.seq, answered=digest, beside=text)


def _refuse_voided(page: Page, seq: int) -> None:
    if entries.about(page.connection, seq, "VOID") is not None:
        raise Voided(f"reservation {seq} was voided by the curator", "Nothing was released; ask anew under another key")


def cost_of(reserved: Entry) -> dict[str, Fraction]:
    """What a reservation was charged."""
    return {currency: Fraction(amount) for currency, amount in reserved.fields["charge"].items()}
