"""What is to be proved: a program, its neighbours and its price, from a card or from a text that is never run.

A text's decorator is read with a closed vocabulary: relations, prices, cases, numbers, words and lists of them, nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from twoworlds.losses import prices
from twoworlds.source.bindings import Bindings, bindings
from twoworlds.source.definitions import unfold
from twoworlds.source.files import Found, read_cards
from twoworlds.source.parser import parse
from twoworlds.source.program import Program
from twoworlds.worlds import neighbours
from twoworlds.worlds.cards import Card, Case
from twoworlds.worlds.errors import TwoWorldsError, Unsupported
from twoworlds.worlds.neighbours import Neighbours

__all__ = ["Statement", "Unread", "stated", "statements", "value_of"]

_NOT_CALLED = ("Chooser", "Neighbours", "Limited", "Vectors", "combine", "parallel", "parts", "same", "Dialect")
_VOCABULARY: dict[str, Callable[..., Any]] = {
    name: getattr(room, name) for room in (neighbours, prices) for name in room.__all__ if name not in _NOT_CALLED
} | {"Case": Case}
_LONGEST = 1_000  # entries of a list that is written as [0] * n


@dataclass(frozen=True)
class Statement:
    """A claim about a program, for all inputs; `whole` are the parameters that are whole numbers."""

    name: str
    program: Program
    relation: Neighbours
    price: prices.Dialect
    whole: frozenset[str] = frozenset()
    line: int = field(default=1, compare=False)
    worst: tuple[Case, ...] = field(default=(), compare=False)
    align: tuple[str, ...] = field(default=(), compare=False)
    invariant: tuple[str, ...] = field(default=(), compare=False)

    @property
    def digest(self) -> str:
        return self.program.digest


@dataclass(frozen=True)
class Unread:
    """A card whose text or claim could not be read, and why."""

    name: str
    why: Unsupported


def stated(card: Card) -> Statement | Unread:
    """The statement that a card makes."""
    try:
        program = unfold(parse(card))
        if not isinstance(card.price, prices.Dialect) or not type(card.neighbours).__module__.startswith(neighbours.__name__):
            raise Unsupported(1, "the price or the relation is of a kind of its own", "Use those of twoworlds")
        _refuse_secrets(1, program, card.neighbours, card.price)
    except Unsupported as why:
        return Unread(card.name, why)
    return Statement(
        card.name, program, card.neighbours, card.price, card.whole, worst=card.worst, align=card.align, invariant=card.invariant
    )


def statements(text: str) -> list[Statement | Unread]:
    """The statements of all cards in a Python text, in order; lines count from its top."""
    return [_statement(found, text) for found in read_cards(text)]


def _statement(found: Found, text: str) -> Statement | Unread:
    if isinstance(found.program, Unsupported):
        return Unread(found.name, found.program)
    tree, program = ast.parse(text), unfold(found.program)
    names = bindings(tree)
    try:
        relation = _claimed(found, "neighbours", Neighbours, names)
        price = _claimed(found, "price", prices.Dialect, names)
        _refuse_secrets(found.line, program, relation, price)
        align, invariant = _texts(found, "align"), _texts(found, "invariant")
        whole = _whole(tree, found.name, names)
    except Unsupported as why:
        return Unread(found.name, why)
    return Statement(found.name, program, relation, price, whole, found.line, _worst(found, names), align, invariant)


def _refuse_secrets(line: int, program: Program, relation: Neighbours, price: prices.Dialect) -> None:
    """What a card costs, and how far neighbours differ, is told to everybody: neither may be read off the secret."""
    for formula in (relation.by, *price.formulas.values()):
        calls = [node for node in ast.walk(formula.tree) if isinstance(node, ast.Call)]
        lengths = [id(node.args[0]) for node in calls if isinstance(node.func, ast.Name) and node.func.id == "len" and node.args]
        read = [node for node in ast.walk(formula.tree) if isinstance(node, ast.Name) and node.id == relation.parameter]
        if any(id(node) not in lengths or not program.fixed_length for node in read):
            why = f"`{formula}` depends on `{relation.parameter}`, which is secret"
            raise Unsupported(line, why, "Use public parameters, and the length of a list that neighbours agree on")


def _claimed(found: Found, word: str, kind: type, names: Bindings) -> Any:
    node = found.keywords.get(word)
    if node is None:
        raise Unsupported(found.line, f"the card names no {word}", f"Write @mechanism({word}=...)")
    try:
        value = value_of(node, names)
    except TwoWorldsError as error:
        raise error if isinstance(error, Unsupported) else Unsupported(node.lineno, error.what, error.fix) from None
    if not isinstance(value, kind):
        raise Unsupported(node.lineno, f"{ast.unparse(node)} is not a {word}", 'Write it like Each("queries") or Pure("epsilon")')
    return value


def value_of(node: ast.expr, names: Bindings) -> Any:
    """A constant, a tuple, or a call of the vocabulary: read off the text, nothing is evaluated."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(value_of(entry, names) for entry in node.elts)
    if isinstance(node, ast.Dict):
        return {value_of(key, names): value_of(value, names) for key, value in zip(node.keys, node.values, strict=True) if key}
    if isinstance(node, ast.BinOp):
        return _joined(node, value_of(node.left, names), value_of(node.right, names))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -_number(node.operand)
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in _VOCABULARY and _is_ours(node.func, name, names) and all(word.arg for word in node.keywords):
            words = {str(word.arg): value_of(word.value, names) for word in node.keywords}
            try:
                return _VOCABULARY[name](*(value_of(argument, names) for argument in node.args), **words)
            except TypeError:
                raise Unsupported(node.lineno, f"{name} does not take these arguments", "See its documentation") from None
    raise Unsupported(
        node.lineno,
        f"`{ast.unparse(node)}` is outside the words of a claim",
        f"Use {', '.join(sorted(_VOCABULARY))} and constants",
    )


def _joined(node: ast.BinOp, left: Any, right: Any) -> Any:
    """Lists written as [0] * 9 + [1]."""
    if isinstance(node.op, ast.Add) and isinstance(left, tuple) and isinstance(right, tuple):
        return left + right
    if isinstance(node.op, ast.Mult) and isinstance(left, tuple) and isinstance(right, int) and 0 <= right <= _LONGEST:
        return left * right
    raise Unsupported(node.lineno, f"`{ast.unparse(node)}` is computed", "Write the value out")


def _texts(found: Found, word: str) -> tuple[str, ...]:
    """The annotations of a text: pieces of text, one after the other."""
    node = found.keywords.get(word)
    entries = () if node is None else getattr(node, "elts", (node,))
    values = tuple(entry.value for entry in entries if isinstance(entry, ast.Constant) and isinstance(entry.value, str))
    if node is not None and len(values) != len(entries):
        raise Unsupported(node.lineno, f"`{word}` is no list of texts", f'Write {word}=("...", "...")')
    return values


def _worst(found: Found, names: Bindings) -> tuple[Case, ...]:
    """The worst cases that a text gives; they are only where to look first, so what cannot be read is left out."""
    node = found.keywords.get("worst")
    try:
        value = () if node is None else value_of(node, names)
    except (TwoWorldsError, ArithmeticError):
        return ()
    return tuple(case for case in value if isinstance(case, Case)) if isinstance(value, tuple) else ()


def _number(node: ast.Constant) -> Any:
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        raise Unsupported(node.lineno, f"-{node.value!r} is not a number", "Write a number")
    return node.value


def _is_ours(node: ast.expr, name: str, names: Bindings) -> bool:
    """The word comes from twoworlds; a file without the import could not run, and is read as meant."""
    if isinstance(node, ast.Attribute):
        room = node.value.id if isinstance(node.value, ast.Name) else ""
        return bool(room) and room not in names.bound and names.imported.get(room, "twoworlds").startswith("twoworlds")
    source = names.imported.get(name, "twoworlds.")
    return name not in names.bound and source.startswith("twoworlds.")


def _whole(tree: ast.Module, name: str, names: Bindings) -> frozenset[str]:
    """The parameters annotated `int`, if the file leaves the word its meaning."""
    if "int" in names.bound or "int" in names.imported:
        return frozenset()
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    arguments = (*function.args.args, *function.args.kwonlyargs)
    return frozenset(
        argument.arg for argument in arguments if isinstance(argument.annotation, ast.Name) and argument.annotation.id == "int"
    )
