"""Numbers while a card runs: private ones are counts of a public grid step, public ones are exact parameters.

A `GridNumber` is `count * grid`; on the grid of step 1 it is a plain int. A `Parameter` is a Fraction that remembers what was
computed from it, so that `4 / epsilon` inside a long loop costs a look-up and is the same object each time.

Rounding to the grid takes halves up, never to even. Half up is monotone and commutes with shifts by whole steps, so
|x - y| <= m * grid gives |round(x) - round(y)| <= m * grid, and a relation that bounds each entry by whole steps (`Each`, `One`,
`Linf`) holds between the rounded worlds too. Ties to even would break it: 1/2 and 3/2 are one step apart, 0 and 2 are two.
A bound on a sum over entries (`L1`, `L2`) is not kept: every entry that moves may move by up to one step more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from numbers import Rational
from typing import Any

from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import exact

__all__ = ["GridNumber", "Parameter", "number", "on_grid", "step", "up_to_grid"]

_MOST_COUNTED, _MOST_BITS = 10_000_000, 10_000_000  # as in `source.values`: a loop or a power beyond would not end
_REMEMBERED = 256  # results kept per parameter; bounded, because an operand may differ in every round of a loop


def step(grid: object) -> Fraction:
    """The step of a grid, checked to be a power of two: every float lies on such a grid, and of two grids one holds the other."""
    value = Fraction(grid) if isinstance(grid, float) and math.isfinite(grid) else exact(grid, "grid")  # 2.0**-40 is what it is
    top, bottom = value.numerator, value.denominator
    if top <= 0 or top & (top - 1) or bottom & (bottom - 1):
        raise BadArgument("grid", grid, "is not a power of two", "Give 1, 2, 4, ... or 1/2, 1/4, ...")
    return value


def on_grid(value: object, grid: Fraction) -> int:
    """How many grid steps are nearest to the value, halves up (the module says why)."""
    scaled = exact(value) / grid
    return (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)


def up_to_grid(value: object, grid: Fraction) -> int:
    """The least number of grid steps that make up the value or more: how sensitivities are rounded."""
    scaled = exact(value) / grid
    return -(-scaled.numerator // scaled.denominator)


def number(count: int, grid: Fraction) -> int | GridNumber:
    """`count` steps of the grid as a number; plain ints are the numbers of the grid of step 1."""
    return count if grid == 1 else GridNumber(count, grid)


def _refuse(value: object) -> BadArgument:
    return BadArgument("operand", value, "is not an exact number", "Hand numbers in as parameters, or write Fraction(1, 2)")


class GridNumber:
    """`count * grid`, exactly. Sums and whole multiples stay on the grid.

    Sums and products of multiples of powers of two that leave it are on a finer grid; all other results are Fractions.

    Never changed after it is built; not a frozen dataclass because building one is on the path of every draw.
    """

    __slots__ = ("count", "grid")

    def __init__(self, count: int, grid: Fraction) -> None:
        self.count = count
        self.grid = grid

    @property
    def value(self) -> Fraction:
        return self.count * self.grid

    @property
    def numerator(self) -> int:
        return self.value.numerator

    @property
    def denominator(self) -> int:
        return self.value.denominator

    def _steps(self, other: Any) -> int | None:
        """Another exact number in steps of this grid, or None when it lies off the grid."""
        count, rest = divmod(other.numerator * self.grid.denominator, other.denominator * self.grid.numerator)
        return None if rest else int(count)

    def _above(self, other: Any) -> int:
        """Positive when this number is above the other, 0 when equal, negative when below."""
        if not isinstance(other, _EXACT):
            raise _refuse(other)
        return int(self.count * self.grid.numerator * other.denominator - other.numerator * self.grid.denominator)

    def __add__(self, other: Any) -> Any:
        if other.__class__ is GridNumber and other.grid is self.grid:
            return GridNumber(self.count + other.count, self.grid)
        if not isinstance(other, _EXACT):
            return _other(other)
        count = self._steps(other)
        return _number(self.value + _fraction(other)) if count is None else GridNumber(self.count + count, self.grid)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if other.__class__ is GridNumber and other.grid is self.grid:
            return GridNumber(self.count - other.count, self.grid)
        return self + -other if isinstance(other, _EXACT) else _other(other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> GridNumber:
        return GridNumber(-self.count, self.grid)

    def __pos__(self) -> GridNumber:
        return self

    def __abs__(self) -> GridNumber:
        return self if self.count >= 0 else -self

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int):
            return GridNumber(self.count * other, self.grid)
        return _number(self.value * _fraction(other)) if isinstance(other, _EXACT) else _other(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self.value / _fraction(other) if isinstance(other, _EXACT) else _other(other)

    def __rtruediv__(self, other: Any) -> Any:
        return _fraction(other) / self.value if isinstance(other, _EXACT) else _other(other)

    def __floordiv__(self, other: Any) -> Any:
        return self.value // _fraction(other) if isinstance(other, _EXACT) else _other(other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _fraction(other) // self.value if isinstance(other, _EXACT) else _other(other)

    def __mod__(self, other: Any) -> Any:
        return self.value % _fraction(other) if isinstance(other, _EXACT) else _other(other)

    def __rmod__(self, other: Any) -> Any:
        return _fraction(other) % self.value if isinstance(other, _EXACT) else _other(other)

    def __pow__(self, other: Any) -> Any:
        return _power(self.value, other)

    def __rpow__(self, other: Any) -> Any:
        return _power(_fraction(other), self)

    def __eq__(self, other: Any) -> bool:
        if other.__class__ is GridNumber and other.grid is self.grid:
            return bool(self.count == other.count)
        return bool(self.value == other)

    def __hash__(self) -> int:
        return hash(self.value)

    def __lt__(self, other: Any) -> bool:
        if other.__class__ is GridNumber and other.grid is self.grid:
            return bool(self.count < other.count)
        return self._above(other) < 0

    def __le__(self, other: Any) -> bool:
        if other.__class__ is GridNumber and other.grid is self.grid:
            return bool(self.count <= other.count)
        return self._above(other) <= 0

    def __gt__(self, other: Any) -> bool:
        if other.__class__ is GridNumber and other.grid is self.grid:
            return bool(self.count > other.count)
        return self._above(other) > 0

    def __ge__(self, other: Any) -> bool:
        if other.__class__ is GridNumber and other.grid is self.grid:
            return bool(self.count >= other.count)
        return self._above(other) >= 0

    def __bool__(self) -> bool:
        return self.count != 0

    def __float__(self) -> float:
        return float(self.value)

    def __index__(self) -> int:
        return _whole(self.value)

    def __repr__(self) -> str:
        return f"GridNumber({self.count}, {self.grid!r})"

    def __str__(self) -> str:
        return str(self.value)


Rational.register(GridNumber)  # so Fraction(x), exact(x) and comparisons from the other side know what it is

_EXACT = (int, Fraction, GridNumber)


def _fraction(value: Any) -> Fraction:
    return Fraction(value.numerator, value.denominator)


def _number(value: Fraction) -> GridNumber | Fraction:
    """A number that left its grid: on the grid that just holds it if there is one, a Fraction otherwise."""
    top, bottom = value.numerator, value.denominator
    return value if bottom & (bottom - 1) else GridNumber(top, Fraction(1, bottom))


def _other(value: object) -> Any:
    """What an operator does with a partner that is no exact number: floats are an error, lists and arrays have their own say."""
    if isinstance(value, float | complex):
        raise _refuse(value)
    return NotImplemented


def _whole(value: Fraction) -> int:
    if value.denominator != 1:
        raise BadArgument("index", value, "is not a whole number", "Use whole numbers as indices, counts and loop bounds")
    return value.numerator


def _power(value: Fraction, exponent: Any) -> Fraction:
    if not isinstance(exponent, _EXACT) or exponent.denominator != 1:
        raise BadArgument("exponent", exponent, "is not a whole number", "Other powers are irrational and have no exact value")
    if abs(int(exponent)) * max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise BadArgument("exponent", exponent, "makes too large a number", f"Keep powers within {_MOST_BITS:,} bits")
    return Fraction(value.numerator, value.denominator) ** exponent.numerator  # never by way of Parameter's own power


_SUM, _TAKEN, _TAKEN_FROM, _PRODUCT, _DIVIDED, _DIVISOR, _RAISED, _EXPONENT, _REST, _MODULUS = range(10)
_COMPUTE: tuple[Callable[[Fraction, Any], Any], ...] = (
    Fraction.__add__,
    Fraction.__sub__,
    Fraction.__rsub__,
    Fraction.__mul__,
    Fraction.__truediv__,
    Fraction.__rtruediv__,
    _power,
    lambda exponent, value: _power(_fraction(value), exponent),
    Fraction.__mod__,
    Fraction.__rmod__,
)


class Parameter(Fraction):
    """A public number at run time: a Fraction whose sums, products, quotients and powers are computed once.

    The same operation with the same number gives the same object, so a noise law can be kept by the identity of its scale. The
    other number may be private (on the grid of step 1 it is an int); what is remembered dies with the parameter.
    """

    __slots__ = ("_divisions", "_hash", "_results")

    _numerator: int
    _denominator: int
    _divisions: dict[Any, Parameter]  # number / self, the hottest operation of all, by number
    _results: dict[tuple[int, Any], Parameter]  # the others, by operation and number
    _hash: int

    def __new__(cls, value: object) -> Parameter:
        number = exact(value, "parameter")
        return cls._of(number.numerator, number.denominator)

    @classmethod
    def _of(cls, numerator: int, denominator: int) -> Parameter:
        """Built from a fraction in lowest terms, without the checks of `Fraction`: this may happen in every round of a loop."""
        self = object.__new__(cls)
        self._numerator, self._denominator = numerator, denominator
        self._divisions, self._results = {}, {}
        return self

    def __hash__(self) -> int:  # type: ignore[override]  # the stubs hide Fraction.__hash__; equal numbers hash alike here too
        try:
            return self._hash
        except AttributeError:
            self._hash = super().__hash__()
            return self._hash

    def __reduce__(self) -> tuple[type[Parameter], tuple[str]]:
        return Parameter, (str(self),)

    def __copy__(self) -> Parameter:
        return self

    def __deepcopy__(self, _: object) -> Parameter:
        return self

    def _result(self, operation: int, other: Any) -> Any:
        if other.__class__ is GridNumber:
            return NotImplemented
        key = (operation, other)
        try:
            return self._results[key]
        except KeyError:
            return self._computed(operation, other, self._results, key)
        except TypeError:  # a list has no hash, and answers for itself
            return NotImplemented

    def _computed(self, operation: int, other: Any, results: dict[Any, Parameter], key: Any) -> Any:
        if not isinstance(other, int | Fraction):
            return _other(other)
        if operation == _SUM and other.__class__ is int:
            result = Parameter._of(self._numerator + other * self._denominator, self._denominator)
        else:
            number = _COMPUTE[operation](self, other)
            result = Parameter._of(number.numerator, number.denominator)
        if len(results) < _REMEMBERED:
            results[key] = result
        return result

    def __add__(self, other: Any) -> Any:
        return self._result(_SUM, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._result(_TAKEN, other)

    def __rsub__(self, other: Any) -> Any:
        return self._result(_TAKEN_FROM, other)

    def __mul__(self, other: Any) -> Any:
        return self._result(_PRODUCT, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._result(_DIVIDED, other)

    def __rtruediv__(self, other: Any) -> Any:
        if other.__class__ is GridNumber:
            return NotImplemented
        try:
            return self._divisions[other]
        except KeyError:
            return self._computed(_DIVISOR, other, self._divisions, other)
        except TypeError:
            return NotImplemented

    def __mod__(self, other: Any) -> Any:
        return self._result(_REST, other)

    def __rmod__(self, other: Any) -> Any:
        return self._result(_MODULUS, other)

    def __pow__(self, other: Any, modulus: None = None) -> Any:
        return self._result(_RAISED, other)

    def __rpow__(self, other: Any, modulus: None = None) -> Any:
        return self._result(_EXPONENT, other)

    def __neg__(self) -> Parameter:
        negative: Parameter = self._result(_TAKEN_FROM, 0)
        return negative

    def __pos__(self) -> Parameter:
        return self

    def __abs__(self) -> Parameter:
        return self if self._numerator >= 0 else -self

    def _above(self, other: Any) -> int:
        """Positive when this number is above the other, 0 when equal, negative when below."""
        if other.__class__ is int:
            return int(self._numerator - other * self._denominator)
        if not isinstance(other, _EXACT):
            raise _refuse(other)
        return int(self._numerator * other.denominator - other.numerator * self._denominator)

    def __lt__(self, other: Any) -> bool:
        return self._above(other) < 0

    def __le__(self, other: Any) -> bool:
        return self._above(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._above(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self._above(other) >= 0

    def __index__(self) -> int:
        if abs(self) > _MOST_COUNTED:
            raise BadArgument("index", self, "is too many to count", f"Keep counts and loop bounds within {_MOST_COUNTED:,}")
        return _whole(self)

    def __repr__(self) -> str:
        return f"Parameter({str(self)!r})"
