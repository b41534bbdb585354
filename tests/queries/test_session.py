"""A policy, opened: what was founded from a header is asked, charged, logged and verified."""

from __future__ import annotations

from pathlib import Path

import pytest

import twoworlds as tw
from twoworlds.queries.founding import founded, saying
from twoworlds.worlds.errors import BadArgument

SAID = dict(saying(one) for one in ("age=0..120", "income=0.0..2e5", "city=Lyon,Paris"))


def folder_with(path: Path, rows: int = 1000) -> Path:
    """A CSV file and its policy, filled in."""
    lines = "".join(f"{i // 5},{('Lyon', 'Paris')[i % 2]},{20 + i % 50},{i % 100 * 1000}\n" for i in range(rows))
    (path / "visits.csv").write_text("user_id,city,age,income\n" + lines)
    policy = path / "privacy.toml"
    policy.write_text(founded(path / "visits.csv", unit="user_id", rows=5, epsilon="30", said=SAID, policy=policy))
    return policy


def test_what_was_founded_is_asked(tmp_path: Path) -> None:
    """The policy of a header is complete with what was said, and its ledger verifies after an answer."""
    table = tw.open(policy=folder_with(tmp_path))
    answer = table.sql("SELECT city, COUNT(*) AS n FROM visits GROUP BY city").release(epsilon=10)
    assert {row["city"]: row["n"] for row in answer.rows if row["city"]} == {
        "Lyon": pytest.approx(500, abs=60),
        "Paris": pytest.approx(500, abs=60),
    }
    assert table.session.ledger.verify().entries == 4


def test_a_budget_that_began_cannot_be_edited(tmp_path: Path) -> None:
    """A policy that declares another cap than the ledger fixed is refused, and says which holds."""
    policy = folder_with(tmp_path)
    tw.open(policy=policy).sql("SELECT COUNT(*) FROM visits").release(epsilon=1)
    policy.write_text(policy.read_text().replace("epsilon = 30", "epsilon = 60"))
    with pytest.raises(BadArgument, match=r"budgets\.visits.*Put the old caps back"):
        _ = tw.open(policy=policy).session.ledger
