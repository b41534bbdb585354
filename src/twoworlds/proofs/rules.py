"""Named theorems about programs of a known shape: what is proved by rule, where no alignment is a shift.

A theorem is a program with holes for public expressions, the relations it speaks of, and what it costs. A card matches if its
program is the theorem's up to the names of variables and what stands in the holes; that the cost is within the card's price is an
obligation for the solvers.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from twoworlds.losses.prices import Approximate, Concentrated, Dialect, GaussianPrivacy, Pure
from twoworlds.proofs.ratios import Ratio, atom, constant, valued
from twoworlds.proofs.statements import Statement
from twoworlds.source.definitions import unfold
from twoworlds.source.parser import parse_text
from twoworlds.source.program import Binary, Expr, Literal, Name, Program, Unary, walk
from twoworlds.source.values import evaluate
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import L1, L2, Each, Local, Monotone, One

__all__ = ["THEOREMS", "Applied", "Theorem", "apply"]

_IGNORED = ("line", "site", "last")


@dataclass(frozen=True)
class Theorem:
    """`template` is a function of `secret` and of holes in capitals; `cost` is a formula over the holes, `by` and len(secret).

    `needs` may not be below 0: where it is, the program has an output for some secrets only.
    """

    name: str
    cite: str
    template: str
    relations: tuple[type, ...]
    price: type[Dialect]
    cost: str
    failure: str | None = None
    """For a step of 1 alone: the delta that the price has to state."""
    needs: str = "0"

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
_SELECTION = """
def select(secret, *, REACH, EPSILON, sample):
    noise = sample(ExponentialWeights([-abs(j - REACH) for j in range(2 * REACH + 1)], 1 / EPSILON), len(secret))
    noisy = [secret[i] + noise[i] - REACH for i in range(len(secret))]
    return [count if count > REACH else None for count in noisy]
"""

THEOREMS = (
    Theorem(
        "exponential mechanism", "McSherry and Talwar 2007, theorem 6", _EXPONENTIAL, (Each,), Pure, "2 * by / SCALE"
    ),  # every score moves by at most `by`, and so the logarithm of the sum of the weights by at most by / SCALE
    Theorem("exponential mechanism, monotone", "McSherry and Talwar 2007", _EXPONENTIAL, (Monotone,), Pure, "by / SCALE"),
    Theorem(
        "k-ary randomized response", "Kairouz, Bonawitz and Ramage 2016, section 2", _RESPONSE, (Local,), Pure, "abs(HIGH - LOW)"
    ),
    Theorem(
        "permute and flip",
        "McKenna and Sheldon 2020, theorem 1",
        _FLIP,
        (Each,),
        Pure,
        "2 * by * RATE / SCALE",
        needs="RATE / SCALE",
    ),
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
    Theorem(
        "truncated geometric partition selection",
        "Desfontaines, Voss, Gipson and Mandayam 2022, theorems 2 and 3; the threshold is post-processing",
        _SELECTION,
        (One,),
        Approximate,
        "EPSILON * by",
        "exp(-REACH * EPSILON) * (1 - exp(-EPSILON)) / (1 + exp(-EPSILON) - 2 * exp(-(REACH + 1) * EPSILON))",
    ),  # between -reach and reach a step of 1 changes a chance by exp(epsilon), and what one end loses is delta
)


def apply(found: Statement) -> Applied | None:
    """The theorem whose program, relation and kind of price are the card's, with the obligation that it costs no more."""
    for theorem in THEOREMS:
        if type(found.relation) not in theorem.relations or type(found.price) is not theorem.price:
            continue
        if type(found.relation) is Monotone and type(found.relation.relation) is not Each:
            continue
        holes = _match(theorem.program, found.program, found.relation.parameter)
        if holes is not None and theorem.failure is not None and not _counts(holes["REACH"], found):
            continue
        if holes is not None:
            with suppress(ZeroDivisionError):  # a scale over 0 makes no noise
                return Applied(theorem, _obligations(theorem, holes, found))
    return None


def _counts(reach: Expr, found: Statement) -> bool:
    """Whether steps and the reach of the noise are whole: between its places the worlds would share no output."""
    return getattr(found.relation, "grid", None) == 1 and isinstance(reach, Name) and reach.name in found.whole


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
    """The cost is at most the price, for all parameters for which the noise and the price exist."""
    public = {name: atom(f"{name}.1") for name in found.program.parameters if name != found.relation.parameter}
    functions = _Functions()
    own = {"$len.secret": atom(f"$len.{found.relation.parameter}")}
    given = own | {name: _quotient(expr, public) for name, expr in holes.items()}
    divisors = [
        _quotient(node.right, public)
        for expr in holes.values()
        for node in walk(expr)
        if isinstance(node, Binary) and node.op == "/"
    ]
    lengths = {f"$len.{found.relation.parameter}": own["$len.secret"]}
    given["by"] = valued(found.relation.by, (public | lengths).__getitem__, functions.apply)
    cost = valued(Expression(theorem.cost), given.__getitem__, functions.apply)
    needs = valued(Expression(theorem.needs), given.__getitem__, functions.apply)
    price, *failure = (
        valued(formula, (public | lengths).__getitem__, functions.apply) for formula in found.price.formulas.values()
    )
    known = [f"(<= 0.0 {part.sign()})" for part in (given["by"], price, own["$len.secret"])]
    if "SCALE" in given:  # a law's scale is above 0 wherever it is drawn; a coin only divides by it
        known.append(f"({'distinct' if theorem.template is _FLIP else '<'} 0.0 {given['SCALE'].sign()})")
    known += [f"(distinct {part} 0.0)" for part in (price.below, given["by"].below)]
    goals = [price - cost]
    if theorem.failure is not None:
        goals += [failure[0] - valued(Expression(theorem.failure), given.__getitem__, functions.apply), 1 - given["by"]]
    shown = [("the theorem's cost is within the price", f"(<= 0.0 {goal.sign()})") for goal in goals]
    shown += [("the noise exists for all secrets", f"(<= 0.0 {needs.sign()})")] * bool(needs.top)
    defined = [f"(distinct {divisor.above} 0.0)" for divisor in divisors]
    if theorem.template is _RESPONSE:  # the hole for the secret's own weight is read only if the secret is among the choices
        shown += [("what is divided by is not 0, whether the secret is a choice or none", fact) for fact in defined]
    else:
        known += defined
    names = sorted({*(str(part) for part in (*public.values(), *lengths.values())), *functions.names})
    return "\n".join(
        [
            "(set-logic QF_NRA)",
            *(f"(declare-fun {name} () Real)" for name in names),
            *(f"(assert {fact})" for fact in dict.fromkeys((*known, *functions.facts))),
            *(line for why, goal in shown for line in (f"(push 1) ; {why}", f"(assert (not {goal}))", "(check-sat)", "(pop 1)")),
            "",
        ]
    )


class _Functions:
    """Roots and sizes as names with what is known of them; of other functions only that they are functions."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.facts: list[str] = []

    def apply(self, function: str, arguments: list[Ratio]) -> Ratio:
        text = f"{function} {' '.join(map(str, arguments))}"
        known = text in self.names.values()
        name = next((name for name, meaning in self.names.items() if meaning == text), f"${function}!{len(self.names)}")
        self.names[name] = text
        if not known and function == "sqrt":
            self.facts.append(f"(<= 0.0 {name})")
        if not known and function == "abs":
            ways = [f"(= 0.0 {(atom(name) - sign * arguments[0]).sign()})" for sign in (1, -1)]
            self.facts += [f"(<= 0.0 {name})", f"(or {' '.join(ways)})"]
        return atom(name)


def _quotient(expr: Expr, public: Mapping[str, Ratio]) -> Ratio:
    return constant(evaluate(expr, public))
