"""Every account, added up again from its entries: whoever wrote the ledger, it may not have overspent.

The entries say after each charge what is spent. Here they are followed from the first, by the same `Account` that charged them,
and each must say what its predecessors make of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Any

from twoworlds.ledger.accounts import Account, Amounts, Slice, account_from, amounts_from, slice_from
from twoworlds.ledger.founding import WAS_GENESIS, was_linked
from twoworlds.ledger.standalone import Refuted
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["Books"]

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class _Open:
    """A charge that nobody has answered or voided yet."""

    population: str
    cost: Amounts
    period: int
    sliced: bool
    retried: bool = False


class Books:
    """All accounts and slices, and the reservations that are open."""

    def __init__(self) -> None:
        self.accounts: dict[str, Account] = {}
        self.slices: dict[tuple[str, str], Slice] = {}
        self.open: dict[int, _Open] = {}
        self._was = WAS_GENESIS

    def follow(self, seq: int, fields: Fields) -> None:
        """Take in the next entry."""
        if fields["seq"] != seq:
            raise Refuted(f"entry {seq} says that it is entry {fields['seq']}")
        if "was" in fields:
            self._was = was_linked(self._was, fields)
            if self._was != fields["was"]:
                raise Refuted(f"entry {seq} was not in the chain of format 1")
        act = _ACTS.get(fields["kind"])
        if act is None:
            raise Refuted(f"entry {seq} is of a kind that this version does not know, {fields['kind']}")
        act(self, fields)

    def _create(self, fields: Fields) -> None:
        if fields["population"] in self.accounts:
            raise Refuted(f"entry {fields['seq']} creates {fields['population']} a second time")
        fresh = account_from(fields, fields)
        unspent = Account(fresh.budget, fresh.budget.start(), renews=fresh.renews, opened=fresh.opened, protects=fresh.protects)
        if fresh != unspent:
            raise Refuted(f"entry {fields['seq']} starts with something spent")
        self.accounts[fields["population"]] = fresh

    def _account(self, fields: Fields) -> Account:
        account = self.accounts.get(fields["population"])
        if account is None:
            raise Refuted(f"entry {fields['seq']} is about {fields['population']}, which has no budget")
        return account if account.renews is None else account.at(date.fromisoformat(fields["at"][:10]))

    def _slice(self, fields: Fields, account: Account) -> Slice | None:
        if "slice" not in fields:
            return None
        own = self.slices.get((fields["population"], fields["principal"]))
        if own is None:
            raise Refuted(f"entry {fields['seq']} charges a slice that nobody handed out")
        return account.slice_at(own)

    def _agree(self, fields: Fields, account: Account, own: Slice | None) -> None:
        """The entry must say that things stand as they were added up."""
        told = account.to_json()
        if any(fields.get(name) != told.get(name) for name in ("state", "slices", "period")):
            raise Refuted(f"entry {fields['seq']} says that something else is spent than was charged")
        if fields.get("slice") != (None if own is None else own.to_json()):
            raise Refuted(f"entry {fields['seq']} says that something else of a slice is spent than was charged")
        self.accounts[fields["population"]] = account
        if own is not None:
            self.slices[fields["population"], own.principal] = own

    def _charge(self, fields: Fields) -> None:
        """A RESERVE, or the charge of an ACKNOWLEDGE: the caps must bear it."""
        account = self._account(fields)
        own, cost = self._slice(fields, account), _amounts(tuple(fields["charge"].items()))
        try:
            account, own = account.charge(cost, own)
        except TwoWorldsError:
            raise Refuted(f"entry {fields['seq']} overspends") from None
        self._agree(fields, account, own)
        if fields["kind"] == "RESERVE":
            self.open[fields["seq"]] = _Open(fields["population"], cost, account.period, "slice" in fields)

    def _allot(self, fields: Fields) -> None:
        account, told = self._account(fields), slice_from(fields["principal"], fields["slice"])
        old = self.slices.get((fields["population"], told.principal))
        try:
            account, own = account.allot(told.principal, told.caps, None if old is None else account.slice_at(old))
        except TwoWorldsError as error:
            raise Refuted(f"entry {fields['seq']} hands out what is not there: {error.what}") from None
        self._agree(fields, account, own)

    def _of(self, fields: Fields) -> _Open:
        """The open reservation that an entry is about."""
        found = self.open.get(fields["reservation"])
        if found is None or found.population != fields["population"]:
            raise Refuted(f"entry {fields['seq']} is about reservation {fields['reservation']}, which is not open")
        return found

    def _release(self, fields: Fields) -> None:
        self._of(fields)
        del self.open[fields["reservation"]]

    def _retry(self, fields: Fields) -> None:
        found = self._of(fields)
        if found.retried:
            raise Refuted(f"entry {fields['seq']} retries a reservation again")
        self.open[fields["reservation"]] = _Open(found.population, found.cost, found.period, found.sliced, True)

    def _void(self, fields: Fields) -> None:
        """With a statement the charge goes back, to where it came from, in its own period."""
        found = self._of(fields)
        del self.open[fields["reservation"]]
        if "state" not in fields:
            return
        account = self._account(fields)
        if "statement" not in fields or found.period != account.period or found.sliced != ("slice" in fields):
            raise Refuted(f"entry {fields['seq']} gives a charge back without a statement, too late, or to somebody else")
        self._agree(fields, *account.refund(found.cost, self._slice(fields, account)))

    def _acknowledge(self, fields: Fields) -> None:
        if "charge" in fields:
            self._charge(fields)

    def _other(self, fields: Fields) -> None:
        """Keys are followed with the chain."""


@lru_cache(maxsize=4096)
def _amounts(pairs: tuple[tuple[str, str], ...]) -> Mapping[str, Fraction]:
    return amounts_from(dict(pairs))


_ACTS: Mapping[str, Callable[[Books, Fields], None]] = {
    "OPEN": Books._other,
    "ROTATE": Books._other,
    "REKEY": Books._other,
    "CREATE": Books._create,
    "SLICE": Books._allot,
    "RESERVE": Books._charge,
    "RETRY": Books._retry,
    "RELEASE": Books._release,
    "VOID": Books._void,
    "ACKNOWLEDGE": Books._acknowledge,
}
