"""What a reading returned, brought to a form that can be laid out: every draw in one number, every number with one draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.exact.clouds import Cloud
from twoworlds.exact.effort import Effort
from twoworlds.exact.encodings import Encoding
from twoworlds.exact.factors import Tail
from twoworlds.exact.reader import OUTPUT, Reader
from twoworlds.exact.states import State, fused, look, size
from twoworlds.exact.unseen import Linear

__all__ = ["Plain", "is_number", "leaves", "shape", "untangled"]


_NUMBERS = frozenset({Fraction, int, float, Linear})  # True and False are no numbers here


@dataclass(frozen=True, eq=False)
class Plain:
    """A state whose output's numbers, encoded, are constants or hold one draw each."""

    state: State
    shape: Any
    numbers: tuple[Any, ...]

    @property
    def output(self) -> Any:
        return self.state.env[OUTPUT]


def untangled(readers: Sequence[Reader]) -> tuple[list[list[Plain]], dict[Any, Encoding]]:
    """The returned states of each world, and the encoding of each shape of outputs, common to all worlds."""
    encodings: dict[Any, Encoding] = {}
    waiting = [list(_simple(reader, list(reader.returned))) for reader in readers]
    for state in (state for states in waiting for state in states):
        form, numbers = _read(state)
        if form not in encodings or (encodings[form].is_plain and _tangled(numbers)):
            encodings[form] = Encoding.of(numbers)
    return [list(_plain(reader, states, encodings)) for reader, states in zip(readers, waiting, strict=True)], encodings


def _plain(reader: Reader, states: list[State], encodings: dict[Any, Encoding]) -> Iterator[Plain]:
    while states:
        again = Cloud(reader.keys)
        for state in states:
            form, numbers = _read(state)
            if form not in encodings:  # a bare coin that has been looked at is no number any more
                encodings[form] = Encoding.of(numbers)
            numbers = encodings[form].encode(numbers)
            tangled = _tangled(numbers)
            if not tangled:
                yield Plain(state, form, tuple(numbers))
                continue
            chosen = min(tangled, key=lambda draw: size(state.draws[draw], reader.effort))
            for part in look(state, chosen, reader.effort):
                again.add(part)
        states = list(_simple(reader, list(again)))
        reader.count(states)


def _simple(reader: Reader, states: list[State]) -> Iterator[State]:
    """Sums of draws fused, finite and tied draws looked at, outputs that nobody can know given up."""
    while states:
        again = Cloud(reader.keys)
        for state in states:
            if not state.draws:
                yield state
                continue
            if any(isinstance(factor, Tail) for factor in state.draws.values()):
                reader.lose(state)
                continue
            parts = fused(state, reader.effort)
            draw = _finite_or_tied(state, reader.effort)
            if parts is None and draw is None:
                yield state
                continue
            for part in parts if parts is not None else look(state, draw or 0, reader.effort):
                again.add(part)
        states = list(again)
        reader.count(states)


def _finite_or_tied(state: State, effort: Effort) -> int | None:
    tied = {draw for tie in state.ties for draw in tie.draws}
    found = [draw for draw, factor in state.draws.items() if draw in tied or (factor.low is not None and factor.high is not None)]
    return min(found, key=lambda draw: size(state.draws[draw], effort), default=None)


def _tangled(numbers: Sequence[Any]) -> list[int]:
    """The draws that stand beside another one, or in several numbers."""
    places: dict[int, int] = {}
    for number in numbers:
        if isinstance(number, Linear):
            for draw, _ in number.terms:
                places[draw] = places.get(draw, 0) + (1 if len(number.terms) == 1 else 2)
    return [draw for draw, count in places.items() if count > 1]


def _read(state: State) -> tuple[Any, list[Any]]:
    """The shape of the state's output, and its numbers in order."""
    output = state.env[OUTPUT]
    return shape(output), [leaf for leaf in leaves(output) if is_number(leaf)]


def leaves(value: Any) -> Iterator[Any]:
    """The entries of lists in lists, in order."""
    for entry in value if isinstance(value, tuple) else (value,):
        if isinstance(entry, tuple):
            yield from leaves(entry)
        else:
            yield entry


def is_number(value: Any) -> bool:
    return type(value) in _NUMBERS


def shape(value: Any) -> Any:
    """The output with every number taken out."""
    if type(value) is tuple:
        return ("list", *["number" if type(entry) in _NUMBERS else shape(entry) for entry in value])
    return "number" if type(value) in _NUMBERS else (type(value).__name__, value)
