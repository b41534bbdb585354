"""A CSV file with line breaks in its cells, as Parquet: one row for each record, and nothing is guessed."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from twoworlds.cli.main import run
from twoworlds.queries.converting import converted
from twoworlds.worlds.errors import BadArgument

PIECES = ["\n", "\r\n", "\r", '"', '""', ",", "1", "Paris", " ", "\x00", "é", "'", "\\", "#", "\ufeff", ""]
OTHERS = [["1", "Paris", "30"], ["2", 'L"y,\non', "31"], ["3", "", "x\r\ny"], ["4", "a\nb\nc", '"']]


def written(records: list[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(records)
    return text.getvalue().encode()


def rows_of(folder: Path, content: bytes) -> Counter[tuple[str | None, ...]]:
    """The rows of the Parquet file that is made of this."""
    path, out = folder / "people.csv", folder / "people.parquet"
    out.unlink(missing_ok=True)
    path.write_bytes(b"user,city,age\n" + content)
    count = converted(path, out)
    found = duckdb.connect().execute(f"SELECT \"user\", city, age FROM '{out}'").fetchall()
    assert len(found) == count
    return Counter(found)


def test_a_record_is_a_row_and_moves_no_other(tmp_path: Path) -> None:
    """Two worlds: one well-formed record more is one row more, with its cells as they were, wherever it stands."""
    drawn, others = random.Random(1), rows_of(tmp_path, written(OTHERS))
    assert others[("2", 'L"y,\non', "31")] == others[("3", None, "x\r\ny")] == 1 and others.total() == 4
    for _ in range(40):
        record = ["9", *("".join(drawn.choices(PIECES, k=drawn.randrange(6))) for _ in range(2))]
        place = drawn.randrange(5)
        found = rows_of(tmp_path, written([*OTHERS[:place], record, *OTHERS[place:]]))
        assert found == others + Counter([tuple(cell or None for cell in record)]), record


def test_a_quote_out_of_place_is_refused_or_takes_nothing(tmp_path: Path) -> None:
    """A line of any bytes either makes the file be refused, or leaves all rows of the others as they were."""
    drawn, others, refused = random.Random(2), rows_of(tmp_path, written(OTHERS)), 0
    lines = written(OTHERS[:1]), written(OTHERS[1:2]), written(OTHERS[2:])
    for turn in range(100):
        line = "".join(drawn.choices([*PIECES, "9,", '9,"'], k=drawn.randrange(1, 8))).encode() + b"\n"
        place = turn % 4
        try:
            found = rows_of(tmp_path, b"".join([*lines[:place], line, *lines[place:]]))
        except BadArgument:
            refused += 1
        else:
            assert not others - found, line
    assert refused > 30


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'1,"Paris,30\n', "quote out of place"),
        (b'1,"Paris"x,30\n', "quote out of place"),
        (b"1,Paris\n", "2 cells instead of 3"),
        (b"1,\xff,3\n", "not UTF-8"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, content: bytes, why: str) -> None:
    """The kind of the fault and its line, and how to mend it; no file is written."""
    with pytest.raises(BadArgument, match=why):
        rows_of(tmp_path, content)
    assert not (tmp_path / "people.parquet").exists()


def test_names_are_needed_and_nothing_is_overwritten(tmp_path: Path) -> None:
    """No name twice, in capitals or not; a file that is there stays."""
    path, out = tmp_path / "a.csv", tmp_path / "a.parquet"
    for text in ("", "user,User\n1,2\n"):
        path.write_text(text)
        with pytest.raises(BadArgument, match="names"):
            converted(path, out)
    with pytest.raises(BadArgument, match="cannot be read"):
        converted(tmp_path / "none.csv", out)
    path.write_text("user,city\n1,Paris\n")
    out.write_text("mine")
    with pytest.raises(BadArgument, match="exists already"):
        converted(path, out)
    assert out.read_text() == "mine"


def test_a_converted_file_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """From the terminal: converted, a policy written, asked; as CSV, second lines would have counted for whom they name."""
    import twoworlds as tw

    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_bytes(written([["who", "note"], *([str(i), "first line\n7,second line"] for i in range(300))]))
    run(["convert", "visits.csv", "visits.parquet"])
    assert "300 rows" in capsys.readouterr().err
    counted = {}
    for source in ("visits.csv", "visits.parquet"):
        run(["init", source, "--unit", "row", "--epsilon", "1000", "--out", f"{source}.toml", "--table", "visits"])
        asked = tw.open(policy=f"{source}.toml").sql("SELECT COUNT(*) AS n FROM visits WHERE who = '7'")
        counted[source] = asked.release(epsilon=100).value
    assert abs(counted["visits.parquet"] - 1) < 5
    assert abs(counted["visits.csv"] - 300) < 5
