"""Rules for numbers and vectors: how far arithmetic can carry values apart that are a known distance apart."""

from __future__ import annotations

from twoworlds.worlds.neighbours import L1, L2, Each, Number, One
from twoworlds.worlds.sensitivity.rules import Rule, rules

__all__ = ["ARITHMETIC"]

N, V1, V2, VM = (Number,), (L1,), (L2,), (Each,)
ALIKE = ((N, Number), ((One,), One), (V1, L1), (V2, L2), (VM, Each))  # measured before and after in the same way


def _alike(operation: str, text: str, **statements: str) -> list[Rule]:
    return rules(operation, *((before, after, text) for before, after in ALIKE), **statements)


def _both(operation: str, text: str, **statements: str) -> list[Rule]:
    return rules(operation, *(((*before, *before), after, text) for before, after in ALIKE), **statements)


ARITHMETIC: list[Rule] = [
    *_both("add", "d1 + d2", reason="The triangle inequality."),
    *_both("subtract", "d1 + d2", reason="The triangle inequality."),
    *_alike("negate", "d", reason="A reflection keeps distances."),
    *_alike("shift", "d", reason="A public constant cancels."),
    *_alike("scale", "abs(factor) * d", reason="A public factor stretches every move."),
    *_alike("absolute", "d", reason="| |x| - |y| | <= |x - y|, entry by entry."),
    *rules(
        "clip",
        (N, Number, "min(d, high - low)"),
        (VM, Each, "min(d, high - low)"),
        ((One,), One, "d"),
        (V1, L1, "d"),
        (V2, L2, "sqrt(d ** 2)"),
        reason="Clipping brings no two numbers further apart, and none further than the ends.",
        requires="high - low",
    ),
    *rules(
        "clip_length",
        (V2, L2, "sqrt(min(d ** 2, 4 * radius ** 2))"),
        reason="The nearest point of a convex set moves no further than the point; two points of a ball are a diameter apart.",
        requires="radius",
        provided="Vectors longer than the radius are scaled down to it.",
    ),
    *rules(
        "round",
        (N, Number, "ceil(d / grid) * grid"),
        (VM, Each, "ceil(d / grid) * grid"),
        reason="Rounding to multiples is monotone and commutes with shifts by one.",
        requires="grid",
        provided="Halves go up, never to even.",
    ),
    *rules(
        "larger",
        ((Number, Number), Number, "max(d1, d2)"),
        reason="The larger of two numbers moves no further than the one that moves further.",
    ),
    *rules(
        "smaller",
        ((Number, Number), Number, "max(d1, d2)"),
        reason="The smaller of two numbers moves no further than the one that moves further.",
    ),
    *rules(
        "product",
        ((Number, Number), Number, "largest_right * d1 + largest_left * d2"),
        reason="x y - x' y' = (x - x') y + x' (y - y').",
        provided="The factors are clipped to [-largest_left, largest_left] and [-largest_right, largest_right].",
    ),
    *rules(
        "square",
        (N, Number, "2 * max(abs(low), abs(high)) * d"),
        reason="The slope of the square is at most twice the largest number.",
        requires="high - low",
        provided="The number is clipped to [low, high].",
    ),
    *rules(
        "maximum", (VM, Number, "d"), (V1, Number, "d"), (V2, Number, "d"), reason="No entry moves further than the largest move."
    ),
    *rules(
        "minimum", (VM, Number, "d"), (V1, Number, "d"), (V2, Number, "d"), reason="No entry moves further than the largest move."
    ),
    *rules(
        "total",
        (V1, Number, "d"),
        (V2, Number, "sqrt(k) * d"),
        (VM, Number, "k * d"),
        reason="Moves add up; those of k entries of L2 length d to at most sqrt(k) d (Cauchy and Schwarz).",
    ),
    *rules(
        "average",
        (V1, Number, "d / k"),
        (V2, Number, "d / sqrt(k)"),
        (VM, Number, "d"),
        reason="The total over k.",
        requires="k - 1",
    ),
    *rules(
        "prefix_sums",
        (V1, Each, "d"),
        (V1, L1, "k * d"),
        (V1, L2, "sqrt(k * d ** 2)"),
        (VM, Each, "k * d"),
        reason="A move of one entry moves all later sums by as much.",
    ),
    *rules(
        "dot",
        (V1, Number, "largest * d"),
        reason="Hoelder's inequality with the largest public weight.",
    ),
    *rules(
        "dot_total",
        (VM, Number, "total * d"),
        reason="Hoelder's inequality with the sum of the weights' sizes.",
    ),
    *rules(
        "dot_length",
        (V2, Number, "length * d"),
        reason="Cauchy and Schwarz with the length of the weights.",
    ),
    *rules(
        "linear",
        (V1, L1, "column * d"),
        (VM, Each, "row * d"),
        reason="The largest sum of sizes in a column bounds L1, in a row L-infinity, of a public matrix.",
    ),
    *rules(
        "sort_entries",
        (V1, L1, "d"),
        (V2, L2, "sqrt(d ** 2)"),
        (VM, Each, "d"),
        reason="Of all pairings of two lists, the sorted one is nearest (Hardy, Littlewood and Polya 1934, theorem 368).",
    ),
    *rules(
        "concatenate",
        ((L1, L1), L1, "d1 + d2"),
        ((L2, L2), L2, "sqrt(d1 ** 2 + d2 ** 2)"),
        ((Each, Each), Each, "max(d1, d2)"),
        reason="The norm of two lists of moves put together.",
    ),
    *rules(
        "measure",
        ((One,), L1, "d"),
        (V1, L2, "sqrt(d ** 2)"),
        (V1, Each, "d"),
        (V2, Each, "d"),
        (V2, L1, "sqrt(k) * d"),
        (VM, L1, "k * d"),
        (VM, L2, "sqrt(k * d ** 2)"),
        reason="The same vector in another norm.",
    ),
]
