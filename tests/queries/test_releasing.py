"""A release from end to end: charged, computed, made noisy, recorded, answered."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, median, pstdev

import pytest

from tests.queries.tables import CITIES, asked, policy, table
from twoworlds.queries.policy import Unit
from twoworlds.queries.session import Session
from twoworlds.worlds.errors import Exhausted

PEOPLE = [(i // 2, CITIES[i % 2], i % 90, (i * 7 % 1000) + 0.5) for i in range(4000)]
BERN = [row for row in PEOPLE if row[1] == "Bern"]


def session(folder: Path, unit: Unit = Unit(), **budget: object) -> Session:  # noqa: B008  a frozen value
    lines = "".join(f"{user},{city},{age},{income}\n" for user, city, age, income in PEOPLE)
    (folder / "people.csv").write_text("user,city,age,income\n" + lines)
    return Session(policy(folder, table(unit, folder / "people.csv"), **budget))


def test_counts_by_public_keys(tmp_path: Path) -> None:
    """Each public group has its count with noise, the one without rows too; the answer has a claim and a receipt."""
    opened = session(tmp_path)
    answer = opened.release(asked("SELECT city, COUNT(*) AS people FROM people GROUP BY city", opened.policy), epsilon=1)
    assert [row["city"] for row in answer.rows] == [*CITIES, None]
    for row, truth in zip(answer.cells, (2000, 2000, 0, 0), strict=True):
        assert abs(row["people"].value - truth) < 30
        assert row["people"].low <= row["people"].value <= row["people"].high
    assert answer.claim.recorded and answer.claim.loss.epsilon(0).upper == pytest.approx(1)
    assert answer.receipt == opened.ledger.history()[-1].hash


TRUTHS = {
    "COUNT(*)": len(BERN),
    "COUNT(DISTINCT user)": len({row[0] for row in BERN}),
    "COUNT(DISTINCT age)": len({row[2] for row in BERN}),
    "SUM(income)": sum(row[3] for row in BERN),
    "SUM(age)": sum(row[2] for row in BERN),
    "AVG(age)": mean(row[2] for row in BERN),
    "STDDEV_POP(income)": pstdev(row[3] for row in BERN),
    "MEDIAN(income)": median(row[3] for row in BERN),
    "MEDIAN(age)": median(row[2] for row in BERN),
    "MIN(age)": 0,
    "MAX(income)": 999.5,
}


@pytest.mark.parametrize("unit", [Unit(), Unit("user", rows=4, groups=2, rows_per_group=2)], ids=["rows", "users"])
@pytest.mark.parametrize("budget", [{}, {"filter": "concentrated", "epsilon": 200, "delta": "1/1000000"}], ids=["pure", "rho"])
@pytest.mark.parametrize("wanted", TRUTHS)
def test_every_aggregate_is_near_the_truth(tmp_path: Path, wanted: str, unit: Unit, budget: dict[str, object]) -> None:
    """With much budget and generous limits the answers are near the exact ones."""
    from fractions import Fraction

    if wanted == "COUNT(DISTINCT user)" and unit.column is None:
        wanted, truth = "COUNT(DISTINCT age)", TRUTHS["COUNT(DISTINCT age)"]
    else:
        truth = TRUTHS[wanted]
    caps = {name: Fraction(value) if name != "filter" else value for name, value in budget.items()}
    opened = session(tmp_path, unit, **caps)
    answer = opened.release(asked(f"SELECT city, {wanted} AS answer FROM people GROUP BY city", opened.policy), epsilon=50)
    found = answer.rows[0]["answer"]
    scale = {"SUM(income)": 2000, "SUM(age)": 200, "COUNT(DISTINCT age)": 90 if unit.column else 5}.get(wanted, 5)
    assert abs(found - truth) <= scale, (found, truth)


def test_what_the_budget_cannot_pay_is_refused(tmp_path: Path) -> None:
    """Over budget nothing is charged and nothing is computed."""
    opened = session(tmp_path)
    with pytest.raises(Exhausted):
        opened.release(asked("SELECT COUNT(*) FROM people", opened.policy), epsilon=101)
    assert [entry.kind for entry in opened.ledger.history()] == ["OPEN", "CREATE"]
