"""The readers agree: what a card's function does when it runs is the law that was tabulated."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.statistics import chi_square
from twoworlds.exact.tabulate import tabulate
from twoworlds.mechanisms.catalogue import card
from twoworlds.sampling.entropy import SeededEntropy
from twoworlds.sampling.run import repeat

RUNS = 20_000

FINITE: dict[str, tuple[Any, Any, dict[str, Any], str, Any]] = {
    # name: a world, its neighbour, public parameters, and one parameter changed so much that the law must look wrong
    "above_threshold": ([0, 2, 1, 3], [1, 1, 2, 2], {"threshold": 2, "epsilon": 1}, "threshold", 4),
    "biased_coins": (False, True, {"first": "1/4", "second": "1/2"}, "first", "1/2"),
    "exponential": ([0, 3, 1], [1, 2, 2], {"sensitivity": 1, "epsilon": 1}, "epsilon", "1.3"),
    "k_ary_response": (0, 2, {"options": 5, "epsilon": 1}, "epsilon", "1.3"),
    "noisy_max_exponential": ([0, 3, 1], [1, 2, 2], {"sensitivity": 1, "epsilon": 1}, "epsilon", "1.3"),
    "noisy_max_gumbel": ([0, 3, 1], [1, 2, 2], {"sensitivity": 1, "epsilon": 1}, "epsilon", "1.3"),
    "noisy_max_laplace": ([0, 3, 1], [1, 2, 2], {"sensitivity": 1, "epsilon": 1}, "epsilon", "1.3"),
    "permute_and_flip": ([0, 3, 1], [1, 2, 2], {"sensitivity": 1, "epsilon": 1}, "epsilon", "1.3"),
    "randomized_response": (False, True, {"keep": "3/4"}, "keep", "0.8"),
    "sparse_vector": ([0, 2, 1, 3], [1, 1, 2, 2], {"threshold": 2, "limit": 2, "epsilon": 2}, "epsilon", "2.6"),
    "sparse_vector_redrawn": ([0, 2, 1, 3], [1, 1, 2, 2], {"threshold": 2, "limit": 2, "epsilon": 2}, "threshold", 3),
    "truncated_geometric": (1, 2, {"most": 4, "epsilon": "1/2"}, "epsilon", "0.65"),
}


@pytest.mark.parametrize("name", FINITE)
def test_function_and_table_agree(name: str, judge: Any) -> None:
    """Outputs of the running function fit the tabulated law; with one parameter changed they do not."""
    world, other, public, changed, value = FINITE[name]
    mechanism = card(name)
    table = tabulate(mechanism, world, other, **public)
    secret = mechanism.neighbours.parameter
    judge.fits(_fit(repeat(mechanism, RUNS, **{secret: world}, **public, entropy=SeededEntropy(11)), table.law))
    judge.fits(_fit(repeat(mechanism, RUNS, **{secret: other}, **public, entropy=SeededEntropy(12)), table.other_law))
    faulty = repeat(mechanism, RUNS, **{secret: world}, **{**public, changed: value}, entropy=SeededEntropy(13))
    judge.rejects(_fit(faulty, table.law), planted=f"{changed} = {value}")


def _fit(outputs: list[Any], law: dict[Any, Any]) -> Any:
    seen = Counter(tuple(output) if isinstance(output, list) else output for output in outputs)
    assert set(seen) <= set(law), "an output that the table says is impossible"
    names = sorted(law, key=str)
    expected = [law[name].upper * len(outputs) for name in names]
    scale = len(outputs) / sum(expected)
    return chi_square([seen[name] for name in names], [value * scale for value in expected])
