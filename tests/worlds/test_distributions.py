"""Noise as data: exact parameters, equal parameters are equal laws, and no law with a parameter that is none."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.worlds.malformed import NOT_NUMBERS, refuses
from twoworlds.worlds import distributions
from twoworlds.worlds.distributions import (
    Bernoulli,
    BernoulliExp,
    Categorical,
    DiscreteGaussian,
    Distribution,
    Exponential,
    ExponentialWeights,
    Gaussian,
    Geometric,
    Gumbel,
    Laplace,
    NegativeBinomial,
    Skellam,
    Uniform,
)
from twoworlds.worlds.grid import Parameter

POSITIVE: tuple[Callable[[Any], Distribution], ...] = (Laplace, Exponential, Gumbel, Gaussian, DiscreteGaussian, Skellam)
CHANCES: tuple[Callable[[Any], Distribution], ...] = (Bernoulli, Geometric, lambda p: NegativeBinomial(1, p))
EXAMPLES: tuple[Distribution, ...] = (
    *(law("1/3") for law in POSITIVE),
    Bernoulli("1/3"),
    BernoulliExp(2),
    Geometric(0.5),
    Uniform(6),
    Categorical([1, 2, 0]),
    ExponentialWeights([1, -2, 0.5], 3),
    NegativeBinomial("1/2", "1/3"),
)


def test_every_law_is_listed_here() -> None:
    """Nothing below passes for want of a law."""
    assert {type(law).__name__ for law in EXAMPLES} == set(distributions.__all__) - {"Distribution"}


@pytest.mark.parametrize("law", EXAMPLES, ids=str)
def test_laws_are_values(law: Distribution) -> None:
    """Equal by value, hashable, unchangeable, copied and pickled as they are; their parameters are exact."""
    again = pickle.loads(pickle.dumps(law))
    assert law == again == copy.deepcopy(law) and hash(law) == hash(again) and law in {again}
    assert str(law) == str(again) and str(law).startswith(type(law).__name__)
    for field in fields(law):  # type: ignore[arg-type]  # every law is a dataclass, their common parent is not
        value = getattr(law, field.name)
        assert all(isinstance(part, Fraction | int) for part in (value if isinstance(value, tuple) else (value,)))
        with pytest.raises((FrozenInstanceError, TypeError)):
            setattr(law, field.name, 1)
    assert sum(law == other for other in EXAMPLES) == 1


def test_laws_read_as_they_are_written() -> None:
    """A law's text names its exact parameters."""
    assert str(Laplace("1/3")) == "Laplace(1/3)" and str(ExponentialWeights([1, 0.5], 3)) == "ExponentialWeights([1, 1/2], 3)"


@pytest.mark.parametrize("law", POSITIVE)
@given(value=some.fractions(min_value=Fraction(1, 10**9), max_value=10**9))
def test_a_scale_is_kept_exactly(law: Callable[[Any], Distribution], value: Fraction) -> None:
    """However it is written, the same number gives the same law."""
    assert law(value) == law(str(value)) == law(Parameter(value))
    assert law(0.1) == law("0.1") == law(Fraction(1, 10))


@pytest.mark.parametrize("bad", [*NOT_NUMBERS, 0, -1, "-1/3", -0.0, -1e-300], ids=repr)
@pytest.mark.parametrize("law", [*POSITIVE, lambda r: NegativeBinomial(r, "1/2"), lambda scale: ExponentialWeights([1], scale)])
def test_scales_are_positive(law: Callable[[Any], Distribution], bad: Any) -> None:
    """No law has a scale of zero, a negative one, NaN, infinity, or none."""
    refuses(lambda: law(bad))


@pytest.mark.parametrize("bad", [*NOT_NUMBERS, -1e-9, 1.0000001, 2], ids=repr)
@pytest.mark.parametrize("law", CHANCES)
def test_chances_are_probabilities(law: Callable[[Any], Distribution], bad: Any) -> None:
    """No coin has a chance outside 0 to 1."""
    refuses(lambda: law(bad))


def test_the_ends_of_a_chance() -> None:
    """A sure coin is a coin; but something that never succeeds has no first success."""
    assert Bernoulli(0).p == 0 and Bernoulli(1).p == 1 and Geometric(1).p == 1 and BernoulliExp(0).x == 0
    for law in CHANCES[1:]:
        refuses(lambda law=law: law(0))


@pytest.mark.parametrize("bad", [*NOT_NUMBERS, -1, -1e-300], ids=repr)
def test_exponents_are_not_negative(bad: Any) -> None:
    """exp(-x) is no probability for negative x."""
    refuses(lambda: BernoulliExp(bad))


@pytest.mark.parametrize("bad", [*NOT_NUMBERS, 0, -1, 2.5, "1/2"], ids=repr)
def test_a_die_has_whole_sides(bad: Any) -> None:
    """A uniform law has one outcome or more."""
    refuses(lambda: Uniform(bad))


LISTS: list[Any] = [[], (), None, 3, "12", b"12", {1: 2}, {1, 2}, [None], [1, math.nan], [1, math.inf], [[1]], ["x"]]


@pytest.mark.parametrize("bad", [*LISTS, [-1, 2], [0, 0]], ids=repr)
def test_weights_are_weights(bad: Any) -> None:
    """Weights come as a list of numbers, none negative, not all zero."""
    refuses(lambda: Categorical(bad))


@pytest.mark.parametrize("bad", LISTS, ids=repr)
def test_scores_are_numbers(bad: Any) -> None:
    """Scores come as a list of finite numbers."""
    refuses(lambda: ExponentialWeights(bad))
