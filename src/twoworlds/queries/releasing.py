"""One release: charged on disk, computed exactly, made noisy, recorded. Noise is drawn here, once, and nowhere else."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from twoworlds.ledger.book import Ledger
from twoworlds.losses.prices import Dialect
from twoworlds.queries.answers import Answer, Noisy
from twoworlds.queries.compiling import compiled
from twoworlds.queries.engine import Engine
from twoworlds.queries.filling import Filled, filled
from twoworlds.queries.plan import JoinPublic, Relation, Scan, Union
from twoworlds.queries.pricing import Offer, weakest
from twoworlds.queries.scores import scores
from twoworlds.queries.steps import Step
from twoworlds.sampling.run import run, run_each
from twoworlds.worlds.events import Event

__all__ = ["release", "release_parts"]


def release(
    offer: Offer,
    engine: Engine,
    ledger: Ledger | None,
    *,
    idempotency: str | None = None,
    principal: str | None = None,
    again: bool = False,
) -> Answer:
    """The answer to a priced question; the old one, for free, if this very question was answered before on the same data.

    `again` asks for new noise, at its price. `ledger=None` says that the release is not recorded, and so does its claim.
    """
    scans = compiled(offer.typed, offer.bounding, offer.policy, secrets.token_hex(16))  # refusals come before the charge
    if ledger is None:
        return Answer(offer, _noisy(offer, filled(offer, scans, engine)), None)
    charged = ledger.reserve(
        offer.typed.table.population,
        offer.event,
        offer.price,
        idempotency=idempotency,
        principal=principal,
        request=_request([offer], engine),
        again=again,
        claim=offer.claim,
        protects=offer.typed.table.unit.protects,
    )
    if charged.released:
        return Answer(offer, Noisy.of_record(charged.answer), charged.receipt, repeated=True)
    recorded = ledger.release(charged, _noisy(offer, filled(offer, scans, engine)).record())
    return Answer(offer, Noisy.of_record(recorded.value), recorded.hash)


def release_parts(
    offers: Sequence[Offer],
    engine: Engine,
    ledger: Ledger,
    *,
    event: Event,
    price: Dialect,
    idempotency: str | None = None,
    principal: str | None = None,
) -> list[Answer]:
    """The answers to questions of parts of one table, under one charge: all of them leave together, or none does."""
    scans = [compiled(one.typed, one.bounding, one.policy, secrets.token_hex(16)) for one in offers]
    charged = ledger.reserve(
        offers[0].typed.table.population,
        event,
        price,
        idempotency=idempotency,
        principal=principal,
        request=_request(offers, engine),
        claim=replace(offers[0].claim, status=weakest(offers)),
        protects=offers[0].typed.table.unit.protects,
    )
    if charged.released:
        answer, receipt = charged.answer, charged.receipt
    else:
        drawn = [_noisy(one, filled(one, found, engine)).record() for one, found in zip(offers, scans, strict=True)]
        recorded = ledger.release(charged, drawn)
        answer, receipt = recorded.value, recorded.hash
    return [
        Answer(one, Noisy.of_record(record), receipt, repeated=charged.released)
        for one, record in zip(offers, answer, strict=True)
    ]


def _request(offers: Sequence[Offer], engine: Engine) -> str:
    """The questions with their prices as one hash, and after a colon the versions of their data, as another."""
    asked = [(one.typed.query, one.typed.measures, one.typed.table.unit, one.bounding, one.event) for one in offers]
    versions = []
    for one in offers:
        table, joined = one.typed.table, [one.policy.public[name] for name in _public(one.typed.query.source)]
        types = [(name, column.type) for name, column in table.columns.items()]
        held = [engine.version(name) for name in (table.name, *(public.name for public in joined))]
        versions.append((types, joined, held))
    return ":".join(hashlib.sha256(repr(parts).encode()).hexdigest() for parts in (asked, versions))


def _public(relation: Relation) -> list[str]:
    """The public tables that it is joined with."""
    if isinstance(relation, Scan):
        return []
    if isinstance(relation, Union):
        return [*_public(relation.left), *_public(relation.right)]
    return [*_public(relation.source), *([relation.public] if isinstance(relation, JoinPublic) else [])]


def _noisy(offer: Offer, exact: Filled) -> Noisy:
    """All steps, in order; groups that are not named by the first are not there for the others."""
    keys, results = exact.keys, []
    steps = list(offer.steps)
    if steps[0].demand.kind == "selection":
        step = steps.pop(0)
        named = _ran(step, exact.entries(step.demand.measure))
        keep = [i for i, count in enumerate(named) if count is not None]
        order = sorted(keep, key=lambda i: tuple((value is None, value) for value in keys[i]))
        keys, exact = tuple(keys[i] for i in order), exact.only(order)
        results.append([named[i] for i in order])
    for step in steps:
        if step.demand.kind == "added":
            results.append(_ran(step, exact.entries(step.demand.measure)))
        else:
            results.append(_picked(step, [scores(step, cells) for cells in exact.rows(step.demand.measure)]))
    return Noisy(keys, tuple(results))


def _ran(step: Step, entries: Sequence[int]) -> list[Any]:
    """The card on the whole vector: noise of its own for every entry."""
    return list(run(step.card, list(entries), **dict[str, Any](step.public))) if len(entries) else []


def _picked(step: Step, own: Sequence[Any]) -> list[Any]:
    """For each group the cell of a quantile, or the values with most rows, one after the other."""
    public = dict[str, Any](step.public)
    if step.demand.kind != "top":
        return run_each(step.card, own, **public)
    own = [entries.tolist() for entries in own]
    left, found = [list(range(len(entries))) for entries in own], [list[int]() for _ in own]
    for _ in range(min([step.demand.count, *map(len, own)])):
        best = run_each(step.card, [[entries[i] for i in places] for entries, places in zip(own, left, strict=True)], **public)
        for places, chosen, place in zip(left, found, best, strict=True):
            chosen.append(places.pop(place))
    return list(found)
