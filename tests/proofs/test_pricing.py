"""The smallest price that can be proved: it is a proof, it is tight where that is known, and it is written as people write it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from twoworlds import Each, Laplace, Pure, mechanism, price
from twoworlds.cli.prove import command
from twoworlds.exact.tabulate import tabulate
from twoworlds.proofs.checker import check
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.monomials import Monomial, total
from twoworlds.proofs.pricing import cheapest
from twoworlds.proofs.statements import Statement, statements
from twoworlds.worlds.errors import BadArgument, Unsupported

LEE_CLIFTON = """
@mechanism(neighbours=Each("queries", by=1), price=Pure("epsilon"))
def lee_clifton(queries, threshold, *, limit: int, epsilon, sample):
    noisy = threshold + sample(Laplace(4 / epsilon))
    answers = []
    found = 0
    for query in queries:
        if found >= limit:
            break
        if query + sample(Laplace(4 / (3 * epsilon))) >= noisy:
            answers.append(True)
            found = found + 1
        else:
            answers.append(False)
    return answers
"""
ABOVE = """
@mechanism(neighbours=Each("queries", by=1), price=Pure("epsilon"))
def above(queries, threshold, *, epsilon, sample):
    noisy = threshold + sample(Laplace(3 / epsilon))
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(7 / epsilon)) >= noisy:
            return i
    return None
"""


UNDERPRICED = """
@mechanism(neighbours=Each("answers", by=1), price=Pure("epsilon"))
def halved(answers, *, epsilon, sample):
    return answers[0] + sample(Laplace(1 / (2 * epsilon)))

@mechanism(neighbours=Each("answers", by=1), price=Pure("epsilon"))
def bare(answers, *, epsilon, sample):
    return answers[0]
"""


@mechanism(neighbours=Each("answers", by=2), price=Pure("epsilon"))
def noisy_answers(answers, *, epsilon, sample):
    """Every answer with noise of its own, at a price that forgets that there are many."""
    return [answer + sample(Laplace(1 / epsilon)) for answer in answers]


@pytest.mark.slow
def test_lee_and_clifton_cost_what_lyu_su_and_li_say() -> None:
    """(1 + 6 N) / 4 epsilon, proved; at N = 1 the exact loss of two worlds comes as near as one likes."""
    found = price(LEE_CLIFTON)
    assert (found.verdict, found.price) == ("PROVED", "pure (1 + 6 * limit) / 4 * epsilon")
    (stated,) = statements(LEE_CLIFTON)
    assert isinstance(stated, Statement)
    worlds = [0] * 16, [1] * 15 + [-1]
    table = tabulate(stated.program, *worlds, neighbours=stated.relation, threshold=0, limit=1, epsilon=1)
    assert 1 < table.epsilon.lower <= 7 / 4 + 1e-9
    brief = cheapest(stated, briefly=True)
    assert brief is not None and brief.price == found.price


def test_the_command_says_where_a_refuted_card_is_provable(tmp_path: Path) -> None:
    """Below the verdict of a card that asks too little, never below one that has no price; `--no-price` leaves it out."""
    file = tmp_path / "mine.py"
    file.write_text(UNDERPRICED)
    words = ["--certificates", "-", "--runs", "0", str(file)]
    first, *rest = CliRunner().invoke(command, words).output.split("REFUTED")[1:]
    assert first.splitlines()[-1].strip() == "it is provable at 2 * epsilon"
    assert "provable" not in "".join(rest)
    assert "provable" not in CliRunner().invoke(command, ["--no-price", *words]).output


def test_scales_give_exact_constants() -> None:
    """Noise of scales 3 and 7 costs 1/3 + 2/7, and the certificate's hints pass the checker at that price."""
    found = price(ABOVE)
    assert (found.verdict, found.price) == ("PROVED", "pure 13 / 21 * epsilon")
    (stated,) = statements(ABOVE)
    assert isinstance(stated, Statement)
    claim = Pure("13 / 21 * epsilon")
    assert check(lower(stated.program), stated.relation, claim, stated.whole, found.details["hints"]) is None


def test_many_answers_cost_many_times() -> None:
    """A price that grows with the list is found, and two worlds attain it."""
    found = price(noisy_answers)
    assert (found.verdict, found.price) == ("PROVED", "pure 2 * epsilon * len(answers)")
    table = tabulate(noisy_answers, [0, 0], [2, 2], epsilon=1)
    assert table.epsilon.lower == pytest.approx(4)


def test_prices_are_written_as_people_write_them() -> None:
    """What all parts share stands behind, one denominator below."""
    epsilon, count = Monomial(Fraction(1), {"epsilon": 1}), Monomial(Fraction(1), {"n": 1})
    assert total([Monomial(Fraction(1, 4)) * epsilon, Monomial(Fraction(3, 2)) * epsilon * count]) == "(1 + 6 * n) / 4 * epsilon"
    assert total([epsilon / count, epsilon / count]) == "2 * epsilon / n"
    assert total([Monomial(Fraction(0))]) == "0"


def test_malformed_calls_say_what_to_do() -> None:
    """A plain function is no card; a text must hold one card."""
    with pytest.raises(BadArgument, match="no card"):
        price(lambda x: x)  # type: ignore[arg-type]  # the mistake
    with pytest.raises(Unsupported, match="2 cards"):
        price(ABOVE + LEE_CLIFTON)
