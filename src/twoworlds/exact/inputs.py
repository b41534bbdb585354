"""What a reading is given: the program, the public parameters exactly, the relation, the grid and the cut, all checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from twoworlds.source.arguments import check_arguments
from twoworlds.source.parser import parse, parse_text
from twoworlds.source.program import Program
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.grid import step
from twoworlds.worlds.neighbours import Local, Neighbours
from twoworlds.worlds.rationals import exact, positive

__all__ = ["Call"]


@dataclass(frozen=True)
class Call:
    """A program with everything but the private parameter."""

    program: Program
    relation: Neighbours
    public: Mapping[str, Any]
    grid: Fraction
    cut: Fraction

    @staticmethod
    def of(
        card: Card | Program | str,
        values: tuple[Any, ...],
        named: Mapping[str, Any],
        *,
        grid: object,
        cut: object,
        neighbours: Neighbours | None,
    ) -> Call:
        """Check and convert what `tabulate` and `posterior` are called with."""
        if neighbours is not None and not isinstance(neighbours, Neighbours):
            raise BadArgument("neighbours", neighbours, "is not a relation", 'Give one such as Each("queries", by=1)')
        program, relation = _program(card, neighbours)
        rest = positive(cut, "cut")
        if rest >= 1:
            raise BadArgument("cut", cut, "cuts everything", "Give a small probability, such as 2**-200")
        public = _public(program, relation.parameter, values, named, card if isinstance(card, Card) else None)
        check_arguments(program, public)
        if isinstance(card, Card):
            _check_price(card, public)
        return Call(program, relation, public, step(grid), rest)

    @property
    def private(self) -> str:
        return self.relation.parameter

    def world(self, value: Any, name: str) -> Any:
        """A value of the private parameter: exact, and on the grid."""
        known = _exactly(value, name)
        known = self.relation.admit(known) if isinstance(self.relation, Local) else known
        check_arguments(self.program, {self.private: known})
        self._on_grid(known, name)
        return known

    def _on_grid(self, value: Any, name: str) -> None:
        if isinstance(value, tuple):
            for entry in value:
                self._on_grid(entry, name)
        elif isinstance(value, Fraction) and (value / self.grid).denominator != 1:
            raise BadArgument(name, str(value), f"is not a multiple of the grid {self.grid}", "Round it, or give a finer grid=")


def _check_price(card: Card, public: Mapping[str, Any]) -> None:
    """Refuse parameters at which the claim is out of range; one that is infinite, or waits for the input, may be tabulated."""
    try:
        card.price.at(public)
    except BadArgument as error:
        if hasattr(card.price, error.argument):
            raise


def _program(card: Card | Program | str, neighbours: Neighbours | None) -> tuple[Program, Neighbours]:
    if isinstance(card, Card):
        return parse(card), neighbours or card.neighbours
    if not isinstance(card, Program | str):
        raise BadArgument("card", card, "is not a card", "Give a card, a program, or the text of a mechanism")
    if neighbours is None:
        raise BadArgument("neighbours", None, "is missing", 'Say which worlds are neighbours, such as neighbours=Each("queries")')
    program = card if isinstance(card, Program) else parse_text(card, neighbours.parameter)
    if neighbours.parameter not in program.parameters:
        raise BadArgument("neighbours", str(neighbours), f"speaks of a parameter that {program.name} lacks", "Name one it has")
    return program, neighbours


def _public(
    program: Program, private: str, values: tuple[Any, ...], named: Mapping[str, Any], card: Card | None
) -> dict[str, Any]:
    """The public parameters by name, exactly; an error names what is missing or unknown."""
    names = [name for name in program.parameters if name != private]
    takes = f"Its public parameters: {', '.join(names) or 'none'}"
    if len(values) > len(names):
        raise BadArgument("arguments", values, f"are more than {program.name} takes", takes)
    given = dict(zip(names, values, strict=False))
    for name, value in named.items():
        if name == private:
            raise BadArgument(
                name, value, "is the private parameter", "Give its two values first: tabulate(card, one, other, ...)"
            )
        if name not in names or name in given:
            raise BadArgument(name, value, "is given twice" if name in given else f"is no parameter of {program.name}", takes)
        given[name] = value
    if card is not None:
        given = {name: value for name, value in card.bind(**{private: None}, **given).items() if name != private}
    missing = [name for name in names if name not in given]
    if missing:
        raise BadArgument("arguments", program.name, f"lacks {', '.join(missing)}", f"Give {missing[0]}=...")
    return {name: _exactly(value, name) for name, value in given.items()}


def _exactly(value: Any, name: str) -> Any:
    """Numbers as exact rationals and lists as tuples, all the way down."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Mapping | set | frozenset | bytes):
        raise BadArgument(name, value, "is not a number or a list", "Give numbers, truth values, or lists of them")
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(_exactly(entry, name) for entry in value)
    return exact(value, name)
