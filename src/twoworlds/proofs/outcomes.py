"""Every outcome of a card whose secret has finitely many values, with its chance as a formula over the public parameters.

The card's program is run once for each value of the secret and each way its noise can fall; chances stay symbolic, so the table
holds for all parameters. What is left to show is, for each pair of values and each outcome, P <= exp(price) P': an inequality
between polynomials, for the solvers. exp(x) is a positive name for each independent part of x, so exp(e / 2) squared is exp(e).

What every path needs to have a value at all, such as a chance from 0 to 1, is known of the parameters. What only some paths
need is to be shown: where it failed, those paths alone would end in an error.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from twoworlds.losses.prices import Pure
from twoworlds.proofs.ratios import Ratio, atom, constant, note, noting, valued
from twoworlds.proofs.statements import Statement
from twoworlds.source.interpreter import interpret
from twoworlds.source.program import Noise, Program
from twoworlds.source.values import evaluate, whole
from twoworlds.worlds.errors import TwoWorldsError, Unsupported
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import Local

__all__ = ["Table", "paths", "tabulated", "told_apart"]

_MOST_PATHS = 600
Law = tuple[tuple[Any, Ratio], ...]


def tabulated(found: Statement) -> str | None:
    """The obligations that prove the statement by its table, as an SMT-LIB script; None where it has none."""
    if type(found.relation) is not Local or found.relation.values is None or type(found.price) is not Pure:
        return None
    try:
        rough = Table(found, {})
        rough.script()
        return Table(found, rough.names.steps()).script()
    except (TwoWorldsError, ArithmeticError, TypeError, ValueError, LookupError):
        return None  # noise that cannot be listed, or a branch that depends on a parameter


@dataclass
class _Names:
    """Names for what is not rational, and what is known of it; `units` are the steps in which the exponents go."""

    units: Mapping[str, Fraction] = field(default_factory=dict)
    atoms: dict[str, str] = field(default_factory=dict)
    facts: dict[str, None] = field(default_factory=dict)
    exponents: dict[str, set[Fraction]] = field(default_factory=dict)
    positive: set[str] = field(default_factory=set)

    def name(self, kind: str, meaning: str) -> str:
        return self.atoms.setdefault(f"{kind} {meaning}", f"${kind}!{len(self.atoms)}")

    def exp(self, power: Ratio) -> Ratio:
        """exp of a sum of quotients, as a product of powers of positive names."""
        result = constant(1)
        for factor, part in power.terms:
            root = self.name("exp", str(part))
            self.facts[f"(< 0.0 {root})"] = None
            self.positive.add(root)
            self.exponents.setdefault(str(part), set()).add(factor)
            result = result * _power(root, int(factor / self.units.get(str(part), factor)))
        return result

    def steps(self) -> dict[str, Fraction]:
        """The largest step of which all exponents of a part are multiples."""
        return {
            part: Fraction(gcd(*(factor.numerator for factor in found)), lcm(*(factor.denominator for factor in found)))
            for part, found in self.exponents.items()
        }

    def sign(self, quotient: Ratio) -> str:
        """A term with the quotient's sign; a bottom that is a sum of positive names does not change it."""
        inside = {name for monomial in quotient.bottom for name, _ in monomial}
        plain = all(factor > 0 for factor in quotient.bottom.values()) and inside <= self.positive
        return quotient.above if plain else quotient.sign()


def _power(name: str, times: int) -> Ratio:
    one = Ratio({(): Fraction(1)}, {(): Fraction(1)})
    power = Ratio({((name, abs(times)),): Fraction(1)}, {(): Fraction(1)}) if times else one
    return power if times >= 0 else one / power


class Table:
    """The outcomes of a program by the values of its secret, and the price as a bound on the ratios of their chances."""

    def __init__(self, found: Statement, units: Mapping[str, Fraction]) -> None:
        self.found = found
        self.names = _Names(units)
        self.public = {name: atom(f"{name}.1") for name in found.program.parameters if name != found.relation.parameter}
        self.known: list[Mapping[str, None]] = []  # what each path of each world needs
        self.further: frozenset[str] = frozenset()  # what else the chances speak of

    def script(self) -> str:
        values = self.found.relation.values  # type: ignore[attr-defined]  # it is Local
        laws = [self.outcomes(value) for value in values]
        pairs = [(one, other) for one in laws for other in laws if one is not other]
        return self.written(
            [(chance, other.get(shown, constant(0))) for one, other in pairs for shown, chance in one.items()],
            self.most(),
        )

    def written(self, pairs: Iterable[tuple[Ratio, Ratio]], most: list[Ratio]) -> str:
        """The obligation that of each of these pairs of chances, the first is at most the largest of `most` times the second."""
        self.names.facts[_any([f"(<= 0.0 {self.names.sign(way - 1)})" for way in most])] = None  # no price is below 0
        always = self.always()
        goals = {fact: "what one path needs holds on all" for known in self.known for fact in known if fact not in always}
        goals |= {self.goal(chance, most, other): "an outcome is not too likely" for chance, other in pairs}
        facts = [*always, *self.names.facts]
        names = sorted({*(f"{name}.1" for name in self.public), *self.names.atoms.values(), *self.further})
        lines = ["(set-logic QF_NRA)", *(f"(declare-fun {name} () Real)" for name in names)]
        lines += [f"(assert {fact})" for fact in dict.fromkeys(facts)]
        for goal, why in goals.items():
            lines += [f"(push 1) ; {why}", f"(assert (not {goal}))", "(check-sat)", "(pop 1)"]
        return "\n".join(lines) + "\n"

    def goal(self, chance: Ratio, most: list[Ratio], other: Ratio) -> str:
        """The chance is no more than the largest of these times the other, that is, than one of them times the other."""
        return _any([f"(<= 0.0 {self.names.sign(way * other - chance)})" for way in most])

    def always(self) -> dict[str, None]:
        """What every path needs: where it fails there is no output in any world."""
        return {fact: None for fact in self.known[0] if all(fact in known for known in self.known)}

    # the outcomes of one world

    def outcomes(self, value: Any) -> dict[Any, Ratio]:
        found: dict[Any, Ratio] = {}
        for shown, chance, known in paths(self.found.program, {**self.public, self.found.relation.parameter: value}, self.law):
            self.known.append(known)
            key = told_apart(shown)
            found[key] = found[key] + chance if key in found else chance
        return found

    def law(self, noise: Noise, env: Mapping[str, Any]) -> Law:
        """The values of one draw with their chances; that they are chances is known wherever the noise exists."""
        arguments = [evaluate(argument, env) for argument in noise.arguments]
        with noting():  # the divisions of this table are not the program's
            values, needed = self.chances(noise.law, arguments)
        for fact in needed:
            note(fact)
        return values

    def chances(self, law: str, arguments: list[Any]) -> tuple[Law, list[str]]:
        """The values with their chances, and what says that the noise exists."""
        if law in ("Bernoulli", "BernoulliExp"):
            given = constant(arguments[0])
            heads = given if law == "Bernoulli" else self.names.exp(-given)
            needed = [f"(distinct 0.0 {given.below})", f"(<= 0.0 {given.sign()})", f"(<= 0.0 {(1 - heads).sign()})"]
            return ((True, heads), (False, 1 - heads)), needed
        if law == "Uniform":
            count = whole(arguments[0], "n")
            return tuple((Fraction(at), constant(Fraction(1, count))) for at in range(count)), []
        weights, needed = self.weights(law, arguments)
        total = sum(weights, constant(0))
        return tuple((Fraction(at), weight / total) for at, weight in enumerate(weights)), needed

    def weights(self, law: str, arguments: list[Any]) -> tuple[list[Ratio], list[str]]:
        if law == "ExponentialWeights":
            scale = constant(arguments[1]) if len(arguments) > 1 else constant(1)
            return [self.names.exp(constant(score) / scale) for score in arguments[0]], [f"(< 0.0 {scale.sign()})"]
        if law == "Categorical":
            weights = [constant(weight) for weight in arguments[0]]
            needed = [f"(distinct 0.0 {weight.below})" for weight in weights]
            needed += [f"(<= 0.0 {weight.sign()})" for weight in weights]
            return weights, [*needed, f"(< 0.0 {sum(weights, constant(0)).sign()})"]
        raise Unsupported(1, f"the outcomes of {law} noise cannot be listed", "Use finite noise")

    # the price

    def most(self) -> list[Ratio]:
        """exp(price), as the largest of these."""
        formula = self.found.price.epsilon  # type: ignore[attr-defined]  # it is Pure
        return _Exponential(self.names, self.public, formula).of(formula.tree, Fraction(1))


class _Exponential:
    """exp of a formula as the largest of some quotients: logarithms give back what is in them."""

    def __init__(self, names: _Names, public: Mapping[str, Ratio], formula: Any) -> None:
        self.names, self.public, self.formula = names, public, formula

    def of(self, node: Any, times: Fraction) -> list[Ratio]:
        match node:
            case ast.BinOp(left, ast.Add(), right):
                return [one * other for one in self.of(left, times) for other in self.of(right, times)]
            case ast.BinOp(left, ast.Sub(), right):
                return [one * other for one in self.of(left, times) for other in self.of(right, -times)]
            case ast.BinOp(ast.Constant() as factor, ast.Mult(), right):
                return self.of(right, times * self.formula.constant(factor))
            case ast.UnaryOp(ast.USub(), operand):
                return self.of(operand, -times)
            case ast.Call(ast.Name("log"), [inside]):
                return [self.log(inside) ** times]
            case ast.Call(ast.Name("abs"), [inside]) if times > 0:
                return [*self.of(inside, times), *self.of(inside, -times)]
            case ast.Call(ast.Name("max"), parts) if times > 0:
                return [way for part in parts for way in self.of(part, times)]
        return [self.names.exp(self.value(node) * times)]

    def value(self, node: Any) -> Ratio:
        def refuse(function: str, _: list[Ratio]) -> Ratio:
            raise Unsupported(1, f"{function} stands where a quotient is expected", "Write the price with log outside")

        return valued(Expression(ast.unparse(node)), self.public.__getitem__, refuse)

    def log(self, inside: Any) -> Ratio:
        value = self.value(inside)
        self.names.facts[f"(distinct 0.0 {value.below})"] = None
        self.names.facts[f"(< 0.0 {value.sign()})"] = None
        return value


def _any(ways: list[str]) -> str:
    return ways[0] if len(ways) == 1 else f"(or {' '.join(ways)})"


def paths(program: Program, world: Mapping[str, Any], law: Any) -> Iterator[tuple[Any, Ratio, Mapping[str, None]]]:
    """Every way the noise can fall, with the output, its chance, and what must hold for the run to have an output."""
    waiting: list[list[int]] = [[]]
    for _ in range(_MOST_PATHS):
        if not waiting:
            return
        path, chance = waiting.pop(), constant(1)
        at = 0

        def tape(_: int, given: Law, path: list[int] = path) -> Any:
            nonlocal at, chance
            if at == len(path):
                waiting.extend([*path, other] for other in range(1, len(given)))
                path.append(0)
            value, weight = given[path[at]]
            at += 1
            chance = chance * weight
            return value

        with noting() as known:
            shown = interpret(program, world, tape, law)
        yield shown, chance, known
    if waiting:
        raise Unsupported(1, "there are too many outcomes to list", "Use an alignment")


def told_apart(value: Any) -> Any:
    """Outputs that a reader can tell apart, apart: True and 1 are equal in Python."""
    if isinstance(value, tuple):
        return tuple(told_apart(entry) for entry in value)
    if isinstance(value, Ratio):
        return "Ratio", str(value)
    return type(value).__name__, value
