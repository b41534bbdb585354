"""What a person writes down is tried and checked: right annotations replace the search, wrong ones prove nothing."""

from __future__ import annotations

import pytest

from twoworlds.proofs import attempts
from twoworlds.proofs.prover import proof, prove
from twoworlds.proofs.statements import Statement, statements
from twoworlds.worlds.errors import Unsupported

SEARCH = """
@mechanism(neighbours=Each("queries", by=1), price=Pure("epsilon"), align={align}, invariant={invariant})
def search(queries, threshold, *, epsilon, sample):
    bar = threshold + sample(Laplace({scale} / epsilon))
    for i in range(len(queries)):
        if queries[i] + sample(Laplace(4 / epsilon)) >= bar:
            return i
    return None
"""
LARGEST = """
@mechanism(neighbours=Each("scores", by=1), price=Pure("epsilon"), align={align}, invariant={invariant})
def largest(scores, *, epsilon, sample):
    best = 0
    top = 0
    for i in range(len(scores)):
        noisy = scores[i] + sample(Laplace({scale} / epsilon))
        if i == 0 or noisy > top:
            best = i
            top = noisy
    return best
"""
LOCK = ("1", "other(bar) - bar + queries[i] - other(queries[i]) if queries[i] + noise >= bar else 0")


def stated(text: str) -> Statement:
    [found] = statements(text)
    assert isinstance(found, Statement)
    return found


@pytest.fixture
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "candidates", lambda *_: ())


@pytest.mark.usefixtures("no_search")
@pytest.mark.parametrize(("text", "align"), [(SEARCH, LOCK), (LARGEST, ("2 if i == output else 0",))])
def test_a_right_alignment_is_enough(text: str, align: tuple[str, ...]) -> None:
    """Without any search: the annotation is the alignment, and templates carry it. Without it nothing is proved."""
    assert proof(stated(text.format(align=align, invariant=(), scale=2))) is not None
    assert proof(stated(text.format(align=(), invariant=(), scale=2))) is None


@pytest.mark.parametrize("align", [LOCK, ("0", "0"), ("2", "other(bar) - bar"), ("i - other(i)", "0")])
@pytest.mark.parametrize("invariant", [("1 == 2",), ("bar == other(bar)", "i < 1")])
def test_no_annotation_proves_what_is_false(align: tuple[str, ...], invariant: tuple[str, ...]) -> None:
    """Half of the noise on the threshold: above threshold then costs more than it claims, whatever is said of it."""
    assert prove(SEARCH.format(align=align, invariant=invariant, scale=1)).verdict != "PROVED"


@pytest.mark.parametrize("align", [("0",), ("2",), ("scores[i] - other(scores[i])",), ("1 if i == output else 0",)])
def test_wrong_alignments_of_the_largest_prove_nothing(align: tuple[str, ...]) -> None:
    """Report noisy max with half of its noise."""
    assert prove(LARGEST.format(align=align, invariant=("best == other(best)",), scale=1)).verdict != "PROVED"


@pytest.mark.parametrize(
    ("align", "why"),
    [
        (("1",), "1 entries for 2 draws"),
        (("1", "bar"), "no difference"),
        (("1", "sin(bar)"), "outside"),
        (("1", "("), "expression"),
    ],
)
def test_an_annotation_that_cannot_be_read_is_said_so(align: tuple[str, ...], why: str) -> None:
    """It is not passed over."""
    with pytest.raises(Unsupported, match=why):
        proof(stated(SEARCH.format(align=align, invariant=(), scale=2)))
