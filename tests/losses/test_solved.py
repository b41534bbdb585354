"""Calibration: the answer keeps the promise, and a little further on it would be broken."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.losses.malformed import MALFORMED, accepted
from twoworlds.losses.pricing import loss_of
from twoworlds.losses.reading import parse
from twoworlds.losses.solved import calibrate
from twoworlds.losses.theorems import classical_sigma
from twoworlds.worlds.errors import BadArgument, InfiniteLoss


def keeps(text: str, epsilon: str, delta: str) -> bool:
    return Fraction(loss_of(parse(text)).delta(epsilon).upper) <= Fraction(delta)


@pytest.mark.parametrize(
    ("text", "parameter", "further"),
    [
        ("gaussian(sigma=?), 10 times", None, Fraction(99_999, 100_000)),
        ("gaussian(sigma=7), 10 times", "sigma", Fraction(99_999, 100_000)),
        ("laplace(scale=?)", None, Fraction(99_999, 100_000)),
        ("pure(epsilon=?), 20 times", None, Fraction(100_001, 100_000)),
        ("zcdp(rho=?)", None, Fraction(100_001, 100_000)),
        ("gaussian(sigma=1) sampled at ?", None, Fraction(1001, 1000)),
        ("randomized_response(p=?)", None, Fraction(100_001, 100_000)),
    ],
)
def test_the_answer_is_on_the_edge(text: str, parameter: str | None, further: Fraction) -> None:
    """At the answer the promise holds by a certified bound; a little beyond it does not."""
    found = calibrate(text, parameter, epsilon="1", delta="1e-6")
    assert keeps(found.text, "1", "1e-6")
    beyond = found.value * further
    worse = parse(text, instead=("sigma", beyond)) if parameter else parse(text, unknown=beyond)
    assert Fraction(loss_of(worse).delta("1").upper) > Fraction("1e-6")
    assert found.value.denominator < 10**12


def test_whole_numbers_stay_whole() -> None:
    """How often may it run: the largest count that keeps the promise."""
    found = calibrate("gaussian(sigma=50), ? times", epsilon=1, delta="1e-6")
    assert found.value.denominator == 1 and found.text == f"gaussian(sigma=50), {found.value} times"
    assert not keeps(f"gaussian(sigma=50), {found.value + 1} times", "1", "1e-6")
    assert found == calibrate("gaussian(sigma=50), 3 times", "count", epsilon=1, delta="1e-6")


def test_calibration_beats_the_classical_theorem_and_goes_on_beyond_it() -> None:
    """Below epsilon = 1 less noise than the textbook; above it there is an answer too."""
    assert calibrate("gaussian(sigma=?)", epsilon="0.9", delta="1e-5").value < classical_sigma("0.9", 1, "1e-5")
    assert calibrate("gaussian(sigma=?)", epsilon="1", delta="1e-5").value == pytest.approx(3.7306, abs=1e-4)
    assert calibrate("gaussian(sigma=?)", epsilon="8", delta="1e-5").value < 1


def test_goals_out_of_reach_are_errors() -> None:
    """No value reaches the goal, or every value keeps it: an error that gives the range that was tried."""
    with pytest.raises(InfiniteLoss, match="no value from"):
        calibrate("gaussian(sigma=?)", epsilon=1, delta=0)
    with pytest.raises(InfiniteLoss, match="every value from"):
        calibrate("pure(epsilon=0.5) sampled at ?", epsilon=1, delta=0)
    with pytest.raises(BadArgument, match="no value of the open number"):
        calibrate("gaussian(sigma=?) sampled at 3", epsilon=1, delta="1e-6")


def test_malformed_calls_are_refused() -> None:
    """One open number, a goal in range, and a parameter that occurs."""
    for text in (*MALFORMED, "gaussian(sigma=1)", "gaussian(sigma=?) sampled at ?"):
        with pytest.raises(BadArgument):
            calibrate(text, epsilon=1, delta="1e-6")
    with pytest.raises(BadArgument, match="does not occur"):
        calibrate("gaussian(sigma=1)", "scale", epsilon=1, delta="1e-6")
    valid = {"epsilon": 1, "delta": "1e-6"}
    assert accepted(lambda epsilon, delta: calibrate("laplace(scale=?)", epsilon=epsilon, delta=delta), valid) == []
