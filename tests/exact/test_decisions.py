"""The best tests against every test there is."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

from hypothesis import given, strategies

from tests.exact.tables import pairs, table_of
from twoworlds.exact.tabulate import tabulate
from twoworlds.mechanisms.catalogue import card

Laws = tuple[list[Fraction], list[Fraction]]
LEVELS = strategies.fractions(0, 1, max_denominator=24)


def every_test(laws: Laws) -> list[tuple[Fraction, Fraction]]:
    """Both errors of each test that rejects on a set of outputs."""
    places = range(len(laws[0]))
    found = []
    for count in range(len(places) + 1):
        for event in itertools.combinations(places, count):
            kept = [i for i in places if i not in event]
            found.append((sum((laws[0][i] for i in event), Fraction(0)), sum((laws[1][i] for i in kept), Fraction(0))))
    return found


def least_error(laws: Laws, alpha: Fraction) -> Fraction:
    """The least type II error at this level: the lower convex hull of all tests, randomized ones being mixtures of two."""
    tests = every_test(laws)
    best = min(beta for level, beta in tests if level <= alpha)
    for (a, b), (c, d) in itertools.product(tests, tests):
        if a <= alpha < c:
            best = min(best, b + (d - b) * (alpha - a) / (c - a))
    return best


@given(pairs(), LEVELS)
def test_no_test_is_better(laws: Laws, alpha: Fraction) -> None:
    """At every level the best test attains the least type II error of all tests, and the curve says the same."""
    table = table_of(*laws)
    least = least_error(laws, alpha)
    test, curve = table.best_test(alpha), table.tradeoff_at(alpha)
    assert math.isclose(test.beta.upper, least, abs_tol=1e-15) and test.beta.upper >= least
    assert test.alpha.lower <= alpha
    assert curve.lower <= least <= curve.upper
    assert curve.width <= 1e-12


@given(pairs(), LEVELS)
def test_a_best_test_has_the_errors_it_states(laws: Laws, alpha: Fraction) -> None:
    """Rejecting as the test says gives the errors that it states."""
    test = table_of(*laws).best_test(alpha)
    shares = dict.fromkeys(range(len(laws[0])), 0.0)
    shares |= dict.fromkeys(test.rejects, 1.0)
    shares |= dict.fromkeys(test.sometimes, test.chance.upper)
    assert math.isclose(sum(float(p) * shares[i] for i, p in enumerate(laws[0])), test.alpha.upper, abs_tol=1e-12)
    assert math.isclose(sum(float(q) * (1 - shares[i]) for i, q in enumerate(laws[1])), test.beta.upper, abs_tol=1e-12)


@given(pairs())
def test_vertices_are_the_corners(laws: Laws) -> None:
    """Vertices are exact errors of tests, ordered, convex, and the curve between them is a straight line."""
    vertices = table_of(*laws).tradeoff
    points = [vertex.exact for vertex in vertices]
    assert all(point in every_test(laws) for point in points)
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.pairwise(points)]
    assert all(one < other for one, other in itertools.pairwise(slopes))
    assert points[0][0] == 0 and points[-1][0] == 1
    middle = [((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in itertools.pairwise(points)]
    assert all(least_error(laws, alpha) == beta for alpha, beta in middle)


@given(pairs(), strategies.fractions(0, 1, max_denominator=12))
def test_the_least_mistaken_test(laws: Laws, prior: Fraction) -> None:
    """With a prior, the chance of a wrong guess is the least over all tests, and the test attains it."""
    test = table_of(*laws).best_test(prior=prior)
    least = min(prior * alpha + (1 - prior) * beta for alpha, beta in every_test(laws))
    assert test.wrong is not None
    assert test.wrong.lower <= least <= test.wrong.upper
    assert math.isclose(prior * test.alpha.upper + (1 - prior) * test.beta.upper, least, abs_tol=1e-12)


def test_laplace_has_three_corners() -> None:
    """Discrete Laplace on neighbouring integers has two likelihood ratios, so its curve has the corners of pure privacy."""
    table = tabulate(card("laplace"), 0, 1, sensitivity=1, epsilon=1)
    corner = 1 / (1 + math.e)
    assert [round(vertex.alpha.upper, 12) for vertex in table.tradeoff] == [0, round(corner, 12), 1]
    assert math.isclose(table.tradeoff_at("1/10").upper, 1 - math.e / 10)


@given(pairs())
def test_posteriors_and_promises(laws: Laws) -> None:
    """Each output's posterior is Bayes', none exceeds what epsilon promises, and the witness attains it."""
    table = table_of(*laws)
    prior = Fraction(1, 3)
    for output, chance in table.posterior(prior).items():
        p, q = laws[0][output] * prior, laws[1][output] * (1 - prior)
        assert chance.lower <= p / (p + q) <= chance.upper
        assert chance.upper <= table.promised(prior).upper + 1e-15
    if table.witness.likelier_in == "world":
        assert math.isclose(max(chance.upper for chance in table.posterior(prior).values()), table.promised(prior).upper)
