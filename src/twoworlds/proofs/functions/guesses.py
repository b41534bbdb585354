"""What may hold at the head of a loop: bounds on how far variables are apart, equality until the inputs differ, ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any

from twoworlds.proofs.functions.bounds import bounds, factors, levels, value
from twoworlds.proofs.functions.changes import names_in, uses
from twoworlds.proofs.functions.points import number, size, term
from twoworlds.proofs.functions.reading import Function
from twoworlds.proofs.functions.runs import GHOSTS
from twoworlds.proofs.functions.trials import CASE, Row
from twoworlds.proofs.trials import is_number
from twoworlds.source.program import Append, Assign, Program, Store, While, walk
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import L1, L2

__all__ = ["guesses"]

_TIGHTEST, _ROUNDS, _TOGETHER, _PAIRS = 8, 4, 3, 15
Holds = Callable[[Row], bool]


@dataclass(frozen=True)
class _Size:
    """A public number with its text in hints."""

    text: str
    at: Callable[[Row], Fraction | None]


def guesses(function: Function, program: Program, seen: Mapping[int, Sequence[Row]]) -> list[list[str]]:
    """For each loop, in the order of the text, the formulas that fit everything that was seen at its head."""
    loops = [node for node in walk(program.body) if isinstance(node, While)]
    made = _Guesser(function, program)
    return [list(dict.fromkeys(made.at(loop, seen.get(at, ())))) if seen.get(at) else [] for at, loop in enumerate(loops)]


class _Guesser:
    def __init__(self, function: Function, program: Program) -> None:
        assert function.program is not None and function.stated is not None
        self.program, self.relation = program, function.stated.neighbours
        self.private = self.relation.parameter
        inner = getattr(self.relation, "relation", self.relation)
        self.ghosts = GHOSTS if function.stated.metric == "L2" else GHOSTS[:2]
        self.adds_up = isinstance(inner, L1 | L2)
        measured = hasattr(inner, "limit")  # tables differ by a row, which has no size
        self.sizes = [_Size("$u", lambda row: row.get("$u"))] if measured else []
        self.sizes += [_sized(formula, least="-" in str(formula)) for formula in bounds(function)]
        self.factors = factors(function.program)
        self.levels = [_sized(formula) for formula in levels(function.program, self.private)]

    def at(self, loop: While, rows: Sequence[Row]) -> Iterator[str]:
        inside = {node.target for node in walk(loop.body) if isinstance(node, Assign | Append | Store)}
        names = [name for name in sorted(inside) if all(f"{name}.1" in row for row in rows)]
        numbers = [name for name in names if all(is_number(row[f"{name}.1"]) and is_number(row[f"{name}.2"]) for row in rows)]
        moving = [name for name in names if any(row[f"{name}.1"] != row[f"{name}.2"] for row in rows)]
        counters = [name for name in numbers if name.startswith("next@@") and name not in moving]
        own = loop.body[1].target if len(loop.body) > 1 and isinstance(loop.body[1], Assign) else ""
        for name in names:
            if name not in moving and not isinstance(rows[0][f"{name}.1"], tuple):
                yield f"(= {name}.1 {name}.2)"
        for name in numbers:
            if name in moving:
                yield from self.move(size(f"(- {name}.2 {name}.1)"), _move(name), rows, counters)
                yield from self.before(f"(= {name}.1 {name}.2)", _equal(name), rows, own)
            yield from self.ranges(name, rows)
        for name in moving:
            if name not in numbers and isinstance(rows[0][f"{name}.1"], bool):
                yield from self.before(f"(= {name}.1 {name}.2)", _equal(name), rows, own)
        for name in names:
            if isinstance(rows[0][f"{name}.1"], tuple):
                yield from self.list_of(name, rows, counters, own)
        kept = [name for name in numbers if name in moving and name in self.read_elsewhere(loop)]
        if len(kept) > 1:
            yield from self.together(kept, rows)
        yield from self.orders(counters, numbers, names, rows)

    def read_elsewhere(self, loop: While) -> set[str]:
        """The variables that matter after the loop."""
        return {name for name in names_in(self.program.body) if uses(self.program.body, name) > uses(loop, name)}

    def together(self, names: list[str], rows: Sequence[Row]) -> Iterator[str]:
        """Bounds on how far several variables are apart in all: two of them, and all."""
        for chosen in dict.fromkeys([tuple(names), *[*combinations(names, 2)][:_PAIRS]]):
            text = f"(+ {' '.join(size(f'(- {name}.2 {name}.1)') for name in chosen)})"
            known = [(sum((abs(row[f"{name}.2"] - row[f"{name}.1"]) for name in chosen), Fraction(0)), row) for row in rows]
            fit = [found for found in self.sizes if _fits(known, found)]
            yield from (
                f"(<= {text} {found.text})" for found in _smallest(fit, known, _TIGHTEST if len(chosen) > 2 else _TOGETHER)
            )

    def list_of(self, name: str, rows: Sequence[Row], counters: list[str], own: str) -> Iterator[str]:
        for ghost in self.ghosts:
            key = f"{ghost}.{name}"
            known = [row for row in rows if key in row]
            if known:
                yield from self.move(key, partial(_seen, key), known, counters)
                yield from self.before(f"(= {key} 0.0)", partial(_is_zero, key), known, own)

    def move(self, text: str, far: Callable[[Row], Any], rows: Sequence[Row], counters: list[str]) -> Iterator[str]:
        """Bounds on a distance: the tightest that fit, and such per round where none is for all rounds."""
        known = [(far(row), row) for row in rows]
        fit = [found for found in self.sizes if _fits(known, found)]
        squares = text.startswith("$sq")
        fit += [_squared(found) for found in self.sizes if _fits(known, _squared(found))] if squares else []
        yield from (f"(<= {text} {found.text})" for found in _smallest(fit, known, _TIGHTEST))
        for counter in counters:
            per_round = [_times(found, counter) for found in self.sizes]
            fitting = [found for found in per_round if _fits(known, found)]
            yield from (f"(<= {text} {found.text})" for found in _smallest(fitting, known, _ROUNDS))
            if self.adds_up:
                yield from self.so_far(text, known, counter)

    def so_far(self, text: str, known: list[tuple[Any, Row]], counter: str) -> Iterator[str]:
        """Bounds by how far the entries up to here have moved."""
        squared = isinstance(getattr(self.relation, "relation", self.relation), L2)
        yield f"(<= ($moved/1 {counter}.1) {'(* $u $u)' if squared else '$u'})"
        for factor in self.factors:
            upto = _Size(f"(* {number(factor)} ($moved/1 {counter}.1))", partial(_moved, counter, factor))
            if _fits(known, upto):
                yield f"(<= {text} {upto.text})"

    def before(self, text: str, holds: Holds, rows: Sequence[Row], counter: str) -> Iterator[str]:
        """What holds until the round in which the inputs differ."""
        if not counter or any("$at" not in row or f"{counter}.1" not in row for row in rows):
            return
        if all(row[f"{counter}.1"] > row["$at"] or holds(row) for row in rows):
            yield f"(or (> {counter}.1 $at) {text})"

    def ranges(self, name: str, rows: Sequence[Row]) -> Iterator[str]:
        for level in self.levels:
            ends = [(level.at(row), row[f"{name}.1"], row[f"{name}.2"]) for row in rows]
            if all(end is not None and min(one, two) >= end for end, one, two in ends):
                yield f"(and (>= {name}.1 {level.text}) (>= {name}.2 {level.text}))"
            if all(end is not None and max(one, two) <= end for end, one, two in ends):
                yield f"(and (<= {name}.1 {level.text}) (<= {name}.2 {level.text}))"

    def orders(self, counters: list[str], numbers: list[str], names: list[str], rows: Sequence[Row]) -> Iterator[str]:
        """How counts compare: a counter with its end, lengths and counted events with counters."""
        for counter in counters:
            ends = [name for name in rows[0] if name.startswith("stop@@") and name.endswith(".1")]
            for end in ends:
                if all(end in row and (row[f"{counter}.1"] <= row[end] or row[f"{counter}.1"] <= 0) for row in rows):
                    yield f"(or (<= {counter}.1 {end}) (<= {counter}.1 0.0))"
            for name in names:
                length = f"$len.{name}"
                if all(row.get(length) == row[f"{counter}.1"] for row in rows):
                    yield f"(= {length} {counter}.1)"
            for name in numbers:
                if name not in counters and all(max(row[f"{name}.1"], row[f"{name}.2"]) <= row[f"{counter}.1"] for row in rows):
                    yield f"(and (<= {name}.1 {counter}.1) (<= {name}.2 {counter}.1))"
        for name in names:
            length = f"$len.{name}"
            lengths = {row.get(length) for row in rows}
            if isinstance(rows[0][f"{name}.1"], tuple) and len(lengths) == 1 and None not in lengths:
                yield f"(= {length} {rows[0][length]}.0)"


def _sized(formula: Expression, *, least: bool = False) -> _Size:
    """A formula as a number; with `least` it is 0 where it would be negative, as between bounds that are the wrong way round."""
    known: dict[int, Fraction | None] = {}

    def at(row: Row) -> Fraction | None:
        if row[CASE] not in known:
            found = value(formula, _Public(row))
            known[row[CASE]] = found if found is None or not least else max(found, Fraction(0))
        return known[row[CASE]]

    text = term(formula)
    return _Size(f"(ite (>= {text} 0.0) {text} 0.0)" if least else text, at)


class _Public(Mapping[str, Any]):
    """Public parameters of a row by their plain names."""

    def __init__(self, row: Row) -> None:
        self.row = row

    def __getitem__(self, name: str) -> Any:
        return self.row[f"{name}.1"]

    def __contains__(self, name: object) -> bool:
        return f"{name}.1" in self.row

    def __iter__(self) -> Iterator[str]:
        return (name[:-2] for name in self.row if name.endswith(".1"))

    def __len__(self) -> int:
        return len(self.row)


def _fits(known: Sequence[tuple[Any, Row]], found: _Size) -> bool:
    return all(far is not None and (most := found.at(row)) is not None and far <= most for far, row in known)


def _smallest(fit: Sequence[_Size], known: Sequence[tuple[Any, Row]], count: int) -> list[_Size]:
    """The smallest, of those that were the same everywhere the first."""
    sizes: dict[tuple[Fraction | None, ...], _Size] = {}
    for found in fit:
        sizes.setdefault(tuple(found.at(row) for _, row in known), found)
    ordered = sorted(sizes.items(), key=lambda entry: sum((most for most in entry[0] if most is not None), Fraction(0)))
    return [found for _, found in ordered[:count]]


def _times(found: _Size, counter: str) -> _Size:
    def at(row: Row) -> Fraction | None:
        most = found.at(row)
        return None if most is None else most * row[f"{counter}.1"]

    return _Size(f"(* {counter}.1 {found.text})", at)


def _squared(found: _Size) -> _Size:
    def at(row: Row) -> Fraction | None:
        most = found.at(row)
        return None if most is None else most * most

    return _Size(f"(* {found.text} {found.text})", at)


def _moved(counter: str, factor: Fraction, row: Row) -> Fraction | None:
    moved, upto = row.get("$moved"), row.get(f"{counter}.1")
    return factor * moved[int(upto)] if moved is not None and upto is not None and upto < len(moved) else None


def _seen(key: str, row: Row) -> Any:
    return row.get(key)


def _is_zero(key: str, row: Row) -> bool:
    return bool(row.get(key) == 0)


def _move(name: str) -> Callable[[Row], Any]:
    return lambda row: abs(row[f"{name}.2"] - row[f"{name}.1"])


def _equal(name: str) -> Holds:
    return lambda row: bool(row[f"{name}.1"] == row[f"{name}.2"])
