"""Programs that first keep each record with a probability, and then read nothing but what was kept.

Theorem (amplification by sampling; Balle, Barthe and Gaboardi 2018 have it for many kinds of samples). Let every record be kept
by a coin of its own of probability p, and be 0 where it is not; let what follows be e-private for lists that differ in one entry
by c, and kept entries be from 0 to c in size. Then all of it is log(1 + p (exp(e) - 1))-private for lists that differ in one
entry, however far. For fix the coins of all other records and an output. Let a be its density where the record is left out, b
where it is kept and b' where its neighbour is kept. Any two of the three lists differ in one entry by c at most, so b <= k a and
b <= k b' with k = exp(e). To show is (1 - p) a + p b <= m ((1 - p) a + p b') with m = 1 + p (k - 1), for b' = 1 without loss; the
difference is p times (k - 1) (1 - p) a + m - b. Where a >= 1, b <= k makes it (k - 1) (1 - p) + m - k = 0 at least; where a < 1,
b <= k a makes it (1 - a) (p k + 1 - p) at least. Averaging over the other coins keeps the inequality, and the two worlds may swap
roles. Where p is 0 nothing is kept; elsewhere the price is not below 0 where e is not.

What is to be checked: one coin for each record, all alike and public; they decide what is kept and nothing else; kept entries
have a bound; and what follows reads neither records nor coins. Entries are whole, so that they are on the grid that noise is on.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from twoworlds.losses.prices import Pure
from twoworlds.proofs.ratios import Ratio, atom, constant, valued
from twoworlds.proofs.statements import Statement
from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
    Call,
    Choice,
    Compare,
    Draw,
    Expr,
    For,
    If,
    Literal,
    Many,
    Name,
    Program,
    Stmt,
    Store,
    Unary,
    walk,
)
from twoworlds.source.values import evaluate
from twoworlds.worlds.errors import TwoWorldsError
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import One

__all__ = ["Sampled", "sampled"]

_ZERO = Literal(Fraction(0))


@dataclass(frozen=True)
class Sampled:
    """What follows the sample, as a program whose secret is what was kept: its relation and the price that it has to have."""

    program: Program
    relation: One
    price: Pure


@dataclass(frozen=True)
class _Sample:
    """The loop that keeps records: the coin's probability, what is kept of a record, the names that belong to it alone."""

    rate: Expr
    kept: Expr
    record: str
    target: str
    own: frozenset[str]


def sampled(found: Statement) -> Sampled | None:
    """What remains to be shown of a program that begins with a sample; None where the theorem does not speak of it."""
    if type(found.relation) is not One or found.relation.grid != 1 or not isinstance(found.price, Pure):
        return None
    price, split = _amplified(found.price.epsilon), _split(found.program, found.relation.parameter)
    if price is None or split is None:
        return None
    sample, rest = split
    changed = {node.target for node in walk(found.program.body) if isinstance(node, Append | Assign | Draw | For | Store)}
    public = frozenset(found.program.parameters) - {found.relation.parameter} - changed
    bound = _bound(sample, public, found.whole)
    if bound is None or not _equal(sample.rate, price[0], {name: atom(name) for name in public}):
        return None
    parameters = tuple(sample.target if name == found.relation.parameter else name for name in found.program.parameters)
    program = replace(found.program, parameters=parameters, body=rest, private=sample.target)
    return Sampled(program, One(sample.target, by=f"abs({bound})", grid=1), Pure(price[1]))


def _amplified(epsilon: Expression) -> tuple[Expression, Expression] | None:
    """p and e of log(1 + p (exp(e) - 1))."""
    match epsilon.tree:
        case ast.Call(
            ast.Name("log"),
            [
                ast.BinOp(ast.Constant() as one, ast.Add(), ast.BinOp(first, ast.Mult(), second))
                | ast.BinOp(ast.BinOp(first, ast.Mult(), second), ast.Add(), ast.Constant() as one)
            ],
        ):
            for rate, gain in ((first, second), (second, first)):
                match gain:
                    case ast.BinOp(ast.Call(ast.Name("exp"), [inner]), ast.Sub(), ast.Constant() as other):
                        ones = epsilon.constant(one) == epsilon.constant(other) == 1  # as written, not as a float
                        return (_part(epsilon, rate), _part(epsilon, inner)) if ones else None
    return None


def _part(whole: Expression, node: ast.expr) -> Expression:
    """A part of a formula, in the digits in which it is written."""
    return Expression(f"({ast.get_source_segment(whole.text, node)})")


def _split(program: Program, secret: str) -> tuple[_Sample, tuple[Stmt, ...]] | None:
    """The loop over the records, and what follows it."""
    at = next((at for at, step in enumerate(program.body) if isinstance(step, For)), None)
    if at is None:
        return None
    before, loop, after = program.body[:at], program.body[at], program.body[at + 1 :]
    sample = _sample(loop, secret)
    started = [step for step in before if sample and step == Assign(step.line, sample.target, Many("list", ()))]
    if sample is None or len(started) != 1 or not all(isinstance(step, Assign) for step in before):
        return None
    others = tuple(step for step in before if step not in started)
    if Name(sample.target) in walk(others):
        return None  # what was read of it then is not what it holds now
    own = sample.own | {secret}
    if after and isinstance(after[0], Assign) and after[0].value == Name(sample.target):
        own, sample, after = own | {sample.target}, replace(sample, target=after[0].target), after[1:]
    rest = (*others, *after)
    named = {node.name for node in walk(rest) if isinstance(node, Name)}
    named |= {node.target for node in walk(rest) if hasattr(node, "target")}
    is_changed = any(
        isinstance(node, Append | Assign | Draw | For | Store) and node.target == sample.target for node in walk(rest)
    )
    return None if named & own or is_changed or sample.target in program.parameters else (sample, rest)


def _sample(loop: object, secret: str) -> _Sample | None:
    """A loop that appends what is kept of each record where its coin says so, and 0 where it does not."""
    match loop:
        case For(_, record, Name(name), (Draw(_, coin, law, None), step)) if name == secret and law.law == "Bernoulli":
            match step:
                case Append(_, target, Choice(Name(test), kept, otherwise)):
                    pass
                case If(_, Name(test), (Append(_, target, kept),), (Append(_, other, otherwise),)) if target == other:
                    pass
                case _:
                    return None
            apart = {coin, record, target, secret}
            if test == coin and otherwise == _ZERO and len(apart) == 4:
                return _Sample(law.arguments[0], kept, record, target, frozenset({coin, record}))
    return None


def _bound(sample: _Sample, public: frozenset[str], whole: frozenset[str]) -> str | None:
    """What kept entries are within, from 0: a public whole number; their computation does not fail."""

    def plain(expr: Expr) -> bool:
        return isinstance(expr, Literal) or (isinstance(expr, Name) and expr.name in public | {sample.record})

    match sample.kept:
        case Call("clip", (Name(record), low, Name(high))) if record == sample.record and low == _ZERO and high in public & whole:
            return high
        case Call("clip", (Name(record), low, Literal(Fraction() as high))) if record == sample.record and low == _ZERO:
            return str(high) if high.denominator == 1 else None
        case Choice(Compare(_, left, right), Literal(Fraction() as one), Literal(Fraction() as other)) if plain(left) and plain(
            right
        ):
            most = max(one, other)
            return str(most) if min(one, other) >= 0 and one.denominator == other.denominator == 1 else None
    return None


def _equal(rate: Expr, price: Expression, public: Mapping[str, Ratio]) -> bool:
    """Whether the coin's probability is that of the price."""
    known = (Name, Literal, Unary, Binary)
    if not all(isinstance(part, known) or (isinstance(part, Call) and part.function == "Fraction") for part in walk(rate)):
        return False
    try:
        return not (constant(evaluate(rate, public)) - valued(price, public.__getitem__, _no_function)).top
    except (TwoWorldsError, LookupError, ArithmeticError, TypeError):
        return False  # no quotient of public parameters


def _no_function(function: str, _: list[Ratio]) -> Ratio:
    raise LookupError(function)
