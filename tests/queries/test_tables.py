"""Frames say what SQL says: the same plan, so the same price, the same derivation and the same stored answer."""

from __future__ import annotations

from pathlib import Path

import pytest

import twoworlds as tw
from tests.queries.asked import visits
from tests.queries.declarations import BY_ROW, BY_USER, TEXT
from twoworlds.queries import (
    correlation,
    count,
    count_distinct,
    count_users,
    covariance,
    histogram,
    maximum,
    mean,
    median,
    minimum,
    quantile,
    stddev,
    sum,
    top,
    variance,
)
from twoworlds.queries.declared import parse
from twoworlds.queries.policy import Policy
from twoworlds.queries.session import Session
from twoworlds.queries.tables import Table, open
from twoworlds.worlds.errors import BadArgument, TwoWorldsError

PAIRS = {
    "SELECT city, COUNT(*) AS visits, AVG(age) AS age, MEDIAN(income) AS income FROM visits WHERE age > 30 GROUP BY city": (
        lambda t: t.where("age > 30").group_by("city").agg(visits=count(), age=mean("age"), income=median("income"))
    ),
    "SELECT COUNT(income) AS known, COUNT(DISTINCT shop) AS shops FROM visits": (
        lambda t: t.agg(known=count("income"), shops=count_distinct("shop"))
    ),
    "SELECT month(day) AS month, SUM(clip(score, -1, 1)) AS s FROM visits GROUP BY month(day)": (
        lambda t: t.group_by(month="month(day)").agg(s=sum("clip(score, -1, 1)"))
    ),
    "SELECT VARIANCE(age) AS a, VAR_POP(age) AS b, STDDEV(age) AS c, COVAR_POP(age, income) AS d, CORR(age, income) AS e"
    " FROM visits": (
        lambda t: t.agg(
            a=variance("age"),
            b=variance("age", sample=False),
            c=stddev("age"),
            d=covariance("age", "income"),
            e=correlation("age", "income"),
        )
    ),
    "SELECT city, MIN(age) AS low, MAX(age) AS high, APPROX_QUANTILE(age, 0.9) AS q FROM visits GROUP BY city": (
        lambda t: t.group_by("city").agg(low=minimum("age"), high=maximum("age"), q=quantile("age", 0.9))
    ),
    "SELECT HISTOGRAM(age, 10) AS a, HISTOGRAM(age, [0, 18, 65]) AS b, TOP_K(city, 2) AS c FROM visits": (
        lambda t: t.agg(a=histogram("age", cells=10), b=histogram("age", edges=[0, 18, 65]), c=top("city", 2))
    ),
    "SELECT COUNT(*) FILTER (WHERE member) AS m, AVG(age) FILTER (WHERE city = 'Lyon') AS a FROM visits": (
        lambda t: t.agg(m=count().where("member"), a=mean("age").where("city = 'Lyon'"))
    ),
    "SELECT decade, COUNT(*) AS n FROM (SELECT city, age // 10 AS decade FROM visits) AS d GROUP BY decade": (
        lambda t: t.select("city", decade="age // 10").group_by("decade").agg(n=count())
    ),
    "SELECT COUNT(*) AS n FROM (SELECT DISTINCT city, shop FROM visits) AS d": (
        lambda t: t.select("city", "shop").distinct().agg(n=count())
    ),
    "SELECT COUNT(*) AS n FROM visits TABLESAMPLE BERNOULLI (10 PERCENT)": lambda t: t.sample("1/10").agg(n=count()),
    "SELECT country, COUNT(*) AS n FROM visits JOIN cities USING (city) GROUP BY country": (
        lambda t: t.join("cities", on="city").group_by("country").agg(n=count())
    ),
    "SELECT COUNT(*) AS n FROM (SELECT city FROM visits UNION ALL SELECT city FROM visits WHERE age > 3) AS u": (
        lambda t: t.select("city").union(t.where("age > 3").select("city")).agg(n=count())
    ),
    "SELECT city, COUNT(*) AS n FROM visits GROUP BY city ORDER BY n DESC LIMIT 2": (
        lambda t: t.group_by("city").agg(n=count()).order_by("-n").limit(2)
    ),
    "SELECT COUNT(DISTINCT user_id) AS people FROM visits": lambda t: t.agg(people=count_distinct("user_id")),
}
USERS_ONLY = {
    "SELECT COUNT_USERS() AS people FROM visits": lambda t: t.agg(people=count_users()),
    "SELECT MEDIAN(clip(spent, 0, 100)) AS m FROM (SELECT user_id, SUM(income) AS spent FROM visits GROUP BY user_id) AS p": (
        lambda t: t.per_user(spent=sum("income")).agg(m=median("clip(spent, 0, 100)"))
    ),
}


def frame(policy: Policy) -> Table:
    return Table(Session(policy), open(policy=policy).relation)


@pytest.mark.parametrize("text", PAIRS | USERS_ONLY)
@pytest.mark.parametrize("policy", [BY_USER, BY_ROW], ids=["users", "rows"])
def test_frames_and_sql_give_the_same_plan(text: str, policy: Policy) -> None:
    """The trees are equal, and so is what follows from them."""
    if policy is BY_ROW and text in USERS_ONLY:
        with pytest.raises(TwoWorldsError):
            _ = USERS_ONLY[text](frame(policy)).typed
        return
    table = frame(policy)
    made, read = (PAIRS | USERS_ONLY)[text](table), table.sql(text)
    assert made.query == read.query
    assert made.typed == read.typed


def test_another_condition_is_another_plan() -> None:
    """The comparison of plans can tell two questions apart."""
    table = frame(BY_USER)
    assert table.where("age > 30").agg(n=count()).query != table.where("age > 31").agg(n=count()).query


def test_a_question_of_a_frame_is_the_question_in_sql(tmp_path: Path) -> None:
    """Asked in the other language, the stored answer comes back for nothing."""
    table = visits(tmp_path, unit=None)
    first = table.where("age > 30").group_by("city").agg(n=count()).release(epsilon=1)
    again = table.sql("SELECT city, COUNT(*) AS n FROM visits WHERE age > 30 GROUP BY city").release(epsilon=1)
    assert again.repeated and again.rows == first.rows


def test_nothing_is_read_before_a_release(tmp_path: Path) -> None:
    """Making, printing and explaining questions needs no data."""
    table = visits(tmp_path)
    (tmp_path / "visits.csv").unlink()
    asked = table.with_columns(decade="age // 10").group_by("decade").agg(count())
    assert "private table visits" in repr(table) and "question for decade, count" in repr(asked)
    assert "What one person can change" in str(asked.explain(epsilon=1))


def test_views_are_tables_of_the_session(tmp_path: Path) -> None:
    """A named frame is asked in SQL, alone, in a subquery and in another view; its name means one thing."""
    table = visits(tmp_path, unit=None)
    old = table.where("age >= 50").view("old")
    assert old.sql("SELECT COUNT(*) AS n FROM old").query == old.agg(n=count()).query
    nested = table.sql("WITH both AS (SELECT city FROM old WHERE income > 5) SELECT COUNT(*) AS n FROM both").query
    assert nested.source == old.where("income > 5").select("city").relation
    with pytest.raises(BadArgument, match="already the name"):
        table.where("age >= 51").view("old")
    with pytest.raises(BadArgument, match="already the name"):
        old.view("visits")
    with pytest.raises(BadArgument, match=r"Name them first.*view"):
        table.where("age > 3").sql("SELECT COUNT(*) FROM visits")


WRONG = {
    "a misspelt column": (lambda t: t.where("agee > 3"), "write age"),
    "no expression": (lambda t: t.where(30), "no text"),
    "two statements": (lambda t: t.where("age > 3; DROP TABLE visits"), "R00"),
    "an aggregate of many rows where one is computed": (lambda t: t.where("COUNT(*) > 3"), "R018"),
    "a text as an aggregate": (lambda t: t.agg("COUNT(*)"), "no aggregate"),
    "nothing": (lambda t: t.agg(), "number of columns"),
    "two of one name": (lambda t: t.group_by("city").agg(city=count()), "two columns"),
    "the median of a text": (lambda t: t.agg(median("city")).typed, "R007"),
    "users by name": (lambda t: t.group_by("user_id").agg(count()).typed, "would be people"),
    "a rate above 1": (lambda t: t.sample(2), "share"),
    "a quantile above 1": (lambda t: t.agg(quantile("age", 2)), "between 0 and 1"),
    "no cells and no edges": (lambda t: t.agg(histogram("age")), "one of both"),
    "edges downwards": (lambda t: t.agg(histogram("age", edges=[3, 2])), "increasing"),
    "values of a key that is none": (lambda t: t.group_by("city", among={"shop": ["a"]}), "no key"),
    "values of another type": (lambda t: t.group_by("shop", among={"shop": [1]}), "type text"),
    "a public table that is none": (lambda t: t.join("towns", on="city"), "cities"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_where_it_is_written(name: str) -> None:
    """Mistakes are refused when the frame or the question is made, and say what to write."""
    made, said = WRONG[name]
    with pytest.raises(TwoWorldsError, match=said):
        made(frame(BY_USER))


def test_listed_values_are_public_keys(tmp_path: Path) -> None:
    """With listed values a key needs no threshold, and values that no row has are there with noise."""
    answer = tw.open(policy=visits(tmp_path, unit=None).session.policy).group_by("city", among={"city": ["Lyon", "Oslo"]})
    found = {row["city"]: row["count"] for row in answer.agg(count()).release(epsilon=10).rows}
    assert set(found) == {"Lyon", "Oslo"}
    assert abs(found["Lyon"] - 500) < 40 and abs(found["Oslo"]) < 40


def test_a_mean_and_a_count_share_one_noisy_count() -> None:
    """Where a value is never missing, as many rows have it as there are rows; where it may be, both have to be paid for."""
    for known, counts in ((BY_USER, 1), (parse(TEXT.replace(", nullable = false", "")), 2)):
        asked = open(policy=known).sql("SELECT city, COUNT(*) AS n, AVG(age) AS age FROM visits GROUP BY city")
        found = [measure.kind for measure in asked.typed.measures]
        assert found.count("count") == counts
        assert bool(set(asked.typed.uses[0]) & set(asked.typed.uses[1])) == (counts == 1)


def test_that_sampling_is_not_credited_is_said() -> None:
    """Being left out protects, and the price takes nothing off for it."""
    asked = open(policy=BY_ROW)
    assert "nothing is taken off for SAMPLE" in str(asked.sample("1/10").agg(n=count()).explain(epsilon=1))
    assert "SAMPLE" not in str(asked.agg(n=count()).explain(epsilon=1))
