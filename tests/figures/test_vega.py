"""Vega-Lite: a plain dictionary with the same data, ranges and words; nothing fetched, nothing to execute."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest

from tests.figures.samples import CHARTS
from twoworlds.figures import Area, Bars, Dots, Line, vega_lite
from twoworlds.figures.scales import rulers

every_chart = pytest.mark.parametrize("name", CHARTS)


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for part in value.values():
            yield from leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from leaves(part)
    else:
        yield value


@every_chart
def test_the_specification_is_plain_json(name: str) -> None:
    """It survives JSON without NaN, is deterministic, and all its numbers are finite."""
    spec = vega_lite(CHARTS[name])
    text = json.dumps(spec, allow_nan=False)
    assert json.loads(text) == spec == vega_lite(CHARTS[name])
    assert all(isinstance(leaf, str | int | float | bool | None) for leaf in leaves(spec))
    assert all(math.isfinite(leaf) for leaf in leaves(spec) if isinstance(leaf, float))
    assert text.count("http") == 1 and '"url"' not in text and '"href"' not in text


@every_chart
def test_the_specification_says_what_the_chart_says(name: str) -> None:
    """Title, description, labels, ranges and every series with its data and its name are there."""
    chart = CHARTS[name]
    spec = vega_lite(chart)
    assert spec["title"]["text"] == chart.title and chart.description in spec["description"]
    data = [layer["data"]["values"] for layer in spec["layer"]]
    assert {row["series"] for rows in data for row in rows} == {series.name for series in chart.series}
    x, y = rulers(chart, 6, 5)
    for layer in spec["layer"]:
        assert layer["encoding"]["x"]["scale"]["domain"] == [x.low, x.high]
        assert layer["encoding"]["y"]["scale"] | {"zero": False} == {
            "type": y.axis.scale,
            "domain": [y.low, y.high],
            "nice": False,
            "zero": False,
        }
        assert layer["encoding"]["x"]["axis"]["title"] == chart.x.label
    for series in chart.series:
        rows = next(rows for rows in data if rows[0]["series"] == series.name and len(rows) == count(series))
        if isinstance(series, Line):
            assert [(row["x"], row["y"]) for row in rows] == list(series.points)
        elif isinstance(series, Area):
            assert [(row["x"], row["y"]) for row in rows] == list(series.path)
        elif isinstance(series, Dots):
            assert [(row["x"], row["y"]) for row in rows] == [(dot.x, dot.y) for dot in series.dots]
        else:
            assert isinstance(series, Bars)
            assert [(row["left"], row["right"], row["value"]) for row in rows] == [
                (b.left, b.right, b.value) for b in series.bars
            ]


def count(series: Any) -> int:
    if isinstance(series, Line):
        return len(series.points)
    if isinstance(series, Area):
        return len(series.path)
    return len(series.dots) if isinstance(series, Dots) else len(series.bars)


def test_places_are_named_by_data_not_by_code() -> None:
    """The one expression in a specification is a look-up in a JSON object: no name can end its quotes."""
    for name in ("hostile", "wards", "budget"):
        chart = CHARTS[name]
        expression = vega_lite(chart)["layer"][0]["encoding"]["x"]["axis"]["labelExpr"]
        assert expression.startswith("({") and expression.endswith("})[toString(datum.value)]")
        table = json.loads(expression.removeprefix("(").removesuffix(")[toString(datum.value)]"))
        assert list(table.values()) == [place for _, place in chart.x.places]
        assert [float(key) for key in table] == [value for value, _ in chart.x.places]


def test_colours_belong_to_names() -> None:
    """Every layer uses one shared mapping from names to colours."""
    spec = vega_lite(CHARTS["audit"])
    channels = [layer["encoding"].get("color") or layer["encoding"]["fill"] for layer in spec["layer"]]
    assert all(channel["scale"] == channels[0]["scale"] and channel["field"] == "series" for channel in channels)
    assert len(channels[0]["scale"]["domain"]) == len(channels[0]["scale"]["range"]) == 5


def test_sizes_are_kept() -> None:
    """A given size is taken; otherwise trade-offs are square."""
    assert (vega_lite(CHARTS["audit"])["width"], vega_lite(CHARTS["audit"])["height"]) == (480, 480)
    assert (vega_lite(CHARTS["audit"], 300, 200)["width"], vega_lite(CHARTS["audit"], 300, 200)["height"]) == (300, 200)
