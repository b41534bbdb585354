"""Asked by accuracy: the cheapest epsilon that keeps the error is found, and one that is a step cheaper does not keep it."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from tests.queries.asked import visits
from tests.queries.declarations import BY_USER
from twoworlds.losses.filters import shown
from twoworlds.mechanisms.partition_selection import partition_selection
from twoworlds.queries.display import about
from twoworlds.queries.outlook import expected
from twoworlds.queries.pricing import offer
from twoworlds.queries.reading import read
from twoworlds.queries.searching import target
from twoworlds.queries.typing import typed
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


UNKNOWN = "SELECT shop, COUNT(*) AS n FROM visits GROUP BY shop"


@pytest.mark.parametrize("epsilon", ["1e-12", "1e-6", "0.01", "1", "1e4", "1e8"])
def test_every_epsilon_has_a_threshold_at_once(epsilon: str) -> None:
    """For unknown groups and hardly any epsilon the search for the threshold went on step by step, and found none."""
    made = offer(typed(read(UNKNOWN, BY_USER), BY_USER, UNKNOWN), BY_USER, epsilon=epsilon)
    assert 0 < made.price.at()["delta"] <= BY_USER.delta / 2
    reach = made.steps[0].public["reach"]
    if reach > 1:  # and it is the least
        lower = partition_selection.price.at({"epsilon": made.steps[0].public["epsilon"], "reach": reach - 1})
        assert lower["delta"] > BY_USER.delta / 2 / BY_USER.tables["visits"].unit.groups


@pytest.mark.parametrize("epsilon", ["1e-13", "1e-400", "1e30", "1e400"])
def test_epsilons_out_of_all_proportion_are_refused(epsilon: str) -> None:
    """By name, and not by an error of Python's numbers."""
    for question in (UNKNOWN, COUNTS):
        with pytest.raises(BadArgument, match="proportion"):
            offer(typed(read(question, BY_USER), BY_USER, question), BY_USER, epsilon=epsilon)


def test_no_amount_is_told_smaller_than_it_is(tmp_path: Path) -> None:
    """In every text: what is charged is rounded up, what is left down, and a short decimal is told as it is."""
    asked = visits(tmp_path).sql(COUNTS)
    for epsilon in ("0.3", "0.7", "1", "1.37", "2"):
        answer = asked.release(epsilon=epsilon, again=True)
        charged, left = answer.offer.price.at()["rho"], asked.left()
        assert left is not None
        for text in (about(answer)[-1], str(asked.explain(epsilon=epsilon)), answer.offer.notes[0]):
            for told in re.findall(r"(?:charged(?: to visits:)?|is) rho = ([0-9.e-]+)", text):
                assert Fraction(told) >= charged and float(told) < float(charged) * 1.001
        told = re.search(r"left before: rho = ([0-9.e-]+)", str(asked.explain(epsilon=epsilon)))
        assert told is not None and Fraction(told[1]) <= left["rho"]
    amounts = {"epsilon": Fraction(1, 10), "rho": Fraction(4987654491, 10**11), "delta": Fraction(1, 3)}
    assert shown(amounts, up=True) == "epsilon = 0.1, rho = 0.0498766, delta = 0.333334"
    assert shown(amounts, up=False) == "epsilon = 0.1, rho = 0.0498765, delta = 0.333333"
