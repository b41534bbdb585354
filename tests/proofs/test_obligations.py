"""Hints come from a file that anybody may have written: whatever they say, the checker accepts no price that is too low."""

from __future__ import annotations

from typing import Any

import pytest

from twoworlds.proofs.checker import check
from twoworlds.proofs.lowering import lower
from twoworlds.proofs.statements import Statement, statements

HEAD = """
from twoworlds.losses.prices import Pure
from twoworlds.worlds.cards import mechanism
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.neighbours import Number

"""
TWO_SCALES = """
@mechanism(neighbours=Number("value", by=1), price=Pure("{price}"))
def two_scales(value, *, scale, sample):
    noisy = value + sample(Laplace(scale))
    if scale < 0:
        return sample(Laplace(-scale))
    return noisy
"""
NEW_BUDGET = """
@mechanism(neighbours=Number("value", by=1), price=Pure("{price}"))
def new_budget(value, *, budget, sample):
    noisy = value + sample(Laplace(1))
    budget = 5
    return noisy
"""
EQUAL_NOISE = """
@mechanism(neighbours=Number("value", by=1), price=Pure("{price}"))
def equal_noise(value, *, sample):
    draws = []
    for i in range(2):
        draw = sample(Laplace(1))
        draws.append(draw)
    if draws[0] != draws[1]:
        return {returned}
    return 0
"""
LOCK = {"when": "true", "by": {"value.1": -1}, "charge": None}
STAY = {"when": "true", "by": {}, "charge": None}
COUNTED = "(and (= next@@1.1 next@@1.2) (>= next@@1.1 0.0))"


def hints(**given: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"guess": False, "shifts": {}, "invariants": [], "cells": {}, "signs": {}, "rates": {}, "bounds": []}
    return {**empty, **given}


def flaw(text: str, given: dict[str, Any]) -> str | None:
    """Why the checker refuses the hints for the only card of the text."""
    [found] = statements(HEAD + text)
    assert isinstance(found, Statement)
    return check(lower(found.program), found.relation, found.price, found.whole, given)


@pytest.mark.parametrize("ratio", ["-1", "0"])
def test_a_scale_is_no_negative_multiple_of_another(ratio: str) -> None:
    """Counted at minus another scale, noise would earn what it costs; at its own scale it costs 1 / scale."""
    given = hints(shifts={"0": [LOCK], "1": [STAY]}, signs={"0": "(> scale.1 0.0)"}, bounds=["(<= $K1 0.0)", "(<= $K0 1.0)"])
    assert flaw(TWO_SCALES.format(price="abs(1 / scale)"), {**given, "rates": {"0": ["1", ratio]}}) is not None
    assert flaw(TWO_SCALES.format(price="0"), {**given, "rates": {"0": ["1", ratio]}}) is not None
    assert flaw(TWO_SCALES.format(price="1 / scale"), given) is None


def test_a_bound_speaks_of_the_parameters_that_are_charged() -> None:
    """What the program makes of a parameter later is not what the price is computed from."""
    given = hints(shifts={"0": [LOCK]}, bounds=["(<= $K0 budget.1)"])
    assert flaw(NEW_BUDGET.format(price="budget"), given) is not None
    assert flaw(NEW_BUDGET.format(price="1"), {**given, "bounds": ["(<= $K0 1.0)"]}) is None


def test_a_hint_for_all_entries_names_no_single_draw() -> None:
    """Were every entry said to be the one draw that the checker looks at, the branch where two differ would be impossible."""
    for number in range(12):
        cell = f"(and (= $one draw!{number}) (= $two draw!{number}))"
        given = hints(invariants=[COUNTED], cells={"draws": cell})
        assert flaw(EQUAL_NOISE.format(price="0", returned="value"), given) is not None
    assert flaw(EQUAL_NOISE.format(price="0", returned="1"), hints(invariants=[COUNTED])) is None


def test_a_hint_with_an_unknown_name_is_refused_in_words() -> None:
    """A name that no formula declares makes the hints no proof; the solver's own error does not come through."""
    why = flaw(NEW_BUDGET.format(price="1"), hints(shifts={"0": [LOCK]}, bounds=["(<= $K0 nothing.1)"]))
    assert why is not None
    assert "error" in why
