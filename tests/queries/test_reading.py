"""SQL is read into the plan it says, and typed from the policy alone."""

from __future__ import annotations

from fractions import Fraction

from tests.queries.declarations import BY_USER
from twoworlds.queries.plan import Aggregate, Call, Column, Constant, Key, Order, Output, Query, Scan, Where
from twoworlds.queries.reading import read
from twoworlds.queries.typing import typed

MAIN = "SELECT city, COUNT(*) AS visits, AVG(age) AS age, MEDIAN(income) AS income FROM visits GROUP BY city"


def test_the_main_question_is_read() -> None:
    """The four columns of the first journey are a key and three aggregates of a scan."""
    assert read(MAIN, BY_USER) == Query(
        Scan("visits"),
        (
            Output("visits", Aggregate("count")),
            Output("age", Aggregate("mean", (Column("age"),))),
            Output("income", Aggregate("quantile", (Column("income"),), (("q", Fraction(1, 2)),))),
        ),
        (Key("city", Column("city")),),
        columns=("city", "visits", "age", "income"),
    )


def test_the_main_question_is_typed() -> None:
    """COUNT and AVG share one count; the sum is of distances from the middle; one neighbour moves one user."""
    found = typed(read(MAIN, BY_USER), BY_USER, MAIN)
    assert [measure.kind for measure in found.measures] == ["count", "sum", "bins"]
    assert found.uses == ((0,), (1, 0), (2,))
    assert found.measures[1].centre == 60
    assert found.query.keys[0].values == ("Lyon", "Paris", "Nice", None)
    assert (found.rows, found.relation, found.by_user, found.unknown_keys) == (1, "add_remove", True, False)


def test_what_is_done_to_answers_is_kept_apart() -> None:
    """HAVING, ORDER BY and LIMIT speak of names of answers; what they need beside them is computed and not shown."""
    text = "SELECT city FROM visits WHERE age > 30 GROUP BY 1 HAVING COUNT(*) > 5 ORDER BY SUM(age) / COUNT(*) DESC LIMIT 3"
    found = read(text, BY_USER)
    assert found.source == Where(Scan("visits"), Call("greater", (Column("age"), Constant(30))))
    assert found.columns == ("city",)
    assert found.having == Call("greater", (Column("_count"), Constant(5)))
    assert found.order == (Order("_order", descending=True),)
    assert found.limit == 3
    assert {output.name: output.value for output in found.outputs}["_order"] == Call("divide", (Column("_sum"), Column("_count")))
