"""Where everything goes on the paper: lines of text are measured and broken, and the plot gets what room is left."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from itertools import pairwise

from twoworlds.figures.charts import Chart
from twoworlds.figures.checks import Point
from twoworlds.figures.scales import Ruler, rulers
from twoworlds.figures.series import Series

__all__ = ["Entry", "Layout", "lay_out", "shortened", "text_width", "wrapped"]

MARGIN, TITLE, LEGEND, LABEL, TICK = 22, 18, 13, 13, 12.5  # paper margin and font sizes
KEY, EDGE = 30, 8  # width of a legend entry's sample, and what is kept free at the paper's edge
LOWEST = 120  # a lower plot shows nothing
SINE, COSINE = 0.62, 0.79  # of the 38 degrees by which names are tilted
NARROW, WIDE = frozenset("iljtfrI.,:;|!'`()[]/ -"), frozenset("mwMW@%—…")


@dataclass(frozen=True)
class Entry:
    """One legend entry: where its sample begins, the height of its middle, and what it shows."""

    x: float
    y: float
    text: str
    series: Series


@dataclass(frozen=True)
class Layout:
    """The paper, the plot on it, and everything in words."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    x: Ruler
    y: Ruler
    title: tuple[str, ...]
    legend: tuple[Entry, ...]
    x_label: str
    y_label: str
    tilted: bool
    ticks: tuple[tuple[float, str], ...]

    def at(self, point: Point) -> Point:
        """A point of the data on the paper, held inside the plot."""
        across, up = (min(max(ruler.share(value), 0.0), 1.0) for ruler, value in zip((self.x, self.y), point, strict=True))
        return self.left + across * (self.right - self.left), self.bottom - up * (self.bottom - self.top)


def lay_out(chart: Chart, width: float, height: float) -> Layout:
    """The layout of a chart on paper of this size, or a taller one where the words leave the plot too little."""
    x, y = rulers(chart, across=max(2, int(width / 110)), upwards=max(2, int(height / 75)))
    title = wrapped(chart.title, width - 2 * MARGIN, TITLE, bold=True, lines=2)
    legend, foot = _legend(chart, width, MARGIN + len(title) * TITLE * 1.3 + 14)
    left, right, ticks, tilted = _sides(x, y, width)
    depth = max((text_width(name, TICK) for _, name in ticks), default=0) * SINE + 12 if tilted else TICK
    across, up = (wrapped(axis.label, width - 2 * MARGIN, LABEL, lines=1)[0] for axis in (chart.x, chart.y))
    top, below = foot + LABEL + 26, MARGIN + LABEL + depth + 14
    height = max(height, math.ceil(top + LOWEST + below))
    return Layout(width, height, left, right, top, height - below, x, y, title, legend, across, up, tilted, ticks)


def _sides(x: Ruler, y: Ruler, width: float) -> tuple[float, float, tuple[tuple[float, str], ...], bool]:
    """Where the plot begins and ends across, so that no tick's name leaves the paper, and the ticks that fit."""
    left = MARGIN + min(max((text_width(name, TICK) for _, name in y.ticks), default=0), width * 0.4) + 10
    right = width - MARGIN - 6
    ticks, tilted = _fitted(x, right - left)
    if ticks:
        (first, name), (last, final) = ticks[0], ticks[-1]
        reach = text_width(name, TICK) * (COSINE if tilted else 0.5)
        left += max(0.0, reach + EDGE - left - x.share(first) * (right - left))
        reach = 0.0 if tilted else text_width(final, TICK) / 2
        right -= max(0.0, left + x.share(last) * (right - left) + reach + EDGE - width)
    return left, right, ticks, tilted


def _legend(chart: Chart, width: float, top: float) -> tuple[tuple[Entry, ...], float]:
    """Entries in rows from left to right, and where the last row ends."""
    entries: list[Entry] = []
    x, y = float(MARGIN), top + LEGEND / 2
    for series in chart.legend:
        text = wrapped(series.name, width - 2 * MARGIN - KEY, LEGEND, lines=1)[0]
        wide = KEY + text_width(text, LEGEND)
        if x > MARGIN and x + wide > width - MARGIN:
            x, y = float(MARGIN), y + LEGEND * 1.6
        entries.append(Entry(x, y, text, series))
        x += wide + 22
    return tuple(entries), y + LEGEND / 2


def _fitted(x: Ruler, room: float) -> tuple[tuple[tuple[float, str], ...], bool]:
    """The ticks across that fit: level if their names do, else tilted if they are named places, else every second, third, …"""
    names = tuple((value, shortened(name, 120, TICK)) for value, name in x.ticks)
    for stride in range(1, len(names) + 1):
        shown = names[::stride]
        if _clear(x, shown, room):
            return shown, False
        if x.axis.places and len(shown) * TICK * 1.5 <= room:
            return shown, True
    return names[:1], False


def _clear(x: Ruler, shown: tuple[tuple[float, str], ...], room: float) -> bool:
    """Whether level names keep apart."""
    ends = [(x.share(value) * room, text_width(name, TICK)) for value, name in shown]
    return all(b - a >= (wide + next_wide) / 2 + 8 for (a, wide), (b, next_wide) in pairwise(ends))


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a line of sans-serif text is, rather too wide than too narrow."""
    return sum(_ems(character) for character in text) * size * (1.1 if bold else 1.0)


def _ems(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if character in NARROW or unicodedata.combining(character):
        return 0.38
    if character in WIDE:
        return 0.92
    return 0.72 if character.isupper() else 0.63


def wrapped(text: str, room: float, size: float, bold: bool = False, lines: int = 2) -> tuple[str, ...]:
    """The text in at most so many lines; what does not fit is cut and marked with an ellipsis."""
    rows: list[str] = []
    row = ""
    for word in text.split(" "):
        longer = f"{row} {word}".strip()
        if row and text_width(longer, size, bold) > room and len(rows) + 1 < lines:
            rows.append(row)
            row = word
        else:
            row = longer
    return tuple(_cut(line, room, size, bold) for line in [*rows, row])


def _cut(line: str, room: float, size: float, bold: bool) -> str:
    if text_width(line, size, bold) <= room:
        return line
    while line and text_width(f"{line}…", size, bold) > room:
        line = line[:-1]
    return f"{line.rstrip()}…"


def shortened(name: str, room: float, size: float) -> str:
    """The name with its middle left out where it is too long: names of places often differ at their ends."""
    kept = len(name)
    short = name
    while kept > 2 and text_width(short, size) > room:
        kept -= 1
        short = f"{name[: (kept + 1) // 2].rstrip()}…{name[len(name) - kept // 2 :].lstrip()}"
    return short
