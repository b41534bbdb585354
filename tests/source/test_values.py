"""Expressions mean in the program what they mean in Python, exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as some

from twoworlds.source.parser import parse_text
from twoworlds.source.program import Binary, Call, Literal, Name, Noise
from twoworlds.source.values import distribution, evaluate, whole
from twoworlds.worlds.distributions import Laplace
from twoworlds.worlds.errors import BadArgument

ENVIRONMENT = {"a": Fraction(-7), "b": Fraction(2), "xs": (Fraction(3), Fraction(-1), Fraction(3)), "t": True}


def value(text: str, **env):
    found = parse_text(f"def f(a, b, c, xs, t, *, sample):\n    return {text}\n").body[-1].value
    return evaluate(found, {**ENVIRONMENT, **env})


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "a // b": -4,
        "a % b": 1,
        "a % -b": -1,
        "a / b": Fraction(-7, 2),
        "b ** 3": 8,
        "b ** -1": Fraction(1, 2),
        "-a": 7,
        "abs(a)": 7,
        "xs[-1] + xs[0]": 6,
        "len(xs)": 3,
        "sum(xs)": 5,
        "max(xs)": 3,
        "min(a, b, 0)": -7,
        "argmax(xs)": 0,
        "cumsum(xs)": (3, 2, 5),
        "clip(xs, 0, 2)": (2, 0, 2),
        "clip(a, 0, 2)": 0,
        "sum(range(4))": 6,
        "len(range(5, 0, -2))": 3,
        "[1] * 3": (1, 1, 1),
        "[1, 2] * -1": (),
        "(a, None, 'x')": (-7, None, "x"),
        "a if t else b": -7,
        "not t": False,
        "t and a < b": True,
        "a > b or b == 2": True,
        "a < 0 < b": True,
        "xs[0] is None": False,
        "Fraction(a, 2)": Fraction(-7, 2),
        "Fraction(a) != a": False,
    }.items(),
)
def test_expressions(text, expected):
    """Each operation has Python's value, numbers being exact and lists tuples."""
    found = value(text)
    assert found == expected
    assert type(found) is type(expected) or isinstance(found, Fraction | int)


def test_and_or_stop_as_soon_as_they_can():
    """The right side is not evaluated where Python would not: a zero there does no harm."""
    assert value("b == 2 or 1 / c > 0", c=Fraction(0)) is True
    assert value("b != 2 and 1 / c > 0", c=Fraction(0)) is False
    assert value("1 if b == 2 else 1 / c", c=Fraction(0)) == 1


@given(some.fractions(max_denominator=9), some.fractions(max_denominator=9), some.sampled_from("+-*"))
def test_lists_combine_entry_by_entry(a, b, op):
    """Two equally long lists, and a list with a number on either side."""
    env = {"x": (a, b), "y": (b, a), "n": b}
    pairs = [((a, b), (b, a)), ((a, b), (b, b)), ((b, b), (a, b))]
    for (left, right), (one, other) in zip([("x", "y"), ("x", "n"), ("n", "x")], pairs, strict=True):
        expected = tuple(evaluate(Binary(op, Literal(p), Literal(q)), {}) for p, q in zip(one, other, strict=True))
        assert evaluate(Binary(op, Name(left), Name(right)), env) == expected
    with pytest.raises(BadArgument, match="different lengths"):
        evaluate(Binary(op, Name("x"), Name("y")), {"x": (a,), "y": (a, b)})


@pytest.mark.parametrize(
    ("text", "fault", "message"),
    [
        ("xs[3]", BadArgument, "outside a list of 3"),
        ("xs[-4]", BadArgument, "outside a list of 3"),
        ("xs[a / b]", BadArgument, "not a whole number"),
        ("a / 0", ZeroDivisionError, ""),
        ("a // (b - 2)", ZeroDivisionError, ""),
        ("b ** (a / b)", BadArgument, "power"),
        ("b ** (10 ** 9)", BadArgument, "too large a number"),
        ("sum(range(10 ** 12))", BadArgument, "too long a list"),
        ("[1] * 10 ** 12", BadArgument, "too long a list"),
        ("[a][0] + None", TypeError, ""),
        ("argmax([])", BadArgument, "no largest entry"),
        ("max([])", ValueError, ""),
        ("sum(range(0, 3, 0))", ValueError, ""),
    ],
)
def test_faults(text, fault, message):
    """What fails in Python fails here, and a stranger's program cannot fill the memory."""
    with pytest.raises(fault) as failed:
        value(text)
    assert message in str(failed.value)


def test_a_name_without_a_value_is_an_error():
    """Evaluating outside of what is known names the variable."""
    with pytest.raises(BadArgument, match="no value here"):
        evaluate(Call("len", (Name("zs"),)), {})


def test_distributions_take_evaluated_parameters():
    """A draw's law is built from its expressions, and refuses what the law refuses."""
    assert distribution(Noise("Laplace", (Binary("/", Literal(Fraction(1)), Name("b")),)), ENVIRONMENT) == Laplace("1/2")
    with pytest.raises(BadArgument, match="scale"):
        distribution(Noise("Laplace", (Name("a"),)), ENVIRONMENT)


def test_whole():
    """Whole numbers come back as ints, others are refused by name."""
    assert (whole(Fraction(4, 2), "count"), type(whole(Fraction(3), "count"))) == (2, int)
    with pytest.raises(BadArgument, match="count"):
        whole(Fraction(1, 2), "count")
