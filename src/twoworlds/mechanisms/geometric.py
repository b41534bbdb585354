"""A whole number with two-sided geometric noise: the discrete Laplace on the grid of step 1."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Number


@mechanism(
    neighbours=Number("count", by="sensitivity", grid=1),
    price=Pure("epsilon"),
    accuracy=Within("sensitivity * log(2 / (beta * (1 + exp(-epsilon / sensitivity)))) / epsilon"),
    cite="Ghosh, Roughgarden and Sundararajan 2012, definition 2.1",
    worst=(Case(0, 1, {"sensitivity": 1, "epsilon": 1}),),
)
def geometric(count, *, sensitivity, epsilon, sample):
    """The count with noise X, P[X = x] proportional to exp(-epsilon |x| / sensitivity) on the whole numbers."""
    return count + sample(Laplace(sensitivity / epsilon))
