"""A chart as text for the terminal, in Braille dots, or in plain ASCII where that is asked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace

from twoworlds.figures.canvas import PLAIN, SHADE, Canvas, Place, painted
from twoworlds.figures.charts import Axis, Chart
from twoworlds.figures.checks import Point, Undrawable
from twoworlds.figures.scales import MINUS, TIMES, Ruler, rulers
from twoworlds.figures.series import Area, Bars, Dots, Line, Series
from twoworlds.figures.styles import MARKERS

__all__ = ["terminal"]

Placing = Callable[[Point], Place]
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
POWER = re.compile(f"(?:([0-9.]+){TIMES})?10([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)")
LETTERS = ("alpha", "beta", "delta", "epsilon", "mu", "rho", "sigma")
GREEK = {unicodedata.lookup(f"GREEK SMALL LETTER {name.upper()}"): name for name in LETTERS}
SUBSTITUTES = str.maketrans({MINUS: "-", TIMES: "x", "…": "~", "│": "|", "─": "-", "└": "+", "┤": "|", "┴": "+", **GREEK})


def terminal(chart: Chart, width: int = 76, height: int = 18, *, ascii_only: bool = False, colour: bool = False) -> str:
    """The chart in lines of at most `width` columns, the plot `height` lines high; with `colour`, by ANSI sequences."""
    if not isinstance(chart, Chart):
        raise Undrawable(f"{type(chart).__name__} is no chart", "Give a Chart, such as tradeoff(...) makes")
    if not (isinstance(width, int) and isinstance(height, int) and 40 <= width <= 400 and 6 <= height <= 200):
        raise Undrawable(f"{width!r} columns and {height!r} lines", "Give whole numbers from 40 by 6 to 400 by 200")
    if ascii_only:
        chart = _in_ascii(chart)
    x, y = rulers(chart, across=max(2, width // 14), upwards=max(2, height // 3))
    if ascii_only:
        x, y = (replace(ruler, ticks=tuple((value, _ascii(name)) for value, name in ruler.ticks)) for ruler in (x, y))
    margin = max(columns(_shortened(name, width // 4)) for _, name in y.ticks) if y.ticks else 0
    canvas = Canvas(width - margin - 3, height)
    for series in chart.series:
        _draw(series, canvas, x, y, ascii_only)
    lines = [_shortened(chart.title, width), "", _shortened(chart.y.label, width)]
    lines += _beside(y, canvas.lines(ascii_only, colour), margin)
    lines += [*_below(x, canvas.width, margin), "", *_legend(chart, width, ascii_only, colour)]
    text = "\n".join(line.rstrip() for line in lines)
    return _ascii(text) if ascii_only else text


def _in_ascii(chart: Chart) -> Chart:
    """The chart with all its words in ASCII, before they are measured."""
    x, y = (replace(axis, label=_ascii(axis.label), places=_named(axis)) for axis in (chart.x, chart.y))
    series = tuple(replace(series, name=_ascii(series.name)) for series in chart.series)
    return replace(chart, title=_ascii(chart.title), x=x, y=y, series=series)


def _named(axis: Axis) -> tuple[tuple[float, str], ...]:
    return tuple((value, _ascii(name)) for value, name in axis.places)


def _ascii(text: str) -> str:
    """The text in ASCII: Greek letters spelled out, powers of ten as 1e-6, what has no likeness as a question mark."""
    plain = POWER.sub(lambda found: f"{found[1] or 1}e{found[2].translate(RAISED)}", text)
    return plain.translate(SUBSTITUTES).encode("ascii", "replace").decode()


def _draw(series: Series, canvas: Canvas, x: Ruler, y: Ruler, ascii_only: bool) -> None:
    def place(point: Point) -> Place:
        across, up = (min(max(ruler.share(value), 0.0), 1.0) for ruler, value in zip((x, y), point, strict=True))
        return round(across * (canvas.width * 2 - 1)), round((1 - up) * (canvas.height * 4 - 1))

    if isinstance(series, Line):
        canvas.trace([place(point) for point in series.path], series.ink, series.dashed)
    elif isinstance(series, Area):
        canvas.shade([place(point) for point in series.path], series.ink)
    elif isinstance(series, Dots):
        _dots(series, canvas, place, PLAIN[series.ink] if ascii_only else MARKERS[series.ink])
    else:
        _bars(series, canvas, place, y.low if y.axis.scale == "log" else 0.0)


def _dots(dots: Dots, canvas: Canvas, place: Placing, sign: str) -> None:
    """Each dot's sign, on the lines of its intervals."""
    for dot in dots.dots:
        centre, low, high = (place(corner) for corner in dot.corners)
        for ends in ([(low[0], centre[1]), (high[0], centre[1])], [(centre[0], low[1]), (centre[0], high[1])]):
            if ends[0] != ends[1]:
                for cell in _between(*ends):
                    canvas.light(cell, dots.ink)
    for dot in dots.dots:
        canvas.sign(place((dot.x, dot.y)), sign, dots.ink)


def _bars(bars: Bars, canvas: Canvas, place: Placing, zero: float) -> None:
    """Filled bars, and their intervals as strokes through their middle."""
    for bar in bars.bars:
        (left, top), (right, base) = place((bar.left, bar.value)), place((bar.right, zero))
        canvas.fill(left, right, min(top, base), max(top, base), bars.ink)
    for bar in bars.bars:
        if len(bar.ends) > 1:
            for cell in _between(place((bar.middle, max(bar.ends))), place((bar.middle, min(bar.ends)))):
                canvas.sign(cell, "│", bars.ink)


def _between(one: Place, other: Place) -> list[Place]:
    """The dots of a level or upright line."""
    (left, right), (top, base) = sorted((one[0], other[0])), sorted((one[1], other[1]))
    return [(x, y) for x in range(left, right + 1) for y in range(top, base + 1)]


def _beside(y: Ruler, plot: list[str], margin: int) -> list[str]:
    """The plot's lines behind the upright axis with its ticks."""
    names = {round((1 - y.share(value)) * (len(plot) - 1)): _shortened(name, margin) for value, name in y.ticks}
    return [f"{_right(names.get(row, ''), margin)} {'┤' if row in names else '│'}{line}" for row, line in enumerate(plot)]


def _below(x: Ruler, width: int, margin: int) -> list[str]:
    """The level axis with its ticks, their names as far as they keep apart, and the axis's label."""
    axis, names, free = ["─"] * width, [" "] * (width + margin + 2), 0
    room = max(4, width // max(len(x.ticks), 1) - 1) if x.axis.places else 16
    for value, name in x.ticks:
        column = min(round(x.share(value) * (width - 1)), width - 1)
        axis[column] = "┴"
        shown = _shortened(name, room)
        start = min(max(margin + 2 + column - columns(shown) // 2, 0), len(names) - columns(shown))
        if start >= free:
            names[start : start + columns(shown)] = [*shown, *[""] * (columns(shown) - len(shown))]
            free = start + columns(shown) + 1
    label = _shortened(x.axis.label, width)
    centred = " " * (margin + 2 + (width - columns(label)) // 2) + label
    return [" " * (margin + 1) + "└" + "".join(axis), "".join(names), centred]


def _legend(chart: Chart, width: int, ascii_only: bool, colour: bool) -> list[str]:
    """Every series with a sample of how it looks, several to a line."""
    rows, row = [], ""
    for series in chart.legend:
        sample = _sample(series, ascii_only)
        entry = f"{sample} {_shortened(series.name, width - 8)}"
        if row and columns(row) + columns(entry) + 3 > width:
            rows.append(row)
            row = ""
        row = f"{row}   {entry}" if row else entry
    lines = [*rows, row]
    if colour:
        for series in chart.legend:
            sample = _sample(series, ascii_only)
            lines = [line.replace(f"{sample} {series.name}", f"{painted(sample, series.ink)} {series.name}") for line in lines]
    return lines


def _sample(series: Series, ascii_only: bool) -> str:
    if isinstance(series, Dots):
        return PLAIN[series.ink] if ascii_only else MARKERS[series.ink]
    if ascii_only:
        return (SHADE if isinstance(series, Area) else PLAIN[series.ink]) * 3
    wide = 6 if isinstance(series, Line) else 3
    canvas = Canvas(wide, 1)
    if isinstance(series, Line):
        canvas.trace([(0, 2), (2 * wide - 1, 2)], series.ink, series.dashed)
    elif isinstance(series, Area):
        canvas.shade([(0, 0), (2 * wide, 0), (2 * wide, 3), (0, 3)], series.ink)
    else:
        canvas.fill(0, 2 * wide, 0, 3, series.ink)
    return canvas.lines(ascii_only=False, colour=False)[0].strip()


def columns(text: str) -> int:
    """How many columns a terminal gives to the text."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def _shortened(text: str, room: int) -> str:
    if columns(text) <= room:
        return text
    while text and columns(text) > room - 1:
        text = text[:-1]
    return f"{text}…"


def _right(text: str, room: int) -> str:
    return " " * (room - columns(text)) + text
