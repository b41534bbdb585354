"""Several numbers that one record may each move by a known amount: the Laplace scale pays for all of them."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("values", by="sensitivity"),
    price=Pure("epsilon"),
    accuracy=Within("k * sensitivity * log(k / beta) / epsilon + grid", k="len(values)"),
    cite="Dwork, McSherry, Nissim and Smith 2006, proposition 1, with the L1 sensitivity k times the largest move",
    worst=(Case([0, 0], [1, 1], {"sensitivity": 1, "epsilon": 1}),),
)
def laplace_each(values, *, sensitivity, epsilon, sample):
    """Each value with Laplace noise of scale len(values) * sensitivity / epsilon, for the largest move of one value."""
    return values + sample(Laplace(len(values) * sensitivity / epsilon), len(values))
