"""Report noisy max with two-sided Laplace noise: only the index of the largest noisy score is seen."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("scores", by="sensitivity"),
    price=Pure("epsilon"),
    accuracy=Within("4 * sensitivity * log(k / beta) / epsilon + 2 * grid", k="len(scores)"),
    cite="Dwork and Roth 2014, claim 3.9, with the scale for queries that are not monotone",
    worst=(Case([0, 20], [1, 19], {"sensitivity": 1, "epsilon": 1}),),
)
def noisy_max_laplace(scores, *, sensitivity, epsilon, sample):
    """The index of the largest score after two-sided Laplace noise of scale 2 * sensitivity / epsilon; the first of equals."""
    best = 0
    largest = scores[0] + sample(Laplace(2 * sensitivity / epsilon))
    for i in range(1, len(scores)):
        noisy = scores[i] + sample(Laplace(2 * sensitivity / epsilon))
        if noisy > largest:
            best = i
            largest = noisy
    return best
