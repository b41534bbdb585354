"""The exact probability of one output, along the paths that lead to it: what no table of all outputs could hold.

The program is rewritten to answer only whether it returns this output. It gives up as soon as what it appends differs from what
is wanted, and goes on with what is wanted, so that runs which have agreed so far are one state to the exact reader, however many
other outputs there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from twoworlds.exact.outputs import AtLeast, AtMost
from twoworlds.proofs.patterns import Pair
from twoworlds.proofs.statements import Statement
from twoworlds.source.interpreter import interpret
from twoworlds.source.program import (
    Append,
    Assign,
    Call,
    Compare,
    Expr,
    For,
    If,
    Item,
    Literal,
    Many,
    Name,
    Program,
    Return,
    Stmt,
    Store,
    While,
    walk,
)
from twoworlds.worlds.distributions import Distribution
from twoworlds.worlds.errors import TwoWorldsError

__all__ = ["altered", "arguments", "asking", "leaves", "outputs", "reordered", "repeated"]

WANTED = "wanted@"
_DRIFTS = (0, 6, -6)
_MOST_OUTPUTS = 14
_YES, _NO = Literal(True), Literal(False)


def asking(program: Program, output: Any) -> Program | None:
    """The program that returns whether the other one would return this output; None where that is not known how to ask."""
    grown = _grown(program)
    try:
        body = _block(program.body, grown, output)
        end = _leave(program.body[-1].line, Literal(None), grown, output) if not _returns(program.body) else ()
    except _Unasked:
        return None
    wanted = tuple(f"{WANTED}{name}" for name in sorted(grown))
    return replace(program, parameters=(*program.parameters, *wanted), body=(*body, *end))


def _returns(body: tuple[Stmt, ...]) -> bool:
    """Whether the end of the text is never reached."""
    return bool(body) and isinstance(body[-1], Return)


class _Unasked(Exception):
    """An output that is compared in a way that is not written here."""


def _grown(program: Program) -> frozenset[str]:
    """Lists that begin empty, are only ever appended to, and are returned."""
    returned = set()
    for node in walk(program.body):
        if isinstance(node, Return):
            parts = node.value.entries if isinstance(node.value, Many) else (node.value,)
            returned |= {part.name for part in parts if isinstance(part, Name)}
    appended = {node.target for node in walk(program.body) if isinstance(node, Append)}
    stored = {node.target for node in walk(program.body) if isinstance(node, Store | For)}
    begun = [node for node in walk(program.body) if isinstance(node, Assign) and node.target in appended]
    fresh = {node.target for node in begun if node.value == Many("list", ())}
    other = {node.target for node in begun if node.value != Many("list", ())}
    twice = {name for name in fresh if sum(node.target == name for node in begun) > 1}
    return frozenset((returned & appended & fresh) - stored - other - twice)


def _block(steps: tuple[Stmt, ...], grown: frozenset[str], output: Any) -> tuple[Stmt, ...]:
    return tuple(part for step in steps for part in _step(step, grown, output))


def _step(step: Stmt, grown: frozenset[str], output: Any) -> tuple[Stmt, ...]:
    match step:
        case Return():
            return _leave(step.line, step.value, grown, output)
        case Append() if step.target in grown:
            return _appended(step)
        case If():
            return (replace(step, then=_block(step.then, grown, output), otherwise=_block(step.otherwise, grown, output)),)
        case For() | While():
            return (replace(step, body=_block(step.body, grown, output)),)
    return (step,)


def _appended(step: Append) -> tuple[Stmt, ...]:
    """Append what is wanted if this is it, else answer no."""
    wanted = Name(f"{WANTED}{step.target}")
    length = Call("len", (Name(step.target),))
    no: tuple[Stmt, ...] = (Return(step.line, _NO),)
    following = Item(wanted, length)
    return (
        If(step.line, Compare(">=", length, Call("len", (wanted,))), no, ()),
        If(step.line, Compare("!=", step.value, following), no, ()),
        replace(step, value=following),
    )


def _leave(line: int, value: Expr, grown: frozenset[str], output: Any) -> tuple[Stmt, ...]:
    """Answer whether this value is the output."""
    no: tuple[Stmt, ...] = (Return(line, _NO),)
    checks: list[Stmt] = []
    for part, wanted in _parted(value, output):
        if isinstance(part, Name) and part.name in grown:
            if not isinstance(wanted, tuple):
                return no
            checks.append(If(line, Compare("!=", Call("len", (part,)), Literal(Fraction(len(wanted)))), no, ()))
        elif isinstance(wanted, tuple):
            checks += _entrywise(line, part, wanted, no)
        elif isinstance(part, Many):
            raise _Unasked
        else:
            checks.append(If(line, Compare("!=", part, Literal(wanted)), no, ()))
    return (*checks, Return(line, _YES))


def _entrywise(line: int, value: Expr, wanted: tuple[Any, ...], no: tuple[Stmt, ...]) -> Iterator[Stmt]:
    """A list that is not grown by appending, compared entry by entry."""
    if any(isinstance(entry, tuple) for entry in wanted):
        raise _Unasked
    yield If(line, Compare("!=", Call("len", (value,)), Literal(Fraction(len(wanted)))), no, ())
    for at, entry in enumerate(wanted):
        yield If(line, Compare("!=", Item(value, Literal(Fraction(at))), Literal(entry)), no, ())


def _parted(value: Expr, output: Any) -> list[tuple[Expr, Any]]:
    if isinstance(value, Many) and value.kind == "tuple":
        if not isinstance(output, tuple) or len(output) != len(value.entries):
            raise _Unasked
        return list(zip(value.entries, output, strict=True))
    return [(value, output)]


def arguments(program: Program, output: Any) -> Mapping[str, Any]:
    """The further parameters of the asking program: what each grown list must be."""
    grown = _grown(program)
    found: dict[str, Any] = {}
    for node in walk(program.body):
        if isinstance(node, Return):
            for part, wanted in _parted(node.value, output):
                if isinstance(part, Name) and part.name in grown:
                    found[f"{WANTED}{part.name}"] = wanted if isinstance(wanted, tuple) else ()
    return found


# outputs to ask for


def outputs(found: Statement, pair: Pair) -> list[Any]:
    """What the program returns in either world where each draw site has a drift of its own, or none."""
    seen: dict[str, Any] = {}
    for world in (pair.one, pair.other):
        for drift in _drifts(found.program):
            try:
                output = interpret(found.program, {**pair.public, found.relation.parameter: world}, _tape(drift))
            except (TwoWorldsError, ArithmeticError, LookupError, TypeError, ValueError):
                continue
            seen.setdefault(repr(output), output)
    return list(seen.values())[:_MOST_OUTPUTS]


def _drifts(program: Program) -> Iterator[dict[int, int]]:
    sites = [draw.site for draw in program.draws]
    yield {}
    for site in sites:
        for drift in _DRIFTS[1:]:
            yield {site: drift}


def _tape(drift: Mapping[int, int]) -> Any:
    def draw(site: int, law: Distribution) -> Any:
        noise = drift.get(site, 0)
        name = type(law).__name__
        if name in ("Bernoulli", "BernoulliExp"):
            return noise >= 0
        one_sided = name in ("Exponential", "Geometric", "NegativeBinomial", "Uniform", "Categorical", "ExponentialWeights")
        return Fraction(max(noise, 0) % 2 if one_sided else noise)

    return draw


def leaves(output: Any) -> Any:
    """The output with each set of numbers replaced by its end."""
    if isinstance(output, tuple):
        return tuple(leaves(entry) for entry in output)
    if isinstance(output, int) and not isinstance(output, bool):
        return Fraction(output)
    return Fraction(output.value) if isinstance(output, AtLeast | AtMost) else output


def altered(output: Any) -> Iterator[Any]:
    """The output with one entry changed: a number moved, a truth value turned."""
    if isinstance(output, tuple):
        for at, entry in enumerate(output):
            for other in altered(entry):
                yield (*output[:at], other, *output[at + 1 :])
    elif isinstance(output, bool):
        yield not output
    elif isinstance(output, Fraction):
        for move in (1, -1, 4, -4):
            yield output + move


def reordered(output: Any, order: tuple[int, ...]) -> Any:
    """The output of a list whose entries come from these places, where outputs follow their entries."""
    if not isinstance(output, tuple):
        return output
    if output and isinstance(output[0], tuple):
        return (reordered(output[0], order), *output[1:])
    return tuple(output[at] for at in order if at < len(output))


def repeated(output: Any, at: int, times: int) -> Any:
    """The output of a list in which entry `at` stands so often, where outputs follow their entries; else the output itself."""
    if not isinstance(output, tuple):
        return output
    if output and isinstance(output[0], tuple):
        return (repeated(output[0], at, times), *output[1:])
    return (*output[:at], *(output[at],) * times, *output[at + 1 :]) if at < len(output) else output
