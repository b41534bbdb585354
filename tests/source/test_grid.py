"""Numbers at run time: exact on the grid, faithful to Fraction, and rounded so that neighbours stay neighbours."""

from __future__ import annotations

import copy
import math
import operator
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as some

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.grid import GridNumber, Parameter, number, on_grid, step, up_to_grid

STEPS = [Fraction(1, 8), Fraction(1, 2), Fraction(1), Fraction(4)]
steps = some.sampled_from(STEPS)
counts = some.integers(-40, 40)
fractions = some.builds(Fraction, some.integers(-60, 60), some.integers(1, 12))
plain = some.one_of(some.integers(-9, 9), fractions)
grid_numbers = some.builds(GridNumber, counts, steps)
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


def value_of(result: object) -> object:
    """The exact value of whatever kind of number came out; floats are never among them."""
    assert isinstance(result, int | Fraction | GridNumber), result
    return Fraction(result)


@pytest.mark.parametrize("compute", ARITHMETIC + COMPARISONS)
@given(grid_numbers, grid_numbers, plain)
def test_grid_number_computes_like_the_fraction_it_stands_for(compute, x, y, c):
    """Every operation with grid numbers of any step, ints and Fractions, on either side, has the exact value."""
    for left, right in ((x, y), (x, c), (c, x), (x, Parameter(c)), (Parameter(c), x)):
        exact_left, exact_right = Fraction(left), Fraction(right)
        if compute in ARITHMETIC[3:] and exact_right == 0:
            with pytest.raises(ZeroDivisionError):
                compute(left, right)
        else:
            assert value_of(compute(left, right)) == compute(exact_left, exact_right)


@pytest.mark.parametrize("compute", ARITHMETIC + COMPARISONS)
@given(plain, plain)
def test_parameter_computes_like_a_fraction(compute, a, b):
    """A Parameter has the value of its Fraction in every operation, also when the result is remembered."""
    x = Parameter(a)
    for _ in range(2):
        for left, right in ((x, b), (b, x), (x, Parameter(b))):
            if compute in ARITHMETIC[3:] and right == 0:
                with pytest.raises(ZeroDivisionError):
                    compute(left, right)
            else:
                assert value_of(compute(left, right)) == compute(Fraction(left), Fraction(right))


@given(counts, steps, some.integers(-3, 4))
def test_signs_and_powers(a, grid, power):
    """Unary operations and whole powers agree with Fraction for grid numbers and parameters."""
    for x in (GridNumber(a, grid), Parameter(a * grid)):
        exact = Fraction(a * grid)
        assert (value_of(-x), value_of(+x), value_of(abs(x)), bool(x)) == (-exact, exact, abs(exact), exact != 0)
        assert hash(x) == hash(exact)
        assert float(x) == float(exact)
        assert str(x) == str(exact)
        if exact or power >= 0:
            assert value_of(x**power) == exact**power
    for exponent in (GridNumber(3, Fraction(1)), Parameter(3)):
        assert value_of(2**exponent) == 8
        assert value_of(Parameter(3) ** exponent) == 27


def test_sums_stay_on_a_grid_and_the_rest_becomes_a_fraction():
    """Closed under + - * among multiples of powers of two; other values fall back to Fraction with nothing lost."""
    x = GridNumber(3, Fraction(1, 4))
    assert all(type(y) is GridNumber for y in (x + x, x - x, x + 1, 1 - x, x + Fraction(1, 2), 3 * x, -x, x + Parameter("0.25")))
    assert all(type(y) is Fraction for y in (x + Fraction(1, 3), x * Parameter("1/7"), x / 2, 1 / x))
    assert repr(GridNumber(1, Fraction(4)) + 1) == "GridNumber(5, Fraction(1, 1))"
    assert repr(x * x) == "GridNumber(9, Fraction(1, 16))"
    assert type(number(5, Fraction(1))) is int
    assert type(number(5, Fraction(2))) is GridNumber


def test_parameters_are_remembered():
    """The same operation gives the same object, so noise laws can be kept by identity."""
    epsilon, bound = Parameter("0.1"), Parameter(3)
    assert 4 / epsilon is 4 / epsilon
    assert bound / epsilon is bound / epsilon
    assert (bound + 1) / epsilon is (bound + 1) / epsilon
    assert Fraction(1, 2) * epsilon is Fraction(1, 2) * epsilon
    assert -epsilon is -epsilon
    assert epsilon**2 is epsilon**2
    assert 2**bound is 2**bound


def test_what_a_parameter_remembers_is_bounded():
    """A loop over ever new operands does not grow the memory, and results stay right after it is full."""
    bound = Parameter("0.5")
    assert [i + bound for i in range(1000)] == [i + Fraction(1, 2) for i in range(1000)]
    assert [i / bound for i in range(1000)] == [2 * i for i in range(1000)]
    assert len(bound._results) == len(bound._divisions) == 256


def test_whole_numbers_can_index_and_bound_loops():
    """range, indexing and repetition take whole Parameters and grid numbers and refuse others by name."""
    assert list(range(Parameter(3))) == [0, 1, 2]
    assert [5, 6][Parameter(1)] == 6
    assert [0] * Parameter(2) == Parameter(2) * [0] == [0, 0]
    assert [5, 6][GridNumber(2, Fraction(1, 2))] == 6
    for broken in (Parameter("0.5"), GridNumber(1, Fraction(1, 2))):
        with pytest.raises(BadArgument, match="not a whole number"):
            range(broken)
        with pytest.raises(BadArgument, match="not a whole number"):
            Parameter(2) ** broken


@pytest.mark.parametrize("x", [GridNumber(1, Fraction(1, 2)), Parameter("0.5")])
@pytest.mark.parametrize("compute", [*ARITHMETIC[:4], *COMPARISONS[:4]])
@pytest.mark.parametrize("bad", [0.5, math.nan, math.inf, 1j])
def test_floats_are_refused(x, compute, bad):
    """A float in the arithmetic of a card is an error, on either side: nothing inexact can enter unseen."""
    with pytest.raises(BadArgument, match="not an exact number"):
        compute(x, bad)
    with pytest.raises((BadArgument, TypeError)):
        compute(bad, x)


@pytest.mark.parametrize("x", [GridNumber(1, Fraction(1, 2)), Parameter("0.5")])
def test_lists_answer_for_themselves(x):
    """An operator that makes no sense between a number and a list is an error, never a number."""
    for compute in ARITHMETIC:
        for other in ("text", [1]):
            with pytest.raises((TypeError, BadArgument)):
                compute(x, other)
            with pytest.raises((TypeError, BadArgument)):
                compute(other, x)


def test_parameters_survive_copies_and_pickles():
    """A copy of a parameter is a parameter of the same value."""
    x = Parameter("0.3")
    assert copy.copy(x) is copy.deepcopy(x) is x
    again = pickle.loads(pickle.dumps(x))
    assert type(again) is Parameter
    assert again == x == Fraction(3, 10) == Parameter(0.3) == Parameter(Decimal("0.3"))
    assert repr(again) == "Parameter('3/10')"
    assert repr(GridNumber(1, Fraction(2))) == "GridNumber(1, Fraction(2, 1))"


@pytest.mark.parametrize("grid", [1, 2, 4, "1/2", 0.25, Fraction(1, 1 << 60), 1 << 40])
def test_steps_are_powers_of_two(grid):
    """Powers of two pass as they are."""
    assert step(grid) == Fraction(grid)


@pytest.mark.parametrize("grid", [0, -1, 3, "1/3", 0.1, 6, Fraction(3, 2), math.nan, math.inf, "x", None, True])
def test_other_steps_are_refused(grid):
    """Whatever is not a power of two is an error that names the grid."""
    with pytest.raises(BadArgument, match="grid"):
        step(grid)


@given(fractions, steps)
def test_rounding_is_to_the_nearest(value, grid):
    """No grid point is nearer, and halves go up; rounding up never goes below the value."""
    count = on_grid(value, grid)
    assert -grid / 2 < count * grid - value <= grid / 2
    assert 0 <= up_to_grid(value, grid) * grid - value < grid


@given(fractions, some.integers(0, 5), fractions, steps)
def test_rounding_keeps_neighbours(value, bound, move, grid):
    """Values at most `bound` whole steps apart are at most `bound` steps apart once rounded."""
    assume(abs(move) <= bound * grid)
    assert abs(on_grid(value, grid) - on_grid(value + move, grid)) <= bound


def test_rounding_halves_to_even_would_part_neighbours():
    """Planted: with ties to even, two values one step apart land two steps apart."""
    one, other = Fraction(1, 2), Fraction(3, 2)
    assert round(other) - round(one) == 2
    assert on_grid(other, Fraction(1)) - on_grid(one, Fraction(1)) == 1


@pytest.mark.parametrize("bad", [math.nan, math.inf, None, True, "one", [1]])
def test_what_is_no_number_is_not_rounded(bad):
    """NaN, infinities and other things never become a grid point."""
    with pytest.raises(BadArgument):
        on_grid(bad, Fraction(1))
    with pytest.raises(BadArgument):
        Parameter(bad)
