"""From what two readings returned to one table: the outputs of both worlds, side by side.

Undrawn noise in an output is laid out value by value as far as the worlds differ there; beyond, where both tails are geometric
with one ratio, a whole tail is a single row: the likelihood ratio is constant on it, so nothing is lost. Where it is not
constant, the row says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from flint import fmpq

from twoworlds.exact.factors import Factor, Lawful, Tabled, Tail
from twoworlds.exact.reader import OUTPUT, Reader
from twoworlds.exact.states import Cloud, State, look
from twoworlds.exact.unseen import Linear
from twoworlds.exact.weights import Weight, between, vanishes
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.rationals import exact

__all__ = ["AtLeast", "AtMost", "Laid", "covers", "lay_out"]

_MOST_ROWS = 1_000_000
_SHOWN = 40  # values shown on either side of a single noisy number before its tail becomes one row


@dataclass(frozen=True)
class AtLeast:
    """Any output number from this one up, in steps of `spacing` (0: any number)."""

    value: Fraction | int
    spacing: Fraction = Fraction(1)

    def __str__(self) -> str:
        return f"{self.value} or more"

    def __contains__(self, number: Fraction) -> bool:
        return number >= self.value and (not self.spacing or (number - self.value) % self.spacing == 0)


@dataclass(frozen=True)
class AtMost:
    """Any output number from this one down, in steps of `spacing` (0: any number)."""

    value: Fraction | int
    spacing: Fraction = Fraction(1)

    def __str__(self) -> str:
        return f"{self.value} or less"

    def __contains__(self, number: Fraction) -> bool:
        return number <= self.value and (not self.spacing or (self.value - number) % self.spacing == 0)


@dataclass(frozen=True)
class Laid:
    """An output, or a set of outputs, with its probability in each world.

    `even`: the likelihood ratios are the same for every output of the set, so that the set loses nothing.
    """

    output: Any
    weights: tuple[Weight, ...]
    even: bool


@dataclass
class _Cell:
    output: Any
    weights: list[Weight]
    rates: set[Any] = field(default_factory=set)

    def laid(self) -> Laid:
        return Laid(self.output, tuple(self.weights), len(self.rates) == 1 and None not in next(iter(self.rates)))


@dataclass
class _Hole:
    """A place in outputs of one shape where some output holds a noisy number: how far it is laid out, and on which lattices."""

    low: Fraction
    high: Fraction
    lattices: set[tuple[Fraction, Fraction]]

    @property
    def clash(self) -> bool:
        """Whether two different lattices share values, so that tails cannot be told apart by lattice."""
        ordered = sorted(self.lattices)
        return any(
            (phase - phase2) % _gcd(step, step2) == 0
            for i, (step, phase) in enumerate(ordered)
            for step2, phase2 in ordered[i + 1 :]
        )


def lay_out(readers: Sequence[Reader]) -> list[Laid]:
    """One row for every output of any world; each reader's `lost` then holds the mass whose output is not known."""
    worlds = [list(_simple(reader)) for reader in readers]
    holes = _holes([state for world in worlds for state in world], readers[0].cut)
    cells: dict[Any, _Cell] = {}
    for index, world in enumerate(worlds):
        for state in world:
            for key, output, weight, rates in _options(state, holes):
                cell = cells.get(key)
                if cell is None:
                    cell = cells[key] = _Cell(output, [fmpq(0)] * len(worlds))
                cell.weights[index] = cell.weights[index] + weight
                cell.rates.add(rates)
            if len(cells) > _MOST_ROWS:
                raise Unsupported(
                    1, f"more than {_MOST_ROWS:,} outputs", "Release fewer noisy numbers at once, or a coarser grid"
                )
    return [cell.laid() for cell in cells.values() if not all(map(vanishes, cell.weights))]


# every draw in at most one place, at most one draw in every place


def _simple(reader: Reader) -> Iterator[State]:
    waiting = list(reader.returned)
    while waiting:
        cloud = Cloud(reader.keys)
        for state in waiting:
            draw = _tangled(state, reader.cut)
            if draw is None:
                if any(isinstance(factor, Tail) for factor in state.draws.values()):
                    reader.lose(state)
                else:
                    yield state
                continue
            for part in look(state, draw, reader.cut):
                cloud.add(part)
        waiting = list(cloud)
        reader.count(waiting, 1)


def _tangled(state: State, cut: Fraction) -> int | None:
    """A draw that must be looked at: finite, or tied to another draw or to another place of the output."""
    forms = [form for form in _leaves(state.env[OUTPUT]) if isinstance(form, Linear)]
    places: dict[int, int] = {}
    for form in forms:
        for draw, _ in form.terms:
            places[draw] = places.get(draw, 0) + (1 if len(form.terms) == 1 else 2)
    choices = []
    for draw, count in places.items():
        factor = state.draws[draw]
        if isinstance(factor, Tail):
            continue
        finite = factor.low is not None and factor.high is not None
        if finite or count > 1:
            table = factor.tabled(cut)
            choices.append((len(table.weights), draw))
    return min(choices)[1] if choices else None


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for entry in value:
            yield from _leaves(entry)
    else:
        yield value


# holes


def _is_number(value: Any) -> bool:
    return isinstance(value, Fraction | int | float | Linear) and not isinstance(value, bool)


def _shape(value: Any) -> Any:
    """The output with every number taken out."""
    if isinstance(value, tuple):
        return ("list", *(_shape(entry) for entry in value))
    if _is_number(value):
        return "number"
    return (type(value).__name__, value)


def _holes(states: list[State], cut: Fraction) -> dict[Any, dict[int, _Hole]]:
    """Per shape, the places where some output is noisy, and the values between which it must be laid out."""
    shapes: dict[Any, list[State]] = {}
    for state in states:
        shapes.setdefault(_shape(state.env[OUTPUT]), []).append(state)
    found: dict[Any, dict[int, _Hole]] = {}
    for shape, members in shapes.items():
        rows = [[leaf for leaf in _leaves(state.env[OUTPUT]) if _is_number(leaf)] for state in members]
        open_places = [i for i in range(len(rows[0])) if any(isinstance(row[i], Linear) for row in rows)]
        margin = _SHOWN if len(open_places) == 1 else 0
        found[shape] = {i: _hole([row[i] for row in rows], members, cut, margin) for i in open_places}
    return found


def _hole(entries: list[Any], states: list[State], cut: Fraction, margin: int) -> _Hole:
    ends: list[Fraction] = []
    lattices = set()
    for entry, state in zip(entries, states, strict=True):
        if not isinstance(entry, Linear):
            ends.append(Fraction(entry))
            continue
        ((draw, scale),) = entry.terms
        ends += [scale * k + entry.offset for k in _core(state.draws[draw], cut, margin)]
        lattices.add((abs(scale), entry.offset % abs(scale)))
    return _Hole(min(ends), max(ends), lattices)


def _core(factor: Factor, cut: Fraction, margin: int) -> tuple[int, int]:
    """The integers outside which a draw is geometric, or has been cut."""
    assert not isinstance(factor, Tail)
    if isinstance(factor, Tabled):
        return factor.start, factor.end
    first, last = factor.law.window(cut)
    low, high = factor.law.regular
    low = first if factor.law.decay[0] is None else max(low - margin, first)
    high = last if factor.law.decay[1] is None else min(high + margin, last)
    if factor.low is not None:
        low, high = max(low, factor.low), max(high, factor.low)
    if factor.high is not None:
        low, high = min(low, factor.high), min(high, factor.high)
    return low, high


# rows


def _options(state: State, holes: dict[Any, dict[int, _Hole]]) -> Iterator[tuple[Any, Any, Weight, tuple[Any, ...]]]:
    """The outputs that a state lays out into: key, output, weight, and the rates of the tails that it stands for."""
    value = state.env[OUTPUT]
    places = holes[_shape(value)]
    numbers = [leaf for leaf in _leaves(value) if _is_number(leaf)]
    choices = []
    for i, leaf in enumerate(numbers):
        if isinstance(leaf, Linear):
            ((draw, scale),) = leaf.terms
            choices.append(list(_values(state.draws[draw], scale, leaf.offset, places[i])))
        else:
            choices.append([(plain(leaf), fmpq(1), ())])
    if math.prod(len(options) for options in choices) > _MOST_ROWS:
        raise Unsupported(1, f"more than {_MOST_ROWS:,} outputs", "Release fewer noisy numbers at once, or a coarser grid")
    for chosen in product(*choices):
        weight = state.weight
        rates: tuple[Any, ...] = ()
        for _, chance, rate in chosen:
            weight = weight * chance
            rates += rate
        output = _filled(value, iter([label for label, _, _ in chosen]))
        yield _typed(output), output, weight, rates


def _values(factor: Factor, scale: Fraction, offset: Fraction, hole: _Hole) -> Iterator[tuple[Any, Weight, tuple[Any, ...]]]:
    """The values of one noisy number inside the hole's bounds, then its two tails."""
    assert not isinstance(factor, Tail)
    ends = sorted(((hole.low - offset) / scale, (hole.high - offset) / scale))
    first, last = math.ceil(ends[0]), math.floor(ends[1])
    for k, weight in enumerate(factor.at(first, last), first):
        if not vanishes(weight):
            yield plain(scale * k + offset), weight, ()
    for side, edge in ((0, first - 1), (1, last + 1)):
        mass = _beyond(factor, side, edge)
        if vanishes(mass):
            continue
        decay = factor.law.decay[side] if isinstance(factor, Lawful) else None
        rate = None if decay is None or hole.clash else decay / abs(scale)
        upward = (side == 1) == (scale > 0)
        end, spacing = scale * edge + offset, abs(scale)
        if hole.clash:
            end, spacing = hole.high if upward else hole.low, Fraction(0)
        yield (AtLeast if upward else AtMost)(plain(end), spacing), mass, (rate,)


def _beyond(factor: Lawful | Tabled, side: int, edge: int) -> Weight:
    if isinstance(factor, Lawful):
        return factor.above(edge, edge)[0] if side else factor.below(edge, edge)[0]
    bound = factor.over if side else factor.under
    return between(bound)


def plain(number: Fraction | int) -> Fraction | int:
    """Whole numbers as ints, as people write them."""
    return int(number) if number.denominator == 1 else Fraction(number)


def _filled(value: Any, numbers: Iterator[Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_filled(entry, numbers) for entry in value)
    return next(numbers) if _is_number(value) else value


def covers(shown: Any, output: Any) -> bool:
    """Whether a row's output is, or its set of outputs holds, this one."""
    if isinstance(shown, tuple):
        return (
            isinstance(output, list | tuple)
            and len(output) == len(shown)
            and all(covers(part, entry) for part, entry in zip(shown, output, strict=True))
        )
    if isinstance(shown, AtLeast | AtMost):
        return _is_number(output) and exact(output) in shown
    if _is_number(shown):
        return _is_number(output) and exact(output) == shown
    return type(shown) is type(output) and bool(shown == output)


def _typed(value: Any) -> Any:
    """A key that tells True from 1."""
    if isinstance(value, tuple):
        return ("list", *(_typed(entry) for entry in value))
    return (type(value).__name__, value)


def _gcd(one: Fraction, other: Fraction) -> Fraction:
    return Fraction(
        math.gcd(one.numerator * other.denominator, other.numerator * one.denominator), one.denominator * other.denominator
    )
