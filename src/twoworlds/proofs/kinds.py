"""What kind of value each variable holds: lists, truth values, whole numbers, numbers on the grid.

Part of what a proof rests on; it shares no code with the search. A kind is the largest set of names whose every assigned value
has it when those names do, whatever the order of the statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
    Call,
    Choice,
    Compare,
    Draw,
    Expr,
    Item,
    Literal,
    Logic,
    Many,
    Name,
    Program,
    Store,
    Unary,
    walk,
)
from twoworlds.worlds.errors import Unsupported

__all__ = ["Kinds", "is_present", "is_truth", "is_whole", "kinds", "leaves", "lists_of_truths", "refuse_aliases"]

ON_THE_GRID = ("Laplace", "Exponential", "Gumbel", "Gaussian", "DiscreteGaussian")
TRUTHS = ("Bernoulli", "BernoulliExp")
Names = frozenset[str]


@dataclass(frozen=True)
class Kinds:
    """Names by kind. A name is `steady` when its values in the two runs differ by a multiple of the grid.

    It is `present` when neither it nor an entry of it is ever None.
    """

    lists: Names
    truths: Names
    whole: Names
    steady: Names
    present: Names


def kinds(program: Program, private: str, whole: Iterable[str] = ()) -> Kinds:
    """The kinds of a lowered program's names; `private` is the parameter that differs between the worlds."""
    assigned = list(_assigned(program))
    names = frozenset(name for name, _ in assigned)
    public = frozenset(program.parameters) - {private} - names

    def largest(good: Callable[[Expr | Draw, Names], bool], given: Names) -> Names:
        kept, size = names - frozenset(program.parameters) | given, -1
        while size != len(kept):
            size = len(kept)
            kept -= {name for name, value in assigned if not good(value, kept)}
        return kept

    on_grid = largest(_on_grid, frozenset([private]))
    found = {node.target for node in walk(program.body) if isinstance(node, Append | Store)}
    found |= {node.sequence.name for node in walk(program.body) if isinstance(node, Item) and isinstance(node.sequence, Name)}
    found |= {
        part.name for node in walk(program.body) if isinstance(node, Call) for part in node.arguments if isinstance(part, Name)
    }
    found |= {name for name, value in assigned if isinstance(value, Name) and value.name in found}
    return Kinds(
        frozenset(found),
        largest(is_truth, frozenset()),
        largest(is_whole, frozenset(whole) & public),
        largest(lambda value, kept: _is_steady(value, kept, on_grid, public), public | {private}),
        largest(is_present, frozenset(program.parameters) - _optional(program)),
    )


def _optional(program: Program) -> Names:
    """What is compared with None: a parameter of which the program asks so may be handed in as None."""
    tests = [node for node in walk(program.body) if isinstance(node, Compare) and Literal(None) in (node.left, node.right)]
    return frozenset(side.name for test in tests for side in (test.left, test.right) if isinstance(side, Name))


def lists_of_truths(program: Program, found: Kinds) -> Names:
    """The lists into which nothing but truth values is put, under all their names."""
    kept, size = found.lists - frozenset(program.parameters), -1
    written = [(node.target, node.value) for node in walk(program.body) if isinstance(node, Append | Store)]
    renamed = [(a.target, a.value.name) for a in walk(program.body) if isinstance(a, Assign) and isinstance(a.value, Name)]
    while size != len(kept):
        size = len(kept)
        kept -= {name for name, value in written if not is_truth(value, found.truths)}
        kept -= {name for pair in renamed if not kept.issuperset(found.lists.intersection(pair)) for name in pair}
    return kept


def refuse_aliases(program: Program) -> None:
    """Two names for one list that changes: Python changes both, a program of values only one."""
    lists = kinds(program, "").lists
    changed = {node.target for node in walk(program.body) if isinstance(node, Append | Store) and "@" not in node.target}
    groups: list[set[str]] = []
    for node in walk(program.body):
        if isinstance(node, Assign) and isinstance(node.value, Name) and node.value.name in lists:
            joined = {node.target, node.value.name}.union(*(group for group in groups if group & {node.target, node.value.name}))
            groups = [group for group in groups if not group & joined] + [joined]
    for group in groups:
        seen = sorted(name for name in group if "@" not in name)  # the other names build a list and are then read once
        if group & changed and len(seen) > 1:
            raise Unsupported(1, f"`{seen[0]}` and `{seen[1]}` are one list, and it changes", "Copy it by a loop")
    assigned = {name for name, _ in _assigned(program)}
    if given := assigned & lists & set(program.parameters):
        raise Unsupported(1, f"the list {', '.join(sorted(given))} is handed in and changed", "Give the new list a new name")


def _assigned(program: Program) -> Iterator[tuple[str, Expr | Draw]]:
    for node in walk(program.body):
        if isinstance(node, Draw):
            yield node.target, node
        elif isinstance(node, Assign | Append | Store):
            yield node.target, node.value


def is_truth(value: Expr | Draw, names: Names) -> bool:
    match value:
        case Draw():
            return value.noise.law in TRUTHS
        case Literal(constant):
            return isinstance(constant, bool)
        case Choice(_, then, otherwise):
            return is_truth(then, names) and is_truth(otherwise, names)
        case Name(name):
            return name in names
    return isinstance(value, Compare | Logic) or (isinstance(value, Unary) and value.op == "not")


def is_whole(value: Expr | Draw, names: Names) -> bool:
    match value:
        case Draw():
            return value.noise.law not in (*ON_THE_GRID, *TRUTHS)
        case Literal(constant):
            return constant is None or (isinstance(constant, Fraction) and constant.denominator == 1)
        case Name(name):
            return name in names
        case Unary("-", operand):
            return is_whole(operand, names)
        case Binary(op, left, right):
            return op in ("+", "-", "*", "//", "%") and is_whole(left, names) and is_whole(right, names)
        case Choice(_, then, otherwise):
            return is_whole(then, names) and is_whole(otherwise, names)
        case Call("len", _):
            return True
    return False


def is_present(value: Expr | Draw, names: Names) -> bool:
    match value:
        case Literal(constant):
            return constant is not None
        case Name(name) | Item(Name(name), _):
            return name in names
        case Choice(_, then, otherwise):
            return is_present(then, names) and is_present(otherwise, names)
        case Many(_, entries):
            return all(is_present(entry, names) for entry in entries)
    return isinstance(value, Draw | Unary | Binary | Compare | Logic | Call)


def leaves(value: Expr) -> Iterator[str]:
    """The names whose value this may be."""
    if isinstance(value, Choice):
        yield from leaves(value.then)
        yield from leaves(value.otherwise)
    elif isinstance(value, Name):
        yield value.name


def _on_grid(value: Expr | Draw, names: Names) -> bool:
    """A multiple of the grid, whatever the grid is: so no constant but 0."""
    match value:
        case Draw():
            return value.noise.law in ON_THE_GRID
        case Literal(constant):
            return isinstance(constant, Fraction) and constant == 0
        case Many("list", ()):
            return True
        case Name(name) | Item(Name(name), _):
            return name in names
        case Unary("-", operand):
            return _on_grid(operand, names)
        case Binary("+" | "-", left, right):
            return _on_grid(left, names) and _on_grid(right, names)
        case Binary("*", left, right):
            return (is_whole(left, frozenset()) and _on_grid(right, names)) or (
                is_whole(right, frozenset()) and _on_grid(left, names)
            )
        case Choice(_, then, otherwise):
            return _on_grid(then, names) and _on_grid(otherwise, names)
    return False


def _is_steady(value: Expr | Draw, names: Names, on_grid: Names, public: Names) -> bool:
    """Run 2 minus run 1 is a multiple of the grid; the two may take different sides of a conditional value."""
    match value:
        case Draw():
            return value.noise.law in ON_THE_GRID
        case Literal(constant):
            return isinstance(constant, Fraction)
        case Many("list", ()):
            return True
        case Name(name) | Item(Name(name), _):
            return name in names
        case Unary("-", operand):
            return _is_steady(operand, names, on_grid, public)
        case Binary("+" | "-", left, right):
            return _is_steady(left, names, on_grid, public) and _is_steady(right, names, on_grid, public)
        case Binary("*", left, right):
            return (_is_fixed(left) and _is_steady(right, names, on_grid, public)) or (
                _is_fixed(right) and _is_steady(left, names, on_grid, public)
            )
        case Choice():
            return _on_grid(value, on_grid)
        case Binary():
            return {node.name for node in walk(value) if isinstance(node, Name)} <= public
    return False


def _is_fixed(value: Expr) -> bool:
    """A whole number that is the same in both runs: no side of a conditional value, which they may take differently."""
    return is_whole(value, frozenset()) and not any(isinstance(node, Choice) for node in walk(value))
