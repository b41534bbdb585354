"""What the prover says of a card is true, for cards that are private and for their wrong twins."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from twoworlds.exact.tabulate import tabulate
from twoworlds.losses.prices import Pure
from twoworlds.mechanisms.above_threshold import above_threshold
from twoworlds.proofs.attempts import Task, attempt
from twoworlds.proofs.checker import with_cvc5
from twoworlds.proofs.effort import Effort
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.obligations import obligations
from twoworlds.proofs.prover import prove, prove_file, prove_text
from twoworlds.proofs.statements import Statement, statements

ROOT = Path(__file__).parents[2]
BROKEN = ROOT / "tests/broken/proofs"


def test_above_threshold_is_proved_and_both_solvers_agree() -> None:
    """For every list, threshold and epsilon; the hints pass the checker in z3 and in cvc5."""
    certificate = prove(above_threshold)
    assert (certificate.verdict, certificate.digest) == ("PROVED", above_threshold.digest)
    (found,) = statements(above_threshold.text)
    assert isinstance(found, Statement)
    script = obligations(lower(found.program), found.relation, found.price, found.whole, certificate.details["hints"])
    assert with_cvc5(script) is None


def test_the_course_listing_is_refuted_by_two_worlds() -> None:
    """The listing that compares with T: the reported ratio is the exact one, above the price, and it grows with the list."""
    path = BROKEN / "course_above_threshold.py"
    (certificate,) = prove_file(path)
    assert certificate.verdict == "REFUTED"
    details = certificate.details
    (found,) = statements(path.read_text())
    assert isinstance(found, Statement)
    table = tabulate(found.program, details["world"], details["other"], neighbours=found.relation, **details["parameters"])
    assert table.epsilon.lower <= details["epsilon"] + 1e-9 and details["epsilon"] > details["price"]
    one, other = details["probabilities"]
    assert math.log(one / other) == pytest.approx(details["epsilon"])
    losses = [epsilon for _, epsilon in details["growth"]]
    assert losses == sorted(losses) and losses[-1] > 2 * details["price"]


def test_a_fault_of_the_prover_proves_nothing_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever fails inside, the program gets a verdict, and it is never that it is private."""

    def faulty(*_: object) -> object:
        raise KeyError("x.1")

    monkeypatch.setattr("twoworlds.proofs.prover.attempt", faulty)
    certificate = prove(above_threshold)
    assert certificate.verdict == "UNSUPPORTED" and "KeyError" in certificate.method


def test_the_work_of_a_search_is_counted_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """With less work than the proof takes there is none, and the answer is the same each time."""
    (found,) = statements(above_threshold.text)
    assert isinstance(found, Statement)
    assert isinstance(found.price, Pure)
    task = Task(lower(found.program), found.relation, found.price, found.whole)
    assert next(attempt(task), None) is not None
    for most in (100_000, 400_000):
        monkeypatch.setattr("twoworlds.proofs.attempts.Effort", lambda most=most: Effort(most))
        assert next(attempt(task), None) is None


HEAD = "from twoworlds import Laplace, Number, Pure, mechanism\n"
PLAIN = """
@mechanism(neighbours=Number("value", by={by}), price=Pure("{price}"))
def plain(value, *, limit: int, epsilon, sample):
    return value + sample(Laplace(1 / epsilon)){more}
"""


@pytest.mark.parametrize(("by", "price"), [("1", "abs(value) * epsilon + epsilon"), ('"value"', "epsilon"), ("1", "value")])
def test_no_claim_is_read_off_the_secret(by: str, price: str) -> None:
    """A price or a bound that depends on the secret is refused, and the next card of the file gets its verdict."""
    text = (
        HEAD + PLAIN.format(by=by, price=price, more="") + PLAIN.format(by=1, price="epsilon", more="").replace("plain", "next")
    )
    first, second = prove_text(text)
    assert first.verdict == "UNSUPPORTED" and "is secret" in first.method and second.verdict == "PROVED"


def test_int_means_whole_only_where_the_file_leaves_it_its_meaning() -> None:
    """Where `int` is another thing, a parameter annotated so is any number."""
    card = PLAIN.format(by=1, price="epsilon", more="")
    found = [
        statements(text)[-1] for text in (HEAD + card, HEAD + "int = float\n" + card, HEAD + "from m import n as int\n" + card)
    ]
    assert [getattr(one, "whole", None) for one in found] == [{"limit"}, set(), set()]


def test_a_claim_that_cannot_be_evaluated_ends_no_file() -> None:
    """Whatever the methods raise of one card, the cards after it get their verdicts."""
    text = (
        HEAD
        + PLAIN.format(by='"0 / limit"', price="epsilon", more="")
        + PLAIN.format(by=1, price="epsilon", more="").replace("plain", "next")
    )
    assert [certificate.verdict for certificate in prove_text(text)][1:] == ["PROVED"]
