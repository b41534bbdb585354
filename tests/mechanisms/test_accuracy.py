"""Every accuracy theorem holds in simulation: the share of runs whose error passes alpha is at most beta.

Each theorem is also shown to be about this mechanism: a bound a few times smaller, planted in its place, is rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest

from tests.statistics import SHARE, Comparison
from twoworlds.mechanisms.catalogue import card, cards
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.sampling.run import repeat

BETA = Fraction(1, 10)
RUNS = 2_000

Error = Callable[[Any], float]


def _farthest(truth: Sequence[float]) -> Error:
    """The largest error of a list of answers."""
    return lambda output: max(abs(float(answer) - float(true)) for answer, true in zip(output, truth, strict=True))


def _shortfall(scores: Sequence[float]) -> Error:
    """How far the chosen candidate's score is below the best."""
    return lambda choice: float(max(scores) - scores[choice])


def _misjudged(queries: Sequence[float], threshold: float) -> Error:
    """The most by which a query on the wrong side of the threshold is on it; answers are truth values, numbers or an index."""

    def error(output: Any) -> float:
        if output is None or (isinstance(output, int) and not isinstance(output, bool)):
            answers: Sequence[Any] = [None] * (len(queries) if output is None else output) + ([] if output is None else [True])
        else:
            answers = output
        wrong = [0.0]
        for query, answer in zip(queries, answers, strict=False):
            above = answer is not None and answer is not False
            wrong.append(threshold - query if above else query - threshold)
        return max(wrong)

    return error


def _answered(queries: Sequence[float], threshold: float) -> Error:
    """As `_misjudged`, and the numeric answers themselves must be near their queries."""

    def error(output: Any) -> float:
        near = [abs(float(answer) - query) for query, answer in zip(queries, output, strict=False) if answer is not None]
        return max([_misjudged(queries, threshold)(output), *near])

    return error


def _running(values: Sequence[int]) -> list[float]:
    return [float(sum(values[: i + 1])) for i in range(len(values))]


SCORES = [0, -1, -2, -3, -5, -8, -12, -17]
QUERIES = [0, 5, 10, 15, 20, 24, 18, 12]
VALUES = [3, 0, 4, 1, 5, 9, 2, 6]
SPARSE = {"threshold": 22, "limit": 2, "epsilon": 2}

SETTINGS: dict[str, tuple[Any, dict[str, Any], Error, float]] = {
    # name: secret input, public parameters, error of an output, and the factor by which a smaller bound is refused
    "laplace": (7, {"sensitivity": 2, "epsilon": "1/2"}, lambda output: abs(float(output) - 7), 1.5),
    "laplace_vector": (VALUES, {"sensitivity": 2, "epsilon": "1/2"}, _farthest(VALUES), 1.5),
    "laplace_each": (VALUES, {"sensitivity": 1, "epsilon": 2}, _farthest(VALUES), 1.5),
    "laplace_euclidean": (VALUES, {"sensitivity": 1, "epsilon": 1, "root": 3}, _farthest(VALUES), 1.5),
    "geometric": (7, {"sensitivity": 1, "epsilon": "1/5"}, lambda output: abs(float(output) - 7), 1.5),
    "truncated_geometric": (30, {"most": 60, "epsilon": "1/5"}, lambda output: abs(float(output) - 30), 1.5),
    "gaussian": (VALUES, {"sensitivity": 1, "sigma": 5}, _farthest(VALUES), 1.5),
    "exponential": (SCORES, {"sensitivity": 1, "epsilon": 1}, _shortfall(SCORES), 8),
    "permute_and_flip": (SCORES, {"sensitivity": 1, "epsilon": 1}, _shortfall(SCORES), 8),
    "noisy_max_laplace": (SCORES, {"sensitivity": 1, "epsilon": 1}, _shortfall(SCORES), 12),
    "noisy_max_exponential": (SCORES, {"sensitivity": 1, "epsilon": 1}, _shortfall(SCORES), 8),
    "noisy_max_array": (SCORES, {"sensitivity": 1, "epsilon": 1}, _shortfall(SCORES), 8),
    "noisy_max_gumbel": (SCORES, {"sensitivity": 1, "epsilon": 1}, _shortfall(SCORES), 8),
    "above_threshold": (QUERIES, {"threshold": 22, "epsilon": 1}, _misjudged(QUERIES, 22), 8),
    "sparse_vector": (QUERIES, SPARSE, _misjudged(QUERIES, 22), 12),
    "sparse_vector_redrawn": (QUERIES, SPARSE, _misjudged(QUERIES, 22), 12),
    "sparse_vector_numeric": (QUERIES, SPARSE, _answered(QUERIES, 22), 12),
    "sparse_vector_gap": (QUERIES, SPARSE, _misjudged(QUERIES, 22), 12),
    "prefix_sums": (VALUES, {"epsilon": 1}, _farthest(_running(VALUES)), 4),
    "binary_tree": (VALUES, {"levels": 4, "epsilon": 1}, _farthest(_running(VALUES)), 4),
    "planar_laplace": ((3, -4), {"epsilon": "1/5"}, lambda place: float(abs(place[0] - 3) + abs(place[1] + 4)), 2),
    "proportion": ([1] * 5 + [0] * 15, {"records": 20, "epsilon": "1/2"}, lambda share: abs(float(share) - 0.25), 1.5),
    "histogram": (VALUES, {"epsilon": "1/2"}, _farthest(VALUES), 1.5),
    "statistical_queries": (VALUES, {"records": 10, "epsilon": 2}, _farthest([value / 10 for value in VALUES]), 1.5),
}


def test_every_theorem_is_simulated() -> None:
    """A card that states an accuracy theorem is in the table above."""
    assert set(SETTINGS) == {name for name, each in cards().items() if each.accuracy is not None}


@pytest.mark.parametrize("name", SETTINGS)
def test_theorem_holds(name: str, judge: Any) -> None:
    """At most beta of the runs are further off than alpha; a bound several times smaller is refused."""
    secret, public, error, factor = SETTINGS[name]
    mechanism = card(name)
    outputs = repeat(mechanism, RUNS, secret, **public, entropy=SeededEntropy(20_261), **{})
    errors = [error(output) for output in outputs]
    alpha = mechanism.accuracy.at(BETA, {**public, mechanism.neighbours.parameter: secret})
    judge.fits(_at_most(errors, alpha))
    judge.rejects(_at_most(errors, alpha / factor), planted=f"a bound {factor} times smaller")


def _at_most(errors: list[float], alpha: float) -> Comparison:
    """One-sided exact test that an error passes alpha with probability beta at most."""
    from scipy.stats import binom

    passed = sum(error > alpha for error in errors)
    return Comparison(
        f"{passed} of {len(errors)} errors above {alpha:.4g}", float(binom.sf(passed - 1, len(errors), float(BETA))), SHARE
    )
