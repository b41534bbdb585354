"""Mechanisms by name: each shape reads back as it was written, costs what it says, and refuses what is out of range."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from tests.losses.malformed import MALFORMED
from twoworlds.losses.reading import describe, parse
from twoworlds.losses.written import WRITTEN, Written, loss_as_written, written
from twoworlds.worlds.errors import TwoWorldsError
from twoworlds.worlds.events import Ran

VALUES = {
    "sigma": "1.5", "scale": 2, "p": "0.7", "epsilon": "0.3", "delta": "0.01", "mu": "0.4", "rho": "0.02", "omega": 9, "order": 4,
}  # fmt: skip


def shape(entry: Written) -> str:
    return entry.shape


def values(entry: Written) -> dict[str, object]:
    return {name: VALUES[name] for name in entry.needs}


@pytest.mark.parametrize("entry", WRITTEN, ids=shape)
def test_what_is_written_reads_back(entry: Written) -> None:
    """Text to event to text and back is the same event, with every default filled in."""
    event = written(entry.name, **values(entry))
    assert parse(describe(event)) == event
    assert set(dict(event.parameters)) == set(entry.parameters)


@pytest.mark.parametrize("entry", WRITTEN, ids=shape)
def test_every_mechanism_has_a_price(entry: Written) -> None:
    """At a delta above its own there is a finite epsilon above 0; composed with itself it costs more."""
    loss = loss_as_written(written(entry.name, **values(entry)))
    once, twice = loss.epsilon("0.02").upper, loss.power(2).epsilon("0.021").upper
    assert 0 <= once < math.inf and once <= twice


@pytest.mark.parametrize(
    ("name", "parameters", "epsilon", "delta"),
    [
        ("laplace", {"scale": 2, "sensitivity": 3}, "1.5", 0.0),
        ("discrete_laplace", {"scale": 2, "sensitivity": 3}, "1.5", 0.0),
        ("randomized_response", {"p": "0.7"}, math.log(0.7 / 0.3), 0.0),
        ("randomized_response", {"p": "0.7"}, 0, 0.4),
        ("gaussian", {"sigma": 2, "sensitivity": 2}, 0, math.erf(1 / math.sqrt(8))),
        ("gdp", {"mu": 1}, 0, math.erf(1 / math.sqrt(8))),
        ("approximate", {"epsilon": 1, "delta": "0.01"}, 1, 0.01),
        ("tv", {"delta": "0.01"}, 0, 0.01),
    ],
)
def test_known_prices(name: str, parameters: dict[str, Any], epsilon: object, delta: float) -> None:
    """What each is defined by: the scale is b, sigma a standard deviation, p the probability of the truth."""
    found = loss_as_written(written(name, **parameters)).delta(epsilon)
    assert found.upper == pytest.approx(delta, abs=1e-12) and found.upper >= delta - 1e-15


@pytest.mark.parametrize("entry", WRITTEN, ids=shape)
def test_malformed_parameters_are_refused_where_they_are_written(entry: Written) -> None:
    """Each parameter out of range, missing, or unknown; and an event that only looks like one of these."""
    for name in entry.parameters:
        for bad in MALFORMED:
            with pytest.raises(TwoWorldsError):
                written(entry.name, **{**values(entry), name: bad})
    with pytest.raises(TwoWorldsError):
        written(entry.name, **{**values(entry), "nobody": 1})
    with pytest.raises(TwoWorldsError):
        written(entry.name)
    with pytest.raises(TwoWorldsError):
        loss_as_written(Ran.of(entry.name, "the hash of some card", {name: Fraction(1) for name in entry.parameters}))
