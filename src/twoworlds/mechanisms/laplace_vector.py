"""Several numbers that one record moves by a known amount in total, released with Laplace noise."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import L1


@mechanism(
    neighbours=L1("values", by="sensitivity"),
    price=Pure("epsilon"),
    accuracy=Within("sensitivity * log(k / beta) / epsilon + grid", k="len(values)"),
    cite="Dwork, McSherry, Nissim and Smith 2006, proposition 1; Dwork and Roth 2014, theorems 3.6 and 3.8",
    worst=(Case([0, 0], [1, 0], {"sensitivity": 1, "epsilon": 1}), Case([0, 0], [1, 1], {"sensitivity": 2, "epsilon": 1})),
)
def laplace_vector(values, *, sensitivity, epsilon, sample):
    """Each value with Laplace noise of scale sensitivity / epsilon; the sensitivity is in L1, summed over the values."""
    return values + sample(Laplace(sensitivity / epsilon), len(values))
