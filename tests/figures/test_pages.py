"""HTML: a figure with the picture, its words and its numbers; nothing of a chart can become markup."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser

import pytest

from tests.figures.samples import CHARTS
from twoworlds.figures import Area, Axis, Bars, Chart, Dots, Line, html
from twoworlds.figures.scales import written

VOID = {"path", "rect", "circle"}  # written as empty elements
every_chart = pytest.mark.parametrize("name", CHARTS)


class Reader(HTMLParser):
    """Collects the elements and the words of the table's cells; fails on anything left open."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]
        if tag in ("td", "th", "caption", "figcaption"):
            self.cells.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th", "caption", "figcaption"):
            self.cells[-1] += data


def read(chart: Chart) -> Reader:
    reader = Reader()
    reader.feed(html(chart))
    reader.close()
    assert reader.open == []
    return reader


@every_chart
def test_the_page_is_balanced_and_inert(name: str) -> None:
    """Every element is closed; no script, no handler, no link, no style attribute."""
    reader = read(CHARTS[name])
    assert not {"script", "a", "img", "iframe", "object", "link", "foreignobject"} & set(reader.tags)
    assert not any(attribute.startswith("on") or attribute in ("href", "src", "style") for attribute in reader.attributes)
    assert [reader.tags.count(tag) for tag in ("figure", "svg", "figcaption", "details", "summary", "table", "caption")] == [
        1
    ] * 7


@every_chart
def test_the_table_has_the_numbers(name: str) -> None:
    """Every number of a short series, the ends of a long one, stands in the table under its series' name."""
    chart = CHARTS[name]
    cells = read(chart).cells
    assert chart.description in cells
    for series in chart.series:
        if isinstance(series, Line):
            numbers, row = [series.points[0][1], series.points[-1][1]], series.name
        elif isinstance(series, Area):
            numbers, row = [series.upper[0][1], series.lower[-1][1]], f"{series.name}, lower line"
        elif isinstance(series, Dots):
            numbers, row = [dot.y for dot in series.dots], series.name
        else:
            assert isinstance(series, Bars)
            numbers, row = [bar.value for bar in series.bars], series.name
        assert row in cells and all(written(number) in cells for number in numbers)


def test_a_long_table_says_that_it_is_thinned() -> None:
    """A thousand points become sixty rows, the first and the last among them, and the caption says so."""
    chart = Chart("Long", "d", Axis("x"), Axis("y"), (Line("a", tuple((i, i / 7) for i in range(1000))),))
    reader = read(chart)
    assert reader.tags.count("tr") == 61
    assert "999" in reader.cells and "0" in reader.cells
    assert any("about 60 points" in cell for cell in reader.cells)
    assert not any("about" in cell for cell in read(CHARTS["wards"]).cells)


def test_intervals_and_places_are_in_words() -> None:
    """Bars name their place and interval; dots name the axis of each interval."""
    assert {"Cardiology", "120", "110 to 130"} <= set(read(CHARTS["wards"]).cells)
    assert {"0 to 10", "\N{MINUS SIGN}1 to 7"} <= set(read(CHARTS["ages"]).cells)
    assert any(
        "false positive rate 0.08 to 0.12, false negative rate 0.27 to 0.33" in cell for cell in read(CHARTS["audit"]).cells
    )
    assert "2026-02-01" in read(CHARTS["budget"]).cells


def test_hostile_words_come_back_as_they_were() -> None:
    """Unescaping the table gives the very words; the text itself holds no tag of theirs."""
    chart = CHARTS["hostile"]
    text = html(chart)
    assert "<script" not in text.lower() and "alert('x')" in unescape(text)
    assert chart.title in "".join(read(chart).cells)
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", text)
    assert json.loads(json.dumps(text)) == text
