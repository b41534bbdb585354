"""The exact reader's verb: `tabulate(card, world, other)` gives the whole output law in both worlds."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from twoworlds.exact.outputs import lay_out
from twoworlds.exact.reader import run
from twoworlds.exact.table import Row, Table
from twoworlds.exact.weights import precision
from twoworlds.source.parser import parse, parse_text
from twoworlds.source.program import Program
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.neighbours import Neighbours
from twoworlds.worlds.rationals import exact, positive

__all__ = ["CUT", "arguments_of", "tabulate"]

CUT = Fraction(1, 2**200)
"""The default for the mass of an infinite law that may be cut from one draw; whatever is reported covers it."""


def tabulate(
    card: Card | Program | str,
    world: Any,
    other: Any,
    /,
    *values: Any,
    grid: object = 1,
    cut: object = CUT,
    neighbours: Neighbours | None = None,
    **public: Any,
) -> Table:
    """The output law of a card in two neighbouring worlds, exactly.

    `world` and `other` are two values of the card's private parameter; the public parameters follow, by position or by name.
    A program, or the text of one, takes its `neighbours=` here. Noise lives on the multiples of `grid`. An infinite law that
    must be enumerated is cut where at most `cut` is left, and every number of the table covers what was cut.
    """
    program, relation = _program(card, neighbours)
    step, rest = positive(grid, "grid"), positive(cut, "cut")
    if rest >= 1:
        raise BadArgument("cut", cut, "cuts everything", "Give a small probability, such as 2**-200")
    known = arguments_of(program, relation.parameter, values, public, card if isinstance(card, Card) else None)
    first, second = (_world(value, name, step) for value, name in ((world, "world"), (other, "other")))
    relation.check(first, second, known)
    with precision():
        readers = [run(program, {**known, relation.parameter: value}, step, rest) for value in (first, second)]
        rows = tuple(Row(laid.output, laid.weights[0], laid.weights[1], laid.even) for laid in lay_out(readers))
    return Table(rows, readers[0].lost, readers[1].lost, program.name)


def _program(card: Card | Program | str, neighbours: Neighbours | None) -> tuple[Program, Neighbours]:
    if isinstance(card, Card):
        return parse(card), neighbours or card.neighbours
    if isinstance(card, str):
        card = parse_text(card)
    if not isinstance(card, Program):
        raise BadArgument("card", card, "is not a card", "Give a card, a program, or the text of a mechanism")
    if neighbours is None:
        raise BadArgument("neighbours", None, "is missing", 'Say which worlds are neighbours, such as neighbours=Each("queries")')
    if neighbours.parameter not in card.parameters:
        raise BadArgument("neighbours", neighbours, f"speaks of a parameter that {card.name} lacks", "Name one of its parameters")
    return card, neighbours


def arguments_of(
    program: Program, private: str, values: tuple[Any, ...], public: Mapping[str, Any], card: Card | None
) -> dict[str, Any]:
    """The public parameters by name, exactly; an error names what is missing or unknown."""
    names = [name for name in program.parameters if name != private]
    if len(values) > len(names):
        raise BadArgument(
            "arguments", values, f"are more than {program.name} takes", f"Its public parameters: {', '.join(names)}"
        )
    given = dict(zip(names, values, strict=False))
    for name, value in public.items():
        if name == private:
            raise BadArgument(
                name, value, "is the private parameter", "Give its two values first: tabulate(card, world, other, ...)"
            )
        if name not in names or name in given:
            why = "is given twice" if name in given else f"is not a parameter of {program.name}"
            raise BadArgument(name, value, why, f"Its public parameters: {', '.join(names)}")
        given[name] = value
    if card is not None:
        given = {name: value for name, value in card.bind(**{private: None}, **given).items() if name != private}
    missing = [name for name in names if name not in given]
    if missing:
        raise BadArgument("arguments", program.name, f"lacks {', '.join(missing)}", f"Give {missing[0]}=...")
    return {name: exactly(value, name) for name, value in given.items()}


def exactly(value: Any, name: str) -> Any:
    """Numbers as exact rationals and lists as tuples, all the way down."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Mapping | set | frozenset):
        raise BadArgument(name, value, "is not a number or a list", "Give numbers, lists of numbers, or text")
    if hasattr(value, "__iter__"):
        return tuple(exactly(entry, name) for entry in value)
    return exact(value, name)


def _world(value: Any, name: str, grid: Fraction) -> Any:
    known = exactly(value, name)
    _on_grid(known, name, grid)
    return known


def _on_grid(value: Any, name: str, grid: Fraction) -> None:
    if isinstance(value, tuple):
        for entry in value:
            _on_grid(entry, name, grid)
    elif isinstance(value, Fraction) and (value / grid).denominator != 1:
        raise BadArgument(name, str(value), f"is not a multiple of the grid {grid}", "Round it first, or give a finer grid=")
