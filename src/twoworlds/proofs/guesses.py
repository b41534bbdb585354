"""What of an output is guessed before the runs begin: its numbers, and whole lists that grow entry by entry.

Where both runs of a proof are held against one output o, it is enough that the tapes on which run 1 returns o go to tapes on
which run 2 returns o. So wherever it is certain that a value of run 1 will be part of its output, that value may be taken to be
what o says: run 1 goes on to return something else, and its tape does not count, unless it is.

A list that begins empty, is never assigned again and is returned at one place by every exit has in each entry, once appended,
what the output has there. Its guess is a sequence `$o0`, of which the list is a beginning of length `$len.$o0`; what is past the
end repeats the last entry, so that any entry of the sequence is one of at most max($len.$o0, 1) numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from twoworlds.proofs.kinds import Kinds, is_truth, is_whole
from twoworlds.source.program import (
    Append,
    Assign,
    Draw,
    Expr,
    For,
    Literal,
    Many,
    Name,
    Program,
    Return,
    Stmt,
    Store,
    walk,
)

__all__ = ["AMONG", "COUNT", "Guess", "grown", "guesses", "parts", "settled", "told"]

_MOST_AMONG = 12  # trials have shorter lists
AMONG, COUNT = "$among", "$count"
"""Whether a number is one of the whole numbers that are guessed, and how many of those are among 0, 1, ... below it."""


@dataclass(frozen=True)
class Guess:
    """A ghost for a part of the output: a number, or the entries of a list."""

    name: str
    whole: bool
    of_list: str = ""

    @property
    def length(self) -> str:
        return f"$len.{self.name}"  # no name of a program has a dollar sign, so no list of its own has this length


def parts(value: Expr) -> tuple[Expr, ...]:
    """The parts of what an exit returns."""
    return value.entries if isinstance(value, Many) else (value,)


def grown(program: Program, kinds: Kinds) -> dict[str, int]:
    """Lists of numbers that begin empty, only grow, and are returned at one place by every exit, with that place."""
    returned = [parts(node.value) for node in walk(program.body) if isinstance(node, Return)]
    found: dict[str, int] = {}
    for place, part in enumerate(returned[0] if isinstance(program.body[-1], Return) else ()):
        if isinstance(part, Name) and all(len(other) > place and other[place] == part for other in returned):
            found.setdefault(part.name, place)
    return {name: place for name, place in found.items() if _only_grows(name, program, kinds)}


def _only_grows(name: str, program: Program, kinds: Kinds) -> bool:
    begun = [node for node in walk(program.body) if isinstance(node, Assign | Draw | For) and node.target == name]
    renamed = any(isinstance(node, Assign) and node.value == Name(name) for node in walk(program.body))
    stored = any(isinstance(node, Store) and node.target == name for node in walk(program.body))
    starts = [step for step in program.body if isinstance(step, Assign) and step.target == name]
    empty = len(begun) == len(starts) == 1 and starts[0].value == Many("list", ())
    values = [node.value for node in walk(program.body) if isinstance(node, Append) and node.target == name]
    numbers = name in kinds.present and not any(is_truth(value, kinds.truths) for value in values)
    return empty and bool(values) and numbers and not (renamed or stored) and name not in program.parameters


def _are_whole(name: str, program: Program, kinds: Kinds) -> bool:
    values = [node.value for node in walk(program.body) if isinstance(node, Append) and node.target == name]
    return all(is_whole(value, kinds.whole) for value in values)


def guesses(program: Program, kinds: Kinds, *, lists: bool) -> tuple[Guess, ...]:
    """All that can be guessed of the output, in order; with or without its lists."""
    found: dict[int, bool] = {}
    for node in walk(program.body):
        if isinstance(node, Return):
            for place, part in enumerate(parts(node.value)):
                if isinstance(part, Literal) and (part.value is None or isinstance(part.value, bool | str)):
                    continue
                if (isinstance(part, Name) and part.name in kinds.lists) or is_truth(part, kinds.truths):
                    continue
                found[place] = found.get(place, True) and is_whole(part, kinds.whole)
    listed = grown(program, kinds) if lists else {}
    numbers = [(place, Guess(f"$o{place}", whole)) for place, whole in found.items() if place not in listed.values()]
    grows = [(place, Guess(f"$o{place}", _are_whole(name, program, kinds), name)) for name, place in listed.items()]
    return tuple(guess for _, guess in sorted([*numbers, *grows], key=lambda pair: pair[0]))


def settled(rest: tuple[Stmt, ...], program: Program, kinds: Kinds) -> Mapping[str, int]:
    """The numbers that every exit returns as they are now, with their places, where only this end of the text is left to run.

    It ends in an exit, so nothing comes after it; no step of it assigns them.
    """
    if not rest or not isinstance(rest[-1], Return) or rest != program.body[-len(rest) :]:
        return {}
    exits = [parts(node.value) for node in walk(rest) if isinstance(node, Return)]
    changed = {node.target for node in walk(rest) if isinstance(node, Assign | Draw | For | Append | Store)}
    found: dict[str, int] = {}
    for place, part in enumerate(exits[0]):
        if isinstance(part, Name) and all(len(other) > place and other[place] == part for other in exits):
            found.setdefault(part.name, place)
    return {name: place for name, place in found.items() if name not in changed | kinds.lists | kinds.truths}


def told(program: Program, output: Any, guessed: tuple[Guess, ...], most: int = _MOST_AMONG) -> dict[str, Any]:
    """The guesses that fit an output: its numbers, its lists and what repeats their last entries, and which are among them."""
    several = any(isinstance(node, Return) and isinstance(node.value, Many) for node in walk(program.body))
    found: dict[str, Any] = {}
    among: set[Fraction] = set()
    for at, part in enumerate(output if several and isinstance(output, tuple) else (output,)):
        entries = part if isinstance(part, tuple) and all(map(_is_number, part)) else ()
        if any(guess.name == f"$o{at}" and guess.whole for guess in guessed):
            among |= set(entries) if isinstance(part, tuple) else {Fraction(part)} if _is_number(part) else set()
        number = Fraction(part) if _is_number(part) else Fraction(-1)
        found[f"$o{at}"] = (*entries, *(entries[-1:] or (Fraction(-1),)) * 2) if isinstance(part, tuple) else number
    inside = tuple(Fraction(at) in among for at in range(most))
    return {**found, AMONG: inside, COUNT: tuple(map(Fraction, accumulate(inside, initial=0)))}


def _is_number(value: object) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)
