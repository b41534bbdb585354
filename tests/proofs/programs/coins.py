"""Local privacy: randomized responses and encodings of one person's answer, priced by their largest log ratio."""

from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Bernoulli, Categorical, ExponentialWeights, Uniform
from twoworlds.worlds.neighbours import Local, One


@mechanism(neighbours=Local("truth", values=(False, True)), price=Pure("abs(log(keep / (1 - keep)))"))
def warner(truth, *, keep, sample):
    """Warner 1965: the truth with probability `keep`."""
    if sample(Bernoulli(keep)):
        return truth
    return not truth


@mechanism(neighbours=Local("truth", values=(False, True)), price=Pure("epsilon"))
def warner_by_weights(truth, *, epsilon, sample):
    """The truth exp(epsilon) times as likely as its opposite."""
    if sample(ExponentialWeights([epsilon, 0])) == 0:
        return truth
    return not truth


@mechanism(neighbours=Local("truth", values=(False, True)), price=Pure("log(3)"))
def two_coins(truth, *, sample):
    """The course's coins: the truth on heads, else yes or no by a second coin."""
    if sample(Bernoulli(Fraction(1, 2))):
        return truth
    return sample(Bernoulli(Fraction(1, 2)))


@mechanism(neighbours=Local("truth", values=(False, True)), price=Pure("epsilon"))
def half_a_lie(truth, *, epsilon, sample):
    """No is always no; a yes is denied with probability 1 - exp(-epsilon) / 2 at most: both answers stay within exp(epsilon)."""
    if truth:
        shown = sample(ExponentialWeights([0, epsilon])) == 1
    else:
        shown = sample(ExponentialWeights([epsilon, 0])) == 1
    return shown


@mechanism(neighbours=Local("answer", values=(0, 1, 2, 3)), price=Pure("epsilon"))
def four_answers(answer, *, epsilon, sample):
    """Kairouz, Bonawitz and Ramage 2016: k-ary randomized response, exp(epsilon) for the truth."""
    return sample(ExponentialWeights([epsilon if i == answer else 0 for i in range(4)]))


@mechanism(neighbours=Local("answer", values=(0, 1, 2)), price=Pure("log((1 + 2 * keep) / (1 - keep))"))
def keep_or_pick(answer, *, keep, sample):
    """The truth with probability `keep`, else any of the three answers."""
    if sample(Bernoulli(keep)):
        return answer
    return sample(Uniform(3))


@mechanism(neighbours=Local("answer", values=(0, 1, 2)), price=Pure("2 * log((2 - lie) / lie)"))
def rappor_once(answer, *, lie, sample):
    """Erlingsson, Pihur and Korolova 2014, theorem 1, with one hash: two bits differ, each replaced with probability `lie`."""
    bits = []
    for i in range(3):
        if sample(Bernoulli(lie)):
            bits.append(sample(Bernoulli(Fraction(1, 2))))
        else:
            bits.append(i == answer)
    return bits


@mechanism(neighbours=Local("answer", values=(0, 1)), price=Pure("log(77 / 45)"))
def rappor_twice(answer, *, sample):
    """The same with a second step on every bit, at the defaults of theorem 2: f = 1/2, q = 3/4, p = 1/2."""
    bits = []
    for i in range(2):
        bit = i == answer
        if sample(Bernoulli(Fraction(1, 2))):
            bit = sample(Bernoulli(Fraction(1, 2)))
        if bit:
            bits.append(sample(Bernoulli(Fraction(3, 4))))
        else:
            bits.append(sample(Bernoulli(Fraction(1, 2))))
    return bits


@mechanism(neighbours=Local("answer", values=(0, 1, 2)), price=Pure("2 * abs(log(keep / (1 - keep)))"))
def symmetric_unary(answer, *, keep, sample):
    """Wang, Blocki, Li and Jha 2017, symmetric unary encoding: every bit of three is kept with probability `keep`."""
    bits = []
    for i in range(3):
        bit = i == answer
        if not sample(Bernoulli(keep)):
            bit = not bit
        bits.append(bit)
    return bits


@mechanism(neighbours=Local("answer", values=(0, 1, 2)), price=Pure("epsilon"))
def optimal_unary(answer, *, epsilon, sample):
    """Wang, Blocki, Li and Jha 2017, optimal unary encoding: a one by a fair coin, a zero flipped with 1 / (exp(epsilon) + 1)."""
    bits = []
    for i in range(3):
        if i == answer:
            bits.append(sample(Bernoulli(Fraction(1, 2))))
        else:
            bits.append(sample(ExponentialWeights([epsilon, 0])) == 1)
    return bits


@mechanism(neighbours=Local("answer", values=(0, 1, 2, 3)), price=Pure("epsilon"))
def hadamard(answer, *, epsilon, sample):
    """Acharya, Sun and Zhang 2019: one random entry of the answer's row, its sign kept with exp(epsilon) to one."""
    signs = [[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]
    place = sample(Uniform(4))
    if sample(ExponentialWeights([epsilon, 0])) == 0:
        return place, signs[answer][place]
    return place, -signs[answer][place]


@mechanism(neighbours=Local("answer", values=(0, 1, 2)), price=Pure("log(6)"))
def loaded_die(answer, *, sample):
    """Another answer by a loaded die: the truth has weight 6 of 8."""
    return (answer + sample(Categorical([6, 1, 1]))) % 3


@mechanism(neighbours=Local("truth", values=(False, True)), price=Pure("epsilon"))
def two_halves(truth, *, epsilon, sample):
    """Two responses, each with half of the budget."""
    first = sample(ExponentialWeights([epsilon / 2, 0])) == 0
    second = sample(ExponentialWeights([epsilon / 2, 0])) == 0
    return truth if first else not truth, truth if second else not truth


@mechanism(neighbours=One("bits", by=1, grid=1), price=Pure("abs(log(keep / (1 - keep)))"))
def flipped_bits(bits, *, keep, sample):
    """A list of bits of any length of which one may change, each kept with probability `keep`."""
    shown = []
    for bit in bits:
        if sample(Bernoulli(keep)):
            shown.append(bit > 0)
        else:
            shown.append(bit <= 0)
    return shown
