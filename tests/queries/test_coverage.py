"""Intervals hold as often as they say: over many draws of the real cards, read as answers are."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.queries.declarations import BY_ROW, BY_USER
from tests.queries.worlds import PHYSICAL, engine, measured
from tests.statistics import Comparison, Judge
from twoworlds.queries.outputs import Noisy, Reading
from twoworlds.queries.plan import Aggregate
from twoworlds.queries.policy import Policy
from twoworlds.queries.pricing import Offer, offer
from twoworlds.queries.reading import read
from twoworlds.queries.scores import scores
from twoworlds.queries.typing import typed
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.sampling.run import repeat

DRAWS = 1500
ROWS = [(f"user {i % 60}", "Lyon", "a", 20 + i * 7 % 60, float(i * 997 % 100_000), 0.0, True, None, None) for i in range(400)]


def answered(question: str, policy: Policy, epsilon: str, confidence: float, together: int = 1) -> tuple[Offer, list[Any], Any]:
    """Cells of many answers to the same question, and what the exact measures give."""
    made = offer(typed(read(question, policy), policy, question), policy, epsilon=epsilon)
    held = engine(policy, ROWS)
    exact = measured(made, held)
    held.close()
    results = []
    for seed, step in enumerate(made.steps):
        entries: Any = exact.entries(step.demand.measure)
        if step.demand.kind != "added":
            entries = scores(step, exact.rows(step.demand.measure)[0])
        drawn = repeat(step.card, DRAWS, entries, entropy=SeededEntropy(seed + 11), **dict(step.public))
        results.append(drawn if step.demand.kind == "added" else [[one] for one in drawn])
    output, uses = made.typed.query.outputs[0], made.typed.uses[0]
    assert isinstance(output.value, Aggregate)

    def cell(noisy: list[Any]) -> Any:
        reading = Reading(made, Noisy(exact.keys[:1] or ((),), tuple(noisy)), confidence, together)
        return reading.cell(output.name, output.value, uses, 0)  # type: ignore[arg-type]  # an aggregate

    cells = [cell([result[draw] for result in results]) for draw in range(DRAWS)]
    truth = None
    if made.steps[0].demand.kind == "added":
        truth = cell([exact.entries(step.demand.measure) for step in made.steps]).value
    return made, cells, truth


def left(cells: list[Any], truth: float, confidence: float, scale: float = 1.0) -> Comparison:
    """How often the truth is outside of intervals that are `scale` times as wide, against how often it may be."""
    from scipy.stats import binom

    outside = sum(
        not cell.value - scale * (cell.value - cell.low) <= truth <= cell.value + scale * (cell.high - cell.value)
        for cell in cells
    )
    return Comparison(f"{outside} of {len(cells)} outside", float(binom.sf(outside - 1, len(cells), 1 - confidence)))


@pytest.mark.parametrize(
    ("wanted", "planted"),
    [
        ("COUNT(*)", 0.77),
        ("SUM(income)", 0.77),
        ("AVG(age)", 0.4),
        ("VARIANCE(age)", 0.12),
        ("STDDEV(income)", 0.12),
        ("COVAR_POP(age, income)", 0.1),
    ],
)
@pytest.mark.parametrize("policy", [BY_ROW, BY_USER], ids=["rows", "users"])
def test_intervals_hold(wanted: str, planted: float, policy: Policy, judge: Judge) -> None:
    """95 % intervals miss in 5 % of the draws at most; narrower ones are seen to miss more."""
    _, cells, truth = answered(f"SELECT {wanted} AS x FROM visits", policy, "1" if wanted == "COUNT(*)" else "20", 0.95)
    judge.fits(left(cells, truth, 0.95))
    judge.rejects(left(cells, truth, 0.95, planted), planted=f"interval x {planted}")


@pytest.mark.parametrize("confidence", [0.5, 0.8])
def test_counts_are_not_given_more_room_than_they_need(confidence: float, judge: Judge) -> None:
    """At any confidence the interval of a count is as wide as its noise asks for, and hardly wider."""
    _, cells, truth = answered("SELECT COUNT(*) AS x FROM visits", BY_ROW, "1", confidence)
    judge.fits(left(cells, truth, confidence))
    judge.rejects(left(cells, truth, confidence, 0.5), planted="interval x 0.5")
    outside = sum(not cell.low <= truth <= cell.high for cell in cells)
    assert outside > 0.7 * (1 - confidence) * len(cells)


def test_ranks_of_quantiles_hold(judge: Judge) -> None:
    """The rank of the chosen value is no further from the wanted one than it says, with 95 %; the bound is a union bound."""
    made, cells, _ = answered("SELECT MEDIAN(age) AS x FROM visits", BY_ROW, "1", 0.95)
    ages = sorted(row[PHYSICAL_AGE] for row in ROWS)
    wanted = Fraction(1, 2) * len(ages)

    def off(value: float) -> Fraction:
        below, upto = sum(age < value for age in ages), sum(age <= value for age in ages)
        return max(Fraction(0), below - wanted, wanted - upto)

    from scipy.stats import binom

    def missed(scale: float) -> Comparison:
        outside = sum(off(cell.value) > scale * cell.ranks for cell in cells)
        return Comparison(f"{outside} ranks off", float(binom.sf(outside - 1, len(cells), 0.05)))

    judge.fits(missed(1.0))
    judge.rejects(missed(0.05), planted="ranks x 0.05")
    assert made.steps[0].demand.kind == "quantile"


def test_simultaneous_intervals_hold_together(judge: Judge) -> None:
    """Of twenty counts at once all intervals hold in 95 % of the answers; intervals for one each would not."""
    from scipy.stats import binom

    _, cells, truth = answered("SELECT COUNT(*) AS x FROM visits", BY_ROW, "1", 0.95, together=20)
    _, single, _ = answered("SELECT COUNT(*) AS x FROM visits", BY_ROW, "1", 0.95)

    def missed(found: list[Any]) -> Comparison:
        answers = [found[start : start + 20] for start in range(0, len(found) - 19, 20)]
        bad = sum(any(not cell.low <= truth <= cell.high for cell in answer) for answer in answers)
        return Comparison(f"{bad} answers", float(binom.sf(bad - 1, len(answers), 0.05)))

    judge.fits(missed(cells))
    judge.rejects(missed(single), planted="each interval for itself")


PHYSICAL_AGE = list(PHYSICAL).index("age")
