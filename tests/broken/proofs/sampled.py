"""Programs that cost more than sampling would make of it, at the worst case given; each must stay unproved."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.arrays import clip
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import Bernoulli, Laplace
from twoworlds.worlds.neighbours import Each, One

AT = {"rate": "1/4", "epsilon": 1}
ALONE = (Case([0], [1], AT),)


@mechanism(neighbours=One("records", by=1, grid=1), price=Pure("log(1 + rate * (exp(epsilon) - 1))"), worst=ALONE)
def coin_released(records, *, rate, epsilon, sample):
    """Who sees that the last record was kept knows that it is there."""
    kept = []
    coin = False
    for record in records:
        coin = sample(Bernoulli(rate))
        kept.append(clip(record, 0, 1) if coin else 0)
    return coin, sum(kept) + sample(Laplace(1 / epsilon))


@mechanism(neighbours=One("records", by=1, grid=1), price=Pure("log(1 + rate * (exp(epsilon) - 1))"), worst=ALONE)
def records_read_again(records, *, rate, epsilon, sample):
    """What follows reads all records."""
    kept = [clip(record, 0, 1) if sample(Bernoulli(rate)) else 0 for record in records]
    return sum(kept) + sum(records) + sample(Laplace(1 / epsilon))


@mechanism(neighbours=One("records", by=1, grid=1), price=Pure("log(1 + rate * (exp(epsilon) - 1))"), worst=ALONE)
def first_always_kept(records, *, rate, epsilon, sample):
    """The probability is not that of all records."""
    kept = []
    for i in range(len(records)):
        if sample(Bernoulli(rate)) or i == 0:
            kept.append(clip(records[i], 0, 1))
        else:
            kept.append(0)
    return sum(kept) + sample(Laplace(1 / epsilon))


@mechanism(neighbours=One("records", by=1, grid=1), price=Pure("log(1 + rate * (exp(epsilon) - 1))"), worst=ALONE)
def left_out_is_not_nothing(records, *, rate, epsilon, sample):
    """What is left out is kept elsewhere."""
    kept = [clip(record, 0, 1) if sample(Bernoulli(rate)) else clip(record, -1, 1) for record in records]
    return sum(kept) + sample(Laplace(1 / epsilon))


@mechanism(
    neighbours=One("records", by=1, grid=1),
    price=Pure("log(1 + rate * (exp(epsilon) - 1))"),
    worst=(Case([8], [9], {"rate": "1/4", "epsilon": 1}),),
)
def no_bound(records, *, rate, epsilon, sample):
    """A record that moves by 1 stands out by 9 where it is kept, and the sample says so."""
    kept = [record if sample(Bernoulli(rate)) else 0 for record in records]
    return sum(kept) + sample(Laplace(1 / epsilon))


@mechanism(neighbours=One("records", by=1, grid=1), price=Pure("log(1 + rate * (exp(epsilon) - 1))"), worst=ALONE)
def twice_the_rate(records, *, rate, epsilon, sample):
    """Twice as many are kept as are paid for."""
    kept = [clip(record, 0, 1) if sample(Bernoulli(2 * rate)) else 0 for record in records]
    return sum(kept) + sample(Laplace(1 / epsilon))


@mechanism(
    neighbours=Each("records", by=1, grid=1),
    price=Pure("log(1 + rate * (exp(epsilon) - 1))"),
    worst=(Case([0] * 3, [1] * 3, AT),),
)
def all_may_change(records, *, rate, epsilon, sample):
    """Every record may change, and each stands for itself."""
    kept = [clip(record, 0, 1) if sample(Bernoulli(rate)) else 0 for record in records]
    return sum(kept) + sample(Laplace(1 / epsilon))


@mechanism(neighbours=One("records", by=1, grid=1), price=Pure("log(1 + rate * (exp(epsilon) - 1))"), worst=ALONE)
def half_the_noise(records, *, rate, epsilon, sample):
    """What follows the sample costs twice its part of the price."""
    kept = [clip(record, 0, 1) if sample(Bernoulli(rate)) else 0 for record in records]
    return sum(kept) + sample(Laplace(1 / (2 * epsilon)))


@mechanism(neighbours=One("records", by=1, grid=1), price=Pure("log(1 + rate * (exp(epsilon) - 1))"), worst=ALONE)
def sampled_twice(records, *, rate, epsilon, sample):
    """Two samples for the price of one."""
    kept = [clip(record, 0, 1) if sample(Bernoulli(rate)) else 0 for record in records]
    again = [clip(record, 0, 1) if sample(Bernoulli(rate)) else 0 for record in records]
    return sum(kept) + sample(Laplace(1 / epsilon)), sum(again) + sample(Laplace(1 / epsilon))


@mechanism(neighbours=One("records", by=1, grid=1), price=Pure("log(1 + rate * (exp(epsilon) - 1))"), worst=ALONE)
def counted_too_early(records, *, rate, epsilon, sample):
    """The sample is empty when it is counted, and no noise is added to it."""
    kept = []
    count = len(kept)
    for record in records:
        coin = sample(Bernoulli(rate))
        kept.append(clip(record, 0, 1) if coin else 0)
    if count == 0:
        return sum(kept)
    return sum(kept) + sample(Laplace(1 / epsilon))
