"""Which query is the first to reach a threshold? The price does not depend on how many queries fall below."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("queries", by=1),
    price=Pure("epsilon"),
    accuracy=Within("8 * (log(k) + log(2 / beta)) / epsilon + 2 * grid", k="len(queries)"),
    cite="Dwork and Roth 2014, theorems 3.23 and 3.24",
    worst=(Case([0] * 10 + [1], [1] * 10 + [0], {"threshold": 0, "epsilon": 1}),),
)
def above_threshold(queries, threshold, *, epsilon, sample):
    """Index of the first query that is about the threshold or more, or None."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(4 / epsilon)) >= noisy_threshold:
            return i
    return None
