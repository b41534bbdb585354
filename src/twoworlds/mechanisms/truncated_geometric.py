"""A count from a known range, released inside that range: as useful as any private count can be."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.arrays import clip
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Number


@mechanism(
    neighbours=Number("count", by=1, grid=1),
    price=Pure("epsilon"),
    accuracy=Within("log(2 / (beta * (1 + exp(-epsilon)))) / epsilon"),
    cite="Ghosh, Roughgarden and Sundararajan 2012, definition 2.3 and theorem 1.2",
    worst=(Case(0, 1, {"most": 4, "epsilon": 1}),),
)
def truncated_geometric(count, *, most: int, epsilon, sample):
    """The count with geometric noise, held between 0 and the public largest count."""
    return clip(count + sample(Laplace(1 / epsilon)), 0, most)
