"""A policy, opened: what was founded from a header is asked, charged, logged and verified."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import pytest

import twoworlds as tw
from tests.queries.asked import TRUTH, policy_in, visits
from twoworlds.ledger.book import Ledger
from twoworlds.queries import count
from twoworlds.worlds.errors import BadArgument, Exhausted, TwoWorldsError

COUNTS = "SELECT city, COUNT(*) AS n FROM visits GROUP BY city"


def test_what_was_founded_is_asked(tmp_path: Path) -> None:
    """The policy of a header is complete with what was said, and its ledger verifies after an answer."""
    table = visits(tmp_path)
    answer = table.sql(COUNTS).release(epsilon=10)
    assert {row["city"]: row["n"] for row in answer.rows if row["city"]} == {
        city: pytest.approx(count, abs=60) for city, count in TRUTH.items()
    }
    assert table.session.ledger.verify().entries == 4


def test_a_budget_that_began_cannot_be_edited(tmp_path: Path) -> None:
    """A policy that declares another cap than the ledger fixed is refused, and says which holds."""
    policy = policy_in(tmp_path, epsilon="30")
    tw.open(policy=policy).sql("SELECT COUNT(*) FROM visits").release(epsilon=1)
    policy.write_text(policy.read_text().replace("epsilon = 30", "epsilon = 60"))
    with pytest.raises(BadArgument, match=r"budgets\.visits.*Put the old caps back"):
        _ = tw.open(policy=policy).session.ledger


def test_the_same_question_is_answered_from_the_ledger(tmp_path: Path) -> None:
    """An exact repeat has the same numbers and costs nothing, even when nothing is left; new noise is charged."""
    table = visits(tmp_path, epsilon="1")
    first = table.sql(COUNTS).release(epsilon="0.9")
    again = tw.open(policy=tmp_path / "privacy.toml").sql(COUNTS.replace("SELECT", "select")).release(epsilon="9/10")
    assert again.repeated and again.rows == first.rows and again.receipt == first.receipt
    assert "charged nothing" in repr(again)
    with pytest.raises(Exhausted):
        table.sql(COUNTS).release(epsilon="0.9", again=True)


def test_what_is_too_dear_names_the_largest_that_is_not(tmp_path: Path) -> None:
    """The refusal has what was requested, what remains, and an epsilon that is then accepted."""
    import re

    table = visits(tmp_path, epsilon="1")
    table.sql(COUNTS).release(epsilon="0.6")
    with pytest.raises(Exhausted, match=r"requested rho.*remaining rho.*epsilon = ") as refused:
        table.sql(COUNTS).release(epsilon=1)
    found = re.search(r"affords now: epsilon = ([0-9.e-]+)", str(refused.value))
    assert found is not None
    table.sql(COUNTS).release(epsilon=found[1], again=True)
    assert 0.5 < float(found[1]) < 1


def test_a_dry_run_touches_nothing(tmp_path: Path) -> None:
    """An explanation needs neither the data nor a ledger, and makes neither."""
    policy = policy_in(tmp_path)
    told = str(tw.open(policy=policy).sql(COUNTS).explain(epsilon=1))
    (tmp_path / "visits.csv").unlink()
    assert str(tw.open(policy=policy).sql(COUNTS).explain(epsilon=1)) == told
    assert "What one person can change" in told and "rho" in told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["privacy.toml"]


def test_analysts_have_their_slices(tmp_path: Path) -> None:
    """An analyst pays from the share that the policy sets aside, and a stranger is refused."""
    policy = policy_in(tmp_path, epsilon="1")
    policy.write_text(policy.read_text() + '\n[analysts]\nalice = "1/2"\n')
    alice = tw.open(policy=policy, analyst="alice").sql(COUNTS)
    with pytest.raises(Exhausted, match="slice of alice"):
        alice.release(epsilon=1)
    alice.release(epsilon="0.5")
    with pytest.raises(BadArgument, match="Write alice"):
        tw.open(policy=policy, analyst="alcie")


def test_a_unit_cannot_be_exchanged_under_a_budget(tmp_path: Path) -> None:
    """What was charged for users says nothing of rows: a policy that protects something else than its budget is refused."""
    policy = policy_in(tmp_path)
    tw.open(policy=policy).sql("SELECT COUNT(*) FROM visits").release(epsilon=1)
    text = policy.read_text()
    policy.write_text(text.replace('column = "user_id"', 'column = "user_id"\nrelation = "replace"'))
    with pytest.raises(BadArgument, match="protects one user, replaced now, and its budget began for one user, added or removed"):
        _ = tw.open(policy=policy).session.ledger


def test_tables_of_one_population_protect_the_same(tmp_path: Path) -> None:
    """Rows here and users there cannot share a budget: their prices do not add up to a promise for anybody."""
    policy = policy_in(tmp_path)
    text = policy.read_text()
    start = text.index("[tables.visits]")
    other = text[start:].replace("tables.visits", "tables.stays").replace('column = "user_id"', "#").replace("rows = 5", "#")
    policy.write_text(text + "\n" + other.replace("groups = 5", "#"))
    with pytest.raises(BadArgument, match="protect different things"):
        _ = tw.open(policy=policy, table="visits").session.ledger


ANALYSTS = '\n[analysts]\nalice = "1/2"\nbob = "1/4"\n'


def _first_question(policy: Path, start: Any, told: Any, age: int) -> None:
    start.wait()
    try:
        tw.open(policy=policy).where(f"age > {age}").agg(count()).release(epsilon=1)
        told.put("answered")
    except TwoWorldsError as error:
        told.put(str(error))


@pytest.mark.parametrize("analysts", ["", ANALYSTS])
def test_many_processes_may_ask_the_first_question(tmp_path: Path, analysts: str) -> None:
    """The budget begins once; who was slower to begin it asks under it, and is not told to name another population."""
    policy = policy_in(tmp_path)
    policy.write_text(policy.read_text() + analysts)
    context = multiprocessing.get_context("fork")
    start, told = context.Barrier(5), context.Queue()
    asking = [context.Process(target=_first_question, args=(policy, start, told, 20 + i)) for i in range(5)]
    for process in asking:
        process.start()
    assert [told.get(timeout=60) for _ in asking] == ["answered"] * 5
    for process in asking:
        process.join()
    ledger = tw.open(policy=policy).session.ledger
    assert len(ledger.slices("visits")) == (2 if analysts else 0) and ledger.account("visits").spent.count == 5


def test_a_beginning_that_was_cut_short_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped between the budget and its slices, nobody had any, and all could spend what was meant for one."""
    policy = policy_in(tmp_path, epsilon="30")
    policy.write_text(policy.read_text() + ANALYSTS)
    real = Ledger.allot

    def stopped(ledger: Ledger, population: str, principal: str, **caps: object) -> None:
        if principal == "bob":
            raise KeyboardInterrupt
        real(ledger, population, principal, **caps)

    with monkeypatch.context() as short:
        short.setattr(Ledger, "allot", stopped)
        with pytest.raises(KeyboardInterrupt):
            _ = tw.open(policy=policy).session.ledger
    ledger = tw.open(policy=policy).session.ledger
    limit = ledger.account("visits").budget.limits["rho"]
    assert {own.principal: own.caps["rho"] for own in ledger.slices("visits")} == {"alice": limit / 2, "bob": limit / 4}
    assert ledger.verify().entries == 4
