"""List experiments: never private under the definition, and under a written assumption only up to a delta."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from twoworlds.exact.lists import ListExperiment
from twoworlds.worlds.claims import Interval
from twoworlds.worlds.errors import BadArgument


@pytest.mark.parametrize(
    ("items", "betrayed", "at_one"),
    [
        (["1/2"] * 4, Fraction(1, 16), 0.14),
        (["1/5", "1/2", "4/5"], Fraction(8, 100), 0.28),
        (["1/100", "99/100", "1/2", "1/2"], Fraction(2475, 10**6), 0.25),
    ],
)
def test_no_design_has_a_finite_epsilon(items: list[str], betrayed: Fraction, at_one: float) -> None:
    """The smallest and the largest count betray the answer: epsilon is infinite, delta(infinity) the larger of their chances."""
    table = ListExperiment.of(items).distributional()
    assert table.epsilon == Interval(math.inf, math.inf)
    assert table.delta(math.inf).lower <= betrayed <= table.delta(math.inf).upper
    assert table.delta(1).upper == pytest.approx(at_one, abs=5e-3)


@pytest.mark.parametrize("chance", ["1/2", "1/10", 1])
def test_the_verdict_of_the_definition(chance: object) -> None:
    """Worst case over the record, the group is the only noise: (0, P[treatment]), and no epsilon helps."""
    table = ListExperiment.of(["1/2"] * 4, treatment=chance).worst_case()
    for epsilon in (0, 1, 20):
        assert table.delta(epsilon).lower <= Fraction(chance) <= table.delta(epsilon).upper


def test_a_public_group_hides_nothing() -> None:
    """Treated, and known to be: delta is 1 at every epsilon."""
    table = ListExperiment.of(["1/2"] * 4).worst_case(group_is_public=True)
    assert table.delta(30) == Interval(1.0, 1.0)


def test_sums_over_many_people() -> None:
    """Publishing the sum alone: delta at e^epsilon = 1.1 is .022 for 50 people and 2.8e-4 for 500, if the rest is unknown."""
    design = ListExperiment.of(["1/2"] * 4)
    assert design.distributional(50).delta(odds="1.1").upper == pytest.approx(0.022, abs=5e-4)
    assert design.distributional(500).delta(odds="1.1").upper == pytest.approx(2.8e-4, abs=5e-6)
    assert "1/2, 1/2, 1/2, 1/2" in design.assumption


@pytest.mark.parametrize(
    "call",
    [
        lambda: ListExperiment.of([]),
        lambda: ListExperiment.of("1/2"),
        lambda: ListExperiment.of([2]),
        lambda: ListExperiment.of(["1/2"], treatment=-1),
        lambda: ListExperiment.of(["1/2"]).distributional(0),
        lambda: ListExperiment.of(["1/2"]).distributional(2.5),
    ],
)
def test_bad_designs_are_refused(call: object) -> None:
    """Probabilities outside 0..1 and people that cannot be counted raise an error with a fix."""
    with pytest.raises(BadArgument) as caught:
        call()  # type: ignore[operator]  # the parameters above are all functions
    assert caught.value.fix
