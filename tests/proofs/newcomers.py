"""More mechanisms by strangers, written before it was known what is proved: every card here is private at its price."""

from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.worlds.arrays import argmax, cumsum
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Bernoulli, Gumbel, Laplace, Uniform
from twoworlds.worlds.neighbours import L1, Each, Number, One


def about(value, scale, sample):
    """A number with noise."""
    noise = sample(Laplace(scale))
    return value + noise


@mechanism(neighbours=Number("total", by="bound"), price=Pure("eps_total + eps_count"))
def total_and_count(total, *, bound, eps_total, eps_count, sample):
    """Two releases by a helper, each with a budget of its own."""
    first = about(total, bound / eps_total, sample)
    second = about(total, bound / eps_count, sample)
    return first, second


@mechanism(neighbours=Each("answers"), price=Pure("eps"))
def first_over_its_own_bar(answers, bars, *, eps, sample):
    """Every query has a threshold of its own, in a list."""
    slack = sample(Laplace(2 / eps))
    found = False
    i = 0
    while not found and i < len(answers):
        noisy = answers[i] + sample(Laplace(4 / eps))
        if noisy >= bars[i] + slack:
            found = True
        else:
            i += 1
    return i if found else -1


@mechanism(neighbours=One("hours"), price=Pure("eps"))
def positive_total(hours, *, eps, sample):
    """A sum of entries that are not below 0, by a helper inside a generator."""
    return sum([max(hour, 0) for hour in hours]) + sample(Laplace(1 / eps))


@mechanism(neighbours=One("visits"), price=Pure("3 * eps"))
def counts_then_running(visits, *, eps, sample):
    """Two loops in sequence: noisy counts with one part of the budget, their running sums with two."""
    cells = []
    for visit in visits:
        cells.append(visit + sample(Laplace(1 / eps)))
    running = []
    so_far = 0
    for visit in visits:
        so_far += visit + sample(Laplace(Fraction(1, 2) / eps))
        running.append(so_far)
    return cells, running


@mechanism(neighbours=Each("scores"), price=Pure("eps"))
def winner_or_none(scores, bar, *, eps, sample):
    """The largest of noisy scores, if it passes a public bar after noise: the index, or None at once."""
    best = argmax(scores + sample(Laplace(4 / eps), len(scores)))
    check = bar + sample(Laplace(1))
    if check > 2 * bar:
        return None
    return best


@mechanism(neighbours=Number("income", by=10), price=Pure("eps"))
def bracket(income, *, eps, sample):
    """A noisy number, shown as one of four brackets by early returns."""
    noisy = income + sample(Laplace(10 / eps))
    if noisy < 0:
        return 0
    if noisy < 100:
        return 1
    if noisy < 1000:
        return 2
    return 3


@mechanism(neighbours=L1("counts", by=2), price=Pure("eps"))
def shares_of_the_total(counts, *, eps, sample):
    """Noisy counts, rounded up to 0, and their total, which costs nothing more."""
    noisy = counts + sample(Laplace(2 / eps), len(counts))
    total = 0
    kept = []
    for value in noisy:
        positive = max(value, 0)
        kept.append(positive)
        total += positive
    return kept, total


@mechanism(neighbours=Each("queries", by=3), price=Pure("eps"))
def alarms(queries, bar, *, most: int, eps, sample):
    """Sparse vector with a helper, a flag and a tuple of counts."""
    level = about(bar, 6 / eps, sample)
    left = most
    fired = []
    running = True
    for query in queries:
        if running:
            hit = about(query, 12 * most / eps, sample) > level
            fired.append(hit)
            if hit:
                left = left - 1
            running = left > 0
    return fired


@mechanism(neighbours=Number("age", by=1), price=Pure("eps"))
def sometimes(age, *, eps, rate, sample):
    """Answers only if a coin says so."""
    if sample(Bernoulli(rate)):
        return age + sample(Laplace(1 / eps))
    return None


@mechanism(neighbours=One("steps"), price=Pure("eps"))
def prefixes(steps, *, eps, sample):
    """Noise on every increment, sums in array style."""
    noisy = steps + sample(Laplace(1 / eps), len(steps))
    return cumsum(noisy)


@mechanism(neighbours=Each("gains"), price=Pure("eps"))
def best_option(gains, *, eps, sample):
    """The running best as None at first, in both of its parts."""
    best, value = None, None
    for i in range(len(gains)):
        noisy = gains[i] + sample(Laplace(2 / eps))
        if value is None or noisy > value:
            best, value = i, noisy
    return best


@mechanism(neighbours=Each("daily"), price=Pure("eps_bar + eps_days"))
def first_hot_day(daily, *, bar, eps_bar, eps_days, sample):
    """A budget for the bar, one for the days, a flag and a break."""
    limit = bar + sample(Laplace(1 / eps_bar))
    day = -1
    for i in range(len(daily)):
        seen = about(daily[i], 2 / eps_days, sample)
        if seen > limit:
            day = i
            break
    return day


@mechanism(neighbours=One("cells"), price=Pure("eps"))
def first_half_and_rest(cells, *, half: int, eps, sample):
    """One record is before the middle or after it."""
    left = []
    right = []
    for i in range(len(cells)):
        if i < half:
            left.append(cells[i] + sample(Laplace(1 / eps)))
        else:
            right.append(cells[i] + sample(Laplace(1 / eps)))
    return left, right


@mechanism(neighbours=One("ages"), price=Pure("eps"))
def mean_age(ages, *, eps, sample):
    """Half of a noisy sum, or 0."""
    total = 0
    for age in ages:
        total += age
    noisy = total + sample(Laplace(1 / eps))
    return noisy * Fraction(1, 2) if noisy > 0 else 0


@mechanism(neighbours=Each("votes"), price=Pure("eps"))
def top_by_gumbel(votes, *, eps, sample):
    """The running best as -1 at first."""
    winner = -1
    highest = 0
    for j, v in enumerate(votes):
        s = v + sample(Gumbel(2 / eps))
        if winner < 0 or s > highest:
            winner, highest = j, s
    return winner


@mechanism(neighbours=Each("readings"), price=Pure("eps"))
def last_above(readings, bar, *, eps, sample):
    """Looks from the end."""
    noisy_bar = bar + sample(Laplace(2 / eps))
    n = len(readings)
    k = n - 1
    while k >= 0:
        if readings[k] + sample(Laplace(4 / eps)) > noisy_bar:
            return k
        k -= 1
    return -1


@mechanism(neighbours=Each("qs"), price=Pure("3 * eps"))
def three_searches(qs, bars, *, eps, sample):
    """One search per bar of a list, for three bars."""
    found = []
    for b in range(3):
        rho = sample(Laplace(2 / eps))
        hit = -1
        for i in range(len(qs)):
            if qs[i] + sample(Laplace(4 / eps)) >= bars[b] + rho:
                hit = i
                break
        found.append(hit)
    return found


@mechanism(neighbours=One("cells"), price=Pure("eps"))
def sparse_histogram(cells, *, cutoff, eps, sample):
    """Only cells whose noisy count passes a cutoff are shown."""
    shown = []
    for i in range(len(cells)):
        noisy = cells[i] + sample(Laplace(1 / eps))
        if noisy > cutoff:
            shown.append((i, noisy))
    return shown


@mechanism(neighbours=One("cells"), price=Pure("eps"))
def heavy_cells(cells, *, cutoff, eps, sample):
    """Only the places."""
    places = []
    for i in range(len(cells)):
        if cells[i] + sample(Laplace(1 / eps)) > cutoff:
            places.append(i)
    return places


@mechanism(neighbours=Number("x"), price=Pure("eps"))
def median_of_three(x, *, eps, sample):
    """Three looks with a third of the budget each, of which the one in the middle is shown."""
    a = x + sample(Laplace(3 / eps))
    b = x + sample(Laplace(3 / eps))
    c = x + sample(Laplace(3 / eps))
    return max(min(a, b), min(max(a, b), c))


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def count_above(q, bar, *, eps, most: int, sample):
    """How many of the queries are above, at most so many."""
    t = bar + sample(Laplace(2 / eps))
    hits = 0
    for x in q:
        if hits < most:  # noqa: SIM102  as people write it
            if x + sample(Laplace(4 * most / eps)) >= t:
                hits += 1
    return hits


@mechanism(neighbours=One("answers", by=1, grid=1), price=Pure("log(3)"))
def survey(answers, *, sample):
    """Yes, no, or a coin: counted apart."""
    yes, no = 0, 0
    for answer in answers:
        truth = answer > 0
        said = truth if sample(Uniform(4)) < 3 else not truth
        if said:
            yes += 1
        else:
            no += 1
    return yes, no
