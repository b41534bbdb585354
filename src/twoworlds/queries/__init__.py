"""Who asks tables: policy, plans, sensitivity, SQL and dataframes, engines, answers. Here are the aggregates of dataframes."""

from twoworlds.queries.aggregates import (
    correlation,
    count,
    count_distinct,
    count_users,
    covariance,
    histogram,
    maximum,
    mean,
    median,
    minimum,
    quantile,
    stddev,
    sum,
    top,
    variance,
)

__all__ = [
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
