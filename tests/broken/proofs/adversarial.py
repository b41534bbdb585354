"""Programs made to be proved by a sloppy prover, each by another slip: none of them keeps its price.

What Python does differs from what it looks like, or what is private about it lies where a proof may not look.
"""

from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.worlds.arrays import clip
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Bernoulli, Exponential, Laplace
from twoworlds.worlds.neighbours import Each, Number, One

SCALE = 1

# lists


@mechanism(neighbours=One("cells"), price=Pure("epsilon"))
def two_names_for_one_list(cells, *, epsilon, sample):
    """Writing to one name writes to the other."""
    noisy = []
    kept = noisy
    for cell in cells:
        noisy.append(cell + sample(Laplace(1 / epsilon)))
        kept.append(cell)
    return noisy


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"))
def list_that_grows_while_it_is_read(queries, *, epsilon, sample):
    """The loop goes on over what it appends."""
    entries = [queries[0]]
    released = []
    for entry in entries:
        released.append(entry + sample(Laplace(1 / epsilon)))
        if len(entries) < len(queries):
            entries.append(queries[len(entries)])
    return released


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def length_tells(value, *, epsilon, sample):
    """The answers are zeros; how many there are is the secret."""
    answers = []
    rounds = 0
    noise = sample(Laplace(1 / epsilon))
    while rounds < value:
        answers.append(0)
        rounds = rounds + 1
    return answers, noise


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def stored_over_the_noise(value, *, epsilon, sample):
    """The noisy entry is overwritten by the bare one."""
    held = [0, 0]
    held[0] = value + sample(Laplace(1 / epsilon))
    held[0] = value
    return held


# control


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def draws_in_one_branch_only(value, *, epsilon, sample):
    """One world draws once, the other twice; the sum tells."""
    total = value + sample(Laplace(1 / epsilon))
    if value > 0:
        total = total + 5 * sample(Laplace(1 / epsilon))
    return total


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def early_return_without_noise(value, *, epsilon, sample):
    """Zero is returned before there is noise."""
    if value == 0:
        return 0
    return value + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def break_on_the_secret(value, *, epsilon, sample):
    """How far the public loop got is the secret."""
    noise = sample(Laplace(1 / epsilon))
    reached = 0
    for i in range(9):
        if i >= value:
            break
        reached = i
    return noise, reached


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def public_until_the_last_round(value, *, rounds: int, epsilon, sample):
    """Every round but the third is innocent."""
    answer = sample(Laplace(1 / epsilon))
    for i in range(rounds):
        if i == 2:
            answer = value
    return answer


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"))
def only_the_seventh(queries, *, epsilon, sample):
    """The seventh query is not noisy; short lists never show it."""
    total = sample(Laplace(1 / epsilon))
    for i in range(len(queries)):
        if i == 6:
            total = queries[i]
    return total


# noise


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def noise_from_below(value, *, epsilon, sample):
    """One-sided noise subtracted: the largest output tells."""
    return value - sample(Exponential(1 / epsilon))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def second_draw_kept(value, *, epsilon, sample):
    """Two draws, of which the wrong one is added to the secret."""
    first = sample(Laplace(1 / epsilon))
    second = sample(Laplace(1 / (4 * epsilon)))
    return value + second, first


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def noise_cancels(value, *, epsilon, sample):
    """Added and taken away again."""
    noise = sample(Laplace(1 / epsilon))
    return value + noise - noise


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def noise_and_its_absolute(value, *, epsilon, sample):
    """The noise's size is released beside the noisy number: two values remain."""
    noise = sample(Laplace(1 / epsilon))
    return value + noise, abs(noise)


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def shift_that_meets_itself(value, *, epsilon, sample):
    """The noisy number is folded: moving noise by the difference is two to one."""
    noise = sample(Laplace(1 / epsilon))
    return abs(noise - value), abs(noise)


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def noise_whose_scale_is_secret(value, *, epsilon, sample):
    """Less noise for the larger secret."""
    scale = 2 / epsilon if value > 0 else 1 / epsilon
    return value + sample(Laplace(scale))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def noise_clipped_before(value, *, epsilon, sample):
    """The noise is clipped, not the answer."""
    return value + clip(sample(Laplace(1 / epsilon)), -2, 2)


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def coin_beside_the_noise(value, *, epsilon, sample):
    """Half of the time the bare value."""
    noisy = value + sample(Laplace(1 / epsilon))
    if sample(Bernoulli(Fraction(1, 2))):
        return noisy
    return value


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def equal_on_the_grid(value, *, epsilon, sample):
    """Over the reals noise never equals the value; on the grid it does, and then all is told."""
    noise = sample(Laplace(1 / epsilon))
    if noise == 0:
        return value
    return value + noise, 0


# numbers


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def truncated_quotient(value, *, epsilon, sample):
    """Seven times a rounded third moves by more than the noise is for."""
    third = value // 3
    return 7 * third + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def remainder_told(value, *, epsilon, sample):
    """A remainder jumps."""
    return value % 5 + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def quotient_of_counts(value, *, epsilon, sample):
    """The mean divides by a count that may be zero, and moves by far more than one."""
    return 10 / max(value, Fraction(1, 4)) + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def off_by_a_half_step(value, *, epsilon, sample):
    """Half of the value lies between the grid's points where the value is odd."""
    return value * Fraction(1, 2) + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Number("value", by=2), price=Pure("epsilon"))
def bound_forgotten(value, *, epsilon, sample):
    """The value moves by two and the noise is for one."""
    return value + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Number("value", by="most"), price=Pure("epsilon"))
def bound_by_another_parameter(value, *, most, least, epsilon, sample):
    """The noise is for `least`."""
    return value + sample(Laplace(least / epsilon)), most


# parameters and names


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def epsilon_given_away(value, *, epsilon, sample):
    """The parameter that the price speaks of is changed before the noise is drawn."""
    epsilon = 3 * epsilon
    return value + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def default_budget(value, *, epsilon, spent=2, sample):
    """The noise is for a budget with a default, the price for another."""
    return value + sample(Laplace(1 / (spent * epsilon)))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def scale_from_a_global(value, *, epsilon, sample):
    """The scale is a name of the module, which the price knows nothing of."""
    return value + sample(Laplace(Fraction(1, 2) * SCALE / epsilon))


@mechanism(neighbours=Number("value"), price=Pure("abs(epsilon)"))
def price_of_any_sign(value, *, epsilon, sample):
    """A scale that is right for one sign of epsilon and halved for the other."""
    scale = 1 / epsilon if epsilon > 0 else 0 - 1 / (2 * epsilon)
    return value + sample(Laplace(scale))


@mechanism(neighbours=Number("value"), price=Pure("epsilon / (1 + weight)"))
def price_of_a_free_parameter(value, *, weight, epsilon, sample):  # noqa: ARG001  it is only in the price
    """The price falls with a parameter that adds no noise."""
    return value + sample(Laplace(1 / epsilon))


def passed_on(value, scale, sample):
    """A helper that draws and forgets."""
    sample(Laplace(scale))
    return value


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def helper_forgets(value, *, epsilon, sample):
    """The helper's noise is not in what it returns."""
    return passed_on(value, 1 / epsilon, sample)


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"))
def threshold_is_a_query(queries, *, epsilon, sample):
    """The threshold itself moves, with the noise for one that does not, and queries move against it."""
    noisy_threshold = 2 * queries[0] + sample(Laplace(2 / epsilon))
    for i in range(1, len(queries)):
        if queries[i] + sample(Laplace(4 / epsilon)) >= noisy_threshold:
            return i
    return None
