"""Policies that the tests of this room ask under."""

from __future__ import annotations

from twoworlds.queries.declared import parse
from twoworlds.queries.policy import Policy

__all__ = ["BY_ROW", "BY_USER", "REPLACED", "TEXT", "policy"]

TEXT = """
version = 1
ledger = "privacy.ledger"
delta = 1e-6

[budgets.visitors]
filter = "concentrated"
epsilon = 3
delta = 1e-5

[tables.visits]
source = "visits.parquet"
population = "visitors"
size = 100_000

[tables.visits.unit]
column = "user_id"
relation = "add_remove"
rows = 20
groups = 4
rows_per_group = 10

[tables.visits.columns]
user_id = {type = "text"}
city = {type = "text", values = ["Lyon", "Paris", "Nice"]}
shop = {type = "text"}
age = {type = "integer", bounds = [0, 120], nullable = false}
income = {type = "real", bounds = [0, 200_000]}
score = {type = "real"}
member = {type = "boolean"}
day = {type = "date", bounds = ["2024-01-01", 2024-12-31]}
seen = {type = "timestamp", bounds = ["2024-01-01 00:00:00", 2024-12-31T23:59:59]}

[public.cities]
source = "cities.csv"
columns = {city = "text", country = "text", people = "integer"}
most = 2
values = {country = ["France", "Gaul"]}

[analysts]
alice = "1/2"
"""
UNIT = TEXT[TEXT.index("[tables.visits.unit]") : TEXT.index("[tables.visits.columns]")]


def policy(unit: str = UNIT) -> Policy:
    """The policy of visits, with another unit of privacy if wanted."""
    return parse(TEXT.replace(UNIT, unit + "\n"))


BY_USER = policy()
BY_ROW = policy("")
REPLACED = policy('[tables.visits.unit]\nrelation = "replace"')
