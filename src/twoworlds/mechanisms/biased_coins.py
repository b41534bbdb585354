"""Randomized response with two coins of any bias, at the price that their biases have."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import Bernoulli
from twoworlds.worlds.neighbours import Local


@mechanism(
    neighbours=Local("truth", values=(False, True)),
    price=Pure("max(log(1 + first / ((1 - first) * second)), log(1 + first / ((1 - first) * (1 - second))))"),
    cite="Warner 1965; the price is the larger of the two answers' log ratios",
    worst=(Case(False, True, {"first": "1/2", "second": "1/4"}), Case(False, True, {"first": "1/4", "second": "1/2"})),
)
def biased_coins(truth, *, first, second, sample):
    """The truth with probability `first`; otherwise yes with probability `second`. Both coins fall, so both must exist."""
    otherwise = sample(Bernoulli(second))
    if sample(Bernoulli(first)):
        return truth
    return otherwise
