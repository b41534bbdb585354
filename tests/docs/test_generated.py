"""Generated pages say what their sources say: a changed card, conversion, variant or verb makes its page stale."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import generate
from docs.sources import cards, conversions
from twoworlds.mechanisms.catalogue import cards as catalogue

DOCS = generate.DOCS
NAMES = sorted(catalogue())


def test_pages_without_numerics_are_fresh() -> None:
    """The tables of verbs, conversions and variants, and the list of the cards, are what their sources give now."""
    wanted = {**generate.quickly_written(), f"{cards.FOLDER}/index.md": cards.index()}
    assert len(wanted) >= 4
    assert [name for name, text in wanted.items() if (DOCS / name).read_text() != text] == [], "run: python -m docs.generate"


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_a_card_states_its_claim(name: str) -> None:
    """Each card has a page that begins with its present source, digest, claim and status, and a drawing."""
    card = catalogue()[name]
    page = (DOCS / cards.FOLDER / f"{name}.md").read_text()
    assert page.startswith(cards.statement(card)), "stale; run: python -m docs.generate"
    assert card.digest[:16] in page
    assert (DOCS / cards.FOLDER / f"{name}.svg").read_text().startswith("<svg")


def test_no_page_is_left_of_a_card_that_is_gone() -> None:
    """The folder of the cards holds a page and a drawing for each card, and nothing else."""
    found = {path.name for path in (DOCS / cards.FOLDER).iterdir()}
    assert found == {"index.md", *(f"{name}.{kind}" for name in NAMES for kind in ("md", "svg"))}


def test_planted_stale_pages_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed page, a missing page and a stranger in a generated folder are each reported."""
    monkeypatch.setattr(generate, "DOCS", tmp_path)
    [(name, text)] = conversions.pages().items()
    (tmp_path / "reference" / "cards").mkdir(parents=True)
    (tmp_path / name).write_text(text.replace("tight", "loose", 1))
    (tmp_path / "reference/cards/gone.md").write_text("a card that was removed")
    wanted = {name: text, "reference/cards/index.md": "the cards"}
    assert generate.stale(wanted) == [name, "reference/cards/index.md", "reference/cards/gone.md"]


@pytest.mark.slow
def test_every_generated_file_is_fresh() -> None:
    """All pages and drawings, with every tabulation and attack done again, are what is committed, byte for byte."""
    assert generate.stale(generate.written()) == [], "run: python -m docs.generate"
