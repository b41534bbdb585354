"""The engine is locked: it reads what was attached and nothing else, changes nothing, and says nothing of the data."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.queries.asked import policy_in, visits
from tests.queries.tables import asked
from twoworlds.queries import duckdb as duckdb_room
from twoworlds.queries.bounding import PARTS
from twoworlds.queries.compiling import compiled
from twoworlds.queries.declared import read
from twoworlds.queries.duckdb import DuckDB
from twoworlds.queries.engine import Failed
from twoworlds.queries.filling import filled
from twoworlds.queries.plan import Distinct, Scan
from twoworlds.queries.pricing import bounding_of, offer
from twoworlds.queries.session import Session
from twoworlds.queries.sources import open_source
from twoworlds.worlds.errors import Exhausted, TwoWorldsError

MEAN = "SELECT city, AVG(age) AS age FROM visits GROUP BY city"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Beside the table that is attached lie files of others, and an extension that could be loaded."""
    policy_in(tmp_path)
    (tmp_path / "secret.csv").write_text("who\nBob\n")
    with duckdb.connect(str(tmp_path / "secret.duckdb")) as other:
        other.execute("CREATE TABLE secret AS SELECT 'Bob' AS who")
        other.execute(f"COPY (SELECT 'Bob' AS who) TO '{tmp_path}/secret.parquet'")
        other.execute(
            f"COPY (SELECT * FROM read_csv('{tmp_path}/visits.csv', all_varchar = true)) TO '{tmp_path}/visits.parquet'"
        )
    return tmp_path


@pytest.fixture(params=["csv", "parquet"])
def engine(folder: Path, request: pytest.FixtureRequest) -> Iterator[DuckDB]:
    """The table as it is loaded, and as it is scanned where it lies."""
    table = read(folder / "privacy.toml").tables["visits"]
    opened = DuckDB([open_source(folder / f"visits.{request.param}", table)])
    yield opened
    opened.close()


ESCAPES = (
    "SELECT * FROM read_csv('{folder}/secret.csv')",
    "SELECT * FROM '{folder}/secret.csv'",
    "SELECT * FROM read_parquet('{folder}/secret.parquet')",
    "SELECT * FROM read_text('{folder}/secret.csv')",
    "SELECT * FROM read_blob('/etc/passwd')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM sniff_csv('{folder}/secret.csv')",
    "SELECT * FROM parquet_metadata('{folder}/secret.parquet')",
    "SELECT * FROM read_csv('https://example.org/x.csv')",
    "ATTACH '{folder}/secret.duckdb' AS other (READ_ONLY)",
    "ATTACH '{folder}/new.duckdb' AS other",
    "COPY visits TO '{folder}/stolen.csv'",
    "COPY (SELECT 1) TO '{folder}/visits.parquet'",
    "EXPORT DATABASE '{folder}/stolen'",
    "IMPORT DATABASE '{folder}/stolen'",
    "CREATE TABLE secret AS SELECT * FROM read_csv('{folder}/secret.csv')",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{folder}/evil.duckdb_extension'",
    "FORCE INSTALL spatial FROM community",
    "CREATE SECRET s (TYPE S3, KEY_ID 'a', SECRET 'b')",
    "SELECT * FROM hidden",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET lock_configuration",
    "SET allowed_paths = ['{folder}/secret.csv']",
    "SET allowed_directories = ['{folder}']",
    "SET python_enable_replacements = true",
    "SET autoload_known_extensions = true",
    "SET allow_unsigned_extensions = true",
    "SET allow_community_extensions = true",
    "SET temp_directory = '{folder}/temp'",
    "SET log_query_path = '{folder}/log'",
    "PRAGMA enable_profiling = 'json'",
    "PRAGMA profiling_output = '{folder}/profile.json'",
    "CALL enable_logging()",
    "SET memory_limit = '1TB'",
    "SET threads = 64",
)


def test_nothing_else_can_be_reached(engine: DuckDB, folder: Path) -> None:
    """Files, folders, databases, extensions, secrets, Python variables, settings: every way out ends in one constant text."""
    hidden = {"who": ["Bob"]}  # a variable of the calling frame, which DuckDB would look up by name
    before = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    for escape in ESCAPES:
        with pytest.raises(Failed) as refused:
            engine.run(escape.format(folder=folder))
        assert str(refused.value) == str(Failed()), escape
    assert {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()} == before
    assert hidden and engine.run("SELECT count(*) AS n FROM visits")["n"].tolist() == [1000]


def test_the_escapes_work_without_the_lock(folder: Path) -> None:
    """The test above can fail: an engine without the lock does most of this."""
    with duckdb.connect() as free:
        done = 0
        for escape in ESCAPES:
            if "http" in escape or "community" in escape or "SECRET" in escape:
                continue  # these would ask the network
            try:
                free.execute(escape.format(folder=folder))
            except duckdb.Error:
                continue
            done += 1
    assert done >= 20, done


WRITES = ("DELETE FROM visits", "UPDATE visits SET age = 0", "INSERT INTO visits SELECT * FROM visits", "DROP VIEW visits")


@pytest.mark.parametrize("write", WRITES)
def test_the_data_of_a_file_cannot_be_changed(folder: Path, write: str) -> None:
    """What is scanned where it lies is a view of a file that is only read; a database is attached read-only."""
    before = (folder / "visits.parquet").read_bytes()
    table = read(folder / "privacy.toml").tables["visits"]
    opened = DuckDB([open_source(folder / "visits.parquet", table)])
    with contextlib.suppress(Failed):
        opened.run(write)
    opened.close()
    assert (folder / "visits.parquet").read_bytes() == before


def test_an_attached_database_is_read_only(folder: Path) -> None:
    """Nothing can be written into it, not even by a statement of ours."""
    table = read(folder / "privacy.toml").tables["visits"]
    with duckdb.connect(str(folder / "visits.duckdb")) as other:
        other.execute(f"CREATE TABLE visits AS SELECT * FROM read_csv('{folder}/visits.csv', all_varchar = true)")
    opened = DuckDB([open_source(folder / "visits.duckdb", table)])
    for statement in ('DELETE FROM "file of visits".visits', 'CREATE TABLE "file of visits".more AS SELECT 1'):
        with pytest.raises(Failed):
            opened.run(statement)
    assert opened.run("SELECT count(*) AS n FROM visits")["n"].tolist() == [1000]
    opened.close()


@pytest.mark.parametrize(
    "failing",
    [
        "SELECT CAST(city AS BIGINT) FROM visits",  # names the cell in DuckDB's own message
        "SELECT error(city) FROM visits",
        "SELECT CAST(sum(CAST(9223372036854775807 AS HUGEINT)) AS BIGINT) AS m FROM visits",
        "SELECT 9223372036854775807 + count(*) AS m FROM visits",
        "no SQL at all",
    ],
)
def test_whatever_fails_says_the_same(engine: DuckDB, failing: str) -> None:
    """No cell, no number and no name of a file is in the error, nor in what led to it; sums that do not fit fail, never wrap."""
    with pytest.raises(Failed) as failed:
        engine.run(failing)
    assert str(failed.value) == str(Failed()) and failed.value.__cause__ is None and failed.value.__suppress_context__


def test_a_sum_beyond_64_bits_is_exact(tmp_path: Path) -> None:
    """Large whole terms, weighted, add up without a limit: the total comes in two halves."""
    most, rows = 2**40 - 1, 20_000
    text = policy_in(tmp_path).read_text().replace("[0, 120]", f"[0, {most}]")
    text = "\n".join(line for line in text.splitlines() if not line.startswith(("income", "day")))
    (tmp_path / "privacy.toml").write_text(text)
    (tmp_path / "visits.csv").write_text("user_id,city,age\n" + "".join(f"{i},Lyon,{most - i}\n" for i in range(rows)))
    opened = Session(read(tmp_path / "privacy.toml"))
    typed = asked("SELECT SUM(age) AS total FROM visits", opened.policy)
    priced = offer(typed, opened.policy, epsilon=1)
    scans = compiled(priced.typed, priced.bounding, priced.policy, "salt")
    [total] = filled(priced, scans, opened.engine).entries(typed.uses[0][0])
    assert total == sum(PARTS * (most - i) for i in range(rows)) > 2**63
    opened.close()


EVERYTHING = (
    "SELECT city, COUNT(*) AS n, SUM(age) AS s, AVG(age) AS a, MEDIAN(age) AS m, TOP_K(city, 2) AS t FROM visits GROUP BY city"
)


@pytest.mark.parametrize("far", [0, 10**6, 2**63 - 1])
def test_an_array_instead_of_a_lookup_changes_no_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, far: int) -> None:
    """Large tables let whole numbers index arrays: what is found is the same, however far users' numbers are apart."""
    text = "\n".join(line for line in policy_in(tmp_path).read_text().splitlines() if not line.startswith(("income", "day")))
    (tmp_path / "privacy.toml").write_text(text)
    with duckdb.connect() as made:
        made.execute(
            f"COPY (SELECT CASE WHEN i % 1009 = 0 THEN NULL WHEN i % 1013 = 0 THEN {far} WHEN i % 1019 = 0 THEN -{far} ELSE"
            " i * 7919 % 9973 END AS user_id, CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 'nowhere' WHEN 2 THEN 'Paris' ELSE 'Lyon'"
            " END AS city, CASE WHEN i % 11 > 0 THEN i * i % 130 END AS age FROM range(150_000) t(i))"
            f" TO '{tmp_path}/visits.parquet' (FORMAT parquet)"
        )
    policy = read(tmp_path / "privacy.toml")
    priced = offer(asked(EVERYTHING, policy), policy, epsilon=1)
    scans, found = compiled(priced.typed, priced.bounding, priced.policy, "salt"), []
    assert any("USMALLINT" in scan.text for scan in scans)
    for most in (24, 0):
        monkeypatch.setattr("twoworlds.queries.duckdb._MOST", most)
        opened = DuckDB([open_source(tmp_path / "visits.parquet", policy.tables["visits"])])
        planned = str(opened._connection.execute(f"EXPLAIN {scans[0].text}").fetchall()).upper().count("PERFECT")
        assert (planned > 0) == (most > 0)
        found.append({i: array.tolist() for i, array in filled(priced, scans, opened).arrays.items()})
        opened.close()
    assert found[0] == found[1]


# Twice over the same rows


def test_the_rows_are_read_again_only_where_that_is_cheap(tmp_path: Path) -> None:
    """Weights are counted in a pass of their own; where equal rows are sorted out first, that is done once."""
    from dataclasses import replace

    policy = read(policy_in(tmp_path))
    typed = asked(MEAN, policy)
    [scan] = compiled(typed, bounding_of(typed), policy, "salt")
    assert "picked AS NOT MATERIALIZED" in scan.text
    distinct = replace(typed, query=replace(typed.query, source=Distinct(Scan("visits"))))
    [scan] = compiled(distinct, bounding_of(distinct), policy, "salt")
    assert "NOT MATERIALIZED" not in scan.text


class Swapping:
    """A connection under which the file changes while a statement runs."""

    def __init__(self, connection: Any, swap: Any) -> None:
        self._connection, self._swap = connection, swap

    def execute(self, text: str) -> Any:
        found = self._connection.execute(text)
        self._swap()
        return found

    def close(self) -> None:
        self._connection.close()


def test_a_file_that_changes_under_a_question_is_no_answer(folder: Path) -> None:
    """A statement may read the file twice, so what it found across a change is dropped; the charge stays."""
    text = (folder / "privacy.toml").read_text().replace("visits.csv", "visits.parquet")
    (folder / "privacy.toml").write_text(text)
    table = visits_of(folder)
    opened: Any = table.session.engine
    other = folder / "other.parquet"
    shutil.copy(folder / "visits.parquet", other)
    opened._connection = Swapping(opened._connection, lambda: other.replace(folder / "visits.parquet"))
    with pytest.raises(Failed):
        table.sql(MEAN).release(epsilon=1)
    assert [entry.kind for entry in table.session.ledger.history()][2:] == ["RESERVE"]
    table.session.close()
    assert len(visits_of(folder).sql(MEAN).release(epsilon=1).rows) == 3


def visits_of(folder: Path) -> Any:
    import twoworlds as tw

    return tw.open(policy=folder / "privacy.toml")


def test_a_stream_that_flows_once_is_copied(tmp_path: Path) -> None:
    """A frame is copied when the first question is asked: two questions see the same rows, whatever became of the original."""
    import twoworlds as tw

    policy_in(tmp_path)
    source = duckdb.connect()
    source.execute(f"CREATE TABLE v AS SELECT * FROM read_csv('{tmp_path}/visits.csv', all_varchar = true)")
    table = tw.open(source.table("v"), tmp_path / "privacy.toml")
    first = table.sql(MEAN).release(epsilon=500)
    source.execute("DELETE FROM v")
    second = table.sql(MEAN).release(epsilon=400)
    for one, other in zip(first.rows[:2], second.rows[:2], strict=True):
        assert one["age"] == pytest.approx(other["age"], abs=1)
    source.close()


def test_a_source_that_went_away_is_told_before_anything_is_charged(folder: Path) -> None:
    """No file, no question: the error is ours, and the ledger holds no charge."""
    text = (folder / "privacy.toml").read_text().replace("visits.csv", "visits.parquet")
    (folder / "privacy.toml").write_text(text)
    table = visits_of(folder)
    assert table.session.engine
    (folder / "visits.parquet").unlink()
    with pytest.raises(TwoWorldsError, match="cannot be read"):
        table.sql(MEAN).release(epsilon=1)
    assert [entry.kind for entry in table.session.ledger.history()] == ["OPEN", "CREATE"]


def test_next_months_table_keeps_the_spend(folder: Path) -> None:
    """A budget is that of the people: other data in the file, or another file, leave what was charged and are asked anew."""
    first = visits_of(folder).sql(MEAN).release(epsilon=400)
    (folder / "visits.csv").write_text("user_id,city,age,income,day\n1,Lyon,30,1.5,2024-02-01\n")
    table = visits_of(folder)
    second = table.sql(MEAN).release(epsilon=400)
    assert not second.repeated and second.receipt != first.receipt
    (folder / "april.csv").write_text("user_id,city,age,income,day\n2,Paris,40,2.5,2024-04-01\n")
    (folder / "privacy.toml").write_text((folder / "privacy.toml").read_text().replace("visits.csv", "april.csv"))
    with pytest.raises(Exhausted):
        visits_of(folder).sql(MEAN).release(epsilon=400)
    assert table.session.account("visits").spent.count == 2


def test_progress_is_told_and_never_printed(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """While a statement of seconds runs, another thread is told how far it is; nothing appears on the terminal by itself."""
    table = read(folder / "privacy.toml").tables["visits"]
    opened = DuckDB([open_source(folder / "visits.csv", table)], threads=1)
    told, done = [], threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            told.append(opened.progress())

    watcher = threading.Thread(target=watch)
    watcher.start()
    opened.run("SELECT sum(a.age * b.age + c.age) AS total FROM visits a, visits b, (FROM visits LIMIT 200) c")
    done.set()
    watcher.join()
    opened.close()
    assert all(one is None or 0 <= one <= 1 for one in told)
    assert capfd.readouterr().out == ""


def test_an_engine_runs_a_statement_once(tmp_path: Path) -> None:
    """A release runs each of its texts once and holds the result, not a way to run it again."""
    table = visits(tmp_path)
    opened: Any = table.session.engine
    ran: list[str] = []
    run = opened.run

    def watched(text: str) -> Any:
        ran.append(text)
        return run(text)

    opened.run = watched
    answer = table.sql("SELECT city, COUNT(*) AS n, MEDIAN(age) AS m FROM visits GROUP BY city").release(epsilon=1)
    assert answer.rows and str(answer) and answer.shown(totals=True).rows
    assert len(ran) == len(set(ran)) == 1
    assert "random" not in ran[0].lower()


def test_what_does_not_fit_into_memory_is_seen_by_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows were laid down in `.tmp`, wherever one stood, for all to read; a kill left them there."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "spills"))
    (folder / "spills").mkdir()
    monkeypatch.setitem(duckdb_room._AT_START, "memory_limit", "40MB")
    table = read(folder / "privacy.toml").tables["visits"]
    opened = DuckDB([open_source(folder / "visits.parquet", table)], threads=1)
    [spill] = (folder / "spills").iterdir()
    assert spill.stat().st_mode & 0o777 == 0o700
    each = "SELECT DISTINCT v.user_id || '-' || CAST(r.i AS VARCHAR) AS x FROM visits AS v, range(8000) AS r(i)"
    large = f"SELECT count(*) AS n FROM ({each})"
    seen, done = set[str](), threading.Event()
    watcher = threading.Thread(target=lambda: _watched(spill, seen, done))
    watcher.start()
    assert int(opened.run(large)["n"][0]) == 200 * 8000
    done.set()
    watcher.join()
    assert seen, "it had to spill"
    if child := os.fork():
        os.waitpid(child, 0)
    else:
        opened._spill()
        os._exit(0)
    assert spill.is_dir(), "a fork leaves it to its parent"
    opened.close()
    assert not spill.exists() and not (folder / ".tmp").exists()


def _watched(folder: Path, seen: set[str], done: threading.Event) -> None:
    while not done.wait(0.005):
        seen.update(one.name for one in folder.iterdir())
