"""Planted wrong cards, each wrong for a reason of its own; `tabulate` must find a loss above the claim on the stated worlds."""

from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.worlds.arrays import argmax, clip
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import Bernoulli, ExponentialWeights, Laplace
from twoworlds.worlds.neighbours import Each, Local, Number, One


@mechanism(
    neighbours=Each("queries", by=1),
    price=Pure("epsilon"),
    worst=(Case([0, 0, 1], [1, 1, 0], {"threshold": 0, "epsilon": 1}),),
)
def releases_the_noisy_query(queries, threshold, *, epsilon, sample):
    """Sparse vector that also releases the very noisy value that it compared (Lyu, Su and Li 2017, algorithm 3)."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    for i in range(len(queries)):
        noisy = queries[i] + sample(Laplace(2 / epsilon))
        if noisy >= noisy_threshold:
            return i, noisy
    return None


@mechanism(
    neighbours=Each("queries", by=1),
    price=Pure("epsilon"),
    worst=(Case([0, 1], [1, 0], {"threshold": 1, "epsilon": 1}),),
)
def no_noise_on_the_queries(queries, threshold, *, epsilon, sample):
    """Noise on the threshold alone, and all answers released (Lyu, Su and Li 2017, algorithm 5)."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    for i in range(len(queries)):
        answers.append(queries[i] >= noisy_threshold)
    return answers


@mechanism(
    neighbours=Each("scores", by=1),
    price=Pure("epsilon"),
    worst=(Case([0, 0, 0, 0], [1, -1, -1, -1], {"epsilon": 1}),),
)
def noisy_max_at_half_the_noise(scores, *, epsilon, sample):
    """Report noisy max with the scale for a single query."""
    best = 0
    largest = scores[0] + sample(Laplace(Fraction(1, 2) / epsilon))
    for i in range(1, len(scores)):
        noisy = scores[i] + sample(Laplace(Fraction(1, 2) / epsilon))
        if noisy > largest:
            best = i
            largest = noisy
    return best


@mechanism(
    neighbours=Each("scores", by=1),
    price=Pure("epsilon"),
    worst=(Case([0, 0, 0], [1, 1, 1], {"epsilon": 1}),),
)
def noisy_max_with_its_value(scores, *, epsilon, sample):
    """Releases the winner's noisy score too, which one price does not cover."""
    best = 0
    largest = scores[0] + sample(Laplace(1 / epsilon))
    for i in range(1, len(scores)):
        noisy = scores[i] + sample(Laplace(1 / epsilon))
        if noisy > largest:
            best = i
            largest = noisy
    return best, largest


@mechanism(
    neighbours=Each("scores", by=1),
    price=Pure("epsilon"),
    worst=(Case([0, 0, 0], [1, -1, -1], {"epsilon": 1}),),
)
def exponential_without_the_two(scores, *, epsilon, sample):
    """The exponential mechanism at epsilon instead of half of it."""
    return sample(ExponentialWeights(scores, 1 / epsilon))


@mechanism(neighbours=One("counts", by=1), price=Pure("epsilon"), worst=(Case([0, 3], [1, 3], {"epsilon": 1}),))
def skips_empty_cells(counts, *, epsilon, sample):
    """Noise on every count but those that are zero, which shows that they are."""
    noisy = []
    for i in range(len(counts)):
        if counts[i] == 0:
            noisy.append(0)
        else:
            noisy.append(counts[i] + sample(Laplace(1 / epsilon)))
    return noisy


@mechanism(neighbours=Number("count", by=2, grid=1), price=Pure("epsilon"), worst=(Case(0, 2, {"most": 4, "epsilon": 1}),))
def scale_for_another_sensitivity(count, *, most, epsilon, sample):
    """A count that one person moves by 2, with the noise for 1."""
    return clip(count + sample(Laplace(1 / epsilon)), 0, most)


@mechanism(neighbours=Local("truth", values=(False, True)), price=Pure("log(3)"), worst=(Case(False, True, {}),))
def lies_too_rarely(truth, *, sample):
    """Randomized response with a coin of 4/5, sold as the fair one."""
    if sample(Bernoulli(Fraction(4, 5))):
        return truth
    return not truth


@mechanism(neighbours=Local("truth", values=(False, True)), price=Pure("log(3)"), worst=(Case(False, True, {}),))
def tells_the_coin(truth, *, sample):
    """Randomized response that shows the first coin."""
    coin = sample(Bernoulli(Fraction(1, 2)))
    if coin:
        return coin, truth
    return coin, sample(Bernoulli(Fraction(1, 2)))


@mechanism(
    neighbours=Each("scores", by=1),
    price=Pure("epsilon"),
    worst=(Case([0, 0, 0], [-1, 1, 1], {"epsilon": 1}),),
)
def argmax_of_one_noise(scores, *, epsilon, sample):
    """The same noise added to all scores, which changes nothing."""
    noise = sample(Laplace(2 / epsilon))
    return argmax([score + noise for score in scores])
