"""From a function's text to a program; the text is parsed and never executed.

Whatever lies outside the small language is refused with its line, the reason and a way to write it; nothing is guessed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from twoworlds.source.genuine import check_function
from twoworlds.source.inference import infer
from twoworlds.source.inlining import Inlining
from twoworlds.source.program import Program, Return, walk
from twoworlds.source.signature import declared, parameters
from twoworlds.source.text import hashed, only_function
from twoworlds.worlds.cards import Card
from twoworlds.worlds.errors import Unsupported

__all__ = ["parse", "parse_function", "parse_text"]


def parse(card: Card) -> Program:
    """The program of a card, after checking that its text is what runs and that the names in it mean what they mean here.

    The checks are made every time, for a module may be patched after it is loaded; they cost microseconds.
    """
    helpers = card.helpers
    check_function(card.function, card.text)
    for name, text in helpers.items():
        check_function(card.function.__globals__.get(name), text)
    return parse_text(card.text, card.neighbours.parameter, tuple(helpers.items()))


@lru_cache(maxsize=512)
def parse_text(text: str, private: str | None = None, helpers: tuple[tuple[str, str], ...] = ()) -> Program:
    """The program of the only function in the text.

    `private` is its secret parameter unless its decorator says so; `helpers` are the names and texts of functions that it calls.
    """
    functions = {name: only_function(helper) for name, helper in helpers}
    return parse_function(only_function(text), hashed(text, [helper for _, helper in helpers]), private, functions)


def parse_function(
    function: ast.FunctionDef,
    digest: str,
    private: str | None = None,
    helpers: Mapping[str, ast.FunctionDef] | None = None,
) -> Program:
    """The program of one function definition, the functions that it calls written in place, with its kinds checked."""
    try:
        program = _program(function, digest, private, helpers or {})
        infer(program)
    except RecursionError:
        raise Unsupported(function.lineno, "the function is nested too deeply", "Write it in several lines") from None
    return program


def _program(function: ast.FunctionDef, digest: str, private: str | None, helpers: Mapping[str, ast.FunctionDef]) -> Program:
    names, relation = parameters(function), declared(function)
    for name in names:
        if name in helpers:
            raise Unsupported(function.lineno, f"a parameter is called `{name}`, like a function", "Choose another name for it")
    body = Inlining(helpers).block(function.body[1:] if ast.get_docstring(function) is not None else function.body)
    if not any(isinstance(part, Return) for part in walk(body)):
        raise Unsupported(function.lineno, "the function returns nothing", "Return what is to be released")
    private = private if private is not None else relation.parameter
    return Program(function.name, names, body, digest, private, relation.fixed_length, relation.depth)
