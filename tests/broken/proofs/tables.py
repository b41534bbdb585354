"""Programs that are not private at their price, and pass if their table of outcomes, or a rule, is taken for more than it says.

`tests/proofs/test_outcomes.py` takes the check away for which each of them stands.
"""

from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import Bernoulli, BernoulliExp, ExponentialWeights, Uniform
from twoworlds.worlds.neighbours import Each, Local


@mechanism(neighbours=Local("secret", (False, True)), price=Pure("epsilon"), worst=(Case(False, True, {"epsilon": 1}),))
def plain_at_one(secret, *, epsilon, sample):
    """A coin that is fair unless epsilon is 1."""
    if epsilon == 1:
        return secret
    return sample(Bernoulli(Fraction(1, 2)))


@mechanism(
    neighbours=Local("secret", (False, True)), price=Pure("epsilon"), worst=(Case(False, True, {"epsilon": 1, "other": 1}),)
)
def plain_where_equal(secret, *, epsilon, other, sample):
    """A coin that is fair unless two parameters are equal."""
    flip = sample(Bernoulli(Fraction(1, 2)))
    if other != epsilon:
        return flip
    return secret


@mechanism(neighbours=Local("secret", (0, 1)), price=Pure("log(9 / (1 + 2 * chance))"))
def coin_on_one_path(secret, *, chance, sample):
    """Where `chance` is 7/2 one path ends in an error, and the other one costs log 3 where the price is log 9/8."""
    if sample(Bernoulli(Fraction(3, 4) if secret == 1 else Fraction(1, 4))):
        return sample(Bernoulli(chance))
    return 7


@mechanism(neighbours=Local("secret", (0, 1)), price=Pure("epsilon"))
def divides_in_one_world(secret, *, epsilon, sample):
    """Where epsilon is 0, one world ends in an error and the other does not."""
    flip = sample(Bernoulli(Fraction(1, 2)))
    if secret == 1:
        wasted = 1 / epsilon
        wasted = wasted - wasted
    return flip


@mechanism(neighbours=Local("secret", (0, 1)), price=Pure("epsilon"))
def divides_itself_away(secret, *, epsilon, sample):
    """The same in the chance of a coin."""
    return sample(Bernoulli(epsilon / epsilon / 2 if secret == 1 else Fraction(1, 2)))


@mechanism(neighbours=Local("secret", (0, 1)), price=Pure("epsilon"), worst=(Case(0, 1, {"epsilon": 1}),))
def yes_and_one(secret, *, epsilon, sample):  # noqa: ARG001  it is only in the price
    """True and 1 are equal in Python, and a reader can tell them apart."""
    flip = sample(Bernoulli(Fraction(1, 2)))
    if secret == 1:
        return flip, 1
    return flip, True


@mechanism(neighbours=Local("secret", (False, True)), price=Pure("epsilon"), worst=(Case(False, True, {"epsilon": 1}),))
def seldom_plain(secret, *, epsilon, sample):  # noqa: ARG001  it is only in the price
    """The secret is told on the last of many paths."""
    for _ in range(4):
        if sample(Bernoulli(Fraction(1, 2))):
            return True
    return secret


@mechanism(neighbours=Each("scores"), price=Pure("2 * abs(epsilon)"))
def flip_below_zero(scores, *, epsilon, sample):
    """Where epsilon is below 0 there is a coin for equal scores only: 0 and 0 give 0, and 0 and 1 end in an error instead."""
    best = max(scores)
    left = [i for i in range(len(scores))]  # noqa: C416  the shape that the theorem knows
    for _ in range(len(scores)):
        pick = left[sample(Uniform(len(left)))]
        if sample(BernoulliExp(epsilon * (best - scores[pick]) / 1)):
            return pick
        left = [i for i in left if i != pick]
    return None


@mechanism(neighbours=Local("secret"), price=Pure(1))
def weight_of_one_choice(secret, *, epsilon, count: int, sample):
    """Where epsilon is 0, only a secret among the choices ends in an error."""
    return sample(ExponentialWeights([epsilon / epsilon if i == secret else 0 for i in range(count)]))
