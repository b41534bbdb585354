"""An index by weights that the secret moves, beside other noise, in loops, and with branches on the index."""

from twoworlds.losses.prices import Concentrated, Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Categorical, ExponentialWeights, Gaussian, Laplace
from twoworlds.worlds.neighbours import Each, Monotone, Number, One


@mechanism(neighbours=Each("scores", by=1), price=Pure("epsilon"))
def pick_and_show(scores, *, epsilon, sample):
    """Half of the price for the choice, half for the score of what was chosen."""
    pick = sample(ExponentialWeights(scores, 4 / epsilon))
    return pick, scores[pick] + sample(Laplace(2 / epsilon))


@mechanism(neighbours=Monotone(Each("counts", by=1)), price=Pure("epsilon"))
def pick_and_show_count(counts, *, epsilon, sample):
    """Counts that all move the same way: the choice costs half as much."""
    pick = sample(ExponentialWeights(counts, 2 / epsilon))
    return pick, counts[pick] + sample(Laplace(2 / epsilon))


@mechanism(neighbours=One("counts", by="reach"), price=Pure("epsilon"))
def pick_one_cell(counts, *, reach, epsilon, sample):
    """One cell moves: two scores are apart by its move at most."""
    pick = sample(ExponentialWeights(counts, 2 * reach / epsilon))
    return pick, counts[pick] + sample(Laplace(2 * reach / epsilon))


@mechanism(neighbours=Each("scores", by=1), price=Pure("rounds * epsilon"))
def rounds_of_picks(scores, *, rounds: int, epsilon, sample):
    """The choice again and again."""
    picks = []
    for _ in range(rounds):
        picks.append(sample(ExponentialWeights(scores, 2 / epsilon)))
    return picks


@mechanism(neighbours=Each("answers", by=1), price=Pure("2 * rounds * epsilon"))
def pick_and_learn(answers, guesses, *, rounds: int, epsilon, sample):
    """Hardt, Ligett and McSherry 2012: the worst guess, then its answer, and guesses that learn from what was released."""
    believed = 0
    learned = []
    for _ in range(rounds):
        errors = []
        for i in range(len(answers)):
            gap = answers[i] - guesses[i] - believed
            errors.append(abs(gap))
        worst = sample(ExponentialWeights(errors, 2 / epsilon))
        shown = answers[worst] + sample(Laplace(1 / epsilon))
        believed = believed + (shown - guesses[worst]) / 2
        learned.append(shown)
    return learned


@mechanism(neighbours=Number("value", by=1), price=Pure("epsilon"))
def nearest_candidate(value, candidates, *, epsilon, sample):
    """A branch on the index, which is released; some candidates ask for a closer look."""
    pick = sample(ExponentialWeights([-abs(value - candidate) for candidate in candidates], 4 / epsilon))
    if pick > 2:
        return pick, value + sample(Laplace(2 / epsilon))
    return pick, 0


@mechanism(neighbours=Number("value", by=1), price=Pure("epsilon"))
def any_of_three(value, weight, *, epsilon, sample):
    """Choices by public weights cost nothing."""
    first, second = sample(Categorical([1, 2, 3])), sample(Categorical([weight * weight, 1]))
    return first, second, value + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Each("scores", by=1), price=Concentrated("1 / (2 * t * t) + 1 / (2 * sigma * sigma)"))
def pick_and_show_concentrated(scores, *, t, sigma, sample):
    """A choice that is epsilon-private by its scores is epsilon squared over 8 concentrated."""
    pick = sample(ExponentialWeights(scores, t))
    return pick, scores[pick] + sample(Gaussian(sigma))


@mechanism(neighbours=Each("scores", by=1), price=Concentrated("rounds * epsilon * epsilon / 8"))
def rounds_of_concentrated_picks(scores, *, rounds: int, epsilon, sample):
    """The choice again and again."""
    picks = []
    for _ in range(rounds):
        picks.append(sample(ExponentialWeights(scores, 2 / epsilon)))
    return picks
