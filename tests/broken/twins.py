"""The wrong twin of a card: the mistake that is easiest to make with it, each another one; every reader must reject them."""

from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import Bernoulli, ExponentialWeights, Geometric, Laplace
from twoworlds.worlds.neighbours import L1, Each, Local, Metric, Number, One


@mechanism(
    neighbours=Each("queries", by=1),
    price=Pure("epsilon"),
    cite="course 004, the listing AboveT, with its scales as printed",
    worst=(Case([0, 0, 1], [1, 1, 0], {"threshold": 1, "epsilon": 1}),),
)
def inverted_scales(queries, threshold, *, epsilon, sample):
    """Above threshold with the noise that is larger for a larger epsilon."""
    noisy_threshold = threshold + sample(Laplace(epsilon / 2))
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(epsilon / 4)) >= noisy_threshold:
            return i
    return None


@mechanism(
    neighbours=Each("queries", by=1),
    price=Pure("epsilon"),
    worst=(Case([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0], {"threshold": 1, "limit": 3, "epsilon": 1}),),
)
def limit_left_out_of_the_scale(queries, threshold, *, limit: int, epsilon, sample):
    """Sparse vector that gives several answers with the noise for one (Lyu, Su and Li 2017, algorithm 4)."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    found = 0
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(1 / epsilon)) >= noisy_threshold:
            answers.append(True)
            found = found + 1
            if found >= limit:
                break
        else:
            answers.append(False)
    return answers


@mechanism(
    neighbours=Number("value", by="sensitivity", grid=1),
    price=Pure("epsilon"),
    worst=(Case(0, 2, {"sensitivity": 2, "epsilon": 1}),),
)
def divides_by_the_sensitivity(value, *, sensitivity, epsilon, sample):
    """Laplace noise of scale 1 / (sensitivity epsilon): the more one record moves, the less noise."""
    return value + sample(Laplace(1 / (sensitivity * epsilon)))


@mechanism(neighbours=Local("truth", values=(False, True)), price=Pure("log(3)"), worst=(Case(False, True, {}),))
def biased_second_coin_at_the_fair_price(truth, *, sample):
    """A second coin that says yes once in four times makes a yes five times as likely from who means it."""
    if sample(Bernoulli(Fraction(1, 2))):
        return truth
    return sample(Bernoulli(Fraction(1, 4)))


@mechanism(neighbours=Local("truth", values=(False, True)), price=Pure("log(3)"), worst=(Case(False, True, {}),))
def biased_first_coin_at_the_fair_price(truth, *, sample):
    """A first coin that asks for the truth three times in four costs ln 7."""
    if sample(Bernoulli(Fraction(3, 4))):
        return truth
    return sample(Bernoulli(Fraction(1, 2)))


@mechanism(neighbours=Local("answer"), price=Pure("epsilon"), worst=(Case(0, 1, {"options": 3, "epsilon": 1}),))
def the_true_answer_weighs_double(answer, *, options: int, epsilon, sample):
    """Randomized response among k with weight exp(2 epsilon), as if the exponential mechanism's half were lost here too."""
    return sample(ExponentialWeights([2 * epsilon if i == answer else 0 for i in range(options)]))


@mechanism(neighbours=L1("counts", by=2, grid=1), price=Pure("epsilon"), worst=(Case([1, 0], [0, 1], {"epsilon": 1}),))
def histogram_under_replacement(counts, *, epsilon, sample):
    """A record that is replaced leaves one cell and enters another; the noise is for one of the two."""
    return counts + sample(Laplace(1 / epsilon), len(counts))


@mechanism(neighbours=One("values", by=1), price=Pure("epsilon"), worst=(Case([0, 0], [1, 0], {"epsilon": 1}),))
def one_level_of_the_tree(values, *, epsilon, sample):
    """Totals of parts that overlap, each with the noise for one part: an entry is in two of them."""
    whole = sum(values) + sample(Laplace(1 / epsilon))
    first = values[0] + sample(Laplace(1 / epsilon))
    return whole, first


@mechanism(neighbours=Number("count", by=1, grid=1), price=Pure("log(2)"), worst=(Case(0, 1, {}),))
def noise_on_one_side(count, *, sample):
    """Geometric noise that is never below 0: the least output is only possible in one world."""
    return count + sample(Geometric(Fraction(1, 2)))


@mechanism(
    neighbours=Metric("place", kind="manhattan", by=1, grid=1),
    price=Pure("epsilon"),
    worst=(Case((0, 0), (1, 0), {"epsilon": 1}),),
)
def the_first_coordinate_stays(place, *, epsilon, sample):
    """A place of which only one coordinate is moved."""
    return place[0], place[1] + sample(Laplace(1 / epsilon))


@mechanism(
    neighbours=Each("scores", by=1),
    price=Pure("epsilon"),
    worst=(Case([0, 0], [1, -1], {"epsilon": 1}),),
)
def flips_without_the_half(scores, *, epsilon, sample):
    """Permute and flip between two candidates at twice its rate: the better one is passed over too rarely."""
    best = max(scores)
    weights = [(score - best) for score in scores]
    return sample(ExponentialWeights(weights, Fraction(1, 2) / epsilon))
