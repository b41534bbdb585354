"""What is told before or beside an answer is the same, byte for byte, on neighbouring tables and on an empty one.

Errors, plans, schemas, prices, dry runs and the first policy of a file; and whatever fails once the data were seen is one text.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from tests.choosers import SeededChooser
from tests.queries.declarations import BY_ROW, BY_USER
from tests.queries.hostile import HOSTILE
from tests.queries.test_two_worlds import QUESTIONS
from tests.queries.worlds import PHYSICAL, engine, neighbours
from twoworlds.queries.engine import Failed
from twoworlds.queries.founding import founded
from twoworlds.queries.policy import Policy
from twoworlds.queries.questions import Question
from twoworlds.queries.reading import read
from twoworlds.queries.releasing import release
from twoworlds.queries.session import Session
from twoworlds.queries.sources import columns_of
from twoworlds.worlds.errors import TwoWorldsError

PAIRS = 500
WRONG = [
    "SELECT COUNT(*) FROM visitz",
    "SELECT AVG(agee) FROM visits",
    "SELECT SUM(score) FROM visits",
    "SELECT age FROM visits",
    "SELECT COUNT(*) FROM visits WHERE CAST(city AS INTEGER) > 3",
    "SELECT COUNT(*) FROM visits WHERE 1 / age > 0 AND ln(income) > 1",
    "SELECT MEDIAN(city) FROM visits",
]
Row = tuple[Any, ...]


def written(rows: list[Row]) -> None:
    """The table in the file of the policy, in this folder."""
    with Path("visits.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(PHYSICAL)
        out.writerows([["" if value is None else str(value).replace("\x00", "") for value in row] for row in rows])


def told(question: str, policy: Policy) -> str:
    """Everything that anybody can learn without an answer."""
    opened = Session(policy, {"visits": "visits.csv"})
    try:
        asked = Question(opened, read(question, policy), question)
        found = [
            repr(asked),
            repr(asked.query),
            repr(asked.typed),
            str(asked.explain(epsilon=1)),
            asked.explain(epsilon=1).record(),
        ]
    except TwoWorldsError as error:
        found = [type(error).__name__, str(error), error.args]
    return repr([found, columns_of(Path("visits.csv")), founded(Path("visits.csv"), unit="user_id")])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
def test_nothing_is_told_of_the_data() -> None:
    """Five hundred pairs of neighbours and the empty table: the same text for each."""
    questions = [*QUESTIONS, *WRONG, *HOSTILE[60:200]]
    for pair in range(PAIRS):
        chooser, policy = SeededChooser(pair), BY_USER if pair % 2 else BY_ROW
        one, other = neighbours(chooser, policy)
        question = questions[pair % len(questions)]
        texts = set()
        for rows in (one, other, []):
            written(rows)
            texts.add(told(question, policy))
        assert len(texts) == 1, question


@pytest.mark.usefixtures("here")
def test_a_look_at_the_data_would_be_seen() -> None:
    """The comparison can fail: the size of the file is not the same in both worlds."""
    one, other = neighbours(SeededChooser(3), BY_ROW)
    sizes = set()
    for rows in (one, other):
        written(rows)
        sizes.add(Path("visits.csv").stat().st_size)
    assert len(sizes) == 2


@pytest.mark.parametrize("pairs", [range(10), pytest.param(range(10, 400), marks=pytest.mark.slow)], ids=["few", "many"])
def test_no_row_makes_a_question_fail(pairs: range) -> None:
    """Casts, divisions, logarithms, sums of the largest numbers: answered in both worlds, whatever the rows hold."""
    for pair in pairs:
        policy = BY_USER if pair % 2 else BY_ROW
        worlds = [engine(policy, rows, as_text=pair % 3 == 0) for rows in neighbours(SeededChooser(pair), policy)]
        for question in (*QUESTIONS[pair % 4 :: 4], *WRONG[4:6]):
            if policy is BY_ROW and "GROUP BY user_id" in question:
                continue  # there are no users
            asked = Question(Session(policy), read(question, policy), question)
            for held in worlds:
                release(asked.offer(epsilon=1), held, None)
        for held in worlds:
            held.close()


@pytest.mark.parametrize("cell", ["a secret name", "4111-1111-1111-1111", "x" * 10_000])
def test_an_engine_that_fails_says_one_thing(tmp_path: Path, cell: str) -> None:
    """A failure after the data were seen has a constant text, with no cell in it, no cause to look at, and the charge is kept."""
    from tests.queries.asked import visits

    table = visits(tmp_path)
    asked = table.sql("SELECT COUNT(*) AS n FROM visits")
    opened = table.session.engine

    class Failing:
        dialect = "duckdb"

        def run(self, _: str) -> Any:
            return opened.run(f"SELECT CAST('{cell}' AS INTEGER)")

        def version(self, table: str) -> str:
            return opened.version(table)

        def close(self) -> None:
            opened.close()

    table.session.__dict__["engine"] = Failing()
    with pytest.raises(Failed) as failed:
        asked.release(epsilon=1)
    assert str(failed.value) == str(Failed()) and cell[:9] not in repr(failed.value)
    assert failed.value.__cause__ is None and failed.value.__suppress_context__
    assert [entry.kind for entry in table.session.ledger.history()] == ["OPEN", "CREATE", "RESERVE"]
    assert table.session.ledger.account("visits").spent.count == 1
