"""Charts are plain data, and what cannot be drawn truthfully is an error before it is drawn."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.figures.samples import CHARTS, gaussian, leaves, pure
from twoworlds.figures import (
    Area,
    Axis,
    Bar,
    Bars,
    Chart,
    Dot,
    Dots,
    Line,
    Undrawable,
    burn_down,
    curves,
    histogram,
    html,
    privacy_curve,
    svg,
    terminal,
    tradeoff,
    two_laws,
    vega_lite,
)

X, Y = Axis("x"), Axis("y")
NOT_NUMBERS: tuple[Any, ...] = (math.nan, math.inf, -math.inf, 1e301, None, "1", True, 1j, [], Decimal("NaN"), 10**400, float)
NOT_TEXTS: tuple[Any, ...] = (None, "", "  ", 3, b"x")


def refuses(call: Callable[[], object]) -> Undrawable:
    """The call raises our error, with what is wrong and how to fix it."""
    with pytest.raises(Undrawable) as caught:
        call()
    error = caught.value
    assert error.what and error.fix and str(error) == f"{error.what}. {error.fix}"
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    return error


@pytest.mark.parametrize("bad", NOT_NUMBERS, ids=repr)
@pytest.mark.parametrize(
    "call",
    [
        lambda bad: Line("a", ((0, bad),)),
        lambda bad: Line("a", ((bad, 0),)),
        lambda bad: Area("a", ((0, 0),), ((0, bad),)),
        lambda bad: Dot(bad, 0),
        lambda bad: Dot(y=bad, x=0),
        lambda bad: Dot(0, 0, y_high=bad or ""),
        lambda bad: Bar(0, bad, 1),
        lambda bad: Bar(bad, 1, 1),
        lambda bad: Bar(0, 1, bad),
        lambda bad: Bar(0, 1, 1, low=bad or ""),
        lambda bad: Axis("x", places=((bad, "a"),)),
        lambda bad: Axis("x", low=bad or ""),
        lambda bad: histogram("t", [1, bad], edges=[0, 1, 2]),
        lambda bad: histogram("t", [1, 2], edges=[0, 1, bad]),
        lambda bad: two_laws("t", ["a", "b"], {"w": [0.5, bad]}),
        lambda bad: burn_down("t", [(0, 1), (1, bad)], 1),
        lambda bad: burn_down("t", [(0, 1)], bad),
        lambda bad: curves("t", {"a": [(0, bad)]}, X, Y),
        lambda bad: tradeoff("t", {"a": [(0, 1), (1, bad)]}),
    ],
)
def test_what_is_no_finite_number_is_refused(call: Callable[[Any], object], bad: Any) -> None:
    """NaN, infinity, truth values and texts never become a place on paper."""
    refuses(lambda: call(bad))


@pytest.mark.parametrize("bad", NOT_TEXTS, ids=repr)
@pytest.mark.parametrize(
    "call",
    [
        Axis,
        lambda bad: Axis("x", places=((0, bad),)),
        lambda bad: Line(bad, ((0, 0),)),
        lambda bad: Dots(bad, (Dot(0, 0),)),
        lambda bad: Bars(bad, (Bar(0, 1, 1),)),
        lambda bad: Area(bad, ((0, 0),), ((0, 0),)),
        lambda bad: Chart(bad, "d", X, Y, (Line("a", ((0, 0),)),)),
        lambda bad: Chart("t", bad, X, Y, (Line("a", ((0, 0),)),)),
    ],
)
def test_everything_has_a_name(call: Callable[[Any], object], bad: Any) -> None:
    """No chart without title, description, labels and names: people who do not see it depend on them."""
    refuses(lambda: call(bad))


@pytest.mark.parametrize(
    "call",
    [
        lambda: Axis("x", "cubic"),  # type: ignore[arg-type]  # malformed on purpose
        lambda: Axis("x", low=1, high=1),
        lambda: Axis("x", low=2, high=1),
        lambda: Axis("x", "log", low=0),
        lambda: Axis("x", "log", places=((0, "zero"),)),
        lambda: Line("a", ()),
        lambda: Line("a", ((1, 2, 3),)),  # type: ignore[arg-type]  # malformed on purpose
        lambda: Line("a", "12"),  # type: ignore[arg-type]  # malformed on purpose
        lambda: Line("a", 3),  # type: ignore[arg-type]  # malformed on purpose
        lambda: Line("a", ((0, 0),), "pink"),  # type: ignore[arg-type]  # malformed on purpose
        lambda: Area("a", (), ((0, 0),)),
        lambda: Dots("a", ()),
        lambda: Dots("a", ((0, 0),)),  # type: ignore[arg-type]  # malformed on purpose
        lambda: Dot(0, 0, x_low=1),
        lambda: Dot(0, 0, y_high=-1),
        lambda: Bars("a", ()),
        lambda: Bar(1, 1, 1),
        lambda: Bar(2, 1, 1),
        lambda: Bar(0, 1, 5, low=6),
        lambda: Chart("t", "d", X, Y, ()),
        lambda: Chart("t", "d", X, Y, ("line",)),  # type: ignore[arg-type]  # malformed on purpose
        lambda: Chart("t", "d", "x", Y, (Line("a", ((0, 0),)),)),  # type: ignore[arg-type]  # malformed on purpose
        lambda: Chart("t", "d", X, Axis("y", "log"), (Line("a", ((0, 0),)),)),
        lambda: Chart("t", "d", X, Axis("y", low=1), (Line("a", ((0, 0),)),)),
        lambda: Chart("t", "d", X, Axis("y", low=1), (Bars("a", (Bar(0, 1, 2),)),)),
        lambda: Chart("t", "d", X, Axis("y", "log"), (Bars("a", (Bar(0, 1, 2, low=-1),)),)),
        lambda: curves("t", {}, X, Y),
        lambda: curves("t", {str(i): [(0, 0)] for i in range(6)}, X, Y),
        lambda: tradeoff("t", {}),
        lambda: tradeoff("t", {str(i): pure(1) for i in range(5)}),
        lambda: tradeoff("t", {"a": pure(1)}, floor=0),
        lambda: tradeoff("t", {"a": pure(1)}, floor=1),
        lambda: tradeoff("t", {"a": [(0, 1.1), (1, 0)]}),
        lambda: privacy_curve("t", {"pure": [(0, 0), (1, 0)]}),
        lambda: privacy_curve("t", {}),
        lambda: histogram("t", [1, 2]),
        lambda: histogram("t", [1, 2], edges=[0, 1]),
        lambda: histogram("t", [1, 2], labels=["a"]),
        lambda: histogram("t", [1, 2], edges=[0, 1, 2], labels=["a", "b"]),
        lambda: histogram("t", [1, 2], edges=[0, 2, 1]),
        lambda: histogram("t", [1, 2], labels=["a", "b"], intervals=[(0, 2)]),
        lambda: histogram("t", [], labels=[]),
        lambda: two_laws("t", [0, 1], {"w": [1.0]}),
        lambda: two_laws("t", [0, 1], {}),
        lambda: burn_down("t", [], 1),
        lambda: burn_down("t", [(0, -1)], 1),
        lambda: svg("chart"),  # type: ignore[arg-type]  # malformed on purpose
        lambda: vega_lite(None),  # type: ignore[arg-type]  # malformed on purpose
        lambda: terminal(3),  # type: ignore[arg-type]  # malformed on purpose
        lambda: svg(CHARTS["tradeoff"], 10, 10),
        lambda: svg(CHARTS["tradeoff"], 720.5, 440),  # type: ignore[arg-type]  # malformed on purpose
        lambda: svg(CHARTS["tradeoff"], 10**9, 440),
        lambda: terminal(CHARTS["tradeoff"], 10),
        lambda: terminal(CHARTS["tradeoff"], 76, 1000),
    ],
)
def test_malformed_charts_are_refused(call: Callable[[], object]) -> None:
    """Empty, reversed, truncated, out of range or of the wrong kind: an error that says how to fix it."""
    refuses(call)


def test_numbers_of_any_kind_are_drawn() -> None:
    """Fractions and decimals are numbers too; zero loses its sign."""
    line = Line("a", ((Fraction(1, 2), Decimal("0.25")), (-0.0, 1)))  # type: ignore[arg-type]  # what a person may write
    assert line.points == ((0.5, 0.25), (0.0, 1.0)) and math.copysign(1, line.points[1][0]) == 1


def test_text_hides_nothing() -> None:
    """Control characters, escape sequences and direction marks become visible signs; line breaks become spaces."""
    chart = Chart("a\x1b[2Jb\u202ec\x00\nd", "d", X, Y, (Line("a", ((0, 0),)),))
    assert chart.title == "a\ufffd[2Jb\ufffdc\ufffd d"


floats = some.floats(allow_nan=True, allow_infinity=True)


@given(
    some.lists(some.tuples(floats, floats), max_size=6),
    some.sampled_from(["linear", "log"]),
    some.sampled_from(["linear", "log"]),
)
def test_any_points_are_drawn_everywhere_or_refused(points: list[tuple[float, float]], across: Any, up: Any) -> None:
    """Arbitrary floats, tiny, huge and odd, either make a chart that all four forms draw, or are refused."""
    try:
        chart = curves("t", {"a": points}, Axis("x", across), Axis("y", up))
    except Undrawable:
        assert not points or any(not abs(v) <= 1e300 for point in points for v in point) or "log" in (across, up)
        return
    assert "nan" not in svg(chart) and "inf" not in svg(chart)
    assert html(chart) and vega_lite(chart) and terminal(chart)


def test_steps_hold_their_value() -> None:
    """A stepped line keeps its value until the next point."""
    assert Line("a", ((0, 5), (2, 3)), steps=True).path == ((0, 5), (2, 5), (2, 3))


def test_what_contradicts_a_claim() -> None:
    """Only a test whose whole interval lies below the curve contradicts; one that touches it does not."""
    on = Dot(0.2, 0.2, 0.18, 0.22, 0.18, 0.22)
    corner = 1 / (1 + math.e)
    touching = Dot(0.2, 0.2, 0.1, corner, 0.1, corner + 1e-9)
    chart = tradeoff("t", {"claim": pure(1)}, [on, touching, Dot(0.5, 0.5), Dot(1.0, 0.0), Dot(0.0, 1.0)])
    dots = {series.name: len(series.dots) for series in chart.series if isinstance(series, Dots)}
    assert dots == {"observed test": 4, "contradicts the claim": 1}


def test_without_a_claim_nothing_contradicts() -> None:
    """Observed tests may stand alone, with the random guess for comparison."""
    chart = tradeoff("t", {}, [Dot(0.1, 0.1)])
    assert [type(series) for series in chart.series] == [Line, Dots]


@pytest.mark.parametrize("floor", [None, 1e-3, 1e-6])
def test_the_allowed_region_is_the_curve_and_its_mirror_image(floor: float | None) -> None:
    """The region's lower side is the claim, its upper side the claim turned about (1/2, 1/2)."""
    chart = tradeoff("t", {"claim": gaussian(1)}, floor=floor)
    area = next(series for series in chart.series if isinstance(series, Area))
    if floor is None:
        assert area.lower == tuple(gaussian(1))
        assert area.upper == tuple((1 - x, 1 - y) for x, y in reversed(gaussian(1)))
    assert all((floor or 0) <= min(point) and max(point) <= 1 for point in area.places)


def test_straight_lines_bend_on_logarithmic_axes() -> None:
    """Between two corners of a curve the drawn points lie on the straight line, on both axes down to the floor."""
    chart = tradeoff("t", {"claim": pure(2)}, floor=1e-4)
    line = next(series for series in chart.series if isinstance(series, Line) and series.name == "claim")
    corner = 1 / (1 + math.exp(2))
    for x, y in line.points:
        expected = 1 - x * (1 - corner) / corner if x <= corner else (1 - x) * corner / (1 - corner)
        assert y == pytest.approx(max(expected, 1e-4), abs=1e-12) or x == 1e-4
    for near in (1e-3, 1e-2):
        assert any(near / 2 < x < near * 2 for x, _ in line.points) and any(near / 2 < y < near * 2 for _, y in line.points)


def test_a_privacy_curve_stops_where_it_meets_the_floor() -> None:
    """The crossing is put in by a straight line on the logarithmic axis; a delta of exactly 0 falls to the floor there."""
    points = [(e, 10.0**-e) for e in range(10)]
    line = privacy_curve("t", {"a": points}, floor=3e-5).series[0]
    assert isinstance(line, Line) and line.points[-1] == pytest.approx((-math.log10(3e-5), 3e-5))
    fallen = privacy_curve("t", {"a": [(0, 0.5), (1, 0.1), (2, 0.0), (3, 0.0)]}).series[0]
    assert isinstance(fallen, Line) and fallen.points == ((0, 0.5), (1, 0.1), (2, 0.01))
    assert all(delta > 0 for _, delta in privacy_curve("t", {"a": leaves(0.1)}).places)


def test_a_budget_is_drawn_on_after_its_last_release() -> None:
    """What is left stays left to the right edge, and the axis begins at nothing."""
    chart = burn_down("t", [("a", 3), ("b", 1)], 4)
    line = next(series for series in chart.series if isinstance(series, Line) and series.ink == "first")
    assert line.points == ((0, 3), (1, 1), (1.5, 1)) and chart.y.low == 0 and chart.x.places == ((0, "a"), (1, "b"))


def test_the_legend_lists_each_name_once() -> None:
    """Data first, then areas, then what they are compared with."""
    legend = CHARTS["audit"].legend
    assert [series.name for series in legend] == [
        "claimed ε = 1",
        "observed test",
        "contradicts the claim",
        "what claimed ε = 1 allows",
        "a random guess",
    ]
    assert [series.name for series in CHARTS["budget"].legend] == ["epsilon left", "whole budget"]
