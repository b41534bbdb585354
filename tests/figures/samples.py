"""Charts of every kind, ordinary and awkward, for all the tests of this room."""

from __future__ import annotations

import math
from statistics import NormalDist

from twoworlds.figures import (
    Area,
    Axis,
    Chart,
    Dot,
    Dots,
    Line,
    burn_down,
    curves,
    histogram,
    privacy_curve,
    tradeoff,
    two_laws,
)

NORMAL = NormalDist()
HOSTILE = "</svg><script>alert('x')</script>\"&<!--]]>\x00\x1b[31m\u202e${}\\u0022"
Points = list[tuple[float, float]]


def pure(epsilon: float) -> Points:
    """The trade-off curve of an epsilon-private mechanism, by its corners."""
    corner = 1 / (1 + math.exp(epsilon))
    return [(0.0, 1.0), (corner, corner), (1.0, 0.0)]


def gaussian(mu: float, points: int = 50) -> Points:
    """The trade-off curve between two unit Gaussians whose means are mu apart."""
    inner = [(i / points, NORMAL.cdf(NORMAL.inv_cdf(1 - i / points) - mu)) for i in range(1, points)]
    return [(0.0, 1.0), *inner, (1.0, 0.0)]


def leaves(mu: float) -> Points:
    """The delta that each epsilon leaves of a Gaussian mechanism (Balle and Wang 2018)."""
    grid = [i / 20 for i in range(121)]
    return [(e, max(0.0, NORMAL.cdf(mu / 2 - e / mu) - math.exp(e) * NORMAL.cdf(-mu / 2 - e / mu))) for e in grid]


def geometric(true: int, outputs: range) -> list[float]:
    return [math.exp(-abs(x - true)) * (math.e - 1) / (math.e + 1) for x in outputs]


OBSERVED = [Dot(x, y, x - 0.02, x + 0.02, y - 0.03, y + 0.03) for x, y in [(0.1, 0.7), (0.2, 0.5), (0.5, 0.25)]]
BROKEN = [Dot(0.1, 0.3, 0.08, 0.12, 0.27, 0.33)]
WARDS = ["Cardiology", "Oncology", "Paediatrics", "Neurology", "Emergency", "General surgery"]

CHARTS: dict[str, Chart] = {
    "tradeoff": tradeoff("What one answer can reveal", {"ε = 1": pure(1), "Gaussian, μ = 1": gaussian(1)}),
    "audit": tradeoff("An audit of 60,000 runs", {"claimed ε = 1": pure(1)}, OBSERVED + BROKEN),
    "corners": tradeoff("The same audit in the corners", {"claimed ε = 1": pure(1)}, OBSERVED + BROKEN, floor=1e-4),
    "band": tradeoff(
        "Observed curve with its band",
        {"claimed μ = 1": gaussian(1)},
        band=([(a, max(0.0, b - 0.04)) for a, b in gaussian(0.8)], [(a, min(1.0, b + 0.04)) for a, b in gaussian(0.8)]),
    ),
    "privacy": privacy_curve(
        "What delta each epsilon leaves", {f"{k} releases": leaves(0.3 * k**0.5) for k in (1, 10)}, floor=1e-9
    ),
    "wards": histogram(
        "Patients by ward",
        [120, 87, 43, 12, 66, 230],
        labels=WARDS,
        intervals=[(h - 10, h + 10) for h in (120, 87, 43, 12, 66, 230)],
        x="ward",
        y="patients",
    ),
    "ages": histogram(
        "Ages", [3, 8, -2, 24, 31, 22], edges=range(0, 70, 10), intervals=[(h - 4, h + 4) for h in (3, 8, -2, 24, 31, 22)]
    ),
    "crowded": histogram("Many long names " * 8, list(range(1, 31)), labels=[f"Department of number {i}" for i in range(30)]),
    "laws": two_laws(
        "The output law in two worlds",
        range(-6, 8),
        {"without Bob": geometric(0, range(-6, 8)), "with Bob": geometric(1, range(-6, 8))},
        log=True,
    ),
    "wide laws": two_laws(
        "Many outputs", range(-40, 41), {"without": geometric(0, range(-40, 41)), "with": geometric(1, range(-40, 41))}
    ),
    "budget": burn_down("Budget of the census", [("2026-01-05", 10), ("2026-02-01", 7), ("2026-03-20", 1.2)], 10),
    "numbered budget": burn_down("Budget over days", [(0, 1), (3, 0.9), (5, 0.4)], 1, unit="rho", x="days"),
    "five": curves(
        "Five", {f"line {k}": [(x / 10, 1e5 * math.sin(x / 10 + k)) for x in range(60)] for k in range(5)}, Axis("t"), Axis("y")
    ),
    "tiny": curves("Tiny", {"a": [(1e-7, 3e-9), (2e-7, -4e-9)]}, Axis("x"), Axis("y")),
    "huge": curves("Huge", {"a": [(-1e300, 1e300), (1e300, -1e300)]}, Axis("x"), Axis("y")),
    "one point": curves("One point", {"a": [(3.0, 3.0)]}, Axis("x"), Axis("y", "log")),
    "hostile": Chart(
        HOSTILE,
        HOSTILE,
        Axis(HOSTILE, places=((0, HOSTILE), (1, "漢字" * 20))),
        Axis(HOSTILE),
        (
            Area(HOSTILE, ((0, 0), (1, 1)), ((0, 1), (1, 2)), "third"),
            Line(HOSTILE + " line", ((0, 0), (1, 1)), "fourth"),
            Dots(HOSTILE + " dots", (Dot(0.5, 0.5, 0.4, 0.6),), "fifth"),
        ),
    ),
}
