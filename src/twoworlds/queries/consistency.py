"""Noisy counts made consistent: whole, not below 0, and adding up to their noisy sum. Post-processing, so it costs nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["consistent"]


def consistent(counts: Sequence[float]) -> list[int]:
    """The nearest numbers of 0 or more with the sum of the given ones, rounded so that the sum stays whole.

    The projection onto the simplex (Duchi, Shalev-Shwartz, Singer and Chandra 2008) takes the same off every count that is left;
    what rounding leaves over goes to those that lost most by it.
    """
    total = max(0, round(sum(counts)))
    near = _projected(counts, total)
    whole = [math.floor(count) for count in near]
    order = sorted(range(len(near)), key=lambda i: (whole[i] - near[i], i))
    for i in order[: total - sum(whole)]:
        whole[i] += 1
    return whole


def _projected(counts: Sequence[float], total: int) -> list[float]:
    if not total:
        return [0.0] * len(counts)
    running, taken = 0.0, 0.0
    for kept, count in enumerate(sorted(counts, reverse=True), 1):
        running += count
        if count > (running - total) / kept:
            taken = (running - total) / kept
    return [max(count - taken, 0.0) for count in counts]
