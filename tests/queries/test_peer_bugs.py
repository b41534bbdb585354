"""Faults that were found in other systems, each asked of ours: by the report's number where there is one.

Where a fault lets one row show, it is asked in exact numbers of two worlds; where it spoils answers, with very little noise.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import twoworlds as tw
from tests.queries.asked import visits
from tests.queries.declarations import BY_ROW, BY_USER
from tests.queries.test_two_worlds import asked as typed_or_none
from tests.queries.worlds import PHYSICAL, engine, measured, moves, priced, too_far, with_unit
from twoworlds.queries import count, mean, stddev
from twoworlds.queries.bounding import distance
from twoworlds.queries.policy import Bounds, ColumnPolicy, Policy
from twoworlds.queries.pricing import cells_of, groups_of
from twoworlds.queries.reading import read
from twoworlds.queries.refusals import Refused
from twoworlds.queries.tables import Table
from twoworlds.queries.typing import typed
from twoworlds.worlds.errors import BadArgument, Exhausted, TwoWorldsError

Row = Mapping[str, Any]


def exact(question: str, rows: list[Row], policy: Policy = BY_ROW, **how: str) -> list[list[int]]:
    """Every measure that the engine finds, without noise."""
    held = engine(policy, [tuple(row.get(name) for name in PHYSICAL) for row in rows])
    made = priced(typed(read(question, policy), policy, question), policy, how.get("bounding"))
    found = measured(made, held)
    held.close()
    return [found.entries(i) for i in range(len(made.typed.measures))]


def apart(question: str, one: list[Row], other: list[Row], policy: Policy = BY_ROW) -> list[str]:
    """The measures that move further than claimed."""
    made = priced(typed_or_none(question, policy), policy)
    held = [engine(policy, [tuple(row.get(name) for name in PHYSICAL) for row in rows]) for rows in (one, other)]
    first, second = (measured(made, each) for each in held)
    length = groups_of(made.typed) or 10**9
    found = [
        too_far(moves(first, second, i), distance(made.typed, made.bounding, measure, length * cells_of(measure)))
        for i, measure in enumerate(made.typed.measures)
    ]
    return [problem for problem in found if problem]


@pytest.mark.parametrize("kept", [1, 2, 4])
def test_a_user_counts_in_as_many_groups_as_declared(kept: int) -> None:
    """OpenDP 0.16 truncate_num_groups(k) keeps k - 1 groups, none for k = 1: noise for groups that do not count."""
    policy = with_unit(BY_USER, rows=50, groups=kept, rows_per_group=2)
    rows = [{"user_id": user, "city": "Lyon", "shop": f"shop {i}"} for user in ("ann", "bob") for i in range(10)]
    question = "SELECT shop, COUNT(DISTINCT user_id) AS n FROM visits GROUP BY shop"
    assert sum(exact(question, rows, policy)[0]) == 2 * kept
    counted = exact("SELECT shop, COUNT(*) AS n FROM visits GROUP BY shop", rows, policy, bounding="window")
    assert max(map(sum, counted)) >= 2 * kept


def test_columns_may_be_called_as_our_own(tmp_path: Path) -> None:
    """OpenDP 0.16 truncate_num_groups(keep="sample"): "multiple fields with name"."""
    names = ("u", "w", "g", "k0", "v0", "m0", "b", "c", "n", "place", "picked", "weights", "cells", "e", "h0")
    (tmp_path / "odd.csv").write_text(
        "person," + ",".join(names) + "\n" + "\n".join(f"{i}," + "1," * 14 + "1" for i in range(50))
    )
    from twoworlds.queries.founding import founded, saying

    said = dict(saying(f"{name}=0..3") for name in names)
    policy = tmp_path / "privacy.toml"
    policy.write_text(founded(tmp_path / "odd.csv", unit="person", rows=2, epsilon="1000", said=said, policy=policy))
    columns = ", ".join(f'SUM("{name}") AS "{name}"' for name in names)
    answer = (
        tw.open(policy=policy).sql(f"SELECT {columns}, COUNT(*) AS u2, COUNT(DISTINCT person) AS p FROM odd").release(epsilon=500)
    )
    assert all(abs(value - 50) < 25 for value in answer.rows[0].values())


@pytest.mark.parametrize("wanted", ["MEDIAN(income)", "STDDEV(income)", "VARIANCE(income)", "QUANTILE(income, 0.9)", "MIN(age)"])
def test_aggregates_that_others_do_not_have(tmp_path: Path, wanted: str) -> None:
    """SmartNoise #367 and Qrlew have no MEDIAN (a panic); SmartNoise refuses STDDEV on [0, 200000] as too noisy."""
    assert math.isfinite(visits(tmp_path).sql(f"SELECT {wanted} AS x FROM visits").release(epsilon=1).value)


def test_every_public_group_is_there(tmp_path: Path) -> None:
    """SmartNoise drops declared keys that few rows have: which ones is told to everybody."""
    lonely = visits(tmp_path, unit=None).where("city = 'Lyon' AND age < 21").group_by("city").agg(count())
    assert [row["city"] for row in lonely.release(epsilon=1).rows] == ["Lyon", "Paris", None]


def test_a_condition_that_divides_by_zero_gives_a_row(tmp_path: Path) -> None:
    """SmartNoise: COUNT(*) WHERE 1/(age-30) > 0 returns no row at all."""
    answer = visits(tmp_path, unit=None).sql("SELECT COUNT(*) AS n FROM visits WHERE 1 / (age - 30) > 0").release(epsilon=50)
    assert abs(answer.value - 780) < 15


@pytest.mark.parametrize("epsilon", ["0.01", "0.1"])
def test_quotients_stay_within_their_range(tmp_path: Path, epsilon: str) -> None:
    """PipelineDP and Tumult: the mean of ages in [0, 100] is 9,579 in a small group; OpenDP: infinite in an empty one."""
    answer = (
        visits(tmp_path).where("age < 21").group_by("city").agg(mean=mean("age"), spread=stddev("age")).release(epsilon=epsilon)
    )
    for row in answer.cells:
        assert 0 <= row["mean"].low <= row["mean"].value <= row["mean"].high <= 120
        assert 0 <= row["spread"].low <= row["spread"].value <= row["spread"].high <= 120


def test_empty_groups_have_noise_of_their_own(tmp_path: Path) -> None:
    """OpenDP #2344: explicit keys got one draw of noise for all groups without rows."""
    listed = [f"nowhere {i}" for i in range(300)]
    rows = visits(tmp_path, unit=None).group_by("city", among={"city": listed}).agg(count()).release(epsilon="0.1").rows
    assert Counter(row["count"] for row in rows).most_common(1)[0][1] < 60


NULLED = {
    "OpenDP #2938: a failed cast is unknown": "CAST(city AS INTEGER)",
    "OpenDP #2939: cutting what is not a number": "floor(CAST(shop AS REAL))",
    "a quotient by zero": "age / (age - 30)",
    "a logarithm below zero": "ln(age - 30)",
    "a remainder by zero": "age % (age - 30)",
}


@pytest.mark.parametrize("name", NULLED)
def test_what_may_be_unknown_is_counted_with_noise(name: str) -> None:
    """Whether a value came out is private: it counts as what is known, never as all rows, and no declared size makes it free."""
    rows = [{"city": "Lyon", "shop": shop, "age": age} for shop, age in (("3", 30), ("nan", 20), ("x", 40), ("inf", 31))]
    [known] = exact(f"SELECT COUNT({NULLED[name]}) AS n FROM visits", rows)
    assert known[0] < 4
    made = priced(typed_or_none(f"SELECT COUNT({NULLED[name]}) AS n FROM visits", BY_ROW), BY_ROW)
    assert made.price.at()["rho"] > 0 and made.steps[0].public["sensitivity"] >= 1


@pytest.mark.parametrize("filler", ["CAST('nan' AS REAL)", "score", "0.0 / 0.0", "ln(-1.0)", "1e308 * 10.0"])
def test_filling_with_what_is_no_number(filler: str) -> None:
    """OpenDP #2935 #2936: fill_null(NaN) makes a sum NaN, which tells the worlds apart."""
    question = f"SELECT SUM(clip(coalesce(income, {filler}), 0, 1)) AS s FROM visits"
    full = [{"income": 1.0} for _ in range(9)]
    assert apart(question, full, [*full, {"income": None, "score": math.nan}]) == []


@pytest.mark.parametrize(
    "seen",
    [
        "row_number() OVER ()",
        "rank() OVER (ORDER BY age)",
        "lag(age)",
        "first(age)",
        "cumsum(age)",
        "dense_rank(age)",
        "list_position([1], age)",
        "CAST(city AS ENUM('a'))",
        "rowid",
    ],
)
def test_rows_do_not_see_each_other(seen: str) -> None:
    """OpenDP #2944: codes of categories in the order of their first rows; shifts, ranks, running sums."""
    with pytest.raises(Refused):
        typed(read(f"SELECT SUM(clip({seen}, 0, 9)) AS s FROM visits", BY_ROW), BY_ROW)


def test_cells_are_numbered_by_public_edges() -> None:
    """OpenDP #2944, asked in our own words: one more row in the lowest cell moves the others nowhere."""
    many = [{"age": 60} for _ in range(100)]
    question = "SELECT HISTOGRAM(age, [0, 50, 120]) AS h FROM visits"
    assert exact(question, many) == [[0, 100]] and exact(question, [{"age": 2}, *many]) == [[1, 100]]
    assert apart(question, many, [{"age": 2}, *many]) == []


def test_bounds_hold_for_what_is_summed_not_for_what_was_declared() -> None:
    """OpenDP #2949: bounds and truncation kept although the column was redefined afterwards."""
    text = "SELECT SUM(age) AS s FROM (SELECT age * 100 AS age FROM visits) AS t"
    made = priced(typed_or_none(text, BY_ROW), BY_ROW)
    assert made.typed.measures[0].bounds == Bounds(Fraction(0), Fraction(12_000))
    few = [{"age": 30}]
    assert apart(text, few, [*few, {"age": 120}]) == []
    moved = "SELECT k, COUNT(*) AS n FROM (SELECT shop || '!' AS k FROM visits) AS t GROUP BY k"
    policy = with_unit(BY_USER, rows=3, groups=2, rows_per_group=2)
    ann = [{"user_id": "ann", "shop": f"s{i}"} for i in range(30)]
    assert apart(moved, [{"user_id": "bob", "shop": "s1"}], [{"user_id": "bob", "shop": "s1"}, *ann], policy) == []


def test_small_floats_do_not_overflow_into_numbers() -> None:
    """OpenDP #2941 #2923: a guard against overflow that was right for doubles alone."""
    question = "SELECT SUM(clip(score * 10, 0, 5)) AS s, COUNT(score * 1e308) AS n FROM visits"
    one = [{"score": 1.0}]
    assert apart(question, one, [*one, {"score": 3.4e38}]) == [] and apart(question, one, [*one, {"score": 1.7e308}]) == []


@pytest.mark.parametrize(
    "question", ["SELECT SUM(score) FROM visits", "SELECT AVG(score) FROM visits", "SELECT CORR(score, age) FROM visits"]
)
def test_missing_bounds_are_refused(question: str) -> None:
    """SmartNoise #317: without bounds there was no noise."""
    with pytest.raises(Refused, match="TW-R012"):
        typed(read(question, BY_ROW), BY_ROW)


def test_covariance_is_of_clipped_values() -> None:
    """SmartNoise #622: covariance of values that were never clipped; #203: variance clamped wrongly."""
    wild = [{"age": 2**62, "income": 1e300}]
    for question in ("SELECT COVAR_POP(age, income) FROM visits", "SELECT VARIANCE(income), CORR(age, income) FROM visits"):
        assert apart(question, [{"age": 3, "income": 5.0}], [{"age": 3, "income": 5.0}, *wild]) == []


def test_variance_is_near_the_truth(tmp_path: Path) -> None:
    """SmartNoise #203."""
    found = visits(tmp_path, unit=None).sql("SELECT VAR_POP(age) AS v FROM visits").release(epsilon=100).value
    assert found == pytest.approx((50**2 - 1) / 12, rel=0.05)


def test_bounds_are_never_looked_up() -> None:
    """SmartNoise #580: approximate bounds told the largest value. Ours are declared; data beyond them change nothing declared."""
    made = [priced(typed_or_none("SELECT SUM(age) FROM visits", policy), policy) for policy in (BY_ROW, replace(BY_ROW))]
    assert made[0].typed.measures == made[1].typed.measures
    assert exact("SELECT SUM(age) FROM visits", [{"age": 5000}]) == [[120]]


@pytest.mark.parametrize("wanted", ["COUNT(*) n", "COUNT(*)", "COUNT(*) AS n"])
def test_columns_have_names(tmp_path: Path, wanted: str) -> None:
    """SmartNoise calls a count '???', and rejects an alias without AS."""
    [name] = visits(tmp_path).sql(f"SELECT {wanted} FROM visits").release(epsilon=1).columns
    assert name in ("n", "count")


def test_four_aggregates_cost_what_was_asked(tmp_path: Path) -> None:
    """SmartNoise: epsilon = 1 was 4.0 for one query, and nothing was ever refused; OpenDP: 6 answers where 1 was paid for."""
    table = visits(tmp_path, epsilon="1")
    asked = table.sql("SELECT city, COUNT(*), SUM(age), AVG(income), MEDIAN(income) FROM visits GROUP BY city")
    assert asked.release(epsilon=1).claim.loss.epsilon("1e-6").upper <= 1.01
    for _ in range(3):
        with pytest.raises(Exhausted):
            table.sql("SELECT COUNT(*) FROM visits").release(epsilon="0.9", again=True)


def test_over_budget_says_what_can_be_had(tmp_path: Path) -> None:
    """OpenDP says "Privacy allowance has been exhausted" and nothing else."""
    table = visits(tmp_path, epsilon="1")
    with pytest.raises(Exhausted, match=r"requested .*remaining .*largest version .*epsilon = [0-9.]+, count ± "):
        table.agg(count()).release(epsilon=2)


def test_private_joins_say_why(tmp_path: Path) -> None:
    """SmartNoise #512 and OpenDP: "step not recognized"."""
    with pytest.raises(Refused, match=r"private.*no bound") as refused:
        visits(tmp_path).sql("SELECT COUNT(*) FROM visits JOIN visits AS v USING (city)")
    assert refused.value.place is not None


def test_expressions_of_answers(tmp_path: Path) -> None:
    """SmartNoise #546: arithmetic on aggregates; others fail to sort by a noisy column."""
    text = (
        "SELECT city, SUM(age) / COUNT(*) AS mean, COUNT(*) AS n FROM visits GROUP BY city HAVING COUNT(*) > 100 ORDER BY n DESC"
    )
    rows = visits(tmp_path).sql(text).release(epsilon=50).rows
    assert len(rows) == 2 and all(row["mean"] == pytest.approx(44.5, abs=3) for row in rows)


def test_unknown_keys_are_a_group(tmp_path: Path) -> None:
    """Tumult's key sets and unknown keys; OpenDP #1964: explicit ones."""
    table = visits(tmp_path, unit=None).with_columns(where="CASE WHEN age < 40 THEN city END")
    found = {row["where"]: row["count"] for row in table.group_by("where").agg(count()).release(epsilon=50).rows}
    assert found[None] == pytest.approx(600, abs=15) and set(found) == {"Lyon", "Paris", None}


def test_sums_do_not_depend_on_the_order_of_rows() -> None:
    """Google #126, Tumult: sums of doubles in any order, 8 different sums in 10 runs of DuckDB."""
    values = [1e5, 0.1, 2e5 / 3, 1e-9, 77777.777] * 40
    rows = [{"income": value} for value in values]
    sums = {
        str(exact("SELECT SUM(income), AVG(income) FROM visits", order)) for order in (rows, rows[::-1], rows[100:] + rows[:100])
    }
    assert len(sums) == 1


def test_what_is_no_number_is_not_the_upper_bound() -> None:
    """DuckDB: least(greatest(NaN, 0), 100) = 100, and sqrt(-1) > 0 holds."""
    [total] = exact("SELECT SUM(income) AS s FROM visits", [{"income": math.nan}, {"income": math.inf}, {"income": None}])
    assert total == [0]
    assert exact("SELECT COUNT(*) AS n FROM visits WHERE sqrt(age - 100) > 0", [{"age": 3}]) == [[0]]


def test_a_cast_does_not_speak(tmp_path: Path) -> None:
    """DuckDB: casting 'x' to a number raises with the value of the cell in its message (Haeberlen and others 2011)."""
    found = (
        visits(tmp_path)
        .sql("SELECT COUNT(*) AS n FROM visits WHERE CAST(city AS INTEGER) > 0 OR city::DATE IS NULL")
        .release(epsilon=50)
    )
    assert found.value == pytest.approx(1000, abs=40)


def test_looking_again_draws_no_new_noise(tmp_path: Path) -> None:
    """Polars and DuckDB frames run again whenever they are looked at: noise that is averaged away."""
    answer = visits(tmp_path).agg(count()).release(epsilon=1)
    assert len({repr(answer), repr(answer), str(answer.shown())}) == 1 and answer.rows == answer.rows
    assert len({answer.value for _ in range(20)}) == 1


def test_the_relation_is_of_the_table() -> None:
    """smartnoise-core #356: a mean that trusted a size and a relation chosen by the mechanism."""
    replaced = with_unit(BY_ROW, relation="replace")
    one, other = (priced(typed_or_none("SELECT AVG(age) FROM visits", policy), policy) for policy in (BY_ROW, replaced))
    assert {measure.kind for measure in one.typed.measures} == {"sum", "count"} == {m.kind for m in other.typed.measures}
    assert one.claim.neighbours != other.claim.neighbours


def test_asking_needs_no_other_library() -> None:
    """diffprivlib 0.6.6 does not import beside today's scikit-learn; pins break: the ask path loads none of them."""
    heavy = ("sklearn", "pandas", "polars", "pyarrow", "scipy", "torch", "z3")
    script = f"import sys, twoworlds as tw; tw.open; import twoworlds.queries; print([m for m in {heavy} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_every_error_is_one_of_ours(tmp_path: Path) -> None:
    """Qrlew: a panic that escapes `except Exception`; Tumult: 60 lines of traceback from a worker."""
    table = visits(tmp_path)
    for text in ("", "SELECT", "SELECT MEDIAN(city) FROM visits", "SELECT ZAP(age) FROM visits", "\x00"):
        with pytest.raises(TwoWorldsError) as refused:
            table.sql(text).release(epsilon=1)
        assert refused.value.fix or "TW-R" in str(refused.value)
    with pytest.raises(BadArgument, match="epsilon"):
        table.agg(count()).release(epsilon=math.nan)


def test_one_row_per_person_is_not_assumed() -> None:
    """SmartNoise advises one row per user: a table of users counts each for what is declared, however many rows there are."""
    policy = with_unit(BY_USER, rows=5, groups=1, rows_per_group=5)
    ann = [{"user_id": "ann", "age": 120} for _ in range(400)]
    assert (
        apart("SELECT COUNT(*), SUM(age), MEDIAN(age) FROM visits", [{"user_id": "bob"}], [{"user_id": "bob"}, *ann], policy)
        == []
    )


def test_declared_types_are_not_inferred(tmp_path: Path) -> None:
    """Types guessed from the first rows make the schema a release: one odd cell changed a column's type for everybody."""
    table = visits(tmp_path, unit=None)
    text = (tmp_path / "visits.csv").read_text()
    (tmp_path / "visits.csv").write_text(text + "9,Lyon,not a number,NaN,yesterday\n")
    odd = tw.open(policy=table.session.policy)
    assert odd.columns == table.columns and isinstance(odd, Table)
    assert odd.agg(mean("age")).release(epsilon=50).value == pytest.approx(44.5, abs=3)
    assert ColumnPolicy("age", "integer").nullable
