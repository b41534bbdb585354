"""What a draw's shift may be: read off the program, not searched blindly.

For a draw x the menu holds 0, multiples of $u, and the locks: the shift under which a number computed from x comes out the same
in both runs. A lock is solved from an expression that is linear in x with coefficient 1 or -1, so it is an integer combination
of differences. Which shift applies may depend on a test that follows, on whether this round is the guessed output, or on the
direction in which all entries moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from twoworlds.proofs.choices import TOLL
from twoworlds.proofs.guesses import AMONG
from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
    Choice,
    Compare,
    Draw,
    Expr,
    If,
    Item,
    Literal,
    Logic,
    Name,
    Program,
    Return,
    Stmt,
    Store,
    Unary,
    While,
    walk,
)

__all__ = ["NOISE", "Alignment", "Case", "Options", "Shift", "in_run", "linear", "options", "tests_on"]

NOISE = Name("$noise")
_LOST = Name("$lost")  # a value that is not known yet when the noise is drawn
_MOST_PATHS, _MOST_CONDITIONS = 64, 40


@dataclass(frozen=True)
class Shift:
    """An integer combination: `units` times $u, plus multiples of run 2 minus run 1 of names or entries."""

    units: int = 0
    by: tuple[tuple[Expr, int], ...] = ()

    def plus(self, units: int) -> Shift:
        return replace(self, units=self.units + units)


@dataclass(frozen=True)
class Case:
    """A shift and when it applies (None: always), a condition on run 1 and the noise."""

    when: Expr | None
    shift: Shift


Alignment = dict[int, tuple[Case, ...]]
"""The cases of each shifted site; the first that applies counts, the last applies always."""


@dataclass(frozen=True)
class Options:
    """What a site may choose from: the conditions of its cases (none: no distinction), and shifts in order of preference."""

    conditions: tuple[tuple[Expr, ...], ...]
    shifts: tuple[Shift, ...]


def options(
    program: Program, private: str, shifted: frozenset[int], guessed: tuple[Expr, ...], directed: bool, *, among: bool = False
) -> dict[int, Options]:
    """The options of every site that may be shifted; `guessed` are the ghosts of the output's whole-number parts.

    `among`: whether a shift may depend on the round being any of the guesses.
    """
    public = frozenset(program.parameters) - {private}
    found: dict[int, Options] = {}
    for draw, rest, rounds in _draws(program.body, (), ()):
        if draw.site not in shifted:
            continue
        if draw.noise.law == TOLL:  # nothing is drawn that could be moved
            found[draw.site] = Options(((),), (Shift(),))
            continue
        targets, tests = _uses(draw, rest)
        targets += [use for place in rounds for use in _uses_of_entry(program, rest, draw, place)]
        locks = [lock for target in targets if (lock := _lock(target, public)) is not None]
        free = [Shift(units) for units in (1, -1, 2, -2)]
        nudged = [lock.plus(units) for lock in dict.fromkeys(locks) for units in (1, -1)]
        guesses: list[Expr] = [Compare("==", in_run(place), guess) for guess in guessed for place in rounds]
        guesses += [Item(Name(AMONG), in_run(place)) for place in rounds if among]
        direction: list[Expr] = [Name("$up")] if directed else []
        decided = [test for test in tests if _mentions(_last(test))] or tests  # another test may still tell that x is never used
        single = [*(in_run(test) for test in decided), *guesses, *direction]
        single += [Logic("and", (guess, way)) for guess in guesses for way in direction]
        sides = [in_run(test) for test in decided if _mentions(_last(test))]
        chosen = [Item(Name(AMONG), in_run(place)) for place in rounds if among]
        ways = [(Logic("and", (guess, way)), guess) for guess in chosen for way in direction]
        conditions = [(), *((condition,) for condition in single), *ways, *combinations(sides, 2)][:_MOST_CONDITIONS]
        found[draw.site] = Options(tuple(dict.fromkeys(conditions)), tuple(dict.fromkeys([Shift(), *locks, *free, *nudged])))
    return found


def in_run(expr: Any, run: int = 1) -> Any:
    """The expression with every variable as it is in one run: x becomes x.1. Ghosts stay."""
    if isinstance(expr, Name):
        return expr if expr.name.startswith("$") else Name(f"{expr.name}.{run}")
    if isinstance(expr, tuple):
        return tuple(in_run(part, run) for part in expr)
    if isinstance(expr, Expr):
        return type(expr)(*(in_run(getattr(expr, field.name), run) for field in fields(expr)))
    return expr


def _draws(
    steps: tuple[Stmt, ...], after: tuple[Stmt, ...], rounds: tuple[Expr, ...]
) -> Iterator[tuple[Draw, tuple[Stmt, ...], tuple[Expr, ...]]]:
    """Each draw with the statements that follow it in its round, and the expressions that say which round it is."""
    for at, step in enumerate(steps):
        rest = (*steps[at + 1 :], *after)
        if isinstance(step, Draw):
            yield step, rest, rounds or (Literal(Fraction(0)),)
        elif isinstance(step, If):
            yield from _draws(step.then, rest, rounds)
            yield from _draws(step.otherwise, rest, rounds)
        elif isinstance(step, While):
            yield from _draws(step.body, (), tuple(map(Name, _counters(step))))


def _counters(loop: While) -> dict[str, None]:
    """What says which round it is: the copy of the counter with which a round begins, or what goes up by 1 in every round."""
    found = {step.target: None for step in loop.body[:1] if isinstance(step, Assign)}
    for step in loop.body:
        if isinstance(step, Assign) and step.value == Binary("+", Name(step.target), Literal(Fraction(1))) and not found:
            found[step.target] = None
    return found


def _uses(draw: Draw, rest: tuple[Stmt, ...]) -> tuple[list[Expr], list[Expr]]:
    """Expressions computed from the noise, and later tests with their paths, in terms of the values known when it is drawn."""
    targets: list[Expr] = []
    tests: list[Expr] = []
    paths = [0]

    def see(expr: Expr) -> None:
        targets.extend(part for part in walk(expr) if isinstance(part, Expr) and part not in targets and _mentions(part))

    def follow(steps: tuple[Stmt, ...], known: dict[str, Expr], path: tuple[Expr, ...]) -> None:
        for at, step in enumerate(steps):
            if isinstance(step, Assign):
                value = _substitute(step.value, known)
                see(value)
                tests.extend(
                    Logic("and", (*path, part.test))
                    for part in walk(value)
                    if isinstance(part, Choice) and _mentions(part.test) and _LOST not in walk(part.test)
                )
                known = {**known, step.target: value}
            elif isinstance(step, Draw):
                known = {**known, step.target: _LOST}
            elif isinstance(step, While):
                known = known | {node.target: _LOST for node in walk(step.body) if isinstance(node, Assign | Draw)}
            elif isinstance(step, Append | Store | Return):
                see(_substitute(step.value, known))
            elif isinstance(step, If):
                test = _substitute(step.test, known)
                see(test)
                if _LOST not in walk(test):
                    whole = Logic("and", (*path, test))
                    if whole not in tests:
                        tests.append(whole)
                paths[0] += 1
                if paths[0] <= _MOST_PATHS:
                    here = () if _LOST in walk(test) else (test,)
                    away = tuple(Unary("not", part) for part in here)
                    follow((*step.then, *steps[at + 1 :]), known, (*path, *here))
                    follow((*step.otherwise, *steps[at + 1 :]), known, (*path, *away))
                return
            else:
                return

    follow(rest, {draw.target: NOISE}, ())
    return targets, tests


def tests_on(index: Name, site: int, steps: tuple[Stmt, ...]) -> list[Expr]:
    """The tests on an index that a site draws under, said of the entry that moves."""
    found: list[Expr] = []
    for step in steps:
        if isinstance(step, While):
            found += tests_on(index, site, step.body)
        elif isinstance(step, If):
            for way, test in ((step.then, step.test), (step.otherwise, Unary("not", step.test))):
                if any(isinstance(node, Draw) and node.site == site for node in walk(way)):
                    found += tests_on(index, site, way)
                    found += [in_run(_substitute(test, {index.name: Name("$where")}))] * (index in walk(test))
    return found


def _last(test: Expr) -> Expr:
    return test.parts[-1] if isinstance(test, Logic) else test


def _uses_of_entry(program: Program, rest: tuple[Stmt, ...], draw: Draw, place: Expr) -> list[Expr]:
    """Where the noise is put into a list in round `place`: the expressions computed from that entry elsewhere."""
    names = {step.target for step in rest if isinstance(step, Append) and step.value == Name(draw.target)}
    for node in walk(program.body):
        if isinstance(node, Assign) and isinstance(node.value, Name) and node.value.name in names:
            names.add(node.target)
    found = []
    for node in walk(program.body):
        if isinstance(node, Assign | Append | Store | Return):
            for entry in walk(node.value):
                if isinstance(entry, Item) and entry.sequence in {Name(name) for name in names} and isinstance(entry.index, Name):
                    found += [
                        part for part in walk(_entry_use(node.value, entry, place)) if isinstance(part, Expr) and _mentions(part)
                    ]
    return found


def _entry_use(expr: Any, entry: Item, place: Expr) -> Any:
    """The expression with the noise for the entry, in the round that drew it; entries of other lists at that place stay."""
    if expr == entry:
        return NOISE
    if isinstance(expr, Item):
        return Item(expr.sequence, place) if expr.index == entry.index else _LOST
    if isinstance(expr, Name):
        return _LOST
    if isinstance(expr, tuple):
        return tuple(_entry_use(part, entry, place) for part in expr)
    if isinstance(expr, Expr):
        return type(expr)(*(_entry_use(getattr(expr, field.name), entry, place) for field in fields(expr)))
    return expr


def _mentions(expr: Expr) -> bool:
    return any(part == NOISE for part in walk(expr))


def _substitute(expr: Any, known: dict[str, Expr]) -> Any:
    if isinstance(expr, Name):
        return known.get(expr.name, expr)
    if isinstance(expr, tuple):
        return tuple(_substitute(part, known) for part in expr)
    if isinstance(expr, Item):
        return Item(expr.sequence, _substitute(expr.index, known))
    if isinstance(expr, Expr):
        return type(expr)(*(_substitute(getattr(expr, field.name), known) for field in fields(expr)))
    return expr


def linear(expr: Expr) -> dict[Expr, Fraction] | None:
    """The expression as a combination of names and entries, without its constant; None where it is not one."""
    match expr:
        case Literal(value):
            return {} if isinstance(value, Fraction) else None
        case Name() | Item():
            return {expr: Fraction(1)}
        case Unary("-", operand):
            return _scaled(linear(operand), Fraction(-1))
        case Binary("+" | "-" as op, left, right):
            return _sum(linear(left), _scaled(linear(right), Fraction(1 if op == "+" else -1)))
        case Binary("*", Literal(value), other) | Binary("*", other, Literal(value)) if isinstance(value, Fraction):
            return _scaled(linear(other), value)
        case Compare(_, left, right):
            return linear(Binary("-", left, right))
    return None


def _scaled(terms: dict[Expr, Fraction] | None, factor: Fraction) -> dict[Expr, Fraction] | None:
    return None if terms is None else {atom: times * factor for atom, times in terms.items()}


def _sum(one: dict[Expr, Fraction] | None, other: dict[Expr, Fraction] | None) -> dict[Expr, Fraction] | None:
    if one is None or other is None:
        return None
    total = {atom: one.get(atom, Fraction(0)) + other.get(atom, Fraction(0)) for atom in {**one, **other}}
    return {atom: times for atom, times in total.items() if times}


def _lock(target: Expr, public: frozenset[str]) -> Shift | None:
    """The shift that makes a linear expression of the noise equal in both runs."""
    terms = linear(target)
    if terms is None or _LOST in walk(target) or abs(terms.get(NOISE, Fraction(0))) != 1:
        return None
    sign = -terms.pop(NOISE)
    kept = {atom: sign * times for atom, times in terms.items() if not (isinstance(atom, Name) and atom.name in public)}
    if any(times.denominator != 1 or _mentions(atom) for atom, times in kept.items()):
        return None
    return Shift(0, tuple((atom, int(times)) for atom, times in kept.items()))
