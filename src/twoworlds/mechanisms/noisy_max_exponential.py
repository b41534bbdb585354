"""Report noisy max with one-sided exponential noise: only the index of the largest noisy score is seen."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Exponential
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("scores", by="sensitivity"),
    price=Pure("epsilon"),
    accuracy=Within("2 * sensitivity * log(k / beta) / epsilon", k="len(scores)"),
    cite="Dwork and Roth 2014, section 3.3, with one-sided noise; the same law as permute and flip: Ding et al. 2021",
    worst=(Case([0, 20], [1, 19], {"sensitivity": 1, "epsilon": 1}),),
)
def noisy_max_exponential(scores, *, sensitivity, epsilon, sample):
    """Index of the largest score after one-sided exponential noise of scale 2 * sensitivity / epsilon; the first of equals."""
    best = 0
    largest = scores[0] + sample(Exponential(2 * sensitivity / epsilon))
    for i in range(1, len(scores)):
        noisy = scores[i] + sample(Exponential(2 * sensitivity / epsilon))
        if noisy > largest:
            best = i
            largest = noisy
    return best
