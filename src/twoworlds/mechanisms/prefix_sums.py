"""Running totals of a stream in which one record changes a single entry: noise on every entry, summed along."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import One


@mechanism(
    neighbours=One("values", by=1),
    price=Pure("epsilon"),
    accuracy=Within("sqrt(8 * log(2 * k / beta)) * max(sqrt(k), sqrt(log(2 * k / beta))) / epsilon", k="len(values)"),
    cite="Chan, Shi and Song 2011, simple counting mechanism II; tail of the sum: their lemma 2.8",
    worst=(Case([0, 0, 0], [1, 0, 0], {"epsilon": 1}),),
)
def prefix_sums(values, *, epsilon, sample):
    """After each entry, the sum so far of all entries, each with Laplace noise of scale 1 / epsilon."""
    totals = []
    total = 0
    for i in range(len(values)):
        total = total + values[i] + sample(Laplace(1 / epsilon))
        totals.append(total)
    return totals
