"""Programs that cost more than their concentrated or Gaussian price; each must stay unproved."""

from twoworlds.losses.prices import Concentrated, GaussianPrivacy
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import DiscreteGaussian, Exponential, ExponentialWeights, Gaussian, Laplace
from twoworlds.worlds.neighbours import Each, Monotone, Number


@mechanism(neighbours=Number("value", by=1), price=Concentrated("1 / (sigma * sigma)"))
def moved_twice_as_far(value, *, sigma, sample):
    """The value moves by 2, which costs four times as much and not twice."""
    return 2 * value + sample(Gaussian(sigma))


@mechanism(neighbours=Number("value", by=1), price=GaussianPrivacy("1 / sigma"))
def same_noise_again(value, *, sigma, sample):
    """One draw hides two different numbers; their difference tells the secret."""
    noise = sample(Gaussian(sigma))
    return value + noise, 2 * value + noise


@mechanism(neighbours=Number("value", by=1), price=Concentrated("1 / (2 * sigma * sigma)"))
def unreleased_middle(value, *, sigma, sample):
    """The second block reads what the first kept back: the value before its noise."""
    doubled = value + value
    first = value + sample(Gaussian(sigma))
    return first, doubled + sample(Gaussian(2 * sigma))


@mechanism(neighbours=Number("value", by=1), price=Concentrated("1 / 2"))
def scale_from_the_secret(value, *, sample):
    """The spread of the answer tells the secret."""
    return value + sample(Gaussian(1 + abs(value)))


@mechanism(neighbours=Number("value", by=1), price=Concentrated("1 / (2 * sigma * sigma) + epsilon / 2"))
def square_forgotten(value, *, sigma, epsilon, sample):
    """An epsilon-private answer is epsilon-squared-over-2 concentrated: above epsilon / 2 for epsilon above 1."""
    return value + sample(Gaussian(sigma)), value + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Number("value", by=1, grid=1), price=Concentrated("rounds / (2 * sigma * sigma)"))
def one_round_more(value, *, rounds: int, sigma, sample):
    """A round more than is paid for."""
    answers = []
    for _ in range(rounds + 1):
        answers.append(value + sample(DiscreteGaussian(sigma)))
    return answers


@mechanism(neighbours=Each("queries", by=1), price=Concentrated("1 / (2 * sigma * sigma)"))
def every_query_for_one(queries, *, sigma, sample):
    """Every query may move, and one is paid for."""
    return [query + sample(Gaussian(sigma)) for query in queries]


@mechanism(neighbours=Number("value", by=1), price=Concentrated("epsilon * epsilon / 2"))
def one_sided(value, *, epsilon, sample):
    """One-sided noise: the smallest output tells the secret."""
    return value + sample(Exponential(1 / epsilon))


@mechanism(neighbours=Number("value", by=1, grid=1), price=GaussianPrivacy("1 / sigma"))
def discrete_is_not_gaussian(value, *, sigma, sample):
    """Discrete Gaussian noise is concentrated; at small sigma its trade-off curve is below the Gaussian one."""
    return value + sample(DiscreteGaussian(sigma))


@mechanism(neighbours=Number("value", by=1), price=Concentrated("sigma / (2 * sigma * sigma * sigma)"))
def sign_of_the_noise(value, *, sigma, sample):
    """The noise is released too, and so is the value."""
    noise = sample(Gaussian(sigma))
    return noise, value + noise


@mechanism(neighbours=Monotone(Each("queries", by=1)), price=Concentrated("1 / (sigma * sigma)"))
def gaussian_search(queries, threshold, *, sigma, sample):
    """Above threshold with Gaussian noise: the shift of a query waits for its noise, and then squares do not add up."""
    bar = threshold + sample(Gaussian(sigma))
    for i in range(len(queries)):
        if queries[i] + sample(Gaussian(sigma)) >= bar:
            return i
    return None


@mechanism(neighbours=Number("value", by=1), price=Concentrated("scale / 2"))
def scale_read_elsewhere(value, *, scale, sample):
    """The parameter is a factor of the price and no divisor."""
    return value + sample(Gaussian(scale))


@mechanism(neighbours=Each("scores", by=1), price=Concentrated("epsilon"))
def choice_paid_linearly(scores, *, epsilon, sample):
    """A choice that is epsilon-private by its scores is epsilon squared over 8 concentrated: more than epsilon above 8."""
    return sample(ExponentialWeights(scores, 2 / epsilon))


@mechanism(neighbours=Each("scores", by=1), price=Concentrated("1 / (t * t)"))
def choice_by_doubled_scores(scores, *, t, sample):
    """The scores move twice as far, which costs four times as much and not twice."""
    return sample(ExponentialWeights([2 * score for score in scores], t))


@mechanism(neighbours=Each("scores", by=1), price=GaussianPrivacy("2 / t"))
def choice_is_not_gaussian(scores, *, t, sample):
    """At large t the trade-off curve of a choice has corners below the Gaussian one."""
    return sample(ExponentialWeights(scores, t))
