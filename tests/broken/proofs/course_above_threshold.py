"""The course's listing of above threshold: the noisy threshold is drawn and never used, so every query pays anew.

Course 004, read with its scales the right way up: with Laplace(4 / epsilon) on every answer compared to the bare threshold, k
queries cost k * epsilon / 4, which passes epsilon at the fifth.
"""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("queries", by=1),
    price=Pure("epsilon"),
    cite="course 004, the listing AboveT, which compares with T instead of T'",
    worst=(Case([1] * 8, [0] * 8, {"threshold": 0, "epsilon": 1}),),
)
def course_above_threshold(queries, threshold, *, epsilon, sample):
    """Index of the first query that is about the threshold or more, or None."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))  # noqa: F841  never used: that is the mistake
    for i in range(len(queries)):
        current = queries[i] + sample(Laplace(4 / epsilon))
        if current >= threshold:
            return i
    return None
