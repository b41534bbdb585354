"""Visits by city, region and country: one price, and the levels add up."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import twoworlds as tw
from twoworlds.queries import count

REGION = {"Lyon": "South", "Nice": "South", "Paris": "North", "Lille": "North", "Turin": "Piedmont", "Milan": "Lombardy"}
COUNTRY = {"South": "France", "North": "France", "Piedmont": "Italy", "Lombardy": "Italy"}
POLICY = f"""
version = 1
delta = 1e-6

[budgets.people]
epsilon = 2
delta = 1e-5

[tables.visits]
source = "visits.csv"
population = "people"

[tables.visits.unit]
column = "user_id"
rows = 5
groups = 3

[tables.visits.columns]
user_id = {{type = "integer"}}
city = {{type = "text", values = {list(REGION)}, nullable = false}}
"""


def main() -> None:
    """Make up visits, declare what is public, and ask all levels at once."""
    chance = random.Random(3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [f"{user},{chance.choice(list(REGION))}" for user in range(4000) for _ in range(chance.randrange(1, 6))]
        (folder / "visits.csv").write_text("user_id,city\n" + "\n".join(rows))
        (folder / "privacy.toml").write_text(POLICY)
        visits = tw.open(policy=folder / "privacy.toml")
        print(visits.zoom("city", region=REGION, country=COUNTRY).agg(count()).release(epsilon=1))


if __name__ == "__main__":
    main()
