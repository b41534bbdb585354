"""How near the answers are: noise against the least that the claim allows, users bounded against the best bound in hindsight."""

from __future__ import annotations

import math
import os
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb

import twoworlds as tw
from report import Bar, Result, publish
from twoworlds.losses.prices import GaussianPrivacy
from twoworlds.queries.contributions import EDGES
from twoworlds.queries.currency import epsilon_of
from twoworlds.queries.questions import Question
from twoworlds.queries.tables import Table
from visits import CITIES, policy, write

ROUNDS = 15
ROWS, USERS = int(os.environ.get("TWOWORLDS_ROWS", "5000000")), int(os.environ.get("TWOWORLDS_USERS", "200000"))
COUNT = "SELECT city, COUNT(*) AS n FROM visits GROUP BY city"
SUM = "SELECT city, SUM(income) AS total FROM visits GROUP BY city"
FOUR = "SELECT city, COUNT(*) AS n, SUM(income) AS total, AVG(age) AS age, MEDIAN(income) AS middle FROM visits GROUP BY city"
RANGE = 200_000
DELTA = Fraction(1, 10**9)

Numbers = Mapping[str, float]


def concentrated(path: Path) -> Path:
    """The same policy with the other filter."""
    made = path.with_name(f"{path.stem}_rho.toml")
    text = path.read_text().replace('filter = "pure"\n', "").replace("epsilon = 1_000_000", "rho = 1_000_000")
    made.write_text(text.replace(".ledger", "_rho.ledger"))
    return made


def staircase(epsilon: float) -> float:
    """The least standard deviation of noise for a pure epsilon and sensitivity 1 (Geng and Viswanath 2014, theorem 3)."""
    b = math.exp(-epsilon)
    return math.sqrt((2 ** (-2 / 3) * (b * (1 + b)) ** (2 / 3) + b) / (1 - b) ** 2)


def least_gaussian(epsilon: Fraction) -> float:
    """The least sigma of Gaussian noise that means (epsilon, delta), by bisection of its exact curve."""
    low, high = 0.1, 1000.0
    while high / low > 1 + 1e-7:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if epsilon_of(GaussianPrivacy(Fraction(1 / middle)), DELTA) <= epsilon else (middle, high)
    return high


def off(rows: Sequence[Mapping[str, Any]], truth: Numbers, name: str) -> float:
    """Root mean square error over the groups that are there."""
    return math.sqrt(statistics.fmean((row[name] - truth[row["city"]]) ** 2 for row in rows if row["city"] in truth))


def noises(table: Table, truths: Mapping[str, Numbers], least: float, kind: str) -> list[dict[str, Any]]:
    """Counts and sums of rows: what the noise is, against what it might be at the least."""
    found = []
    for name, text, size in (("n", COUNT, 1), ("total", SUM, RANGE)):
        drawn = [off(table.sql(text).release(epsilon=1, again=True).rows, truths[name], name) for _ in range(ROUNDS)]
        step = table.sql(text).offer(epsilon=1).steps[0]
        unit = float(table.sql(text).offer(epsilon=1).unit(0))
        own = _deviation(step) * unit
        found.append(_row(f"{name} of rows, {kind} filter", math.sqrt(statistics.fmean(e * e for e in drawn)), own, least * size))
    return found


def _deviation(step: Any) -> float:
    """The standard deviation of a card's noise, in its steps; rounding to whole steps included."""
    if "sigma" in step.public:
        return math.sqrt(float(step.public["sigma"]) ** 2 + 1 / 12)
    b = math.exp(-float(step.public["epsilon"] / step.public["sensitivity"]))
    return math.sqrt(2 * b) / (1 - b)


def _row(what: str, measured: float, own: float, best: float) -> dict[str, Any]:
    return {"answer": what, "RMSE drawn": measured, "RMSE": own, "best": best, "ratio": own / best}


def hindsight(path: Path, column: str, rate: float) -> dict[int, float]:
    """The error with every bound when the data are known; `rate` is the noise for each row of the bound."""
    with duckdb.connect() as base:
        base.execute(f"CREATE TABLE own AS SELECT uid, city, sum({column}) AS held FROM '{path}' GROUP BY ALL")
        base.execute(f"CREATE TABLE people AS SELECT uid, count(*) AS n FROM '{path}' GROUP BY uid")
        errors = {}
        for most in (edge for edge in EDGES if 20 <= edge <= 20_000):
            lost = f"SELECT city, sum(held * (1 - least(1.0, {most} / n))) AS b FROM own JOIN people USING (uid) GROUP BY city"
            bias = base.execute(f"SELECT avg(b * b) FROM ({lost})").fetchall()[0][0]
            errors[most] = math.sqrt(bias + (rate * most) ** 2)
    return errors


def bounded(table: Table, path: Path, truths: Mapping[str, Numbers], kind: str) -> list[dict[str, Any]]:
    """Users: the error with a suggested bound, its slice paid, against the best bound in hindsight with the whole price.

    A question for counts and sums has one bound for both; its error is the geometric mean of theirs.
    """
    found = []
    for what, text, names in (("counts", COUNT, ("n",)), ("sums", SUM, ("total",)), ("all four", FOUR, ("n", "total"))):
        asked = table.sql(text)
        errors = [hindsight(path, "1" if name == "n" else "income", _rate(asked, name)) for name in names]
        means = {most: math.prod(error[most] for error in errors) ** (1 / len(names)) for most in errors[0]}
        best = min(means, key=means.__getitem__)
        answers = [asked.release(epsilon=1, suggest_bounds=True, again=True) for _ in range(7)]
        drawn = statistics.median(
            math.prod(off(answer.rows, truths[name], name) for name in names) ** (1 / len(names)) for answer in answers
        )
        chosen = statistics.median_low(answer.offer.bounding.rows for answer in answers)
        found.append(_row(f"{what} of users, {kind} filter: bound {chosen:,}, best {best:,}", drawn, drawn, means[best]))
    return found


def _rate(asked: Question, name: str) -> float:
    """The standard deviation of an output's noise, for each row that a user may count for."""
    offer = asked.counting(1024).offer(epsilon=1)
    place = [output.name for output in offer.typed.query.outputs].index(name)
    step = next(one for one in offer.steps if one.demand.measure == offer.typed.uses[place][0])
    return _deviation(step) * float(offer.unit(step.demand.measure)) / 1024


def measure() -> Result:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = write(folder / "visits.parquet", ROWS, USERS)
        exact = duckdb.sql(f"SELECT city, count(*), sum(least(income, {RANGE})) FROM '{path}' GROUP BY city").fetchall()
        truths = {"n": {row[0]: row[1] for row in exact}, "total": {row[0]: row[2] for row in exact}}
        assert set(truths["n"]) <= set(CITIES)
        rows: list[dict[str, Any]] = []
        users: list[dict[str, Any]] = []
        pure = {by_user: policy(folder, f"visits_{by_user}", path, by_user=by_user) for by_user in (False, True)}
        for kind, least in (("pure", staircase(1.0)), ("concentrated", least_gaussian(Fraction(1)))):
            given = {by: made if kind == "pure" else concentrated(made) for by, made in pure.items()}
            rows += noises(tw.open(policy=given[False]), truths, least, kind)
            users += bounded(tw.open(policy=given[True]), path, truths, kind)
    noise, total = max(row["ratio"] for row in rows), max(row["ratio"] for row in users)
    return Result(
        title="Error at epsilon = 1: noise, and users bounded",
        rows=[*rows, *users],
        notes=[
            f"{ROWS:,} rows, {USERS:,} users with activity like rank^-0.6, 50 cities; root mean square error over the cities",
            "rows: RMSE is that of the card that runs, RMSE drawn that of 15 answers; the best is the staircase for pure ones,",
            "for the other the Gaussian of the least sigma for (epsilon, delta = 1e-9), each for one number of sensitivity 1",
            "users: RMSE is the median of 7 answers with --suggest-bounds, with bias and with the slice for the suggestion",
            "the best is the bound with the least error when the data are known, at the whole price; for all four, one for both",
        ],
        bars=[
            Bar("counts and sums against the least noise that the claim allows", "within 5 %", f"x {noise:.3f}", noise <= 1.05),
            Bar(
                "user level, bias included, against the best bound in hindsight",
                "at most x 1.25",
                f"x {total:.3f}",
                total <= 1.25,
            ),
        ],
    )


if __name__ == "__main__":
    publish(measure())
