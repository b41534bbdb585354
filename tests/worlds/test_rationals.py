"""Exact numbers and enclosures: 0.1 is 1/10, every enclosure holds the true value, nothing else becomes a number."""

from __future__ import annotations

import decimal
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import assume, given
from hypothesis import strategies as some

from tests.worlds.malformed import NOT_NUMBERS, refuses
from twoworlds.worlds.grid import GridNumber, Parameter
from twoworlds.worlds.rationals import Enclosure, exact, float_above, float_below, positive, probability

WIDTH = Fraction(1, 10**55)  # 60 digits, less what directed division and the safety step cost
fractions = some.fractions(min_value=-1000, max_value=1000, max_denominator=10**6)
positives = some.fractions(min_value=Fraction(1, 10**9), max_value=10**9, max_denominator=10**12)


@pytest.fixture(autouse=True)
def _precise() -> Any:
    before, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = before


def ball(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def holds(enclosure: Enclosure, truth: arb) -> bool:
    """Whether the rational ends lie on either side of every point of the ball: a proof, not a comparison of two roundings.

    An exact value cannot lie on either side of a ball around it; it is only not outside.
    """
    if enclosure.is_exact:
        return bool(truth.overlaps(ball(enclosure.low)))
    return bool(ball(enclosure.low) <= truth) and bool(truth <= ball(enclosure.high))


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (1, Fraction(1)),
        (-3, Fraction(-3)),
        (10**400, Fraction(10**400)),
        (0.1, Fraction(1, 10)),
        (1e-300, Fraction(1, 10**300)),
        (-0.0, Fraction(0)),
        ("0.1", Fraction(1, 10)),
        (" 1/3 ", Fraction(1, 3)),
        ("1e-6", Fraction(1, 10**6)),
        ("-1E3", Fraction(-1000)),
        (Fraction(2, 3), Fraction(2, 3)),
        (decimal.Decimal("0.30"), Fraction(3, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.int64(7), Fraction(7)),
        (np.float32(0.5), Fraction(1, 2)),
        (Parameter("0.1"), Fraction(1, 10)),
        (GridNumber(3, Fraction(1, 4)), Fraction(3, 4)),
    ],
    ids=repr,
)
def test_a_number_means_what_is_written(value: object, number: Fraction) -> None:
    """Numbers of every kind mean the rational that a person reads."""
    result = exact(value)
    assert result == number and type(result) is Fraction


@given(some.floats(allow_nan=False, allow_infinity=False))
def test_a_float_means_its_shortest_text(value: float) -> None:
    """Every float comes back from its exact value; it is the decimal that Python prints."""
    assert float(exact(value)) == value
    assert exact(value) == exact(repr(value)) == exact(decimal.Decimal(repr(value)))


HUGE = ("1e1000000000", "1E-999999999", "1e+99999", decimal.Decimal("1e999999"), decimal.Decimal("-1e-999999"), "9" * 5000)
MALFORMED = (
    *NOT_NUMBERS,
    *HUGE,
    np.array([1.0]),
    np.array(1.0),
    np.bool_(True),
    np.float64("nan"),
    np.timedelta64(1),
    float,
    int,
)


@pytest.mark.parametrize("bad", MALFORMED, ids=lambda value: repr(value)[:30])
@pytest.mark.parametrize(
    "function", [exact, lambda value: positive(value, "x"), lambda value: probability(value, "x"), float_above, float_below]
)
def test_what_is_no_number_is_refused(function: Callable[[object], object], bad: object) -> None:
    """NaN, infinity, truth values, arrays, empty text, numbers with a billion digits: an error at once."""
    refuses(lambda: function(bad))


@given(
    some.one_of(some.text(), some.binary(), some.lists(some.integers()), some.dictionaries(some.text(), some.none()), some.none())
)
def test_any_text_is_a_number_or_an_error(value: object) -> None:
    """Arbitrary values become an exact number only if Python's Fraction reads the same; otherwise our error."""
    try:
        expected = Fraction(value.strip()) if isinstance(value, str) else None
    except (ValueError, ZeroDivisionError):
        expected = None
    if expected is None:
        refuses(lambda: exact(value))
    else:
        assert exact(value) == expected


@pytest.mark.parametrize(
    ("function", "bad"), [(positive, 0), (positive, -1), (positive, "-1/3"), (probability, -0.1), (probability, 1.1)]
)
def test_numbers_out_of_range_are_refused(function: Callable[[object, str], object], bad: object) -> None:
    """The message names the argument and the value."""
    message = str(refuses(lambda: function(bad, "rate")))
    assert message.startswith(f"rate = {bad!r} is not")


def test_the_ends_of_a_range_are_in_it() -> None:
    """0 and 1 are probabilities."""
    assert probability(0, "p") == 0 and probability(1, "p") == 1 and positive("1e-300", "x") > 0


@given(some.one_of(fractions, some.builds(Fraction, some.integers(), some.integers(1, 10**400))))
def test_floats_are_rounded_outwards_and_no_further(value: Fraction) -> None:
    """`float_above` is the least float not below, `float_below` the greatest not above."""
    above, below = float_above(value), float_below(value)
    assert Fraction(below) <= value <= Fraction(above) if math.isfinite(above) and math.isfinite(below) else True
    if math.isfinite(above) and math.isfinite(below):
        assert Fraction(math.nextafter(above, -math.inf)) < value < Fraction(math.nextafter(below, math.inf))


def test_floats_beyond_the_largest() -> None:
    """What no float reaches is rounded to infinity outwards and to the largest float inwards."""
    huge, largest = Fraction(10**400), Fraction(float.fromhex("0x1.fffffffffffffp+1023"))
    assert float_above(huge) == math.inf and Fraction(float_below(huge)) == largest
    assert float_below(-huge) == -math.inf and Fraction(float_above(-huge)) == -largest
    assert 0 < float_above(1 / huge) == math.ulp(0.0) and float_below(1 / huge) == 0


UNARY: dict[str, tuple[Callable[[Enclosure], Enclosure], Callable[[arb], arb]]] = {
    "log": (Enclosure.log, arb.log),
    "exp": (Enclosure.exp, arb.exp),
    "sqrt": (Enclosure.sqrt, arb.sqrt),
}


@pytest.mark.parametrize("name", UNARY)
@given(
    value=some.one_of(
        positives, some.integers(1, 50).map(Fraction), some.just(Fraction(1)), positives.map(lambda x: 1 + x / 10**70)
    )
)
def test_a_function_of_an_exact_number_is_enclosed(name: str, value: Fraction) -> None:
    """The true value, known to 400 bits, lies strictly provably between the ends, which are 55 digits close."""
    if name == "exp":
        value = value / 10**6
    ours, truth = UNARY[name]
    result = ours(Enclosure(value))
    assert holds(result, truth(ball(value)))
    assert result.high - result.low <= WIDTH * max(1, abs(result.high))


@pytest.mark.parametrize("name", UNARY)
@given(low=positives, width=positives)
def test_a_function_of_an_interval_is_enclosed(name: str, low: Fraction, width: Fraction) -> None:
    """Both ends, and so by monotonicity everything between, are enclosed."""
    scale = 10**6 if name == "exp" else 1
    low, high = low / scale, (low + width) / scale
    ours, truth = UNARY[name]
    result = ours(Enclosure(low, high))
    for end in (low, high, (low + high) / 2):
        assert holds(result, truth(ball(end)))


@given(fractions)
def test_exp_of_negative_numbers(value: Fraction) -> None:
    """exp is enclosed below 1 too, relatively as close."""
    result = Enclosure(value).exp()
    assert holds(result, ball(value).exp())
    assert result.high - result.low <= WIDTH * result.high


@pytest.mark.parametrize(
    ("function", "argument", "value"),
    [(Enclosure.log, 1, 0), (Enclosure.exp, 0, 1), (Enclosure.sqrt, 0, 0), (Enclosure.sqrt, Fraction(9, 4), Fraction(3, 2))],
)
def test_exact_values_stay_exact(function: Callable[[Enclosure], Enclosure], argument: Any, value: Any) -> None:
    """Where the value is rational it is exact."""
    result = function(Enclosure(Fraction(argument)))
    assert result.is_exact and result.low == value


def test_zero_ends_do_not_grow_a_billion_digits() -> None:
    """A step from zero in `decimal` is 10^-1000000058; the bounds ln(1) and sqrt(0) are exact instead."""
    one_two, none_two = Enclosure(Fraction(1), Fraction(2)), Enclosure(Fraction(0), Fraction(2))
    assert one_two.log().low == 0 and none_two.sqrt().low == 0
    assert Enclosure(Fraction(1, 2), Fraction(1)).log().high == 0
    assert Enclosure(1 + Fraction(1, 10**90)).log().low == 0 < Enclosure(1 + Fraction(1, 10**90)).log().high


def enclosure(ends: tuple[Fraction, Fraction]) -> Enclosure:
    return Enclosure(min(ends), max(ends))


enclosures = some.tuples(fractions, fractions).map(enclosure) | fractions.map(Enclosure)
shares = some.fractions(min_value=0, max_value=1, max_denominator=100)

BINARY: dict[str, tuple[Callable[..., Enclosure], Callable[[Fraction, Fraction], Fraction]]] = {
    "+": (Enclosure.__add__, lambda a, b: a + b),
    "-": (Enclosure.__sub__, lambda a, b: a - b),
    "*": (Enclosure.__mul__, lambda a, b: a * b),
    "/": (Enclosure.__truediv__, lambda a, b: a / b),
    "max": (Enclosure.maximum, max),
    "min": (Enclosure.minimum, min),
}


@pytest.mark.parametrize("name", BINARY)
@given(a=enclosures, b=enclosures, s=shares, t=shares)
def test_arithmetic_encloses_every_point(name: str, a: Enclosure, b: Enclosure, s: Fraction, t: Fraction) -> None:
    """For any points of the operands the result is inside; exact operands give exact results."""
    ours, truth = BINARY[name]
    if name == "/" and b.low <= 0 <= b.high:
        refuses(lambda: ours(a, b))
        return
    result = ours(a, b)
    x, y = a.low + s * (a.high - a.low), b.low + t * (b.high - b.low)
    assert result.low <= truth(x, y) <= result.high
    assert result.is_exact or not (a.is_exact and b.is_exact)


@given(a=enclosures, s=shares, exponent=some.integers(-5, 6))
def test_whole_powers_enclose_every_point(a: Enclosure, s: Fraction, exponent: int) -> None:
    """Whole powers, negative ones and those of intervals about zero included."""
    if exponent < 0 and a.low <= 0 <= a.high:
        refuses(lambda: a.power(Enclosure(Fraction(exponent))))
        return
    result = a.power(Enclosure(Fraction(exponent)))
    assert result.low <= (a.low + s * (a.high - a.low)) ** exponent <= result.high


@given(base=positives, exponent=some.fractions(min_value=-3, max_value=3, max_denominator=7))
def test_real_powers_are_enclosed(base: Fraction, exponent: Fraction) -> None:
    """x ** y for rational y."""
    assert holds(Enclosure(base).power(Enclosure(exponent)), ball(base) ** ball(exponent))


@given(a=enclosures, s=shares)
def test_rounding_functions_enclose_every_point(a: Enclosure, s: Fraction) -> None:
    """abs, ceil, floor and negation of any point of the interval are inside."""
    x = a.low + s * (a.high - a.low)
    for result, truth in ((a.absolute(), abs(x)), (a.ceil(), math.ceil(x)), (a.floor(), math.floor(x)), (-a, -x)):
        assert result.low <= truth <= result.high


@given(a=fractions, b=fractions)
def test_an_empty_enclosure_cannot_be(a: Fraction, b: Fraction) -> None:
    """The ends come in order or not at all."""
    assume(a != b)
    refuses(lambda: Enclosure(max(a, b), min(a, b)))


@pytest.mark.parametrize(
    "call",
    [
        lambda: Enclosure(Fraction(0)).log(),
        lambda: Enclosure(Fraction(-1), Fraction(1)).log(),
        lambda: Enclosure(Fraction(-1), Fraction(1)).sqrt(),
        lambda: Enclosure(Fraction(10**6)).exp(),
        lambda: Enclosure(Fraction(-(10**6))).exp(),
        lambda: Enclosure(Fraction(2)).power(Enclosure(Fraction(10**9))),
        lambda: Enclosure(Fraction(10**3000)).power(Enclosure(Fraction(9000))),
        lambda: Enclosure(Fraction(-2)).power(Enclosure(Fraction(1, 2))),
        lambda: Enclosure(Fraction(1)) / Enclosure(Fraction(0)),
        *(lambda bad=bad: Enclosure(bad) for bad in MALFORMED),
        *(lambda bad=bad: Enclosure(Fraction(-(10**9)), bad) for bad in MALFORMED if bad is not None),
    ],
)
def test_malformed_enclosures_are_refused(call: Callable[[], object]) -> None:
    """Out of a function's domain, too large to compute, or no number: an error at once."""
    refuses(call)


def test_planted_roundings_are_caught() -> None:
    """The comparison with balls has teeth: an end moved by one part in 10^58 to the wrong side is seen."""
    result, truth = Enclosure(Fraction(2)).log(), arb(2).log()
    middle = (result.low + result.high) / 2
    shift = Fraction(1, 10**57)
    assert holds(result, truth)
    assert not holds(Enclosure(middle + shift, result.high + shift), truth)
    assert not holds(Enclosure(result.low - shift, middle - shift), truth)
