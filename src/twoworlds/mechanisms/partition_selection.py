"""Which groups may be named: those whose noisy number of users passes a threshold that an empty group cannot reach."""

from twoworlds.losses.prices import Approximate
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import ExponentialWeights
from twoworlds.worlds.neighbours import One


@mechanism(
    neighbours=One("users", by=1, grid=1),
    price=Approximate(
        "epsilon",
        "exp(-reach * epsilon) * (1 - exp(-epsilon)) / (1 + exp(-epsilon) - 2 * exp(-(reach + 1) * epsilon))",
    ),
    cite="Desfontaines, Voss, Gipson and Mandayam 2022, theorems 2 and 3: the optimum for one user in one group",
    worst=(Case([0], [1], {"reach": 2, "epsilon": 1}), Case([3], [4], {"reach": 2, "epsilon": 1})),
)
def partition_selection(users, *, reach: int, epsilon, sample):
    """Each number of users with geometric noise between -reach and reach, where that is above reach; None for the others."""
    noise = sample(ExponentialWeights([-abs(j - reach) for j in range(2 * reach + 1)], 1 / epsilon), len(users))
    noisy = [users[i] + noise[i] - reach for i in range(len(users))]
    return [count if count > reach else None for count in noisy]
