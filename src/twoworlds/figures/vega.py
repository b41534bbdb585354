"""A chart as a Vega-Lite specification, for notebooks and pages that draw those themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from twoworlds.figures.charts import Chart
from twoworlds.figures.checks import Undrawable
from twoworlds.figures.scales import Ruler, rulers
from twoworlds.figures.series import Area, Bars, Dots, Line, Series
from twoworlds.figures.styles import DASHES, LIGHT

__all__ = ["vega_lite"]

SHAPES = {"second": "diamond", "third": "square", "fourth": "triangle-up", "fifth": "triangle-down", "alarm": "cross"}


def vega_lite(chart: Chart, width: int | None = None, height: int | None = None) -> dict[str, Any]:
    """The specification as a dictionary that `json.dumps` takes; data inside, nothing fetched."""
    if not isinstance(chart, Chart):
        raise Undrawable(f"{type(chart).__name__} is no chart", "Give a Chart, such as tradeoff(...) makes")
    x, y = rulers(chart, 6, 5)
    names = list(dict.fromkeys(series.name for series in chart.series))
    colours = [LIGHT.inks[next(series.ink for series in chart.series if series.name == name)] for name in names]
    colour = {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": names, "range": colours},
        "legend": {"title": None, "orient": "top"},
    }
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": {"text": chart.title, "anchor": "start"},
        "description": f"{chart.title}. {chart.description}",
        "width": width or (480 if chart.square else 640),
        "height": height or (480 if chart.square else 360),
        "background": LIGHT.paper,
        "layer": [layer for series in chart.series for layer in _layers(series, x, y, colour)],
    }


def _layers(series: Series, x: Ruler, y: Ruler, colour: dict[str, Any]) -> list[dict[str, Any]]:
    name = series.name
    if isinstance(series, Line):
        mark = {"type": "line", "strokeWidth": 2.2, "interpolate": "step-after" if series.steps else "linear"}
        dash = [float(part) for part in DASHES[series.ink].split()] or ([7.0, 4.0] if series.dashed else [])
        data = [{"series": name, "x": a, "y": b, "order": i} for i, (a, b) in enumerate(series.points)]
        order = {"field": "order", "type": "quantitative"}
        return [_layer(data, {**mark, "strokeDash": dash}, x=_channel(x, "x"), y=_channel(y, "y"), order=order, color=colour)]
    if isinstance(series, Area):
        outline = [{"series": name, "x": a, "y": b, "order": i} for i, (a, b) in enumerate(series.path)]
        mark = {"type": "line", "interpolate": "linear-closed", "filled": True, "fillOpacity": 0.14, "strokeWidth": 0}
        order = {"field": "order", "type": "quantitative"}
        return [_layer(outline, mark, x=_channel(x, "x"), y=_channel(y, "y"), order=order, fill=colour)]
    if isinstance(series, Dots):
        return _dots(series, x, y, colour)
    return _bars(series, x, y, colour)


def _dots(series: Dots, x: Ruler, y: Ruler, colour: dict[str, Any]) -> list[dict[str, Any]]:
    corners = [dot.corners for dot in series.dots]
    keys = ("x", "y", "x1", "y1", "x2", "y2")
    data = [{"series": series.name} | dict(zip(keys, (*c[0], *c[1], *c[2]), strict=True)) for c in corners]
    point = {"type": "point", "filled": True, "size": 60, "shape": SHAPES.get(series.ink, "circle"), "tooltip": True}
    rule = {"type": "rule", "strokeWidth": 1.5}
    return [
        _layer(data, rule, x=_channel(x, "x1"), x2={"field": "x2"}, y=_channel(y, "y"), color=colour),
        _layer(data, rule, x=_channel(x, "x"), y=_channel(y, "y1"), y2={"field": "y2"}, color=colour),
        _layer(data, point, x=_channel(x, "x"), y=_channel(y, "y"), color=colour),
    ]


def _bars(series: Bars, x: Ruler, y: Ruler, colour: dict[str, Any]) -> list[dict[str, Any]]:
    zero = y.low if y.axis.scale == "log" else 0.0
    keys = ("left", "right", "middle", "value", "low", "high")
    data = [
        {"series": series.name, "zero": zero}
        | dict(zip(keys, (bar.left, bar.right, bar.middle, bar.value, min(bar.ends), max(bar.ends)), strict=True))
        for bar in series.bars
    ]
    rect = {"type": "rect", "fillOpacity": 0.82, "tooltip": True}
    layers = [
        _layer(
            data, rect, x=_channel(x, "left"), x2={"field": "right"}, y=_channel(y, "value"), y2={"field": "zero"}, color=colour
        )
    ]
    if any(len(bar.ends) > 1 for bar in series.bars):
        rule = {"type": "rule", "color": LIGHT.text}
        layers.append(_layer(data, rule, x=_channel(x, "middle"), y=_channel(y, "low"), y2={"field": "high"}))
    return layers


def _layer(data: Sequence[Mapping[str, object]], mark: dict[str, Any], **encoding: Any) -> dict[str, Any]:
    return {"data": {"values": data}, "mark": mark, "encoding": encoding}


def _channel(ruler: Ruler, field: str) -> dict[str, Any]:
    scale = {"type": ruler.axis.scale, "domain": [ruler.low, ruler.high], "nice": False, "zero": False}
    if ruler.axis.scale == "log":
        del scale["zero"]
    axis: dict[str, Any] = {"title": ruler.axis.label, "values": [value for value, _ in ruler.ticks]}
    if ruler.axis.places:
        names = {f"{value:g}": name for value, name in ruler.axis.places}
        axis |= {"labelExpr": f"({json.dumps(names)})[toString(datum.value)]", "grid": False}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}
