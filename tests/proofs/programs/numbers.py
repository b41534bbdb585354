"""One number or one vector with noise, and what composes of them."""

from twoworlds.losses.prices import Approximate, Concentrated, GaussianPrivacy, Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import DiscreteGaussian, Gaussian, Laplace
from twoworlds.worlds.neighbours import L1, L2, Each, Number


@mechanism(neighbours=Number("count", by="sensitivity", grid=1), price=Pure("epsilon"))
def geometric_count(count, *, sensitivity, epsilon, sample):
    """Discrete Laplace noise on the integers."""
    return count + sample(Laplace(sensitivity / epsilon))


@mechanism(neighbours=Number("count", by=1, grid=1), price=Pure("epsilon"))
def truncated_count(count, *, most, epsilon, sample):
    """Held between 0 and a public limit, by two branches."""
    noisy = count + sample(Laplace(1 / epsilon))
    if noisy < 0:
        noisy = 0
    elif noisy > most:
        noisy = most
    return noisy


@mechanism(neighbours=L1("values", by=1), price=Pure("epsilon"))
def vector(values, *, epsilon, sample):
    """A vector that moves by 1 in all."""
    return values + sample(Laplace(1 / epsilon), len(values))


@mechanism(neighbours=Number("value", by=1), price=Pure("epsilon"))
def thrice(value, *, epsilon, sample):
    """Three answers with unequal shares of the budget: a half, a third and a sixth."""
    first = value + sample(Laplace(2 / epsilon))
    second = value + sample(Laplace(3 / epsilon))
    return first, second, value + sample(Laplace(6 / epsilon))


@mechanism(neighbours=L2("values", by="sensitivity"), price=Concentrated("sensitivity * sensitivity / (2 * sigma * sigma)"))
def gaussian_vector(values, *, sensitivity, sigma, sample):  # noqa: ARG001  the relation and the price read it
    """The Gaussian mechanism in zero-concentrated privacy."""
    return values + sample(Gaussian(sigma), len(values))


@mechanism(neighbours=Number("value", by=1), price=Concentrated("1 / (sigma * sigma)"))
def gaussian_twice(value, *, sigma, sample):
    """Two Gaussian answers to one question."""
    return value + sample(Gaussian(sigma)), value + sample(Gaussian(sigma))


@mechanism(neighbours=Number("value", by=1, grid=1), price=Concentrated("rounds / (2 * sigma * sigma)"))
def discrete_gaussian_rounds(value, *, rounds: int, sigma, sample):
    """As many discrete Gaussian answers as are asked for."""
    answers = []
    for _ in range(rounds):
        answers.append(value + sample(DiscreteGaussian(sigma)))
    return answers


@mechanism(neighbours=Each("queries", by=1), price=Concentrated("len(queries) / (2 * sigma * sigma)"))
def gaussian_queries(queries, *, sigma, sample):
    """Queries of which every one may move, each with Gaussian noise."""
    return [query + sample(Gaussian(sigma)) for query in queries]


@mechanism(neighbours=Number("value", by=1), price=GaussianPrivacy("1 / sigma"))
def gaussian_number(value, *, sigma, sample):
    """Gaussian differential privacy of one answer."""
    noise = sample(Gaussian(sigma))
    return value + noise


@mechanism(neighbours=Number("value", by=1), price=Concentrated("1 / (2 * sigma * sigma) + epsilon * epsilon / 2"))
def gaussian_and_laplace(value, *, sigma, epsilon, sample):
    """A Gaussian answer and a Laplace answer: the second is epsilon-private, hence (epsilon squared / 2)-concentrated."""
    return value + sample(Gaussian(sigma)), value + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Each("queries", by=1), price=Concentrated("epsilon * epsilon / 2"))
def concentrated_search(queries, threshold, *, epsilon, sample):
    """Above threshold, priced as concentrated privacy: Bun and Steinke 2016, proposition 1.4."""
    bar = threshold + sample(Laplace(2 / epsilon))
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(4 / epsilon)) >= bar:
            return i
    return None


@mechanism(neighbours=Each("queries", by=1), price=Approximate("epsilon", "1 / 1000"))
def approximate_search(queries, threshold, *, epsilon, sample):
    """Above threshold, at a price that allows more than it needs."""
    bar = threshold + sample(Laplace(2 / epsilon))
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(4 / epsilon)) >= bar:
            return i
    return None
