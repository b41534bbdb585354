"""Rules for numbers made of tables: how far a count, a sum or a histogram moves."""

from __future__ import annotations

from twoworlds.worlds.neighbours import L1, L2, AddRemove, AddRemoveUser, Each, Monotone, Number, One, Replace, User
from twoworlds.worlds.sensitivity.rules import Rule, rules

__all__ = ["AGGREGATES"]

A, R, U, AU = (AddRemove,), (Replace,), (User,), (AddRemoveUser,)
CLIPPED = "The values are clipped to [low, high] and added exactly: as whole numbers or multiples of a grid, never as floats."
LIMITED = CLIPPED + " Each user has at most `most` rows: use limit_per_user first."
SPREAD = "Each user has rows in at most `groups` groups, at most `most` in each: limit both first. The groups are public."
LARGEST = "max(abs(low), abs(high))"
SPAN = "(max(high, 0) - min(low, 0))"

AGGREGATES: list[Rule] = [
    *rules("count", (A, Number, "d"), (R, Number, "0 * d"), reason="A row counts one; replacement keeps the number of rows."),
    *rules(
        "count_limited",
        (AU, Number, "most * d"),
        (U, Number, "most * d"),
        reason="A user counts from none to `most`.",
        provided="Each user has at most `most` rows: use limit_per_user first.",
    ),
    *rules("count_distinct", (A, Number, "d"), (R, Number, "d"), reason="A row decides about its own value alone."),
    *rules("count_users", (AU, Number, "d"), (U, Number, "d"), reason="A user counts one."),
    *rules(
        "sum",
        (A, Number, f"{LARGEST} * d"),
        (R, Number, "(high - low) * d"),
        reason="A row adds its clipped value; a replaced row adds the difference of two.",
        requires="high - low",
        provided=CLIPPED,
    ),
    *rules(
        "sum_limited",
        (AU, Number, f"most * {LARGEST} * d"),
        (U, Number, f"most * {SPAN} * d"),
        reason="A user adds from none to `most` clipped values.",
        requires="high - low",
        provided=LIMITED,
    ),
    *rules(
        "mean",
        (R, Number, "(high - low) / n * d"),
        reason="The sum over the public number of rows.",
        requires="high - low, n - 1",
        provided=CLIPPED,
    ),
    *rules(
        "variance",
        (R, Number, "(n - 1) / n ** 2 * (high - low) ** 2 * d"),
        reason="One of n values moves from end to end while the rest stand at one end (D'Orazio, Honaker and King 2015).",
        requires="high - low, n - 1",
        provided=CLIPPED + " Squares are divided by n.",
    ),
    *rules(
        "sample_variance",
        (R, Number, "(high - low) ** 2 / n * d"),
        reason="The variance times n / (n - 1).",
        requires="high - low, n - 2",
        provided=CLIPPED + " Squares are divided by n - 1.",
    ),
    *(
        found
        for operation in ("smallest", "largest", "median", "quantile")
        for found in rules(
            operation,
            (A, Number, "(high - low) * min(d, 1)"),
            (R, Number, "(high - low) * min(d, 1)"),
            reason="One row can carry it from one end to the other; quantile_scores with the exponential mechanism does better.",
            requires="high - low",
            provided="The values are clipped to [low, high], and an empty table gives a value in it.",
        )
    ),
    *rules(
        "histogram",
        (A, One, "d"),
        (A, L1, "d"),
        (A, L2, "sqrt(d ** 2)"),
        (A, Each, "d"),
        (R, L1, "2 * d"),
        (R, L2, "sqrt(2 * d ** 2)"),
        (R, Each, "d"),
        reason="A row is in one group; all changed rows may be in the same. A replaced row leaves one group and enters another.",
        provided="The groups are public.",
    ),
    *rules(
        "histogram_limited",
        (AU, L1, "groups * most * d"),
        (AU, L2, "sqrt(groups * (most * d) ** 2)"),
        (AU, Each, "most * d"),
        (U, L1, "2 * groups * most * d"),
        (U, L2, "sqrt(2 * groups * (most * d) ** 2)"),
        (U, Each, "most * d"),
        reason="A user is in at most `groups` groups; a user who changes may leave all of them for others.",
        provided=SPREAD,
    ),
    *rules(
        "group_sum",
        (A, One, f"{LARGEST} * d"),
        (A, L1, f"{LARGEST} * d"),
        (A, L2, f"sqrt(({LARGEST} * d) ** 2)"),
        (A, Each, f"{LARGEST} * d"),
        (R, L1, f"2 * {LARGEST} * d"),
        (R, L2, f"sqrt(max((high - low) ** 2, 2 * {LARGEST} ** 2) * d ** 2)"),
        (R, Each, f"{SPAN} * d"),
        reason="A row adds its value to one group; a replaced row can move between groups, or between the ends within one.",
        requires="high - low",
        provided=CLIPPED + " The groups are public.",
    ),
    *rules(
        "counts",
        (A, Monotone, "d"),
        (A, Each, "d"),
        (A, L1, "k * d"),
        (A, L2, "sqrt(k * d ** 2)"),
        (R, Each, "d"),
        (R, L1, "k * d"),
        (R, L2, "sqrt(k * d ** 2)"),
        reason="Each of k public conditions counts a row or does not; all counts move the way the number of rows does.",
    ),
    *rules(
        "marginals",
        (A, Each, "d"),
        (A, L1, "k * d"),
        (A, L2, "sqrt(k * d ** 2)"),
        (R, Each, "d"),
        (R, L1, "2 * k * d"),
        (R, L2, "sqrt(2 * k * d ** 2)"),
        reason="k histograms side by side.",
        provided="The groups are public.",
    ),
    *rules(
        "quantile_scores",
        (A, Each, "max(q, 1 - q) * d"),
        (R, Each, "d"),
        reason="The score of a candidate is the distance between the number of rows below it and q times their number.",
        requires="q, 1 - q",
        provided="The candidates are public.",
    ),
]
