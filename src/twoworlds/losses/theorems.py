"""The composition theorems, side by side: what the same releases cost under every older method.

Each method returns its epsilon at one delta with its citation and the condition under which it holds, or refuses and says why.
All are upper bounds on the same truth, so they differ in nothing but tightness; the exact account of `losses.loss` is what
replaces them. Formulas are evaluated in balls and rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb

from twoworlds.losses.balls import ball, float_above, precision
from twoworlds.losses.loss import Loss
from twoworlds.losses.moments import MomentBound, concentrated
from twoworlds.losses.pricing import Lookup, compose, loss_of
from twoworlds.losses.spectra import moments_of
from twoworlds.losses.written import BY_NAME, loss_as_written
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Composed, Event, Poisson, Ran, Repeated, Sampled
from twoworlds.worlds.rationals import exact, positive

__all__ = [
    "METHODS",
    "Method",
    "Priced",
    "advanced",
    "amplified",
    "basic",
    "classical_epsilon",
    "classical_sigma",
    "older_methods",
    "optimal",
]

_FARTHEST = 4096.0  # an epsilon beyond this is no promise
_MOST_TERMS = 50_000  # a longer exact sum than this is left to the exact account


@dataclass(frozen=True)
class Priced:
    """One method's answer: epsilon rounded up, infinite if it `refused` to answer."""

    method: str
    epsilon: float
    theorem: str
    condition: str = ""
    refused: str = ""


# ----------------------------------------------------------------------------------------------- single theorems


def basic(epsilon: object, delta: object, count: int) -> tuple[float, float]:
    """count * epsilon and count * delta (Dwork, Kenthapadi, McSherry, Mironov and Naor 2006)."""
    each, failure, times = _each(epsilon), _failure(delta), _count(count)
    with precision():
        return float_above(ball(times * each)), min(float_above(ball(times * failure)), 1.0)


def advanced(epsilon: object, delta: object, count: int, slack: object) -> tuple[float, float]:
    """epsilon sqrt(2 k log(1 / slack)) + k epsilon (e^epsilon - 1), and k delta + slack.

    Dwork, Rothblum and Vadhan 2010; Dwork and Roth 2014, theorem 3.20. Worth having only while epsilon is well below 1.
    """
    each, failure, times, extra = _each(epsilon), _failure(delta), _count(count), _slack(slack)
    with precision():
        deviation = ball(each) * (-2 * times * ball(extra).log()).sqrt()
        total = deviation + times * ball(each) * ball(each).expm1()
        return float_above(total), min(float_above(ball(times * failure + extra)), 1.0)


def optimal(epsilon: object, delta: object, count: int, target: object) -> float:
    """The smallest epsilon of k equal (epsilon, delta) steps at a total delta, exactly.

    Kairouz, Oh and Viswanath 2017, theorem 3.3: the worst case is k randomized responses with failures, whose hockey-stick
    divergence is a sum over the number l of lies. Between two of its corners the sum is A - e^x B, solved for x.
    """
    each, failure, times, goal = _each(epsilon), _failure(delta), _count(count), _slack(target)
    if times > _MOST_TERMS:
        raise BadArgument("count", times, "makes the exact sum too long", "Use the exact account: approximate(...).power(count)")
    with precision(192):
        kept = (1 - ball(failure)) ** times
        inside = 1 - (1 - ball(goal)) / kept  # what the responses may use, outside the failures
        if not inside >= 0:
            return float_above(ball(times * each)) if times * failure <= goal else math.inf
        return _solved(each, times, inside) if each else 0.0


def _solved(each: Fraction, times: int, inside: arb) -> float:
    """The x >= 0 at which the responses' divergence falls to `inside`, from the largest loss down."""
    growth = ball(each).exp()
    weight = 1 / (1 + growth) ** times  # C(k, l) / (1 + e^epsilon)^k
    true, false = ball(0), ball(0)
    for lies in range(times // 2 + 1):
        true += weight * growth ** (times - lies)
        false += weight * growth**lies
        weight *= arb(times - lies) / (lies + 1)
        corner = max((times - 2 * lies - 2) * each, Fraction(0))  # the next loss: down to it the sum has these terms
        if corner == 0 or not true - ball(corner).exp() * false <= inside:
            rest = (true - inside) / false
            return max(float_above(rest.log()), float_above(ball(corner))) if rest > 0 else float_above(ball(corner))
    return 0.0


def amplified(epsilon: object, rate: object) -> float:
    """log(1 + q (e^epsilon - 1)), beside q delta: the sampling lemma for random, secret batches (Balle, Barthe, Gaboardi 2018).

    For Poisson samples the relation is addition or removal of a record, for batches of fixed size replacement.
    """
    each, q = _each(epsilon), _rate(rate)
    with precision():
        return float_above((ball(q) * ball(each).expm1()).log1p())


def classical_epsilon(sigma: object, sensitivity: object, delta: object) -> float:
    """sqrt(2 log(1.25 / delta)) * sensitivity / sigma, for epsilon < 1 only (Dwork and Roth 2014, theorem A.1)."""
    noise, moved, failure = positive(sigma, "sigma"), positive(sensitivity, "sensitivity"), _slack(delta)
    with precision():
        found = float_above((2 * ball(Fraction(5, 4) / failure).log()).sqrt() * ball(moved / noise))
    if found >= 1:
        raise BadArgument(
            "epsilon",
            f"{found:.4g}",
            "is not below 1, where the classical Gaussian theorem ends and the analytic one goes on",
            "Use the analytic one: gaussian(sigma, sensitivity).epsilon(delta)",
        )
    return found


def classical_sigma(epsilon: object, sensitivity: object, delta: object) -> float:
    """The classical calibration sqrt(2 log(1.25 / delta)) * sensitivity / epsilon, refused from epsilon = 1 on."""
    each, moved, failure = positive(epsilon, "epsilon"), positive(sensitivity, "sensitivity"), _slack(delta)
    if each >= 1:
        raise BadArgument(
            "epsilon",
            epsilon,
            "is not below 1, where the classical Gaussian theorem ends",
            "Calibrate the analytic one: calibrate('gaussian(sigma=?)', epsilon=..., delta=...)",
        )
    with precision():
        return float_above((2 * ball(Fraction(5, 4) / failure).log()).sqrt() * ball(moved / each))


# ------------------------------------------------------------------------------------------------- side by side


@dataclass(frozen=True)
class Step:
    """One release of a sequence, how often it ran, and on which Poisson sample."""

    event: Event
    count: int
    rate: Fraction = Fraction(1)

    @property
    def whole(self) -> Event:
        return self.event if self.rate == 1 else Sampled(Poisson(self.rate), self.event)


@dataclass(frozen=True)
class Method:
    """An older way to add up: a rule with its theorem."""

    name: str
    theorem: str
    condition: str
    rule: Callable[[tuple[Step, ...], Fraction, Lookup], float]

    def answer(self, steps: tuple[Step, ...], target: Fraction, lookup: Lookup) -> Priced:
        """The method's epsilon, or its refusal."""
        try:
            epsilon = self.rule(steps, target, lookup)
        except BadArgument as error:
            return Priced(self.name, math.inf, self.theorem, self.condition, error.what)
        refused = "no finite epsilon at this delta" if math.isinf(epsilon) else ""
        return Priced(self.name, epsilon, self.theorem, self.condition, refused)


def older_methods(event: Event, delta: object, lookup: Lookup = loss_as_written) -> tuple[Priced, ...]:
    """What every older method says of these releases at this delta."""
    target = _failure(delta)
    if not isinstance(event, Event):
        raise BadArgument("event", event, "is not an event", "Give an event, such as parse('gaussian(sigma=1), 10 times')")
    steps = _steps(event)
    return tuple(method.answer(steps, target, lookup) for method in METHODS)


def _steps(event: Event) -> tuple[Step, ...]:
    """The sequence as steps with counts; what is neither composed nor repeated is one step."""
    counts: dict[tuple[Event, Fraction], int] = {}
    for part, times, rate in _flat(event, 1):
        counts[part, rate] = counts.get((part, rate), 0) + times
    return tuple(Step(part, times, rate) for (part, rate), times in counts.items())


def _flat(event: Event, times: int) -> list[tuple[Event, int, Fraction]]:
    if isinstance(event, Composed):
        return [flat for part in event.events for flat in _flat(part, times)]
    if isinstance(event, Repeated):
        return _flat(event.event, times * event.count)
    if isinstance(event, Sampled) and isinstance(event.scheme, Poisson) and isinstance(event.event, Ran):
        return [(event.event, times, event.scheme.rate)]
    return [(event, times, Fraction(1))]


@lru_cache(maxsize=512)
def _priced(event: Event, lookup: Lookup) -> Loss | MomentBound:
    return loss_of(event, lookup)


def _total(steps: tuple[Step, ...]) -> int:
    return sum(step.count for step in steps)


@lru_cache(maxsize=512)
def _step_epsilon(step: Step, delta: Fraction, lookup: Lookup) -> Fraction:
    """The smallest epsilon of one step at this delta, by bisection on its curve; the upper end of the bracket holds."""
    loss = _priced(step.whole, lookup)
    low, high = 0.0, 1.0
    while Fraction(loss.delta(Fraction(high)).upper) > delta:
        low, high = high, 2 * high
        if high > _FARTHEST:
            raise BadArgument("delta", float(delta), "leaves a step without a finite epsilon", "Ask for a larger delta")
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if Fraction(loss.delta(Fraction(middle)).upper) > delta else (low, middle)
    return Fraction(high)


def _naive_classical(steps: tuple[Step, ...], target: Fraction, lookup: Lookup) -> float:
    """Each step by the classical theorem at an equal share of delta; sampling is ignored."""
    share = target / _total(steps)
    return _rounded(sum((step.count * _classical(step, share, lookup) for step in steps), Fraction(0)))


def _naive_sampled(steps: tuple[Step, ...], target: Fraction, lookup: Lookup) -> float:
    """Each step by the classical theorem, then the sampling lemma."""
    if all(step.rate == 1 for step in steps):
        raise BadArgument("event", "no step", "is sampled", "This method is about sampled steps")
    share, total = target / _total(steps), Fraction(0)
    for step in steps:
        each = _classical(step, min(share / step.rate, Fraction(1, 2)), lookup)
        total += step.count * Fraction(amplified(each, step.rate) if step.rate < 1 else each)
    return _rounded(total)


def _classical(step: Step, delta: Fraction, lookup: Lookup) -> Fraction:
    event = step.event
    numbers: Mapping[str, object] = dict(event.parameters) if isinstance(event, Ran) and event.digest == BY_NAME else {}
    if isinstance(event, Ran) and event.card == "gaussian" and "sigma" in numbers:
        if delta == 0:
            raise BadArgument("delta", 0, "leaves nothing for Gaussian noise", "Ask for a delta above 0")
        return Fraction(classical_epsilon(numbers["sigma"], numbers["sensitivity"], delta))
    most = moments_of(_priced(event, lookup))
    if most.most is None or most.delta_outside:
        raise BadArgument("event", str(event), "has no textbook epsilon", "Price it by its own curve")
    return most.most


def _basic(steps: tuple[Step, ...], target: Fraction, lookup: Lookup) -> float:
    share = target / _total(steps)
    return _rounded(sum((step.count * _step_epsilon(step, share, lookup) for step in steps), Fraction(0)))


def _advanced(steps: tuple[Step, ...], target: Fraction, lookup: Lookup) -> float:
    """The heterogeneous form sqrt(2 log(1 / slack) sum of epsilon^2) + sum of epsilon (e^epsilon - 1), half of delta each."""
    slack = _half(target)
    epsilons = [(_step_epsilon(step, slack / _total(steps), lookup), step.count) for step in steps]
    with precision():
        squares = sum((count * each**2 for each, count in epsilons), Fraction(0))
        drift = sum((count * ball(each) * ball(each).expm1() for each, count in epsilons), ball(0))
        return float_above((-2 * ball(slack).log() * ball(squares)).sqrt() + drift)


def _optimal(steps: tuple[Step, ...], target: Fraction, lookup: Lookup) -> float:
    if len(steps) > 1:
        raise BadArgument("event", f"{len(steps)} kinds of steps", "are not all equal", "The exact account takes unequal steps")
    slack = _half(target)
    share = slack / steps[0].count
    return optimal(_step_epsilon(steps[0], share, lookup), share, steps[0].count, target)


def _concentrated(steps: tuple[Step, ...], target: Fraction, lookup: Lookup) -> float:
    """rho of every step without its sampling, added up, converted once."""
    bound = moments_of(compose(*(_priced(step.event, lookup).power(step.count) for step in steps)))
    if bound.steepest is None:
        raise BadArgument("event", "a step", "is not concentrated at every order", "Use the Renyi curve")
    return concentrated(bound.steepest, bound.delta_outside).epsilon(target).upper


def _renyi(steps: tuple[Step, ...], target: Fraction, lookup: Lookup) -> float:
    bounds = [moments_of(_priced(step.whole, lookup)).power(step.count) for step in steps]
    return bounds[0].compose(*bounds[1:]).epsilon(target).upper


METHODS: tuple[Method, ...] = (
    Method(
        "naive, textbook Gaussian",
        "Dwork and Roth 2014, theorems A.1 and 3.16",
        "each step's epsilon below 1; ignores sampling",
        _naive_classical,
    ),
    Method(
        "naive, textbook Gaussian, sampled",
        "Dwork and Roth 2014, theorem A.1; Balle, Barthe and Gaboardi 2018",
        "each step's epsilon below 1; batches random and secret",
        _naive_sampled,
    ),
    Method("naive", "Dwork et al. 2006: epsilons and deltas add up", "each step by its own curve at delta / steps", _basic),
    Method("advanced", "Dwork, Rothblum and Vadhan 2010", "half of delta for the steps, half for the theorem", _advanced),
    Method("optimal", "Kairouz, Oh and Viswanath 2017", "equal steps, each known by one (epsilon, delta)", _optimal),
    Method("zCDP", "Bun and Steinke 2016; Canonne, Kamath and Steinke 2020", "ignores sampling", _concentrated),
    Method("RDP", "Mironov 2017; Mironov, Talwar and Zhang 2019", "the best order", _renyi),
)


def _rounded(total: Fraction) -> float:
    with precision():
        return float_above(ball(total))


def _half(target: Fraction) -> Fraction:
    if target == 0:
        raise BadArgument("delta", 0, "leaves nothing for this theorem", "Ask for a delta above 0")
    return target / 2


def _each(epsilon: object) -> Fraction:
    number = exact(epsilon, "epsilon")
    if number < 0:
        raise BadArgument("epsilon", epsilon, "is below 0", "Give an epsilon of 0 or more")
    return number


def _failure(delta: object) -> Fraction:
    number = exact(delta, "delta")
    if not 0 <= number < 1:
        raise BadArgument("delta", delta, "is not in [0, 1)", "Give a probability of failure below 1")
    return number


def _slack(slack: object) -> Fraction:
    number = _failure(slack)
    if number == 0:
        raise BadArgument("delta", slack, "is 0", "Give a delta above 0, far below one over the number of records")
    return number


def _rate(rate: object) -> Fraction:
    number = exact(rate, "rate")
    if not 0 < number <= 1:
        raise BadArgument("rate", rate, "is not in (0, 1]", "Give the probability that a record joins the batch")
    return number


def _count(count: int) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise BadArgument("count", count, "is not a whole number of 1 or more", "Say how many steps there are")
    return count
