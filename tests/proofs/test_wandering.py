"""A bound that is proved of a function that nobody wrote holds on inputs that nobody tried."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from tests.proofs.wandering import function, world
from twoworlds.proofs.functions.claims import Stated
from twoworlds.proofs.functions.proving import certified
from twoworlds.proofs.functions.reading import from_file
from twoworlds.proofs.functions.trials import FAILURES, apart, output
from twoworlds.proofs.trials import Numbers
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.expressions import Expression

_INPUTS = 300


def _bound(stated: Stated, values: Mapping[str, Any]) -> Fraction | None:
    """The bound at these values; None where it has none, such as a mean's on an empty list: then nothing is claimed."""
    assert stated.by is not None
    try:
        return stated.by.above(values)
    except BadArgument:
        return None


def told(seed: int) -> str:
    """The verdict on a random function; what is proved of it is held against fresh inputs."""
    text, relation, metric = function(seed)
    found = certified(from_file(text)[0])
    if found.verdict != "PROVED":
        return found.verdict
    stated, pick = Stated.of(relation, Expression(found.details["by"]), metric), random.Random(seed)
    program = from_file(text)[0].program
    assert program is not None
    for _ in range(_INPUTS):
        cut, one = Fraction(pick.randint(-3, 5)), world(pick, relation)
        other = relation.neighbour(Numbers(pick.randrange(10**6)), one, {"cut": cut})
        gives = []
        for given in (one, other):
            try:
                gives.append(output(program, {"xs": given, "cut": cut}))
            except FAILURES as why:
                gives.append(why)
        failed = [isinstance(given, Exception) for given in gives]
        assert failed[0] == failed[1], f"one run fails: {one}, {other}, cut = {cut}\n{text}"
        if not any(failed) and (most := _bound(stated, {"cut": cut, "xs": one})) is not None:
            far = apart(stated, *gives)
            assert most < 0 or (far is not None and far <= most), f"{far} > {most}: {one}, {other}, cut = {cut}\n{text}"
    return "PROVED"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 5])
def test_what_is_proved_of_a_random_function_holds(seed: int) -> None:
    """Two of those that the long search goes through."""
    told(seed)


@pytest.mark.soak
def test_no_false_bound_is_proved_of_a_random_function(effort: float) -> None:
    """A thousand functions of numbers, lists and tables; many have a bound."""
    verdicts = Counter(told(seed) for seed in range(max(10, round(1_000 * effort))))
    assert verdicts["PROVED"] and len(verdicts) > 1, verdicts
