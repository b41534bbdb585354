"""From what two readings returned to one table: the outputs of both worlds, side by side.

Undrawn noise in an output is laid out value by value as far as the worlds differ there; beyond, where both tails are geometric
with one ratio, a whole tail is a single row: the likelihood ratio is constant on it, so nothing is lost. Where it is not
constant, the row says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

from flint import fmpq

from twoworlds.exact.effort import MOST_STEPS, TooMuch
from twoworlds.exact.encodings import Differences, Encoding, whole
from twoworlds.exact.factors import Factor, Lawful, Tail, earlier, later
from twoworlds.exact.reader import Reader
from twoworlds.exact.trails import Reveal
from twoworlds.exact.unseen import Linear
from twoworlds.exact.untangling import Plain, is_number, leaves, untangled
from twoworlds.exact.weights import Weight, vanishes
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.rationals import exact

__all__ = ["AtLeast", "AtMost", "Laid", "covers", "hole", "lay_out", "values"]

_MOST_ROWS = 200_000
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


class Laid(NamedTuple):
    """An output, or a set of outputs, with its probability in each world.

    `even`: the likelihood ratios are the same for every output of the set, so that the set loses nothing. `single`: it is one.
    """

    output: Any
    weights: tuple[Weight, ...]
    even: bool
    single: bool


@dataclass
class _Sheet:
    """Outputs of one shape by their encoded numbers: a column of weights for each world, and the rates of the tails."""

    output: Any
    columns: list[dict[tuple[Any, ...], Weight]]
    rates: dict[tuple[Any, ...], set[Any]] = field(default_factory=dict)

    def rows(self, encoding: Encoding) -> Iterator[Laid]:
        """The rows of the outputs that are possible in some world."""
        zero, filled = fmpq(0), _filler(self.output)
        for labels in dict.fromkeys(label for column in self.columns for label in column):
            weights = tuple([column.get(labels, zero) for column in self.columns])
            if not all(map(vanishes, weights)):
                numbers = labels if encoding.is_plain else encoding.decode(labels)
                output = Differences(filled(labels), encoding) if numbers is None else filled(numbers)
                rates = self.rates.get(labels)
                even = rates is None or (len(rates) == 1 and None not in next(iter(rates)))
                yield Laid(output, weights, even, rates is None)


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
    try:
        worlds, encodings = untangled(readers)
    except TooMuch:
        raise _too_many(readers[0].effort.most) from None
    holes = _holes([plain for world in worlds for plain in world], readers[0].effort.cut)
    sheets: dict[Any, _Sheet] = {}
    count, most = 0, min(_MOST_ROWS, _MOST_ROWS * readers[0].effort.most // MOST_STEPS)
    for index, world in enumerate(worlds):
        for plain in world:
            sheet = sheets.setdefault(plain.shape, _Sheet(plain.output, [{} for _ in worlds]))
            column = sheet.columns[index]
            before = len(column)
            for labels, weight, rates in _options(plain, holes, most):
                column[labels] = column[labels] + weight if labels in column else weight
                if rates:
                    sheet.rates.setdefault(labels, set()).add(rates)
            count += len(column) - before
            if count > most * len(worlds):
                raise _too_many(most)
    return [row for shape, sheet in sheets.items() for row in sheet.rows(encodings[shape])]


# holes


def _holes(states: list[Plain], cut: Fraction) -> dict[Any, dict[int, _Hole]]:
    """Per shape, the places where some output is noisy, and the values between which it must be laid out."""
    shapes: dict[Any, list[Plain]] = {}
    for plain in states:
        shapes.setdefault(plain.shape, []).append(plain)
    found: dict[Any, dict[int, _Hole]] = {}
    for shape, members in shapes.items():
        count = len(members[0].numbers)
        open_places = [i for i in range(count) if any(isinstance(plain.numbers[i], Linear) for plain in members)]
        margin = _SHOWN if len(open_places) == 1 else 0
        found[shape] = {i: _hole(i, members, cut, margin) for i in open_places}
    return found


def _hole(place: int, states: list[Plain], cut: Fraction, margin: int) -> _Hole:
    ends: list[Fraction] = []
    lattices = set()
    for plain in states:
        entry = plain.numbers[place]
        if not isinstance(entry, Linear):
            ends.append(Fraction(entry))
            continue
        ((draw, scale),) = entry.terms
        ends += [scale * k + entry.offset for k in _core(plain.state.draws[draw], cut, margin)]
        lattices.add((abs(scale), entry.offset % abs(scale)))
    return _Hole(min(ends), max(ends), lattices)


def hole(events: Sequence[Reveal], cut: Fraction) -> _Hole:
    """The place of a single number with noise of its own, in each world as an event says."""
    ends = [event.slope * k + event.offset for event in events for k in _core(event.factor, cut, 0)]
    lattices = {(abs(event.slope), event.offset % abs(event.slope)) for event in events}
    return _Hole(min(ends), max(ends), lattices)


def _core(factor: Factor, cut: Fraction, margin: int) -> tuple[int, int]:
    """The integers outside which a draw is geometric, or has been cut, and a margin to show."""
    assert not isinstance(factor, Tail)
    low, high = factor.core
    if isinstance(factor, Lawful):
        first, last = factor.law.window(cut)
        low = min(low, first) if factor.tail_rate(low, -1) is None else low - min(margin, max(low - first, 0))
        high = max(high, last) if factor.tail_rate(high, 1) is None else high + min(margin, max(last - high, 0))
        low, high = later(low, factor.low) or 0, earlier(high, factor.high) or 0
    return low, max(low, high)


# rows


def _options(
    plain: Plain, holes: dict[Any, dict[int, _Hole]], most: int
) -> Iterator[tuple[tuple[Any, ...], Weight, tuple[Any, ...]]]:
    """The outputs that a state lays out into: their numbers, encoded, the weight, and the rates of the tails it stands for."""
    choices = []
    for i, leaf in enumerate(plain.numbers):
        if isinstance(leaf, Linear):
            ((draw, scale),) = leaf.terms
            choices.append(list(values(plain.state.draws[draw], scale, leaf.offset, holes[plain.shape][i])))
        else:
            choices.append([(whole(leaf), fmpq(1), ())])
    if math.prod(len(options) for options in choices) > most:
        raise _too_many(most)
    for chosen in product(*choices):
        weight = plain.state.weight
        rates: tuple[Any, ...] = ()
        for _, chance, rate in chosen:
            weight = weight * chance
            rates += rate
        yield tuple([label for label, _, _ in chosen]), weight, rates


def _too_many(most: int) -> Unsupported:
    return Unsupported(1, f"more than {most:,} outputs", "Release fewer noisy numbers at once, or a coarser grid")


def values(factor: Factor, scale: Fraction, offset: Fraction, hole: _Hole) -> Iterator[tuple[Any, Weight, tuple[Any, ...]]]:
    """The values of one noisy number inside the hole's bounds, then its two tails."""
    assert not isinstance(factor, Tail)
    ends = sorted(((hole.low - offset) / scale, (hole.high - offset) / scale))
    first, last = math.ceil(ends[0]), math.floor(ends[1])
    slope, base = whole(scale), whole(offset)  # nearly always ints, which are quick to multiply
    for k, weight in enumerate(factor.at(first, last), first):
        if not vanishes(weight):
            yield whole(slope * k + base), weight, ()
    for way, edge in ((-1, first - 1), (1, last + 1)):
        mass = factor.above(edge, edge)[0] if way > 0 else factor.below(edge, edge)[0]
        if vanishes(mass):
            continue
        rate = None if hole.clash else factor.tail_rate(edge, way)
        upward = (way > 0) == (scale > 0)
        end, spacing = scale * edge + offset, abs(scale)
        if hole.clash:
            end, spacing = hole.high if upward else hole.low, Fraction(0)
        yield (AtLeast if upward else AtMost)(whole(end), spacing), mass, (rate,)


def _filler(output: Any) -> Callable[[Sequence[Any]], Any]:
    """The function that puts numbers in the place of the output's own; most outputs are lists, and most entries no numbers."""
    if not isinstance(output, tuple) or any(isinstance(entry, tuple) for entry in output):
        return lambda numbers: _filled(output, iter(numbers))
    places = [place for place, entry in enumerate(output) if is_number(entry)]

    def fill(numbers: Sequence[Any]) -> Any:
        entries = list(output)
        for place, number in zip(places, numbers, strict=True):
            entries[place] = number
        return tuple(entries)

    return fill


def _filled(value: Any, numbers: Iterator[Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_filled(entry, numbers) for entry in value)
    return next(numbers) if is_number(value) else value


def covers(shown: Any, output: Any) -> bool:
    """Whether a row's output is, or its set of outputs holds, this one."""
    if isinstance(shown, Differences):
        numbers = [exact(leaf) for leaf in leaves(_frozen(output)) if is_number(leaf)]
        if len(numbers) != len(shown.encoding.rules):
            return False
        return covers(shown.output, _filled(_frozen(output), iter(shown.encoding.encode(numbers))))
    if isinstance(shown, tuple):
        return (
            isinstance(output, list | tuple)
            and len(output) == len(shown)
            and all(covers(part, entry) for part, entry in zip(shown, output, strict=True))
        )
    if isinstance(shown, AtLeast | AtMost):
        return is_number(output) and exact(output) in shown
    if is_number(shown):
        return is_number(output) and exact(output) == shown
    return type(shown) is type(output) and bool(shown == output)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _gcd(one: Fraction, other: Fraction) -> Fraction:
    return Fraction(
        math.gcd(one.numerator * other.denominator, other.numerator * one.denominator), one.denominator * other.denominator
    )
