"""Formulas: parsed, never executed; certified values; everything else is an error where it is written."""

from __future__ import annotations

import pickle
import string
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as some

from tests.worlds.malformed import NOT_NUMBERS, refuses
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.rationals import Enclosure


@pytest.mark.parametrize(
    ("text", "values", "number"),
    [
        ("epsilon / (2 * k)", {"epsilon": 0.1, "k": 3}, Fraction(1, 60)),
        ("0.1 + 0.2", {}, Fraction(3, 10)),
        ("1e-5", {}, Fraction(1, 10**5)),
        ("0.12345678901234567890123456789", {}, Fraction("0.12345678901234567890123456789")),
        ("1_000.5", {}, Fraction(2001, 2)),
        ("-2 ** 2", {}, Fraction(-4)),
        ("2 ** -3", {}, Fraction(1, 8)),
        ("x ** 0", {"x": 0}, Fraction(1)),
        ("ceil(7 / 2) - floor(-1 / 2)", {}, Fraction(5)),
        ("max(a, min(b, 2)) + abs(-1)", {"a": 1, "b": "5/2"}, Fraction(3)),
        ("sqrt(9 / 4) + log(1) + exp(0)", {}, Fraction(5, 2)),
        ("len(queries) * +1", {"queries": [5, 6, 7]}, Fraction(3)),
        ("x", {"x": Enclosure(Fraction(1, 3))}, Fraction(1, 3)),
    ],
)
def test_values_by_hand(text: str, values: dict[str, Any], number: Fraction) -> None:
    """Rational formulas have exact values; a literal means the decimal that is written, to its last digit."""
    result = Expression(text).enclose(values)
    assert result.is_exact and result.low == number == Expression(text).above(values)


leaves = some.sampled_from(["1", "2", "0.5", "x", "y", "3.25"])
formulas = some.recursive(
    leaves,
    lambda inner: some.one_of(
        some.tuples(inner, some.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        some.tuples(some.sampled_from(["log", "exp", "sqrt", "abs"]), inner).map(lambda t: f"{t[0]}({t[1]})"),
        some.tuples(some.sampled_from(["max", "min"]), inner, inner).map(lambda t: f"{t[0]}({t[1]}, {t[2]})"),
        inner.map(lambda t: f"({t}) ** 2"),
    ),
    max_leaves=6,
)
BALLS: dict[str, Callable[..., arb]] = {  # arb() first: python-flint crashes when its methods are called on a plain int
    "log": lambda x: arb(x).log(),
    "exp": lambda x: arb(x).exp(),
    "sqrt": lambda x: arb(x).sqrt(),
    "abs": lambda x: abs(arb(x)),
    "max": lambda x, y: arb(x).max(arb(y)),
    "min": lambda x, y: arb(x).min(arb(y)),
}


@given(
    text=formulas, x=some.fractions(Fraction(1, 4), 4, max_denominator=8), y=some.fractions(Fraction(1, 4), 4, max_denominator=8)
)
def test_the_value_is_enclosed(text: str, x: Fraction, y: Fraction) -> None:
    """Whatever formula has a value, ball arithmetic at 400 bits finds it inside; what has none is an error, not a number."""
    before, ctx.prec = ctx.prec, 400
    try:
        try:
            result = Expression(text).enclose({"x": x, "y": y})
        except BadArgument:
            return
        names = {"x": arb(fmpq(x.numerator, x.denominator)), "y": arb(fmpq(y.numerator, y.denominator)), **BALLS}
        balls = text.replace("0.5", "half").replace("3.25", "more")
        truth = arb(eval(balls, {"half": arb(0.5), "more": arb(3.25), **names}))
        low, high = (arb(fmpq(end.numerator, end.denominator)) for end in (result.low, result.high))
        assert not (low > truth) and not (truth > high)
        assert result.high - result.low <= Fraction(1, 10**40) * max(1, abs(result.high))
    finally:
        ctx.prec = before


def test_names_are_the_parameters() -> None:
    """Functions are no parameters, what they are called with is."""
    assert Expression("8 * (log(k) + log(2 / beta)) / epsilon + len(queries)").names == {"k", "beta", "epsilon", "queries"}
    assert Expression.of(3).names == frozenset()
    assert Expression.of(Expression("x")) is not None and Expression.of("x") == Expression("x")
    assert str(Expression.of("0.1")) == "0.1" and str(Expression.of(0.1)) == "1/10"
    assert pickle.loads(pickle.dumps(Expression("x + 1"))) == Expression("x + 1")


REFUSED = [
    "",
    " ",
    "1 +",
    "x = 1",
    "x; y",
    "(1",
    "1 if x else 2",
    "x < 1",
    "not x",
    "~x",
    "x and y",
    "x // 2",
    "x % 2",
    "x @ y",
    "x << 2",
    "'a'",
    "True",
    "None",
    "1j",
    "...",
    "[1]",
    "{1: 2}",
    "(1, 2)",
    "x[0]",
    "x.real",
    "lambda: 1",
    "f'{x}'",
    "[x for x in y]",
    "(x := 1)",
    "await x",
    "open('/etc/passwd')",
    "__import__('os')",
    "log.__class__(2)",
    "log(x, base=2)",
    "log(*x)",
    "eval('1')",
    "len",
    "unknown(1)",
    "1" * 6000,
    "x\x00",
]


@pytest.mark.parametrize("text", [text for text in REFUSED if text != "len"], ids=lambda text: text[:20])
def test_what_is_no_formula_is_refused_where_it_is_written(text: str) -> None:
    """Statements, comparisons, attributes, unknown calls: refused at construction, never executed."""
    assert isinstance(refuses(lambda: Expression(text)), BadArgument)
    refuses(lambda: Expression.of(text))


@given(some.text(alphabet=string.printable, max_size=30))
def test_any_text_is_a_formula_or_an_error(text: str) -> None:
    """Arbitrary text is refused or evaluates to an enclosure; nothing else happens."""
    try:
        formula = Expression(text)
        result = formula.enclose(dict.fromkeys(formula.names, 2))
    except BadArgument:
        return
    assert isinstance(result, Enclosure) and result.low <= result.high


@pytest.mark.parametrize("bad", [value for value in NOT_NUMBERS if not isinstance(value, str)])
def test_a_constant_that_is_no_number_is_refused(bad: object) -> None:
    """`of` takes formulas, text and numbers."""
    refuses(lambda: Expression.of(bad, "by"))


@pytest.mark.parametrize("bad", NOT_NUMBERS, ids=repr)
def test_a_parameter_that_is_no_number_is_refused(bad: object) -> None:
    """The value of a name is a number, and the error names it."""
    message = str(refuses(lambda: Expression("1 / epsilon").enclose({"epsilon": bad})))
    assert message.startswith("epsilon = ")


@pytest.mark.parametrize(
    ("text", "values", "says"),
    [
        ("epsilon", {}, "needs a value for epsilon"),
        ("1 / x", {"x": 0}, "may be zero"),
        ("log(x)", {"x": 0}, "not above 0"),
        ("log(x)", {"x": -1}, "not above 0"),
        ("sqrt(x)", {"x": -1}, "below 0"),
        ("exp(x)", {"x": 10**6}, "too large"),
        ("exp(exp(x))", {"x": 20}, "too large"),
        ("2 ** x", {"x": 10**6}, "too large"),
        ("((x ** 9999) ** 9999) ** 9999", {"x": 3}, "too large"),
        ("9 ** 9 ** 9", {}, "too large"),
        ("1e999999999", {}, "out of range"),
        ("x ** 0.5", {"x": -1}, "not above 0"),
        ("log()", {}, "0 arguments"),
        ("max(1, 2, 3)", {}, "3 arguments"),
        ("len(3)", {}, "not a parameter"),
        ("len(x, y)", {}, "not a parameter"),
        ("len(x)", {"x": 3}, "needs a list"),
        ("len(x)", {}, "needs a list"),
        ("len + 1", {}, "needs a value for len"),
        ("+".join(["x"] * 1100), {"x": 1}, "nested"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_formula_without_a_value_is_an_error(text: str, values: dict[str, Any], says: str) -> None:
    """Out of domain, out of reach or out of names: the error says which."""
    assert says in str(refuses(lambda: Expression(text).enclose(values)))
    refuses(lambda: Expression(text).above(values))
