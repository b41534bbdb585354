"""Uniform whole numbers below any bound, as arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twoworlds.sampling.entropy import Stream
from twoworlds.worlds.errors import BadArgument

__all__ = ["uniform"]


def uniform(bound: int, count: int, stream: Stream) -> NDArray[np.int64]:
    """`count` numbers from 0 to bound - 1, all alike: as many bits as bound - 1 has, drawn again while too large.

    How often a number is drawn again does not depend on the number that is kept.
    """
    if bound > 1 << 63:
        raise BadArgument("n", bound, "does not fit the 64-bit integers of an array", "Draw such numbers one by one")
    length = (bound - 1).bit_length()
    kind = next(kind for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if np.iinfo(kind).bits >= length)
    numbers = (stream.array(count, kind) >> (np.iinfo(kind).bits - length)).astype(np.int64)
    while len(large := np.flatnonzero(numbers >= bound)):
        numbers[large] = (stream.array(len(large), kind) >> (np.iinfo(kind).bits - length)).astype(np.int64)
    return numbers
