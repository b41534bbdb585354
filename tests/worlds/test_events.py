"""Events: what happened, exactly and for good; nothing malformed can be recorded."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from tests.worlds.malformed import NOT_NUMBERS, refuses
from twoworlds.worlds import events
from twoworlds.worlds.events import (
    Composed,
    Correlated,
    Distance,
    Event,
    Parallel,
    Poisson,
    Ran,
    Repeated,
    Sampled,
    Shared,
    Shuffled,
    WithoutReplacement,
    WithReplacement,
)
from twoworlds.worlds.grid import Parameter
from twoworlds.worlds.neighbours import AddRemove, Each, Replace, User

RAN = Ran.of("laplace", "ab" * 32, {"epsilon": "0.1", "k": 3, "bins": [1, 2.5], "monotone": True, "limit": None}, Distance(l1=1))
EXAMPLES: tuple[Event, ...] = (
    RAN,
    Sampled(Poisson(Fraction(1, 100)), RAN),
    Sampled(WithoutReplacement(10, 1000), RAN),
    Sampled(WithReplacement(10, 1000), RAN),
    Repeated(5, RAN),
    Composed((RAN, Repeated(2, RAN))),
    Parallel.of(AddRemove("rows"), [RAN, RAN]),
    Correlated(((Fraction(1), Fraction(0)), (Fraction(1), Fraction(1))), RAN),
    Shared(Fraction(1, 2), RAN),
    Shuffled(1000, RAN),
)


def test_every_event_is_listed_here() -> None:
    """Nothing below passes for want of an event."""
    plain = {"Event", "Scheme", "Distance", "Poisson", "WithoutReplacement", "WithReplacement"}
    assert {type(event).__name__ for event in EXAMPLES} == set(events.__all__) - plain


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: type(event).__name__)
def test_events_are_values(event: Event) -> None:
    """Equal by value, hashable so that equal ones merge by count, unchangeable, pickled as they are."""
    again = pickle.loads(pickle.dumps(event))
    assert event == again == copy.deepcopy(event) and {event: 2}[again] == 2
    for field in fields(event):  # type: ignore[arg-type]  # every event is a dataclass, their common parent is not
        with pytest.raises(FrozenInstanceError):
            setattr(event, field.name, None)
    assert sum(event == other for other in EXAMPLES) == 1


def test_parameters_are_exact_and_in_order() -> None:
    """The same parameters make the same event, however they are written and in whatever order they come."""
    one = Ran.of("laplace", "ab", {"epsilon": 0.1, "bins": (1, [2, "a"])})
    other = Ran.of("laplace", "ab", {"bins": [1, (2, "a")], "epsilon": Decimal("0.1")})
    assert one == other == Ran.of("laplace", "ab", {"epsilon": Parameter("0.1"), "bins": (1, (2, "a"))})
    values = dict(one.parameters)
    assert values["epsilon"] == Fraction(1, 10) and type(values["epsilon"]) is Fraction and values["bins"] == (1, (2, "a"))
    assert dict(RAN.parameters)["monotone"] is True and dict(RAN.parameters)["limit"] is None


@pytest.mark.parametrize(
    "bad", [value for value in NOT_NUMBERS if not isinstance(value, str | bool | list) and value is not None]
)
def test_parameters_that_are_no_values_are_refused(bad: Any) -> None:
    """NaN, infinity and objects cannot be recorded."""
    assert str(refuses(lambda: Ran.of("laplace", "ab", {"epsilon": bad}))).startswith("epsilon = ")
    refuses(lambda: Ran.of("laplace", "ab", {"bins": [1, [bad]]}))


def test_parallel_carries_its_relation() -> None:
    """How many parts one step can touch is asked of the relation, recorded, and refused where unknown."""
    add, replaced = Parallel.of(AddRemove("rows"), [RAN, RAN]), Parallel.of(Replace("rows"), [RAN, RAN])
    assert (add.touched, replaced.touched) == (1, 2)
    assert add.relation == "AddRemove('rows')" and add != replaced
    assert Parallel.of(User("rows", "person"), (RAN,), key="person").touched == 1
    refuses(lambda: Parallel.of(User("rows", "person"), [RAN]))
    refuses(lambda: Parallel.of(Each("queries"), [RAN]))


@pytest.mark.parametrize("field", ["l0", "l1", "l2_squared", "linf"])
@pytest.mark.parametrize("bad", [*(value for value in NOT_NUMBERS if value is not None), -1, "-1/3"], ids=repr)
def test_a_distance_is_not_negative(field: str, bad: Any) -> None:
    """No norm is negative, NaN or infinite; what is unknown is None."""
    assert field in str(refuses(lambda: Distance(**{field: bad})))


def test_a_distance_is_exact() -> None:
    """Norms are kept as rationals, unknown ones as None."""
    distance = Distance(l1=0.1, l2_squared="1/3")  # type: ignore[arg-type]  # what a person may write
    assert (distance.l0, distance.l1, distance.l2_squared, distance.linf) == (None, Fraction(1, 10), Fraction(1, 3), None)


WHOLE = [0, -1, 1.5, 2.0, True, None, "3", math.nan, math.inf, Fraction(3)]
COUNTED: dict[str, Callable[[Any], object]] = {
    "count": lambda bad: Repeated(bad, RAN),
    "people": lambda bad: Shuffled(bad, RAN),
    "size": lambda bad: WithoutReplacement(bad, 10),
    "records": lambda bad: WithoutReplacement(1, bad),
    "size again": lambda bad: WithReplacement(bad, 10),
    "records again": lambda bad: WithReplacement(1, bad),
    "length": lambda bad: Ran.of("laplace", "ab", {}, length=bad),
    "touched": lambda bad: Parallel((RAN,), "AddRemove('rows')", bad),
}


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("bad", WHOLE, ids=repr)
def test_counts_are_whole_and_positive(name: str, bad: Any) -> None:
    """NaN compares false with every limit, halves of records do not exist: errors that name the argument."""
    assert name.removesuffix(" again") in str(refuses(lambda: COUNTED[name](bad)))


@pytest.mark.parametrize("bad", [*NOT_NUMBERS, 0, -0.5, 1.1, 5], ids=repr)
def test_fractions_are_above_0_and_at_most_1(bad: Any) -> None:
    """A rate and an honest fraction are in (0, 1]."""
    refuses(lambda: Poisson(bad))
    refuses(lambda: Shared(bad, RAN))


@pytest.mark.parametrize(
    "call",
    [
        lambda bad: Sampled(Poisson(Fraction(1)), bad),
        lambda bad: Sampled(bad, RAN),
        lambda bad: Repeated(1, bad),
        lambda bad: Composed((RAN, bad)),
        Composed,
        lambda bad: Parallel((bad,), "AddRemove('rows')", 1),
        lambda bad: Parallel.of(AddRemove("rows"), [bad]),
        lambda bad: Correlated(((1,),), bad),  # type: ignore[arg-type]  # what a person may write
        lambda bad: Shared(Fraction(1), bad),
        lambda bad: Shuffled(1, bad),
        lambda bad: Ran.of("laplace", "ab", {}, bad or 0),
        lambda bad: Ran.of(bad, "ab", {}),
        lambda bad: Ran.of("laplace", bad, {}),
        lambda bad: Parallel((RAN,), bad, 1),
    ],
)
@pytest.mark.parametrize("bad", [None, 1, "", math.nan, object(), {}])
def test_what_is_no_event_is_no_part_of_one(call: Callable[[Any], object], bad: Any) -> None:
    """Parts of events are events, names are texts."""
    refuses(lambda: call(bad))


@pytest.mark.parametrize(
    "bad", [(), ((),), ((1, 2), (3,)), 1, None, "12", ((1, math.nan),), ((None,),), ("12",), {1: 2}], ids=repr
)
def test_a_matrix_is_a_rectangle_of_numbers(bad: Any) -> None:
    """Rows of unequal length, empty ones, and what is no number are refused."""
    refuses(lambda: Correlated(bad, RAN))


def test_a_batch_is_not_larger_than_the_table() -> None:
    """Without replacement one cannot draw more than there is; with it one can."""
    refuses(lambda: WithoutReplacement(11, 10))
    assert WithoutReplacement(10, 10).size == WithReplacement(10, 5).size == 10
