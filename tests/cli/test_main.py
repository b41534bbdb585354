"""The terminal's front door: what a person types works as typed, errors are one sentence, exit codes mean what they say."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from twoworlds.cli import main as door

ROOT = Path(__file__).parents[2]


def typed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of `twoworlds WORDS`."""
    monkeypatch.setattr(sys, "argv", ["twoworlds", *words])
    try:
        door.main()
        code = 0
    except SystemExit as left:
        code = int(left.code or 0)
    streams = capsys.readouterr()
    return code, streams.out, streams.err


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    return lambda *words: typed(capsys, monkeypatch, *words)


def test_every_verb_has_help(say) -> None:
    """`--help` lists the verbs, and each explains itself."""
    code, out, _ = say("--help")
    assert code == 0
    for verb in door._VERBS:
        assert verb in out
        code, text, _ = say(verb, "--help")
        assert code == 0
        assert "Usage:" in text


def test_account_is_certified(say) -> None:
    """The account holds epsilon in an interval, the odds, and the older methods."""
    code, out, _ = say("account", "gaussian(sigma=10), 10 times", "--delta", "1e-6", "--records", "1000000", "--ascii")
    assert code == 0
    for words in ("certified", "Bob", "false positive rate", "RDP", "licence to publish one person"):
        assert words in out
    code, out, _ = say("account", "gaussian(sigma=10), 10 times", "--delta", "1e-6", "--json")
    record = json.loads(out)
    assert code == 0
    assert 0 < record["epsilon"]["lower"] <= record["epsilon"]["upper"] < record["epsilon"]["lower"] * 1.001


def test_account_solves_for_a_parameter(say) -> None:
    """`--calibrate` and `?` are two ways to ask the same."""
    one = say("account", "gaussian(sigma=1), 10 times", "--calibrate", "sigma", "--epsilon", "1", "--delta", "1e-5", "--ascii")
    other = say("account", "gaussian(sigma=?), 10 times", "--epsilon", "1", "--delta", "1e-5", "--ascii")
    assert one[0] == other[0] == 0
    assert one[1].splitlines()[0].split(" = ")[1] == other[1].splitlines()[0].split(" = ")[1]


def test_account_reads_a_drawn_curve(say) -> None:
    """Randomized response's corner (1/4, 1/4) is epsilon = ln 3 at delta = 0."""
    code, out, _ = say("account", "--points", "0.25,0.25")
    assert code == 0
    assert out.strip().endswith("epsilon = 1.098613, delta = 0")


def test_account_draws(say, tmp_path: Path) -> None:
    """`--svg` writes a picture."""
    file = tmp_path / "curve.svg"
    code, _, _ = say("account", "laplace(scale=2)", "--delta", "0", "--svg", str(file), "--ascii")
    assert code == 0
    assert file.read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("account", "gausian(sigma=1)", "--delta", "1e-5"), "gaus"),
        (("account", "gaussian(sigma=-1)", "--delta", "1e-5"), "sigma"),
        (("account", "gaussian(sigma=1)", "--delta", "2"), "delta"),
        (("account", "gaussian(sigma=1)"), "delta"),
        (("account",), "TEXT"),
        (("account", "gaussian(sigma=?)", "--delta", "1e-5"), "--epsilon"),
        (("account", "--points", "0.1;0.2"), "--points"),
        (("tabulate", "no_such_card"), "no_such_card"),
        (("tabulate", "laplace", "--world", "1"), "--other"),
        (("tabulate", "laplace", "--world", "0", "--other", "5", "--at", "sensitivity=1", "--at", "epsilon=1"), "not neighbours"),
        (("audit", "laplace", "--at", "epsilon"), "name=value"),
        (("prove",), "FILES"),
        (("cards", "nothing"), "nothing"),
    ],
)
def test_errors_are_sentences(say, words: tuple[str, ...], names: str) -> None:
    """Wrong input gives exit code 2 and a sentence that names what is wrong; nothing is printed as an answer."""
    code, _, err = say(*words)
    assert code == 2
    assert names in err
    assert "Traceback" not in err


def test_tabulate_tells_the_law(say) -> None:
    """Randomized response with fair coins, from the terminal: 3/4, 1/4 and ln 3."""
    code, out, _ = say("tabulate", "fair_coins", "--json")
    record = json.loads(out)
    assert code == 0
    assert record["law"]["True"] == [[0.25, 0.25], [0.75, 0.75]]
    assert record["epsilon"][0] <= 1.0986122886681098 <= record["epsilon"][1]


def test_prove_stores_what_it_proves_and_checks_it_again(say, tmp_path: Path) -> None:
    """A proof of a stranger's file is written beside it; the stored one stands until the file or the certificate changes."""
    file = tmp_path / "mine.py"
    file.write_text((ROOT / "src/twoworlds/mechanisms/laplace.py").read_text())
    code, out, _ = say("prove", str(file))
    assert code == 0 and f"certificate: {tmp_path / 'certificates' / 'laplace.json'}" in out
    assert say("prove", "--check", str(file))[:2] == (
        0,
        "1 of 1 certificates stand; 1 are proofs, accepted by z3 and by cvc5, and the alignments among them were tried out\n",
    )
    file.write_text(file.read_text().replace("sensitivity / epsilon", "2 * sensitivity / epsilon"))
    code, _, error = say("prove", "--check", str(file))
    assert code == 1 and "stale" in error
    assert say("prove", "--check", str(file), "--certificates", str(tmp_path / "elsewhere"))[0] == 1


def test_prove_says_what_it_found(say) -> None:
    """A proof is exit code 0, a refutation 1, and the file is parsed only."""
    code, out, _ = say("prove", str(ROOT / "src/twoworlds/mechanisms/laplace.py"), "--certificates", "-")
    assert code == 0
    assert out.startswith("PROVED")
    code, out, _ = say("prove", str(ROOT / "tests/broken/proofs/course_above_threshold.py"), "--json")
    assert code == 1
    assert json.loads(out)[0]["verdict"] == "REFUTED"


def test_a_budget_from_the_terminal(say, tmp_path: Path) -> None:
    """Create, count, run out, look, verify: the whole way of a ledger."""
    import duckdb

    book, base = str(tmp_path / "ledger.db"), str(tmp_path / "t.duckdb")
    connection = duckdb.connect(base)
    connection.execute("CREATE TABLE people AS SELECT range AS id FROM range(1000)")
    connection.close()
    assert say("ledger", "create", book, "visitors", "--epsilon", "1")[0] == 0
    ask = ("count", base, "people", "--epsilon", "0.6", "--ledger", book, "--population", "visitors")
    code, out, _ = say(*ask)
    assert code == 0
    assert 900 < int(out.split()[0]) < 1100
    code, out, err = say(*ask)
    assert code == 4
    assert not out
    assert "remaining" in err
    assert "0.4" in say("ledger", "show", book)[1]
    assert say("ledger", "log", book)[1].count("\n") == 4
    code, out, _ = say("ledger", "verify", book)
    assert code == 0
    assert out.startswith("4 entries")
    assert say("ledger", "verify", book, "--head", "0" * 64)[0] == 1


def test_audit_contradicts_or_not(say) -> None:
    """A true claim is not contradicted."""
    code, out, _ = say("audit", "fair_coins", "--trials", "3000", "--json")
    record = json.loads(out)
    assert code == 0
    assert record["verdict"] == "does not contradict the claim"
    assert 0.5 < record["epsilon_lower"] < record["claimed"]


def test_audit_holds_a_claim_at_its_delta(say) -> None:
    """The delta that is promised, or given; without one, Gaussian noise claims nothing."""
    assert " at delta = 0.06746;" in say("audit", "partition_selection", "--trials", "1000")[1]
    assert "claims epsilon 4.887 at delta = 1e-06;" in say("audit", "gaussian", "--trials", "1000", "--delta", "1e-6")[1]
    assert "nothing is claimed here; give --delta" in say("audit", "gaussian", "--trials", "1000")[1]
    assert say("audit", "gaussian", "--delta", "1")[0] == 2


def test_the_demo_tells_its_story(say) -> None:
    """The card is proved, its twin refuted; the table is asked, the third question refused, the ledger verified."""
    code, out, _ = say("demo", "--ascii", "--runs", "3000")
    assert code == 0
    for words in ("PROVED  above_threshold", "REFUTED", "What one person can change", "Paris", "refused: the approximate zCDP"):
        assert words in out
    assert out.count("$ twoworlds ") == 10
    assert "visits: 2 charges" in out and "6 entries follow from one another" in out
    assert Path.cwd() == ROOT


def test_the_table_of_the_demo_is_always_the_same(say, tmp_path: Path) -> None:
    """As Parquet and as CSV the same rows, at least 100,000 of them."""
    import hashlib

    import duckdb

    digests = []
    for name in ("visits.parquet", "visits.csv"):
        assert say("demo", "--table", str(tmp_path / name))[0] == 0
        [(count, text)] = duckdb.sql(
            "SELECT count(*), string_agg(line, chr(10) ORDER BY user_id, city) FROM (SELECT *,"
            f" concat_ws('|', user_id, city, age, printf('%.2f', income)) AS line FROM '{tmp_path / name}')"
        ).fetchall()
        digests.append(hashlib.sha256(text.encode()).hexdigest())
        assert count == 105_954
    assert digests == ["14318731373b2b8a1dce3bf3b5cf3c3bd1283bb9f5068689d2eb307752f54d6c"] * 2
    code, _, err = say("demo", "--table", str(tmp_path / "visits.csv"))
    assert code == 2 and "exists already" in err
