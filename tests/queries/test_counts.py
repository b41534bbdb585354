"""One private count: bounded noise, one charge, an engine that can read nothing else."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from twoworlds.ledger.book import Ledger
from twoworlds.losses.filters import PureFilter
from twoworlds.queries.counts import _open, count, interval
from twoworlds.queries.engine import Failed
from twoworlds.worlds.errors import BadArgument, TwoWorldsError


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "t.duckdb"
    connection = duckdb.connect(str(path))
    connection.execute('CREATE TABLE people AS SELECT range AS id FROM range(1000); CREATE TABLE "odd ""name" AS SELECT 1 AS id')
    connection.close()
    return path


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    book = Ledger(tmp_path / "budget.db")
    book.create("visitors", PureFilter(10))
    return book


def test_the_count_is_near_the_truth(database: Path, ledger: Ledger) -> None:
    """Within the interval that holds except once in 1e9 draws."""
    given = count(database, "people", epsilon=1, ledger=ledger, population="visitors")
    assert abs(given.value - 1000) < 25
    assert abs(count(database, 'odd "name', epsilon=1, ledger=ledger, population="visitors").value - 1) < 25


def test_the_interval_is_the_accuracy_theorem(judge) -> None:
    """The noise leaves the interval with probability 5 % at most; a narrower one would be left more often."""
    from tests.statistics import Comparison
    from twoworlds.mechanisms.geometric import geometric
    from twoworlds.sampling.entropy import SeededEntropy
    from twoworlds.sampling.run import repeat

    from scipy.stats import binom  # isort: skip

    draws = repeat(geometric, 20_000, 0, sensitivity=1, epsilon="1/5", entropy=SeededEntropy(3))

    def left(most: int) -> Comparison:
        outside = sum(abs(draw) > most for draw in draws)
        return Comparison(f"{outside} outside {most}", float(binom.sf(outside - 1, len(draws), 0.05)))

    judge.fits(left(interval("1/5")))
    judge.rejects(left(int(interval("1/5") / 1.3)), planted="an interval 1.3 times narrower")


def test_an_unknown_table_costs_nothing(database: Path, ledger: Ledger) -> None:
    """The table's name is checked before anything is charged."""
    for name in ("nobody", "people; DROP TABLE people", "read_csv('/etc/passwd')"):
        with pytest.raises(BadArgument, match="not in this database"):
            count(database, name, epsilon=1, ledger=ledger, population="visitors")
    assert len(ledger.history()) == 2


def test_the_engine_is_locked(database: Path) -> None:
    """No file but the database can be read, nothing written, and the lock cannot be undone."""
    connection = _open(database)
    for hostile in (
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY people TO '/tmp/people.csv'",
        "DELETE FROM people",
        "ATTACH '/tmp/other.db'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(hostile)


def test_what_is_no_database_is_refused(tmp_path: Path, ledger: Ledger) -> None:
    """A missing file, and one of another kind, are named in a sentence."""
    with pytest.raises(BadArgument, match="does not exist"):
        count(tmp_path / "none.duckdb", "people", epsilon=1, ledger=ledger, population="visitors")
    (tmp_path / "text.duckdb").write_text("hello" * 1000)
    with pytest.raises(TwoWorldsError, match="cannot be opened"):
        count(tmp_path / "text.duckdb", "people", epsilon=1, ledger=ledger, population="visitors")


def test_a_view_that_fails_tells_no_cell(tmp_path: Path, ledger: Ledger) -> None:
    """An engine's own message would hold the value that did not fit."""
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE raw AS SELECT 'hidden' AS x; CREATE VIEW v AS SELECT * FROM raw WHERE CAST(x AS BIGINT) > 0"
        )
    with pytest.raises(Failed) as told:
        count(tmp_path / "t.duckdb", "v", epsilon=1, ledger=ledger, population="visitors")
    assert "hidden" not in str(told.value) and told.value.__cause__ is None
