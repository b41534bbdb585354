"""Sparse vector that also tells, for free, by how much a query passed the noisy threshold."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("queries", by=1),
    price=Pure("epsilon"),
    accuracy=Within("8 * limit * (log(k) + log(2 / beta)) / epsilon + 2 * grid", k="len(queries)"),
    cite="Ding, Wang, Xiao, Zhang and Kifer 2019, free gap, theorem 4; Wang, Ding, Wang, Xiao and Kifer 2019",
    worst=(Case([0] * 10 + [1], [1] * 10 + [0], {"threshold": 0, "limit": 1, "epsilon": 1}),),
)
def sparse_vector_gap(queries, threshold, *, limit: int, epsilon, sample):
    """The gap between noisy query and noisy threshold where it is 0 or more, None elsewhere, stopping after `limit` gaps."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    found = 0
    for i in range(len(queries)):
        noisy = queries[i] + sample(Laplace(4 * limit / epsilon))
        if noisy >= noisy_threshold:
            answers.append(noisy - noisy_threshold)
            found = found + 1
            if found >= limit:
                break
        else:
            answers.append(None)
    return answers
