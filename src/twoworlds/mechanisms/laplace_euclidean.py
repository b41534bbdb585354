"""Several numbers that one record moves by a known Euclidean length: by Cauchy-Schwarz, sqrt(k) of it in total."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import L2


@mechanism(
    neighbours=L2("values", by="sensitivity"),
    price=Pure("epsilon * sqrt(len(values)) / root"),
    accuracy=Within("root * sensitivity * log(k / beta) / epsilon + grid", k="len(values)"),
    cite="Dwork, McSherry, Nissim and Smith 2006, proposition 1, with the L1 length at most sqrt(k) times the L2 length",
    worst=(Case([0, 0, 0, 0], [1, 1, 1, 1], {"sensitivity": 2, "epsilon": 1, "root": 2}),),
)
def laplace_euclidean(values, *, sensitivity, epsilon, root, sample):
    """Each value with Laplace noise of scale root * sensitivity / epsilon; a root of sqrt(len(values)) costs epsilon."""
    return values + sample(Laplace(root * sensitivity / epsilon), len(values))
