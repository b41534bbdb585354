"""A made-up table to try the program on: about 100,000 visits of 20,000 people who do not exist.

Everything in it follows from a seed by MD5, so it is the same table on every machine and with every version of the engine. People
come 4 to 12 times, have a home town where they are four times out of five, and earn more with age.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["CITIES", "PEOPLE", "write"]

CITIES = ("Grenoble", "Lille", "Lyon", "Nantes", "Nice", "Paris")

PEOPLE = 20_000
SEED = "twoworlds visits 1"
_TABLE = f"""
WITH people AS (
    SELECT range AS user_id, {{often}} AS often, {{old}} AS old, {{older}} AS older, {{rich}} AS rich, {{richer}} AS richer,
           {{home}} AS home
    FROM range({PEOPLE})
),
visits AS (
    SELECT *, unnest(range(CAST(least(12, 1 + floor(3 * pow(often, -0.4))) AS BIGINT))) AS visit,
           CAST(18 + floor(72 * old * (0.5 + older / 2)) AS INTEGER) AS age
    FROM people
)
SELECT 'u' || lpad(CAST(user_id AS VARCHAR), 5, '0') AS user_id,
       [{", ".join(f"'{city}'" for city in CITIES)}][
           1 + CAST(CASE WHEN {{away}} < 0.2 THEN floor(6 * {{town}}) ELSE floor(6 * sqrt(home)) END AS INTEGER)
       ] AS city,
       age,
       round(14000 * exp(1.6 * (rich + richer - 1)) + 420 * (age - 18), 2) AS income
FROM visits
ORDER BY {{place}}
"""


def write(path: Path) -> int:
    """Write the table as Parquet, or as CSV where the name ends so; how many rows it has."""
    import duckdb

    person = {name: _unit(name, "range") for name in ("often", "old", "older", "rich", "richer", "home")}
    row = {name: _unit(name, "user_id || ' ' || visit") for name in ("away", "town", "place")}
    kind = "CSV, HEADER" if path.suffix.lower() == ".csv" else "PARQUET"
    with duckdb.connect(":memory:") as made:
        made.execute("SET enable_progress_bar = false")
        made.execute(f"CREATE TABLE visits AS {_TABLE.format(**person, **row)}")
        made.execute(f"COPY visits TO '{str(path).replace(chr(39), chr(39) * 2)}' (FORMAT {kind})")
        [(count,)] = made.execute("SELECT count(*) FROM visits").fetchall()
    return int(count)


def _unit(name: str, of: str) -> str:
    """A number between 0 and 1 that follows from the seed, a name, and what it is of; as text for the engine."""
    return f"((CAST(md5_number_lower('{SEED} {name} ' || {of}) AS DOUBLE) + 0.5) / 18446744073709551616e0)"
