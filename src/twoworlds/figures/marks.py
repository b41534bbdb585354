"""The marks of each kind of series in SVG, in the plot and in the legend."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from twoworlds.figures.checks import Ink, Point
from twoworlds.figures.layout import Entry, Layout
from twoworlds.figures.scales import written
from twoworlds.figures.series import Area, Bar, Bars, Dot, Dots, Line, Series
from twoworlds.figures.styles import DASHES, LIGHT

__all__ = ["coordinate", "marks", "pair", "sample"]

TIPS = 400  # series of more marks than this get no tip for each


def marks(series: Series, layout: Layout) -> Iterator[str]:
    """A group for each series, which a screen reader may announce by its name."""
    yield f"<g aria-label={quoteattr(series.name)}>"
    if isinstance(series, Line):
        yield from _line(series, layout)
    elif isinstance(series, Area):
        yield from _area(series, layout)
    elif isinstance(series, Dots):
        yield from _dots(series, layout)
    else:
        yield from _bars(series, layout)
    yield "</g>"


def _line(line: Line, layout: Layout) -> Iterator[str]:
    if len(line.points) == 1:  # a line without length could not be seen
        yield _marker(
            line.ink, layout.at(line.points[0]), f"{line.name}: {written(line.points[0][0])}, {written(line.points[0][1])}"
        )
        return
    yield f'<path {_stroke(line.ink, _dash(line))} d="{_path(layout.at(point) for point in line.path)}"/>'


def _dash(line: Line) -> str:
    return DASHES[line.ink] or ("7 4" if line.dashed else "")


def _area(area: Area, layout: Layout) -> Iterator[str]:
    yield f'<path {_fill(area.ink)} fill-opacity="0.14" d="{_path(layout.at(point) for point in area.path)}Z"/>'


def _dots(dots: Dots, layout: Layout) -> Iterator[str]:
    for dot in dots.dots:
        whiskers = "".join(_whiskers(dot, layout))
        if whiskers:
            yield f'<path {_stroke(dots.ink, "", 1.5)} d="{whiskers}"/>'
    for dot in dots.dots:
        tip = f"{dots.name}: {written(dot.x)}, {written(dot.y)}" if len(dots.dots) <= TIPS else ""
        yield _marker(dots.ink, layout.at((dot.x, dot.y)), tip)


def _whiskers(dot: Dot, layout: Layout) -> Iterator[str]:
    """The intervals of a dot, across and upwards."""
    low, _, high = dot.corners[1], dot.corners[0], dot.corners[2]
    if low[0] != high[0]:
        yield f"M{pair(layout.at((low[0], dot.y)))}L{pair(layout.at((high[0], dot.y)))}"
    if low[1] != high[1]:
        yield f"M{pair(layout.at((dot.x, low[1])))}L{pair(layout.at((dot.x, high[1])))}"


def _bars(bars: Bars, layout: Layout) -> Iterator[str]:
    zero = layout.y.low if layout.y.axis.scale == "log" else 0.0
    for bar in bars.bars:
        (left, top), (right, base) = layout.at((bar.left, bar.value)), layout.at((bar.right, zero))
        top, base = min(top, base), max(top, base)
        gap = min(1.0, (right - left) / 8)
        tip = f"<title>{escape(_bar_tip(bars, bar))}</title>" if len(bars.bars) <= TIPS else ""
        yield _box(bars.ink, 0.82, (left + gap, top), (right - gap, base), tip)
    for bar in bars.bars:
        if bar.low is not None or bar.high is not None:
            yield f'<path class="tw-whisker" fill="none" stroke="{LIGHT.text}" stroke-width="1.4" d="{_bracket(bar, layout)}"/>'


def _bracket(bar: Bar, layout: Layout) -> str:
    """An interval on a bar, with short ends."""
    (x, low), (_, high) = (layout.at((bar.middle, end)) for end in (min(bar.ends), max(bar.ends)))
    half = min(6.0, (layout.at((bar.right, bar.value))[0] - layout.at((bar.left, bar.value))[0]) / 4)
    ends = "".join(f"M{coordinate(x - half)} {coordinate(y)}h{coordinate(2 * half)}" for y in (low, high))
    return f"M{coordinate(x)} {coordinate(low)}L{coordinate(x)} {coordinate(high)}{ends}"


def _bar_tip(bars: Bars, bar: Bar) -> str:
    interval = f", from {written(min(bar.ends))} to {written(max(bar.ends))}" if len(bar.ends) > 1 else ""
    return f"{bars.name}: {written(bar.value)}{interval}"


def sample(entry: Entry) -> Iterator[str]:
    """What the legend shows of a series."""
    series, middle = entry.series, entry.x + 11
    if isinstance(series, Line):
        yield f'<path {_stroke(series.ink, _dash(series))} d="M{coordinate(entry.x)} {coordinate(entry.y)}h23"/>'
    elif isinstance(series, Dots):
        yield _marker(series.ink, (middle, entry.y), "")
    else:
        opacity = 0.82 if isinstance(series, Bars) else 0.2
        yield _box(series.ink, opacity, (middle - 8, entry.y - 6), (middle + 8, entry.y + 6))


def _box(ink: Ink, opacity: float, corner: Point, opposite: Point, tip: str = "") -> str:
    (x, y), (width, height) = map(coordinate, corner), (coordinate(b - a) for a, b in zip(corner, opposite, strict=True))
    return f'<rect {_fill(ink)} fill-opacity="{opacity}" x="{x}" y="{y}" width="{width}" height="{height}">{tip}</rect>'


_SHAPES: dict[Ink, str] = {  # about the origin, to be moved to the dot
    "second": "M0-5.4L5.4 0L0 5.4L-5.4 0Z",
    "third": "M-4.2-4.2H4.2V4.2H-4.2Z",
    "fourth": "M0-5.2L5 4H-5Z",
    "fifth": "M0 5.2L5-4H-5Z",
    "alarm": "M-4.4-4.4L4.4 4.4M-4.4 4.4L4.4-4.4",
}


def _marker(ink: Ink, place: Point, tip: str) -> str:
    title = f"<title>{escape(tip)}</title>" if tip else ""
    where = f'transform="translate({coordinate(place[0])} {coordinate(place[1])})"'
    if ink == "alarm":
        return f'<path {_stroke(ink, "", 2.6)} {where} d="{_SHAPES[ink]}">{title}</path>'
    if ink in _SHAPES:
        return f'<path {_fill(ink)} stroke="{LIGHT.paper}" stroke-width="1" {where} d="{_SHAPES[ink]}">{title}</path>'
    return f'<circle {_fill(ink)} stroke="{LIGHT.paper}" stroke-width="1" {where} r="4.4">{title}</circle>'


def _stroke(ink: Ink, dash: str, width: float = 2.2) -> str:
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'class="tw-s-{ink}" fill="none" stroke="{LIGHT.inks[ink]}" stroke-width="{width:g}" stroke-linejoin="round" '
        f'stroke-linecap="{"butt" if dash else "round"}"{dashes}'
    )


def _fill(ink: Ink) -> str:
    return f'class="tw-f-{ink}" fill="{LIGHT.inks[ink]}"'


def _path(points: Iterable[Point]) -> str:
    """A line through the points, without those that would not be seen for standing on their neighbour."""
    kept: list[Point] = []
    last: Point | None = None
    for point in points:
        if not kept or abs(point[0] - kept[-1][0]) + abs(point[1] - kept[-1][1]) >= 0.3:
            kept.append(point)
        last = point
    if last is not None and (last != kept[-1] or len(kept) == 1):
        kept.append(last)
    return "M" + "L".join(pair(point) for point in kept)


def pair(point: Point) -> str:
    return f"{coordinate(point[0])} {coordinate(point[1])}"


def coordinate(value: float) -> str:
    """A coordinate to a hundredth."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
