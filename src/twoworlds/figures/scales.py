"""From data to places on paper: ranges, ticks at round numbers, and how numbers are written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from twoworlds.figures.charts import Axis, Chart
from twoworlds.figures.series import Bars

__all__ = ["Ruler", "rulers", "written"]

TIMES, MINUS = "\N{MULTIPLICATION SIGN}", "\N{MINUS SIGN}"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Ruler:
    """One axis with its range settled and its ticks chosen."""

    axis: Axis
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def share(self, value: float) -> float:
        """Where a value lies between the ends, as a share from 0 to 1 (outside that range if it lies outside)."""
        if self.axis.scale == "log":
            return (math.log10(value) - math.log10(self.low)) / (math.log10(self.high) - math.log10(self.low))
        return (value - self.low) / (self.high - self.low)


def rulers(chart: Chart, across: int, upwards: int) -> tuple[Ruler, Ruler]:
    """Both axes of a chart with about so many ticks; bars stand on zero, so zero is in their range."""
    places = chart.places
    heights = [y for _, y in places]
    if chart.y.scale == "linear" and any(isinstance(series, Bars) for series in chart.series):
        heights.append(0.0)
    return _ruler(chart.x, [x for x, _ in places], across), _ruler(chart.y, heights, upwards)


def _ruler(axis: Axis, values: Sequence[float], count: int) -> Ruler:
    low = min(values) if axis.low is None else axis.low
    high = max(values) if axis.high is None else axis.high
    low, high = (low, high) if low <= high else (high, low)
    settle = _decades if axis.scale == "log" else _rounds
    least, most, ticks = settle(low, high, count)
    low = least if axis.low is None and not axis.places else low
    high = most if axis.high is None and not axis.places else high
    if low == high:
        low, high = least, most
    named = axis.places or ticks
    return Ruler(
        axis, low, high, tuple((value, name) for value, name in named if low <= value <= high or _near(value, low, high))
    )


def _near(value: float, low: float, high: float) -> bool:
    """A tick that rounding has put a hair outside the range."""
    return min(abs(value - low), abs(value - high)) <= 1e-9 * max(abs(low), abs(high))


def _rounds(low: float, high: float, count: int) -> tuple[float, float, tuple[tuple[float, str], ...]]:
    """A linear range widened to multiples of 1, 2 or 5 times a power of ten, and those multiples."""
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        margin = abs(low) / 2 or 1.0
        low, high = low - margin, high + margin
    rough = (high - low) / max(count, 1)
    power = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 5e-324
    step = next((m * power for m in (1, 2, 5) if m * power >= rough * (1 - 1e-9)), 10 * power)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    ticks = [round(i * step, decimals) if decimals < 300 else i * step for i in range(first, last + 1)]
    return first * step, last * step, tuple((tick + 0.0, _plain(tick, step, max(abs(first), abs(last)) * step)) for tick in ticks)


def _plain(tick: float, step: float, largest: float) -> str:
    """A tick with as many digits as its neighbours, in powers of ten where the numbers would be long."""
    if largest >= 1e7 or step < 1e-5:
        power = math.floor(math.log10(largest))
        digits = max(0, power - math.floor(math.log10(step) + 1e-9))
        return "0" if tick == 0 else f"{tick / 10.0**power:.{digits}f}{TIMES}10{_raised(power)}".replace("-", MINUS)
    return f"{tick:,.{max(0, -math.floor(math.log10(step) + 1e-9))}f}".replace("-", MINUS)


def _decades(low: float, high: float, count: int) -> tuple[float, float, tuple[tuple[float, str], ...]]:
    """A logarithmic range widened to powers of ten, and as many of them as fit; within one decade also 2 and 5."""
    first, last = math.floor(math.log10(low) + 1e-12), math.ceil(math.log10(high) - 1e-12)
    if first == last:
        first, last = first - 1, last + 1
    stride = max(1, math.ceil((last - first) / max(count, 1)))
    powers = range(last, first - 1, -stride)[::-1]
    steps = (1, 2, 5) if last - first <= 1 else (1,)
    short = all(-4 <= power <= 4 for power in powers)
    ticks = [
        (m * 10.0**power, f"{m * 10.0**power:,g}" if short or m * power == 0 else _power(m, power))
        for power in powers
        for m in steps
    ]
    return 10.0**first, 10.0**last, tuple(tick for tick in ticks if tick[0] <= 10.0**last * (1 + 1e-9))


def _power(multiple: int, power: int) -> str:
    return f"{f'{multiple}{TIMES}' if multiple > 1 else ''}10{_raised(power)}"


def _raised(power: int) -> str:
    return str(power).translate(_SUPERSCRIPTS)


def written(value: float) -> str:
    """A number for a table or a tip: six significant digits."""
    return f"{value:.6g}".replace("-", MINUS)
