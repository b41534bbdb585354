"""Arguments of the kind as which a program uses them: whatever else comes in is refused by name before anything is drawn.

Python would go on with some of it in its own way (twice a list is the list and itself again, True is 1) and fail on the rest
half-way; the program would do otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any

from twoworlds.source.inference import infer
from twoworlds.source.interpreter import freeze
from twoworlds.source.kinds import TRUTH, Kind
from twoworlds.source.program import Assign, Binary, Call, Compare, Draw, If, Item, Literal, Name, Noise, Program, Unary, walk
from twoworlds.source.sharing import assigned
from twoworlds.source.values import distribution
from twoworlds.worlds.errors import BadArgument
from twoworlds.worlds.rationals import exact

__all__ = ["check_arguments", "check_laws"]


def check_arguments(program: Program, arguments: Mapping[str, Any]) -> None:
    """Refuse an argument that is no number, truth value or list where the program needs one.

    The private argument is described and not shown. None passes where the program asks whether it is there.
    """
    kinds, optional, carried = _needs(program)
    for name, kind in kinds.items():
        passes = (arguments.get(name) is None and name in optional) or (isinstance(arguments.get(name), bool) and name in carried)
        if name in arguments and not passes:
            why = _misfit(kind, arguments[name], name, private=name == program.private)
            if why is not None:
                shown = "..." if name == program.private else arguments[name]
                raise BadArgument(name, shown, f"is {why[0]}", f"{program.name} needs {why[1]} there")


def check_laws(program: Program, public: Mapping[str, Any]) -> None:
    """Refuse public parameters that make no law, also of a draw that this run may not come to: a coin decides whether it does.

    Only draws that every run comes to but for its coins are looked at; others may be there for other parameters.
    """
    given = {name: freeze(value) for name, value in public.items()}
    for noise in _certain(program):
        if _names(noise) <= given.keys():
            distribution(noise, given)


@lru_cache(maxsize=256)
def _certain(program: Program) -> tuple[Noise, ...]:
    """The laws, of parameters that keep their value throughout, of draws that depend on coins alone."""
    fixed = set(program.parameters) - assigned(program.body) - {program.private}
    found, drawn = [], set[str]()
    for step in program.body:
        if isinstance(step, Draw):
            drawn.add(step.target)
            found += [step.noise] if _names(step.noise) <= fixed else []
        elif not (isinstance(step, Assign) or (isinstance(step, If) and _names(step.test) <= drawn)):
            break
    return tuple(found)


def _names(part: object) -> set[str]:
    return {inside.name for inside in walk(part) if isinstance(inside, Name)}


@lru_cache(maxsize=256)
def _needs(program: Program) -> tuple[Mapping[str, Kind], frozenset[str], frozenset[str]]:
    """What each parameter is, which may be None, and of which the text leaves open whether they are numbers or truth values."""
    return infer(program).parameters, _optional(program), _carried(program)


def _optional(program: Program) -> frozenset[str]:
    """The parameters that are compared with None."""
    tests = [part for part in walk(program.body) if isinstance(part, Compare) and Literal(None) in (part.left, part.right)]
    return frozenset(side.name for test in tests for side in (test.left, test.right) if isinstance(side, Name))


def _carried(program: Program) -> frozenset[str]:
    """The parameters that are handed on and never reckoned with: the text leaves open what they are."""
    operations = [part for part in walk(program.body) if isinstance(part, Binary | Call | Compare | Item | Noise | Unary)]
    operands = {operand.name for part in operations for operand in walk(part) if isinstance(operand, Name)}
    return frozenset(program.parameters) - operands


def _misfit(kind: Kind, value: Any, name: str, *, private: bool) -> tuple[str, str] | None:
    """What a value is and what it should be, where these differ."""
    if not kind.is_sequence:
        needed = "True or False" if TRUTH in kind.scalars else "a number"
        if value is None or (hasattr(value, "__iter__") and not isinstance(value, str)):
            return _word(value), needed
        if isinstance(value, bool) != (TRUTH in kind.scalars):
            return _word(value), needed
        if not private and not isinstance(value, bool):
            exact(value, name)  # private numbers are read where they are rounded
        return None
    assert kind.entries is not None
    if not _is_list(value):
        return _word(value), "a list"
    return _entries_misfit(kind.entries, value, name, private=private)


def _entries_misfit(kind: Kind, values: Any, name: str, *, private: bool) -> tuple[str, str] | None:
    """The first entry that does not fit; arrays and lists of plain numbers are not looked through."""
    if getattr(getattr(values, "dtype", None), "kind", "O") in "iuf" and getattr(values, "ndim", 0) == 1:
        return None if not kind.is_sequence and TRUTH not in kind.scalars else ("an array of numbers", "a list of other things")
    plain = {int, float, bool} if private else {int, float}  # in a list of counts, yes is 1
    if not kind.is_sequence and TRUTH not in kind.scalars and set(map(type, values)) <= plain:
        return None
    for entry in values.tolist() if hasattr(values, "tolist") else values:
        why = _misfit(kind, entry, name, private=private)
        if why is not None:
            return f"a list with {why[0]} in it", f"{why[1]} for each entry"
    return None


def _is_list(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__iter__") and not isinstance(value, str | bytes | Mapping | Set)


def _word(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, bool):
        return "a truth value"
    return "a list" if _is_list(value) else "a number" if hasattr(value, "__float__") else f"a {type(value).__name__}"
