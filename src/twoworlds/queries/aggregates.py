"""Aggregates for dataframes: what is asked of the rows of a group, with the columns written as in SQL.

    table.group_by("city").agg(count(), mean("age"), income=median("clip(income, 0, 1e5)"))

Each is a description; a table makes the plan's aggregate of it, the same that SQL text would give.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from twoworlds.queries.plan import Kind, Value
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import exact

__all__ = [
    "Asked",
    "correlation",
    "count",
    "count_distinct",
    "count_users",
    "covariance",
    "histogram",
    "maximum",
    "mean",
    "median",
    "minimum",
    "quantile",
    "stddev",
    "sum",
    "top",
    "variance",
]

Number = int | float | str | Fraction
MOST_CELLS = 4096


@dataclass(frozen=True)
class Asked:
    """One aggregate of expressions in SQL; `name` is what it is called unless a keyword of `agg` says otherwise."""

    kind: Kind
    of: tuple[str, ...] = ()
    parameters: tuple[tuple[str, Value | tuple[Value, ...]], ...] = ()
    condition: str | None = None
    called: str = ""

    def where(self, condition: str) -> Asked:
        """Of the rows for which the condition is true."""
        both = condition if self.condition is None else f"({self.condition}) AND ({condition})"
        return replace(self, condition=both)

    @property
    def name(self) -> str:
        """Its kind, and the column if it is of one: `mean_age`."""
        words = [self.called or self.kind, *self.of]
        return "_".join(words) if all(re.fullmatch(r"\w+", word) for word in words) else words[0]


def count(column: str | None = None) -> Asked:
    """The rows; with a column, those where it is known."""
    return Asked("count", () if column is None else (column,))


def count_users() -> Asked:
    """The users, where the policy protects users."""
    return Asked("count_users")


def count_distinct(column: str) -> Asked:
    """The different values; of the users' own column, the users."""
    return Asked("count_distinct", (column,))


def sum(column: str) -> Asked:
    """The sum of a column with bounds."""
    return Asked("sum", (column,))


def mean(column: str) -> Asked:
    """The mean of a column with bounds, within them."""
    return Asked("mean", (column,))


def variance(column: str, *, sample: bool = True) -> Asked:
    """The variance, divided by one less than the count unless `sample` is false."""
    return Asked("variance", (column,), (("sample", sample),))


def stddev(column: str, *, sample: bool = True) -> Asked:
    """The square root of the variance."""
    return Asked("stddev", (column,), (("sample", sample),))


def covariance(column: str, other: str, *, sample: bool = False) -> Asked:
    """The covariance of two columns with bounds."""
    return Asked("covariance", (column, other), (("sample", sample),))


def correlation(column: str, other: str) -> Asked:
    """The correlation of two columns with bounds, from -1 to 1."""
    return Asked("correlation", (column, other))


def quantile(column: str, q: Number) -> Asked:
    """The value below which a share `q` of the rows is."""
    share = exact(q, "q")
    if not 0 <= share <= 1:
        raise BadArgument("q", q, "is not between 0 and 1", "Write 0.5 for the median")
    return Asked("quantile", (column,), (("q", share),))


def median(column: str) -> Asked:
    """The value in the middle."""
    return replace(quantile(column, Fraction(1, 2)), called="median")


def minimum(column: str) -> Asked:
    """A value that few rows are below."""
    return Asked("minimum", (column,))


def maximum(column: str) -> Asked:
    """A value that few rows are above."""
    return Asked("maximum", (column,))


def histogram(column: str, *, cells: int | None = None, edges: Sequence[Number] | None = None) -> Asked:
    """The rows in each of so many equal cells between the bounds, or between increasing edges."""
    if (cells is None) == (edges is None):
        raise BadArgument("cells", cells, "and edges are not one of both", "Give cells=10, or edges=[0, 10, 20]")
    if edges is None:
        if isinstance(cells, bool) or not isinstance(cells, int) or not 1 <= cells <= MOST_CELLS:
            raise BadArgument("cells", cells, "is no number of cells", f"Give a whole number from 1 to {MOST_CELLS}")
        return Asked("histogram", (column,), (("cells", cells),))
    ends = tuple(exact(edge, "edges") for edge in edges)
    if not 2 <= len(ends) <= MOST_CELLS or any(low >= high for low, high in pairwise(ends)):
        raise BadArgument("edges", edges, "are not two or more increasing numbers", "Give for example edges=[0, 10, 20]")
    return Asked("histogram", (column,), (("edges", ends),))


def top(column: str, k: int) -> Asked:
    """The `k` values with most rows, of a column whose values are public."""
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MOST_CELLS:
        raise BadArgument("k", k, "is no number of values", f"Give a whole number from 1 to {MOST_CELLS}")
    return Asked("top", (column,), (("k", k),))
