"""Terminal text: within its columns, in the right places, in plain ASCII where asked for, and free of foreign sequences."""

from __future__ import annotations

import re

import pytest

from tests.figures.samples import CHARTS
from twoworlds.figures import Area, Axis, Bar, Bars, Chart, Dot, Dots, Line, terminal
from twoworlds.figures.styles import MARKERS
from twoworlds.figures.terminals import columns

every_chart = pytest.mark.parametrize("name", CHARTS)
ANSI = re.compile(r"\x1b\[(?:3[1-6]|90|0)m")
BRAILLE = range(0x2800, 0x2900)


def plot(text: str) -> list[str]:
    """The lines of the plot, right of the axis."""
    return [re.split("[┤│|]", line, maxsplit=1)[1] for line in text.split("\n") if re.match(r"^[^└+]{0,25}[┤│|]", line)]


@every_chart
@pytest.mark.parametrize(("width", "height"), [(76, 18), (40, 6), (120, 40)])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_nothing_leaves_its_columns(name: str, width: int, height: int, ascii_only: bool) -> None:
    """No line is wider than asked for, the plot is as high as asked for, and title, labels and legend are there."""
    text = terminal(CHARTS[name], width, height, ascii_only=ascii_only)
    lines = text.split("\n")
    assert max(columns(line) for line in lines) <= width
    assert sum(bool(re.match(r"^.{0,25}[┤│|]", line)) for line in lines) >= height
    assert text.isascii() or not ascii_only
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
    assert len(lines) >= height + 6


@every_chart
def test_colour_changes_nothing_but_colour(name: str) -> None:
    """With colour the same text appears, between known sequences only; without, there is not one of them."""
    chart = CHARTS[name]
    coloured = terminal(chart, colour=True)
    assert "\x1b" in coloured and "\x1b" not in terminal(chart)
    assert ANSI.sub("", coloured) == terminal(chart)
    assert coloured.count("\x1b[0m") * 2 == coloured.count("\x1b")


def test_marks_are_where_the_data_are() -> None:
    """Dots in the four corners and the middle come out in the four corners and the middle."""
    corners = (Dot(0, 0), Dot(0, 1), Dot(1, 0), Dot(1, 1), Dot(0.5, 0.5))
    lines = plot(terminal(Chart("t", "d", Axis("x"), Axis("y"), (Dots("a", corners, "first"),)), 46, 11))
    wide = max(map(len, lines))
    found = {(x, y) for y, line in enumerate(lines) for x, sign in enumerate(line) if sign == MARKERS["first"]}
    assert {(0, 0), (0, 10), (wide - 1, 0), (wide - 1, 10)} < found and len(found) == 5
    (middle,) = found - {(0, 0), (0, 10), (wide - 1, 0), (wide - 1, 10)}
    assert abs(middle[0] - wide / 2) <= 1 and middle[1] == 5


def test_a_line_is_a_connected_line() -> None:
    """A falling line lights a dot in every column, and never rises."""
    lines = plot(terminal(Chart("t", "d", Axis("x"), Axis("y"), (Line("a", ((0, 1), (1, 0))),)), 60, 12))
    wide = max(map(len, lines))
    heights = [[y for y, line in enumerate(lines) if x < len(line) and ord(line[x]) in BRAILLE] for x in range(wide)]
    assert all(heights) and [min(ys) for ys in heights] == sorted(min(ys) for ys in heights)


def test_an_area_is_shaded_inside_only() -> None:
    """The upper half of a square is shaded, the lower half is not."""
    area = Area("a", ((0, 1), (1, 1)), ((0, 2), (1, 2)))
    chart = Chart("t", "d", Axis("x"), Axis("y", low=0, high=2), (area,))
    for ascii_only in (False, True):
        lines = plot(terminal(chart, 60, 12, ascii_only=ascii_only))
        assert all(line.strip() for line in lines[1:5]) and not any(line.strip() for line in lines[7:])


def test_bars_reach_their_height() -> None:
    """A bar of half the height fills half the lines; worlds side by side differ without colour."""
    chart = Chart(
        "t", "d", Axis("x"), Axis("y", low=0, high=2), (Bars("a", (Bar(0, 1, 1),)), Bars("b", (Bar(1, 2, 2),), "second"))
    )
    lines = plot(terminal(chart, 60, 12))
    full = [line.count("⣿") for line in lines]
    assert not any(full[:5]) and all(full[7:])
    left, right = lines[-1][5], lines[-1][-5]
    assert left == "⣿" != right and ord(right) in BRAILLE


def test_intervals_are_drawn() -> None:
    """Intervals of dots are lines, those of bars strokes."""
    dots = Chart("t", "d", Axis("x", low=0, high=1), Axis("y", low=0, high=1), (Dots("a", (Dot(0.5, 0.5, 0.2, 0.8, 0.2, 0.8),)),))
    lines = plot(terminal(dots, 60, 11))
    assert sum(bool(line.strip()) for line in lines) >= 6 and len(lines[5].strip()) >= 25
    assert "│" in "".join(plot(terminal(CHARTS["wards"])))


def test_ascii_spells_things_out() -> None:
    """Greek letters become their names, powers of ten become 1e-6, and what has no likeness a question mark."""
    text = terminal(CHARTS["privacy"], ascii_only=True) + terminal(CHARTS["tradeoff"], ascii_only=True)
    assert re.search(r"1e-\d", text) and "epsilon = 1" in text and "Gaussian, mu = 1" in text
    assert "\N{MINUS SIGN}50,000" in terminal(CHARTS["five"]) and "-100,000" in terminal(CHARTS["five"], ascii_only=True)
    assert "?" in terminal(CHARTS["hostile"], ascii_only=True)


def test_wide_signs_take_two_columns() -> None:
    """Chinese signs are two columns wide, combining marks none."""
    assert columns("漢字ab") == 6 and columns("e\u0301") == 1


def test_every_series_is_in_the_legend() -> None:
    """Samples in the legend differ for every ink, in Braille and in ASCII."""
    for ascii_only in (False, True):
        legend = terminal(CHARTS["five"], 120, ascii_only=ascii_only).split("\n")[-1]
        samples = re.split(r" line \d *", legend)[:5]
        assert len(set(samples)) == 5
