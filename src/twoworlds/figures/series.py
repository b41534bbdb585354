"""What can be drawn on two axes: a Line, an Area between two lines, Dots with intervals, Bars with intervals.

A series' `ink` says what it is, not what colour it has: "first" to "fifth" for data, "neutral" for what the data are compared
with, "alarm" for what must not be.
"""

from __future__ import annotations

from dataclasses import dataclass

from twoworlds.figures import checks
from twoworlds.figures.checks import Ink, Point, Undrawable, settle

__all__ = ["Area", "Bar", "Bars", "Dot", "Dots", "Line", "Series"]


@dataclass(frozen=True)
class Line:
    """Points joined in order; as `steps`, each value holds until the next point."""

    name: str
    points: tuple[Point, ...]
    ink: Ink = "first"
    dashed: bool = False
    steps: bool = False

    def __post_init__(self) -> None:
        settle(
            self,
            name=checks.text(self.name, "a series' name"),
            points=checks.points(self.points, self.name),
            ink=checks.ink(self.ink),
        )

    @property
    def places(self) -> tuple[Point, ...]:
        """Every point that must fit on the axes."""
        return self.points

    @property
    def path(self) -> tuple[Point, ...]:
        """The corners of the drawn line."""
        return _stepped(self.points) if self.steps else self.points


@dataclass(frozen=True)
class Area:
    """What lies between two lines, each given from left to right."""

    name: str
    lower: tuple[Point, ...]
    upper: tuple[Point, ...]
    ink: Ink = "first"
    steps: bool = False

    def __post_init__(self) -> None:
        settle(self, name=checks.text(self.name, "a series' name"), ink=checks.ink(self.ink))
        settle(self, lower=checks.points(self.lower, self.name), upper=checks.points(self.upper, self.name))

    @property
    def places(self) -> tuple[Point, ...]:
        return self.lower + self.upper

    @property
    def path(self) -> tuple[Point, ...]:
        """The outline: along the lower line and back along the upper."""
        lower, upper = (_stepped(side) if self.steps else side for side in (self.lower, self.upper))
        return lower + upper[::-1]


@dataclass(frozen=True)
class Dot:
    """One observation, with intervals across and upwards where known."""

    x: float
    y: float
    x_low: float | None = None
    x_high: float | None = None
    y_low: float | None = None
    y_high: float | None = None

    def __post_init__(self) -> None:
        _settle_numbers(self, ("x", "y"), ("x_low", "x_high", "y_low", "y_high"))
        for value, low, high in ((self.x, self.x_low, self.x_high), (self.y, self.y_low, self.y_high)):
            checks.between(value, low, high)

    @property
    def corners(self) -> tuple[Point, ...]:
        x = (self.x, self.x if self.x_low is None else self.x_low, self.x if self.x_high is None else self.x_high)
        y = (self.y, self.y if self.y_low is None else self.y_low, self.y if self.y_high is None else self.y_high)
        return tuple(zip(x, y, strict=True))


@dataclass(frozen=True)
class Dots:
    """Observations that are not joined."""

    name: str
    dots: tuple[Dot, ...]
    ink: Ink = "second"

    def __post_init__(self) -> None:
        settle(
            self,
            name=checks.text(self.name, "a series' name"),
            dots=checks.several(self.dots, Dot, self.name),
            ink=checks.ink(self.ink),
        )

    @property
    def places(self) -> tuple[Point, ...]:
        return tuple(corner for dot in self.dots for corner in dot.corners)


@dataclass(frozen=True)
class Bar:
    """A bar from `left` to `right`, as high as its value, with an interval where known."""

    left: float
    right: float
    value: float
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        _settle_numbers(self, ("left", "right", "value"), ("low", "high"))
        if self.left >= self.right:
            raise Undrawable(f"a bar runs from {self.left} to {self.right}", "Give its left side first")
        checks.between(self.value, self.low, self.high)

    @property
    def middle(self) -> float:
        return self.left + (self.right - self.left) / 2

    @property
    def ends(self) -> tuple[float, ...]:
        """The heights that must fit on the axis."""
        return tuple(value for value in (self.value, self.low, self.high) if value is not None)


@dataclass(frozen=True)
class Bars:
    """Bars side by side; they stand on 0, or on a logarithmic axis's lower end."""

    name: str
    bars: tuple[Bar, ...]
    ink: Ink = "first"

    def __post_init__(self) -> None:
        settle(
            self,
            name=checks.text(self.name, "a series' name"),
            bars=checks.several(self.bars, Bar, self.name),
            ink=checks.ink(self.ink),
        )

    @property
    def places(self) -> tuple[Point, ...]:
        return tuple((side, end) for bar in self.bars for end in bar.ends for side in (bar.left, bar.right))


Series = Line | Area | Dots | Bars


def _settle_numbers(target: object, needed: tuple[str, ...], optional: tuple[str, ...]) -> None:
    for name in needed + optional:
        value = getattr(target, name)
        if value is not None or name in needed:
            settle(target, **{name: checks.number(value, name)})


def _stepped(points: tuple[Point, ...]) -> tuple[Point, ...]:
    corners = [points[0]]
    for x, y in points[1:]:
        corners += [(x, corners[-1][1]), (x, y)]
    return tuple(corners)
