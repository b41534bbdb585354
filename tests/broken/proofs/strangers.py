"""What strangers get wrong: mechanisms that look private and are not, each for a reason of its own."""

from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Bernoulli, Exponential, Laplace
from twoworlds.worlds.neighbours import Each, Local, Number, One


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def histogram_of_queries(q, *, eps, sample):
    """Every query may move, and each answer is paid for as if one did."""
    return [x + sample(Laplace(1 / eps)) for x in q]


@mechanism(neighbours=Number("x"), price=Pure("eps"))
def noise_only_when_positive(x, *, eps, sample):
    """The secret decides whether there is noise."""
    noise = sample(Laplace(1 / eps))
    return x + noise if x > 0 else x


@mechanism(neighbours=Number("x"), price=Pure("eps"))
def noise_used_twice(x, *, eps, sample):
    """One draw hides two answers, and their difference is bare."""
    noise = sample(Laplace(1 / eps))
    return x + noise, 2 * x + noise


@mechanism(neighbours=Number("x"), price=Pure("eps"))
def noise_scaled_down(x, *, eps, sample):
    """The noise is divided after it was drawn."""
    return x + Fraction(1, 2) * sample(Laplace(1 / eps))


@mechanism(neighbours=Number("x"), price=Pure("eps"))
def noise_times_the_secret(x, *, eps, sample):
    """Nothing is added where the secret is 0."""
    return x * sample(Laplace(1 / eps))


@mechanism(neighbours=Number("x"), price=Pure("eps"))
def parity_kept(x, *, eps, sample):
    """Even noise keeps the parity of a whole number."""
    return x + 2 * sample(Laplace(1 / (2 * eps)))


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def count_of_the_large(q, bar, *, eps, sample):
    """A count of queries above the bar moves by more than one."""
    count = 0
    for x in q:
        if x >= bar:
            count = count + 1
    return count + sample(Laplace(1 / eps))


@mechanism(neighbours=One("values"), price=Pure("eps"))
def sum_of_squares(values, *, eps, sample):
    """A square moves by more than its root."""
    total = 0
    for v in values:
        total = total + v * v
    return total + sample(Laplace(1 / eps))


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def restarts_the_search(q, bar, *, eps, sample):
    """Above threshold run twice over the same list at the price of one."""
    first = -1
    t = bar + sample(Laplace(2 / eps))
    for i in range(len(q)):
        if q[i] + sample(Laplace(4 / eps)) >= t:
            first = i
            break
    second = -1
    u = bar + sample(Laplace(2 / eps))
    for i in range(len(q)):
        if q[i] + sample(Laplace(4 / eps)) >= u:
            second = i
            break
    return first, second


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def answer_with_the_index(q, bar, *, eps, sample):
    """The query found is released with noise that nobody paid for."""
    t = bar + sample(Laplace(2 / eps))
    for i in range(len(q)):
        if q[i] + sample(Laplace(4 / eps)) >= t:
            return i, q[i] + sample(Laplace(1 / eps))
    return None


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def bar_released(q, bar, *, eps, sample):
    """The noisy bar is released with the answer."""
    t = bar + sample(Laplace(2 / eps))
    for i in range(len(q)):
        if q[i] + sample(Laplace(4 / eps)) >= t:
            return i, t
    return None, t


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def bar_without_noise(q, bar, *, eps, sample):
    """Above threshold whose bar is bare."""
    for i in range(len(q)):
        if q[i] + sample(Laplace(4 / eps)) >= bar:
            return i
    return None


@mechanism(neighbours=Each("q"), price=Pure("eps"))
def limit_counts_the_wrong_ones(q, bar, *, most: int, eps, sample):
    """The search stops after so many below, not above."""
    t = bar + sample(Laplace(2 / eps))
    below = 0
    bits = []
    for x in q:
        if x + sample(Laplace(4 * most / eps)) >= t:
            bits.append(True)
        else:
            bits.append(False)
            below = below + 1
            if below >= most:
                t = bar
    return bits


@mechanism(neighbours=Each("utility"), price=Pure("eps"))
def second_best_too(utility, *, eps, sample):
    """Names the winner, and the winner of a second draw for the same price."""
    best = 0
    most = utility[0] + sample(Exponential(2 / eps))
    for i in range(1, len(utility)):
        value = utility[i] + sample(Exponential(2 / eps))
        if value > most:
            best, most = i, value
    again = 0
    most = utility[0] + sample(Exponential(2 / eps))
    for i in range(1, len(utility)):
        value = utility[i] + sample(Exponential(2 / eps))
        if value > most:
            again, most = i, value
    return best, again


@mechanism(neighbours=Each("utility"), price=Pure("eps"))
def margin_of_the_best(utility, *, eps, sample):
    """The winner with its lead over the first, at the price of the winner alone with too little noise."""
    first = utility[0] + sample(Laplace(1 / eps))
    best, most = 0, first
    for i in range(1, len(utility)):
        value = utility[i] + sample(Laplace(1 / eps))
        if value > most:
            best, most = i, value
    return best, most - first


@mechanism(neighbours=Local("vote", values=(False, True)), price=Pure("log(2)"))
def three_coins(vote, *, sample):
    """Randomized response with a truthful coin of 1/2, sold below its price."""
    if sample(Bernoulli(Fraction(1, 2))):
        return vote
    return sample(Bernoulli(Fraction(1, 2)))


@mechanism(neighbours=Local("vote", values=(False, True)), price=Pure("log(3)"))
def lies_only_for_true(vote, *, sample):
    """Only one of two answers is ever a lie."""
    if vote:
        return sample(Bernoulli(Fraction(3, 4)))
    return False


@mechanism(neighbours=One("cells"), price=Pure("eps"))
def rounds_then_noises_less(cells, *, eps, sample):
    """Cells are halved first, and the noise with them, by too much."""
    out = []
    for cell in cells:
        out.append(cell + sample(Laplace(1 / (3 * eps))))
    return out


@mechanism(neighbours=One("cells"), price=Pure("eps"))
def largest_cell_bare(cells, *, eps, sample):
    """All cells are noisy, and the largest is told exactly."""
    most = cells[0]
    out = []
    for cell in cells:
        most = max(most, cell)
        out.append(cell + sample(Laplace(1 / eps)))
    return out, most


@mechanism(neighbours=One("stream"), price=Pure("eps"))
def difference_of_totals(stream, *, eps, sample):
    """One noise for all running totals: their differences are bare."""
    noise = sample(Laplace(1 / eps))
    total = 0
    out = []
    for x in stream:
        total += x
        out.append(total + noise)
    return out
