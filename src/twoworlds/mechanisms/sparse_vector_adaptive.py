"""Sparse vector that pays half as much for queries far above the threshold, and so answers more of them."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("queries", by=1),
    price=Pure("epsilon"),
    cite="Ding, Wang, Xiao, Zhang and Kifer 2019, algorithm 2 and theorem 6, with half the budget on the threshold",
    worst=(Case([0] * 4 + [1], [1] * 4 + [0], {"threshold": 0, "margin": 2, "limit": 1, "epsilon": 1}),),
)
def sparse_vector_adaptive(queries, threshold, *, margin, limit: int, epsilon, sample):
    """The gaps of queries about the threshold or more; one above by `margin` costs half, so up to 2 * limit fit in."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    spent = 0
    for i in range(len(queries)):
        rough = queries[i] + sample(Laplace(8 * limit / epsilon))
        fine = queries[i] + sample(Laplace(4 * limit / epsilon))
        if rough - noisy_threshold >= margin:
            answers.append(rough - noisy_threshold)
            spent = spent + 1
        elif fine - noisy_threshold >= 0:
            answers.append(fine - noisy_threshold)
            spent = spent + 2
        else:
            answers.append(None)
        if spent > 2 * limit - 2:
            break
    return answers
