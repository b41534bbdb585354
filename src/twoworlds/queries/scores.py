"""How well each candidate cell answers, in whole numbers: scores that one row moves little, whatever the other rows hold."""

from __future__ import annotations

import math
from typing import Any

from twoworlds.queries.steps import FINER, Step

__all__ = ["scores"]

_FITS = 2**62


def scores(step: Step, cells: Any) -> Any:
    """One score for each cell, of counts or weights of rows.

    quantile   minus the distance between the wanted rank and the ranks of the rows in the cell: one row moves the rank by q and
               those below by 1, or the one by 1 - q (Dwork and Lei 2009; the rule `quantile_scores`)
    minimum    the same for a fixed rank near the low end, as far inside as the noise reaches, and so for the maximum
    top        the rows in the cell
    """
    import numpy as np  # noqa: PLC0415  loaded with the engine

    demand, total = step.demand, int(cells.sum())
    factor = FINER * (demand.q.denominator if demand.kind == "quantile" else 1)
    own = cells if (abs(total) + 1) * factor * 4 < _FITS and cells.dtype != object else cells.astype(object)
    if demand.kind == "top":
        return own * FINER
    if demand.kind == "maximum":
        own = own[::-1]
    upto = np.cumsum(own) * factor
    below = upto - own * factor
    if demand.kind == "quantile":
        wanted = demand.q.numerator * total * FINER
    else:
        wanted = math.ceil(step.within(0.95, len(cells)))
    found = -np.maximum(np.maximum(below - wanted, wanted - upto), 0)
    return found[::-1] if demand.kind == "maximum" else found
