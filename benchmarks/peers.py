"""One question, asked of one peer as its users ask it: run inside the peer's own environment, prints one line of JSON.

python peers.py NAME TABLE.parquet [once]     times of the question on a table that is loaded
python peers.py NAME TABLE.csv first          the first answer of a process, loading included

The question is the one of `visits.py`, each of its four numbers at a quarter of epsilon = 1, as far as the peer has them. Users
are bounded where the peer does that itself: 4 cities, 10 rows in each.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

CITIES = [f"city{i:02d}" for i in range(50)]
SHARE, DELTA, AGE, INCOME, GROUPS, ROWS = 0.25, 1e-9, (0.0, 100.0), (0.0, 200_000.0), 4, 10
Ask = Callable[[], Any]


def _frame(path: str) -> Any:
    import pandas

    wanted = ["uid", "city", "age", "income"]
    return pandas.read_csv(path, usecols=wanted) if path.endswith(".csv") else pandas.read_parquet(path, columns=wanted)


def opendp(path: str, *, by_user: bool = False) -> Ask:
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib", "honest-but-curious")
    frame, most = pl.read_parquet(path, columns=["uid", "city", "age", "income"]), 10_000_000
    unit = dp.unit_of(contributions=1, identifier=pl.col("uid")) if by_user else dp.unit_of(contributions=1)
    margins = [dp.polars.Margin(by=(), max_length=most, max_groups=50), dp.polars.Margin(by=("city",), max_length=most)]
    keys, cuts = pl.LazyFrame({"city": CITIES}), [float(cut) for cut in range(0, 200_001, 500)]

    def ask() -> Any:
        context = dp.Context.compositor(
            data=frame.lazy(), privacy_unit=unit, privacy_loss=dp.loss_of(epsilon=1.0), split_evenly_over=1, margins=margins
        )
        query = context.query()
        if by_user:
            query = query.truncate_per_group(ROWS, by=["city"]).truncate_num_groups(GROUPS, by=["city"], keep="first")
        income, age = pl.col("income").fill_null(0).fill_nan(0), pl.col("age").cast(float).fill_null(0)
        aged = age.dp.sum(AGE) if by_user else age.dp.mean(AGE)
        asked = query.group_by("city").agg(dp.len(), income.dp.sum(INCOME), aged, income.dp.quantile(0.5, cuts).alias("middle"))
        return asked.with_keys(keys).release().collect()

    return ask


def opendp_users(path: str) -> Ask:
    return opendp(path, by_user=True)


def diffprivlib(path: str) -> Ask:
    import numpy
    from diffprivlib import tools

    frame = _frame(path)

    def ask() -> Any:
        found = []
        for _, rows in frame.groupby("city"):
            income, age = rows.income.to_numpy(), rows.age.to_numpy(float)
            found.append(
                (
                    tools.count_nonzero(numpy.ones(len(rows)), epsilon=SHARE),
                    tools.sum(income, bounds=INCOME, epsilon=SHARE),
                    tools.mean(age, bounds=AGE, epsilon=SHARE),
                    tools.median(income, bounds=INCOME, epsilon=SHARE),
                )
            )
        return found

    return ask


def smartnoise(path: str) -> Ask:
    import snsql

    frame = _frame(path)
    columns = {
        "uid": {"type": "int", "private_id": True},
        "city": {"type": "string"},
        "age": {"type": "int", "lower": 0, "upper": 100},
        "income": {"type": "float", "lower": 0.0, "upper": 200_000.0},
    }
    table = {"max_ids": GROUPS, "sample_max_ids": True, "censor_dims": False, "rows": len(frame), **columns}
    reader = snsql.from_df(frame, privacy=snsql.Privacy(epsilon=SHARE, delta=DELTA), metadata={"": {"S": {"T": table}}})
    return lambda: reader.execute("SELECT city, COUNT(*) AS n, SUM(income) AS s, AVG(age) AS a FROM S.T GROUP BY city")


def pipelinedp(path: str) -> Ask:
    import pipeline_dp as dp

    frame = _frame(path)
    rows = list(zip(frame.uid.tolist(), frame.city.tolist(), frame.age.tolist(), frame.income.tolist(), strict=True))

    def part(column: int, bounds: tuple[float, float], metrics: list[Any], epsilon: float) -> Any:
        accountant = dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=DELTA)
        parameters = dp.AggregateParams(
            noise_kind=dp.NoiseKind.LAPLACE,
            metrics=metrics,
            max_partitions_contributed=GROUPS,
            max_contributions_per_partition=ROWS,
            min_value=bounds[0],
            max_value=bounds[1],
        )
        extractors = dp.DataExtractors(lambda row: row[0], lambda row: row[1], lambda row: row[column])
        result = dp.DPEngine(accountant, dp.LocalBackend()).aggregate(rows, parameters, extractors, public_partitions=CITIES)
        accountant.compute_budgets()
        return dict(result)

    def ask() -> Any:
        most = part(3, INCOME, [dp.Metrics.COUNT, dp.Metrics.SUM, dp.Metrics.PERCENTILE(50)], 3 * SHARE)
        return most, part(2, AGE, [dp.Metrics.MEAN], SHARE)

    return ask


def tumult(path: str) -> Ask:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession
    from tmlt import analytics as dp

    settings = {"spark.driver.memory": "6g", "spark.sql.shuffle.partitions": "8", "spark.ui.enabled": "false"}
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    frame = spark.read.parquet(path).select("uid", "city", "age", "income").cache()
    frame.count()
    keys = dp.KeySet.from_dict({"city": CITIES})

    def ask() -> Any:
        protected = dp.AddRowsWithID("uid")
        session = dp.Session.from_dataframe(dp.PureDPBudget(1), "t", frame, protected_change=protected)
        bounded = dp.QueryBuilder("t").enforce(dp.MaxGroupsPerID("city", GROUPS)).enforce(dp.MaxRowsPerGroupPerID("city", ROWS))
        grouped = bounded.groupby(keys)
        queries = (
            grouped.count(),
            grouped.sum("income", *INCOME),
            grouped.average("age", *AGE),
            grouped.median("income", *INCOME),
        )
        return [session.evaluate(query, dp.PureDPBudget(SHARE)).toPandas() for query in queries]

    return ask


ENGINES = {one.__name__: one for one in (opendp, opendp_users, diffprivlib, smartnoise, pipelinedp, tumult)}


def spent() -> float:
    """CPU seconds of this process and of those that it started, such as a Java machine."""
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) + _java()


def _java() -> float:
    """CPU seconds of processes below this one that still run."""
    total = 0.0
    for name in os.listdir("/proc"):  # noqa: PTH208  a peer's interpreter may be old
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:  # noqa: PTH123  as above
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == str(os.getpid()):
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def main(name: str, path: str, how: str = "") -> None:
    warnings.filterwarnings("ignore")
    ask, taken = ENGINES[name](path), []
    for _ in range(1 if how else 3):
        start = spent()
        ask()
        taken.append(spent() - start)
    print(json.dumps({"seconds": statistics.median(taken), "whole": spent()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
