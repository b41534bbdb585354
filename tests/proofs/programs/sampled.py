"""Programs that keep each record with a probability and read nothing but what was kept."""

from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.worlds.arrays import clip
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Bernoulli, ExponentialWeights, Laplace
from twoworlds.worlds.neighbours import One


@mechanism(neighbours=One("records", by="reach", grid=1), price=Pure("log(1 + rate * (exp(epsilon) - 1))"))
def sampled_sum(records, *, reach: int, rate, epsilon, sample):
    """A noisy sum of a sample."""
    kept = [clip(record, 0, reach) if sample(Bernoulli(rate)) else 0 for record in records]
    return sum(kept) + sample(Laplace(reach / epsilon))


@mechanism(neighbours=One("records", by=5, grid=1), price=Pure("log((exp(epsilon) - 1) * (1 / 2) + 1)"))
def sampled_search(records, bar, *, epsilon, sample):
    """The first place with a large noisy count so far, among records of which each was kept by a fair coin."""
    kept = []
    for record in records:
        if sample(Bernoulli(Fraction(1, 2))):
            kept.append(1 if record > 0 else 0)
        else:
            kept.append(0)
    noisy_bar = bar + sample(Laplace(2 / epsilon))
    total = 0
    for i in range(len(kept)):
        total = total + kept[i]
        if total + sample(Laplace(4 / epsilon)) >= noisy_bar:
            return i
    return None


@mechanism(neighbours=One("counts", by=3, grid=1), price=Pure("log(1 + rate * (exp(epsilon) - 1))"))
def sampled_pick(counts, *, rate, epsilon, sample):
    """A choice by weights among cells of which each was kept with a probability, and its noisy count."""
    kept = [clip(count, 0, 3) if sample(Bernoulli(rate)) else 0 for count in counts]
    pick = sample(ExponentialWeights(kept, 6 / epsilon))
    return pick, kept[pick] + sample(Laplace(6 / epsilon))
