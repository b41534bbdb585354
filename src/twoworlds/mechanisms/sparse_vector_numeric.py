"""Sparse vector that also answers the queries that reach the threshold, with noise of its own."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("queries", by=1),
    price=Pure("epsilon"),
    accuracy=Within("12 * limit * (log(k) + log(3 / beta)) / epsilon + 2 * grid", k="len(queries)"),
    cite="Dwork and Roth 2014, theorem 3.28, with three equal parts; Lyu, Su and Li 2017, algorithm 7",
    worst=(Case([0] * 10 + [1], [1] * 10 + [0], {"threshold": 0, "limit": 1, "epsilon": 1}),),
)
def sparse_vector_numeric(queries, threshold, *, limit: int, epsilon, sample):
    """A fresh noisy answer for each query that is about the threshold or more, None for others, stopping after `limit`."""
    noisy_threshold = threshold + sample(Laplace(3 / epsilon))
    answers = []
    found = 0
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(6 * limit / epsilon)) >= noisy_threshold:
            answers.append(queries[i] + sample(Laplace(3 * limit / epsilon)))
            found = found + 1
            if found >= limit:
                break
        else:
            answers.append(None)
    return answers
