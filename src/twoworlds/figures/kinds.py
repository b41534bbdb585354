"""The kinds of chart that privacy needs, made of plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from twoworlds.figures import checks
from twoworlds.figures.charts import Axis, Chart
from twoworlds.figures.checks import Ink, Point, Undrawable
from twoworlds.figures.scales import written
from twoworlds.figures.series import Area, Bar, Bars, Line, Series

__all__ = ["burn_down", "curves", "histogram", "privacy_curve", "two_laws"]

INKS: tuple[Ink, ...] = ("first", "second", "third", "fourth", "fifth")
MANY = 40  # outputs beyond which two laws are drawn as steps


def inks(names: Sequence[object]) -> tuple[Ink, ...]:
    """An ink for each name; there are five, for more lines nobody can tell apart."""
    if len(names) > len(INKS):
        raise Undrawable(f"{len(names)} series in one chart", f"Draw at most {len(INKS)}, and split the rest into further charts")
    return INKS[: len(names)]


def curves(title: str, lines: Mapping[str, Sequence[Point]], x: Axis, y: Axis, *, description: str = "") -> Chart:
    """Any named curves over two axes."""
    series = tuple(Line(name, tuple(points), ink) for (name, points), ink in zip(lines.items(), inks(tuple(lines)), strict=True))
    return Chart(title, description or f"{y.label} over {x.label} for {', '.join(lines)}.", x, y, series)


def privacy_curve(
    title: str, lines: Mapping[str, Sequence[Point]], *, floor: float | None = None, description: str = ""
) -> Chart:
    """delta over epsilon, delta on a logarithmic axis down to `floor`; a curve that reaches delta = 0 falls to the axis there."""
    lines = {name: checks.points(points, name) for name, points in lines.items()}
    smallest = [delta for points in lines.values() for _, delta in points if delta > 0]
    if not smallest:
        raise Undrawable("no curve has a delta above 0", "A pure guarantee has no such curve: state its epsilon")
    least = min(smallest) / 10 if floor is None else checks.number(floor, "the floor")
    drawn = {name: _fallen(points, least) for name, points in lines.items()}
    words = description or f"The delta that each epsilon leaves, for {', '.join(lines)}."
    return curves(title, drawn, Axis("epsilon"), Axis("delta", "log", low=floor), description=words)


def _fallen(points: Sequence[Point], floor: float) -> tuple[Point, ...]:
    """The points above the floor, in order of epsilon, and where the curve crosses the floor; at delta = 0 it falls there."""
    kept: list[Point] = []
    for epsilon, delta in sorted(points):
        if delta > floor:
            kept.append((epsilon, delta))
            continue
        if kept and delta > 0:
            before, above = kept[-1]
            kept.append((before + (epsilon - before) * math.log(above / floor) / math.log(above / delta), floor))
        else:
            kept.append((epsilon, floor))
        break
    return tuple(kept)


def histogram(
    title: str,
    heights: Sequence[float],
    *,
    edges: Sequence[float] = (),
    labels: Sequence[str] = (),
    intervals: Sequence[tuple[float, float]] = (),
    x: str = "",
    y: str = "count",
    name: str = "released",
    description: str = "",
) -> Chart:
    """Bars over number ranges (one more edge than bars) or over labels, each with its interval where there are any."""
    if (len(edges) != len(heights) + 1) == (len(labels) != len(heights)):
        raise Undrawable(
            f"{len(heights)} bars, {len(edges)} edges, {len(labels)} labels", "Give a label for each bar, or one edge more"
        )
    if intervals and len(intervals) != len(heights):
        raise Undrawable(f"{len(heights)} bars and {len(intervals)} intervals", "Give an interval for each bar, or none")
    sides = list(pairwise(edges)) if edges else [(i - 0.4, i + 0.4) for i in range(len(heights))]
    ends: Sequence[tuple[float | None, float | None]] = intervals or [(None, None)] * len(heights)
    bars = tuple(Bar(*side, height, *end) for side, height, end in zip(sides, heights, ends, strict=True))
    words = description or f"{len(bars)} bars of {y}" + (", each with its interval." if intervals else ".")
    return Chart(title, words, _places(x or "group", labels), Axis(y), (Bars(name, bars),))


def two_laws(
    title: str,
    outputs: Sequence[float] | Sequence[str],
    laws: Mapping[str, Sequence[float]],
    *,
    log: bool = False,
    x: str = "output",
    description: str = "",
) -> Chart:
    """The output law in two (or a few) worlds over the same outputs: bars side by side, or steps where the outputs are many.

    On a logarithmic axis a ratio of e^epsilon is the same distance everywhere, so that the promise can be seen in the tails.
    """
    for name, law in laws.items():
        if len(law) != len(outputs):
            raise Undrawable(f"{name} has {len(law)} probabilities for {len(outputs)} outputs", "Give one for each output")
    laws = {name: [checks.number(p, name) for p in law] for name, law in laws.items()}
    named = any(isinstance(output, str) for output in outputs)
    y = Axis("probability", "log" if log else "linear")
    words = description or f"The law of the output in {' and '.join(laws)}."
    across = (
        _places(x, [output if isinstance(output, str) else written(output) for output in outputs])
        if named or len(outputs) <= MANY
        else Axis(x)
    )
    if across.places:
        width = 0.84 / max(len(laws), 1)
        series: list[Series] = [
            Bars(name, _beside(law, -0.42 + i * width, width, log), ink)
            for i, ((name, law), ink) in enumerate(zip(laws.items(), inks(tuple(laws)), strict=True))
        ]
        return Chart(title, words, across, y, tuple(series))
    series = []
    for (name, law), ink in zip(laws.items(), inks(tuple(laws)), strict=True):
        points = tuple((output, p) for output, p in zip(outputs, law, strict=True) if p > 0 or not log)
        series.append(Line(name, points, ink, steps=True))  # type: ignore[arg-type]  # no output is a text, see above
    return Chart(title, words, across, y, tuple(series))


def _beside(law: Sequence[float], offset: float, width: float, log: bool) -> tuple[Bar, ...]:
    return tuple(Bar(i + offset, i + offset + width, p) for i, p in enumerate(law) if p > 0 or not log)


def _places(label: str, names: Sequence[str]) -> Axis:
    """An axis of named places, one apart."""
    if not names:
        return Axis(label)
    return Axis(label, low=-0.6, high=len(names) - 0.4, places=tuple(enumerate(names)))


def burn_down(
    title: str,
    left: Sequence[tuple[str | float, float]],
    budget: float,
    *,
    unit: str = "epsilon",
    x: str = "",
    description: str = "",
) -> Chart:
    """What is left of a budget after each release: pairs of a time (a number, or text such as a date) and what was left then."""
    if not left:
        raise Undrawable("no release yet", "Give at least the budget's first day")
    named = any(isinstance(when, str) for when, _ in left)
    times = [float(i) if named else checks.number(when, "a time") for i, (when, _) in enumerate(left)]
    names = tuple((float(i), str(when)) for i, (when, _) in enumerate(left)) if named else ()
    across = Axis(x or ("release" if named else "time"), places=names)
    end = times[-1] + (0.5 if named else (times[-1] - times[0]) / 20 or 1.0)  # what is left stays left
    points = (*((time, rest) for time, (_, rest) in zip(times, left, strict=True)), (end, left[-1][1]))
    series = (
        Area(f"{unit} left", ((times[0], 0.0), (end, 0.0)), points, steps=True),
        Line(f"{unit} left", points, steps=True),
        Line("whole budget", ((times[0], budget), (end, budget)), "neutral", dashed=True),
    )
    words = description or f"Of a budget of {written(budget)}, {written(left[-1][1])} {unit} is left after {len(left)} entries."
    return Chart(title, words, across, Axis(f"{unit} left", low=0.0), series)
