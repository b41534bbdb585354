"""Named theorems about programs of a known shape: what is proved by rule, where no alignment is a shift.

A theorem is a program with holes for public expressions, the relations it speaks of, and what it costs. A card matches if its
program is the theorem's up to the names of variables and what stands in the holes; that the cost is within the card's price is an
obligation for the solvers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any

from twoworlds.losses.prices import Concentrated, Dialect, GaussianPrivacy, Pure
from twoworlds.proofs.runs import formula, number
from twoworlds.proofs.statements import Statement
from twoworlds.source.definitions import unfold
from twoworlds.source.parser import parse_text
from twoworlds.source.program import Binary, Expr, Literal, Name, Program, Unary, walk
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import L1, L2, Each, Local, Monotone, One

__all__ = ["THEOREMS", "Applied", "Theorem", "apply"]

_IGNORED = ("line", "site", "last")
_HOLE = re.compile(r"\b([A-Z]+|by)\.1\b")


@dataclass(frozen=True)
class Theorem:
    """`template` is a function of `secret` and of holes in capitals; `cost` is a formula over the holes, `by` and len(secret)."""

    name: str
    cite: str
    template: str
    relations: tuple[type, ...]
    price: type[Dialect]
    cost: str

    @property
    def program(self) -> Program:
        return unfold(parse_text(self.template, "secret"))


@dataclass(frozen=True)
class Applied:
    """A theorem that fits a card, and what remains to be shown about its price."""

    theorem: Theorem
    obligations: str


_VECTOR = "def vector(secret, *, SCALE, sample):\n    return secret + sample({law}(SCALE), len(secret))\n"
_EXPONENTIAL = "def choose(secret, *, SCALE, sample):\n    return sample(ExponentialWeights(secret, SCALE))\n"
_RESPONSE = """
def respond(secret, *, HIGH, LOW, COUNT, sample):
    return sample(ExponentialWeights([HIGH if i == secret else LOW for i in range(COUNT)]))
"""
_FLIP = """
def flip(secret, *, RATE, SCALE, sample):
    best = max(secret)
    left = [i for i in range(len(secret))]
    for _ in range(len(secret)):
        pick = left[sample(Uniform(len(left)))]
        if sample(BernoulliExp(RATE * (best - secret[pick]) / SCALE)):
            return pick
        left = [i for i in left if i != pick]
    return None
"""
_TREE = """
def tree(secret, *, LEVELS, SCALE, sample):
    exact = [0 for _ in range(LEVELS)]
    noisy = [0 for _ in range(LEVELS)]
    totals = []
    for i in range(len(secret)):
        node = secret[i]
        level = 0
        rest = i + 1
        while rest % 2 == 0:
            node = node + exact[level]
            exact[level] = 0
            noisy[level] = 0
            level = level + 1
            rest = rest // 2
        exact[level] = node
        noisy[level] = node + sample(Laplace(SCALE))
        totals.append(sum(noisy))
    return totals
"""

THEOREMS = (
    Theorem(
        "exponential mechanism", "McSherry and Talwar 2007, theorem 6", _EXPONENTIAL, (Each,), Pure, "2 * by / SCALE"
    ),  # every score moves by at most `by`, and so the logarithm of the sum of the weights by at most by / SCALE
    Theorem("exponential mechanism, monotone", "McSherry and Talwar 2007", _EXPONENTIAL, (Monotone,), Pure, "by / SCALE"),
    Theorem(
        "k-ary randomized response", "Kairouz, Bonawitz and Ramage 2016, section 2", _RESPONSE, (Local,), Pure, "abs(HIGH - LOW)"
    ),
    Theorem("permute and flip", "McKenna and Sheldon 2020, theorem 1", _FLIP, (Each,), Pure, "2 * by * RATE / SCALE"),
    Theorem("binary mechanism", "Chan, Shi and Song 2011, theorem 3.5", _TREE, (One, L1), Pure, "LEVELS * by / SCALE"),
    Theorem(
        "vector Laplace under L2",
        "Dwork, McSherry, Nissim and Smith 2006, proposition 1, by Cauchy and Schwarz",
        _VECTOR.format(law="Laplace"),
        (L2,),
        Pure,
        "by * sqrt(len(secret)) / SCALE",
    ),
    Theorem(
        "Gaussian mechanism",
        "Dong, Roth and Su 2022, theorem 2.7; rounding to the grid is post-processing",
        _VECTOR.format(law="Gaussian"),
        (L2, L1, One),
        GaussianPrivacy,
        "by / SCALE",
    ),
    Theorem(
        "Gaussian mechanism, concentrated",
        "Bun and Steinke 2016, proposition 1.6; rounding to the grid is post-processing",
        _VECTOR.format(law="Gaussian"),
        (L2, L1, One),
        Concentrated,
        "by * by / (2 * SCALE * SCALE)",
    ),
)


def apply(found: Statement) -> Applied | None:
    """The theorem whose program, relation and kind of price are the card's, with the obligation that it costs no more."""
    for theorem in THEOREMS:
        if type(found.relation) not in theorem.relations or type(found.price) is not theorem.price:
            continue
        if type(found.relation) is Monotone and type(found.relation.relation) is not Each:
            continue
        holes = _match(theorem.program, found.program, found.relation.parameter)
        if holes is not None:
            return Applied(theorem, _obligations(theorem, holes, found))
    return None


def _match(template: Program, program: Program, private: str) -> dict[str, Expr] | None:
    """What stands in the template's holes, if the program is an instance of it."""
    assigned = {node.target for node in walk(program.body) if hasattr(node, "target")}
    public = frozenset(program.parameters) - {private} - assigned
    names: dict[str, str] = {"secret": private}
    holes: dict[str, Expr] = {}

    def same(pattern: Any, part: Any) -> bool:
        if isinstance(pattern, Name) and pattern.name.isupper():
            return _is_public(part, public) and holes.setdefault(pattern.name, part) == part
        if type(pattern) is not type(part):
            return False
        if isinstance(pattern, tuple):
            return len(pattern) == len(part) and all(map(same, pattern, part))
        if is_dataclass(pattern):
            return all(
                renamed(getattr(pattern, field.name), getattr(part, field.name))
                if field.name in ("target", "name")
                else same(getattr(pattern, field.name), getattr(part, field.name))
                for field in fields(pattern)
                if field.name not in _IGNORED
            )
        return bool(pattern == part)

    def renamed(pattern: str, name: str) -> bool:
        known = names.setdefault(pattern, name)
        return known == name and list(names.values()).count(name) == 1

    return holes if same(template.body, program.body) else None


def _is_public(expr: object, public: frozenset[str]) -> bool:
    return isinstance(expr, Expr) and all(
        node.name in public if isinstance(node, Name) else isinstance(node, Literal | Unary | Binary) for node in walk(expr)
    )


def _obligations(theorem: Theorem, holes: Mapping[str, Expr], found: Statement) -> str:
    """The cost is at most the price, for all parameters for which the noise exists."""
    given = {**{name: _spelled(expr) for name, expr in holes.items()}, "by": formula(found.relation.by)}
    length = f"$len.{found.relation.parameter}"
    cost = _filled(Expression(theorem.cost), given, length)
    price = formula(next(iter(found.price.formulas.values())))
    known = [f"(<= 0.0 {given['by']})", f"(<= 0.0 {price})", f"(<= 0.0 {length})"]
    known += [f"(<= 0.0 ($sqrt/1 {length}))"]
    if "SCALE" in given:  # a law's scale is above 0 wherever it is drawn; a coin only divides by it
        known.append(f"({'distinct' if theorem.template is _FLIP else '<'} 0.0 {given['SCALE']})")
    known += [f"(distinct {divisor} 0.0)" for expr in holes.values() for divisor in _divisors(expr)]
    constants = sorted({f"{name}.1" for name in found.program.parameters if name != found.relation.parameter} | {length})
    lines = ["(set-logic ALL)", *(f"(declare-fun {name} () Real)" for name in constants)]
    lines += [f"(declare-fun {name} (Real) Real)" for name in ("$sqrt/1", "$abs/1", "$log/1", "$exp/1")]
    lines += [f"(assert {fact})" for fact in known]
    return "\n".join(
        [
            *lines,
            "(push 1) ; the theorem's cost is within the price",
            f"(assert (not (<= {cost} {price})))",
            "(check-sat)",
            "(pop 1)",
            "",
        ]
    )


def _filled(cost: Expression, given: Mapping[str, str], length: str) -> str:
    """The theorem's cost with what stands in its holes; in one pass, for a card may call a parameter `by` or SCALE too."""
    text = formula(cost).replace("$len.secret", length)
    return _HOLE.sub(lambda found: given[found[1]], text)


def _spelled(expr: Expr) -> str:
    match expr:
        case Literal(value) if isinstance(value, Fraction):
            return number(value)
        case Name(name):
            return f"{name}.1"
        case Unary("-", operand):
            return f"(- {_spelled(operand)})"
        case Binary("+" | "-" | "*" | "/" as op, left, right):
            return f"({op} {_spelled(left)} {_spelled(right)})"
    return "$unknown"  # nothing is declared under this name, so no solver accepts it


def _divisors(expr: Expr) -> list[str]:
    return [_spelled(node.right) for node in walk(expr) if isinstance(node, Binary) and node.op == "/"]
