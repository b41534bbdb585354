"""Reference implementations of the operations that have a sensitivity rule, as plain as can be, over rows (user, key, value)."""

# ruff: noqa: ARG001, ARG005  every operation and every choice has the same signature, whatever it needs of it

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.worlds.neighbours import Chooser
from twoworlds.worlds.rationals import Enclosure

USERS, KEYS, VALUES = ("ann", "bob", "cy"), (0, 1), (-3, 0, 2)
ROWS = tuple(itertools.product(USERS, KEYS, VALUES))
Row = tuple[str, int, int]
Parameters = Mapping[str, Any]


def _none(chooser: Chooser, inputs: list[Any]) -> dict[str, Any]:
    return {}


def _as_given(world: Any, parameters: Parameters) -> Any:
    return world


@dataclass(frozen=True)
class Operation:
    """What is done, with which parameters, and how inputs are made to keep what the rule asks of them."""

    run: Callable[..., Any]
    choose: Callable[[Chooser, list[Any]], dict[str, Any]] = _none
    prepare: Callable[[Any, Parameters], Any] = _as_given


def sizes(*names: str, low: int = 1, high: int = 3) -> Callable[[Chooser, list[Any]], dict[str, Any]]:
    """Whole numbers for these parameters."""
    return lambda chooser, inputs: {name: chooser.integer(low, high) for name in names}


def ends(chooser: Chooser, inputs: list[Any]) -> dict[str, Any]:
    """Clipping ends: about zero, above it, below it, or the same; and a public number of rows."""
    low, high = chooser.choice(((-3, 2), (0, 2), (-3, 0), (-1, 1), (1, 2), (0, 0)))
    return {"low": low, "high": high, "n": len(inputs[0])}


def ends_and_limits(chooser: Chooser, inputs: list[Any]) -> dict[str, Any]:
    return {**ends(chooser, inputs), **sizes("most")(chooser, inputs)}


def entries(chooser: Chooser, inputs: list[Any]) -> dict[str, Any]:
    return {"k": len(inputs[0])}


def clip(x: Any, low: Any, high: Any) -> Any:
    return min(max(x, low), high)


def over(function: Callable[[Any], Any], x: Any) -> Any:
    """A function of a number, or of each entry of a vector."""
    return [function(entry) for entry in x] if isinstance(x, list) else function(x)


def coins(table: list[Row], seed: int) -> list[tuple[float, Row]]:
    """Each row with its own random number, the same one in every table: the coupling that a rule on samples speaks of."""
    seen: Counter[Row] = Counter()
    drawn = []
    for row in sorted(table):
        seen[row] += 1
        drawn.append((random.Random(f"{seed} {row} {seen[row]}").random(), row))
    return drawn


def limit_per_user(table: list[Row], parameters: Parameters) -> list[Row]:
    return [row for user in USERS for row in sorted(r for r in table if r[0] == user)[: parameters["most"]]]


def limit_per_key(table: list[Row], most: int) -> list[Row]:
    return [row for key in KEYS for row in sorted(r for r in table if r[1] == key)[:most]]


def limit_groups(table: list[Row], parameters: Parameters) -> list[Row]:
    """At most `most` rows of each user in each of the user's first `groups` keys."""
    kept: list[Row] = []
    for user in USERS:
        own = sorted(row for row in table if row[0] == user)
        keys = sorted({row[1] for row in own})[: parameters["groups"]]
        kept += [row for key in keys for row in [r for r in own if r[1] == key][: parameters["most"]]]
    return kept


def group_by(table: list[Row]) -> list[tuple[int, int, int]]:
    keys = sorted({key for _, key, _ in table})
    return [(key, sum(v for _, k, v in table if k == key), sum(k == key for _, k, _ in table)) for key in keys]


def join(left: list[Row], right: list[Row]) -> list[Any]:
    return [(a, b) for a in left for b in right if a[1] == b[1]]


def left_join(left: list[Row], right: list[Row]) -> list[Any]:
    return join(left, right) + [(a, None) for a in left if all(a[1] != b[1] for b in right)]


def join_users(left: list[Row], right: list[Row]) -> list[Any]:
    return [(a[0], a, b) for a in left for b in right if a[0] == b[0]]


def values(table: list[Row], low: int, high: int) -> list[int]:
    return sorted(clip(value, low, high) for _, _, value in table)


def histogram(table: list[Row], column: int = 1) -> list[int]:
    return [sum(row[column] == group for row in table) for group in (USERS, KEYS, VALUES)[column]]


def group_sum(table: list[Row], p: Parameters) -> list[int]:
    return [sum(clip(value, p["low"], p["high"]) for _, k, value in table if k == key) for key in KEYS]


def quantile(table: list[Row], p: Parameters, q: Fraction) -> Fraction:
    found = values(table, p["low"], p["high"])
    return Fraction(found[min(math.floor(q * len(found)), len(found) - 1)] if found else p["low"])


def median(table: list[Row], p: Parameters) -> Fraction:
    found = values(table, p["low"], p["high"])
    middle = len(found) // 2
    return Fraction(found[middle] + found[-middle - 1], 2) if found else Fraction(p["low"])


def squares(table: list[Row], p: Parameters) -> Fraction:
    """The sum of squares about the mean."""
    found = values(table, p["low"], p["high"])
    mean = Fraction(sum(found), len(found))
    return sum(((value - mean) ** 2 for value in found), Fraction(0))


def conditions(chooser: Chooser, inputs: list[Any]) -> dict[str, Any]:
    """k public conditions: sets of rows."""
    k = chooser.integer(1, 3)
    return {"k": k, "sets": [{row for row in ROWS if chooser.integer(0, 3)} for _ in range(k)]}


def scores(table: list[Row], p: Parameters) -> list[Fraction]:
    return [-abs(sum(value < c for _, _, value in table) - p["q"] * len(table)) for c in (-4, -1, 1, 3)]


def weights(chooser: Chooser, inputs: list[Any]) -> dict[str, Any]:
    """Public weights, among them 3 and 4 of length 5, and what the rules want to know of them."""
    w = [chooser.choice((3, 4, -4, 0)) for _ in inputs[0]]
    square = sum(x * x for x in w)
    return {
        "w": w,
        "largest": max(map(abs, w), default=0),
        "total": sum(map(abs, w)),
        "length": Enclosure(Fraction(square)).sqrt().high,
    }


def matrix(chooser: Chooser, inputs: list[Any]) -> dict[str, Any]:
    rows = [[chooser.integer(-2, 2) for _ in inputs[0]] for _ in range(2)]
    columns = [sum(abs(row[i]) for row in rows) for i in range(len(inputs[0]))]
    return {"rows": rows, "column": max(columns, default=0), "row": max(sum(map(abs, row)) for row in rows)}


def dot(x: list[Fraction], p: Parameters) -> Fraction:
    return sum((a * b for a, b in zip(x, p["w"], strict=True)), Fraction(0))


def clip_length(x: list[Fraction], p: Parameters) -> list[Fraction]:
    """Scaled down to the radius; the factor is cut at 60 digits, so that no length comes out above it."""
    length = Enclosure(sum((a * a for a in x), Fraction(0))).sqrt().high
    return [a * p["radius"] / length for a in x] if length > p["radius"] else x


def nearest(x: Fraction, grid: Fraction) -> Fraction:
    return math.floor(x / grid + Fraction(1, 2)) * grid


def quarter(chooser: Chooser) -> Fraction:
    return Fraction(chooser.integer(-8, 8), 4)


def clips(chooser: Chooser, inputs: list[Any]) -> dict[str, Any]:
    low = quarter(chooser)
    return {"low": low, "high": low + abs(quarter(chooser))}


def chosen(**options: tuple[Any, ...]) -> Callable[[Chooser, list[Any]], dict[str, Any]]:
    """One of the options for each parameter."""
    return lambda chooser, inputs: {name: chooser.choice(values) for name, values in options.items()}


LIMITS = sizes("most")
SIDES = sizes("most_left", "most_right")
SEEDED = chosen(seed=tuple(range(50)), most=(1, 2, 3))

OPERATIONS: dict[str, Operation] = {
    "map": Operation(lambda t, p: [(user, key, abs(value)) for user, key, value in t]),
    "filter": Operation(lambda t, p: [row for row in t if row[2] > 0]),
    "flat_map": Operation(lambda t, p: [(*row, i) for row in t for i in range(min(p["most"], row[2] + 3))], LIMITS),
    "union": Operation(lambda a, b, p: a + b),
    "intersect": Operation(lambda a, b, p: sorted(set(a) & set(b))),
    "except": Operation(lambda a, b, p: sorted(set(a) - set(b))),
    "distinct": Operation(lambda t, p: sorted(set(t))),
    "join": Operation(lambda a, b, p: join(a, b), SIDES),
    "left_join": Operation(lambda a, b, p: left_join(a, b), SIDES),
    "join_users": Operation(lambda a, b, p: join_users(a, b)),
    "join_public": Operation(lambda t, p: [(*row, i) for row in t for i in range(row[1] * p["most"])], LIMITS),
    "limit_per_key": Operation(lambda t, p: limit_per_key(t, p["most"]), LIMITS),
    "drop_large_keys": Operation(
        lambda t, p: [row for row in t if sum(other[1] == row[1] for other in t) <= p["most"]], sizes("most", low=0)
    ),
    "group_by": Operation(lambda t, p: group_by(t)),
    "partition": Operation(lambda t, p: [[row for row in t if row[1] == key] for key in KEYS]),
    "top": Operation(lambda t, p: sorted(t, key=lambda row: row[::-1])[: p["most"]], LIMITS),
    "order": Operation(lambda t, p: sorted(t)),
    "limit": Operation(lambda t, p: t[: p["most"]], LIMITS),
    "sample": Operation(lambda t, p: [row for coin, row in coins(t, p["seed"]) if coin < 0.6], SEEDED),
    "sample_fixed": Operation(lambda t, p: [row for _, row in sorted(coins(t, p["seed"]))[: p["most"]]], SEEDED),
    "limit_per_user": Operation(limit_per_user, LIMITS),
    "per_user": Operation(
        lambda t, p: [(user, *histogram([r for r in t if r[0] == user])) for user in sorted({r[0] for r in t})]
    ),
    "count": Operation(lambda t, p: len(t)),
    "count_limited": Operation(lambda t, p: len(t), LIMITS, limit_per_user),
    "count_distinct": Operation(lambda t, p: len({value for _, _, value in t})),
    "count_users": Operation(lambda t, p: len({user for user, _, _ in t})),
    "sum": Operation(lambda t, p: sum(values(t, p["low"], p["high"])), ends),
    "sum_limited": Operation(lambda t, p: sum(values(t, p["low"], p["high"])), ends_and_limits, limit_per_user),
    "mean": Operation(lambda t, p: Fraction(sum(values(t, p["low"], p["high"])), len(t)), ends),
    "variance": Operation(lambda t, p: squares(t, p) / len(t), ends),
    "sample_variance": Operation(lambda t, p: squares(t, p) / (len(t) - 1), ends),
    "smallest": Operation(lambda t, p: quantile(t, p, Fraction(0)), ends),
    "largest": Operation(lambda t, p: quantile(t, p, Fraction(1)), ends),
    "median": Operation(median, ends),
    "quantile": Operation(lambda t, p: quantile(t, p, Fraction(1, 4)), ends),
    "histogram": Operation(lambda t, p: histogram(t)),
    "histogram_limited": Operation(lambda t, p: histogram(t), sizes("most", "groups", high=2), limit_groups),
    "group_sum": Operation(group_sum, ends),
    "counts": Operation(lambda t, p: [sum(row in rows for row in t) for rows in p["sets"]], conditions),
    "marginals": Operation(lambda t, p: [n for column in range(p["k"]) for n in histogram(t, column)], sizes("k")),
    "quantile_scores": Operation(scores, chosen(q=(Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)))),
    "add": Operation(lambda x, y, p: over(sum, list(map(list, zip(x, y, strict=True)))) if isinstance(x, list) else x + y),
    "subtract": Operation(lambda x, y, p: [a - b for a, b in zip(x, y, strict=True)] if isinstance(x, list) else x - y),
    "negate": Operation(lambda x, p: over(lambda a: -a, x)),
    "shift": Operation(lambda x, p: over(lambda a: a + 7, x)),
    "scale": Operation(lambda x, p: over(lambda a: p["factor"] * a, x), chosen(factor=(0, -2, Fraction(1, 3)))),
    "absolute": Operation(lambda x, p: over(abs, x)),
    "clip": Operation(lambda x, p: over(lambda a: clip(a, p["low"], p["high"]), x), clips),
    "clip_length": Operation(clip_length, chosen(radius=(Fraction(1, 2), 1, 5))),
    "round": Operation(
        lambda x, p: over(lambda a: nearest(a, p["grid"]), x), chosen(grid=(Fraction(1), Fraction(1, 2), Fraction(2)))
    ),
    "larger": Operation(lambda x, y, p: max(x, y)),
    "smaller": Operation(lambda x, y, p: min(x, y)),
    "product": Operation(
        lambda x, y, p: clip(x, -p["largest_left"], p["largest_left"]) * clip(y, -p["largest_right"], p["largest_right"]),
        sizes("largest_left", "largest_right", high=8),
    ),
    "square": Operation(lambda x, p: clip(x, p["low"], p["high"]) ** 2, chosen(low=(-8, -1, 0), high=(0, 1, 8))),
    "maximum": Operation(lambda x, p: max(x)),
    "minimum": Operation(lambda x, p: min(x)),
    "total": Operation(lambda x, p: sum(x), entries),
    "average": Operation(lambda x, p: sum(x) / len(x), entries),
    "prefix_sums": Operation(lambda x, p: list(itertools.accumulate(x)), entries),
    "dot": Operation(dot, weights),
    "dot_total": Operation(dot, weights),
    "dot_length": Operation(dot, weights),
    "linear": Operation(lambda x, p: [dot(x, {"w": row}) for row in p["rows"]], matrix),
    "sort_entries": Operation(lambda x, p: sorted(x)),
    "concatenate": Operation(lambda x, y, p: x + y),
    "measure": Operation(lambda x, p: x, entries),
}
