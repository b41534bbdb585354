"""Above threshold and the sparse vectors of Lyu, Su and Li 2017, with their descendants, at their true prices."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Each, Monotone


@mechanism(neighbours=Each("queries", by=1), price=Pure("epsilon"))
def first_above(queries, threshold, *, epsilon, sample):
    """Dwork and Roth 2014, algorithm 1: the index of the first query above the threshold."""
    bar = threshold + sample(Laplace(2 / epsilon))
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(4 / epsilon)) >= bar:
            return i
    return None


@mechanism(neighbours=Each("queries", by=1), price=Pure("epsilon"))
def svt_kept(queries, threshold, *, limit: int, epsilon, sample):
    """Lyu, Su and Li 2017, algorithm 1: one noisy threshold for all answers."""
    bar = threshold + sample(Laplace(2 / epsilon))
    answers = []
    positives = 0
    for query in queries:
        if query + sample(Laplace(4 * limit / epsilon)) >= bar:
            answers.append(True)
            positives += 1
            if positives >= limit:
                break
        else:
            answers.append(False)
    return answers


@mechanism(neighbours=Each("queries", by=1), price=Pure("epsilon"))
def svt_redrawn(queries, threshold, *, limit: int, epsilon, sample):
    """Algorithm 2, Dwork and Roth 2014: a new threshold after every positive."""
    bar = threshold + sample(Laplace(2 * limit / epsilon))
    answers = []
    positives = 0
    for query in queries:
        if query + sample(Laplace(4 * limit / epsilon)) >= bar:
            answers.append(True)
            bar = threshold + sample(Laplace(2 * limit / epsilon))
            positives += 1
            if positives >= limit:
                break
        else:
            answers.append(False)
    return answers


@mechanism(neighbours=Each("queries", by=1), price=Pure("(1 + 6 * limit) / 4 * epsilon"))
def svt_lee_clifton(queries, threshold, *, limit: int, epsilon, sample):
    """Algorithm 4, Lee and Clifton 2014: the noise of the queries ignores the limit, and this is what it costs."""
    bar = threshold + sample(Laplace(4 / epsilon))
    answers = []
    positives = 0
    for query in queries:
        if positives >= limit:
            break
        if query + sample(Laplace(4 / (3 * epsilon))) >= bar:
            answers.append(True)
            positives += 1
        else:
            answers.append(False)
    return answers


@mechanism(neighbours=Each("queries", by=1), price=Pure("epsilon"))
def svt_numeric(queries, threshold, *, limit: int, epsilon, sample):
    """Algorithm 7: positives are answered with noise of their own."""
    bar = threshold + sample(Laplace(3 / epsilon))
    answers = []
    positives = 0
    for query in queries:
        if query + sample(Laplace(6 * limit / epsilon)) >= bar:
            answers.append(query + sample(Laplace(3 * limit / epsilon)))
            positives += 1
            if positives >= limit:
                break
        else:
            answers.append(None)
    return answers


@mechanism(neighbours=Each("queries", by=1), price=Pure("epsilon"))
def svt_gap(queries, threshold, *, limit: int, epsilon, sample):
    """Wang, Ding, Wang, Xiao and Kifer 2019: by how much a query passed comes for free."""
    bar = threshold + sample(Laplace(2 / epsilon))
    answers = []
    positives = 0
    for query in queries:
        noisy = query + sample(Laplace(4 * limit / epsilon))
        if noisy >= bar:
            answers.append(noisy - bar)
            positives += 1
            if positives >= limit:
                break
        else:
            answers.append(False)
    return answers


@mechanism(neighbours=Each("queries", by=1), price=Pure("epsilon"))
def svt_adaptive(queries, threshold, *, margin, limit: int, epsilon, sample):
    """Ding, Wang, Xiao, Zhang and Kifer 2019, algorithm 2: half the price where the gap is wide, until the budget is used."""
    bar = threshold + sample(Laplace(2 / epsilon))
    answers = []
    spent = 0
    for query in queries:
        if spent > 2 * limit - 2:
            break
        rough = query + sample(Laplace(8 * limit / epsilon)) - bar
        fine = query + sample(Laplace(4 * limit / epsilon)) - bar
        if rough >= margin:
            answers.append(rough)
            spent += 1
        elif fine >= 0:
            answers.append(fine)
            spent += 2
        else:
            answers.append(False)
    return answers


@mechanism(neighbours=Monotone(Each("queries", by=1)), price=Pure("epsilon"))
def svt_monotone(queries, threshold, *, limit: int, epsilon, sample):
    """Lyu, Su and Li 2017, theorem 5: half the noise where all queries move in one direction, up or down."""
    bar = threshold + sample(Laplace(2 / epsilon))
    answers = []
    positives = 0
    for query in queries:
        if query + sample(Laplace(2 * limit / epsilon)) >= bar:
            answers.append(True)
            positives += 1
            if positives >= limit:
                break
        else:
            answers.append(False)
    return answers


@mechanism(neighbours=Each("queries", by=1), price=Pure("epsilon"))
def band(queries, low, high, *, epsilon, sample):
    """The first query outside two noisy thresholds, each with a third of the budget; of the query's noise only one side pays."""
    floor = low + sample(Laplace(3 / epsilon))
    ceiling = high + sample(Laplace(3 / epsilon))
    for i in range(len(queries)):
        noisy = queries[i] + sample(Laplace(6 / epsilon))
        if noisy > ceiling:
            return i, True
        if noisy < floor:
            return i, False
    return None


@mechanism(neighbours=Each("queries", by=1), price=Pure("epsilon"))
def two_searches(queries, low, high, *, epsilon, sample):
    """Two searches one after the other, each with half of the budget."""
    bar = low + sample(Laplace(4 / epsilon))
    first = len(queries)
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(8 / epsilon)) >= bar:
            first = i
            break
    bar = high + sample(Laplace(4 / epsilon))
    second = len(queries)
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(8 / epsilon)) >= bar:
            second = i
            break
    return first, second
