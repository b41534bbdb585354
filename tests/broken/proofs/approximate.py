"""Programs that cost more than their approximate price at the worst case given; each must stay unproved."""

from twoworlds.losses.prices import Approximate, Pure
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import Gaussian, Laplace
from twoworlds.worlds.neighbours import Number

WORST = (Case(0, 3, {"sigma": 3, "delta": "1/1000000"}),)


@mechanism(
    neighbours=Number("value", by=3),
    price=Approximate("9 / (2 * sigma * sigma) + sqrt(9 / (2 * sigma * sigma) * log(1 / delta))", "delta"),
    worst=WORST,
)
def half_the_root(value, *, sigma, delta, sample):  # noqa: ARG001  the price alone speaks of it
    """The root is counted once, and belongs there twice."""
    return value + sample(Gaussian(sigma))


@mechanism(
    neighbours=Number("value", by=3),
    price=Approximate("9 / (2 * sigma * sigma) + 2 * sqrt(9 / (2 * sigma * sigma) * log(1 / delta))", "delta"),
    worst=WORST,
)
def one_of_two_paid(value, *, sigma, delta, sample):  # noqa: ARG001  the price alone speaks of it
    """Two answers for the price of one."""
    return value + sample(Gaussian(sigma)), value + sample(Gaussian(sigma))


@mechanism(
    neighbours=Number("value", by=3),
    price=Approximate(
        "9 / (2 * sigma * sigma) + 9 / (2 * sigma * sigma) + 2 * sqrt(9 / (2 * sigma * sigma) * log(1 / delta))", "delta"
    ),
    worst=WORST,
)
def root_of_one_of_two(value, *, sigma, delta, sample):  # noqa: ARG001  the price alone speaks of it
    """What the root forgets is no pure part: Gaussian noise has none."""
    return value + sample(Gaussian(sigma)), value + sample(Gaussian(sigma))


@mechanism(
    neighbours=Number("value", by=3),
    price=Approximate("9 / (2 * sigma * sigma) + 2 * sqrt(9 / (2 * sigma * sigma) * log(1 / 100 / delta))", "delta"),
    worst=WORST,
)
def rare_failures(value, *, sigma, delta, sample):  # noqa: ARG001  the price alone speaks of it
    """A hundred times the failures that are paid for."""
    return value + sample(Gaussian(sigma))


@mechanism(
    neighbours=Number("value", by=3),
    price=Approximate("9 / (2 * sigma * sigma) + 2 * sqrt(9 / (2 * sigma * sigma) * log(1 / delta)) - rebate * rebate", "delta"),
    worst=(Case(0, 3, {"sigma": 3, "delta": "1/1000000", "rebate": 2}),),
)
def pure_part_below_nothing(value, *, sigma, rebate, delta, sample):  # noqa: ARG001  the price alone speaks of it
    """The pure part is negative where the whole is not."""
    return value + sample(Gaussian(sigma))


@mechanism(neighbours=Number("value", by=1), price=Pure("one + two"), worst=(Case(0, 1, {"one": 1, "two": "-1/2", "both": 0}),))
def second_budget_unspent(value, *, one, two, both, sample):
    """Where the second noise is not drawn its price may be below 0."""
    first = value + sample(Laplace(1 / one))
    if both == 0:
        return first, 0
    return first, value + sample(Laplace(1 / two))
