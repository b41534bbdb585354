"""What may hold at a loop head, of a list's entries, or at the exits: simple formulas that fit everything seen in the trials."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import itemgetter
from typing import Any

from twoworlds.proofs.entries import SELECT
from twoworlds.proofs.guesses import AMONG, COUNT
from twoworlds.proofs.kinds import Kinds
from twoworlds.proofs.terms import NOTHING
from twoworlds.proofs.trials import is_number
from twoworlds.source.program import Binary, Compare, Expr, Item, Literal, Logic, Name, Unary
from twoworlds.source.values import evaluate

__all__ = ["Spoken", "begun", "bounds", "cell_formulas", "elsewhere", "fitting", "head_formulas"]

Row = Mapping[str, Any]
UNIT, WHERE = Name("$u"), Name("$where")
_STEEPEST, _HIGHEST, _WIDEST = 4, 6, 3
_STRIDES = (1, 2, 4)  # entries read in a round, next to each other


@dataclass(frozen=True)
class Spoken:
    """What a proof that guesses the whole output speaks of: the guesses, and lists with the variables they are read at."""

    guesses: tuple[Expr, ...]
    reads: tuple[tuple[str, str], ...]


def number(value: int | Fraction) -> Literal:
    return Literal(Fraction(value))


def times(factor: int | Fraction, expr: Expr) -> Expr:
    return expr if factor == 1 else Binary("*", number(factor), expr)


def plus(expr: Expr, offset: int | Fraction) -> Expr:
    return expr if not offset else Binary("+", expr, number(offset))


def implies(guard: Expr | None, formula: Expr) -> Expr:
    return formula if guard is None else Logic("or", (Unary("not", guard), formula))


def fitting(formulas: Iterable[Expr], rows: Sequence[Row]) -> list[Expr]:
    """The formulas that hold in every row; one that has no value in some row is left out."""
    return [formula for formula in dict.fromkeys(formulas) if _hold(formula, rows)]


def _hold(formula: Expr, rows: Sequence[Row]) -> bool:
    try:
        return all(map(_compiled(formula), rows))
    except (LookupError, TypeError, ArithmeticError):
        return False


def _holds(formula: Expr, row: Row) -> bool:
    return _hold(formula, (row,))


def _value(expr: Expr, row: Row) -> Fraction | None:
    try:
        return Fraction(_compiled(expr)(row))
    except (LookupError, TypeError, ArithmeticError):
        return None


@lru_cache(maxsize=4096)
def _compiled(expr: Expr) -> Callable[[Row], Any]:
    """The formula as a function of a row: it is asked thousands of times."""
    match expr:
        case Literal(value):
            constant = int(value) if isinstance(value, Fraction) and value.denominator == 1 else value
            return lambda _: constant
        case Name(name):
            return itemgetter(name)
        case Unary(op, operand):
            inner = _compiled(operand)
            return (lambda row: not inner(row)) if op == "not" else (lambda row: -inner(row))
        case Compare(op, left, right) | Binary(op, left, right) if op in _APPLY:
            apply, one, other = _APPLY[op], _compiled(left), _compiled(right)
            return lambda row: apply(one(row), other(row))
        case Logic(op, parts):
            tests = [_compiled(part) for part in parts]
            return (lambda row: all(t(row) for t in tests)) if op == "and" else (lambda row: any(t(row) for t in tests))
        case Item(sequence, index):
            entries, at = _compiled(sequence), _compiled(index)
            return lambda row: entries(row)[at(row)]
    return lambda row: evaluate(expr, row)


_APPLY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def head_formulas(
    rows: Sequence[Row],
    kinds: Kinds,
    changed: frozenset[str],
    accounts: Sequence[Expr],
    adds_up: bool,
    *,
    spoken: Spoken | None = None,
) -> Iterator[Expr]:
    """Candidates at the head of a loop that changes these names.

    `accounts` are the charges and weighted sums of them; `adds_up` says that all entries together move by at most $u.
    """
    ends = (name for name in rows[0] if name.endswith(".1") and not name.startswith(SELECT))
    names = [name[:-2] for name in ends if all(name in row for row in rows)]
    fixed = [Name(f"{name}.1") for name in names if name not in changed and name in kinds.whole]
    fixed += [Name(name) for name in rows[0] if name.startswith("$len.") and name[5:] not in changed]
    names = [name for name in names if name in changed]
    numbers = [name for name in names if all(is_number(row[f"{name}.1"]) and is_number(row[f"{name}.2"]) for row in rows)]
    truths = [name for name in names if all(isinstance(row[f"{name}.1"], bool) for row in rows)]
    for name in names:
        yield Compare("==", Name(f"{name}.1"), Name(f"{name}.2"))
    whole = [Name(f"{name}.1") for name in numbers if name in kinds.whole]
    whole += [
        Name(name) for name in rows[0] if name.startswith("$len.") and name[5:] in changed and all(name in row for row in rows)
    ]
    moving = [name for name in numbers if any(row[f"{name}.1"] != row[f"{name}.2"] for row in rows)]
    spent = [Binary("-", start, left) for left in whole for start in fixed if _counts_down(left, start, rows)]
    guards = list(_guards(rows, whole, truths, moving, spoken))
    counted: list[Expr] = [Item(Name(COUNT), name) for name in whole if name.name[:-2] not in moving] if spoken else []
    lengths: list[Expr] = [guess.index for guess in spoken.guesses if isinstance(guess, Item)] if spoken else []
    counted += lengths
    for guard in guards:
        chosen = [row for row in rows if guard is None or _holds(guard, row)]
        if not chosen:
            continue
        for name in moving if spoken else numbers:
            if guard is not None:
                yield implies(guard, Compare("==", Name(f"{name}.1"), Name(f"{name}.2")))
        for name in moving:
            yield from (implies(guard, formula) for formula in _moves(difference(name), chosen))
        sums = lengths if guard else counted if spoken else [*whole, *fixed, *spent]
        for account in accounts:
            yield from (implies(guard, formula) for formula in _accounts(account, chosen, sums))
    places = {index for _, index in spoken.reads} if spoken else set()
    other = [Name(f"{name}.2") for name in numbers if name in kinds.whole and (name in moving or name in places)]
    yield from _orders(rows, [*whole, *other], fixed)
    yield from _nothings(numbers, whole, rows)
    for flag in (Name(f"{name}.1") for name in truths):
        yield from (implies(way, Compare(">=", count, number(1))) for count in whole for way in (flag, Unary("not", flag)))
    for gone in spent:
        yield from (Logic("or", (Compare("==", gone, number(0)), Compare(">=", gone.right, number(least)))) for least in (1, 0))
        for flag in (Name(f"{name}.1") for name in truths):
            some = Logic("or", (Compare("==", gone, number(0)), Compare(">=", gone.right, number(1))))
            yield from (implies(flag, some), implies(Unary("not", flag), some))
    if spoken is not None:
        yield from _entries(rows, spoken, [name for name in whole if name.name[:-2] not in moving])
        positive = [Compare(">=", name, number(1)) for name in fixed if not name.name.startswith("$")]
        yield from (Logic("or", (Compare("==", account, number(0)), test)) for account in accounts for test in positive)
    if adds_up:
        yield from _totals(whole, [difference(name) for name in moving], list(accounts))


def _entries(rows: Sequence[Row], spoken: Spoken, counters: list[Name]) -> Iterator[Expr]:
    """How far the entries that a variable points at differ, and that there are such entries."""
    for name, index in spoken.reads:
        if not all(f"{index}.1" in row and f"{SELECT}{name}.1" in row for row in rows):
            continue
        places = [Name(f"{index}.{run}") for run in (1, 2)]
        one, two = (Item(Name(f"{SELECT}{name}.{run}"), place) for run, place in enumerate(places, 1))
        inside = Logic("and", tuple(Compare("<", place, Name(f"$len.{name}")) for place in places))
        for way in [inside, *(Logic("and", (way, inside)) for way in _ways(rows))]:
            moves = _moves(Binary("-", two, one), [row for row in rows if _holds(way, row)])
            yield from (implies(way, formula) for formula in moves)
        for place in places:
            for counter in counters:
                yield Logic("or", (Compare("<=", place, number(1)), Compare("<", place, counter)))
        for guess in spoken.guesses:
            here = Compare("==", places[0], guess)
            yield implies(here, Compare("==", places[1], guess))


def _ways(rows: Sequence[Row]) -> list[Expr]:
    """The directions in which all entries may have moved, where they all move in one."""
    return [Name("$up"), Unary("not", Name("$up"))] if "$up" in rows[0] else []


def _counts_down(left: Name, start: Name, rows: Sequence[Row]) -> bool:
    """Whether a number begins at another and only falls."""
    gone = {Fraction(row[start.name]) - Fraction(row[left.name]) for row in rows}
    return min(gone) == 0 < max(gone)


def difference(name: str) -> Expr:
    return Binary("-", Name(f"{name}.2"), Name(f"{name}.1"))


def _guards(
    rows: Sequence[Row], whole: list[Name], truths: list[str], moving: list[str], spoken: Spoken | None
) -> Iterator[Expr | None]:
    """Conditions under which more may hold: before and after the guessed round, a flag, a direction."""
    yield None
    ways: list[Expr | None] = [None]
    if "$up" in rows[0]:
        ways += [Name("$up"), Unary("not", Name("$up"))]
        yield from ways[1:]
    for name in truths:
        yield from (Name(f"{name}.1"), Unary("not", Name(f"{name}.1")))
    if spoken is not None:
        for guard in _guards_of_guesses(whole, truths, moving, spoken):
            yield guard
            yield from (Logic("and", (way, guard)) for way in _ways(rows))
    for guess in spoken.guesses if spoken else [Name(name) for name in rows[0] if name.startswith("$o")]:
        for counter in (name for name in whole if not name.name.startswith("$")):
            if counter.name[:-2] in moving:
                continue
            before, after = Compare("<=", counter, guess), Compare("<", guess, counter)
            places = [name for name in whole if name.name[:-2] in moving or name != counter]
            kept = [same for name in places for same in _are_guess(name, guess, rows)]
            for guard in (before, after, *(Logic("and", (after, keep)) for keep in kept)):
                for way in ways:
                    yield guard if way is None else Logic("and", (way, guard))


def _guards_of_guesses(whole: list[Name], truths: list[str], moving: list[str], spoken: Spoken) -> Iterator[Expr]:
    """A number that may differ between the runs is the guess; with a flag."""
    for guess in spoken.guesses:
        for name in whole:
            if name.name[:-2] in moving:
                here = Compare("==", name, guess)
                yield here
                yield from (Logic("and", (Name(f"{flag}.1"), here)) for flag in truths)


def _moves(move: Expr, rows: Sequence[Row]) -> Iterator[Expr]:
    """Bounds on a difference by multiples of $u: the tightest that fit, and looser ones."""
    sizes = [(value / row["$u"]) for row in rows if row["$u"] and (value := _value(move, row)) is not None]
    if not sizes:
        return
    high, low = max(sizes).__ceil__(), min(sizes).__floor__()
    for units in range(high, min(high + 2, _WIDEST) + 1):
        yield Compare("<=", move, _units(units))
    for units in range(low, max(low - 2, -_WIDEST) - 1, -1):
        yield Compare(">=", move, _units(units))


def _units(count: int) -> Expr:
    return number(0) if not count else times(count, UNIT)


def _accounts(account: Expr, rows: Sequence[Row], whole: Sequence[Expr]) -> Iterator[Expr]:
    """Bounds on charges: by a constant, by units of $u, and by a count."""
    values = [(_value(account, row), row) for row in rows]
    known = [(value, row) for value, row in values if value is not None]
    if not known:
        return
    most = max(value for value, _ in known).__ceil__()
    if most <= _HIGHEST:
        yield Compare("<=", account, number(most))
    ratios = [value / row["$u"] for value, row in known if row["$u"]]
    if ratios and max(ratios) <= _HIGHEST:
        yield Compare("<=", account, _units(max(ratios).__ceil__()))
    for count in whole:
        for slope in range(1, _STEEPEST + 1):
            rest = max(value - slope * (_value(count, row) or Fraction(0)) for value, row in known).__ceil__()
            if abs(rest) <= _HIGHEST:
                yield Compare("<=", account, plus(times(slope, count), rest))


def _orders(rows: Sequence[Row], whole: list[Name], fixed: list[Name]) -> Iterator[Expr]:
    """How whole numbers compare: a count that starts at 0 may stay there or be below a limit."""
    for low in whole:
        yield Compare(">=", low, number(0))
        busy = [row for row in rows if row[low.name]]
        for high in [*whole, *fixed]:
            for slope in (1, 2) if high in fixed else (1,):
                always = _gap(low, slope, high, rows)
                later = _gap(low, slope, high, busy) if busy else always
                if high != low and abs(always) <= _HIGHEST:
                    yield Compare("<=", low, plus(times(slope, high), always))
                if high != low and (high in fixed or later < always) and abs(later) <= _HIGHEST:
                    bound = Compare("<=", low, plus(times(slope, high), later))
                    yield Logic("or", (Compare("==", low, number(0)), bound))


def _are_guess(name: Name, guess: Expr, rows: Sequence[Row]) -> list[Expr]:
    """Whether it is the guessed number; and that it is more than a mark that there is none yet."""
    same, mark = Compare("==", name, guess), _mark(name, rows)
    known: list[Expr] = [] if mark is None else [Logic("and", (same, Unary("not", Compare("==", name, mark))))]
    return known if mark == Name(NOTHING) else [same, *known]


def elsewhere(rows: Sequence[Row], kinds: Kinds, conditions: Mapping[str, Sequence[Expr]]) -> Iterator[Expr]:
    """Where one entry moves, at $where, and a site was charged for it, that entry is one that the site reads."""
    counts = [
        Name(name) for name in rows[0] if name.endswith(".1") and name[:-2] in kinds.whole and all(name in row for row in rows)
    ]
    for account, tests in conditions.items():
        idle = Compare("==", Name(account), number(0))
        for count in counts:
            yield Logic("or", (idle, Compare("<", WHERE, count)))
            yield Logic("or", (idle, Compare(">=", WHERE, count)))
        yield from (Logic("or", (idle, test)) for test in tests)


def _mark(name: Name, rows: Sequence[Row]) -> Expr | None:
    """What stands for no place yet: None, or -1 where no other number is below 0."""
    values = {row[name.name] for row in rows}
    if any(row[name.name] == row.get(NOTHING) for row in rows):
        return Name(NOTHING)
    return number(-1) if len(values) > 1 and min(values) == -1 else None


def _nothings(names: list[str], whole: list[Name], rows: Sequence[Row]) -> Iterator[Expr]:
    """A place that there is none of at first: in both runs at once, until a count has begun; after that, one that was passed."""
    for place, other in ((Name(f"{name}.1"), Name(f"{name}.2")) for name in names):
        mark = _mark(place, rows)
        if mark is None or (mark != Name(NOTHING) and place not in whole):
            continue
        one, two = Compare("==", place, mark), Compare("==", other, mark)
        yield from (implies(one, two), implies(two, one))
        busy = [row for row in rows if not _holds(one, row)]
        for count in (count for count in whole if count != place):
            yield Logic("or", (one, Compare(">=", count, number(1))))
            yield Logic("or", (Unary("not", one), Compare("<=", count, number(0))))
            if busy and place in whole:
                yield Logic("or", (one, Compare("<=", place, plus(count, _gap(place, 1, count, busy)))))


def _gap(low: Name, slope: int, high: Name, rows: Sequence[Row]) -> int:
    return max(Fraction(row[low.name]) - slope * Fraction(row[high.name]) for row in rows).__ceil__()


def _totals(whole: list[Name], moves: list[Expr], accounts: list[Expr]) -> Iterator[Expr]:
    """What was charged or is still to be charged is covered by how far the entries so far have moved."""
    for upto in (Item(Name("$moved"), times(stride, counter)) for counter in whole for stride in _STRIDES):
        yield Compare("<=", upto, UNIT)
        for account in accounts:
            yield Compare("<=", account, upto)
        for move in moves:
            for signed in (move, Unary("-", move)):
                yield Compare("<=", signed, upto)
                for account in accounts:
                    yield Compare("<=", Binary("+", account, signed), upto)


def begun(rows: Sequence[Row], kinds: Kinds, params: Iterable[str]) -> Iterator[Expr]:
    """Parameters that are above 0 once a round has drawn with them, or a loop before has."""
    counts = [
        Name(name) for name in rows[0] if name.endswith(".1") and name[:-2] in kinds.whole and all(name in row for row in rows)
    ]
    for above in (Compare(">", Name(param), number(0)) for param in params):
        yield above
        yield from (Logic("or", (Compare("==", count, number(0)), above)) for count in counts)


def cell_formulas(rows: Sequence[Row], private: str) -> Iterator[Expr]:
    """Candidates for a list's entries $one and $two at the index $at; they may differ as the private list does there."""
    one, two = Name("$one"), Name("$two")
    yield Compare("==", one, two)
    if not all(is_number(row["$one"]) and is_number(row["$two"]) for row in rows):
        return
    if isinstance(rows[0].get(f"{private}.1"), tuple):
        moved = Binary("-", *(Item(Name(f"{private}.{run}"), Name("$at")) for run in (2, 1)))
        yield Compare("==", Binary("-", two, one), moved)
        yield Compare("==", Binary("-", one, two), moved)
    guards: list[Expr | None] = [None]
    ways: list[Expr | None] = [None, Name("$up"), Unary("not", Name("$up"))] if "$up" in rows[0] else [None]
    for guess in (Name(name) for name in rows[0] if name.startswith("$o") and name != one.name and is_number(rows[0][name])):
        here = Compare("==", Name("$at"), guess)
        guards += [here, Unary("not", here)]
    if AMONG in rows[0]:
        guards += [Item(Name(AMONG), Name("$at")), Unary("not", Item(Name(AMONG), Name("$at")))]
    for guard in guards:
        for way in ways:
            parts = [part for part in (way, guard) if part is not None]
            both = None if not parts else parts[0] if len(parts) == 1 else Logic("and", tuple(parts))
            chosen = [row for row in rows if both is None or _holds(both, row)]
            yield from (implies(both, formula) for formula in _moves(Binary("-", two, one), chosen))


def bounds(rows: Sequence[Row], accounts: Iterable[Expr], counts: list[Name]) -> Iterator[Expr]:
    """Candidates for what the charges come to at the exits, over public parameters and lengths."""
    for account in accounts:
        yield from _accounts(account, rows, counts)
