"""Golden triples: question → plan → SQL → noise, whole, so that a change of any of them is seen and read.

After a change that is meant: `python -m tests.golden.test_questions` writes them anew, for the difference to be looked at.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.queries.declarations import BY_ROW, BY_USER, REPLACED
from twoworlds.queries.compiling import compiled
from twoworlds.queries.pricing import offer
from twoworlds.queries.reading import read
from twoworlds.queries.typing import typed

FILE = Path(__file__).parent / "questions.json"
POLICIES = {"rows": BY_ROW, "users": BY_USER, "replaced": REPLACED}
QUESTIONS = [
    ("users", "SELECT city, COUNT(*) AS visits, AVG(age) AS age, MEDIAN(income) AS income FROM visits GROUP BY city"),
    ("rows", "SELECT city, COUNT(*) AS visits, AVG(age) AS age, MEDIAN(income) AS income FROM visits GROUP BY city"),
    ("rows", "SELECT COUNT(*) FROM visits WHERE age > 30 AND city IN ('Lyon', 'O''Neil')"),
    ("replaced", "SELECT member, SUM(income) FROM visits GROUP BY member"),
    ("users", "SELECT COUNT(DISTINCT user_id), COUNT(DISTINCT shop) FROM visits"),
    ("users", "SELECT shop, COUNT(*) FROM visits GROUP BY shop"),
    ("rows", "SELECT VARIANCE(age), CORR(age, income) FROM visits"),
    ("rows", "SELECT HISTOGRAM(age, [0, 18, 65]), TOP_K(city, 2), MAX(seen) FROM visits"),
    ("users", "SELECT AVG(clip(spent, 0, 500)) FROM (SELECT user_id, SUM(income) AS spent FROM visits GROUP BY user_id) AS p"),
    (
        "rows",
        "SELECT country, COUNT(*) FROM visits JOIN cities USING (city) GROUP BY country HAVING COUNT(*) > 5 ORDER BY 2 DESC",
    ),
    ("rows", "SELECT SUM(clip(score / age, -1, 1)) FROM (SELECT DISTINCT score, age FROM visits) AS d"),
    ("users", "SELECT month(day) AS m, COUNT(*) FROM visits TABLESAMPLE BERNOULLI (10 PERCENT) GROUP BY m LIMIT 3"),
]


def triple(policy: str, text: str) -> dict[str, Any]:
    """What a question is, what the engine is told, and which noise is drawn with which public parameters."""
    made = offer(typed(read(text, POLICIES[policy]), POLICIES[policy], text), POLICIES[policy], epsilon=1)
    return {
        "policy": policy,
        "question": text,
        "plan": repr(made.typed.query),
        "sql": [scan.text for scan in compiled(made.typed, made.bounding, POLICIES[policy], "salt")],
        "noise": [f"{step.card.name} { ({name: str(value) for name, value in step.public.items()}) }" for step in made.steps],
        "price": str(made.price),
    }


@pytest.mark.parametrize("place", range(len(QUESTIONS)))
def test_golden_questions(place: int) -> None:
    """Plan, SQL and noise are as they were when somebody last read them."""
    assert triple(*QUESTIONS[place]) == json.loads(FILE.read_text())[place]


def test_another_price_is_another_triple() -> None:
    """The comparison sees a change: the same question of users and of rows differs in all three."""
    one, other = (triple(policy, QUESTIONS[0][1]) for policy in ("users", "rows"))
    assert one["sql"] != other["sql"] and one["noise"] != other["noise"]


if __name__ == "__main__":
    FILE.write_text(json.dumps([triple(*question) for question in QUESTIONS], indent=1, ensure_ascii=False) + "\n")
