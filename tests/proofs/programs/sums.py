"""Histograms and running sums of streams in which one record changes one entry."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import One


@mechanism(neighbours=One("counts", by=1), price=Pure("epsilon"))
def noisy_histogram(counts, *, epsilon, sample):
    """Noise of its own for every count."""
    noisy = []
    for count in counts:
        noisy.append(count + sample(Laplace(1 / epsilon)))
    return noisy


@mechanism(neighbours=One("values", by=1), price=Pure("epsilon"))
def partial_sum(values, *, epsilon, sample):
    """Noise on the sum of all entries."""
    total = 0
    for i in range(len(values)):
        total = total + values[i]
    return total + sample(Laplace(1 / epsilon))


@mechanism(neighbours=One("values", by=1), price=Pure("epsilon"))
def prefix_sum(values, *, epsilon, sample):
    """The running sum of noisy entries."""
    sums = []
    total = 0
    for value in values:
        total = total + value + sample(Laplace(1 / epsilon))
        sums.append(total)
    return sums


@mechanism(neighbours=One("values", by=1), price=Pure("2 * epsilon"))
def smart_sum(values, *, block: int, epsilon, sample):
    """Chan, Shi and Song 2011: noisy sums of blocks, and inside a block the running sum of noisy entries."""
    sums = []
    running = 0
    finished = 0
    inside = 0
    for i in range(len(values)):
        if (i + 1) % block == 0:
            finished = finished + inside + values[i] + sample(Laplace(1 / epsilon))
            running = finished
            inside = 0
        else:
            running = running + values[i] + sample(Laplace(1 / epsilon))
            inside = inside + values[i]
        sums.append(running)
    return sums


@mechanism(neighbours=One("values", by=1), price=Pure("2 * epsilon"))
def smart_sum_of_blocks(values, *, blocks: int, width: int, epsilon, sample):
    """The same as a loop in a loop: `blocks` blocks of `width` entries each."""
    sums = []
    finished = 0
    next = 0
    for _ in range(blocks):
        running = finished
        inside = 0
        for _ in range(width):
            running = running + values[next] + sample(Laplace(1 / epsilon))
            inside = inside + values[next]
            next = next + 1
            sums.append(running)
        finished = finished + inside + sample(Laplace(1 / epsilon))
        sums.append(finished)
    return sums


@mechanism(neighbours=One("values", by=1), price=Pure("epsilon"))
def binary_tree_of_two(values, *, epsilon, sample):
    """All sums of the dyadic intervals of two entries: every entry is in two of them."""
    return (
        values[0] + sample(Laplace(2 / epsilon)),
        values[1] + sample(Laplace(2 / epsilon)),
        values[0] + values[1] + sample(Laplace(2 / epsilon)),
    )


@mechanism(neighbours=One("values", by=1), price=Pure("epsilon"))
def binary_tree_of_four(values, *, epsilon, sample):
    """All sums of the dyadic intervals of four entries, level by level: every entry is in three of them."""
    nodes = []
    for i in range(4):
        nodes.append(values[i] + sample(Laplace(3 / epsilon)))
    for i in range(2):
        nodes.append(values[2 * i] + values[2 * i + 1] + sample(Laplace(3 / epsilon)))
    nodes.append(values[0] + values[1] + values[2] + values[3] + sample(Laplace(3 / epsilon)))
    return nodes


@mechanism(neighbours=One("values", by=1), price=Pure("epsilon"))
def binary_tree_of_eight(values, *, epsilon, sample):
    """All sums of the dyadic intervals of eight entries, level by level: every entry is in four of them."""
    nodes = []
    for value in values:
        nodes.append(value + sample(Laplace(4 / epsilon)))
    for i in range(4):
        nodes.append(values[2 * i] + values[2 * i + 1] + sample(Laplace(4 / epsilon)))
    for i in range(2):
        pair = values[4 * i] + values[4 * i + 1]
        nodes.append(pair + values[4 * i + 2] + values[4 * i + 3] + sample(Laplace(4 / epsilon)))
    total = 0
    for i in range(8):
        total = total + values[i]
    nodes.append(total + sample(Laplace(4 / epsilon)))
    return nodes
