"""Malformed calls of every card, one parameter at a time: running and tabulating refuse them by name and return nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from twoworlds.exact.tabulate import tabulate
from twoworlds.losses.prices import Pure
from twoworlds.mechanisms.catalogue import card, cards
from twoworlds.sampling.run import run
from twoworlds.source.arguments import check_arguments
from twoworlds.source.inference import infer
from twoworlds.source.kinds import TRUTH, Kind
from twoworlds.source.parser import parse, parse_text
from twoworlds.worlds.cards import Card, mechanism
from twoworlds.worlds.errors import BadArgument, TwoWorldsError
from twoworlds.worlds.neighbours import Number

NOTHING = (None, "", "abc", "nan", "inf", "1/0", b"1", math.nan, math.inf, -math.inf, np.float64("nan"), Decimal("sNaN"))
NOTHING += (1j, object(), Fraction, len, {}, {1: 2}, {1}, [math.nan], ["a"], [None], [[[1]]], np.array(["a"]), (x for x in ()))
BELOW_ZERO = (-1, -0.5, "-1/3", Decimal("-1e-30"), -(10**400))
COUNTED = ("levels", "limit", "most", "options", "reach", "records")
SIZES = (*COUNTED, "epsilon", "sensitivity", "sigma", "root", "first", "second", "keep")
PARAMETERS = [(name, parameter) for name, each in cards().items() for parameter in each.parameters]
every_parameter = pytest.mark.parametrize(("name", "parameter"), PARAMETERS, ids=[".".join(pair) for pair in PARAMETERS])


def malformed(mechanism: Card, parameter: str) -> list[Any]:
    """What this parameter may not be: no kind of number or list, or one of another kind than it is used as."""
    kind = infer(parse(mechanism)).parameters[parameter]
    wrong: list[Any] = [*NOTHING, *([1.5, "1/2", 1e-300] if parameter in COUNTED else [])]
    wrong += BELOW_ZERO if parameter in SIZES else []
    return [*wrong, *_of_another_kind(kind)]


def _of_another_kind(kind: Kind) -> list[Any]:
    if kind.is_sequence:
        return [3, -0.5, "1/3", True, [True, None], [[1], [2]], np.int64(3), np.array([[1, 2]])]  # True among counts is 1
    if TRUTH in kind.scalars:
        return [2, -1, 0.5, "1/3", [True], np.int64(3)]  # 0 and 1 are looked up among the declared answers
    return [True, False, [], [1], (1, 2), [True], range(3), np.array([1, 2]), np.bool_(True)]


def calls(mechanism: Card, parameter: str) -> list[tuple[Any, Callable[[], object]]]:
    """Every malformed value of one parameter, in a run and in a tabulation that are otherwise well formed."""
    secret, case = mechanism.neighbours.parameter, mechanism.worst[0]
    found: list[tuple[Any, Callable[[], object]]] = []
    for value in malformed(mechanism, parameter):
        inputs = {secret: case.world, **case.at, parameter: value}
        world, public = inputs[secret], {name: entry for name, entry in inputs.items() if name != secret}
        found.append((value, lambda inputs=inputs: run(mechanism, **inputs)))  # type: ignore[misc]  # its type is told above
        found.append((value, lambda world=world, public=public: tabulate(mechanism, world, case.other, **public)))  # type: ignore[misc]  # see above
    return found


@every_parameter
def test_malformed_calls_are_refused(name: str, parameter: str) -> None:
    """Each malformed value of each parameter of each card is an error of ours with a fix, in both readers."""
    mechanism = card(name)
    for value, call in calls(mechanism, parameter):
        with pytest.raises(TwoWorldsError) as caught:
            pytest.fail(f"{parameter} = {value!r} gave {call()!r:.80}")
        assert caught.value.what and caught.value.fix, repr(value)


def test_the_generator_bears_on_every_parameter() -> None:
    """Planted: no parameter is left alone, and a reader without the check would let some of these calls through."""
    assert all(len(calls(card(name), parameter)) >= 50 for name, parameter in PARAMETERS)
    twice = parse_text("def f(data, k, *, sample):\n    return data[0] + sample(Laplace(1)), 2 * k\n", "data")
    with pytest.raises(BadArgument, match=r"k = \[1, 2\] is a list\. f needs a number"):
        check_arguments(twice, {"data": [1], "k": [1, 2]})  # in Python, twice a list is the list and itself again


def test_what_is_private_is_not_shown() -> None:
    """An error about the private argument says what it is and not what it holds."""
    for value in ([1234, None], [[1234]], 1234, {1234: 1234}):
        with pytest.raises(TwoWorldsError) as caught:
            run(card("histogram"), value, epsilon=1)
        assert "1234" not in str(caught.value)
    with pytest.raises(BadArgument) as failed:
        run(card("noisy_max_laplace"), [], sensitivity=1, epsilon=1)
    assert "IndexError" in str(failed.value) and "scores" in str(failed.value)


def test_the_parameter_at_fault_is_named() -> None:
    """Parameters that the program has no use for, zero where it divides, and counts below 0 are told by name and value."""
    for named, match in (
        ({"sensitivity": -1, "sigma": 1}, "sensitivity.* -1, below 0"),
        ({"sensitivity": 1, "sigma": 0}, "divisor|sigma"),
    ):
        with pytest.raises(BadArgument, match=match):
            run(card("gaussian"), [1], **named)
    with pytest.raises(BadArgument, match="epsilon = 0 makes prefix_sums divide by zero"):
        run(card("prefix_sums"), [1], epsilon=0)
    with pytest.raises(BadArgument, match="records = -1 is not a whole number of 0 or more"):
        run(card("proportion"), [1], records=-1, epsilon=1)


def test_truth_values_that_are_only_handed_on_pass() -> None:
    """Where the text leaves open what a parameter is, a truth value is let in; where None is asked about, None is."""
    handed = parse_text("def f(truth, k, *, sample):\n    return truth, sample(Bernoulli(Fraction(1, 2)))\n", "truth")
    check_arguments(handed, {"truth": True, "k": 1})
    asked = parse_text("def f(data, k, *, sample):\n    return 0 if k is None else k + data\n", "data")
    check_arguments(asked, {"data": 1, "k": None})
    with pytest.raises(BadArgument, match=r"data = '\.\.\.' is a truth value"):
        check_arguments(asked, {"data": True, "k": None})


@pytest.mark.parametrize("thing", [None, 3, "laplace", len, lambda value: value, {}])
def test_what_is_no_card_is_refused(thing: Any) -> None:
    """Running and tabulating want a card, and a card wants a relation, a price and a source of entropy."""
    for call in (
        lambda: run(thing, 1),
        lambda: tabulate(thing, 0, 1),
        lambda: run(card("laplace"), 1, sensitivity=1, epsilon=1, entropy=thing if thing is not None else 3),
        lambda: tabulate(card("laplace"), 0, 1, sensitivity=1, epsilon=1, neighbours=thing if thing is not None else 3),
        lambda: mechanism(neighbours=thing, price=Pure("epsilon"))(lambda value, *, epsilon, sample: value),  # noqa: ARG005  never run
        lambda: mechanism(neighbours=Number("value"), price=thing)(lambda value, *, epsilon, sample: value),  # noqa: ARG005  never run
    ):
        with pytest.raises(TwoWorldsError) as caught:
            call()
        assert caught.value.what and caught.value.fix
