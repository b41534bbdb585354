"""A chart as SVG: one self-contained picture, the same bytes for the same chart, readable by screen readers and on dark paper.

Colours are attributes, so that the picture needs no style sheet; where the viewer honours one, dark mode swaps them by class.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from twoworlds.figures.charts import Chart
from twoworlds.figures.checks import Point, Undrawable
from twoworlds.figures.layout import KEY, LABEL, LEGEND, MARGIN, TICK, TITLE, Layout, lay_out
from twoworlds.figures.marks import coordinate, marks, pair, sample
from twoworlds.figures.styles import DARK, LIGHT, Theme

__all__ = ["svg"]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif"


def svg(chart: Chart, width: int | None = None, height: int | None = None) -> str:
    """The chart as the text of an SVG element; a chart of two like quantities is square unless a size is given."""
    if not isinstance(chart, Chart):
        raise Undrawable(f"{type(chart).__name__} is no chart", "Give a Chart, such as tradeoff(...) makes")
    width = width or (600 if chart.square else 720)
    height = height or (620 if chart.square else 440)
    if not (isinstance(width, int) and isinstance(height, int) and 320 <= width <= 4000 and 240 <= height <= 4000):
        raise Undrawable(f"paper of {width!r} by {height!r}", "Give whole numbers from 320 by 240 to 4000 by 4000")
    layout = lay_out(chart, width, height)
    height = math.ceil(layout.height)
    name = "tw-" + hashlib.sha256(repr(chart).encode()).hexdigest()[:10]
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-labelledby="{name}-title {name}-desc" font-family={quoteattr(FONT)}>',
        f'<title id="{name}-title">{escape(chart.title)}</title>',
        f'<desc id="{name}-desc">{escape(chart.description)}</desc>',
        f"<style>@media (prefers-color-scheme: dark){{{_dark()}}}</style>",
        f'<rect class="tw-paper" width="{width}" height="{height}" rx="8" fill="{LIGHT.paper}"/>',
        *_words(layout),
        *_rules(layout),
        *(line for series in chart.series for line in marks(series, layout)),
        *_frame(layout),
        "</svg>",
    ]
    return "\n".join(body)


def _words(layout: Layout) -> Iterator[str]:
    """The title, the legend and the two axis labels."""
    for i, line in enumerate(layout.title):
        yield _text((MARGIN, MARGIN + TITLE * (0.9 + 1.3 * i)), line, TITLE, weight="600")
    for entry in layout.legend:
        yield from sample(entry)
        yield _text((entry.x + KEY, entry.y + LEGEND * 0.36), entry.text, LEGEND)
    yield _text((MARGIN, layout.top - 14), layout.y_label, LABEL, quiet=True)
    yield _text(
        ((layout.left + layout.right) / 2, layout.height - MARGIN + 2), layout.x_label, LABEL, quiet=True, anchor="middle"
    )


def _text(
    place: Point, text: str, size: float, *, quiet: bool = False, weight: str = "", anchor: str = "", turn: str = ""
) -> str:
    tone, colour = ("quiet", LIGHT.quiet) if quiet else ("text", LIGHT.text)
    style = "".join(
        f' {name}="{value}"' for name, value in (("font-weight", weight), ("text-anchor", anchor), ("transform", turn)) if value
    )
    x, y = (coordinate(value) for value in place)
    return f'<text class="tw-{tone}" x="{x}" y="{y}" font-size="{size:g}" fill="{colour}"{style}>{escape(text)}</text>'


def _rules(layout: Layout) -> Iterator[str]:
    """Thin lines across the plot at the ticks; none upwards where places are named, for bars stand there."""
    levels = [(layout.at((layout.x.low, value)), layout.at((layout.x.high, value))) for value, _ in layout.y.ticks]
    if not layout.x.axis.places:
        levels += [(layout.at((value, layout.y.low)), layout.at((value, layout.y.high))) for value, _ in layout.ticks]
    path = "".join(f"M{pair(a)}L{pair(b)}" for a, b in levels)
    yield f'<path class="tw-rule" d="{path}" fill="none" stroke="{LIGHT.rule}" stroke-width="1"/>'


def _frame(layout: Layout) -> Iterator[str]:
    """The axes with their ticks, drawn last so that nothing hides them."""
    lines = [(layout.left, layout.top), (layout.left, layout.bottom), (layout.right, layout.bottom)]
    path = "M" + "L".join(pair(corner) for corner in lines)
    if layout.y.axis.scale == "linear" and layout.y.low < 0 < layout.y.high:
        path += f"M{pair(layout.at((layout.x.low, 0.0)))}L{pair(layout.at((layout.x.high, 0.0)))}"
    yield f'<path class="tw-axis" d="{path}" fill="none" stroke="{LIGHT.axis}" stroke-width="1.2"/>'
    for value, name in layout.y.ticks:
        y = layout.at((layout.x.low, value))[1] + TICK * 0.35
        yield _text((layout.left - 9, y), name, TICK, quiet=True, anchor="end")
    for value, name in layout.ticks:
        x, y = layout.at((value, layout.y.low))
        if layout.tilted:
            turn = f"rotate(-38 {coordinate(x + 4)} {coordinate(y + 16)})"
            yield _text((x + 4, y + 16), name, TICK, quiet=True, anchor="end", turn=turn)
        else:
            yield _text((x, y + TICK + 6), name, TICK, quiet=True, anchor="middle")


def _dark(theme: Theme = DARK) -> str:
    rules = [f".tw-paper{{fill:{theme.paper}}}.tw-text{{fill:{theme.text}}}.tw-quiet{{fill:{theme.quiet}}}"]
    rules += [f".tw-rule{{stroke:{theme.rule}}}.tw-axis{{stroke:{theme.axis}}}.tw-whisker{{stroke:{theme.text}}}"]
    rules += [
        f".tw-s-{ink}{{stroke:{colour}}}.tw-f-{ink}{{fill:{colour};stroke:{theme.paper}}}" for ink, colour in theme.inks.items()
    ]
    return "".join(rules)
