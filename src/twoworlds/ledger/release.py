"""One release of a card, charged before its noise is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from twoworlds.ledger.book import Ledger
from twoworlds.proofs.statuses import status
from twoworlds.sampling.inputs import settle
from twoworlds.sampling.run import run
from twoworlds.worlds.cards import Card
from twoworlds.worlds.claims import Claim
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Distance, Event, Ran
from twoworlds.worlds.grid import step
from twoworlds.worlds.rationals import exact

__all__ = ["Released", "event_of", "release"]


@dataclass(frozen=True)
class Released:
    """An answer with its claim; `receipt` is the hash of its RELEASE entry, or None when it was not recorded."""

    value: Any
    claim: Claim
    receipt: str | None
    repeated: bool = False


_UNSET = object()


def release(
    card: Card,
    secret: Any,
    *,
    ledger: Any = _UNSET,
    population: str | None = None,
    grid: object = 1,
    idempotency: str | None = None,
    principal: str | None = None,
    **public: Any,
) -> Released:
    """Run the card once on the secret input and record it, at the price of the sensitivity that rounding to the grid leaves.

    With a `principal` that analyst's slice pays. The secret may be a function that gives whole numbers: it is called only once
    the charge is on disk.

    `ledger` and `population` are required; `ledger=None` says that the release is not recorded, and so does its claim.
    """
    if ledger is _UNSET or (ledger is not None and not isinstance(ledger, Ledger)):
        raise BadArgument("ledger", None, "is not given", "Give ledger=Ledger(path), or ledger=None for an unrecorded release")
    if ledger is not None and not population:
        raise BadArgument("population", population, "is not given", "Name the population that the data are about")
    secrets = card.neighbours.parameter
    arguments = card.bind(**{secrets: secret, **public})  # before anything is charged: the card's own parameters, no others
    known = arguments if callable(secret) else settle(card, arguments, step(grid))
    known = {name: value for name, value in known.items() if name != secrets or not callable(value)}
    price = type(card.price)(**card.price.at(known))
    claim = Claim(price.loss(), str(card.neighbours), status=status(card), recorded=ledger is not None)
    known.pop(secrets, None)

    def draw() -> Any:
        drawn = secret() if callable(secret) else secret
        if callable(secret):
            _agree(known, settle(card, {**arguments, secrets: drawn}, step(grid)), secrets)
        return run(card, **{secrets: drawn}, grid=grid, **public)

    if ledger is None:
        return Released(draw(), claim, None)
    assert population is not None
    event = event_of(card, known)
    reservation = ledger.reserve(population, event, price, idempotency=idempotency, principal=principal, claim=claim)
    if reservation.released:
        return Released(reservation.answer, claim, reservation.receipt, repeated=True)
    recorded = ledger.release(reservation, draw())
    return Released(recorded.value, claim, recorded.hash)


def _agree(charged: dict[str, Any], settled: dict[str, Any], secrets: str) -> None:
    """What a function gave must not need a larger sensitivity than was charged before it was called."""
    if {name: value for name, value in settled.items() if name != secrets} != charged:
        why = "gives numbers that are rounded to the grid, which the charge did not allow for"
        raise BadArgument(secrets, "...", why, "Give whole numbers and a grid of 1 or a fraction of it, or the value itself")


def event_of(card: Card, public: dict[str, Any]) -> Event:
    """What happened, for the ledger: the card by name and source, its public parameters, how far a neighbour moves its input."""
    parameters = {name: _exact(value) for name, value in public.items()}
    return Ran.of(card.name, card.digest, parameters, Distance(linf=card.neighbours.bound(public)))


def _exact(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_exact(entry) for entry in value)
    return value if value is None or isinstance(value, bool | str) else exact(value)
