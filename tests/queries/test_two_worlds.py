"""The heart of the room: the real SQL on neighbouring tables moves every measure by at most what is claimed, in every norm.

The tables hold every value that breaks engines: NaN, infinities, -0.0, the smallest and largest whole numbers, 2^53 + 1, NULL,
empty and huge texts, dates without end; stored as their types, or as text. Rows are stored in different orders in the two worlds.
Planted faults show that it can fail.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.choosers import SeededChooser
from tests.queries.declarations import BY_ROW, BY_USER
from tests.queries.worlds import PHYSICAL, beside, engine, measured, moves, neighbours, priced, too_far, with_unit
from twoworlds.queries.bounding import distance
from twoworlds.queries.duckdb import DuckDB
from twoworlds.queries.engine import Columns, Failed
from twoworlds.queries.policy import Policy
from twoworlds.queries.pricing import cells_of, groups_of
from twoworlds.queries.reading import read
from twoworlds.queries.scores import scores
from twoworlds.queries.typing import typed
from twoworlds.worlds.errors import TwoWorldsError

PAIRS = 5
SMALL = {"rows": 3, "groups": 2, "rows_per_group": 2}
POLICIES: dict[str, Policy] = {
    "a row more or fewer": BY_ROW,
    "a row for another": with_unit(BY_ROW, relation="replace"),
    "a user more or fewer": with_unit(BY_USER, **SMALL),
    "a user changed": with_unit(BY_USER, relation="replace", **SMALL),
}
QUESTIONS = [
    "SELECT COUNT(*) FROM visits",
    "SELECT city, COUNT(*), COUNT(income), COUNT(age) FROM visits GROUP BY city",
    "SELECT city, member, SUM(income), SUM(age) FROM visits GROUP BY city, member",
    "SELECT AVG(age), AVG(income), VAR_POP(income), STDDEV(age) FROM visits",
    "SELECT city, AVG(clip(score, -1, 1)), SUM(clip(age, -3, 7)) FROM visits GROUP BY city",
    "SELECT city, MEDIAN(income), MIN(age), MAX(age), APPROX_QUANTILE(income, 0.9) FROM visits GROUP BY city",
    "SELECT MEDIAN(day), MAX(seen) FROM visits",
    "SELECT shop, COUNT(*), SUM(income), AVG(age), MEDIAN(income) FROM visits GROUP BY shop",
    "SELECT city, member, COUNT(age), SUM(income), TOP_K(month(day), 2) FROM visits GROUP BY city, member",
    "SELECT city, COUNT(DISTINCT shop), COUNT(DISTINCT age) FROM visits GROUP BY city",
    "SELECT COUNT(DISTINCT user_id) FROM visits",
    "SELECT city, COUNT(DISTINCT user_id) FROM visits GROUP BY city",
    "SELECT shop, COUNT(*), SUM(age) FROM visits GROUP BY shop",
    "SELECT shop, city, AVG(income) FROM visits GROUP BY shop, city",
    "SELECT month(day) AS m, COUNT(*) FROM visits GROUP BY month(day)",
    "SELECT COVAR_POP(age, income), CORR(age, income) FROM visits",
    "SELECT city, HISTOGRAM(age, 10) FROM visits GROUP BY city",
    "SELECT COUNT(*), SUM(age) FROM visits WHERE 1 / (age - 30) > 0 OR sqrt(income) > 3 OR ln(score) < 0",
    "SELECT city, SUM(age) FROM (SELECT DISTINCT city, age FROM visits) AS d GROUP BY city",
    "SELECT city, COUNT(*) FROM (SELECT city FROM visits UNION ALL SELECT city FROM visits WHERE age > 3) AS u GROUP BY city",
    "SELECT SUM(clip(spent, 0, 100)), COUNT(*) FROM (SELECT user_id, SUM(income) AS spent FROM visits GROUP BY user_id) AS p",
    "SELECT COUNT(*), SUM(clip(people, 0, 9)), MEDIAN(age) FROM visits JOIN cities ON visits.city = cities.city",
    "SELECT country, COUNT(*), AVG(income) FROM visits JOIN cities USING (city) GROUP BY country",
    "SELECT TOP_K(city, 2), HISTOGRAM(age, [0, 30, 120]), COUNT(*) FILTER (WHERE member) FROM visits",
    "SELECT AVG(age) FILTER (WHERE score > 0) FROM visits",
    "SELECT city, COUNT(*), COUNT(DISTINCT shop) FROM visits TABLESAMPLE BERNOULLI (40 PERCENT) GROUP BY city",
    "SELECT SUM(clip(k, 0, 9)), MAX(clip(n, 0, 9)) FROM (SELECT user_id, COUNT(DISTINCT shop) AS k, COUNT(*) AS n FROM visits"
    " GROUP BY user_id) AS p",
    "SELECT CASE WHEN city IN ('Lyon', 'Nice') THEN 'South' END AS region, SUM(income) FROM visits GROUP BY region",
]


Fault = Callable[[str], str]


def _none(text: str) -> str:
    return text


@dataclass(frozen=True)
class Faulty:
    """An engine that runs another text than it is given."""

    engine: DuckDB
    fault: Fault

    def run(self, text: str) -> Columns:
        return self.engine.run(self.fault(text))

    def close(self) -> None:
        self.engine.close()


def asked(question: str, policy: Policy) -> Any:
    """The typed question, or None where the policy refuses it."""
    try:
        return typed(read(question, policy), policy, question)
    except TwoWorldsError:
        return None


def far(policy: Policy, seed: int, questions: list[str] = QUESTIONS, fault: Fault = _none) -> list[str]:
    """Every measure and every list of scores that neighbouring worlds move by more than is claimed."""
    chooser = SeededChooser(seed)
    one, other = neighbours(chooser, policy)
    first, second = (Faulty(engine(policy, rows, as_text=seed % 2 == 1), fault) for rows in (one, other))
    found = []
    for question in questions:
        question_typed = asked(question, policy)
        if question_typed is None:
            continue
        for way in ("weights", "window") if policy.tables["visits"].unit.column else ("rows",):
            made = priced(question_typed, policy, way)
            try:
                here, there = measured(made, first), measured(made, second)
            except Failed:
                found.append(f"{way}: {question}: the engine failed")
                continue
            for i, measure in enumerate(made.typed.measures):
                groups = groups_of(made.typed)
                length = 10**9 if groups is None else groups * cells_of(measure)
                claimed = distance(made.typed, made.bounding, measure, length)
                problem = too_far(moves(here, there, i), claimed)
                if problem:
                    found.append(f"{way}: {question}: {measure.kind}: {problem}")
            found += [f"{way}: {question}: {problem}" for problem in _scores_too_far(made, here, there)]
    first.close()
    second.close()
    return found


def _scores_too_far(made: Any, here: Any, there: Any) -> list[str]:
    """Scores move, in the largest of each group and summed over the groups, by the sensitivity of their step at the most."""
    found = []
    for step in made.steps:
        if step.demand.kind not in ("quantile", "minimum", "maximum", "top"):
            continue
        total = sum(
            max(abs(int(b) - int(a)) for a, b in zip(scores(step, x), scores(step, y), strict=True))
            for x, y in beside(here, there, step.demand.measure)
        )
        if total > step.public["sensitivity"]:
            found.append(f"scores of {step.demand.kind} move by {total}, claimed {step.public['sensitivity']}")
    return found


@pytest.mark.parametrize("seed", range(PAIRS))
@pytest.mark.parametrize("name", POLICIES)
def test_neighbours_are_no_further_apart_than_claimed(name: str, seed: int) -> None:
    """Every aggregate, on every relation, in every norm, for both ways to bound users."""
    assert far(POLICIES[name], seed) == []


def test_most_questions_are_asked() -> None:
    """The questions are not refused: nothing above passes for want of them."""
    for name, policy in POLICIES.items():
        assert sum(asked(question, policy) is not None for question in QUESTIONS) >= (len(QUESTIONS) - 2), name


ROW, USER, CHANGED = "a row more or fewer", "a user more or fewer", "a user changed"
PLANTED: dict[str, tuple[str, str, Fault]] = {
    # the policy, words of the questions that it matters for, and what becomes of the text
    "a value is not moved to the upper bound": (
        ROW,
        "SUM",
        lambda text: re.sub(r"CASE WHEN (\S+) > \S+ THEN \S+ WHEN", "CASE WHEN", text),
    ),
    "a value is not moved to the lower bound": (
        ROW,
        "SUM",
        lambda text: re.sub(r"WHEN \S+ < \S+ THEN \S+ ELSE", "WHEN FALSE THEN 0 ELSE", text),
    ),
    "weights forget how many rows a user has": (USER, "COUNT", lambda text: text.replace("greatest(3, count(*))", "3")),
    "weights are rounded up": (USER, "COUNT", lambda text: text.replace("greatest(3, count(*))", "greatest(3, count(*)) + 1")),
    "k groups are k + 1": (USER, "user_id", lambda text: re.sub(r"place <= (\d)\)", r"place <= \1 + 1)", text)),
    "all groups of a user count": (USER, "user_id", lambda text: re.sub(r"place <= \d\)", "TRUE)", text)),
    "chosen as stored, not by content": (
        USER,
        "DISTINCT shop",
        lambda text: re.sub(r"(PARTITION BY u) ORDER BY hash.*?\) AS place", r"\1) AS place", text),
    ),
    "users are counted by their rows": (
        USER,
        "user_id",
        lambda text: text.replace("SELECT DISTINCT", "SELECT").replace("count(DISTINCT u)", "count(u)"),
    ),
    "values are counted by their length": (
        ROW,
        "DISTINCT",
        lambda text: text.replace("count(DISTINCT v)", "sum(length(CAST(v AS VARCHAR)))"),
    ),
    "a place is in the next one as well": (
        USER,
        "MEDIAN",
        lambda text: re.sub(
            r"FROM places GROUP BY g", "FROM (FROM places UNION ALL SELECT * REPLACE (p + 1 AS p) FROM places) GROUP BY g", text
        ),
    ),
    "a public table has more rows of a key than declared": (ROW, "JOIN", lambda text: re.sub(r'" place" <= \d', "TRUE", text)),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_faults_are_caught(name: str) -> None:
    """Each way to break the text, distinct in cause, moves some measure further than claimed on some pair of worlds."""
    policy, words, fault = PLANTED[name]
    questions = [question for question in QUESTIONS if words in question]
    assert any(far(POLICIES[policy], seed, questions, fault) for seed in range(60))


@pytest.mark.parametrize(("fault", "apart"), [(_none, False), (lambda text: text.replace("list_sort(", "("), True)])
def test_what_is_made_per_user_does_not_depend_on_the_order_of_rows(fault: Fault, apart: bool) -> None:
    """Reals of one user that cancel add up alike however they are stored; added as stored they would not."""
    policy = POLICIES[USER]
    rows = [tuple(None for _ in PHYSICAL) for _ in range(4)]
    place = list(PHYSICAL).index("income")
    held = [("ann", *row[1:place], value, *row[place + 1 :]) for row, value in zip(rows, (1e308, 50.0, -1e308, 7.0), strict=True)]
    typed_one = asked(next(question for question in QUESTIONS if "spent" in question), policy)
    made, found = priced(typed_one, policy), []
    for stored in (held, [held[0], held[2], held[1], held[3]], held[::-1]):
        opened = Faulty(engine(policy, stored), fault)
        found.append(measured(made, opened).entries(0))
        opened.close()
    assert (len(set(map(tuple, found))) > 1) == apart
