"""A chart as a Vega-Lite specification, for notebooks and pages that draw those themselves."""

from __future__ import annotations

from typing import Any

from twoworlds.figures.charts import Chart
from twoworlds.figures.checks import Undrawable
from twoworlds.figures.scales import Ruler, rulers
from twoworlds.figures.series import Area, Bars, Dots, Line, Series
from twoworlds.figures.styles import DASHES, LIGHT

__all__ = ["vega_lite"]

SHAPES = {"second": "diamond", "third": "square", "fourth": "triangle-up", "fifth": "triangle-down", "alarm": "cross"}


def vega_lite(chart: Chart, width: int = 640, height: int = 360) -> dict[str, Any]:
    """The specification as a dictionary that `json.dumps` takes; data inside, nothing fetched."""
    if not isinstance(chart, Chart):
        raise Undrawable(f"{type(chart).__name__} is no chart", "Give a Chart, such as tradeoff(...) makes")
    x, y = rulers(chart, 6, 5)
    names = list(dict.fromkeys(series.name for series in chart.series))
    colours = [LIGHT.inks[next(series.ink for series in chart.series if series.name == name)] for name in names]
    colour = {"type": "nominal", "scale": {"domain": names, "range": colours}, "legend": {"title": None, "orient": "top"}}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": {"text": chart.title, "anchor": "start"},
        "description": f"{chart.title}. {chart.description}",
        "width": width,
        "height": height,
        "background": LIGHT.paper,
        "layer": [layer for series in chart.series for layer in _layers(series, x, y, colour)],
    }


def _layers(series: Series, x: Ruler, y: Ruler, colour: dict[str, Any]) -> list[dict[str, Any]]:
    shown = {"datum": series.name, **colour}
    if isinstance(series, Line):
        mark = {"type": "line", "strokeWidth": 2.2, "interpolate": "step-after" if series.steps else "linear"}
        dash = [float(part) for part in DASHES[series.ink].split()] or ([7.0, 4.0] if series.dashed else [])
        data = [{"x": a, "y": b, "order": i} for i, (a, b) in enumerate(series.points)]
        order = {"field": "order", "type": "quantitative"}
        return [_layer(data, {**mark, "strokeDash": dash}, x=_channel(x, "x"), y=_channel(y, "y"), order=order, color=shown)]
    if isinstance(series, Area):
        outline = [{"x": a, "y": b, "order": i} for i, (a, b) in enumerate(series.path)]
        mark = {"type": "line", "interpolate": "linear-closed", "filled": True, "fillOpacity": 0.14, "strokeWidth": 0}
        order = {"field": "order", "type": "quantitative"}
        return [_layer(outline, mark, x=_channel(x, "x"), y=_channel(y, "y"), order=order, fill=shown)]
    if isinstance(series, Dots):
        return _dots(series, x, y, shown)
    return _bars(series, x, y, shown)


def _dots(series: Dots, x: Ruler, y: Ruler, shown: dict[str, Any]) -> list[dict[str, Any]]:
    corners = [dot.corners for dot in series.dots]
    data = [{"x": c[0][0], "y": c[0][1], "x1": c[1][0], "x2": c[2][0], "y1": c[1][1], "y2": c[2][1]} for c in corners]
    point = {"type": "point", "filled": True, "size": 60, "shape": SHAPES.get(series.ink, "circle"), "tooltip": True}
    rule = {"type": "rule", "strokeWidth": 1.5}
    return [
        _layer(data, rule, x=_channel(x, "x1"), x2={"field": "x2"}, y=_channel(y, "y"), color=shown),
        _layer(data, rule, x=_channel(x, "x"), y=_channel(y, "y1"), y2={"field": "y2"}, color=shown),
        _layer(data, point, x=_channel(x, "x"), y=_channel(y, "y"), color=shown),
    ]


def _bars(series: Bars, x: Ruler, y: Ruler, shown: dict[str, Any]) -> list[dict[str, Any]]:
    zero = y.low if y.axis.scale == "log" else 0.0
    data = [
        {
            "left": bar.left,
            "right": bar.right,
            "middle": bar.middle,
            "value": bar.value,
            "zero": zero,
            "low": min(bar.ends),
            "high": max(bar.ends),
        }
        for bar in series.bars
    ]
    rect = {"type": "rect", "fillOpacity": 0.82, "tooltip": True}
    layers = [
        _layer(
            data, rect, x=_channel(x, "left"), x2={"field": "right"}, y=_channel(y, "value"), y2={"field": "zero"}, color=shown
        )
    ]
    if any(len(bar.ends) > 1 for bar in series.bars):
        rule = {"type": "rule", "color": LIGHT.text}
        layers.append(_layer(data, rule, x=_channel(x, "middle"), y=_channel(y, "low"), y2={"field": "high"}))
    return layers


def _layer(data: list[dict[str, float]], mark: dict[str, Any], **encoding: Any) -> dict[str, Any]:
    return {"data": {"values": data}, "mark": mark, "encoding": encoding}


def _channel(ruler: Ruler, field: str) -> dict[str, Any]:
    scale = {"type": ruler.axis.scale, "domain": [ruler.low, ruler.high], "nice": False, "zero": False}
    if ruler.axis.scale == "log":
        del scale["zero"]
    axis: dict[str, Any] = {"title": ruler.axis.label, "values": [value for value, _ in ruler.ticks]}
    if ruler.axis.places:
        names = {str(value): name for value, name in ruler.axis.places}
        axis["labelExpr"] = _choice(names)
    return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}


def _choice(names: dict[str, str]) -> str:
    """A Vega expression that writes each place's name; names are quoted as JSON, so that none can end its quotes."""
    import json  # noqa: PLC0415  needed for named places only

    pairs = ", ".join(f"{json.dumps(value)}: {json.dumps(name)}" for value, name in names.items())
    return f"({{{pairs}}})[toString(datum.value)]"
