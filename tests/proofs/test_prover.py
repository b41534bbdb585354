"""What the prover says of a card is true, for cards that are private and for their wrong twins."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from twoworlds.exact.tabulate import tabulate
from twoworlds.mechanisms.above_threshold import above_threshold
from twoworlds.proofs.checker import with_cvc5
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.obligations import obligations
from twoworlds.proofs.prover import prove, prove_file
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
