"""The exponential mechanism: pick a candidate, better ones exponentially more likely."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import ExponentialWeights
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("scores", by="sensitivity"),
    price=Pure("epsilon"),
    accuracy=Within("2 * sensitivity * (log(k) + log(1 / beta)) / epsilon", k="len(scores)"),
    cite="McSherry and Talwar 2007; Dwork and Roth 2014, theorems 3.10 and 3.11",
    worst=(Case([0] * 100, [1] + [-1] * 99, {"sensitivity": 1, "epsilon": 1}),),
)
def exponential(scores, *, sensitivity, epsilon, sample):
    """Index i with probability proportional to exp(epsilon * scores[i] / (2 * sensitivity))."""
    return sample(ExponentialWeights(scores, 2 * sensitivity / epsilon))
