"""A number that one record can move by a known amount, released with Laplace noise of just that scale."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Number


@mechanism(
    neighbours=Number("value", by="sensitivity"),
    price=Pure("epsilon"),
    accuracy=Within("sensitivity * log(1 / beta) / epsilon + grid"),
    cite="Dwork, McSherry, Nissim and Smith 2006, proposition 1; on the grid: Ghosh, Roughgarden and Sundararajan 2012",
    worst=(Case(0, 1, {"sensitivity": 1, "epsilon": 1}),),
)
def laplace(value, *, sensitivity, epsilon, sample):
    """The value with Laplace noise of scale sensitivity / epsilon."""
    return value + sample(Laplace(sensitivity / epsilon))
