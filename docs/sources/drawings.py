"""The drawings on the pages, each computed by the package from the numbers that its page names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from docs.sources.curves import claimed, corners
from twoworlds.exact.tabulate import tabulate
from twoworlds.figures import Axis, Chart, Dot, burn_down, curves, privacy_curve, svg, tradeoff, two_laws
from twoworlds.losses.balls import ball, float_above, precision
from twoworlds.losses.groups import group_curve
from twoworlds.losses.loss import gaussian, gaussian_privacy
from twoworlds.losses.prices import Approximate, Concentrated, GaussianPrivacy, KullbackLeibler, Pure, Renyi, TotalVariation
from twoworlds.losses.theorems import advanced, amplified, basic
from twoworlds.losses.verdicts import posterior
from twoworlds.mechanisms.fair_coins import fair_coins
from twoworlds.mechanisms.randomized_response import randomized_response
from twoworlds.mechanisms.truncated_geometric import truncated_geometric


def pages() -> dict[str, str]:
    """Every drawing by its path."""
    return {path: svg(chart()) for path, chart in DRAWINGS.items()}


def _promises(title: str, prices: Mapping[str, Any]) -> Callable[[], Chart]:
    return lambda: tradeoff(title, {name: claimed(price.loss()) for name, price in prices.items()})


def _coins() -> Chart:
    table = tabulate(fair_coins, False, True)
    return tradeoff("Two fair coins: every test", {"between no and yes": corners(table)}, [Dot(0.25, 0.25)])


def _failing() -> Chart:
    """delta(epsilon) of a Gaussian, and the probability that its privacy loss reaches epsilon."""
    loss = gaussian(1)
    [pair] = [pair for pair, _ in loss.remove]
    levels = [Fraction(at, 16) for at in range(65)]
    delta = [(float(level), loss.delta(level).upper) for level in levels]
    with precision():
        tail = [(float(level), float_above(_reaches(pair, ball(level)))) for level in levels]
    lines = {"P[loss >= epsilon]": tail, "delta(epsilon)": delta}
    return privacy_curve("Gaussian noise, mu = 1: two readings of failure", lines, floor=1e-5)


def _reaches(pair: Any, epsilon: Any) -> Any:
    """P[L >= epsilon], from delta(epsilon) = P[L >= epsilon] - e^epsilon Q[L >= epsilon]."""
    return pair.hockey(epsilon) + epsilon.exp() * pair.exceeds(epsilon)


def _groups() -> Chart:
    own = gaussian_privacy(1)
    walked = group_curve(own, 3)
    lines = {
        "one record": claimed(own),
        "three, by its curve": [(at / 16, walked.tradeoff(Fraction(at, 16)).lower) for at in range(17)],
        "three, by its noise": claimed(gaussian(1, sensitivity=3)),
    }
    return tradeoff("Gaussian noise: one record, and groups of three", lines)


def _composition() -> Chart:
    each, delta = Fraction(1, 10), Fraction(1, 10**6)
    counts = [1, 2, 5, 10, 20, 50, 100, 150, 200, 250, 300]
    rows: dict[str, Callable[[int], float]] = {
        "basic": lambda n: basic(each, 0, n)[0],
        "advanced": lambda n: advanced(each, 0, n, delta)[0],
        "zCDP": lambda n: Concentrated(n * each**2 / 2).loss().epsilon(delta).upper,
        "exact": lambda n: Pure(each).loss().power(n).epsilon(delta).upper,
    }
    lines = {name: [(float(n), rule(n)) for n in counts] for name, rule in rows.items()}
    title = "n releases at epsilon = 1/10 each: epsilon at delta = 1e-6"
    return curves(title, lines, Axis("releases", low=0.0), Axis("epsilon", low=0.0))


def _sampling() -> Chart:
    rates = [Fraction(at, 50) for at in range(1, 51)]
    lines = {f"epsilon = {each}": [(float(rate), amplified(each, rate)) for rate in rates] for each in (1, 2, 4)}
    title = "A mechanism on a secret random part of the records"
    return curves(title, lines, Axis("share that is sampled", low=0.0, high=1.0), Axis("epsilon", low=0.0))


def _odds() -> Chart:
    priors = [Fraction(at, 50) for at in range(1, 50)]
    lines: dict[str, Sequence[tuple[float, float]]] = {
        f"epsilon = {level:g}": [(0.0, 0.0), *((float(prior), posterior(prior, level)) for prior in priors), (1.0, 1.0)]
        for level in (0.1, 1.0, 3.0)
    }
    sides = {"low": 0.0, "high": 1.0}
    return curves("The most that a suspicion can become", lines, Axis("before", **sides), Axis("after, at most", **sides))  # type: ignore[arg-type]  # two floats


def _laws() -> Chart:
    table = tabulate(truncated_geometric, 4, 5, most=9, epsilon=1)
    shown = sorted(table.outputs)
    laws = {
        "count 4": [table.law[output].upper for output in shown],
        "count 5": [table.other_law[output].upper for output in shown],
    }
    return two_laws("One count in two worlds, epsilon = 1", [str(output) for output in shown], laws, log=True)


def _budget() -> Chart:
    left, spent = [("start", 1.0)], Fraction(1)
    for day, cost in (("Mon", "1/4"), ("Tue", "1/8"), ("Wed", "1/8"), ("Thu", "1/4")):
        spent -= Fraction(cost)
        left.append((day, float(spent)))
    return burn_down("A budget of epsilon = 1", left, 1.0)


def _reading() -> Chart:
    table = tabulate(randomized_response, False, True, keep="3/5")
    lines = {"a claim of epsilon = 1/2": claimed(Pure("1/2").loss()), "keep = 3/5": corners(table)}
    return tradeoff("A claim, a mechanism inside it, two tests", lines, [Dot(0.4, 0.4), Dot(0.3, 0.3)])


DRAWINGS: dict[str, Callable[[], Chart]] = {
    "reference/figures/notion-pure.svg": _promises(
        "Pure privacy", {f"epsilon = {level}": Pure(level) for level in ("1/2", "1", "2")}
    ),
    "reference/figures/notion-approximate.svg": _promises(
        "Approximate privacy",
        {
            "epsilon = 1, delta = 0": Pure(1),
            "epsilon = 1, delta = 1/10": Approximate(1, "1/10"),
            "total variation 1/2": TotalVariation("1/2"),
        },
    ),
    "reference/figures/notion-gaussian.svg": _promises(
        "Gaussian privacy", {f"mu = {mu}": GaussianPrivacy(mu) for mu in ("1/2", "1", "2")}
    ),
    "reference/figures/notion-moments.svg": _promises(
        "What moments of one Gaussian still promise",
        {
            "mu = 1": GaussianPrivacy(1),
            "zCDP, rho = 1/2": Concentrated("1/2"),
            "Renyi, order 2": Renyi(2, 1),
            "Kullback-Leibler 1/2": KullbackLeibler("1/2"),
        },
    ),
    "explanation/figures/coins.svg": _coins,
    "explanation/figures/failure.svg": _failing,
    "explanation/figures/groups.svg": _groups,
    "explanation/figures/composition.svg": _composition,
    "explanation/figures/sampling.svg": _sampling,
    "explanation/figures/odds.svg": _odds,
    "explanation/figures/laws.svg": _laws,
    "explanation/figures/budget.svg": _budget,
    "how-to/figures/reading.svg": _reading,
}
