"""Certified limits of refutations as the grid goes to 0: published figures, and what ever finer grids tend to."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from tests.broken.proofs import benchmarks
from twoworlds.proofs.limits import in_the_limit
from twoworlds.proofs.measures import follow
from twoworlds.proofs.patterns import Pair
from twoworlds.proofs.statements import Statement, stated
from twoworlds.source.interpreter import freeze
from twoworlds.worlds.cards import Card

AT = {"threshold": 0, "limit": 1, "epsilon": 1}
ONE = {"epsilon": 1}


def statement(card: Card) -> Statement:
    found = stated(card)
    assert isinstance(found, Statement)
    return found


def pair(one: Any, other: Any, public: dict[str, int]) -> Pair:
    return Pair(freeze(one), freeze(other), {name: Fraction(value) for name, value in public.items()})


@pytest.mark.parametrize(("length", "loss"), [(3, 1.0), (5, 1.5), (8, 2.25), (20, 5.25), (40, 10.25)])
def test_roths_sparse_vector_has_its_known_ratios(length: int, loss: float) -> None:
    """Queries 1 against 2, so many below and then an answer of 1 or less: the ln ratio is known in closed form."""
    worlds = pair([1] * (length + 1), [2] * (length + 1), AT)
    bounds = in_the_limit(statement(benchmarks.svt_roth_notes), worlds, (False,) * length + (Fraction(4, 5),))
    assert bounds is not None
    assert bounds[0] <= loss + 1e-12 and loss - 1e-12 <= bounds[1] and bounds[1] - bounds[0] < 1e-9


CASES = [
    (benchmarks.svt_roth_notes, [0] * 4, [1, 1, 1, -1], AT, (False, False, False, Fraction(1))),
    (benchmarks.svt_lee_clifton, [0] * 4, [1, -1, -1, -1], AT, (False, True)),
    (benchmarks.svt_chen, [0] * 3, [1, -1, -1], {"threshold": 0, "epsilon": 1}, (False, True, True)),
    (benchmarks.noisy_max_monotone_noise, [0] * 3, [1, -1, -1], ONE, Fraction(0)),
    (benchmarks.noisy_max_exponential_value, [0, 2], [1, 2], ONE, Fraction(3)),
    (benchmarks.partial_sum_half_noise, [0, 0], [1, 0], ONE, Fraction(2)),
    (benchmarks.gap_svt_value, [0] * 3, [1] * 3, AT, (None, None, Fraction(0))),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0].name for case in CASES])
def test_fine_grids_tend_to_the_limit(case: tuple[Card, Any, Any, dict[str, int], Any]) -> None:
    """Each halving of the grid brings the exact ratio nearer, and the finest is near."""
    card, one, other, public, output = case
    found, worlds = statement(card), pair(one, other, public)
    bounds = in_the_limit(found, worlds, output)
    assert bounds is not None
    away = []
    for grid in (Fraction(1, 2), Fraction(1, 8), Fraction(1, 32)):
        shown, _ = follow(found, worlds, output, grid=grid, most=2_000_000)
        assert shown is not None
        one_way = math.log(shown.probabilities[0] / shown.probabilities[1]) * (1 if shown.pair.one == worlds.one else -1)
        away.append(abs(one_way - bounds[0]))
    assert away[2] < 0.02 and away[2] <= away[0] + 1e-9


def test_what_is_not_known_is_not_guessed() -> None:
    """Coins, and outputs that only some paths give a density: no limit, no error."""
    for card, one, other, output in (
        (benchmarks.k_ary_response_wrong, 0, 1, Fraction(0)),
        (benchmarks.rappor_every_bit, [0, 0], [1, 1], (True, True)),
        (benchmarks.truncated_noise, 0, 1, Fraction(0)),
    ):
        found = statement(card)
        public = dict.fromkeys((name for name in found.program.parameters if name != found.relation.parameter), 1)
        assert in_the_limit(found, pair(one, other, public), output) is None
