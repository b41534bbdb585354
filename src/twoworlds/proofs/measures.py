"""What two worlds cost, exactly: their output laws tabulated on a grid, and held against the price in the price's own measure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from flint import arb

from twoworlds.exact.inputs import Call
from twoworlds.exact.oneway import OneWay, Row
from twoworlds.exact.table import Table
from twoworlds.exact.tabulate import laws
from twoworlds.exact.weights import Weight, interval, precision, total, unit
from twoworlds.losses.prices import Approximate, Concentrated, Pure
from twoworlds.proofs.paths import arguments, asking
from twoworlds.proofs.patterns import Pair
from twoworlds.proofs.refutations import Refutation, spoken
from twoworlds.proofs.statements import Statement
from twoworlds.worlds.errors import BadArgument, TwoWorldsError
from twoworlds.worlds.rationals import float_above

__all__ = ["ANY", "CANNOT", "FINE", "MEASURED", "follow", "priced", "table_of", "weigh"]

MEASURED = (Pure, Approximate, Concentrated)
CANNOT = (TwoWorldsError, ArithmeticError, ValueError, TypeError, LookupError, RecursionError, AttributeError)
"""What a program may raise on worlds or parameters that do not fit it; such worlds refute nothing."""
FINE = Fraction(1, 2**40)
ANY = object()  # no output in particular
ALONG = "exact probabilities along a path"
_ORDERS = tuple(map(Fraction, ("3/2", "2", "4", "8", "32")))
_SHOWN = 3
_NEARLY = 0.98
_ROW = 4  # a row of a table is about so many steps of work


def priced(found: Statement, pair: Pair) -> dict[str, Fraction]:
    """The numbers of the price for this pair, rounded up."""
    return found.price.at({**pair.public, found.relation.parameter: pair.one})


def table_of(found: Statement, pair: Pair, *, grid: Fraction, most: int, cut: Fraction, output: Any = ANY) -> tuple[Table, int]:
    """Both output laws, or the law of whether this output comes, and the steps that it took."""
    call = Call.of(found.program, (), pair.public, grid=grid, cut=cut, neighbours=found.relation)
    worlds = call.world(pair.one, "world"), call.world(pair.other, "other")
    if output is not ANY:
        asked = asking(found.program, output)
        if asked is None:
            raise BadArgument("output", output, "cannot be asked for", "Tabulate the whole law")
        call = replace(call, program=asked, public={**call.public, **arguments(found.program, output)})
    tabled = laws(call, worlds, most)
    return tabled.table(found.name), tabled.steps


def weigh(
    found: Statement, pair: Pair, *, grid: Fraction = Fraction(1), most: int = 40_000, cut: Fraction = FINE
) -> tuple[Refutation | None, int]:
    """What this pair costs on the grid, and the steps spent; nothing where worlds or parameters do not fit the program."""
    try:
        price = priced(found, pair)
        table, steps = table_of(found, pair, grid=grid, most=most, cut=cut)
        return _measured(found, pair, table, price, grid), steps + _ROW * len(table.rows)
    except CANNOT:
        return None, most


def follow(
    found: Statement, pair: Pair, output: Any, *, grid: Fraction = Fraction(1), most: int = 40_000, cut: Fraction = FINE
) -> tuple[Refutation | None, int]:
    """What the pair costs by this one output, of which alone the probability is computed; pure prices only."""
    if not isinstance(found.price, Pure):
        return None, 0
    try:
        price = float_above(priced(found, pair)["epsilon"])
        table, steps = table_of(found, pair, grid=grid, most=most, cut=cut, output=output)
        with precision():
            return _followed(pair, table, output, price, grid), steps
    except CANNOT:
        return None, most


def _followed(pair: Pair, table: Table, output: Any, price: float, grid: Fraction) -> Refutation | None:
    found = []
    for way, worlds in _ways(table, pair):
        for row in way.rows:
            if row.output is True:
                shown = _refutation(worlds, [row], max(interval(way.loss(row)[0]).lower, 0.0), price, grid)
                found.append(
                    shown.but(output=output, event=f"output {spoken(output)}", method="exact probabilities along a path")
                )
    return max(found, key=lambda shown: shown.loss, default=None)


def _measured(found: Statement, pair: Pair, table: Table, price: dict[str, Fraction], grid: Fraction) -> Refutation | None:
    with precision():
        if isinstance(found.price, Pure):
            return _pure(pair, table, float_above(price["epsilon"]), grid)
        if isinstance(found.price, Approximate):
            return _approximate(pair, table, price, grid)
        if isinstance(found.price, Concentrated) and not price["delta"]:
            return _concentrated(pair, table, price["rho"], grid)
    return None


def _ways(table: Table, pair: Pair) -> Iterator[tuple[OneWay, Pair]]:
    yield table.forward, pair
    yield table.backward, Pair(pair.other, pair.one, pair.public)


def _pure(pair: Pair, table: Table, price: float, grid: Fraction) -> Refutation | None:
    """The likeliest output among those that show nearly all of the loss; floats choose it, and balls certify what it shows."""
    found = []
    for way, worlds in _ways(table, pair):
        rough = [(_rough(way, row), row) for row in way.rows]
        top = max((ratio for ratio, _ in rough), default=0.0)
        found.append((top, way, worlds, [row for ratio, row in rough if ratio >= _NEARLY * top]))
    _, way, worlds, near = max(found, key=lambda entry: entry[0])
    if not near:
        return None
    row = max(near, key=_likely)
    return _refutation(worlds, [row], max(interval(way.loss(row)[0]).lower, 0.0), price, grid)


def _rough(way: OneWay, row: Row) -> float:
    """About the ratio of a row's probabilities."""
    one, other = _about(row.weight), _about(row.other) + _about(way.other_lost)
    return one / other if other else math.inf if one else 0.0


def _about(weight: Weight) -> float:
    return float(weight.mid()) if isinstance(weight, arb) else int(weight.p) / int(weight.q)


def _likely(row: Row) -> tuple[float, float]:
    return _about(row.other), _about(row.weight)


def _refutation(pair: Pair, rows: list[Row], loss: float, price: float, grid: Fraction) -> Refutation:
    chances = [unit(total([row.weight for row in rows])).lower, unit(total([row.other for row in rows])).lower]
    outputs = [row.output for row in rows]
    rest = f", or {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    event = "output " + "; ".join(map(spoken, outputs[:_SHOWN])) + rest
    output = outputs[0] if len(outputs) == 1 else outputs[:_SHOWN]
    return Refutation(pair, output, event, (chances[0], chances[1]), loss, price, grid=grid)


def _approximate(pair: Pair, table: Table, price: dict[str, Fraction], grid: Fraction) -> Refutation | None:
    """The event of all outputs that are likelier by more than e^epsilon."""
    epsilon, found = price["epsilon"], []
    for way, worlds in _ways(table, pair):
        excess = way.delta(epsilon).lower
        rows = [row for row in way.rows if way.loss(row)[0] > float_above(epsilon)]
        found.append((excess, sorted(rows, key=_likely, reverse=True), worlds))
    excess, rows, worlds = max(found, key=lambda entry: entry[0])
    if not rows:
        return None
    return _refutation(worlds, rows, excess, float_above(price["delta"]), grid).but(measure="delta")


def _concentrated(pair: Pair, table: Table, rho: Fraction, grid: Fraction) -> Refutation | None:
    """The order at which the Renyi divergence passes rho times the order by most."""
    if rho <= 0:
        return None
    found = []
    for way, worlds in _ways(table, pair):
        for order in _ORDERS:
            found.append((way.renyi(order).lower / float_above(rho * order), way.renyi(order).lower, order, way, worlds))
    _, loss, order, way, worlds = max(found, key=lambda entry: entry[0])
    row = way.attained()
    return _refutation(worlds, [row], loss, float_above(rho * order), grid).but(measure=f"renyi divergence of order {order}")
