"""SVG: valid, self-contained, the same bytes each time, readable by machines and eyes, and everything where it belongs."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.figures.samples import CHARTS, HOSTILE
from twoworlds.figures import Area, Axis, Bar, Bars, Chart, Dot, Dots, Line, svg
from twoworlds.figures.layout import TICK, lay_out, text_width
from twoworlds.figures.styles import DARK, DASHES, LIGHT, MARKERS, Theme, contrast

NAMESPACE = "{http://www.w3.org/2000/svg}"
GOLDEN = Path(__file__).parent / "golden"
SIZES = [(None, None), (320, 240), (1400, 500), (400, 900)]
every_chart = pytest.mark.parametrize("name", CHARTS)


def parsed(chart: Chart, width: int | None = None, height: int | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(svg(chart, width, height))


def skeleton(root: ElementTree.Element) -> str:
    """What a picture is made of, in order, without its places: tags, classes and words."""
    lines = []
    for element in root.iter():
        words = (element.text or "").strip() if element.tag != f"{NAMESPACE}style" else ""
        marks = [element.tag.removeprefix(NAMESPACE), element.get("class", ""), element.get("aria-label", ""), words]
        lines.append(" | ".join(mark for mark in marks if mark))
    return "\n".join(lines) + "\n"


def numbers(path: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", path)]


@every_chart
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_picture_is_valid_and_says_what_it_is(name: str, width: int | None, height: int | None) -> None:
    """Well-formed XML whose first children are its title and description, named as a picture."""
    chart = CHARTS[name]
    root = parsed(chart, width, height)
    assert root.tag == f"{NAMESPACE}svg" and root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{NAMESPACE}title", f"{NAMESPACE}desc"]
    assert root[0].text == chart.title and root[1].text == chart.description
    assert root.get("aria-labelledby") == f"{root[0].get('id')} {root[1].get('id')}"
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))


@every_chart
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_mark_lies_within_the_plot(name: str, width: int | None, height: int | None) -> None:
    """Lines, areas, dots, bars and whiskers stay inside the axes, whatever the size of the paper."""
    chart = CHARTS[name]
    root = parsed(chart, width, height)
    layout = lay_out(chart, float(root.get("width", "0")), float(root.get("height", "0")))
    assert 0 < layout.left < layout.right < layout.width and 0 < layout.top < layout.bottom < layout.height
    xs, ys = [], []
    for group in root.iter(f"{NAMESPACE}g"):
        for element in group:
            if "transform" in element.attrib:
                x, y = numbers(element.get("transform", ""))
                xs.append(x)
                ys.append(y)
            elif element.tag == f"{NAMESPACE}rect":
                x, y, wide, high = (float(element.get(key, "nan")) for key in ("x", "y", "width", "height"))
                assert wide >= 0 and high >= 0
                xs += [x, x + wide]
                ys += [y, y + high]
            elif "h" not in element.get("d", ""):
                places = numbers(element.get("d", ""))
                xs += places[::2]
                ys += places[1::2]
    assert xs and len(xs) == len(ys)
    assert layout.left - 0.01 <= min(xs) and max(xs) <= layout.right + 0.01
    assert layout.top - 0.01 <= min(ys) and max(ys) <= layout.bottom + 0.01


@every_chart
@pytest.mark.parametrize(("width", "height"), [*SIZES[:1], *SIZES[2:]])
def test_words_do_not_collide_or_leave_the_paper(name: str, width: int | None, height: int | None) -> None:
    """The boxes of all level words are on the paper and apart from one another."""
    root = parsed(CHARTS[name], width, height)
    boxes = []
    for text in root.iter(f"{NAMESPACE}text"):
        if text.get("transform"):
            continue
        size, words = float(text.get("font-size", "0")), text.text or ""
        wide = text_width(words, size, bold=text.get("font-weight") == "600")
        x = float(text.get("x", "0")) - wide * {"middle": 0.5, "end": 1.0}.get(text.get("text-anchor", ""), 0.0)
        y = float(text.get("y", "0"))
        assert x >= -0.5 and x + wide <= float(root.get("width", "0")) + 0.5, words
        assert y - size * 0.8 >= 0 and y <= float(root.get("height", "0"))
        boxes.append((x, y - size * 0.75, x + wide, y + size * 0.1, words))
    for one, other in itertools.combinations(boxes, 2):
        apart = one[2] <= other[0] + 0.5 or other[2] <= one[0] + 0.5 or one[3] <= other[1] or other[3] <= one[1]
        assert apart, (one[4], other[4])


def test_the_collision_test_sees_collisions() -> None:
    """Planted: the same tick names on half the paper would collide, and are thinned out."""
    chart = CHARTS["crowded"]
    wide, narrow = lay_out(chart, 1400, 500), lay_out(chart, 400, 500)
    assert len(narrow.ticks) < len(wide.ticks) and wide.tilted
    level = [text_width(name, TICK) for _, name in wide.ticks]
    assert sum(level) > wide.right - wide.left


@every_chart
def test_the_picture_is_made_of_what_it_was(name: str) -> None:
    """Golden: tags, classes and words in order. After an intended change: TWOWORLDS_GOLDEN=write pytest tests/figures."""
    path = GOLDEN / f"{name.replace(' ', '_')}.txt"
    found = skeleton(parsed(CHARTS[name]))
    if os.environ.get("TWOWORLDS_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")


def test_equal_charts_are_equal_bytes() -> None:
    """No clock, no chance, no hash order: another process with another hash seed draws the same bytes."""
    code = "import sys; from tests.figures.samples import CHARTS; from twoworlds.figures import svg\n"
    code += "sys.stdout.buffer.write('\\n'.join(map(svg, CHARTS.values())).encode())"
    drawn = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    ]
    assert drawn[0] == drawn[1] == "\n".join(map(svg, CHARTS.values())).encode()


def test_two_charts_on_one_page_keep_their_names() -> None:
    """Ids differ between different charts, so that a page may hold many."""
    found = [element.get("id") for chart in CHARTS.values() for element in parsed(chart).iter() if element.get("id")]
    assert len(found) == len(set(found)) == 2 * len(CHARTS)


@every_chart
def test_nothing_runs_and_nothing_is_fetched(name: str) -> None:
    """No script, no handler, no link, no outside resource, whatever the words are."""
    text = svg(CHARTS[name])
    root = ElementTree.fromstring(text)
    tags = {element.tag.removeprefix(NAMESPACE) for element in root.iter()}
    assert tags <= {"svg", "title", "desc", "style", "rect", "path", "circle", "text", "g"}
    for element in root.iter():
        assert not any(key.startswith("on") or "href" in key for key in element.attrib)
    style = next(root.iter(f"{NAMESPACE}style")).text or ""
    assert re.fullmatch(r"@media \(prefers-color-scheme: dark\)\{(\.tw-[a-z-]+\{((fill|stroke):#[0-9a-f]{6};?)+\})+\}", style)
    assert text.count("http") == 1


def test_hostile_words_stay_words() -> None:
    """Markup, quotes and control characters in titles, labels, places and names come out as text."""
    root = parsed(CHARTS["hostile"])
    words = [element.text or "" for element in root.iter()]
    assert root[0].text == HOSTILE.replace("\x00", "\ufffd").replace("\x1b", "\ufffd").replace("\u202e", "\ufffd")
    assert any("<script>" in word for word in words) and not any("\x1b" in word or "\u202e" in word for word in words)


def test_a_point_is_where_it_should_be() -> None:
    """A line from corner to corner ends in the plot's corners; the middle of the data is the middle of the plot."""
    chart = Chart(
        "t", "d", Axis("x", low=0, high=10), Axis("y", "log", low=1, high=100), (Line("a", ((0, 1), (5, 10), (10, 100))),)
    )
    layout = lay_out(chart, 720, 440)
    path = next(element.get("d", "") for group in parsed(chart).iter(f"{NAMESPACE}g") for element in group)
    middle = ((layout.left + layout.right) / 2, (layout.top + layout.bottom) / 2)
    expected = [layout.left, layout.bottom, *middle, layout.right, layout.top]
    assert numbers(path) == pytest.approx(expected, abs=0.006)


def test_bars_stand_on_zero() -> None:
    """A bar reaches from zero to its value, down as well as up."""
    chart = Chart("t", "d", Axis("x"), Axis("y", low=-10, high=10), (Bars("a", (Bar(0, 1, 5), Bar(1, 2, -5))),))
    layout = lay_out(chart, 720, 440)
    up, down = [element for group in parsed(chart).iter(f"{NAMESPACE}g") for element in group]
    zero = (layout.top + layout.bottom) / 2
    assert float(up.get("y", "0")) + float(up.get("height", "0")) == pytest.approx(zero, abs=0.02)
    assert float(down.get("y", "0")) == pytest.approx(zero, abs=0.02)
    assert float(up.get("height", "0")) == pytest.approx(float(down.get("height", "0")), abs=0.02)


def test_long_lines_lose_only_what_cannot_be_seen() -> None:
    """A curve of a million points is drawn with what paper can show; its ends are kept."""
    points = tuple((i / 20_000, (i / 20_000) ** 2) for i in range(20_001))
    text = svg(Chart("t", "d", Axis("x"), Axis("y"), (Line("a", points),)))
    assert len(text) < 60_000
    few = svg(Chart("t", "d", Axis("x"), Axis("y"), (Line("a", points[::100]),)))
    path = [
        next(g.iter(f"{NAMESPACE}path")).get("d", "")
        for t in (text, few)
        for g in ElementTree.fromstring(t).iter(f"{NAMESPACE}g")
    ]
    assert numbers(path[0])[:2] == numbers(path[1])[:2] and numbers(path[0])[-2:] == numbers(path[1])[-2:]


def test_every_value_has_a_tip() -> None:
    """Dots and bars tell their numbers when pointed at."""
    tips = [
        element.text for group in parsed(CHARTS["wards"]).iter(f"{NAMESPACE}g") for element in group.iter(f"{NAMESPACE}title")
    ]
    assert tips[0] == "released: 120, from 110 to 130" and len(tips) == 6


# ---- what every eye can tell apart

VISIONS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def seen(colour: str, vision: str) -> tuple[float, float, float]:
    """A colour in CIE Lab as this vision sees it (Machado, Oliveira and Fernandes 2009, severity 1)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    r, g, b = (min(max(sum(w * p for w, p in zip(row, linear, strict=True)), 0.0), 1.0) for row in VISIONS[vision])
    white = ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b)
    x, y, z = (
        t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (*white, (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_everything_stands_out_from_the_paper(theme: Theme) -> None:
    """Words have a contrast of at least 4.5, marks and axes of at least 3, and faint rules are fainter than either."""
    assert contrast(theme.text, theme.paper) >= 7 and contrast(theme.quiet, theme.paper) >= 4.5
    assert all(contrast(colour, theme.paper) >= 3 for colour in (*theme.inks.values(), theme.axis))
    assert 1 < contrast(theme.rule, theme.paper) < 1.7


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("vision", VISIONS)
def test_every_eye_tells_inks_apart(theme: Theme, vision: str) -> None:
    """Any two inks are at least 15 apart in Lab, for each vision; pure red and green would not be, for one of them."""
    labs = {ink: seen(colour, vision) for ink, colour in theme.inks.items()}
    for one, other in itertools.combinations(labs.values(), 2):
        assert sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5 >= 15
    if vision == "deuteranopia":
        red, green = seen("#b04000", vision), seen("#6b6b00", vision)
        assert sum((a - b) ** 2 for a, b in zip(red, green, strict=True)) ** 0.5 < 15


def test_inks_differ_without_colour() -> None:
    """Data inks differ in dash and in marker; what contradicts a claim has a marker of its own."""
    data = [ink for ink in LIGHT.inks if ink not in ("neutral", "alarm")]
    assert len({DASHES[ink] for ink in data}) == 5 and len(set(MARKERS.values())) == 7
    shapes = set()
    for ink in LIGHT.inks:
        chart = Chart("t", "d", Axis("x"), Axis("y"), (Dots("a", (Dot(1, 1),), ink),))
        mark = next(element for group in parsed(chart).iter(f"{NAMESPACE}g") for element in group)
        shapes.add((mark.tag, mark.get("d"), mark.get("fill") == "none"))
    assert len(shapes) == 6  # first and neutral are both circles


def test_charts_fit_their_kind() -> None:
    """Trade-offs are square, others wide; a given size is kept, unless the words leave no plot."""
    assert parsed(CHARTS["audit"]).get("viewBox") == "0 0 600 620"
    assert parsed(CHARTS["wards"]).get("viewBox") == "0 0 720 440"
    assert parsed(CHARTS["wards"], 900, 500).get("viewBox") == "0 0 900 500"
    layout = lay_out(CHARTS["crowded"], 320, 240)
    assert layout.height > 240 and layout.bottom - layout.top >= 120
    assert not replace(CHARTS["audit"], square=False).square
    area = Area("a", ((0, 0), (1, 1)), ((0, 1), (1, 2)), steps=True)
    assert area.path == ((0, 0), (1, 0), (1, 1), (1, 2), (1, 1), (0, 1))
