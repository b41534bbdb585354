"""Report noisy max with Gumbel noise: only the index of the largest noisy score is seen."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Gumbel
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("scores", by="sensitivity"),
    price=Pure("epsilon"),
    accuracy=Within("2 * sensitivity * log(k / beta) / epsilon + grid", k="len(scores)"),
    cite="Dwork and Roth 2014, section 3.4; the Gumbel trick: Yellott 1977",
    worst=(Case([0, 20], [1, 19], {"sensitivity": 1, "epsilon": 1}),),
)
def noisy_max_gumbel(scores, *, sensitivity, epsilon, sample):
    """The index of the largest score after Gumbel noise of scale 2 * sensitivity / epsilon; the first of equals."""
    best = 0
    largest = scores[0] + sample(Gumbel(2 * sensitivity / epsilon))
    for i in range(1, len(scores)):
        noisy = scores[i] + sample(Gumbel(2 * sensitivity / epsilon))
        if noisy > largest:
            best = i
            largest = noisy
    return best
