"""Counts per cell when each record is in one cell: adding or removing it moves one count by 1."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import One


@mechanism(
    neighbours=One("counts", by=1),
    price=Pure("epsilon"),
    accuracy=Within("log(k / beta) / epsilon + grid", k="len(counts)"),
    cite="Dwork, McSherry, Nissim and Smith 2006, example 2; Dwork and Roth 2014, theorem 3.8",
    worst=(Case([0, 0], [1, 0], {"epsilon": 1}),),
)
def histogram(counts, *, epsilon, sample):
    """Every count with Laplace noise of scale 1 / epsilon, empty cells included; one price for all cells."""
    return counts + sample(Laplace(1 / epsilon), len(counts))
