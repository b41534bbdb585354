"""How far a card is proved, as every tool prints it."""

from __future__ import annotations

from twoworlds.proofs.certificates import proved
from twoworlds.worlds.cards import Card
from twoworlds.worlds.claims import Certificate, Status
from twoworlds.worlds.errors import BadArgument

__all__ = ["certificate", "status"]

_PACKAGE = "twoworlds.mechanisms."


def status(card: Card) -> Status:
    """From the stored certificate of exactly this source, neighbours and price; a card of ours with a stale one is an error."""
    found = certificate(card)
    if found is None:
        return "audited only"
    if found.verdict == "PROVED":
        return "proved by rule" if found.method.startswith("rule") else "proved by machine"
    return "tabulated" if found.method.startswith("tabulated") else "audited only"


def certificate(card: Card) -> Certificate | None:
    """The stored certificate of the card, if there is one."""
    found = proved().get(card.name)
    if found is None:
        return None
    same = (found.digest, found.price, found.details.get("neighbours")) == (card.digest, str(card.price), str(card.neighbours))
    ours = card.function.__module__.startswith(_PACKAGE)
    if not ours and _is_unread(card):
        return None  # the same text, but its words mean something else where it stands
    if ours and not same:
        raise BadArgument(
            "certificate",
            card.name,
            "is stale: the card's source or claim has changed since",
            "Run `twoworlds prove` on it again",
        )
    return found if same else None


def _is_unread(card: Card) -> bool:
    from twoworlds.proofs.statements import Unread, stated  # noqa: PLC0415  the source's readers load only for strangers

    return isinstance(stated(card), Unread)
