"""The exact measures, made of what the engine found: every group and cell that it did not find holds nothing, and is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from twoworlds.queries.compiling import HALF, Compiled
from twoworlds.queries.engine import Columns, Engine
from twoworlds.queries.measures import Typed
from twoworlds.queries.plan import Value
from twoworlds.queries.pricing import Offer, cells_of

__all__ = ["Filled", "filled"]

Keys = tuple[tuple[Value, ...], ...]
_FITS = 2**62


@dataclass(frozen=True)
class Filled:
    """For each measure an array with one row for each group and one column for each cell."""

    keys: Keys
    arrays: Mapping[int, Any]

    def entries(self, measure: int) -> list[int]:
        """All entries of a measure, group by group."""
        entries: list[int] = self.arrays[measure].reshape(-1).tolist()
        return entries

    def rows(self, measure: int) -> Any:
        """The entries of a measure, one row for each group."""
        return self.arrays[measure]

    def only(self, groups: Sequence[int]) -> Filled:
        """These groups, in this order."""
        kept = list(groups)
        return Filled(tuple(self.keys[i] for i in kept), {i: array[kept] for i, array in self.arrays.items()})


def filled(offer: Offer, scans: Sequence[Compiled], engine: Engine) -> Filled:
    """What the scans find, for every group."""
    results = [(scan, engine.run(scan.text)) for scan in scans]
    typed = offer.typed
    if typed.unknown_keys:
        found = {key: None for _, columns in results for key in _key_tuples(typed, columns)}
        keys = tuple(found)
        places = {key: i for i, key in enumerate(keys)}
    else:
        keys = tuple(product(*(key.values or () for key in typed.query.keys)))
        places = None
    arrays: dict[int, Any] = {}
    for scan, columns in results:
        groups = columns["g"] if places is None else [places[key] for key in _key_tuples(typed, columns)]
        arrays |= _arrays(typed, scan, columns, groups, len(keys))
    return Filled(keys, arrays)


def _key_tuples(typed: Typed, columns: Columns) -> list[tuple[Value, ...]]:
    return list(zip(*(columns[f"k{j}"].tolist() for j in range(len(typed.query.keys))), strict=True))


def _arrays(typed: Typed, scan: Compiled, columns: Columns, groups: Any, count: int) -> dict[int, Any]:
    import numpy as np  # noqa: PLC0415  loaded with the engine

    place = np.asarray(groups, dtype=np.int64)
    arrays = {}
    added = slice(None) if scan.celled is None else columns["c"] < 0  # what is added up stands beside no cell
    for i in scan.measures:
        values = columns[f"m{i}"][added]
        if i in scan.wide:
            values = columns[f"h{i}"][added].astype(object) * HALF + values.astype(object)
        arrays[i] = _summed(place[added], values, count).reshape(count, 1)
    if scan.celled is not None:
        cells = cells_of(typed.measures[scan.celled])
        inside = columns["c"] >= 0  # rows whose value is unknown or listed nowhere are in no cell
        cell = np.minimum(columns["c"][inside], cells - 1)
        arrays[scan.celled] = _summed(place[inside] * cells + cell, columns["n"][inside], count * cells).reshape(count, cells)
    return arrays


def _summed(places: Any, values: Any, length: int) -> Any:
    """Values added up by place, as Python's whole numbers where 64 bits might not hold them."""
    import numpy as np  # noqa: PLC0415  loaded with the engine

    large = values.dtype == object or float(np.abs(values.astype(np.float64)).sum()) >= _FITS
    sums = np.zeros(length, dtype=object if large else np.int64)
    np.add.at(sums, places, values.astype(sums.dtype))
    return sums
