"""Values that no public function may take for a number: fuel for the generators of malformed calls."""

from __future__ import annotations

import decimal
import math
import types
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from twoworlds.worlds.errors import TwoWorldsError

NOT_NUMBERS: tuple[Any, ...] = (
    None,
    True,
    "",
    "abc",
    "1/0",
    "nan",
    "inf",
    math.nan,
    math.inf,
    -math.inf,
    decimal.Decimal("NaN"),
    decimal.Decimal("sNaN"),
    decimal.Decimal("-Infinity"),
    1 + 2j,
    [],
    {},
    types.SimpleNamespace(),
    b"1",
    Fraction,
)


def refuses(call: Callable[[], object]) -> TwoWorldsError:
    """The call raises one of our errors, which says what happened and how to fix it; it returns nothing."""
    with pytest.raises(TwoWorldsError) as caught:
        call()
    error = caught.value
    assert error.what and error.fix and str(error) == f"{error.what}. {error.fix}"
    return error
