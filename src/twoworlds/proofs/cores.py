"""Which premises a conclusion needs: the same ones whenever it is asked, unlike the cores that solvers give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["fewest"]

T = TypeVar("T")


def fewest(premises: Sequence[T], follows: Callable[[list[T]], bool]) -> list[int]:
    """The places of premises from which the conclusion follows and none of which can be left out; all, if it does not follow.

    The shortest sufficient beginning ends with a premise that is needed; with it put first, the search starts again.
    """
    needed: list[int] = []
    end = len(premises)
    while not follows([premises[at] for at in needed]):
        low, high = 0, end
        while low < high:
            middle = (low + high) // 2
            if follows([premises[at] for at in (*needed, *range(middle))]):
                high = middle
            else:
                low = middle + 1
        if low == 0 or low > len(premises) or (low == end and low - 1 in needed):
            return list(range(len(premises)))
        needed.append(low - 1)
        end = low - 1
    return sorted(needed)
