"""The averages of d properties over a public number of records, answered all at once."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Each


@mechanism(
    neighbours=Each("totals", by=1),
    price=Pure("epsilon"),
    accuracy=Within("(d * log(d / beta) / epsilon + grid) / records", d="len(totals)"),
    cite="Dwork, McSherry, Nissim and Smith 2006; Blum, Dwork, McSherry and Nissim 2005 (statistical queries)",
    worst=(Case([0, 0], [1, 1], {"records": 2, "epsilon": 1}),),
)
def statistical_queries(totals, *, records: int, epsilon, sample):
    """Each of d totals of values in [0, 1], with Laplace noise of scale d / epsilon, divided by the number of records."""
    answers = []
    for i in range(len(totals)):
        answers.append((totals[i] + sample(Laplace(len(totals) / epsilon))) / records)
    return answers
