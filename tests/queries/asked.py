"""A table of visits that may be asked, for the tests of the door: what they ask is real, the table is small."""

from __future__ import annotations

from pathlib import Path

from twoworlds.queries.founding import founded, saying
from twoworlds.queries.tables import Table, open

__all__ = ["SAID", "TRUTH", "policy_in", "visits"]

SAID = dict(saying(one) for one in ("age=0..120", "income=0.0..2e5", "city=Lyon,Paris", "day=2024-01-01..2024-12-31"))
TRUTH = {"Lyon": 500, "Paris": 500}


def policy_in(folder: Path, *, unit: str | None = "user_id", size: int | None = None, **said: str) -> Path:
    """A CSV file of a thousand visits of two hundred users, and its policy; `said` replaces lines such as epsilon="3"."""
    lines = "".join(
        f"{i // 5},{('Lyon', 'Paris')[i % 2]},{20 + i % 50},{i % 100 * 1000},2024-{1 + i % 12:02}-15\n" for i in range(1000)
    )
    (folder / "visits.csv").write_text("user_id,city,age,income,day\n" + lines)
    policy = folder / "privacy.toml"
    given = {"epsilon": "1000", **said}
    text = founded(folder / "visits.csv", unit=unit, rows=5, epsilon=given["epsilon"], said=SAID, policy=policy)
    policy.write_text(text.replace("# size = 100_000", f"size = {size}") if size is not None else text)
    return policy


def visits(folder: Path, **how: object) -> Table:
    """The table, opened."""
    return open(policy=policy_in(folder, **how))  # type: ignore[arg-type]  # keywords of policy_in
