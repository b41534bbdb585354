"""Randomized response among k answers: the true one is exp(epsilon) times as likely as any other."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import ExponentialWeights
from twoworlds.worlds.neighbours import Local


@mechanism(
    neighbours=Local("answer"),
    price=Pure("epsilon"),
    cite="Kairouz, Bonawitz and Ramage 2016, section 2",
    worst=(Case(0, 1, {"options": 3, "epsilon": 1}),),
)
def k_ary_response(answer, *, options: int, epsilon, sample):
    """The true answer with probability exp(epsilon) / (exp(epsilon) + options - 1), else one of the others, all alike."""
    return sample(ExponentialWeights([epsilon if i == answer else 0 for i in range(options)]))
