"""Asked by accuracy: the cheapest epsilon that keeps the error is found, and one that is a step cheaper does not keep it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.queries.asked import visits
from twoworlds.queries.outlook import expected
from twoworlds.queries.searching import target
from twoworlds.worlds.errors import BadArgument

COUNTS = "SELECT city, COUNT(*) AS n, MEDIAN(income) AS income FROM visits GROUP BY city"


@pytest.mark.parametrize("wanted", ["50@95", "n=20@99", "income=200"])
def test_the_cheapest_that_keeps_the_error(tmp_path: Path, wanted: str) -> None:
    """At the found epsilon the error is kept, at 99 % of it not."""
    asked = visits(tmp_path).sql(COUNTS)
    found, goal = asked.explain(error=wanted), target(wanted)
    assert not goal.missed(found.offer)
    assert goal.missed(asked.offer(epsilon=found.epsilon * 99 / 100))
    assert f"{float(found.epsilon):g}" in found.found


def test_several_errors_are_kept_together(tmp_path: Path) -> None:
    """With two errors the dearer one sets the price."""
    asked = visits(tmp_path).sql(COUNTS)
    one, other = (asked.explain(error=wanted).epsilon for wanted in ("n=20", "income=200"))
    assert asked.explain(error=["n=20", "income=200"]).epsilon == max(one, other)


def test_an_error_of_a_mean_takes_a_size(tmp_path: Path) -> None:
    """How near a mean is depends on how many rows there are; with a declared size that is known."""
    text = "SELECT COUNT(*) AS n, AVG(age) AS age FROM visits"
    with pytest.raises(BadArgument, match=r"age.*depends on how many rows.*n=1"):
        visits(tmp_path).sql(text).offer(error="1@95")
    found = visits(tmp_path, size=1000).sql(text).explain(error="age=1@95")
    assert next(one for one in expected(found.offer) if one.name == "age").reach <= 1


@pytest.mark.parametrize("wanted", ["", "near", "0@95", "5@100", "nobody=5", "-3", "1e-9@95", "5@@95", "n="])
def test_what_is_no_error_is_told(tmp_path: Path, wanted: str) -> None:
    """Errors that do not read, are out of reach, or are of nobody say what to write."""
    with pytest.raises(BadArgument, match=r"Write|Name|Noise"):
        visits(tmp_path).sql(COUNTS).offer(error=wanted)


def test_one_price_is_given(tmp_path: Path) -> None:
    """Neither or both of epsilon and error is refused."""
    asked = visits(tmp_path).sql(COUNTS)
    for given in ({}, {"epsilon": 1, "error": "5"}):
        with pytest.raises(BadArgument, match="epsilon"):
            asked.offer(**given)
