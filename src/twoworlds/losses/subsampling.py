"""Privacy amplification by sampling: a mechanism that sees a random, secret part of the records.

Who may be sampled how, and why the result still composes:

- **Poisson, under add/remove.** Every record joins independently with probability q (where users come and go: every user, with
  all rows on one coin). If (Y, N) dominates the mechanism with and
  without the record, then ((1 - q) N + q Y, N) dominates for removal and (N, (1 - q) N + q Y) for addition, each for all epsilon
  in R, so they compose direction by direction (Zhu, Dong and Wang 2022, theorem 11).
- **Without replacement, under replacement.** A uniform batch of `size` out of a public number of `records`. With
  q = size / records, delta(log(1 + q (exp(epsilon) - 1))) <= q * (the mechanism's own delta(epsilon)) for epsilon >= 0 (Balle,
  Barthe and Gaboardi 2018, theorem 9); replacement is symmetric, which gives epsilon < 0.
- **With replacement, under replacement.** `size` independent picks; a record picked k times counts as a group of k. With
  c_k = P[Binomial(size, 1 / records) = k] and q = 1 - c_0, delta(log(1 + q (exp(epsilon) - 1))) <= sum over k >= 1 of c_k
  delta_k(epsilon) (the same, theorem 10).

The mechanism must itself hold for the same relation on the batch: under replacement the sensitivity of a sum clipped at C is 2 C.
What is not here has no proof of domination under composition, and is an error.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from twoworlds.losses.balls import ball, exact_ends, precision, upper
from twoworlds.losses.continuous import Gaussian, Laplace
from twoworlds.losses.discrete import Discrete, multiplied
from twoworlds.losses.dominance import Pair
from twoworlds.losses.folded import Folded
from twoworlds.losses.loss import Loss, Terms
from twoworlds.losses.sampled_discrete import SampledDiscrete
from twoworlds.losses.sampled_gaussian import SampledGaussian
from twoworlds.losses.sampled_laplace import SampledLaplace
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import exact

__all__ = ["ADD_REMOVE", "REPLACE", "poisson_sampled", "with_replacement", "without_replacement"]

ADD_REMOVE, REPLACE = "add/remove", "replace"

_MOST_ATOMS = 4096
_LEAST_RATE = Fraction(1, 10**300)  # a smaller one is 0 as a float
_NEGLIGIBLE = 1e-40  # the probability of so many picks of one record that they are not priced one by one


def poisson_sampled(loss: Loss, rate: object) -> Loss:
    """The mechanism on a Poisson sample of the records, under add/remove."""
    q = exact(rate, "rate")
    if not 0 < q <= 1:
        raise BadArgument("rate", rate, "is not in (0, 1]", "Give the probability that a record joins the batch")
    if q < _LEAST_RATE:
        raise BadArgument("rate", rate, "is out of range", "Give a rate of at least 1e-300, and it is an upper bound")
    tag = _tag(loss, ADD_REMOVE)
    if q == 1 or not loss.remove:
        return Loss(loss.remove, loss.add, tag, loss.attained_by)
    attained = f"{loss.attained_by}, joined with probability {rate}" if loss.attained_by else None
    removed = _sampled(_single(loss.remove), q)
    added = _sampled(_single(loss.add).reverse(), q).reverse()
    return Loss(((removed, 1),), ((added, 1),), tag, attained)


def without_replacement(loss: Loss, size: int, records: int) -> Loss:
    """The mechanism on a uniform batch of fixed size, under replacement of one of a public number of records."""
    _check_size(size, records, most=records)
    tag = _tag(loss, REPLACE)
    if size == records or not loss.remove:
        return Loss(loss.remove, loss.add, tag)
    q = Fraction(size, records)
    pair = Folded(((_sampled(_symmetric(loss), q), Fraction(1)),))
    return Loss(((pair, 1),), ((pair, 1),), tag)


def with_replacement(loss: Loss, size: int, records: int) -> Loss:
    """The mechanism on `size` independent picks, under replacement of one of a public number of records."""
    _check_size(size, records, most=None)
    tag = _tag(loss, REPLACE)
    if not loss.remove:
        return Loss((), (), tag)
    pair, parts = _symmetric(loss), []
    with precision():
        chances, rest = _picks(size, records)
        q = exact_ends(1 - chances[0])[1]
        for k, chance in enumerate(chances[1:], start=1):
            parts.append((_sampled(_group(pair, k), q), exact_ends(chance / ball(q))[1]))
        folded = Folded(tuple(parts), exact_ends(rest)[1])
    return Loss(((folded, 1),), ((folded, 1),), tag)


def _single(terms: Terms) -> Pair:
    """The one pair that a batch sees, or an error: a batch shared by several releases is one release of all of them."""
    if len(terms) == 1 and terms[0][1] == 1:
        return terms[0][0]
    product = multiplied(terms, _MOST_ATOMS)
    if product is None:
        raise BadArgument(
            "loss",
            " + ".join(f"{count} x {pair}" for pair, count in terms),
            "is a composition that cannot be multiplied out",
            "Sample each release for itself, or give all releases on one batch as one Gaussian",
        )
    return product


def _symmetric(loss: Loss) -> Pair:
    pair = _single(loss.remove)
    if loss.remove != loss.add or pair.reverse() != pair:
        raise BadArgument("loss", str(loss), "differs by direction", "Replacement is symmetric: give a loss that is")
    return pair


def _sampled(pair: Pair, q: Fraction) -> Pair:
    if q == 1:
        return pair
    if isinstance(pair, Gaussian):
        return SampledGaussian(pair.mu_squared, q)
    if isinstance(pair, Laplace):
        return SampledLaplace(pair.epsilon, q)
    if isinstance(pair, Discrete):
        return SampledDiscrete(pair, q)
    raise BadArgument("loss", str(pair), "has no proved amplification here", "Sample Gaussian, Laplace or finite mechanisms")


def _group(pair: Pair, k: int) -> Pair:
    """The pair for an input that moves k times as far."""
    if isinstance(pair, Gaussian):
        return Gaussian(k * k * pair.mu_squared)
    if isinstance(pair, Laplace):
        return Laplace(k * pair.epsilon)
    raise BadArgument(
        "loss",
        str(pair),
        "does not say what k copies of one record cost",
        "Sample with replacement Gaussian or Laplace noise only, or sample without replacement",
    )


def _picks(size: int, records: int) -> tuple[list[arb], arb]:
    """P[Binomial(size, 1 / records) = k] for k = 0, 1, ... and the probability of more, once that is negligible."""
    chance, odds = (size * (-1 / arb(records)).log1p()).exp() if records > 1 else arb(0), 1 / arb(max(records - 1, 1))
    if records == 1:
        return [arb(0)] * size + [arb(1)], arb(0)
    chances, k = [chance], 0
    while k < size:
        chance = chance * (size - k) / (k + 1) * odds
        k += 1
        chances.append(chance)
        # Past the mode the chances fall at least as fast as a geometric series with this ratio.
        ratio = (size - k) * odds / (k + 1)
        if ratio < 1 and chance * ratio / (1 - ratio) < _NEGLIGIBLE:
            return chances, upper(chance * ratio / (1 - ratio))
    return chances, arb(0)


def _tag(loss: Loss, relation: str) -> str:
    """The loss's own relation, if it is of this kind; the kind itself where it names none."""
    if not isinstance(loss, Loss):
        raise BadArgument("loss", loss, "is not a Loss", "Give the loss of the mechanism that sees the batch")
    name, kind = loss.neighbours.replace("/", "").lower(), "addremove" if relation == ADD_REMOVE else "replace"
    if name and not name.startswith(kind):  # a group is not sampled as one record is, nor are queries
        raise BadArgument(
            "loss", loss.neighbours, f"is not the relation of this theorem ({relation})", f"Price it for {relation}"
        )
    return loss.neighbours or relation


def _check_size(size: object, records: object, most: int | None) -> None:
    for name, value in (("size", size), ("records", records)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise BadArgument(name, value, "is not a whole number of 1 or more", f"Give the {name} as a whole number")
    if most is not None and isinstance(size, int) and size > most:
        raise BadArgument("size", size, f"is above the {most} records", "Draw at most all records")
