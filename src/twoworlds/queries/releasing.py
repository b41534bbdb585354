"""One release: charged on disk, computed exactly, made noisy, recorded. Noise is drawn here, once, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twoworlds.ledger.book import Ledger
from twoworlds.queries.answers import Answer, answered
from twoworlds.queries.compiling import Compiled, compiled
from twoworlds.queries.engine import Columns, Engine
from twoworlds.queries.pricing import Offer
from twoworlds.sampling.run import run

__all__ = ["release"]


def release(offer: Offer, engine: Engine, ledger: Ledger | None, *, idempotency: str | None = None) -> Answer:
    """The answer to a priced question. `ledger=None` says that it is not recorded, and so does its claim."""
    scans = compiled(offer.typed, offer.bounding)  # refusals come before the charge
    if ledger is None:
        return answered(offer, _noisy(offer, _exact(offer, scans, engine)), receipt=None)
    population = offer.typed.table.population
    reservation = ledger.reserve(population, offer.event, offer.price, idempotency=idempotency)
    if reservation.released:
        return answered(offer, reservation.answer, receipt=reservation.hash, repeated=True)
    noisy = _noisy(offer, _exact(offer, scans, engine))
    return answered(offer, noisy, receipt=ledger.release(reservation, noisy).hash)


def _exact(offer: Offer, scans: Sequence[Compiled], engine: Engine) -> dict[int, Any]:
    """The exact measures, one entry for every public group, those without rows included."""
    import numpy as np  # noqa: PLC0415  loaded with the engine

    filled = {}
    for scan in scans:
        columns: Columns = engine.run(scan.text)
        for i in scan.measures:
            entries = np.zeros(offer.groups, dtype=np.int64)
            entries[columns["g"]] = columns[f"m{i}"]
            filled[i] = entries
    return filled


def _noisy(offer: Offer, exact: dict[int, Any]) -> list[list[int]]:
    """The measures with noise of their own on every entry, in steps."""
    return [run(step.card, exact[step.measure], **dict[str, Any](step.public)) for step in offer.steps]
