"""Which queries reach a threshold, until a limited number has: the rest are free."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("queries", by=1),
    price=Pure("epsilon"),
    accuracy=Within("8 * limit * (log(k) + log(2 / beta)) / epsilon + 2 * grid", k="len(queries)"),
    cite="Lyu, Su and Li 2017, algorithm 1",
    worst=(Case([0] * 10 + [1], [1] * 10 + [0], {"threshold": 0, "limit": 1, "epsilon": 1}),),
)
def sparse_vector(queries, threshold, *, limit: int, epsilon, sample):
    """For each query whether it is about the threshold or more, stopping after `limit` that are; one noisy threshold."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    found = 0
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(4 * limit / epsilon)) >= noisy_threshold:
            answers.append(True)
            found = found + 1
            if found >= limit:
                break
        else:
            answers.append(False)
    return answers
