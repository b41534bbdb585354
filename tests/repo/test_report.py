"""The benchmark report: what follows the schema is written whole, what does not is refused."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from tests.repo.house import ROOT

GOOD = {
    "title": "Two sorts",
    "rows": [{"sort": "ours", "ratio": 2.5}, {"sort": "limit | bound", "ratio": 1}],
    "notes": ["a note"],
    "bars": [
        {"bar": "twice as fast", "target": "2", "measured": "2.5", "met": True},
        {"bar": "thrice as fast", "target": "3", "measured": "2.5", "met": False},
    ],
}


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """benchmarks/report.py, writing to an empty folder."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import report

    monkeypatch.setattr(report, "RESULTS", tmp_path)
    monkeypatch.setattr(report, "REPORT", tmp_path / "REPORT.md")
    return report


def test_every_row_bar_and_note_is_in_the_report(report: ModuleType, tmp_path: Path) -> None:
    """The report shows all of a result, with its circumstances, and missed bars stand out."""
    report.keep(GOOD, tmp_path / "sorts.json")
    report.write()
    text = (tmp_path / "REPORT.md").read_text()
    for part in (
        "| ours | 2.5 |",
        "limit \\| bound",
        "- a note",
        "**missed**",
        "1 of 2 bars are met",
        "commit",
        "Python",
        "numpy",
    ):
        assert part in text, part


@pytest.mark.parametrize(
    "change",
    [
        {"rows": []},
        {"rows": [{"a": 1}, {"b": 2}]},
        {"bars": [{"bar": "x", "target": "1", "measured": "1", "met": "yes"}]},
        {"bars": [{"bar": "x"}]},
        {"headline": "unlisted"},
    ],
)
def test_what_does_not_follow_the_schema_is_refused(report: ModuleType, tmp_path: Path, change: dict[str, object]) -> None:
    """No rows, ragged rows, a bar without verdict and an unknown key are errors, and nothing is stored."""
    with pytest.raises((ValueError, TypeError)):
        report.keep({**GOOD, **change}, tmp_path / "bad.json")
    assert not (tmp_path / "bad.json").exists()


def test_the_example_in_the_schema_follows_it(report: ModuleType) -> None:
    """The page that describes the schema shows a result that is read without complaint."""
    block = (ROOT / "benchmarks/schema.md").read_text().partition("```json")[2].partition("```")[0]
    assert report.Result.read(json.loads(block)).bars[0].met is True


def test_benchmarks_are_found(report: ModuleType) -> None:
    """Scripts that publish a result are found, helpers are not taken for benchmarks."""
    found = report.scripts()
    assert "imports" in found
    assert not {"report", "timing", "soak"} & set(found)


def test_contenders_take_turns(report: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each round calls each contender once, the first round is not counted, and the median is what is told."""
    import timing

    assert report
    monkeypatch.setattr(timing.gc, "collect", lambda: 0)
    calls: list[str] = []
    clock = iter([0, 0, *(tick for taken in range(1, 8) for tick in (0, taken, 0, 10 * taken))])
    seconds = timing._medians({"one": lambda: calls.append("one"), "ten": lambda: calls.append("ten")}, lambda: next(clock), 7)
    assert seconds == {"one": 4, "ten": 40}
    assert calls == ["one", "ten"] * 8
    with pytest.raises(ValueError, match="too few"):
        timing.interleaved({"one": int}, rounds=3)
