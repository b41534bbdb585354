"""The text language: what is written is what is priced; errors name the column; writing and reading undo each other."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies

from tests.losses.malformed import MALFORMED
from twoworlds.losses.reading import describe, parse
from twoworlds.losses.written import WRITTEN, written
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.events import Composed, Event, Poisson, Ran, Repeated, Sampled, WithoutReplacement, WithReplacement

GAUSSIAN = written("gaussian", sigma=1)
PURE = written("pure", epsilon="0.1")


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("gaussian(sigma=1)", GAUSSIAN),
        ("GAUSSIAN ( Sigma = 1.0 )", GAUSSIAN),
        ("gaussian(sigma=2, sensitivity=1/2)", written("gaussian", sigma=2, sensitivity="1/2")),
        ("gaussian(sigma=1) sampled at 0.01, 10000 times", Repeated(10_000, Sampled(Poisson(Fraction(1, 100)), GAUSSIAN))),
        ("gaussian(sigma=1) sampled at 1% 10_000 times", Repeated(10_000, Sampled(Poisson(Fraction(1, 100)), GAUSSIAN))),
        ("pure(epsilon=0.1), 3 times, 2 times", Repeated(2, Repeated(3, PURE))),
        ("pure(epsilon=1e-1) and gaussian(sigma=1)", Composed((PURE, GAUSSIAN))),
        ("pure(epsilon=.1); gaussian(sigma=1), 2 times", Composed((PURE, Repeated(2, GAUSSIAN)))),
        ("pure(epsilon=1/10), then gaussian(sigma=1)", Composed((PURE, GAUSSIAN))),
        ("pure(epsilon=0.1), gaussian(sigma=1)", Composed((PURE, GAUSSIAN))),
        ("(pure(epsilon=0.1) and gaussian(sigma=1)), 5 times", Repeated(5, Composed((PURE, GAUSSIAN)))),
        ("pure(epsilon=0.1) sampled 3 of 10 without replacement", Sampled(WithoutReplacement(3, 10), PURE)),
        ("pure(epsilon=0.1) sampled 3 of 10 with replacement", Sampled(WithReplacement(3, 10), PURE)),
    ],
)
def test_texts_read_as_events(text: str, event: Event) -> None:
    """Each construct of the grammar, with its spellings of numbers and joiners."""
    assert parse(text) == event


numbers = strategies.fractions(min_value="1/50", max_value=40, max_denominator=300)
rates = strategies.fractions(min_value="1/1000", max_value=1, max_denominator=1000)
mechanisms = strategies.one_of(
    strategies.builds(lambda sigma, moved: written("gaussian", sigma=sigma, sensitivity=moved), numbers, numbers),
    strategies.builds(lambda scale: written("laplace", scale=scale), numbers),
    strategies.builds(
        lambda epsilon, delta: written("approximate", epsilon=epsilon, delta=delta), numbers, rates.filter(lambda q: q < 1)
    ),
    strategies.builds(lambda order, epsilon: written("rdp", order=order + 1, epsilon=epsilon), numbers, numbers),
)
schemes = strategies.one_of(
    rates.map(Poisson),
    strategies.tuples(strategies.integers(1, 9), strategies.integers(9, 99)).map(lambda pair: WithoutReplacement(*pair)),
    strategies.tuples(strategies.integers(1, 9), strategies.integers(1, 99)).map(lambda pair: WithReplacement(*pair)),
)
events = strategies.recursive(
    mechanisms,
    lambda inner: strategies.one_of(
        strategies.builds(Repeated, strategies.integers(1, 10_000), inner),
        strategies.builds(Sampled, schemes, inner),
        strategies.lists(inner, min_size=2, max_size=3).map(lambda parts: Composed(tuple(parts))),
    ),
    max_leaves=5,
)


@given(events)
def test_reading_undoes_writing(event: Event) -> None:
    """Every event that can be written reads back as itself, however deeply it is nested."""
    assert parse(describe(event)) == event


@pytest.mark.parametrize("entry", WRITTEN, ids=lambda entry: entry.shape)
def test_every_mechanism_can_be_written(entry: object) -> None:
    """Each name of the table reads with its parameters, and reads back."""
    values = {"order": "2", "omega": "8", "delta": "0.01", "p": "0.75"}
    text = f"{entry.name}({', '.join(f'{name}={values.get(name, 1)}' for name in entry.needs)})"  # type: ignore[attr-defined]  # a Written
    assert describe(parse(text)) == text


@pytest.mark.parametrize(
    ("text", "column", "says"),
    [
        ("gausian(sigma=1)", 1, "Did you mean gaussian"),
        ("noise(sigma=1)", 1, "Known are approximate"),
        ("gaussian sigma=1", 10, r"'\('"),
        ("gaussian(sigm=1)", 1, r"Write it as gaussian\(sigma=\)"),
        ("gaussian(sigma=1, sigma=2)", 19, "not given yet"),
        ("gaussian(sigma=1 sensitivity=2)", 18, "','"),
        ("gaussian(sigma=-1)", 16, "never below 0"),
        ("gaussian(sigma=0)", 1, "not above 0"),
        ("gaussian(sigma=one)", 16, "a number"),
        ("gaussian(sigma=1) sampled at 1.2", 27, r"not in \(0, 1\]"),
        ("gaussian(sigma=1) sampled at", 29, "a number"),
        ("gaussian(sigma=1) sampled 3 of 10", 34, "without replacement"),
        ("gaussian(sigma=1) sampled 30 of 10 without replacement", 27, "not from 1 to 10"),
        ("gaussian(sigma=1) sampled 3.5 of 10 with replacement", 27, "whole number"),
        ("gaussian(sigma=1) 2.5 times", 23, "whole number"),
        ("gaussian(sigma=1), 10000", 20, "'times'"),
        ("gaussian(sigma=1),", 19, "'times'"),
        ("gaussian(sigma=1) and", 22, "a mechanism"),
        ("gaussian(sigma=1) often", 19, "a modifier"),
        ("(gaussian(sigma=1)", 19, r"'\)'"),
        ("gaussian(sigma=1) & pure(epsilon=1)", 19, "means nothing"),
        ("gaussian(sigma=?)", 16, "calibrate"),
        ("pure(epsilon=1/0)", 1, "number"),
    ],
)
def test_errors_name_the_column_and_the_fix(text: str, column: int, says: str) -> None:
    """Whatever is wrong, the message says where and what could stand there."""
    with pytest.raises(BadArgument, match=says) as caught:
        parse(text)
    assert f"column {column}" in str(caught.value) or text == "pure(epsilon=1/0)"
    assert caught.value.fix


def test_open_numbers_are_filled_in() -> None:
    """A question mark takes the value given for it; a named parameter is replaced; one that does not occur is an error."""
    assert parse("gaussian(sigma=?)", unknown=Fraction(1)) == GAUSSIAN
    assert parse("gaussian(sigma=7), ? times", unknown=Fraction(3)) == Repeated(3, written("gaussian", sigma=7))
    assert parse("gaussian(sigma=7)", instead=("sigma", Fraction(1))) == GAUSSIAN
    assert parse("pure(epsilon=0.1) sampled at 0.5", instead=("rate", Fraction(1, 3))) == Sampled(Poisson(Fraction(1, 3)), PURE)
    with pytest.raises(BadArgument, match="does not occur"):
        parse("gaussian(sigma=7)", instead=("scale", Fraction(1)))


def test_malformed_calls_are_refused() -> None:
    """Only text is read, only events of the language are written, only known mechanisms with their own parameters exist."""
    for wrong in MALFORMED:
        with pytest.raises(BadArgument):
            parse(wrong)
        with pytest.raises(BadArgument):
            describe(wrong)
        with pytest.raises(BadArgument):
            written("gaussian", sigma=wrong)
    for event in (Ran.of("count", "abc", {"epsilon": 1}), Composed((Ran.of("count", "abc", {}),))):
        with pytest.raises(BadArgument, match="cannot be written"):
            describe(event)
    with pytest.raises(BadArgument, match="no parameter of gaussian"):
        written("gaussian", sigma=1, scale=2)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000 + "gaussian(sigma=1)" + ")" * 10_000,
        "gaussian(sigma=1)" + ", 2 times" * 5000,
        "gaussian(sigma=1)" + " sampled at 0.5" * 5000,
        "gaussian(sigma=1e400)",
        "gaussian(sigma=1e-400)",
        "gaussian(sigma=1), 1e9999 times",
        "gaussian(sigma=1" + "0" * 100_000 + ")",
        "gaussian(sigma=1) sampled at 1e-400",
        "pure(epsilon=1e301)",
        "gaussian(sigma=\uff11)",
        "gaussian(sigma=\u0663)",
        "gaussian(sigma=1__0)",
        "gaussian(sigma=1_)",
    ],
    ids=lambda text: text[:30],
)
def test_hostile_texts_are_refused_in_words(text: str) -> None:
    """Deep, huge, and in digits of other scripts: once a fault of ours, or a number that was not meant."""
    with pytest.raises(BadArgument):
        parse(text)


def test_what_is_merely_long_is_read() -> None:
    """A hundred levels, and thousands of mechanisms side by side."""
    assert parse("(" * 100 + "gaussian(sigma=1)" + ")" * 100) == parse("gaussian(sigma=1)")
    assert parse(" and ".join(["gaussian(sigma=1)"] * 3000)) == Composed((parse("gaussian(sigma=1)"),) * 3000)
    assert parse("gaussian(sigma=1_000), 1e300 times") == Repeated(10**300, parse("gaussian(sigma=1000)"))
