"""Randomized response with two fair coins: heads, tell the truth; tails, let the second coin answer."""

from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import Bernoulli
from twoworlds.worlds.neighbours import Local


@mechanism(
    neighbours=Local("truth", values=(False, True)),
    price=Pure("log(3)"),
    cite="Warner 1965; Dwork and Roth 2014, claim 3.5",
    worst=(Case(False, True, {}),),
)
def fair_coins(truth, *, sample):
    """One person's answer to a yes/no question, deniable at ln 3."""
    if sample(Bernoulli(Fraction(1, 2))):
        return truth
    return sample(Bernoulli(Fraction(1, 2)))
