"""Which candidate is best: report noisy max in its forms, with the gap, and the best k."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import BernoulliExp, Exponential, ExponentialWeights, Gumbel, Laplace, Uniform
from twoworlds.worlds.neighbours import Each, Monotone


@mechanism(neighbours=Each("scores", by=1), price=Pure("epsilon"))
def noisy_max(scores, *, epsilon, sample):
    """Report noisy max with two-sided noise."""
    best = 0
    largest = 0
    for i in range(len(scores)):
        noisy = scores[i] + sample(Laplace(2 / epsilon))
        if i == 0 or noisy > largest:
            best = i
            largest = noisy
    return best


@mechanism(neighbours=Each("scores", by=1), price=Pure("epsilon"))
def noisy_max_one_sided(scores, *, epsilon, sample):
    """With one-sided exponential noise."""
    best = 0
    largest = 0
    for i in range(len(scores)):
        noisy = scores[i] + sample(Exponential(2 / epsilon))
        if i == 0 or noisy > largest:
            best = i
            largest = noisy
    return best


@mechanism(neighbours=Each("scores", by=1), price=Pure("epsilon"))
def noisy_max_by_gumbel(scores, *, epsilon, sample):
    """With Gumbel noise: the law of the exponential mechanism."""
    best = 0
    largest = 0
    for i in range(len(scores)):
        noisy = scores[i] + sample(Gumbel(2 / epsilon))
        if i == 0 or noisy > largest:
            best = i
            largest = noisy
    return best


@mechanism(neighbours=Monotone(Each("scores", by=1)), price=Pure("epsilon"))
def noisy_max_monotone(scores, *, epsilon, sample):
    """Half the noise where all scores move in one direction."""
    best = 0
    largest = 0
    for i in range(len(scores)):
        noisy = scores[i] + sample(Laplace(1 / epsilon))
        if i == 0 or noisy > largest:
            best = i
            largest = noisy
    return best


@mechanism(neighbours=Monotone(Each("scores", by=1)), price=Pure("epsilon"))
def noisy_max_monotone_one_sided(scores, *, epsilon, sample):
    """The same with one-sided noise."""
    best = 0
    largest = 0
    for i in range(len(scores)):
        noisy = scores[i] + sample(Exponential(1 / epsilon))
        if i == 0 or noisy > largest:
            best = i
            largest = noisy
    return best


@mechanism(neighbours=Each("scores", by=1), price=Pure("epsilon"))
def exponential_mechanism(scores, *, epsilon, sample):
    """McSherry and Talwar 2007."""
    return sample(ExponentialWeights(scores, 2 / epsilon))


@mechanism(neighbours=Each("scores", by=1), price=Pure("epsilon"))
def permuted_and_flipped(scores, *, epsilon, sample):
    """McKenna and Sheldon 2020: candidates in random order, each taken by a coin."""
    best = max(scores)
    left = [i for i in range(len(scores))]  # noqa: C416  `list` is no word of the language
    for _ in range(len(scores)):
        pick = left[sample(Uniform(len(left)))]
        if sample(BernoulliExp(epsilon * (best - scores[pick]) / 2)):
            return pick
        left = [i for i in left if i != pick]
    return None


@mechanism(neighbours=Each("scores", by=1), price=Pure("2 * epsilon"))
def noisy_max_with_gap(scores, *, epsilon, sample):
    """Ding, Wang, Zhang and Kifer 2019: the lead is free where there are no ties; on a grid there are."""
    best = 0
    largest = scores[0] + sample(Laplace(2 / epsilon))
    second = scores[1] + sample(Laplace(2 / epsilon))
    if second > largest:
        best = 1
        kept = largest
        largest = second
        second = kept
    for i in range(2, len(scores)):
        noisy = scores[i] + sample(Laplace(2 / epsilon))
        if noisy > largest:
            second = largest
            largest = noisy
            best = i
        elif noisy > second:
            second = noisy
    return best, largest - second


@mechanism(neighbours=Each("scores", by=1), price=Pure("epsilon"))
def top_two(scores, *, epsilon, sample):
    """The best and the second best, from one noise of scale 4 / epsilon for each score."""
    noisy = [score + sample(Laplace(4 / epsilon)) for score in scores]
    first = 0
    for i in range(len(noisy)):
        if noisy[i] > noisy[first]:
            first = i
    second = 0 if first != 0 else 1
    for i in range(len(noisy)):
        if i != first and noisy[i] > noisy[second]:
            second = i
    return first, second


@mechanism(neighbours=Each("scores", by=1), price=Pure("epsilon"))
def top_k(scores, *, k: int, epsilon, sample):
    """The best k in order, from one noise of scale 2 k / epsilon for each score."""
    noisy = [score + sample(Laplace(2 * k / epsilon)) for score in scores]
    taken = [False for _ in scores]
    best = []
    for _ in range(k):
        pick = 0
        largest = noisy[0]
        found = False
        for i in range(len(noisy)):
            if not taken[i] and (not found or noisy[i] > largest):
                pick = i
                largest = noisy[i]
                found = True
        taken[pick] = True
        best.append(pick)
    return best


@mechanism(neighbours=Each("scores", by=1), price=Pure("(k + 1) * epsilon / k"))
def top_k_with_gap(scores, *, k: int, epsilon, sample):
    """Ding, Wang, Zhang and Kifer 2019, algorithm 1: the best k, each with its lead over the next; on a grid with ties."""
    noisy = [score + sample(Laplace(2 * k / epsilon)) for score in scores]
    taken = [False for _ in scores]
    best = []
    gaps = []
    last = 0
    for j in range(k + 1):
        pick = 0
        largest = noisy[0]
        found = False
        for i in range(len(noisy)):
            if not taken[i] and (not found or noisy[i] > largest):
                pick = i
                largest = noisy[i]
                found = True
        taken[pick] = True
        if j > 0:
            gaps.append(last - largest)
        if j < k:
            best.append(pick)
        last = largest
    return best, gaps


@mechanism(neighbours=Each("scores", by=1), price=Pure("k * epsilon"))
def peeled(scores, *, k: int, epsilon, sample):
    """The best k one after the other, each time with fresh noise on every score."""
    best = []
    for _ in range(k):
        pick = 0
        largest = 0
        for i in range(len(scores)):
            noisy = scores[i] + sample(Laplace(2 / epsilon))
            if i == 0 or noisy > largest:
                pick = i
                largest = noisy
        best.append(pick)
    return best
