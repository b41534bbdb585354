"""The pages run: every Python block, every command, every example."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks, run_console, run_page, run_python, shows
from tests.repo.house import ROOT, pages, shown
from twoworlds.mechanisms.above_threshold import above_threshold
from twoworlds.worlds.cards import digest

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
RUNNABLE = [
    page
    for page in pages()
    if page.name != "ARCHITECTURE.md" and any(block.language in ("python", "console") for block in blocks(page.read_text()))
]
KNOWN = {"", "bash", "console", "json", "mermaid", "python", "sql", "text", "toml"}


@pytest.mark.parametrize("page", RUNNABLE, ids=shown)
def test_every_block_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a page shows runs as it stands, in order, and prints what the page says."""
    monkeypatch.chdir(tmp_path)
    assert run_page(page, tmp_path) >= 1


def test_the_card_in_the_design_is_the_card_that_runs() -> None:
    """ARCHITECTURE shows above_threshold with the statements and the body that the package runs."""
    [block] = [block for block in blocks((ROOT / "ARCHITECTURE.md").read_text()) if block.language == "python"]
    assert digest(block.text) == above_threshold.digest


@pytest.mark.parametrize("example", EXAMPLES, ids=shown)
def test_every_example_runs(example: Path, tmp_path: Path) -> None:
    """An example runs to its end in an empty folder, without warnings, and prints something."""
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    ran = subprocess.run(
        [sys.executable, example], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip()


def test_there_is_something_to_run() -> None:
    """Pages and examples are found, every fence says what it holds, and no Python hides under another name."""
    assert len(RUNNABLE) >= 3
    assert len(EXAMPLES) >= 1
    fences = {(shown(page), block.language) for page in pages() for block in blocks(page.read_text())}
    assert {language for _, language in fences} <= KNOWN
    for page in pages():
        unrun = [block.text for block in blocks(page.read_text()) if block.language not in ("python", "console")]
        assert not any(text.startswith(("import ", "from ", "$ ", ">>> ")) for text in unrun), shown(page)


def test_blocks_of_a_page_share_their_names(tmp_path: Path) -> None:
    """A later block sees what an earlier one made."""
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\n```python\n>>> x + 1\n2\n```\n")
    assert run_page(page, tmp_path) == 2


@pytest.mark.parametrize("planted", ["1 / 0", ">>> 1 + 1\n3\n", "import twoworlds_that_is_missing"])
def test_a_planted_wrong_block_fails(planted: str, tmp_path: Path) -> None:
    """An error, and a wrong shown output, both fail the page."""
    page = tmp_path / "page.md"
    page.write_text(f"```python\n{planted}\n```\n")
    with pytest.raises((AssertionError, ZeroDivisionError, ImportError)):
        run_page(page, tmp_path)


def test_an_error_names_the_line_of_the_page(tmp_path: Path) -> None:
    """A failing block is reported at its own line of the page."""
    with pytest.raises(ZeroDivisionError) as caught:
        run_python(Block("python", "x = 0\n1 / x\n", 7), tmp_path / "page.md", {})
    assert caught.traceback[-1].lineno + 1 == 8


def test_shown_output_is_compared() -> None:
    """Lines are looked for in order, `...` stands for anything, and what is not printed fails."""
    printed = "PROVED   above_threshold  0.9 s\nREFUTED  other\n"
    assert shows(printed, ["PROVED above_threshold ...", "REFUTED other"])
    assert not shows(printed, ["REFUTED other", "PROVED above_threshold"])
    assert not shows(printed, ["PROVED other"])


def test_unknown_programs_are_refused(tmp_path: Path) -> None:
    """A console block may only hold our own program and named set-up commands."""
    with pytest.raises(AssertionError, match="unknown program"):
        run_console(Block("console", "$ curl example.org\n", 1), tmp_path / "page.md", tmp_path)
