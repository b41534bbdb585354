"""Programs whose concentrated parts may fail, beside parts that never do."""

from twoworlds.losses.prices import Approximate, Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import ExponentialWeights, Gaussian, Laplace
from twoworlds.worlds.neighbours import Each, Number


@mechanism(
    neighbours=Number("value", by=3),
    price=Approximate("9 / (2 * sigma * sigma) + 2 * sqrt(9 / (2 * sigma * sigma) * log(1 / delta))", "delta"),
)
def gaussian_answer(value, *, sigma, delta, sample):  # noqa: ARG001  the price alone speaks of it
    """Bun and Steinke 2016, proposition 1.3."""
    return value + sample(Gaussian(sigma))


@mechanism(
    neighbours=Each("values", by=1),
    price=Approximate("rounds / (2 * sigma * sigma) + 2 * sqrt(-rounds / (2 * sigma * sigma) * log(delta))", "delta"),
)
def gaussian_rounds(values, *, rounds: int, sigma, delta, sample):  # noqa: ARG001  the price alone speaks of it
    """Rounds add up before they are converted."""
    shown = []
    for i in range(rounds):
        shown.append(values[i] + sample(Gaussian(sigma)))
    return shown


@mechanism(
    neighbours=Number("value", by=3),
    price=Approximate("epsilon + 9 / (2 * sigma * sigma) + 2 * sqrt(9 / (2 * sigma * sigma) * log(1 / delta))", "delta"),
)
def laplace_and_gaussian(value, *, epsilon, sigma, delta, sample):  # noqa: ARG001  the price alone speaks of it
    """A part that never fails beside one that may."""
    return value + sample(Gaussian(sigma)), value + sample(Laplace(3 / epsilon))


@mechanism(
    neighbours=Each("queries", by=1),
    price=Approximate("epsilon + 1 / (2 * sigma * sigma) + 2 * sqrt(1 / (2 * sigma * sigma) * log(1 / delta))", "delta"),
)
def found_then_shown(queries, threshold, *, epsilon, sigma, delta, sample):  # noqa: ARG001  the price alone speaks of it
    """Above threshold, and the query that it found with Gaussian noise."""
    bar = threshold + sample(Laplace(2 / epsilon))
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(4 / epsilon)) >= bar:
            return i, queries[i] + sample(Gaussian(sigma))
    return None


@mechanism(
    neighbours=Each("scores", by=1),
    price=Approximate("epsilon + 1 / (2 * sigma * sigma) + 2 * sqrt(1 / (2 * sigma * sigma) * log(1 / delta))", "delta"),
)
def picked_then_shown(scores, *, epsilon, sigma, delta, sample):  # noqa: ARG001  the price alone speaks of it
    """A choice by weights, paid in full, and the score that it chose with Gaussian noise."""
    pick = sample(ExponentialWeights(scores, 2 / epsilon))
    return pick, scores[pick] + sample(Gaussian(sigma))


@mechanism(
    neighbours=Number("value", by=3),
    price=Approximate(
        "9 / (2 * sigma * sigma) + 2 * sqrt(9 / (2 * sigma * sigma) * log(2 / delta))"
        " + 9 / (2 * tau * tau) + 2 * sqrt(9 / (2 * tau * tau) * log(2 / delta))",
        "delta",
    ),
)
def two_parts_that_may_fail(value, *, sigma, tau, delta, sample):  # noqa: ARG001  the price alone speaks of it
    """Basic composition: each part fails with half of delta."""
    return value + sample(Gaussian(sigma)), value + sample(Gaussian(tau))


@mechanism(neighbours=Number("value", by=1), price=Pure("one + two"))
def two_budgets(value, *, one, two, sample):
    """Two answers at prices of their own: every run that returns has drawn both."""
    return value + sample(Laplace(1 / one)), value + sample(Laplace(1 / two))
