"""Published numbers: ours meet what is exact, and are no larger than what looser methods printed."""

from __future__ import annotations

import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from twoworlds.losses.pricing import loss_of
from twoworlds.losses.reading import parse
from twoworlds.losses.theorems import METHODS, older_methods
from twoworlds.worlds.claims import Interval

NUMBERS: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "accounting.toml").read_text())["number"]


def ours(number: dict[str, Any]) -> Interval:
    """Our answer to what was published: the certified interval, or one method's number."""
    event = parse(number["event"])
    if number["what"] == "epsilon":
        return loss_of(event).epsilon(number["delta"])
    if number["what"] == "delta":
        return loss_of(event).delta(number["epsilon"], width=1e-6)
    found = next(priced for priced in older_methods(event, number["delta"]) if priced.method == number["what"])
    assert not found.refused, found.refused
    return Interval(found.epsilon, found.epsilon)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{number['event']} {number['what']}")
def test_published_numbers(number: dict[str, Any]) -> None:
    """Equal: our interval meets the number as printed. Bound: our upper end is at most it. Attained: our lower end at least."""
    found = ours(number)
    if number["side"] == "equal":
        assert found.lower <= number["published"] + number["within"] and found.upper >= number["published"] - number["within"]
        assert found.width <= max(1e-3 * found.upper, 2 * number["within"])
    elif number["side"] == "attained":
        assert found.lower >= number["published"] - number["within"]
    else:
        assert found.upper <= number["published"] + number["within"]
        assert found.upper > 0.5 * number["published"]


def test_the_file_says_where_each_number_is_from() -> None:
    """Every entry has a citation, a known side, and asks one thing."""
    methods = {method.name for method in METHODS}
    for number in NUMBERS:
        assert len(number["cite"]) > 20 and number["side"] in ("equal", "bound", "attained") and number["within"] > 0
        assert ("delta" in number) != ("epsilon" in number) and number["what"] in {"epsilon", "delta", *methods}
        assert Fraction(number.get("delta", number.get("epsilon"))) >= 0
    assert len(NUMBERS) >= 40
