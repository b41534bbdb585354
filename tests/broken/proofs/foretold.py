"""Programs that would pass if a guess of the output, or a list that is followed, were not checked."""

from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import Case, mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Number

AT_ONE = {"epsilon": 1}


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def appended_secret(value, *, epsilon, sample):
    """A list of outputs that is guessed, into which the secret is put."""
    noise = sample(Laplace(1 / epsilon))
    told = []
    told.append(value)
    told.append(noise)
    return told


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def list_begun_again(value, *, epsilon, sample):
    """What was appended first is not what is returned: taken for it, it contradicts the rest."""
    told = []
    told.append(0)
    told = []
    told.append(1 if value > 0 else 2)
    told.append(sample(Laplace(1 / epsilon)))
    return told


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def one_of_two_lists(value, *, epsilon, sample):
    """Two lists, of which another is returned than the one that is guessed."""
    first = []
    first.append(0)
    first.append(sample(Laplace(1 / epsilon)))
    other = []
    other.append(1 if value > 0 else 2)
    other.append(sample(Laplace(1 / epsilon)))
    if epsilon > 0:
        return other
    return first


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, AT_ONE),))
def not_settled_yet(value, *, epsilon, sample):
    """A number that is assigned again before it is returned."""
    answer = 0
    noise = sample(Laplace(1 / epsilon))
    answer = noise
    answer = 1 if value > 0 else 2
    return answer  # noqa: RET504  the checker meets the number under its name


@mechanism(neighbours=Number("value"), price=Pure("epsilon"))
def entry_in_one_world(value, *, epsilon, sample):
    """An entry that is there in one world only: the other run ends with an error."""
    noise = sample(Laplace(1 / epsilon))
    held = [0]
    at = 0 if value > 0 else 1
    kept = held[at]
    return 0 * kept + noise


@mechanism(neighbours=Number("value"), price=Pure("epsilon"), worst=(Case(0, 1, {"rounds": 1, "epsilon": 1}),))
def many_secrets(value, *, rounds: int, epsilon, sample):
    """A list of secrets, of which a hint says that both runs have the same."""
    held = []
    for _ in range(rounds):
        held.append(value)
    return held[0] + 0 * sample(Laplace(1 / epsilon))
