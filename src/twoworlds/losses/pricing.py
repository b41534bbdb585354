"""From what happened to what it cost: an `Event` priced into a `Loss`, or a `MomentBound` where only moments are known.

The price of a card that ran comes from `lookup`: the ledger gives the price stored with the event, so that a later edit of the
card cannot re-price history. Without a lookup only written mechanisms (`losses.written`) have a price.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from twoworlds.losses import prices
from twoworlds.losses.written import loss_as_written
from twoworlds.worlds.errors import BadArgument, MixedNeighbours
from twoworlds.worlds.events import (
    Composed,
    Correlated,
    Event,
    Parallel,
    Poisson,
    Ran,
    Repeated,
    Sampled,
    Scheme,
    Shared,
    Shuffled,
    WithoutReplacement,
    WithReplacement,
)
from twoworlds.worlds.rationals import Enclosure

if TYPE_CHECKING:
    from twoworlds.losses.loss import Loss
    from twoworlds.losses.moments import MomentBound

__all__ = ["compose", "loss_of"]

Lookup = Callable[[Ran], Any]  # gives a Dialect (its names are the event's parameters), a Loss or a MomentBound


def loss_of(event: Event, lookup: Lookup = loss_as_written) -> Loss | MomentBound:
    """What an event cost."""
    if isinstance(event, Ran):
        return _evaluated(lookup(event), event)
    if isinstance(event, Sampled):
        return _sampled(loss_of(event.event, lookup), event.scheme)
    if isinstance(event, Repeated):
        return loss_of(event.event, lookup).power(event.count)
    if isinstance(event, Composed):
        counts = _counted(event.events)
        return compose(*(loss_of(part, lookup).power(count) for part, count in counts))
    if isinstance(event, Parallel):
        return _parallel([(loss_of(part, lookup), count) for part, count in _counted(event.events)], event)
    if isinstance(event, Correlated):
        return _correlated(event, lookup)
    if isinstance(event, Shared):
        return _shared(event, lookup)
    if isinstance(event, Shuffled):
        raise BadArgument(
            "event",
            "Shuffled",
            "has no amplification theorem here yet",
            "Price it without the shuffler: each person's own release costs what their randomizer costs",
        )
    raise BadArgument("event", event, "is not an event", "Give one of twoworlds.worlds.events")


def compose(*losses: Loss | MomentBound) -> Loss | MomentBound:
    """All of these on the same records: exactly if every pair of worlds is known, as moments if some are bare bounds."""
    from twoworlds.losses.loss import Loss, identity  # noqa: PLC0415  the numeric core loads only when asked for
    from twoworlds.losses.spectra import moments_of  # noqa: PLC0415  as above, only when asked for

    if not losses:
        return identity()
    known = [loss for loss in losses if isinstance(loss, Loss)]
    if len(known) == len(losses):
        return known[0].compose(*known[1:])
    bounds = [moments_of(loss) for loss in losses]
    return bounds[0].compose(*bounds[1:])


def _evaluated(price: Any, event: Ran) -> Loss | MomentBound:
    from twoworlds.losses.loss import Loss  # noqa: PLC0415  the numeric core loads only when a number is asked for
    from twoworlds.losses.moments import MomentBound  # noqa: PLC0415  as above, only when asked for

    if isinstance(price, prices.Dialect):
        return price.loss(dict(event.parameters))
    if isinstance(price, Loss | MomentBound):
        return price
    raise BadArgument("lookup", price, f"gives no price for {event.card}", "Return a price, a Loss or a MomentBound")


def _counted(events: Sequence[Event]) -> list[tuple[Event, int]]:
    """Equal events by count."""
    counts: dict[Event, int] = {}
    for event in events:
        counts[event] = counts.get(event, 0) + 1
    return list(counts.items())


def _sampled(loss: Loss | MomentBound, scheme: Scheme) -> Loss | MomentBound:
    from twoworlds.losses import subsampling  # noqa: PLC0415  the numeric core loads only when a number is asked for
    from twoworlds.losses.moments import MomentBound  # noqa: PLC0415  as above, only when asked for

    if isinstance(scheme, Poisson):
        return loss.sampled(scheme.rate) if isinstance(loss, MomentBound) else subsampling.poisson_sampled(loss, scheme.rate)
    if isinstance(scheme, WithoutReplacement):
        if isinstance(loss, MomentBound):
            return loss.sampled_without_replacement(scheme.size, scheme.records)
        return subsampling.without_replacement(loss, scheme.size, scheme.records)
    if isinstance(loss, MomentBound) or not isinstance(scheme, WithReplacement):
        fix = "Sample without replacement, or by independent coins"
        raise BadArgument("scheme", scheme, "has no theorem for a bare moment bound", fix)
    return subsampling.with_replacement(loss, scheme.size, scheme.records)


def _parallel(parted: list[tuple[Loss | MomentBound, int]], event: Parallel) -> Loss | MomentBound:
    """The largest that one step of the relation can incur together: one part under add/remove, two under replacement.

    Under replacement a record may leave one part and enter another, so each loss must hold in its part for a record that
    comes, one that goes and one that changes (`worlds.neighbours.parallel`); for a group, for all of the group in its part.
    What leaves one part and enters another goes through the two in opposite directions.
    """
    from twoworlds.losses.cumulants import Largest, Summed  # noqa: PLC0415  the numeric core loads only when asked for
    from twoworlds.losses.moments import ADD_REMOVE, REPLACE, MomentBound  # noqa: PLC0415  as above, only when asked for
    from twoworlds.losses.spectra import moments_of  # noqa: PLC0415  as above, only when asked for

    touched, kind = event.touched, {"Replace": REPLACE}.get(event.relation.partition("(")[0], "")
    kind = ADD_REMOVE if event.relation.startswith(("AddRemove", "Parts")) else kind  # of one record: nothing about a group
    for loss, _ in parted:
        if loss.neighbours not in ("", kind, event.relation):
            raise MixedNeighbours(loss.neighbours, event.relation)
    if touched > 1:
        parted = [(_either_way(loss), count) for loss, count in parted]
    losses = [loss for loss, count in parted for _ in range(min(count, touched))]
    if touched >= len(losses):
        return compose(*losses)
    ranked = _ranked(losses)
    if ranked is not None:
        return compose(*ranked[:touched])
    bounds = [moments_of(loss) for loss in losses]
    whole = MomentBound(()).compose(*bounds)  # refuses to mix neighbouring relations
    outside = sum(sorted((bound.delta_outside for bound in bounds), reverse=True)[:touched], Fraction(0))
    curve = Largest(tuple(Summed(bound.curves) for bound in bounds), touched)
    return MomentBound(((curve, 1),), min(outside, Fraction(1)), whole.neighbours)


def _either_way(loss: Loss | MomentBound) -> Loss | MomentBound:
    """A loss for releases that one step need not move in the same direction: by its moments, if the direction matters."""
    from twoworlds.losses.loss import Loss  # noqa: PLC0415  as above, only when asked for
    from twoworlds.losses.spectra import moments_of  # noqa: PLC0415  as above, only when asked for

    return moments_of(loss) if isinstance(loss, Loss) and loss.remove != loss.add else loss


def _ranked(losses: list[Loss | MomentBound]) -> list[Loss | MomentBound] | None:
    """Largest first, where each loss surely dominates the next: all equal, or one number of the same family; else None."""
    if all(loss == losses[0] for loss in losses):
        return losses
    sizes = [_size(loss) for loss in losses]
    if any(size is None for size in sizes) or len({size[0] for size in sizes if size}) > 1:
        return None
    order = sorted(range(len(losses)), key=lambda i: sizes[i][1] if sizes[i] else Fraction(0), reverse=True)  # type: ignore[index]  # none is None
    return [losses[i] for i in order]


def _size(loss: Loss | MomentBound) -> tuple[tuple[object, ...], Fraction] | None:
    """The family of a loss and its size within it, where larger dominates smaller; None where nothing is known."""
    from twoworlds.losses.continuous import Gaussian, Laplace  # noqa: PLC0415  as above, only when asked for
    from twoworlds.losses.discrete import Approximate  # noqa: PLC0415  as above, only when asked for
    from twoworlds.losses.loss import Loss  # noqa: PLC0415  the numeric core loads only when a number is asked for

    if not isinstance(loss, Loss) or len(loss.remove) != 1 or loss.remove != loss.add or loss.remove[0][1] != 1:
        return None
    pair = loss.remove[0][0]
    family = (type(pair), loss.neighbours)
    if isinstance(pair, Gaussian):
        return family, pair.mu_squared
    if isinstance(pair, Laplace):
        return family, pair.epsilon
    if isinstance(pair, Approximate):
        return (*family, pair.delta), pair.epsilon
    return None


def _correlated(event: Correlated, lookup: Lookup) -> Loss | MomentBound:
    """The matrix mechanism: row i answers the i-th combination of the inputs with fresh noise; a neighbour moves one input.

    An input that enters row i with weight c moves its answer by |c| unit steps, so the row costs what a group of ceil(|c|)
    costs; a column adds up its rows, and the worst column counts (Li, Miklau, Hay, McGregor and Rastogi 2015).
    """
    from twoworlds.losses.groups import group  # noqa: PLC0415  the numeric core loads only when a number is asked for

    columns = {tuple(sorted(math.ceil(abs(entry)) for entry in column if entry)) for column in zip(*event.matrix, strict=True)}
    price = lookup(event.event) if isinstance(event.event, Ran) else None
    if isinstance(price, prices.Pure | prices.GaussianPrivacy | prices.Concentrated):
        values = dict(event.event.parameters)  # type: ignore[attr-defined]  # a price means that it is a Ran
        one = type(price)(*price.at(values).values())
        totals = [_column([group(one, weight) for weight in column]) for column in columns if column]
        return max(totals, key=lambda total: next(iter(total.at().values()))).loss() if totals else compose()
    if any(weight > 1 for column in columns for weight in column):
        raise BadArgument(
            "matrix", "entries above 1", "need a price that grows with the distance", "Price the event as pure or Gaussian"
        )
    count = max(len(column) for column in columns)
    loss = loss_of(event.event, lookup)
    turned = any(entry < 0 for row in event.matrix for entry in row)  # rows that one input moves in opposite directions
    return (_either_way(loss) if turned else loss).power(count) if count else compose()


def _column(rows: list[prices.Dialect]) -> prices.Dialect:
    total = rows[0]
    for row in rows[1:]:
        total = total + row
    return total


def _shared(event: Shared, lookup: Lookup) -> Loss | MomentBound:
    """Gaussian noise is a sum of Gaussian shares: without the dishonest ones its variance falls to the honest fraction."""
    price = lookup(event.event) if isinstance(event.event, Ran) else None
    if not isinstance(price, prices.GaussianPrivacy):
        fix = "Share Gaussian noise, priced as GaussianPrivacy, or use a protocol of the crowds room"
        raise BadArgument("event", event.event, "does not keep its law when only some of its noise is there", fix)
    mu = price.at(dict(event.event.parameters))["mu"]  # type: ignore[attr-defined]  # a price means that it is a Ran
    return prices.GaussianPrivacy((Enclosure(mu**2 / event.honest)).sqrt().high).loss()
