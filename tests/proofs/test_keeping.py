"""Stored sensitivities hold for the functions as they are, checked without a search; one that does not is noticed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.proofs import sensitive_functions as examples
from twoworlds.cli.sensitivity import command
from twoworlds.proofs.functions import keeping
from twoworlds.proofs.functions.keeping import KIND, OPEN, flaw, keep
from twoworlds.proofs.functions.proving import certified
from twoworlds.proofs.functions.reading import from_file
from twoworlds.worlds.errors import Unsupported

FOUND = {function.name: function for function in from_file(Path(examples.__file__).read_text())}
QUICK = ("cdf", "tripled", "largest")
TEXT = """
from twoworlds import Number, sensitive

@sensitive(neighbours=Number("x", by=1), by=2)
def doubled(x):
    return 2 * x

@sensitive(neighbours=Number("x", by=1), by=1)
def wrong(x):
    return 2 * x
"""


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in examples.PROVED]
)
def test_what_is_stored_stands(name: str, tmp_path: Path) -> None:
    """Every proof, read back and checked by both solvers; what cvc5 leaves open is listed in it."""
    stored, _ = keep(FOUND[name], certified(FOUND[name]), tmp_path)
    assert flaw(FOUND[name], tmp_path) is None
    assert name not in QUICK or stored.details[OPEN] == []


def run(*words: object) -> Any:
    return CliRunner().invoke(command, list(map(str, words)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(TEXT.rpartition("@sensitive")[0])
    assert run(path).exit_code == 0 and run("--check", path).exit_code == 0
    return path


def test_only_proofs_are_stored(tmp_path: Path) -> None:
    """A refuted claim has no certificate, so the file does not pass; `-` stores nothing."""
    path = tmp_path / "mine.py"
    path.write_text(TEXT)
    assert run("--certificates", "-", path).exit_code == 1 and not (tmp_path / "certificates").exists()
    assert run(path).exit_code == 1
    assert {stored.name for stored in (tmp_path / "certificates").iterdir()} == {f"doubled{KIND}.json", f"doubled{KIND}.smt2"}
    checked = run("--check", path)
    assert checked.exit_code == 1 and "1 of 2 certificates stand" in checked.output


@pytest.mark.parametrize(("old", "new"), [("2 * x", "x + x"), ("by=2", "by=3"), ('x", by=1', 'x", by=2'), ("doubled", "other")])
def test_a_stale_certificate_is_noticed(file: Path, old: str, new: str) -> None:
    """Another text, bound, relation or name is another claim."""
    file.write_text(file.read_text().replace(old, new))
    assert run("--check", file).exit_code == 1


@pytest.mark.parametrize("field", ["digest", "verdict", "price", "card"])
def test_a_changed_certificate_is_noticed(file: Path, field: str) -> None:
    """What the certificate says must be what the function states."""
    stored = file.parent / "certificates" / f"doubled{KIND}.json"
    another = "REFUTED" if field == "verdict" else "another"
    stored.write_text(json.dumps({**json.loads(stored.read_text()), field: another}))
    assert "stale" in run("--check", file).output


def test_an_inferred_bound_cannot_be_lowered_by_hand(file: Path) -> None:
    """Where the decorator states no bound, the stored one is proved again: with a smaller one both solvers object."""
    file.write_text(file.read_text().replace(", by=2)", ")"))
    assert run(file).exit_code == 0 and run("--check", file).exit_code == 0
    stored = file.parent / "certificates" / f"doubled{KIND}.json"
    fields = json.loads(stored.read_text())
    fields |= {"price": "1 in L1", "details": {**fields["details"], "by": "1"}}
    stored.write_text(json.dumps(fields))
    assert "other obligations" in run("--check", file).output
    script = stored.with_suffix(".smt2")
    (function,) = from_file(file.read_text())
    script.write_text(keeping._script(function, keeping.load(stored)))
    assert "not accepted by z3" in run("--check", file).output


def test_what_cvc5_denies_is_no_proof(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No answer is said in the certificate and must stay the only gap; a denial is an error."""
    function = FOUND["tripled"]
    monkeypatch.setattr(keeping, "with_cvc5", lambda _: "an obligation (unknown)")
    stored, _ = keep(function, certified(function), tmp_path)
    assert set(stored.details[OPEN]) == {"an obligation (unknown)"} and flaw(function, tmp_path) is None
    monkeypatch.setattr(keeping, "with_cvc5", lambda _: "another (unknown)")
    assert "not accepted by cvc5" in str(flaw(function, tmp_path))
    monkeypatch.setattr(keeping, "with_cvc5", lambda _: "an obligation (sat)")
    assert "cvc5" in str(flaw(function, tmp_path))
    with pytest.raises(Unsupported, match="cvc5"):
        keep(function, certified(function), tmp_path)
