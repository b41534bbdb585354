"""One table in every form in which it may come: the same exact numbers from each, and nothing inferred from what it holds."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

import twoworlds as tw
from tests.queries.asked import policy_in
from twoworlds.queries import count, count_distinct, mean, median, sources
from twoworlds.queries.compiling import compiled
from twoworlds.queries.duckdb import DuckDB
from twoworlds.queries.filling import filled
from twoworlds.queries.founding import founded, saying
from twoworlds.queries.policy import PublicTable
from twoworlds.queries.tables import Table
from twoworlds.worlds.errors import BadArgument, TwoWorldsError


class Capsule:
    """A frame of which nothing is seen but the Arrow PyCapsule protocol."""

    def __init__(self, relation: Any) -> None:
        self.relation = relation

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.relation.__arrow_c_stream__(requested_schema)


def parquet(folder: Path) -> Path:
    duckdb.sql(f"COPY (FROM '{folder}/visits.csv') TO '{folder}/visits.parquet'")
    return folder / "visits.parquet"


def database(folder: Path) -> Path:
    with duckdb.connect(folder / "visits.duckdb") as connection:
        connection.execute(f"CREATE TABLE visits AS FROM '{folder}/visits.csv'")
    return folder / "visits.duckdb"


def tabbed(folder: Path) -> Path:
    (folder / "visits.tsv").write_text((folder / "visits.csv").read_text().replace(",", "\t"))
    return folder / "visits.tsv"


SOURCES: dict[str, Callable[[Path], Any]] = {
    "csv": lambda folder: folder / "visits.csv",
    "a path as a text": lambda folder: str(folder / "visits.csv"),
    "tsv": tabbed,
    "parquet": parquet,
    "duckdb": database,
    "a relation": lambda folder: duckdb.sql(f"FROM '{folder}/visits.csv'"),
    "a capsule": lambda folder: Capsule(duckdb.sql(f"FROM '{folder}/visits.csv'")),
    "columns in another order, and more of them": lambda folder: Capsule(
        duckdb.sql(f"SELECT day, 1 AS other, city, income, age, user_id FROM '{folder}/visits.csv'")
    ),
    "all as text": lambda folder: Capsule(duckdb.sql(f"SELECT columns(*)::VARCHAR FROM '{folder}/visits.csv'")),
    "narrow types": lambda folder: Capsule(
        duckdb.sql(f"SELECT user_id::SMALLINT AS user_id, city, age::TINYINT AS age, income, day FROM '{folder}/visits.csv'")
    ),
    "categories": lambda folder: Capsule(
        duckdb.sql(f"SELECT * REPLACE (city::ENUM('Lyon', 'Paris', 'Oslo') AS city) FROM '{folder}/visits.csv'")
    ),
}


def exact(table: Table) -> list[list[int]]:
    """What the engine finds, without noise."""
    asked = table.group_by("city").agg(count(), count_distinct("age"), mean("age"), median("income"), days=count("day"))
    offer = asked.offer(epsilon=1)
    found = filled(offer, compiled(offer.typed, offer.bounding, offer.policy, "salt"), table.session.engine)
    return [found.entries(i) for i in range(len(offer.typed.measures))]


@pytest.mark.parametrize("name", SOURCES)
def test_every_source_gives_the_same_numbers(tmp_path: Path, name: str) -> None:
    """CSV, Parquet, DuckDB, frames: one argument, one table."""
    policy = policy_in(tmp_path, unit=None)
    wanted = exact(tw.open(policy=policy))
    assert wanted[0] == [500, 500, 0]
    table = tw.open(SOURCES[name](tmp_path), policy)
    assert exact(table) == wanted and exact(table) == wanted  # a frame is read again for each question
    table.session.close()


def test_another_table_gives_other_numbers(tmp_path: Path) -> None:
    """The comparison can fail."""
    policy = policy_in(tmp_path, unit=None)
    half = Capsule(duckdb.sql(f"FROM '{tmp_path}/visits.csv' WHERE age < 40"))
    assert exact(tw.open(half, policy)) != exact(tw.open(policy=policy))


def test_a_frame_is_copied_once_for_a_session(tmp_path: Path) -> None:
    """A file stands for its content by its time and size. A frame is copied, so only questions of that copy are repeated."""
    policy = policy_in(tmp_path, unit=None)
    frame = Capsule(duckdb.sql(f"FROM '{tmp_path}/visits.csv'"))
    held, other = tw.open(frame, policy), tw.open(frame, policy)
    answers = [table.agg(count()).release(epsilon=1) for table in (held, held, other)]
    assert [answer.repeated for answer in answers] == [False, True, False]
    assert answers[0].receipt != answers[2].receipt
    files = [tw.open(policy=policy).agg(count()).release(epsilon=1) for _ in range(2)]
    assert [answer.repeated for answer in files] == [False, True]


WRONG: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a path that is not there": (lambda folder: folder / "nobody.csv", "does not exist"),
    "a folder": (lambda folder: folder, "is a folder"),
    "columns in capitals": (lambda folder: Capsule(duckdb.sql(f"SELECT city AS CITY, * FROM '{folder}/visits.csv'")), "capitals"),
    "an ending that is not known": (lambda folder: folder / "privacy.toml", "ending"),
    "no table": (lambda _: {"a": [1]}, "collect a lazy one"),
    "missing columns": (lambda folder: Capsule(duckdb.sql(f"SELECT city FROM '{folder}/visits.csv'")), "are not in the source"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_source_is_told(tmp_path: Path, name: str) -> None:
    """Each says what to give instead, before anything is charged."""
    made, said = WRONG[name]
    policy = policy_in(tmp_path, unit=None)
    with pytest.raises(BadArgument, match=said):
        tw.open(made(tmp_path), policy).agg(count()).release(epsilon=1)
    assert not tw.open(policy=policy).session.ledger.account("visits").spent.count


def test_a_file_of_another_format_is_told(tmp_path: Path) -> None:
    """What says Parquet and is none."""
    policy = policy_in(tmp_path, unit=None)
    (tmp_path / "visits.parquet").write_text("no parquet")
    with pytest.raises(TwoWorldsError, match="cannot be read"):
        tw.open(tmp_path / "visits.parquet", policy).agg(count()).release(epsilon=1)


OTHERS = b'1,Paris,30\n2,"L""y, on",31\n3,,\n4,Oslo,"33"\n'
PIECES = [
    b'"',
    b'""',
    b',"',
    b'",',
    b",",
    b"\n",
    b"\r",
    b"\r\n",
    b"\x00",
    b"\x1f",
    b"\xff",
    b"\xef\xbb\xbf",
    b"#",
    b"\\",
    b"'",
    b"x",
]


def rows_of(path: Path, written: bytes) -> Counter[tuple[Any, ...]]:
    """What the engine sees of a CSV file."""
    path.write_bytes(b"user,city,age\n" + written)
    table = PublicTable("people", path, {"user": "text", "city": "text", "age": "integer"})
    engine = DuckDB([sources.open_source(path, table)])
    try:
        found = engine.run('SELECT "user", city, age FROM people')
    finally:
        engine.close()
    columns = [[None if hidden else one for one, hidden in zip(c.tolist(), _hidden(c), strict=True)] for c in found.values()]
    return Counter(zip(*columns, strict=True))


def _hidden(column: Any) -> list[bool]:
    mask = getattr(column, "mask", False)
    return [bool(mask)] * len(column) if getattr(mask, "shape", ()) == () else list(mask)


def test_a_line_of_a_csv_file_is_a_row(tmp_path: Path) -> None:
    """Quotes, doubled quotes, separators in quotes; an empty cell is NULL; a number that is none is NULL."""
    path = tmp_path / "people.csv"
    wanted = Counter([("1", "Paris", 30), ("2", 'L"y, on', 31), ("3", None, None), ("4", "Oslo", 33)])
    assert rows_of(path, OTHERS) == wanted
    assert rows_of(path, OTHERS.replace(b"\n", b"\r\n")) == wanted
    assert rows_of(path, OTHERS + b'5,L"yon,x\n\n6,Nice\n7,"Nice,3\n8,a,b,c') == wanted + Counter([("5", 'L"yon', None)])


def test_no_line_of_a_csv_file_moves_another(tmp_path: Path) -> None:
    """Two worlds: whatever bytes are in one line, the rows of the others are there, before it and after it."""
    path, drawn = tmp_path / "people.csv", random.Random(0)
    others = rows_of(path, OTHERS)
    planted = [b'9,"Paris,1', b'"', b'9,Paris,"1\n', b'""",', b"x" * 3_000_000, b'9,"' + b"x" * 3_000_000]
    planted += [b"".join(drawn.choices(PIECES, k=drawn.randrange(1, 9))) for _ in range(60)]
    for line in planted:
        for place in (0, 2, 4):
            lines = OTHERS.splitlines(keepends=True)
            found = rows_of(path, b"".join([*lines[:place], line + b"\n", *lines[place:]]))
            assert not others - found, (line[:40], place)
            assert len(list(found.elements())) <= 4 + 1 + line.count(b"\n") + line.count(b"\r"), (line[:40], place)


def test_a_reader_of_quotes_over_lines_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault planted: one open quote takes in the rows below it."""
    reading = (
        "read_csv('{}', header = true, delim = ',', quote = '\"', escape = '\"', null_padding = true, ignore_errors = true,"
        " auto_detect = false, strict_mode = false, parallel = false, columns = {{user: 'TEXT', city: 'TEXT', age: 'TEXT'}})"
    )
    monkeypatch.setattr(sources, "_rows", lambda path, _: reading.format(path))
    with pytest.raises(AssertionError):
        test_no_line_of_a_csv_file_moves_another(tmp_path)


FIRST_LINES = ["7,Paris,30", "ann,2024-01-15,f", "ann,,f", "ann@example.org,Lyon", "-1.5,x", "", "user,city,1e400"]


@pytest.mark.parametrize("first", FIRST_LINES)
def test_a_first_line_of_values_is_no_line_of_names(tmp_path: Path, first: str) -> None:
    """Names of columns are public and stand in the policy; the first person's values shall not, nor in any error."""
    path = tmp_path / "people.csv"
    path.write_text(first + "\n8,Nice,40\n")
    policy = tmp_path / "privacy.toml"
    with pytest.raises(BadArgument, match="looks like values") as refused:
        founded(path, unit="user", policy=policy)
    assert not any(cell and cell in str(refused.value).replace(str(path), "") for cell in first.split(",") if len(cell) > 1)
    table = PublicTable("people", path, {"age": "integer"})
    with pytest.raises(BadArgument, match="are not in the source") as missing:
        DuckDB([sources.open_source(path, table)])
    assert not any(cell in str(missing.value) for cell in first.split(",") if len(cell) > 2)


def test_names_that_look_like_values_may_be_declared_names(tmp_path: Path) -> None:
    """Years, for example; and names that do not look so need no word."""
    path = tmp_path / "years.csv"
    path.write_text("user,2023,2024\nann,1,2\n")
    assert '2024 = {type = "text"}' in founded(path, unit="user", policy=tmp_path / "privacy.toml", header=True)
    path.write_text("user,age in 2024,x1\nann,1,2\n")
    assert founded(path, unit="user", policy=tmp_path / "privacy.toml")


@pytest.mark.parametrize("said", ["0..120", "0.0..1.5", "2024-01-01..2024-12-31", "date"])
def test_a_column_may_be_declared_never_missing(said: str) -> None:
    """Then a count of its values is the count of the rows, and costs nothing beside it."""
    (_, (kind, rest)), (_, (known, other)) = saying(f"x={said}"), saying(f"x={said},known")
    assert kind == known and other == f"{rest}, nullable = false"
    assert saying("x=date,known by us")[1][1].startswith(", values")


@pytest.mark.parametrize("name", ["visits*", "visits[12]", "vis?ts", "**"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_is_read_alone_whatever_it_is_called(tmp_path: Path, name: str, kind: str) -> None:
    """Read as a pattern, its name fits other tables too: their people would be asked under a budget that is not theirs."""
    table = visits_of(tmp_path, kind, tmp_path / f"{name}.{kind}")
    for other in ("visits1", "visits2", "visits", "other"):
        shutil.copy(tmp_path / f"{name}.{kind}", tmp_path / f"{other}.{kind}")
    assert int(table.session.engine.run("SELECT count(*) AS n FROM visits")["n"][0]) == 1000
    table.session.close()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_folder_says_nothing_of_a_column(tmp_path: Path, kind: str) -> None:
    """A reader of partitions takes user_id=7 for everybody's name: one user more or less then moves the rows of all."""
    folder = tmp_path / "user_id=7"
    folder.mkdir()
    table = visits_of(tmp_path, kind, folder / f"visits.{kind}")
    assert int(table.session.engine.run("SELECT count(DISTINCT user_id) AS n FROM visits")["n"][0]) == 200
    table.session.close()


def visits_of(folder: Path, kind: str, path: Path) -> Table:
    """The visits in a file of this kind and name."""
    policy = policy_in(folder)
    made = folder / "visits.csv" if kind == "csv" else parquet(folder)
    made.rename(path)
    return tw.open(path, policy=policy)
