"""Linear programs in exact rationals: minimise cost . x over x >= 0 with rows . x = right.

Dantzig's simplex method in two phases on a dense tableau, with Bland's rule once progress stalls, so that it always ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import fmpq

from twoworlds.exact.weights import fraction, rational

__all__ = ["minimise"]

Row = list[fmpq]


def minimise(
    cost: Sequence[Fraction], rows: Sequence[Sequence[Fraction]], right: Sequence[Fraction]
) -> tuple[Fraction, list[Fraction]] | None:
    """The least cost and a solution that attains it; None when no x satisfies the rows. The cost must be bounded below."""
    count, width = len(rows), len(cost)
    tableau = []
    for i, (row, value) in enumerate(zip(rows, right, strict=True)):
        sign = -1 if value < 0 else 1
        unit = [rational(int(i == j)) for j in range(count)]
        tableau.append([*[rational(sign * entry) for entry in row], *unit, rational(sign * value)])
    basis = [width + i for i in range(count)]
    spare = [rational(0)] * width + [rational(1)] * count + [rational(0)]
    if _solve(tableau, basis, spare, width + count) > 0:
        return None
    _leave_spares(tableau, basis, width)
    price = [*(rational(entry) for entry in cost), *[rational(0)] * (count + 1)]
    least = _solve(tableau, basis, price, width)
    solution = [Fraction(0)] * width
    for line, place in zip(tableau, basis, strict=True):
        if place < width:
            solution[place] = fraction(line[-1])
    return fraction(least), solution


def _solve(tableau: list[Row], basis: list[int], cost: Row, width: int) -> fmpq:
    """Pivot until no column below `width` lowers the cost; the least cost."""
    reduced = list(cost)
    for row, place in zip(tableau, basis, strict=True):
        if reduced[place] != 0:
            _subtract(reduced, row, reduced[place])
    stalled = 0
    while True:
        columns = [j for j in range(width) if reduced[j] < 0]
        if not columns:
            return -reduced[-1]
        column = columns[0] if stalled > 2 * len(tableau) else min(columns, key=lambda j: reduced[j])
        place = _leaving(tableau, basis, column)
        stalled = stalled + 1 if tableau[place][-1] == 0 else 0
        _pivot(tableau, basis, place, column)
        _subtract(reduced, tableau[place], reduced[column])


def _leaving(tableau: list[Row], basis: list[int], column: int) -> int:
    """The row that limits how far the column may grow; of several, the one with the first basic variable."""
    limits = [(row[-1] / row[column], basis[i], i) for i, row in enumerate(tableau) if row[column] > 0]
    if not limits:
        raise ArithmeticError("the cost has no lower bound")
    least = min(limit for limit, _, _ in limits)
    return min((variable, i) for limit, variable, i in limits if limit == least)[1]


def _pivot(tableau: list[Row], basis: list[int], place: int, column: int) -> None:
    scale = 1 / tableau[place][column]
    tableau[place] = [entry * scale for entry in tableau[place]]
    for i, row in enumerate(tableau):
        if i != place and row[column] != 0:
            _subtract(row, tableau[place], row[column])
    basis[place] = column


def _subtract(row: Row, other: Row, factor: fmpq) -> None:
    row[:] = [a - factor * b if b != 0 else a for a, b in zip(row, other, strict=True)]


def _leave_spares(tableau: list[Row], basis: list[int], width: int) -> None:
    """Exchange spare variables that are still basic, at zero, for real ones where the row has any."""
    for i, place in enumerate(basis):
        if place >= width:
            column = next((j for j in range(width) if tableau[i][j] != 0), None)
            if column is not None:
                _pivot(tableau, basis, i, column)
