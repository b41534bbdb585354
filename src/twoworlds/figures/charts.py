"""A chart as plain data: two axes and a few series. What cannot be drawn truthfully is an error here, before it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from twoworlds.figures import checks
from twoworlds.figures.checks import Point, Undrawable, settle
from twoworlds.figures.series import Area, Bars, Dots, Line, Series

__all__ = ["Axis", "Chart"]

Scale = Literal["linear", "log"]
LEAST = 1e-300  # on a logarithmic axis


@dataclass(frozen=True)
class Axis:
    """A label with its unit, a scale, and the range where the data should not choose it; `places` names single values."""

    label: str
    scale: Scale = "linear"
    low: float | None = None
    high: float | None = None
    places: tuple[tuple[float, str], ...] = ()

    def __post_init__(self) -> None:
        settle(self, label=checks.text(self.label, "an axis label"))
        if self.scale not in get_args(Scale):
            raise Undrawable(f"the scale {self.scale!r} is unknown", "Choose 'linear' or 'log'")
        low, high = ((None if end is None else checks.number(end, self.label)) for end in (self.low, self.high))
        if low is not None and high is not None and low >= high:
            raise Undrawable(f"the axis {self.label!r} runs from {low} to {high}", "Give the lower end first")
        settle(self, low=low, high=high)
        for end in (low, high):
            if end is not None:
                self.place(end)
        places = tuple((self.place(value), checks.text(name, "a place's name")) for value, name in self.places)
        settle(self, places=places)

    def place(self, value: object) -> float:
        """The value as a number that this axis can show."""
        number = checks.number(value, self.label)
        if self.scale == "log" and number < LEAST:
            raise Undrawable(
                f"{self.label}: {number} has no place on a logarithmic axis", "Cut such points, or use a linear axis"
            )
        if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
            raise Undrawable(f"{self.label}: {number} lies outside the axis", "Cut such points, or leave the range to the data")
        return number


@dataclass(frozen=True)
class Chart:
    """A title that says what to see, a description for whoever cannot see it, two axes, and series from back to front.

    `square` charts have two axes of like quantities.
    """

    title: str
    description: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    square: bool = False

    def __post_init__(self) -> None:
        settle(self, title=checks.text(self.title, "the title"), description=checks.text(self.description, "the description"))
        if not isinstance(self.x, Axis) or not isinstance(self.y, Axis):
            raise Undrawable("an axis is missing", "Give Axis('label') for x and y")
        settle(self, series=checks.several(self.series, Line | Area | Dots | Bars, "the chart"))
        for x, y in self.places:
            self.x.place(x)
            self.y.place(y)
        if self.y.scale == "linear" and any(isinstance(series, Bars) for series in self.series):
            self.y.place(0.0)  # bars that do not stand on zero mislead

    @property
    def places(self) -> tuple[Point, ...]:
        """Every point that must fit on the axes."""
        return tuple(place for series in self.series for place in series.places)

    @property
    def legend(self) -> tuple[Series, ...]:
        """A series for each name: lines, dots and bars first, then areas, then what they are compared with."""
        named: dict[str, Series] = {}
        for series in sorted(self.series, key=lambda series: 2 if series.ink == "neutral" else int(isinstance(series, Area))):
            named.setdefault(series.name, series)
        return tuple(named.values())
