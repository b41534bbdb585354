"""The stored certificates hold for the cards as they are, and one that does not is noticed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from twoworlds.mechanisms.above_threshold import above_threshold
from twoworlds.mechanisms.catalogue import cards
from twoworlds.mechanisms.histogram import histogram
from twoworlds.mechanisms.laplace_vector import laplace_vector
from twoworlds.proofs.certificates import folder
from twoworlds.proofs.prover import prove
from twoworlds.proofs.recheck import flaw, flaws, main, write
from twoworlds.proofs.statuses import status


@pytest.mark.parametrize("name", cards())
def test_every_card_has_a_certificate_that_holds(name: str) -> None:
    """Its obligations are made again from the card's source; z3 and cvc5 both accept all of them."""
    assert flaw(cards()[name], folder()) is None


def test_no_certificate_is_left_over() -> None:
    """Every stored file belongs to a card."""
    assert {path.stem for path in folder().iterdir()} == set(cards())


@pytest.mark.slow
def test_the_command_counts_them(capsys: pytest.CaptureFixture[str]) -> None:
    """`twoworlds prove --check` ends well and says how many there are."""
    assert main() == 0
    assert capsys.readouterr().out.startswith(f"{len(cards())} of {len(cards())} ")


def changed(where: Path, **fields: Any) -> str | None:
    """What is found wrong with a certificate in which these fields were changed."""
    path = where / "above_threshold.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))
    return flaw(above_threshold, where)


@pytest.fixture
def where(tmp_path: Path) -> Path:
    for path in folder().glob("above_threshold.*"):
        shutil.copy(path, tmp_path)
    assert flaw(above_threshold, tmp_path) is None
    return tmp_path


@pytest.mark.parametrize("field", ["digest", "price", "card"])
def test_a_stale_certificate_is_noticed(where: Path, field: str) -> None:
    """A certificate for another source or price does not hold for this card."""
    assert "stale" in str(changed(where, **{field: "another"}))


@pytest.mark.parametrize("method", ["rule: exponential mechanism", "table of all outcomes", ""])
def test_a_method_that_was_not_used_is_noticed(where: Path, method: str) -> None:
    """What a certificate says of how it proves is what its obligations are made from."""
    assert "not how it is a proof" in str(changed(where, method=method))


def test_hints_that_prove_nothing_are_noticed(where: Path) -> None:
    """The obligations are made from the hints in the certificate, so changed hints do not pass on old obligations."""
    details = json.loads((where / "above_threshold.json").read_text())["details"]
    details["hints"]["shifts"]["1"][0]["charge"] = "1"
    why = changed(where, details=details)
    assert why is not None and "other obligations" in why
    (where / "above_threshold.json").write_text("{}")
    assert "cannot be checked" in str(flaw(above_threshold, where))


def test_changed_obligations_are_noticed(where: Path) -> None:
    """A script in which a goal was weakened is not what the card needs."""
    path = where / "above_threshold.smt2"
    path.write_text(path.read_text().replace("(assert (not ", "(assert (and false ", 1))
    assert "other obligations" in str(flaw(above_threshold, where))
    path.unlink()
    assert "other obligations" in str(flaw(above_threshold, where))


def test_missing_and_strange_files_are_noticed(tmp_path: Path) -> None:
    """A card without a certificate is a flaw, and so is a file that belongs to no card."""
    assert flaw(above_threshold, tmp_path) == "is missing"
    (tmp_path / "nobody.json").write_text("{}")
    found = dict(flaws(tmp_path))
    assert found["nobody.json"] is not None and found["histogram"] == "is missing"


def test_what_is_written_holds(tmp_path: Path) -> None:
    """A fresh proof, stored and read back, is the one that is stored already, whatever was proved before it."""
    prove(laplace_vector)
    (certificate,) = write([histogram], tmp_path)
    assert (certificate.verdict, flaw(histogram, tmp_path)) == ("PROVED", None)
    for path in tmp_path.iterdir():
        assert path.read_text() == (folder() / path.name).read_text()


def test_cards_print_their_status() -> None:
    """A card with a proof says so."""
    assert status(above_threshold) == "proved by machine"
