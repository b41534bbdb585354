"""Permute and flip: candidates in random order, each taken by a coin that favours the best."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import BernoulliExp, Uniform
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("scores", by="sensitivity"),
    price=Pure("epsilon"),
    accuracy=Within("2 * sensitivity * (log(k) + log(1 / beta)) / epsilon", k="len(scores)"),
    cite="McKenna and Sheldon 2020, theorems 1 and 2: never worse than the exponential mechanism",
    worst=(Case([0, 20], [1, 19], {"sensitivity": 1, "epsilon": 1}),),
)
def permute_and_flip(scores, *, sensitivity, epsilon, sample):
    """The first candidate in random order whose coin, of probability exp(epsilon (score - best) / (2 sensitivity)), is heads."""
    best = max(scores)
    left = [i for i in range(len(scores))]
    for _ in range(len(scores)):
        pick = left[sample(Uniform(len(left)))]
        if sample(BernoulliExp(epsilon * (best - scores[pick]) / (2 * sensitivity))):
            return pick
        left = [i for i in left if i != pick]
    return None
