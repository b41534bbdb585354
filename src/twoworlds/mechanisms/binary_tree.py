"""Continual counting by a binary tree: every running total needs only logarithmically many noisy parts."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, Within, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import One


@mechanism(
    neighbours=One("values", by=1),
    price=Pure("epsilon"),
    accuracy=Within(
        "sqrt(8 * log(2 * k / beta)) * max(sqrt(levels), sqrt(log(2 * k / beta))) * levels / epsilon",
        k="len(values)",
    ),
    cite="Dwork, Naor, Pitassi and Rothblum 2010; Chan, Shi and Song 2011, binary mechanism, theorem 3.5 and lemma 2.8",
    worst=(Case([0, 0, 0], [1, 0, 0], {"levels": 2, "epsilon": 1}),),
)
def binary_tree(values, *, levels: int, epsilon, sample):
    """After each entry, the noisy total so far; fewer than 2 ** levels entries fit; each is in `levels` parts."""
    exact = [0 for _ in range(levels)]
    noisy = [0 for _ in range(levels)]
    totals = []
    for i in range(len(values)):
        node = values[i]
        level = 0
        rest = i + 1
        while rest % 2 == 0:
            node = node + exact[level]
            exact[level] = 0
            noisy[level] = 0
            level = level + 1
            rest = rest // 2
        exact[level] = node
        noisy[level] = node + sample(Laplace(levels / epsilon))
        totals.append(sum(noisy))
    return totals
