"""What the curator does to a ledger: budgets, slices, voids, keys, the acknowledgement of a loss. Each is an entry for good."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from twoworlds.ledger import entries
from twoworlds.ledger.accounts import Account, Amounts, amounts_text
from twoworlds.ledger.charging import cost_of, keep, slice_at, standing
from twoworlds.ledger.entries import Entry
from twoworlds.ledger.keys import drawn, write_key
from twoworlds.ledger.pages import Page
from twoworlds.ledger.standalone import canonical, rotation_text
from twoworlds.ledger.witness import Witness
from twoworlds.losses.filters import Filter, RenyiFilter
from twoworlds.worlds.errors import BadArgument

__all__ = ["Acknowledgement", "Allotment", "Creation", "Rotation", "Voiding", "void_text"]


@dataclass(frozen=True)
class Creation:
    """A population gets its filter."""

    population: str
    budget: Filter
    renews: int | None
    protects: str | None

    def __call__(self, page: Page) -> None:
        if entries.created(page.connection, self.population) is not None:
            raise BadArgument("population", self.population, "has a budget already", "Caps are fixed; name another population")
        if self.renews is not None:
            if isinstance(self.renews, bool) or not isinstance(self.renews, int) or self.renews < 1:
                raise BadArgument("renews", self.renews, "is no number of days", "Give a whole number of days, 1 or more")
            if isinstance(self.budget, RenyiFilter):
                raise BadArgument("renews", self.renews, "does not go with this filter", "Renew a zCDP or a pure filter")
        account = Account(self.budget, self.budget.start(), renews=self.renews)
        fixed: dict[str, Any] = {"filter": self.budget.to_json(), "renews": self.renews, "protects": self.protects}
        page.append("CREATE", population=self.population, **fixed, **account.to_json())


@dataclass(frozen=True)
class Allotment:
    """An analyst gets a slice, or other caps for it."""

    population: str
    principal: str
    caps: Amounts

    def __call__(self, page: Page) -> None:
        account = standing(page, self.population)
        old = slice_at(page, self.population, self.principal, account)
        account, own = account.allot(self.principal, self.caps, old)
        page.append("SLICE", population=self.population, principal=self.principal, **keep(page, self.population, account, own))


def void_text(ledger: str, reservation: int, reason: str, statement: str) -> bytes:
    """What the curator signs to get a charge back."""
    stated = {"ledger": ledger, "reservation": reservation, "reason": reason, "statement": statement}
    return b"twoworlds void 2\n" + canonical(stated).encode()


@dataclass(frozen=True)
class Voiding:
    """A reservation is closed; with a signed statement that nothing of it left, its charge is given back."""

    reservation: int
    reason: str
    statement: str | None

    def __call__(self, page: Page) -> Entry:
        reserved = entries.entry(page.connection, self.reservation)
        if reserved is None or reserved.kind != "RESERVE":
            raise BadArgument("reservation", self.reservation, "is not a charge in this ledger", "Give the number of a RESERVE")
        for kind, why in (("RELEASE", "was answered, so it cannot be voided"), ("VOID", "is void already")):
            if entries.about(page.connection, self.reservation, kind) is not None:
                raise BadArgument("reservation", self.reservation, why, "Nothing was changed")
        if not self.reason.strip() or (self.statement is not None and not self.statement.strip()):
            raise BadArgument("reason", self.reason, "is empty, or the statement is", "Say why, for those who read the log")
        fields: dict[str, Any] = {"population": reserved.population, "reservation": self.reservation, "reason": self.reason}
        if self.statement is None:
            return page.append("VOID", **fields)
        assert reserved.population is not None
        signature = page.signer().sign(void_text(page.head["ledger"], self.reservation, self.reason, self.statement))
        stands = self._refunded(page, reserved, reserved.population)
        principal = reserved.fields.get("principal")
        return page.append("VOID", **fields, principal=principal, statement=self.statement, signature=signature, **stands)

    def _refunded(self, page: Page, reserved: Entry, population: str) -> dict[str, Any]:
        account = standing(page, population)
        if reserved.fields.get("period", {}).get("now", 0) != account.period:
            why = "was charged in an earlier period"
            raise BadArgument("reservation", self.reservation, why, "There is nothing to give back")
        sliced = "slice" in reserved.fields
        own = slice_at(page, population, reserved.fields["principal"], account) if sliced else None
        account, own = account.refund(cost_of(reserved), own)
        return keep(page, population, account, own)


@dataclass(frozen=True)
class Rotation:
    """A new key: handed over by the old one, or, for a reason, put in its place."""

    key_path: Path
    reason: str | None

    def __call__(self, page: Page) -> str:
        key = drawn()
        if self.reason is None:
            old, previous = page.signer(), page.hash.hex()
            write_key(key, self.key_path.with_name(f"{self.key_path.name}.next"))
            text = rotation_text(page.head["ledger"], page.seq + 1, previous, key.public)
            page.append("ROTATE", key=key.public, signature=old.sign(text))
        else:
            write_key(key, self.key_path.with_name(f"{self.key_path.name}.next"))
            page.append("REKEY", key=key.public, reason=self.reason)
        page.new_key = key
        return key.public


@dataclass(frozen=True)
class Acknowledgement:
    """Charges are lost, and the curator says so: each population pays for what may be missing, and the ledger is open again."""

    reason: str
    charges: Mapping[str, Mapping[str, Fraction] | None]
    witness: Witness

    def __call__(self, page: Page) -> None:
        if page.sealed is None:
            raise BadArgument("acknowledge", self.reason, "has nothing to acknowledge: the ledger is not sealed", "Go on")
        missing = sorted({*entries.populations(page.connection)} ^ {*self.charges})
        if missing:
            fix = "Say for every population what the lost charges may have been, or that they may have been all"
            raise BadArgument("charges", missing, "are populations without a charge, or charges without one", fix)
        kept = self.witness.read() or {}
        lost = {"size": kept.get("size"), "chain": kept.get("chain"), "ledger": kept.get("ledger"), "why": page.sealed}
        steps = [(name, *step) for name in sorted(self.charges) for step in self._steps(page, name)]
        if not steps:
            page.append("ACKNOWLEDGE", reason=self.reason, lost=lost)
        for name, principal, cost in steps:
            account = standing(page, name)
            own = None if principal is None else slice_at(page, name, principal, account)
            account, own = account.charge(cost, own)
            page.append(
                "ACKNOWLEDGE",
                population=name,
                principal=principal,
                reason=self.reason,
                lost=lost,
                charge=amounts_text(cost),
                **keep(page, name, account, own),
            )

    def _steps(self, page: Page, population: str) -> list[tuple[str | None, Amounts]]:
        """Whom to charge how much: what is given, or everything that is left, in every slice too."""
        account = standing(page, population)
        given = self.charges[population]
        if given is not None:
            account.charge(given)  # refuses before anything is written
            return [(None, given)]
        found: list[tuple[str | None, Amounts]] = []
        for principal in entries.principals(page.connection, population):
            own = slice_at(page, population, principal, account)
            if own is not None:
                found.append((principal, account.left(own)))
        left = {currency: max(amount, Fraction(0)) for currency, amount in account.left().items()}
        return [*found, (None, left)]
