"""A certificate says what it proves: every case of every shift is in the table, and two worlds are shown with what they show."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from twoworlds import sensitivity
from twoworlds.cli.prove import command
from twoworlds.exact.tabulate import tabulate
from twoworlds.mechanisms.above_threshold import above_threshold
from twoworlds.mechanisms.catalogue import cards
from twoworlds.proofs.certificates import proved
from twoworlds.proofs.infix import infix
from twoworlds.proofs.prover import certified, prove_file
from twoworlds.proofs.statements import statements
from twoworlds.worlds.neighbours import Number

BROKEN = Path(__file__).parents[1] / "broken/proofs/course_above_threshold.py"


@pytest.mark.parametrize("name", sorted(proved()))
def test_every_certificate_explains_itself(name: str) -> None:
    """In three forms, with the price; each case of each shift is one row, at the line where the noise is drawn."""
    certificate = proved()[name]
    said = certificate.explain()
    assert certificate.price in str(said) and certificate.price in said.markdown and "<" in said._repr_html_()
    cases = sum(len(cases) for cases in certificate.details.get("hints", {}).get("shifts", {}).values())
    assert len(said.rows) == cases
    assert all(row[0].isdigit() for row in said.rows)


def test_above_threshold_pays_as_the_textbook_says() -> None:
    """The threshold moves by u, the query that is above by 2 u at most, the others not at all; composition would pay for all."""
    said = proved()["above_threshold"].explain(above_threshold)
    assert [row[2] for row in said.rows][::2] == ["noise + u", "noise"]
    assert [row[4] for row in said.rows] == ["1 * u / scale", "2 * u / scale", "0"]
    assert "(1 + len(queries)) / 2 * epsilon" in str(said)
    table = tabulate(above_threshold, [0] * 4, [1] * 4, threshold=0, epsilon=1)
    assert table.epsilon.upper <= 1 + 1e-9


def test_a_card_of_another_text_is_not_mixed_in() -> None:
    """Lines and composition come from the program that was proved, and from no other of that name."""
    said = proved()["above_threshold"].explain(BROKEN.read_text().replace("course_above_threshold", "above_threshold"))
    assert all(row[0] == "" for row in said.rows) and "composition" not in str(said)


def test_two_worlds_are_shown() -> None:
    """A refutation shows both worlds, the event, both probabilities and how the ratio grows."""
    (certificate,) = prove_file(BROKEN)
    text = str(certificate.explain())
    for part in (certificate.details["world"], *certificate.details["probabilities"], "By the length of the list"):
        assert str(part) in text


def test_sensitivities_explain_themselves_too() -> None:
    """Both outputs of a refuted claim, and the verdict of a proved one."""
    text = "def f(x):\n    return 2 * x\n"
    assert "are 2 apart; 1 is claimed" in str(sensitivity(text, neighbours=Number("x", by=1), by=1).explain())
    assert "PROVED" in str(sensitivity(text, neighbours=Number("x", by=1)).explain())


def test_hints_are_read_in_infix() -> None:
    """Brackets, runs and ghosts as people write them."""
    assert infix("(<= $K0 (* 2.0 limit.1))") == "spent[0] <= (2 * limit)"
    assert infix("(or (not (<= i.1 $o0)) (= (queries.2 i.1) 0.0))") == "not (i <= output) or (queries'[i] = 0)"
    assert infix("true") == "true"


def test_the_command_explains(tmp_path: Path) -> None:
    """`twoworlds prove --explain` prints the explanation below the verdict."""
    file = tmp_path / "mine.py"
    file.write_text(cards()["laplace"].text)
    ran = CliRunner().invoke(command, ["--explain", "--certificates", "-", str(file)])
    assert ran.exit_code == 0 and "Both worlds run side by side" in ran.output


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        ("(= i.1 ($o0 $len.best))", "i = output[len(best)]"),
        ("($among i.1)", "i is in the output"),
        ("(<= $K0 (* 2.0 ($count next@@2.1)))", "spent[0] <= (2 * (outputs below next))"),
        ("(<= (- (select noisy.2 first.2) (select noisy.1 first.1)) $u)", "(noisy'[first'] - noisy[first]) <= u"),
        ("(<= $len.$o1 k.1)", "len(output part 2) <= k"),
    ],
)
def test_guesses_are_put_in_words(hint: str, words: str) -> None:
    """Entries of the output, numbers that are in it, and lists that are followed."""
    assert infix(hint) == words


def test_a_guessed_list_is_explained() -> None:
    """The best k one after the other: the noise of the entry that will be picked is moved, in each round one."""
    programs = Path(__file__).parent / "programs" / "maxima.py"
    found = next(found for found in statements(programs.read_text(encoding="utf-8")) if found.name == "peeled")
    said = certified(found).explain(programs.read_text(encoding="utf-8"))
    assert "entry by entry" in str(said)
    assert [row[3] for row in said.rows] == ["i = output[len(best)]", "otherwise"]
