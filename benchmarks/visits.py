"""The table that questions are timed on: visits of users who differ much in how many they make, and policies for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

CITIES = [f"city{i:02d}" for i in range(50)]
QUESTION = "SELECT city, COUNT(*) AS n, SUM(income) AS total, AVG(age) AS age, MEDIAN(income) AS middle FROM visits GROUP BY city"
RAW = "SELECT city, count(*), sum(income), avg(age), median(income) FROM '{path}' GROUP BY city"
UNMEDIAN = "SELECT city, count(*), sum(income), avg(age) FROM '{path}' GROUP BY city"
USERS = '[tables.visits.unit]\ncolumn = "uid"\nrows = 40\ngroups = 4\nrows_per_group = 10\n'


def write(path: Path, rows: int, users: int, *, parts: int = 1, seed: int = 7) -> Path:
    """A Parquet or CSV file: Zipf's law for visits of a user, a home city, an age, an income. In parts where memory is short."""
    import duckdb

    with duckdb.connect() as base:
        base.execute("CREATE TABLE visits (uid BIGINT, city VARCHAR, age INTEGER, income DOUBLE)")
        for part in range(parts):
            columns = _columns(np.random.default_rng([seed, part]), rows // parts, users // parts)
            base.register("columns", columns)
            base.execute(
                f"INSERT INTO visits SELECT uid + {part * users // parts}, printf('city%02d', city), age, income FROM columns"
            )
            base.unregister("columns")
        kind = "PARQUET" if path.suffix == ".parquet" else "CSV, HEADER"
        base.execute(f"COPY visits TO '{path}' (FORMAT {kind})")
    return path


def _columns(source: np.random.Generator, rows: int, users: int) -> dict[str, Any]:
    weights = np.arange(1, users + 1) ** -0.6
    uid = source.permutation(users)[source.choice(users, size=rows, p=weights / weights.sum())]
    home = np.minimum((source.pareto(0.9, users) * 2).astype(np.int64), 49)
    away = source.random(rows) < 0.3
    age = np.clip(source.normal(45, 18, users), 0, 100).astype(np.int32)
    income = source.lognormal(10.4, 0.6, users)
    return {
        "uid": uid.astype(np.int64),
        "city": np.where(away, source.integers(0, 50, rows), home[uid]),
        "age": age[uid],
        "income": income[uid] * source.lognormal(0, 0.15, rows),
    }


def policy(folder: Path, name: str, source: Path, *, by_user: bool) -> Path:
    """The policy of the table, protecting rows or users."""
    path = folder / f"{name}.toml"
    path.write_text(
        f'version = 1\nledger = "{name}.ledger"\ndelta = 1e-9\n[budgets.people]\nfilter = "pure"\nepsilon = 1_000_000\n'
        f'[tables.visits]\nsource = "{source}"\npopulation = "people"\n{USERS if by_user else ""}[tables.visits.columns]\n'
        f'uid = {{type = "integer"}}\ncity = {{type = "text", values = {json.dumps(CITIES)}}}\n'
        'age = {type = "integer", bounds = [0, 100]}\nincome = {type = "real", bounds = [0, 200_000]}\n'
    )
    return path
