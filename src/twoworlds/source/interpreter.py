"""A program run on a noise tape: the same draws give the same output as the Python function, which the tests check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from twoworlds.source.program import (
    Append,
    Assign,
    Break,
    Continue,
    Draw,
    For,
    If,
    Noise,
    Program,
    Return,
    Stmt,
    Store,
    While,
)
from twoworlds.source.values import distribution, evaluate, whole
from twoworlds.worlds.errors import BadArgument, Unsupported

__all__ = ["Tape", "freeze", "interpret"]

Tape = Callable[[int, Any], Any]
"""Gives the next draw of a site from its law."""
Law = Callable[[Noise, Mapping[str, Any]], Any]
"""What a draw's law is, given the values of the variables; a distribution, unless a reader wants another form of it."""
_Drawn = Callable[[Draw, Mapping[str, Any]], Any]

_MOST_ROUNDS = 1_000_000
_MOST_DRAWS = 10_000_000


class _Leave(Exception):
    pass


class _Next(Exception):
    pass


class _Done(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


def interpret(program: Program, arguments: Mapping[str, Any], tape: Tape, law: Law = distribution) -> Any:
    """The program's output on these arguments when its noise comes from the tape."""
    env = {name: freeze(value) for name, value in arguments.items()}

    def drawn(step: Draw, env: Mapping[str, Any]) -> Any:
        given = law(step.noise, env)
        if step.count is None:
            return freeze(tape(step.site, given))
        count = whole(evaluate(step.count, env), "count")
        if not 0 <= count <= _MOST_DRAWS:
            raise BadArgument("count", count, f"is not from 0 to {_MOST_DRAWS:,}", "Draw a sensible number of times")
        return tuple(freeze(tape(step.site, given)) for _ in range(count))

    try:
        _block(program.body, env, drawn)
    except _Done as done:
        return done.value
    return None


def freeze(value: Any) -> Any:
    """Lists as tuples and whole numbers as Fractions, all the way down: what the evaluator works on."""
    if isinstance(value, list | tuple):
        return tuple(freeze(entry) for entry in value)
    return Fraction(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _block(body: tuple[Stmt, ...], env: dict[str, Any], drawn: _Drawn) -> None:
    for step in body:
        _STEPS[type(step)](step, env, drawn)


def _assign(step: Assign, env: dict[str, Any], _: _Drawn) -> None:
    env[step.target] = evaluate(step.value, env)


def _store(step: Store, env: dict[str, Any], _: _Drawn) -> None:
    entries = list(env[step.target])
    entries[whole(evaluate(step.index, env), "index")] = evaluate(step.value, env)
    env[step.target] = tuple(entries)


def _append(step: Append, env: dict[str, Any], _: _Drawn) -> None:
    env[step.target] = (*env[step.target], evaluate(step.value, env))


def _draw(step: Draw, env: dict[str, Any], drawn: _Drawn) -> None:
    env[step.target] = drawn(step, env)


def _if(step: If, env: dict[str, Any], drawn: _Drawn) -> None:
    _block(step.then if evaluate(step.test, env) else step.otherwise, env, drawn)


def _for(step: For, env: dict[str, Any], drawn: _Drawn) -> None:
    for value in evaluate(step.sequence, env):
        env[step.target] = value
        try:
            _block(step.body, env, drawn)
        except _Next:
            continue
        except _Leave:
            break


def _while(step: While, env: dict[str, Any], drawn: _Drawn) -> None:
    for _ in range(_MOST_ROUNDS):
        if not evaluate(step.test, env):
            return
        try:
            _block(step.body, env, drawn)
        except _Next:
            continue
        except _Leave:
            return
    raise Unsupported(step.line, f"the loop ran {_MOST_ROUNDS:,} times without an end", "Give the loop a public bound")


def _return(step: Return, env: dict[str, Any], _: _Drawn) -> None:
    raise _Done(evaluate(step.value, env))


def _break(_: Break, __: dict[str, Any], ___: _Drawn) -> None:
    raise _Leave


def _continue(_: Continue, __: dict[str, Any], ___: _Drawn) -> None:
    raise _Next


_STEPS: dict[type[Stmt], Callable[[Any, dict[str, Any], _Drawn], None]] = {
    Assign: _assign,
    Store: _store,
    Append: _append,
    Draw: _draw,
    If: _if,
    For: _for,
    While: _while,
    Return: _return,
    Break: _break,
    Continue: _continue,
}
