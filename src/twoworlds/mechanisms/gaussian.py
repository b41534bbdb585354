"""Numbers that one record moves by a known Euclidean length, released with Gaussian noise."""

from twoworlds.losses.prices import GaussianPrivacy
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Gaussian
from twoworlds.worlds.neighbours import L2


@mechanism(
    neighbours=L2("values", by="sensitivity"),
    price=GaussianPrivacy("sensitivity / sigma"),
    accuracy=Within("sigma * sqrt(2 * log(2 * k / beta)) + grid", k="len(values)"),
    cite="Dong, Roth and Su 2022, theorem 2.7; analytic calibration: Balle and Wang 2018, theorem 8",
    worst=(Case([0], [1], {"sensitivity": 1, "sigma": 1}),),
)
def gaussian(values, *, sensitivity, sigma, sample):
    """Each value with Gaussian noise of standard deviation sigma, rounded to the grid; the sensitivity is in L2."""
    return values + sample(Gaussian(sigma), len(values))
