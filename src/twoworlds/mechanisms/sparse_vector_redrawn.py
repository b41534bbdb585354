"""The sparse vector of the textbook, which draws the threshold's noise afresh after each query that reaches it."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("queries", by=1),
    price=Pure("epsilon"),
    accuracy=Within("8 * limit * (log(k) + log(2 * limit / beta)) / epsilon + 2 * grid", k="len(queries)"),
    cite="Dwork and Roth 2014, theorems 3.25 and 3.26; Lyu, Su and Li 2017, algorithm 2",
    worst=(Case([0] * 10 + [1], [1] * 10 + [0], {"threshold": 0, "limit": 1, "epsilon": 1}),),
)
def sparse_vector_redrawn(queries, threshold, *, limit: int, epsilon, sample):
    """For each query whether it is about the threshold or more, stopping after `limit` that are."""
    noisy_threshold = threshold + sample(Laplace(2 * limit / epsilon))
    answers = []
    found = 0
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(4 * limit / epsilon)) >= noisy_threshold:
            answers.append(True)
            noisy_threshold = threshold + sample(Laplace(2 * limit / epsilon))
            found = found + 1
            if found >= limit:
                break
        else:
            answers.append(False)
    return answers
