"""What is promised, proved and observed: no NaN passes for a bound, and a verdict follows from the numbers."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.worlds.malformed import refuses
from twoworlds.worlds.claims import Certificate, Claim, Evidence, Interval

numbers = some.floats(allow_nan=False)


@given(numbers, numbers)
def test_an_interval_has_its_ends_in_order(one: float, other: float) -> None:
    """Any two numbers make an interval in one order, and only equal ones in both."""
    interval = Interval(min(one, other), max(one, other))
    assert interval.lower <= interval.upper and interval.is_certified
    assert interval.width >= 0 or math.isnan(interval.width)
    if one != other:
        refuses(lambda: Interval(max(one, other), min(one, other)))


@pytest.mark.parametrize("bad", [math.nan, None, "1", True, 1j, [], float])
def test_an_interval_has_numbers_for_ends(bad: Any) -> None:
    """NaN and what is no number cannot be a bound."""
    refuses(lambda: Interval(bad, 1.0))
    refuses(lambda: Interval(0.0, bad))
    refuses(lambda: Interval(bad, bad))


def test_an_estimate_says_so() -> None:
    """What is not certified names its method."""
    assert not Interval(0.1, 0.2, "estimate").is_certified
    assert str(Interval(0.123456789, math.inf)) == "[0.1234567, inf]"


@given(numbers, numbers)
def test_what_is_printed_holds_too(one: float, other: float) -> None:
    """The printed ends lie outside the interval, by a last digit at most; rounding to the nearest would not do."""
    interval = Interval(min(one, other), max(one, other))
    low, high = (float(end) for end in str(interval)[1:-1].split(", "))
    assert low <= interval.lower and interval.upper <= high
    for end, printed in ((interval.lower, low), (interval.upper, high)):
        assert math.isinf(printed) or abs(printed - end) <= max(abs(end) * 1e-6, 5e-324)
    assert float(f"{1.23456789:.7g}") > 1.23456789 > float(str(Interval(1.23456789, 2))[1:].split(",")[0])


EVIDENCE = Evidence("threshold", epsilon_lower=1.5, delta=0.0, confidence=0.95, ceiling=3.0, trials=1000, event="output >= 3")


@pytest.mark.parametrize(
    ("claimed", "verdict"),
    [
        (0, "contradicts the claim"),
        (1.4999, "contradicts the claim"),
        (1.5, "does not contradict the claim"),
        (3.0, "does not contradict the claim"),
        (3.0001, "too few runs: ceiling < claim"),
        (math.inf, "too few runs: ceiling < claim"),
    ],
)
def test_a_verdict_follows_from_the_numbers(claimed: float, verdict: str) -> None:
    """Above the claim: contradiction. Claim above what the runs could show: too few. Else: none."""
    assert EVIDENCE.verdict(claimed) == verdict


@pytest.mark.parametrize("bad", [math.nan, -1, None, "1", True, []])
def test_no_verdict_on_what_is_no_claim(bad: Any) -> None:
    """NaN compares false with everything, so it would read as an acquittal; it is an error instead."""
    refuses(lambda: EVIDENCE.verdict(bad))


@pytest.mark.parametrize("field", ["epsilon_lower", "ceiling", "delta", "confidence"])
@pytest.mark.parametrize("bad", [math.nan, -0.1, None, "1", True])
def test_evidence_is_of_numbers(field: str, bad: Any) -> None:
    """No NaN and no negative number enters a result."""
    assert field in str(refuses(lambda: replace(EVIDENCE, **{field: bad})))


@pytest.mark.parametrize(
    ("field", "bad"), [("delta", 1.1), ("confidence", 1.5), ("trials", 0), ("trials", 2.5), ("trials", True)]
)
def test_evidence_is_in_range(field: str, bad: Any) -> None:
    """Probabilities are at most 1, trials are counted."""
    assert field in str(refuses(lambda: replace(EVIDENCE, **{field: bad})))


def test_a_certificate_has_a_known_verdict() -> None:
    """Exactly the four outcomes exist, and the time that a proof took is no part of it."""
    certificate = Certificate("laplace", "ab" * 32, "PROVED", "pure epsilon", "alignment", seconds=1.0)
    assert certificate == replace(certificate, seconds=2.0) != replace(certificate, digest="cd" * 32)
    for bad in ("proved", "", None, "PRIVATE"):
        refuses(lambda bad=bad: replace(certificate, verdict=bad))


def test_a_claim_starts_modest() -> None:
    """Nobody recorded it and nobody proved it until somebody says so; it cannot be changed afterwards."""
    loss: Any = object()
    claim = Claim(loss, "AddRemove('rows')")
    assert claim.status == "audited only" and not claim.recorded and claim.unit == "one record" and claim.assumptions == ()
    with pytest.raises(FrozenInstanceError):
        claim.recorded = True  # type: ignore[misc]  # the assignment is what must fail
