"""What a bound on users' rows leaves out is told within its interval; the suggested bound is near the best there is."""

from __future__ import annotations

import bisect
import math
import random
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, strategies

from tests.queries.asked import policy_in, visits
from twoworlds.queries.contributions import EDGES, Contributions
from twoworlds.queries.export import record
from twoworlds.queries.tables import open
from twoworlds.worlds.errors import BadArgument, Exhausted

TEXT = "SELECT city, COUNT(*) AS n, AVG(age) AS age FROM visits GROUP BY city"


def cells(rows: list[int]) -> list[float]:
    """Users by their rows, exactly."""
    found = [0.0] * (len(EDGES) - 1)
    for one in rows:
        found[bisect.bisect_right(EDGES, one) - 1] += 1
    return found


def lost(rows: list[int], most: int) -> int:
    return sum(max(0, one - most) for one in rows)


def activity(seed: int, users: int = 20_000, steep: float = 0.6) -> list[int]:
    """Few do much and many little: the k-th user has rows like k to the power of minus `steep`."""
    chance = random.Random(seed)
    return [max(1, int(users / 10 * (place + 1) ** -steep * chance.uniform(0.5, 1.5))) for place in range(users)]


@given(strategies.lists(strategies.integers(1, 3000), min_size=1, max_size=200), strategies.integers(1, 4000))
def test_without_noise_the_interval_holds_what_is_left_out(rows: list[int], most: int) -> None:
    """Where in its cell each user is stays open, and the interval says so."""
    found = Contributions(tuple(cells(rows)), 0.0)
    if found.seen < max(bisect.bisect_right(EDGES, one) for one in rows):
        return  # cells beyond an empty one are not seen
    told = found.uncounted(most)
    assert told.low - 1e-9 <= lost(rows, most) / sum(rows) <= told.high + 1e-9
    assert told.low <= told.share <= told.high


@pytest.mark.parametrize("noise", [2, 8])
@pytest.mark.parametrize("most", [5, 40, 160])
def test_with_noise_the_interval_holds_it_too(noise: float, most: int) -> None:
    """Over many tables and draws the truth is between; an interval that forgot the noise would miss it."""
    missed = narrow = 0
    for seed in range(25):
        rows, chance = activity(seed), random.Random(seed + 1000)
        drawn = tuple(count + chance.gauss(0, noise) for count in cells(rows))
        told, truth = Contributions(drawn, 3.3 * noise).uncounted(most), lost(rows, most) / sum(rows)
        missed += not told.low <= truth <= told.high
        narrow += not abs(told.share - truth) < 0.002
    assert missed <= 2 and narrow >= 8


@pytest.mark.parametrize("rate", [1.0, 4.0, 16.0])
def test_the_suggested_bound_is_near_the_best(rate: float) -> None:
    """Told with a tenth of the price, it gives an error within a quarter of the best in hindsight; small bounds are far off."""
    rows = activity(0, users=50_000)
    left = {most: lost(rows, most) for most in EDGES if most <= 4 * max(rows)}
    error = {most: math.hypot(left[most], rate * most) for most in left}
    exact, ratios = cells(rows), []
    for seed in range(30):
        chance = random.Random(seed)
        drawn = Contributions(tuple(count + chance.gauss(0, 3 * rate) for count in exact), 3.3 * 3 * rate)
        found = drawn.best(lambda most, beyond: math.hypot(beyond, rate * most))
        ratios.append(error[found] / min(error.values()))
    assert sum(ratios) / len(ratios) <= 1.25 < error[20] / min(error.values())


@pytest.mark.parametrize("filter_", ["pure", "concentrated"])
@pytest.mark.parametrize("part", ["1/100", "1/10", "1/2"])
def test_slice_and_rest_cost_no_more_than_the_whole(tmp_path: Path, part: str, filter_: str) -> None:
    """The two prices add up to at most the price of the question alone, and to nearly all of it."""
    policy = policy_in(tmp_path)
    if filter_ == "pure":
        policy.write_text(
            policy.read_text().replace("epsilon = 1000", 'filter = "pure"\nepsilon = 1000').replace("delta = 1e-5", "#")
        )
    asked = open(policy=policy).sql(TEXT)
    first, rest = asked.sliced(2, part)
    together = [asked._counted().offer(epsilon=first).price.at(), asked.offer(epsilon=rest).price.at()]
    for name, limit in asked.offer(epsilon=2).price.at().items():
        assert sum(amounts[name] for amounts in together) <= limit
        assert not limit or sum(amounts[name] for amounts in together) >= limit * 97 / 100


def test_bias_is_told_with_the_answer(tmp_path: Path) -> None:
    """Users have five rows; a bound of three leaves out two fifths, and counts are as much too small."""
    table = visits(tmp_path)
    asked = table.sql(TEXT).counting(3)
    answer = asked.release(epsilon=20, bias=True)
    assert answer.learnt is not None and not answer.learnt.chosen
    assert answer.learnt.uncounted.share == pytest.approx(0.4, abs=0.03)
    assert answer.rows[0]["n"] == pytest.approx(300, abs=30)
    assert "not counted" in repr(answer) and "not counted" in answer._repr_html_()
    assert record(answer)["uncounted"]["rows"] == 3
    assert [entry.kind for entry in table.session.ledger.history()].count("RESERVE") == 2
    again = asked.release(epsilon=20, bias=True)
    assert again.repeated and again.learnt == replace(answer.learnt, charged={}) and "charged nothing now" in repr(again)


@pytest.mark.parametrize("suggest", [False, True])
def test_both_charges_are_told(tmp_path: Path, suggest: bool) -> None:
    """What is printed as charged is all that was: the slice stood nowhere."""
    table = visits(tmp_path)
    answer = table.sql(TEXT).release(epsilon=1, bias=True, suggest_bounds=suggest)
    spent = dict(table.session.ledger.account("visits").spent.amounts)["rho"]
    told = [Fraction(one) for one in re.findall(r"charged rho = ([0-9.e-]+)", repr(answer))]
    assert len(told) == 2 and spent <= sum(told) < spent * Fraction(1001, 1000)
    assert answer.learnt is not None
    assert sum(Fraction(one["rho"]) for one in (record(answer)["uncounted"]["charged"],)) == answer.learnt.charged["rho"]


def test_the_bound_is_chosen_for_the_question(tmp_path: Path) -> None:
    """Asked for a bound, nearly nothing is left out, and the answer is of all rows."""
    answer = visits(tmp_path).sql(TEXT).counting(1).release(epsilon=20, suggest_bounds=True)
    assert answer.learnt is not None and answer.learnt.chosen
    assert 5 <= answer.offer.bounding.rows <= 8 and answer.learnt.uncounted.share < 0.1
    assert answer.rows[0]["n"] == pytest.approx(500, abs=40)


def test_where_nothing_is_bounded_there_is_nothing_to_tell(tmp_path: Path) -> None:
    """Tables of rows have no bias of bounding; numbers of users do not depend on their rows; a slice is a share."""
    (tmp_path / "rows").mkdir()
    with pytest.raises(BadArgument, match="row by row"):
        visits(tmp_path / "rows", unit=None).sql(TEXT).release(epsilon=1, bias=True)
    table = visits(tmp_path)
    with pytest.raises(BadArgument, match="does not depend on how many rows"):
        table.sql("SELECT COUNT(DISTINCT user_id) AS people FROM visits").release(epsilon=1, suggest_bounds=True)
    assert table.session.ledger.account("visits").spent.count == 0, "the slice was charged, and nothing was told"
    with pytest.raises(BadArgument, match="slice of its price"):
        table.sql(TEXT).release(error="n=50", bias=True)
    with pytest.raises(BadArgument, match="share of the price"):
        table.sql(TEXT).release(epsilon=1, bias=True, slice=1)


def test_both_charges_are_refused_together(tmp_path: Path) -> None:
    """Where the whole cannot be paid, not even the slice is charged."""
    table = visits(tmp_path, epsilon="1")
    with pytest.raises(Exhausted, match="largest version"):
        table.sql(TEXT).release(epsilon=2, bias=True)
    assert table.session.ledger.account("visits").spent.count == 0
