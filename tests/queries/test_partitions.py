"""Questions of disjoint parts cost what the dearest costs where one neighbour is in one part, and their sum elsewhere."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from tests.queries.asked import visits
from tests.queries.declarations import BY_ROW
from twoworlds.proofs.statuses import status
from twoworlds.queries import count, mean, median, pricing
from twoworlds.queries.questions import Question
from twoworlds.queries.tables import Table, open
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Composed, Parallel


def counted(part: Table) -> Question:
    return part.agg(n=count(), age=mean("age"))


def spent(table: Table) -> Fraction:
    account = table.session.ledger.account("visits")
    return account.budget.limits["rho"] - account.left()["rho"]


def test_parts_of_rows_cost_what_the_dearest_costs(tmp_path: Path) -> None:
    """Three parts are charged once, every part is near its truth, and a repeat is free."""
    table = visits(tmp_path, unit=None)
    parts = table.partition("city")
    assert parts.values == ("Lyon", "Paris", None)
    answers = parts.release(counted, epsilon=2)
    one = counted(parts["Lyon"]).offer(epsilon=2)
    assert spent(table) == pytest.approx(float(one.price.at()["rho"]))
    assert all(abs(answers[city].rows[0]["n"] - truth) < 60 for city, truth in (("Lyon", 500), ("Paris", 500), (None, 0)))
    again = parts.release(counted, epsilon=2)
    assert all(again[city].repeated and again[city].rows == answers[city].rows for city in answers)
    assert len({answer.receipt for answer in answers.values()}) == 1
    assert table.session.ledger.verify().entries == 4


def test_parts_of_users_cost_their_sum(tmp_path: Path) -> None:
    """A user may be in every part, so nothing is saved."""
    table = visits(tmp_path)
    parts = table.partition("city")
    offers = [counted(parts[city]).offer(epsilon=1) for city in parts]
    event, price = parts.charge(offers)
    assert isinstance(event, Composed) and price.at()["rho"] == sum(one.price.at()["rho"] for one in offers)


@pytest.mark.parametrize("made", [lambda t: t, lambda t: t.where("age > 3"), lambda t: t.union(t)], ids=["all", "some", "twice"])
def test_only_rows_of_one_part_are_compared(made: object) -> None:
    """Filters keep one row in one part; a union in which a row is twice may have it in two parts, so there the sum is charged."""
    rows = made(open(policy=BY_ROW))  # type: ignore[operator]  # one of the functions above
    parts = rows.partition("city")
    event, _ = parts.charge([parts[city].agg(count()).offer(epsilon=1) for city in ("Lyon", "Nice")])
    assert isinstance(event, Parallel) == (rows.known.distance == 1)


def test_a_question_of_other_rows_is_refused(tmp_path: Path) -> None:
    """What is charged as of one part has to be of that part: another part, or all rows, would be charged too little."""
    table = visits(tmp_path, unit=None)
    parts = table.partition("city")
    for question in (table.agg(count()), parts["Paris"].agg(count()), table.where("city = 'Lyon'").union(table).agg(count())):
        with pytest.raises(BadArgument, match="other rows than the part"):
            parts.release({"Lyon": question}, epsilon=1)
    with pytest.raises(BadArgument, match="Choose from Lyon"):
        _ = parts["Oslo"]
    with pytest.raises(BadArgument, match="not public"):
        _ = table.partition("income").values
    narrower = parts["Lyon"].where("age > 30").group_by("age").agg(count())
    assert parts.release({"Lyon": narrower}, epsilon=1)["Lyon"].receipt


def test_parts_claim_what_the_least_proved_of_them_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The receipt of a release says how far its noise is proved: all of it, whichever part comes first."""
    table = visits(tmp_path, unit=None)
    parts = table.partition("city")
    plain, other = parts["Lyon"].agg(n=count()), parts["Paris"].agg(age=median("age"))
    weak = {step.card.name for step in other.offer(epsilon=1).steps} - {step.card.name for step in plain.offer(epsilon=1).steps}
    assert weak
    monkeypatch.setattr(pricing, "status", lambda card: "audited only" if card.name in weak else status(card))
    receipts = []
    for epsilon, asked in ((1, {"Lyon": plain, "Paris": other}), (2, {"Paris": other, "Lyon": plain}), (1, {"Lyon": plain})):
        answer = next(iter(parts.release(asked, epsilon=epsilon).values()))
        receipts.append(table.session.ledger.receipt(answer.receipt))
    assert ["audited only" in str(receipt) for receipt in receipts] == [True, True, False]
