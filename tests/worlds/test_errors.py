"""Errors for people: what, where, how to fix; they survive processes, and their own making cannot fail."""

from __future__ import annotations

import pickle

import pytest

from twoworlds.worlds import errors
from twoworlds.worlds.errors import (
    BadArgument,
    Exhausted,
    InfiniteLoss,
    Missing,
    MixedNeighbours,
    NotNeighbours,
    TwoWorldsError,
    Unsupported,
)

EXAMPLES: tuple[TwoWorldsError, ...] = (
    TwoWorldsError("something happened", "Do something"),
    BadArgument("epsilon", -1, "is below 0", "Give a positive epsilon"),
    MixedNeighbours("AddRemove('rows')", "Replace('rows')"),
    NotNeighbours("Each('queries', by=1)", "they are 3 steps apart"),
    InfiniteLoss("no finite epsilon holds", "Give a positive delta"),
    Unsupported(7, "a while loop", "Use a for loop over a range"),
    Exhausted("the budget is spent", "Ask for less"),
    Missing("z3", "prove"),
)


def test_every_error_is_listed_here() -> None:
    """Nothing below passes for want of an error."""
    assert {type(error).__name__ for error in EXAMPLES} == set(errors.__all__)


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_says_what_and_how_to_fix_it(error: TwoWorldsError) -> None:
    """The message is what happened, then the fix, and tools find both apart."""
    assert error.what and error.fix and str(error) == f"{error.what}. {error.fix}"
    assert "\n" not in str(error)


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_error_crosses_processes_whole(error: TwoWorldsError, protocol: int) -> None:
    """A pickled error comes back as itself, though constructors take other arguments than the message."""
    again = pickle.loads(pickle.dumps(error, protocol))
    assert type(again) is type(error) and str(again) == str(error) and vars(again) == vars(error)


def test_errors_are_caught_as_what_they_are() -> None:
    """Bad values are ValueErrors, missing packages ImportErrors, and everything is a TwoWorldsError."""
    for error in EXAMPLES:
        assert isinstance(error, TwoWorldsError)
    assert issubclass(BadArgument, ValueError) and issubclass(NotNeighbours, ValueError) and issubclass(Missing, ImportError)


class Spiteful:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize("value", [list(range(10**6)), "x" * 10**6, {"a": ["b" * 100] * 100}, Spiteful(), [Spiteful()], 10**300])
def test_any_value_is_shown_short(value: object) -> None:
    """Huge values are cut, and a value whose repr fails is named by its type."""
    error = BadArgument("x", value, "is odd", "Try another")
    assert str(error).startswith("x = ") and len(str(error)) < 100


def test_a_value_is_shown_on_one_line() -> None:
    """Line breaks in a value cannot forge further lines of a message."""
    assert "\n" not in str(BadArgument("x", "a\nb", "is odd", "Try another"))
    assert repr("1/0") in str(BadArgument("x", "1/0", "is odd", "Try another"))


def test_the_line_is_kept() -> None:
    """Tools find the line of what is not supported."""
    error = Unsupported(7, "a while loop", "Use a for loop")
    assert error.line == 7 and str(error).startswith("line 7: ")
    assert str(Unsupported(3, "a class")) == "line 3: a class"
