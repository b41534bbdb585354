"""A release from end to end: charged, computed, made noisy, recorded, answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.queries.tables import CITIES, counting, policy, table
from twoworlds.queries.session import Session
from twoworlds.worlds.errors import Exhausted

ROWS = "user,city,age,income\n" + "".join(f"{i},{CITIES[i % 2]},{i % 90},{i}.5\n" for i in range(1000))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    (tmp_path / "people.csv").write_text(ROWS)
    given = table(source=tmp_path / "people.csv")
    return Session(policy(tmp_path, given))


def test_counts_by_public_keys(session: Session) -> None:
    """Each public group has its count with noise, the one without rows too; the answer has a claim and a receipt."""
    answer = session.release(counting(session.policy.tables["people"]), epsilon=1)
    assert list(answer.keys) == [(city,) for city in CITIES]
    for cell, truth in zip(answer.cells["people"], (500, 500, 0), strict=True):
        assert abs(cell.value - truth) < 30
        assert cell.low <= cell.value <= cell.high
    assert answer.claim.recorded and answer.claim.loss.epsilon(0).upper == pytest.approx(1)
    assert answer.receipt == session.ledger.history()[-1].hash


def test_what_the_budget_cannot_pay_is_refused(session: Session) -> None:
    """Over budget nothing is charged and nothing is computed."""
    with pytest.raises(Exhausted):
        session.release(counting(session.policy.tables["people"]), epsilon=101)
    assert len(session.ledger.history()) == 2  # the ledger is open and the population has its budget
