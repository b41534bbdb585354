"""A function of ordinary Python as a program: parsed, never run.

The language is that of cards without noise. Numbers are exact here: `0.5` is a half and `/` divides exactly, whatever a computer
would make of them, so what is proved is proved of the function over the rational numbers.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from twoworlds.proofs.functions.claims import Stated, stated_of
from twoworlds.proofs.statements import value_of
from twoworlds.source.bindings import Bindings, bindings
from twoworlds.source.definitions import unfold
from twoworlds.source.genuine import check_function
from twoworlds.source.parser import parse_function
from twoworlds.source.program import Program
from twoworlds.source.signature import keywords
from twoworlds.source.text import hashed, only_function, syntax
from twoworlds.worlds.cards import Card, called, source
from twoworlds.worlds.errors import BadArgument, TwoWorldsError, Unsupported
from twoworlds.worlds.neighbours import Neighbours

__all__ = ["Function", "from_file", "from_function", "from_text"]

_DECORATOR = "sensitive"


@dataclass(frozen=True)
class Function:
    """A function with what is said of it; `why` it could not be read, if it could not."""

    name: str
    line: int
    digest: str = ""
    program: Program | None = None
    stated: Stated | None = None
    why: Unsupported | None = None
    whole: frozenset[str] = frozenset()


def from_function(function: Callable[..., Any], stated: Stated | None = None) -> Function:
    """A function that runs here, after checking that its text is what runs and that its names mean what they seem to."""
    if isinstance(function, Card) or not callable(function):
        raise BadArgument("function", function, "is no plain function", "Give a `def`; mechanisms are for tw.prove and tw.price")
    stated = stated or stated_of(function)
    name = getattr(function, "__name__", "function")
    if stated is None:
        raise BadArgument(
            "neighbours", None, f"is missing: which inputs of {name} are neighbours?", 'Say neighbours=Each("xs", by=1)'
        )
    text = source(function)
    helpers = _helper_texts(function, stated.neighbours)
    try:
        check_function(function, text)
        for helper, inner in helpers.items():
            check_function(function.__globals__.get(helper), inner)
        trees = {helper: only_function(inner) for helper, inner in helpers.items()}
        whole = function.__globals__.get("int", int) is int
        return _read(only_function(text), hashed(text, helpers.values()), stated, trees, whole=whole)
    except Unsupported as why:
        return Function(name, why.line, stated=stated, why=why)


def from_text(text: str, stated: Stated | None = None) -> Function:
    """The only function of a text, with its own claim unless one is given."""
    found = list(_definitions(syntax(text)))
    if len(found) != 1:
        raise Unsupported(
            1, f"the text holds {len(found)} functions", f"Give one function, or decorate those meant with @{_DECORATOR}"
        )
    return _of_text(found[0], text, bindings(syntax(text)), stated)


def from_file(text: str) -> list[Function]:
    """Every function of a text that is decorated with @sensitive(...), in order."""
    tree = syntax(text)
    names = bindings(tree)
    return [_of_text(node, text, names, None) for node in _definitions(tree) if _is_stated(node)]


def _definitions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (node for node in tree.body if isinstance(node, ast.FunctionDef))


def _is_stated(node: ast.FunctionDef) -> bool:
    return any(_called_name(decorator) == _DECORATOR for decorator in node.decorator_list)


def _called_name(node: ast.expr) -> str:
    inner = node.func if isinstance(node, ast.Call) else node
    return inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "")


def _of_text(node: ast.FunctionDef, text: str, names: Bindings, stated: Stated | None) -> Function:
    try:
        stated = stated or _claim(node, names)
        names.check(node)
        every = {other.name: other for other in _definitions(syntax(text))}
        helpers = {name: every[name] for name in _reached(node, every) if names.is_plain(name)}
        for helper in helpers.values():
            names.check(helper)
        digest = hashed(ast.unparse(node), map(ast.unparse, helpers.values()))
        return _read(node, digest, stated, helpers, whole="int" not in names.bound and "int" not in names.imported)
    except Unsupported as why:
        return Function(node.name, why.line, stated=stated, why=why)


def _claim(node: ast.FunctionDef, names: Bindings) -> Stated:
    """What the decorator says, read off the text with the closed vocabulary of claims."""
    words = keywords(node)
    try:
        given = {word: value_of(words[word], names) for word in ("neighbours", "by", "metric") if word in words}
        if not isinstance(given.get("neighbours"), Neighbours):
            raise Unsupported(
                node.lineno, f"`{node.name}` does not say which inputs are neighbours", 'Write neighbours=Each("xs", by=1)'
            )
        return Stated.of(**given)
    except Unsupported:
        raise
    except (TwoWorldsError, TypeError) as why:
        raise Unsupported(node.lineno, f"the claim cannot be read: {why}") from None


def _read(node: ast.FunctionDef, digest: str, stated: Stated, helpers: dict[str, ast.FunctionDef], *, whole: bool) -> Function:
    """`whole` says that `int` has its meaning there."""
    relation = stated.neighbours
    if relation.parameter not in [argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)]:
        raise Unsupported(
            node.lineno, f"`neighbours` speaks of `{relation.parameter}`, which is no parameter", "Name one of its parameters"
        )
    exact = {name: _exactly(helper) for name, helper in helpers.items()}
    head = _exactly(node)
    head.args.kwonlyargs.append(ast.arg("sample"))  # a function is a mechanism that draws nothing
    head.args.kw_defaults.append(None)
    head.decorator_list = [_relation_alone(relation)]
    program = unfold(parse_function(ast.fix_missing_locations(head), digest, relation.parameter, exact))
    if program.draws:
        raise Unsupported(
            program.draws[0].line, "the function draws noise", "Sensitivity is of functions; prove the mechanism instead"
        )
    arguments = (*node.args.args, *node.args.kwonlyargs)
    ints = [
        argument.arg for argument in arguments if isinstance(argument.annotation, ast.Name) and argument.annotation.id == "int"
    ]
    return Function(node.name, node.lineno, digest, program, stated, whole=frozenset(ints if whole else ()))


def _relation_alone(relation: Neighbours) -> ast.expr:
    """The head that tells the readers which parameter is private and whether it is a list."""
    inner = getattr(relation, "relation", relation)
    return ast.parse(f"mechanism(neighbours={type(inner).__name__}({relation.parameter!r}))", mode="eval").body


class _Exact(ast.NodeTransformer):
    """Decimals as fractions, and division that is exact for whole numbers too."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, float):
            return node
        if not isfinite(node.value):
            raise Unsupported(node.lineno, "a number is too large for a computer's decimals", "Write it as a whole number")
        value = Fraction(repr(node.value))
        parts: list[ast.expr] = [ast.Constant(value.numerator), ast.Constant(value.denominator)]
        return ast.copy_location(ast.Call(ast.Name("Fraction", ast.Load()), parts, []), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        left = ast.Call(ast.Name("Fraction", ast.Load()), [node.left], [])
        return ast.copy_location(ast.BinOp(ast.copy_location(left, node), node.op, node.right), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        read = copy.deepcopy(node.target)
        read.ctx = ast.Load()
        left = ast.Call(ast.Name("Fraction", ast.Load()), [read], [])
        return ast.copy_location(ast.Assign([node.target], ast.BinOp(left, node.op, node.value)), node)


def _exactly(node: ast.FunctionDef) -> ast.FunctionDef:
    changed = copy.deepcopy(node)
    changed.body = [_Exact().visit(statement) for statement in changed.body]
    return ast.fix_missing_locations(changed)


def _reached(node: ast.FunctionDef, every: dict[str, ast.FunctionDef]) -> list[str]:
    """The functions of the text that this one calls, and those that they call."""
    found, waiting = [], [node]
    while waiting:
        for name in called(ast.unparse(waiting.pop())):
            if name in every and name not in found:
                found.append(name)
                waiting.append(every[name])
    return sorted(found)


def _helper_texts(function: Callable[..., Any], neighbours: Neighbours) -> dict[str, str]:
    """The texts of the functions of its own module that it calls, and of those that they call."""
    return dict(Card(function, neighbours, None).helpers)  # type: ignore[arg-type]  # only the texts are asked for
