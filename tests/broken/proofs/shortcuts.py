"""Programs that are not private at their price, each of which a prover without one particular check would accept.

`tests/proofs/test_checks.py` has the hints that lead it astray, takes the check away, and puts it back.
"""

from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import BernoulliExp, Categorical, Exponential, ExponentialWeights, Gaussian, Laplace
from twoworlds.worlds.neighbours import Each, Number, One

AT_ONE = {"epsilon": 1}


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def two_draws_become_one(value, *, epsilon, sample):
    """Both `value` and `2 - value` say yes; in world 1 they are one number, so yes is far less likely there."""
    noise = sample(Laplace(1 / epsilon))
    return noise == value or noise == 2 - value


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def branch_on_a_secret(value, *, epsilon, sample):
    """The two runs take different branches."""
    noise = sample(Laplace(1 / epsilon))
    if value > 0:
        return noise + 1 - noise
    return noise - noise


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def loop_on_a_secret(value, *, epsilon, sample):
    """The two runs go round a different number of times."""
    noise = sample(Laplace(1 / epsilon))
    rounds = 0
    while rounds < value:
        rounds = rounds + 1
    return noise, rounds


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def range_of_a_secret(value, *, epsilon, sample):
    """On the grid of halves `range` fails in one world alone, although it goes round in neither."""
    noise = sample(Laplace(1 / epsilon))
    for _ in range(min(value, 0)):
        noise = noise + 1
    return noise


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def scale_from_a_secret(value, *, epsilon, sample):
    """The scale tells the secret."""
    return sample(Laplace((1 + abs(value)) / epsilon))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, {"epsilon": 1, "rounds": 2}),))
def scale_that_shrinks(value, *, rounds: int, epsilon, sample):
    """The second draw is charged at the scale of the first."""
    first = sample(Laplace(2 / epsilon))
    answers = []
    scale = 2 / epsilon
    for _ in range(min(rounds, 2)):
        answers.append(value + sample(Laplace(scale)))
        scale = scale / 9
    return answers, first


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def one_sided_noise_moves_down(value, *, epsilon, sample):
    """One-sided noise on a number: the smallest output tells the secret."""
    return value + sample(Exponential(1 / epsilon))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def noise_that_is_too_small(value, *, epsilon, sample):
    """Half the noise that the price needs."""
    return value + sample(Laplace(1 / (2 * epsilon)))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def off_the_grid(value, *, epsilon, sample):
    """Private over the reals; on the grid, half a step in the output tells odd from even."""
    half = value * Fraction(1, 2)
    return half + sample(Laplace(1 / (2 * epsilon)))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def noise_that_falls_too_fast(value, *, epsilon, sample):
    """Gaussian noise has no pure price."""
    return value + sample(Gaussian(1 / epsilon))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def secret_index(value, *, epsilon, sample):
    """A public table read at a secret place."""
    noise = sample(Laplace(1 / epsilon))
    table = [0, 1, 2]
    return noise, table[value]


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def secret_divisor(value, *, epsilon, sample):
    """World 0 ends in an error, world 1 does not."""
    noise = sample(Laplace(1 / epsilon))
    wasted = epsilon / value
    wasted = wasted - wasted
    return noise


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def division_in_one_world(value, *, epsilon, sample):
    """The divisor is public, but only one of two worlds divides by it."""
    noise = sample(Laplace(1 / epsilon))
    nothing = 0
    wasted = epsilon / nothing if value > 0 else epsilon
    wasted = wasted - wasted
    return noise


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def index_from_the_end(value, *, epsilon, sample):
    """Entry -1 is the last one, which the list's hint says nothing good about."""
    noise = sample(Laplace(1 / epsilon))
    held = [value]
    return noise, held[-1]


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def list_of_secrets(value, *, epsilon, sample):
    """A list that holds the secret is returned."""
    noise = sample(Laplace(1 / epsilon))
    held = [value, noise]
    return held  # noqa: RET504  the checker meets the list under its name


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def copy_of_secrets(value, *, epsilon, sample):
    """A list that holds the secret is returned under another name."""
    noise = sample(Laplace(1 / epsilon))
    held = [value, noise]
    kept = held
    return kept  # noqa: RET504  the copy is what is planted


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def nothing_in_a_list(value, *, epsilon, sample):
    """A list that holds None, in which a hint says there is none: the branch that tells the secret seems never taken."""
    noise = sample(Laplace(1 / epsilon))
    held = [None]
    if held[0] is None:
        return value
    return noise


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def nothing_is_ordered(value, *, epsilon, sample):
    """An order between None and a number ends the run in one world, and only there."""
    noise = sample(Laplace(1 / epsilon))
    held = None if value > 0 else 0
    small = held < 1  # noqa: F841  that it is computed is the fault
    return noise


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def nothing_is_added(value, *, epsilon, sample):
    """A sum with an entry that may be None ends the run in one world, and only there."""
    noise = sample(Laplace(1 / epsilon))
    held = [None if value > 0 else 0]
    more = held[0] + 1  # noqa: F841  that it is computed is the fault
    return noise


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, {"epsilon": 1, "rounds": 2}),))
def secret_sum(value, *, rounds: int, epsilon, sample):
    """Each round adds the secret."""
    noise = sample(Laplace(1 / epsilon))
    total = 0
    for _ in range(rounds):
        total = total + value
    return noise, total


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, {"epsilon": 1, "rounds": 2}),))
def secret_before_the_loop(value, *, rounds: int, epsilon, sample):
    """What the rounds keep was not so at first."""
    noise = sample(Laplace(1 / epsilon))
    total = value
    for _ in range(rounds):
        total = total + 1
    return noise, total


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def noise_left_out(value, *, epsilon, sample):
    """The noise is drawn and not added."""
    noise = sample(Laplace(1 / epsilon))  # noqa: F841  that it is not used is what is planted
    return value


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"), worst=(Case([0, 0], [1, 1], AT_ONE),))
def every_query_pays_once(queries, *, epsilon, sample):
    """Each answer costs the whole price."""
    answers = []
    for query in queries:
        answers.append(query + sample(Laplace(1 / epsilon)))
    return answers


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def two_scales(value, *, epsilon, sample):
    """The second draw has a tenth of the first one's noise."""
    return value + sample(Laplace(2 / epsilon)), value + sample(Laplace(1 / (5 * epsilon)))


@mechanism(
    neighbours=Each("queries"),
    price=Pure("epsilon"),
    worst=(Case([0, 0, 0, 0], [1, 1, 1, -1], {"threshold": 1, "limit": Fraction(1, 2), "epsilon": 1}),),
)
def half_a_limit(queries, threshold, *, limit, epsilon, sample):
    """Sparse vector whose limit may be a half: it still gives one answer, with half the noise."""
    noisy_threshold = threshold + sample(Laplace(2 / epsilon))
    answers = []
    found = 0
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(4 * limit / epsilon)) >= noisy_threshold:
            answers.append(True)
            found = found + 1
            if found >= limit:
                break
        else:
            answers.append(False)
    return answers


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"), worst=(Case([0], [1], AT_ONE),))
def parameter_given_a_new_list(queries, *, epsilon, sample):
    """The name still stands for a list, of other numbers."""
    queries = [9 * query for query in queries]
    return queries[0] + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"), worst=(Case([0, 0], [1, 0], AT_ONE),))
def one_noise_for_all(queries, *, epsilon, sample):
    """A number added to a list is added to every entry: their differences stay bare."""
    return queries + sample(Laplace(1 / epsilon), 1)[0]


@mechanism(neighbours=Each("queries"), price=Pure("epsilon"), worst=(Case([0], [1], AT_ONE),))
def parameter_under_another_name(queries, *, epsilon, sample):
    """The list that is returned was one of noisy numbers, and is the secret one."""
    kept = [queries[0] + sample(Laplace(1 / epsilon))]
    if len(queries) > 0:
        kept = queries
    return kept


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def halves_by_a_secret(value, *, epsilon, sample):
    """One half or two: the noise is large enough, and lies on the grid, from which a half is off."""
    halves = (2 if value > 0 else 1) * Fraction(1, 2)
    return halves + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, {"epsilon": 1, "rounds": 0}),))
def noise_that_comes_too_late(value, *, rounds: int, epsilon, sample):
    """Where there are no rounds the secret stays what it was."""
    first = value
    last = first
    for _ in range(rounds):
        first = sample(Laplace(1 / epsilon))
        last = first
    return last


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def nothing_handed_in(value, limit, *, epsilon, sample):
    """The limit may be None; computing with it ends the run in one world, and only there."""
    noise = sample(Laplace(1 / epsilon))
    is_bounded = limit is not None
    more = limit + 1 if value > 0 else 0  # noqa: F841  that it is computed is the fault
    return value + noise, is_bounded


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def largest_of_nothing(value, weights, *, epsilon, sample):
    """An empty list of weights has no largest: one world asks for it, the other does not."""
    top = max(weights) if value > 0 else 0  # noqa: F841  that it is computed is the fault
    return value + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def lists_of_two_lengths(value, weights, *, epsilon, sample):
    """Whether two lists are combined, which fails if their lengths differ, depends on the secret."""
    noise = sample(Laplace(1 / epsilon), len(weights))
    more = sample(Laplace(1 / epsilon), 2)
    total = sum(noise + more) if value > 0 else 0  # noqa: F841  that it is computed is the fault
    return value + sample(Laplace(1 / epsilon))


@mechanism(neighbours=One("cells"), price=Pure("epsilon"), worst=(Case([0], [1], AT_ONE),))
def first_and_last(cells, *, epsilon, sample):
    """In a list of one entry the first is the last, and is told twice."""
    return cells[0] + sample(Laplace(1 / epsilon)), cells[-1] + sample(Laplace(1 / epsilon))


@mechanism(neighbours=Each("scores", by=1), price=Pure("epsilon"), worst=(Case([0] * 20, [1] + [-1] * 19, AT_ONE),))
def choice_at_half_its_price(scores, *, epsilon, sample):
    """The chosen score goes up and all others go down: by 2 in all."""
    return sample(ExponentialWeights(scores, 1 / epsilon))


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, {"epsilon": "1/9"}),))
def weights_of_a_secret(value, *, epsilon, sample):
    """The weights of the choice tell the secret."""
    return sample(Categorical([1, 1 + value * value])) + epsilon


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def choice_by_a_secret_scale(value, *, epsilon, sample):
    """The scale tells the secret."""
    return sample(ExponentialWeights([9, 0], (1 + value * value) / epsilon))


@mechanism(neighbours=One("o0"), price=Pure("epsilon"), worst=(Case([0], [1], AT_ONE),))
def output_longer_than_its_namesake(o0, *, epsilon, sample):
    """Outputs as long as the secret list are public; the longer ones end in a secret. The list has the name of a ghost."""
    shown = []
    coin = sample(BernoulliExp(epsilon))
    for _ in range(len(o0)):
        shown.append(0)
    if coin:
        shown.append(o0[0])
    return shown
