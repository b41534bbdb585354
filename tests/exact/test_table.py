"""Every quantity of a table against its definition, computed by brute force on small random laws."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies

from tests.exact.tables import pairs, table_of
from twoworlds.exact.tabulate import tabulate
from twoworlds.mechanisms.catalogue import card
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument

Laws = tuple[list[Fraction], list[Fraction]]
ODDS = strategies.sampled_from([Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(10)])


def holds(interval: Interval, value: Fraction | float) -> bool:
    """The interval covers the value (up to the oracle's own rounding, if it is a float) and is narrow."""
    slack = 0 if isinstance(value, Fraction) else 1e-12 * (1 + abs(value))
    return interval.lower - slack <= value <= interval.upper + slack and interval.width <= 1e-12


def events(size: int) -> list[tuple[int, ...]]:
    return [event for count in range(size + 1) for event in itertools.combinations(range(size), count)]


@given(pairs(), ODDS)
def test_delta_is_the_worst_event(laws: Laws, odds: Fraction) -> None:
    """delta at ln(odds) is the largest P[E] - odds P'[E] over all events E, in both directions."""
    found = table_of(*laws).delta(odds=odds)
    worst = max(
        sum((p[i] - odds * q[i] for i in event), Fraction(0)) for p, q in (laws, laws[::-1]) for event in events(len(laws[0]))
    )
    assert holds(found, worst)


@given(pairs())
def test_epsilon_is_the_largest_ratio(laws: Laws) -> None:
    """epsilon is the logarithm of the largest ratio of probabilities, infinite if one is 0; the witness attains it."""
    table = table_of(*laws)
    both = [(p, q) for p, q in zip(*laws, strict=True) if p or q]
    witness = table.witness
    p, q = laws[0][witness.output], laws[1][witness.output]
    top, bottom = (p, q) if witness.likelier_in == "world" else (q, p)
    if any(not p or not q for p, q in both):
        assert table.epsilon == Interval(math.inf, math.inf)
        assert not bottom and top and witness.exact is None
    else:
        ratio = max(max(p / q, q / p) for p, q in both)
        assert holds(table.epsilon, math.log(ratio))
        assert top / bottom == ratio == witness.exact


@given(pairs(), ODDS)
def test_tails_and_the_loss_law(laws: Laws, odds: Fraction) -> None:
    """P[L >= ln odds] sums the outputs at least `odds` times as likely here; it is never below delta."""
    table = table_of(*laws)
    tails = [sum((p for p, q in zip(*two, strict=True) if p and p >= odds * q), Fraction(0)) for two in (laws, laws[::-1])]
    assert holds(table.forward.tail(odds=odds), tails[0])
    assert holds(table.backward.tail(odds=odds), tails[1])
    assert holds(table.probabilistic(odds=odds), max(tails))
    assert table.delta(odds=odds).upper <= table.probabilistic(odds=odds).upper
    law = table.loss_law()
    assert math.isclose(sum(chance.upper for _, chance in law), 1)
    assert all(one.upper < other.lower for (one, _), (other, _) in itertools.pairwise(law))


@given(pairs(least=1), strategies.sampled_from([Fraction(1, 3), Fraction(1, 2), 1, 2, 3, Fraction(7, 2), 40]))
def test_renyi_divergences(laws: Laws, order: Fraction) -> None:
    """Orders below 1, 1 (Kullback-Leibler) and above, in both directions; infinity is the directed epsilon."""

    def divergence(one: list[Fraction], other: list[Fraction]) -> float:
        terms = [(float(p), float(q)) for p, q in zip(one, other, strict=True)]
        if order == 1:
            return math.fsum(p * math.log(p / q) for p, q in terms)
        return math.log(math.fsum(p ** float(order) * q ** (1 - float(order)) for p, q in terms)) / float(order - 1)

    table = table_of(*laws)
    assert holds(table.forward.renyi(order), max(divergence(*laws), 0.0))
    assert holds(table.backward.renyi(order), max(divergence(*laws[::-1]), 0.0))
    assert table.renyi(order) == Interval(
        *(max(getattr(way.renyi(order), end) for way in (table.forward, table.backward)) for end in ("lower", "upper"))
    )
    assert table.renyi(math.inf) == table.epsilon


@given(pairs())
def test_impossible_outputs_make_divergences_infinite(laws: Laws) -> None:
    """An output that only the first world has makes orders of 1 and more infinite in that direction, and no other does."""
    table = table_of(*laws)
    betrayed = any(p and not q for p, q in zip(*laws, strict=True))
    for order in (1, 2, math.inf):
        assert math.isinf(table.forward.renyi(order).lower) == math.isinf(table.forward.renyi(order).upper) == betrayed
    apart = all(not p or not q for p, q in zip(*laws, strict=True))
    assert math.isinf(table.renyi("1/2").upper) == apart


def test_probabilistic_privacy_is_not_approximate_privacy() -> None:
    """The course's slip: fair-coin randomized response at ln 3 has P[L >= ln 3] = 3/4, and delta 0."""
    table = tabulate(card("fair_coins"), False, True)
    assert table.forward.tail(odds=3) == Interval(0.75, 0.75)
    assert table.probabilistic(odds=3) == Interval(0.75, 0.75)
    assert table.delta(odds=3) == Interval(0.0, 0.0)


def test_the_gaussian_of_the_course() -> None:
    """mu = 1 at epsilon = 1: P[L >= 1] = .309 against delta = .127 (a fine grid is close to the continuous Gaussian)."""
    table = tabulate(card("gaussian"), [0], [1], sensitivity=1, sigma=1, grid="1/16")
    assert table.delta(1).upper == pytest.approx(0.1269, abs=2e-4)
    assert table.probabilistic(1).upper == pytest.approx(0.3085, abs=2e-2)


def test_the_renyi_example_of_the_course() -> None:
    """P = (.6, .4) against Q = (.5, .5): order 2 is ln 1.04, KL .0201, order infinity .1823 one way and .2231 the other."""
    table = table_of(["0.6", "0.4"], ["0.5", "0.5"])
    assert holds(table.forward.renyi(2), math.log(1.04))
    assert table.forward.renyi(1).upper == pytest.approx(0.0201, abs=5e-5)
    assert table.forward.renyi(math.inf).upper == pytest.approx(0.1823, abs=5e-5)
    assert table.backward.renyi(math.inf).upper == pytest.approx(0.2231, abs=5e-5)


def test_an_irrational_law_has_no_exact_one() -> None:
    """Rational laws are given exactly; asking a ball for a fraction is an error that says what to read instead."""
    exact = tabulate(card("randomized_response"), False, True, keep="2/3")
    assert exact.is_exact and exact.law_exact == {False: Fraction(2, 3), True: Fraction(1, 3)}
    assert exact.other_law_exact[True] == Fraction(2, 3)
    with pytest.raises(BadArgument, match="other_law"):
        tabulate(card("laplace"), 0, 1, sensitivity=1, epsilon=1).law_exact  # noqa: B018  the access is what fails


def test_as_a_loss() -> None:
    """The accountant prices a table as the table does, composed too: two fair-coin responses are ln 9."""
    loss = tabulate(card("fair_coins"), False, True).as_loss()
    assert loss.epsilon(0).lower <= math.log(3) <= loss.epsilon(0).upper
    assert loss.power(2).epsilon(0).upper == pytest.approx(math.log(9))
    irrational = tabulate(card("laplace"), 0, 1, sensitivity=1, epsilon=1)
    assert irrational.as_loss().delta("1/2").lower <= irrational.delta("1/2").upper
    assert irrational.as_loss().delta("1/2").upper >= irrational.delta("1/2").lower
    assert irrational.as_loss().delta("1/2").width < 1e-9


@pytest.mark.parametrize(
    "call",
    [
        lambda table: table.delta(),
        lambda table: table.delta(1, odds=2),
        lambda table: table.delta(-1),
        lambda table: table.delta(float("nan")),
        lambda table: table.delta(odds="1/2"),
        lambda table: table.delta("three"),
        lambda table: table.delta(None),
        lambda table: table.tail(True),
        lambda table: table.renyi(0),
        lambda table: table.renyi(-2),
        lambda table: table.renyi(float("nan")),
        lambda table: table.tradeoff_at(2),
        lambda table: table.tradeoff_at(float("nan")),
        lambda table: table.best_test(),
        lambda table: table.best_test(0.1, prior=0.5),
        lambda table: table.best_test(-0.1),
        lambda table: table.posterior(1.5),
        lambda table: table.promised("x"),
    ],
)
def test_bad_calls_are_refused(call: object) -> None:
    """Whatever is not a number in range raises an error with a fix, and returns no number."""
    table = table_of(["1/4", "3/4"], ["3/4", "1/4"])
    with pytest.raises(BadArgument) as caught:
        call(table)  # type: ignore[operator]  # the parameters above are all functions
    assert caught.value.fix
