"""Report noisy max with one-sided exponential noise drawn as one array: for thousands of candidates, such as cells of a grid."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.arrays import argmax
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
def noisy_max_array(scores, *, sensitivity, epsilon, sample):
    """Index of the largest score after one-sided exponential noise of scale 2 * sensitivity / epsilon; the first of equals."""
    return argmax(scores + sample(Exponential(2 * sensitivity / epsilon), len(scores)))
