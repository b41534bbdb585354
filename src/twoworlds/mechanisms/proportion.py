"""What share of a public number of people says yes; one answer may change, the number may not."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import One


@mechanism(
    neighbours=One("answers", by=1, grid=1),
    price=Pure("epsilon"),
    accuracy=Within("(log(1 / beta) / epsilon + grid) / n", n="len(answers)"),
    cite="Dwork, McSherry, Nissim and Smith 2006, example 1, with sensitivity 1 / n under replacement",
    worst=(Case([0, 0, 0], [1, 0, 0], {"records": 3, "epsilon": 1}),),
)
def proportion(answers, *, records: int, epsilon, sample):
    """The share of ones among the answers; `records` is their public number."""
    return (sum(answers) + sample(Laplace(1 / epsilon))) / records
