"""A place on a grid, moved by noise so that nearby places look alike: privacy in proportion to distance."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Metric


@mechanism(
    neighbours=Metric("place", kind="manhattan", by=1, grid=1),
    price=Pure("epsilon"),
    accuracy=Within("2 * log(2 / beta) / epsilon + 2 * grid"),
    cite="Andres, Bordenabe, Chatzikokolakis and Palamidessi 2013, for the Manhattan distance on a grid",
    worst=(Case((0, 0), (1, 0), {"epsilon": 1}),),
)
def planar_laplace(place, *, epsilon, sample):
    """The place, each coordinate with Laplace noise of scale 1 / epsilon; places d apart cost d * epsilon."""
    return place[0] + sample(Laplace(1 / epsilon)), place[1] + sample(Laplace(1 / epsilon))
