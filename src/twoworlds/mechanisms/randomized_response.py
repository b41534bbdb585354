"""Warner's randomized response: the truth with one probability, its opposite otherwise."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import Bernoulli
from twoworlds.worlds.neighbours import Local


@mechanism(
    neighbours=Local("truth", values=(False, True)),
    price=Pure("abs(log(keep / (1 - keep)))"),
    cite="Warner 1965; optimal for one bit: Kairouz, Oh and Viswanath 2016",
    worst=(Case(False, True, {"keep": "3/4"}),),
)
def randomized_response(truth, *, keep, sample):
    """The truth with probability `keep`, its opposite otherwise."""
    if sample(Bernoulli(keep)):
        return truth
    return not truth
