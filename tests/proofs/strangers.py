"""Mechanisms as strangers would write them, in styles nobody tuned for: every card here is private at its price."""

from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Bernoulli, Exponential, Laplace, Uniform
from twoworlds.worlds.neighbours import L1, Each, Local, Monotone, Number, One


@mechanism(neighbours=Number("total", by="bound"), price=Pure("eps"))
def salary_sum(total, *, bound, eps, sample):
    """A scale that is named before it is used."""
    scale = bound / eps
    noise = sample(Laplace(scale))
    answer = noise + total
    return answer  # noqa: RET504  as people write it


@mechanism(neighbours=One("counts"), price=Pure("eps"))
def counts_by_comprehension(counts, *, eps, sample):
    """A histogram in one line."""
    return [count + sample(Laplace(1 / eps)) for count in counts]


@mechanism(neighbours=One("counts"), price=Pure("eps"))
def counts_over_range(counts, *, eps, sample):
    """A histogram with more noise than it needs."""
    scale = 3 / eps
    released = []
    n = len(counts)
    for index in range(n):
        value = counts[index]
        released.append(sample(Laplace(scale)) + value)
    return released


@mechanism(neighbours=One("counts"), price=Pure("2 * eps"))
def counts_and_their_sum(counts, *, eps, sample):
    """Two releases, each at its own price, in two loops."""
    total = 0
    for count in counts:
        total += count
    noisy_total = total + sample(Laplace(1 / eps))
    cells = []
    for count in counts:
        cells.append(count + sample(Laplace(1 / eps)))
    return noisy_total, cells


@mechanism(neighbours=Number("a"), price=Pure("eps"))
def mean_of_two_looks(a, *, eps, sample):
    """The same number twice with half the budget each, averaged."""
    first = a + sample(Laplace(2 / eps))
    second = a + sample(Laplace(2 / eps))
    return Fraction(1, 2) * (first + second)


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def first_positive_while(q, bar, *, eps, sample):
    """Above threshold with a while loop and a flag."""
    bar_hat = sample(Laplace(2 / eps)) + bar
    i = 0
    hit = -1
    while i < len(q) and hit < 0:
        if bar_hat <= q[i] + sample(Laplace(4 / eps)):
            hit = i
        i += 1
    return hit


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def first_positive_enumerate(q, bar, *, eps, sample):
    """Above threshold by enumerate, with the comparison the other way round."""
    rho = sample(Laplace(2 / eps))
    for place, answer in enumerate(q):
        nu = sample(Laplace(4 / eps))
        if not answer + nu < bar + rho:
            return place
    return None


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def below_the_bar(q, bar, *, eps, sample):
    """The first query below, not above."""
    noisy_bar = bar + sample(Laplace(2 / eps))
    for i in range(len(q)):
        if q[i] + sample(Laplace(4 / eps)) <= noisy_bar:
            return i
    return -1


@mechanism(neighbours=Each("q"), price=Pure("eps1 + eps2"))
def above_with_two_budgets(q, bar, *, eps1, eps2, sample):
    """Above threshold with a budget for the bar and one for the queries."""
    noisy_bar = bar + sample(Laplace(1 / eps1))
    for i in range(len(q)):
        if q[i] + sample(Laplace(2 / eps2)) >= noisy_bar:
            return i
    return None


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def two_bars(q, low, high, *, eps, sample):
    """Two passes over the queries with half of the budget each: one for each bar."""
    first = None
    noisy_low = low + sample(Laplace(4 / eps))
    for i in range(len(q)):
        if q[i] + sample(Laplace(8 / eps)) >= noisy_low:
            first = i
            break
    second = None
    noisy_high = high + sample(Laplace(4 / eps))
    for j in range(len(q)):
        if q[j] + sample(Laplace(8 / eps)) >= noisy_high:
            second = j
            break
    return first, second


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def bits_until_enough(q, bar, *, most: int, eps, sample):
    """Sparse vector that counts down and returns at once."""
    left = most
    bits = []
    t = bar + sample(Laplace(2 / eps))
    for x in q:
        y = x + sample(Laplace(4 * most / eps))
        if y < t:
            bits.append(0)
        else:
            bits.append(1)
            left -= 1
            if left == 0:
                return bits
    return bits


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def bits_with_continue(q, bar, *, most: int, eps, sample):
    """Sparse vector with `continue`."""
    used = 0
    bits = []
    t = bar + sample(Laplace(2 / eps))
    for i in range(len(q)):
        if q[i] + sample(Laplace(4 * most / eps)) < t:
            bits.append(False)
            continue
        bits.append(True)
        used = used + 1
        if used >= most:
            break
    return bits


@mechanism(neighbours=Monotone(Each("q")), price=Pure("eps"))
def counting_queries_above(q, bar, *, most: int, eps, sample):
    """Sparse vector for counting queries with the smaller noise."""
    t = bar + sample(Laplace(2 / eps))
    seen = 0
    bits = []
    i = 0
    while i < len(q) and seen < most:
        above = q[i] + sample(Laplace(2 * most / eps)) >= t
        if above:
            seen = seen + 1
        bits.append(above)
        i = i + 1
    return bits


@mechanism(neighbours=Each("utility"), price=Pure("eps"))
def best_by_one_sided_noise(utility, *, eps, sample):
    """Report noisy max over a list, the running best kept as None at first."""
    champion = None
    record = 0
    for who in range(len(utility)):
        score = utility[who] + sample(Exponential(2 / eps))
        if champion is None or score > record:
            champion = who
            record = score
    return champion


@mechanism(neighbours=Each("utility"), price=Pure("eps"))
def worst_by_noise(utility, *, eps, sample):
    """Report noisy min."""
    best = 0
    least = utility[0] + sample(Laplace(2 / eps))
    for i in range(1, len(utility)):
        value = utility[i] + sample(Laplace(2 / eps))
        if value < least:
            least = value
            best = i
    return best


@mechanism(neighbours=One("stream"), price=Pure("eps"))
def running_total(stream, *, eps, sample):
    """Every step's noisy increment, added up and shown."""
    shown = []
    so_far = 0
    for step in stream:
        so_far = so_far + step + sample(Laplace(1 / eps))
        shown.append(so_far)
    return shown


@mechanism(neighbours=L1("cells", by=2), price=Pure("eps"))
def histogram_of_replaced_rows(cells, *, eps, sample):
    """A replaced row moves two cells."""
    out = []
    for i, cell in enumerate(cells):
        _ = i
        out.append(cell + sample(Laplace(2 / eps)))
    return out


@mechanism(neighbours=Number("x"), price=Pure("eps"))
def clipped_answer(x, *, low, high, eps, sample):
    """The noisy answer is clipped, which costs nothing."""
    y = x + sample(Laplace(1 / eps))
    if y < low:
        return low
    if y > high:
        return high
    return y


@mechanism(neighbours=Number("x"), price=Pure("eps"))
def is_large(x, *, bar, eps, sample):
    """Only whether the noisy number is large."""
    return x + sample(Laplace(1 / eps)) > bar


@mechanism(neighbours=Local("vote", values=(False, True)), price=Pure("log(3)"))
def two_coins(vote, *, sample):
    """Randomized response as Warner's students do it."""
    honest = sample(Bernoulli(Fraction(1, 2)))
    made_up = sample(Bernoulli(Fraction(1, 2)))
    return vote if honest else made_up


@mechanism(neighbours=Local("answer", values=(0, 1, 2)), price=Pure("log(4)"))
def three_way_answer(answer, *, sample):
    """The truth half of the time, else one of three at random."""
    if sample(Bernoulli(Fraction(1, 2))):
        return answer
    return sample(Uniform(3))


@mechanism(neighbours=One("cells"), price=Pure("eps"))
def evens_and_odds(cells, *, eps, sample):
    """Two loops over two halves of the cells: one record is in one of them."""
    evens = []
    for i in range(len(cells)):
        if i % 2 == 0:
            evens.append(cells[i] + sample(Laplace(1 / eps)))
    odds = []
    for i in range(len(cells)):
        if i % 2 == 1:
            odds.append(cells[i] + sample(Laplace(1 / eps)))
    return evens, odds


def noised(value, scale, sample):
    """A helper that adds noise."""
    return value + sample(Laplace(scale))


@mechanism(neighbours=One("cells"), price=Pure("eps"))
def cells_by_helper(cells, *, eps, sample):
    """A histogram whose noise is added by a helper function."""
    out = []
    for cell in cells:
        out.append(noised(cell, 1 / eps, sample))
    return out


@mechanism(neighbours=Number("x"), price=Pure("eps"))
def public_work_around_it(x, *, rounds: int, eps, sample):
    """Loops that do nothing to the secret."""
    waste = 0
    for k in range(rounds):
        waste = waste + k
    y = x + sample(Laplace(1 / eps))
    for _ in range(rounds):
        waste = waste + 2
    return y, waste


@mechanism(neighbours=Each("q", by="s"), price=Pure("eps"))
def above_with_sensitivity(q, bar, *, s, eps, sample):
    """Above threshold for queries of any sensitivity."""
    t = bar + sample(Laplace(2 * s / eps))
    for i in range(len(q)):
        if q[i] + sample(Laplace(4 * s / eps)) >= t:
            return i
    return None
