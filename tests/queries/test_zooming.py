"""Levels add up exactly, cost one price, and no level is less sure than it would be alone."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.queries.asked import visits
from twoworlds.queries import count, mean, sum
from twoworlds.queries.zooming import consistent
from twoworlds.worlds.errors import BadArgument, Exhausted

REGIONS = {"Lyon": "South", "Paris": "North"}
COUNTRIES = {"South": "France", "North": "France"}


@pytest.mark.parametrize("unit", [None, "user_id"], ids=["rows", "users"])
def test_levels_add_up_for_one_price(tmp_path: Path, unit: str | None) -> None:
    """Cities, regions and the country, the unknown ones too; one charge, which is at most that of one question."""
    table = visits(tmp_path, unit=unit)
    asked = table.zoom("city", region=REGIONS, country=COUNTRIES).agg(count())
    found = asked.release(epsilon=5)
    city, region, country = (found[name].numbers for name in ("city", "region", "country"))
    assert region["South"] == pytest.approx(city["Lyon"]) and region["North"] == pytest.approx(city["Paris"])
    assert country["France"] == pytest.approx(region["South"] + region["North"])
    assert country[None] == pytest.approx(region[None]) and region[None] == pytest.approx(city[None])
    assert city["Lyon"] == pytest.approx(500, abs=60)
    account = table.session.ledger.account("visits")
    alone = asked.questions[0].offer(epsilon=5).price.at()["rho"]
    assert account.spent.count == 1 and 0.97 * float(alone) <= float(account.budget.limits["rho"] - account.left()["rho"])
    assert account.budget.limits["rho"] - account.left()["rho"] <= alone
    assert "France" in repr(found) and found.rows("region")[0]["within"] > 0
    again = asked.release(epsilon=5)
    assert again["city"].numbers == city and account.spent.count == table.session.ledger.account("visits").spent.count


def test_least_squares_beats_each_level_alone() -> None:
    """Over many draws errors of all levels are smaller than without consistency, and the told variance is found."""
    chance = random.Random(5)
    cities = [f"c{i}" for i in range(30)]
    parents = ({one: f"r{i % 6}" for i, one in enumerate(cities)}, {f"r{i}": "all" for i in range(6)})
    truth = [dict.fromkeys(cities, 100.0), {f"r{i}": 500.0 for i in range(6)}, {"all": 3000.0}]
    errors, alone, told = [[], [], []], [[], [], []], [0.0, 0.0, 0.0]
    for _ in range(400):
        noisy = [{name: number + chance.gauss(0, 10) for name, number in level.items()} for level in truth]
        found, spread = consistent(noisy, [100.0] * 3, parents)
        for place in range(3):
            name = next(iter(truth[place]))
            errors[place].append((found[place][name] - truth[place][name]) ** 2)
            alone[place].append((noisy[place][name] - truth[place][name]) ** 2)
            told[place] = spread[place][name]
    for place in range(3):
        own = [_mean(errors[place]), _mean(alone[place])]
        assert own[0] < 0.98 * own[1] and own[0] == pytest.approx(told[place], rel=0.25)
    assert _mean(errors[2]) < 0.95 * 30 * 100  # adding up thirty cities would be this far off


def _mean(numbers: list[float]) -> float:
    from statistics import fmean

    return fmean(numbers)


def test_what_is_too_dear_names_what_is_not(tmp_path: Path) -> None:
    """Levels and parts over budget are refused whole, with an epsilon that is then accepted."""
    table = visits(tmp_path, unit=None, epsilon="1")
    zoom = table.zoom("city", region=REGIONS).agg(count())
    parts = table.partition("city")
    for release in (zoom.release, lambda epsilon: parts.release(lambda part: part.agg(count()), epsilon=epsilon)):
        with pytest.raises(Exhausted, match=r"requested .*remaining .*largest version") as refused:
            release(epsilon=3)
        found = re.search(r"epsilon = ([0-9.e-]+)$", str(refused.value))
        assert found is not None and 0.05 < float(found[1]) < 1
        release(epsilon=float(found[1]) / 2)


def test_what_does_not_add_up_is_refused(tmp_path: Path) -> None:
    """Means do not add up, names have to be those of the level below, and keys have to be public."""
    table = visits(tmp_path)
    with pytest.raises(BadArgument, match="does not add up"):
        table.zoom("city", region=REGIONS).agg(mean("age"))
    with pytest.raises(BadArgument, match="no name of the level below"):
        table.zoom("city", region={"Lyyon": "South"}).agg(count()).release(epsilon=1)
    with pytest.raises(BadArgument, match="not public"):
        table.zoom("income", band={}).agg(sum("age")).release(epsilon=1)
    with pytest.raises(BadArgument, match="Choose from city, region"):
        _ = table.zoom("city", region=REGIONS).agg(sum("age")).release(epsilon=5)["continent"]
