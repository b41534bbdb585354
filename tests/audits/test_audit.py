"""The adversary finds what is there and raises no alarm where there is nothing."""

import random

import pytest

from twoworlds.audits.audit import attack
from twoworlds.figures import Dot, svg, tradeoff
from twoworlds.worlds.errors import BadArgument


def _coins(bias: float, seed: int):
    chooser = random.Random(seed)
    return lambda runs: [chooser.random() < bias for _ in range(runs)]


def test_a_leak_is_found_on_either_side() -> None:
    """Bits of probability 3/4 and 1/4 differ by ln 3; most of it is shown, never more than it."""
    for one, other in ((0.75, 0.25), (0.25, 0.75)):
        evidence = attack(_coins(one, 1), _coins(other, 2), trials=30_000)
        assert 0.95 < evidence.epsilon_lower < 1.0986


def test_equal_worlds_are_not_told_apart() -> None:
    """No false alarm: each repetition errs with probability at most 1e-9, so none of twenty does."""
    for seed in range(20):
        evidence = attack(_coins(0.5, seed), _coins(0.5, seed + 1000), trials=2_000, confidence=1 - 1e-9)
        assert evidence.epsilon_lower == 0.0
        assert evidence.verdict(0.1) == "does not contradict the claim"


def test_too_few_runs_are_said_to_be_too_few() -> None:
    """A claim above the ceiling cannot be contradicted, and the verdict says so."""
    evidence = attack(_coins(1.1, 1), _coins(-1, 2), trials=300)
    assert evidence.verdict(50.0) == "too few runs: ceiling < claim"
    assert evidence.verdict(1.0) == "contradicts the claim"


def test_numbers_are_told_apart_by_a_threshold() -> None:
    """Where outputs never repeat, an event of the form `output >= t` still finds the shift."""
    noise = random.Random(5)
    evidence = attack(
        lambda runs: [noise.gauss(0, 1) for _ in range(runs)], lambda runs: [noise.gauss(2, 1) for _ in range(runs)], trials=9_000
    )
    assert evidence.epsilon_lower > 1.5
    assert evidence.event.startswith("output ")


def test_both_errors_come_with_their_intervals() -> None:
    """The true rates lie in them, and the measured ones; a test on the very edge of a claim is not drawn as one beyond it."""
    claim = ((0.0, 1.0), (0.25, 0.25), (1.0, 0.0))  # coins of 3/4 and 1/4
    beyond = 0
    for seed in range(20):
        evidence = attack(_coins(0.75, seed), _coins(0.25, seed + 1000), trials=3_000, confidence=1 - 1e-9)
        (point,), (span,) = evidence.points, evidence.spans
        for rate, (low, high) in zip(point, span, strict=True):
            assert low <= rate <= high
            assert low <= 0.25 <= high
        drawn = svg(tradeoff("coins", {"the claim": claim}, [Dot(*point, *span[0], *span[1])]))
        assert "contradicts the claim" not in drawn
        beyond += "contradicts the claim" in svg(tradeoff("coins", {"the claim": claim}, [Dot(*point)]))
    assert beyond > 0, "without intervals, chance alone is drawn as a contradiction"


@pytest.mark.parametrize(
    ("name", "value"), [("trials", 99), ("confidence", 1.0), ("confidence", 0.0), ("delta", 1.0), ("delta", -0.1)]
)
def test_bad_arguments_are_named(name: str, value: float) -> None:
    """Each bad argument is refused by name before anything runs."""
    with pytest.raises(BadArgument, match=name):
        attack(lambda _: [], lambda _: [], **{name: value})
