"""Local privacy on lists of any length: each entry answered by coins of its own, priced by the largest ratio of one round."""

from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Bernoulli, Categorical, ExponentialWeights, Uniform
from twoworlds.worlds.neighbours import L1, Local, Number, One


@mechanism(neighbours=One("bits", by=1, grid=1), price=Pure("abs(log(keep / (1 - keep)))"))
def kept_or_turned(bits, *, keep, sample):
    """The same in one line."""
    return [(bit > 0) if sample(Bernoulli(keep)) else (bit <= 0) for bit in bits]


@mechanism(neighbours=One("bits", by=1, grid=1), price=Pure("abs(log(keep / (1 - keep)))"))
def turned_by_array(bits, *, keep, sample):
    """All coins first, as with arrays."""
    kept = sample(Bernoulli(keep), len(bits))
    shown = []
    for i in range(len(bits)):
        bit = bits[i] >= 1
        shown.append(bit if kept[i] else not bit)
    return shown


@mechanism(neighbours=L1("bits", by=3, grid=1), price=Pure("3 * log(4)"))
def three_bits_differ(bits, *, sample):
    """One record moves three bits."""
    shown = []
    for bit in bits:
        shown.append(sample(Bernoulli(Fraction(4, 5) if bit > 0 else Fraction(1, 5))))
    return shown


def noisy(bit, lie, sample):
    """A bit that is replaced by a coin with probability `lie`."""
    if sample(Bernoulli(lie)):
        return sample(Bernoulli(Fraction(1, 2)))
    return bit


@mechanism(neighbours=Local("answer"), price=Pure("2 * log((2 - lie) / lie)"))
def rappor_of_any_size(answer, *, size: int, lie, sample):
    """Erlingsson, Pihur and Korolova 2014, theorem 1, with one hash and any number of bits."""
    bits = []
    for i in range(size):
        bits.append(noisy(i == answer, lie, sample))
    return bits


@mechanism(neighbours=Local("answer"), price=Pure("log(77 / 45)"))
def rappor_in_two_steps(answer, *, size: int, sample):
    """With both steps at the defaults of theorem 2: f = 1/2, q = 3/4, p = 1/2."""
    bits = []
    for i in range(size):
        bit = noisy(i == answer, Fraction(1, 2), sample)
        if bit:
            bits.append(sample(Bernoulli(Fraction(3, 4))))
        else:
            bits.append(sample(Bernoulli(Fraction(1, 2))))
    return bits


@mechanism(neighbours=Local("answer"), price=Pure("epsilon"))
def optimal_unary_of_any_size(answer, *, size: int, epsilon, sample):
    """Wang, Blocki, Li and Jha 2017: a one by a fair coin, a zero flipped with 1 / (exp(epsilon) + 1)."""
    bits = []
    for i in range(size):
        if i == answer:
            bits.append(sample(Bernoulli(Fraction(1, 2))))
        else:
            bits.append(sample(ExponentialWeights([epsilon, 0])) == 1)
    return bits


@mechanism(neighbours=Number("answer", by=9), price=Pure("2 * abs(log(keep / (1 - keep)))"))
def symmetric_unary_of_any_size(answer, *, size: int, keep, sample):
    """Symmetric unary encoding in place."""
    bits = [False] * size
    for i in range(size):
        bit = i == answer
        if not sample(Bernoulli(keep)):
            bit = not bit
        bits[i] = bit
    return bits


@mechanism(neighbours=One("answers", by=2, grid=1), price=Pure("log(6)"))
def three_way_each(answers, *, sample):
    """Each person's answer is below, about or above, and is told by a loaded die."""
    told = []
    for answer in answers:
        kind = 0
        if answer > 3:
            kind = 2
        elif answer >= 1:
            kind = 1
        told.append((kind + sample(Categorical([6, 1, 1]))) % 3)
    return told


@mechanism(neighbours=One("bits", by=1, grid=1), price=Pure("log(3)"))
def counted_responses(bits, *, sample):
    """Warner's coins, of which only the share is shown; half of the people are not asked."""
    yes = 0
    asked = 0
    for bit in bits:
        if sample(Bernoulli(Fraction(1, 2))):
            continue
        asked = asked + 1
        honest = sample(Bernoulli(Fraction(1, 2)))
        made_up = sample(Uniform(2)) == 1
        if (bit > 0) if honest else made_up:
            yes = yes + 1
    return yes, asked
