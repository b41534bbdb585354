"""The wrong rows of the benchmark list: published mechanisms with the mistakes that were made with them.

Each claims a price that it does not keep. None says where it fails: finding that is the refuter's work.
"""

from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Bernoulli, Categorical, Exponential, Laplace
from twoworlds.worlds.neighbours import Each, Local, Number, One

# counts and sums


@mechanism(neighbours=One("counts"), price=Pure("epsilon"), cite="the scale upside down: 1 / epsilon, wrong below 1")
def hist_wrong_scale(counts, *, epsilon, sample):
    """Noise of scale epsilon instead of 1 / epsilon."""
    noisy = []
    for i in range(len(counts)):
        noisy.append(counts[i] + sample(Laplace(epsilon)))
    return noisy


@mechanism(neighbours=One("values"), price=Pure("epsilon"), cite="costs 2 epsilon")
def partial_sum_half_noise(values, *, epsilon, sample):
    """A noisy total with half the noise."""
    total = 0
    for value in values:
        total = total + value
    return total + sample(Laplace(1 / (2 * epsilon)))


@mechanism(neighbours=One("values"), price=Pure("epsilon"), cite="costs infinity")
def prefix_sum_bare(values, *, epsilon, sample):
    """Running totals of which only the first is noisy."""
    total = 0
    totals = []
    for i in range(len(values)):
        if i == 0:
            total = total + sample(Laplace(1 / epsilon))
        total = total + values[i]
        totals.append(total)
    return totals


@mechanism(neighbours=One("values"), price=Pure("epsilon"), cite="costs infinity")
def prefix_sum_without_noise(values, *, epsilon, sample):
    """Running totals; the noise is drawn and forgotten."""
    total = 0
    totals = []
    for i in range(len(values)):
        noise = sample(Laplace(1 / epsilon))  # noqa: F841  that it is forgotten is the mistake
        total = total + values[i]
        totals.append(total)
    return totals


@mechanism(neighbours=One("values"), price=Pure("epsilon"), cite="Chan, Shi and Song 2011; costs 2 epsilon")
def smart_sum_at_epsilon(values, block: int, *, epsilon, sample):
    """Running totals by blocks, two noisy levels, sold at the price of one."""
    done = 0
    inside = 0
    current = 0
    totals = []
    for i in range(len(values)):
        if (i + 1) % block == 0:
            done = done + inside + values[i] + sample(Laplace(1 / epsilon))
            current = done
            inside = 0
        else:
            current = current + values[i] + sample(Laplace(1 / epsilon))
            inside = inside + values[i]
        totals.append(current)
    return totals


@mechanism(neighbours=One("values"), price=Pure("2 * epsilon"), cite="CheckDP's bad smart sum; costs infinity")
def smart_sum_bare_blocks(values, block: int, *, epsilon, sample):
    """Running totals whose blocks are added without noise."""
    done = 0
    inside = 0
    current = 0
    totals = []
    for i in range(len(values)):
        if (i + 1) % block == 0:
            done = done + inside + values[i]
            current = done
            inside = 0
        else:
            current = current + values[i] + sample(Laplace(1 / epsilon))
            inside = inside + values[i]
        totals.append(current)
    return totals


@mechanism(neighbours=One("values"), price=Pure("epsilon"), cite="the noise of one level where an entry is in all of them")
def binary_tree_one_level(values, *, levels, epsilon, sample):
    """A binary tree whose levels each spend everything."""
    exact = [0 for _ in range(levels)]
    noisy = [0 for _ in range(levels)]
    totals = []
    for i in range(len(values)):
        node = values[i]
        level = 0
        rest = i + 1
        while rest % 2 == 0:
            node = node + exact[level]
            exact[level] = 0
            noisy[level] = 0
            level = level + 1
            rest = rest // 2
        exact[level] = node
        noisy[level] = node + sample(Laplace(1 / epsilon))
        totals.append(sum(noisy))
    return totals


@mechanism(neighbours=One("values"), price=Pure("epsilon"), cite="a root without noise")
def binary_tree_bare_root(values, *, epsilon, sample):
    """Four leaves and two nodes with noise for three levels, and a root with none."""
    released = []
    for i in range(len(values)):
        released.append(values[i] + sample(Laplace(3 / epsilon)))
    left = values[0] + values[1] + sample(Laplace(3 / epsilon))
    right = values[2] + values[3] + sample(Laplace(3 / epsilon))
    return released, left, right, values[0] + values[1] + values[2] + values[3]


# coins


@mechanism(neighbours=Local("truth", values=(False, True)), price=Pure("epsilon"))
def randomized_response_any_coin(truth, *, p, epsilon, sample):  # noqa: ARG001  the price alone speaks of epsilon
    """Randomized response whose coin has nothing to do with the price."""
    if sample(Bernoulli(p)):
        return truth
    return not truth


@mechanism(neighbours=Local("choice", values=(0, 1, 2, 3)), price=Pure("log(4)"), cite="costs log(9)")
def k_ary_response_wrong(choice, *, sample):
    """Four answers, the true one with weight 9 instead of 4."""
    lie = sample(Categorical((9, 1, 1, 1)))
    return (choice + lie) % 4


@mechanism(neighbours=Each("bits"), price=Pure("log(3)"), cite="Erlingsson, Pihur and Korolova 2014; each bit costs log(3)")
def rappor_every_bit(bits, *, sample):
    """A vector of coins, all of which may change, sold at the price of one."""
    report = []
    for bit in bits:
        if sample(Bernoulli(Fraction(1, 2))):
            report.append(sample(Bernoulli(Fraction(1, 2))))
        else:
            report.append(bit >= 1)
    return report


@mechanism(neighbours=One("bits"), price=Pure("2 * log(2)"), cite="Wang, Blocki, Li and Jha 2017; costs log(9)")
def unary_encoding_wrong(bits, *, sample):
    """A bit is kept with probability 3/4 and made up with probability 1/4: odds of 9, not 4, for the two that differ."""
    report = []
    for i in range(len(bits)):
        keep = sample(Bernoulli(Fraction(9, 10)))
        made = sample(Bernoulli(Fraction(1, 10)))
        report.append(keep if bits[i] >= 1 else made)
    return report


# the largest


@mechanism(neighbours=Each("scores"), price=Pure("epsilon"), cite="StatDP's noisyMax1b; costs n epsilon / 2")
def noisy_max_value(scores, *, epsilon, sample):
    """The largest noisy score instead of its index."""
    largest = scores[0] + sample(Laplace(2 / epsilon))
    for i in range(1, len(scores)):
        noisy = scores[i] + sample(Laplace(2 / epsilon))
        largest = max(largest, noisy)
    return largest


@mechanism(neighbours=Each("scores"), price=Pure("epsilon"), cite="StatDP's noisyMax2b")
def noisy_max_exponential_value(scores, *, epsilon, sample):
    """The largest score under one-sided noise, itself."""
    largest = scores[0] + sample(Exponential(2 / epsilon))
    for i in range(1, len(scores)):
        noisy = scores[i] + sample(Exponential(2 / epsilon))
        largest = max(largest, noisy)
    return largest


@mechanism(neighbours=Each("scores"), price=Pure("epsilon"), cite="the noise for monotone scores")
def noisy_max_monotone_noise(scores, *, epsilon, sample):
    """Report noisy max with scale 1 / epsilon, where scores may move both ways."""
    best = 0
    largest = scores[0] + sample(Laplace(1 / epsilon))
    for i in range(1, len(scores)):
        noisy = scores[i] + sample(Laplace(1 / epsilon))
        if noisy > largest:
            best = i
            largest = noisy
    return best


# sparse vectors


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"), cite="Lyu, Su and Li 2017, algorithm 3: Roth 2011; costs infinity")
def svt_roth_notes(queries, threshold, *, limit: int, epsilon, sample):
    """Releases the noisy value that it compared."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    found = 0
    for i in range(len(queries)):
        noisy = queries[i] + sample(Laplace(4 * limit / epsilon))
        if noisy >= noisy_threshold:
            answers.append(noisy)
            found = found + 1
            if found >= limit:
                break
        else:
            answers.append(False)
    return answers


@mechanism(
    neighbours=Each("queries"), price=Pure("epsilon"), cite="Lyu, Su and Li 2017, algorithm 4: costs (1 + 6 limit) / 4 epsilon"
)
def svt_lee_clifton(queries, threshold, *, limit: int, epsilon, sample):
    """The noise on the queries does not grow with the limit."""
    noisy_threshold = threshold + sample(Laplace(4 / epsilon))
    answers = []
    found = 0
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(4 / (3 * epsilon))) >= noisy_threshold:
            answers.append(True)
            found = found + 1
            if found >= limit:
                break
        else:
            answers.append(False)
    return answers


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"), cite="Lyu, Su and Li 2017, algorithm 5: Stoddard; costs infinity")
def svt_stoddard(queries, threshold, *, epsilon, sample):
    """No noise on the queries and no limit."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    for i in range(len(queries)):
        if queries[i] >= noisy_threshold:
            answers.append(True)
        else:
            answers.append(False)
    return answers


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"), cite="Lyu, Su and Li 2017, algorithm 6: Chen; costs infinity")
def svt_chen(queries, threshold, *, epsilon, sample):
    """No limit on the answers above the threshold."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(2 / epsilon)) >= noisy_threshold:
            answers.append(True)
        else:
            answers.append(False)
    return answers


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"), cite="Wang, Ding, Wang, Xiao and Kifer 2019, the gap's wrong twin")
def gap_svt_value(queries, threshold, *, limit: int, epsilon, sample):
    """Releases the noisy query where the gap was meant."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    found = 0
    i = 0
    while i < len(queries) and found < limit:
        noisy = queries[i] + sample(Laplace(4 * limit / epsilon))
        if noisy - noisy_threshold >= 0:
            answers.append(noisy)
            found = found + 1
        else:
            answers.append(None)
        i = i + 1
    return answers


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"), cite="CheckDP's BadAdaptive")
def bad_adaptive(queries, threshold, *, margin, limit: int, epsilon, sample):
    """Adaptive sparse vector that releases a noisy query instead of its gap."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    spent = 0
    for i in range(len(queries)):
        rough = queries[i] + sample(Laplace(8 * limit / epsilon))
        fine = queries[i] + sample(Laplace(4 * limit / epsilon))
        if rough - noisy_threshold >= margin:
            answers.append(rough - noisy_threshold)
            spent = spent + 1
        elif fine - noisy_threshold >= 0:
            answers.append(fine)
            spent = spent + 2
        else:
            answers.append(None)
        if spent > 2 * limit - 2:
            break
    return answers


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"), cite="the noise for monotone queries")
def svt_monotone_noise(queries, threshold, *, limit: int, epsilon, sample):
    """Sparse vector with half the noise, where queries may move both ways."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    found = 0
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(2 * limit / epsilon)) >= noisy_threshold:
            answers.append(True)
            found = found + 1
            if found >= limit:
                break
        else:
            answers.append(False)
    return answers


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"), cite="the answers are given with the noise of the comparison alone")
def num_svt_free_answers(queries, threshold, *, limit: int, epsilon, sample):
    """Numeric sparse vector that gives nothing to its answers' noise."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    found = 0
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(4 * limit / epsilon)) >= noisy_threshold:
            answers.append(queries[i] + sample(Laplace(3 * limit / epsilon)))
            found = found + 1
            if found >= limit:
                break
        else:
            answers.append(None)
    return answers


@mechanism(
    neighbours=Each("queries"), price=Pure("epsilon"), cite="Lyu, Su and Li 2017, algorithm 2 with the noise of algorithm 1"
)
def svt_redrawn_cheaply(queries, threshold, *, limit: int, epsilon, sample):
    """The threshold is drawn anew after each answer, with noise as if it were drawn once."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    found = 0
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(4 * limit / epsilon)) >= noisy_threshold:
            answers.append(True)
            noisy_threshold = threshold + sample(Laplace(2 / epsilon))
            found = found + 1
            if found >= limit:
                break
        else:
            answers.append(False)
    return answers


# numbers


@mechanism(neighbours=Number("count"), price=Pure("epsilon"), cite="the sensitivity forgotten")
def geometric_of_a_double(count, *, epsilon, sample):
    """A doubled count with the noise for a count."""
    return 2 * count + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Number("count"), price=Pure("epsilon"), cite="clipping the noise is not clipping the answer")
def truncated_noise(count, *, most, epsilon, sample):
    """Noise cut off at `most`: the ends of the range tell the count."""
    noise = sample(Laplace(1 / epsilon))
    return count + max(0 - most, min(noise, most))
