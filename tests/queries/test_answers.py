"""Answers read in every style, shown to people and given to programs: always the same numbers, and nothing more from the data."""

from __future__ import annotations

import csv
import itertools
import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies

from tests.queries.asked import visits
from twoworlds.queries import correlation, count, covariance
from twoworlds.queries.answers import Answer
from twoworlds.queries.consistency import consistent
from twoworlds.queries.display import in_ascii, table
from twoworlds.queries.outlook import expected
from twoworlds.queries.refusals import Refused
from twoworlds.worlds.errors import BadArgument

ALL = (
    "SELECT city, COUNT(*) AS n, SUM(age) AS total, AVG(age) AS age, MEDIAN(income) AS income, VARIANCE(age) AS spread,"
    " MAX(day) AS last, COUNT(*) / 2 AS half, HISTOGRAM(age, 3) AS ages, TOP_K(city, 2) AS most FROM visits GROUP BY city"
)


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    return visits(tmp_path_factory.mktemp("visits"), size=1000).sql(ALL).release(epsilon=20)


def test_styles_move_intervals_only(answer: Answer) -> None:
    """More confidence, all at once, or sampling besides: each interval holds the plain one, values stay."""
    wider = [answer.shown(**style) for style in ({"confidence": 0.99}, {"simultaneous": True}, {"sampling": True})]
    for other in wider:
        assert other.rows == answer.rows
        for row, twin in zip(answer.cells, other.cells, strict=True):
            for name in ("n", "total", "age"):
                assert twin[name].low <= row[name].low <= row[name].high <= twin[name].high
                assert twin[name].high - twin[name].low > row[name].high - row[name].low or row[name].low == twin[name].low
    assert "sampling" in str(wider[2].style) and "together" in str(wider[1].style)
    assert wider[2].cells[0]["spread"].note.startswith("noise alone")


def test_what_was_expected_is_what_comes(answer: Answer) -> None:
    """The error that was foretold is the interval of the answer for counts and sums, and covers it for means."""
    foretold = {one.name: one for one in expected(answer.offer)}
    for row in answer.cells[:2]:
        for name in ("n", "total"):
            assert row[name].high - row[name].value == pytest.approx(foretold[name].reach, rel=0.05)
        assert row["age"].high - row["age"].value <= foretold["age"].reach * 1.1
        assert row["income"].ranks == pytest.approx(foretold["income"].reach)
    assert foretold["income"].in_ranks and foretold["age"].rows == pytest.approx(1000 / 3)


def test_totals_are_whole_and_add_up(answer: Answer) -> None:
    """Counts in the style of totals are whole, not below 0, and have the sum that is told."""
    whole = answer.shown(totals=True)
    counts = [row["n"] for row in whole.rows]
    assert all(isinstance(count, int) and count >= 0 for count in counts)
    assert sum(counts) == whole.totals["n"] == max(0, round(sum(row["n"] for row in answer.rows)))
    with pytest.raises(BadArgument, match="totals"):
        _ = answer.totals


def test_margins_of_a_contingency_table_agree(tmp_path: Path) -> None:
    """Sums over either key are whole, and add up to the same total; other columns are no keys."""
    table = visits(tmp_path, unit=None).with_columns(old="age >= 45").group_by("city", "old")
    whole = table.agg(n=count()).release(epsilon="0.5").shown(totals=True)
    city, old, both = whole.margin("city"), whole.margin("old"), whole.margin("city", "old")
    assert sum(row["n"] for row in city.values()) == sum(row["n"] for row in old.values()) == whole.totals["n"]
    assert city["Lyon",]["n"] == sum(row["n"] for (name, _), row in both.items() if name == "Lyon")
    assert whole.margin() == {(): whole.totals}
    with pytest.raises(BadArgument, match="no key"):
        whole.margin("n")


@given(strategies.lists(strategies.floats(-50, 50), min_size=1, max_size=30))
def test_consistent_counts_are_the_nearest(counts: list[float]) -> None:
    """The sum is kept, order is kept, and where nothing is below 0 each count is at most one away from its own."""
    whole = consistent(counts)
    assert sum(whole) == max(0, round(sum(counts))) and min(whole) >= 0
    order = sorted(range(len(counts)), key=lambda i: counts[i])
    assert all(whole[one] <= whole[other] + 1 for one, other in itertools.pairwise(order))
    if min(counts) >= 1:
        assert all(abs(count - number) <= 1 + 1 / len(counts) for count, number in zip(counts, whole, strict=True))


def test_nothing_is_below_zero_where_that_was_asked(answer: Answer) -> None:
    """Counts, their intervals and histograms are cut off at 0."""
    for row in answer.shown(nonnegative=True).cells:
        assert row["n"].value >= 0 and row["n"].low >= 0 and min(row["ages"].value) >= 0


def test_written_files_read_back(answer: Answer, tmp_path: Path) -> None:
    """CSV, JSON and Parquet hold the same numbers, with the ends of the intervals."""
    import duckdb

    for ending in ("csv", "json", "parquet"):
        answer.write(tmp_path / f"answer.{ending}")
    with (tmp_path / "answer.csv").open() as file:
        read = list(csv.DictReader(file))
    told = json.loads((tmp_path / "answer.json").read_text())
    stored = duckdb.sql(f"SELECT city, n, n_low, age_high, income_ranks, last FROM '{tmp_path}/answer.parquet'").fetchall()
    for row, cells, line, kept in zip(told["rows"], answer.cells, read, stored, strict=True):
        assert row["n"] == float(line["n"]) == cells["n"].value == kept[1]
        assert row["n_low"] == float(line["n_low"]) == cells["n"].low == kept[2]
        assert row["last"] == line["last"] == str(cells["last"].value) == str(kept[5])
    assert told["receipt"] == answer.receipt and told["neighbours"].startswith("all rows of one user_id")
    with pytest.raises(BadArgument, match="xlsx"):
        answer.write(tmp_path / "answer.xlsx")


def test_frames_are_made_by_the_capsule(answer: Answer) -> None:
    """Whoever speaks the Arrow PyCapsule protocol can take the answer; DuckDB does."""
    import duckdb

    class Capsule:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return answer.__arrow_c_stream__(requested_schema)

    connection = duckdb.connect()
    connection.register("released", Capsule())
    assert connection.sql("SELECT sum(n) FROM released").fetchall()[0][0] == pytest.approx(sum(row["n"] for row in answer.rows))


def test_tables_for_people(answer: Answer) -> None:
    """The printed table has every row, its error bars and its receipt; the HTML has the same and no script."""
    shown = repr(answer)
    assert "Lyon" in shown and "±" in shown and str(answer.receipt) in shown
    assert max(map(len, table(answer, 60))) < max(map(len, wide := table(answer, 400))) and any("●" in line for line in wide)
    assert in_ascii(shown).isascii()
    page = answer._repr_html_()
    assert page.count("<tr>") == 1 + len(answer.rows) and "<script" not in page and "&" not in page.replace("&#x27;", "")


def test_a_name_cannot_become_markup(tmp_path: Path) -> None:
    """What is shown as HTML is escaped."""
    asked = visits(tmp_path).sql('SELECT COUNT(*) AS "<b>&" FROM visits').release(epsilon=1)
    assert "<b>" not in asked._repr_html_() and "&lt;b&gt;&amp;" in asked._repr_html_()


def test_charts_have_error_bars(answer: Answer) -> None:
    """A chart of a column has a bar with an interval for each group; what has no numbers is refused."""
    from twoworlds.figures import svg

    picture = svg(answer.chart("age"))
    assert picture.startswith("<svg") and "Lyon" in picture
    with pytest.raises(BadArgument, match="cannot be drawn"):
        answer.chart("most")


SCALED = {"same": "age", "share": "age / 120", "tiny": "age / 1e9", "big": "age * 1e6", "real": "age * 0.25"}


@pytest.fixture(scope="module")
def scaled(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return visits(tmp_path_factory.mktemp("scaled"), unit=None).with_columns(**SCALED)


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(SCALED, 2)))
def test_columns_of_unlike_ranges_keep_their_correlation(scaled: Any, one: str, other: str) -> None:
    """Each is rounded to steps of its own range: a share beside an age would else be 0 or 1, and correlated with nothing."""
    row = scaled.agg(r=correlation(one, other), c=covariance(one, other)).release(epsilon=10).cells[0]
    factors = {"same": 1, "share": 1 / 120, "tiny": 1e-9, "big": 1e6, "real": 0.25}
    spread = sum((age - 44.5) ** 2 for age in range(20, 70)) / 50 * factors[one] * factors[other]
    assert row["r"].low <= 1 and row["r"].value > 0.9
    assert row["c"].low <= spread <= row["c"].high and row["c"].value == pytest.approx(spread, rel=0.2)


def test_dates_of_an_answer_are_computed_with(tmp_path: Path) -> None:
    """How long it was from the first day to the last, once the noise is there: an error of Python's, after the charge."""
    question = (
        "SELECT MIN(day) AS first, MAX(day) AS last, days_between(MAX(day), MIN(day)) AS days,"
        " year(MAX(day)) AS y, date_add(MAX(day), 1) AS next, DATE '2024-02-29' AS leap FROM visits"
    )
    row = visits(tmp_path, unit=None).sql(question).release(epsilon=100).rows[0]
    assert row["days"] == (row["last"] - row["first"]).days and row["y"] == 2024
    assert row["next"] == row["last"] + timedelta(days=1) and row["leap"] == date(2024, 2, 29)


def test_names_of_the_answer_are_known_in_having_and_order(tmp_path: Path) -> None:
    """In conditions and arithmetic, beside keys too; a name of nothing is refused as before."""
    table = visits(tmp_path, unit=None)
    question = "SELECT city, COUNT(*) AS n FROM visits GROUP BY city HAVING n > 100 ORDER BY -n, city"
    assert [row["city"] for row in table.sql(question).release(epsilon=10).rows] in (["Lyon", "Paris"], ["Paris", "Lyon"])
    with pytest.raises(Refused, match="no column m"):
        table.sql(question.replace("n > 100", "m > 100"))
