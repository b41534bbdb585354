"""A chart as a piece of HTML: the picture, its description in words, and every number in a table."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TypeVar

from twoworlds.figures.charts import Chart
from twoworlds.figures.checks import Point
from twoworlds.figures.scales import written
from twoworlds.figures.series import Area, Dots, Line, Series
from twoworlds.figures.vectors import svg

__all__ = ["html", "rows"]

MOST = 60  # rows of a series; a longer one is shown thinned out, and the table says so

T = TypeVar("T")
Row = tuple[str, str, str, str]


def html(chart: Chart, width: int | None = None, height: int | None = None) -> str:
    """A `figure` element; it needs no style sheet, no script and no network."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in ("series", chart.x.label, chart.y.label, "interval"))
    body = "\n".join(f"<tr>{_cells(row)}</tr>" for series in chart.series for row in rows(series, chart))
    thinned = any(_length(series) > MOST for series in chart.series)
    note = f" Of longer series about {MOST} points are listed." if thinned else ""
    return (
        f'<figure class="tw-figure">\n{svg(chart, width, height)}\n<figcaption>{escape(chart.description)}</figcaption>\n'
        f"<details><summary>The numbers as a table</summary>\n<table>\n<caption>{escape(chart.title)}.{note}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</details>\n</figure>"
    )


def _cells(row: Row) -> str:
    name, *numbers = row
    return f'<th scope="row">{escape(name)}</th>' + "".join(f"<td>{escape(number)}</td>" for number in numbers)


def rows(series: Series, chart: Chart) -> Iterator[Row]:
    """The series' numbers: its name, where across, how high, and between which ends."""
    places = dict(chart.x.places)

    def across(x: float) -> str:
        return places.get(x) or places.get(round(x)) or written(x)

    if isinstance(series, Line):
        for x, y in _thinned(series.points):
            yield series.name, across(x), written(y), ""
    elif isinstance(series, Area):
        for side, points in (("lower", series.lower), ("upper", series.upper)):
            for x, y in _thinned(points):
                yield f"{series.name}, {side} line", across(x), written(y), ""
    elif isinstance(series, Dots):
        for dot in _thinned(series.dots):
            low, high = dot.corners[1], dot.corners[2]
            yield (
                series.name,
                written(dot.x),
                written(dot.y),
                _intervals(chart, low, high),
            )
    else:
        for bar in _thinned(series.bars):
            where = across(bar.middle) if places else f"{written(bar.left)} to {written(bar.right)}"
            interval = f"{written(min(bar.ends))} to {written(max(bar.ends))}" if len(bar.ends) > 1 else ""
            yield series.name, where, written(bar.value), interval


def _intervals(chart: Chart, low: Point, high: Point) -> str:
    """A dot's intervals, each by the name of its axis."""
    found = zip((chart.x.label, chart.y.label), low, high, strict=True)
    return ", ".join(f"{name} {written(least)} to {written(most)}" for name, least, most in found if least != most)


def _length(series: Series) -> int:
    if isinstance(series, Line):
        return len(series.points)
    if isinstance(series, Area):
        return max(len(series.lower), len(series.upper))
    return len(series.dots) if isinstance(series, Dots) else len(series.bars)


def _thinned(items: tuple[T, ...]) -> tuple[T, ...]:
    """All items, or evenly spread ones with the first and the last."""
    if len(items) <= MOST:
        return items
    return tuple(items[round(i * (len(items) - 1) / (MOST - 1))] for i in range(MOST))
