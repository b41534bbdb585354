"""Prices that alignments reach: each is read as a pure price, of the program itself or of its Laplace twin.

Twin. Let a program's draws from Gaussian, discrete Gaussian and Laplace noise be shifted by a, where each a is an integer
combination of what was known before that draw, |a| <= by, and both runs return the same whatever is drawn. Then the map of noise
tapes is a bijection, run 2 on the moved tape returns what run 1 returns, and so the outputs are no easier to tell apart than the
tapes. Given the past, a draw and its shifted copy are (a / s)^2 / 2-concentrated: for Gaussian noise exactly (Bun and Steinke
2016, proposition 1.6; rounding to the grid is post-processing, shifts stay on it), for discrete Gaussian noise (Canonne, Kamath
and Steinke 2020), for Laplace noise because it is (|a| / s)-private both ways (Bun and Steinke 2016, proposition 1.4).
Costs add up along every path though later shifts depend on earlier draws (Feldman and Zrnic 2021). As |a| <= by,
(a / s)^2 / 2 <= |a| / b for b = 2 s^2 / by: the cost is what alignments charge for Laplace noise of scale b. So the program is
rho-concentrated if its twin, in which Laplace noise of scale 2 s^2 / by takes the place of noise of scale s, has such an
alignment at the pure price rho. With Gaussian noise alone and rho = mu^2 / 2 it is mu-Gaussian private (Smith and Thakurta 2022).
A choice by weights of scale t (`choices`) whose scores move apart by r <= 2 by at most is r^2 / (8 t^2)-concentrated (Cesar and
Rogers 2021, for bounded range), and that is at most r / b for b = 4 t^2 / by, the scale of the choice in the twin. What it is
charged must bound r for every index alike, and so be a number of units.
A parameter that rho divides by and that only scales read stands in the twin for its inverse, which runs through the same values:
the solvers then meet no division. Where by = 0 the worlds are one; wherever else the program's noise exists, so does its twin's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import Any

from twoworlds.losses.prices import Approximate, Concentrated, GaussianPrivacy, Pure
from twoworlds.proofs.choices import WEIGHTED, scale_of
from twoworlds.proofs.failures import names_in, parts
from twoworlds.proofs.purses import Purses
from twoworlds.proofs.ratios import Polynomial, Ratio, atom, constant, valued
from twoworlds.proofs.statements import Statement
from twoworlds.proofs.subsampling import sampled
from twoworlds.source.program import Assign, Binary, Draw, Expr, For, Literal, Name, Noise, Program, Unary, walk
from twoworlds.source.values import evaluate
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import L1, Each, Monotone, Neighbours, Number, One

__all__ = ["Reading", "readings"]

TWINNED: tuple[str, ...] = ("Laplace", "Gaussian", "DiscreteGaussian", WEIGHTED)
_GAUSSIAN: tuple[str, ...] = ("Gaussian",)
_ONLY_CONCENTRATED: tuple[str, ...] = ("Gaussian", "DiscreteGaussian")
ONE_SIDED: tuple[str, ...] = ("Exponential", "Gumbel")  # moved up, they are near in one direction only
_PRIVATE_ENTRY = r"{0}\.1|\({0}\.1 [^$]+\)"


@dataclass(frozen=True)
class Reading:
    """A program whose pure price, proved by alignment, gives the card its price by a theorem; "" where none is needed."""

    program: Program
    price: Pure | Purses
    theorem: str = ""
    cite: str = ""
    twinned: frozenset[int] = frozenset()
    """The sites of the draws whose noise is the twin's."""

    relation: Neighbours | None = None
    """That of the program, where it is not the card's."""

    @property
    def is_twin(self) -> bool:
        return bool(self.twinned)

    def admits(self, hints: Mapping[str, Any], private: str) -> bool:
        """Whether the theorem speaks of this alignment: a twin's shifts must not wait for the draw, nor exceed `by`."""
        if not self.is_twin:
            return True
        weighted = {str(draw.site) for draw in self.program.draws if draw.noise.law == WEIGHTED}
        return hints["guess"] is False and all(
            len(cases) == 1 and (_is_even(cases[0]) if site in weighted else _is_steady(cases[0], private))
            for site, cases in hints["shifts"].items()
            if int(site) in self.twinned
        )


def readings(found: Statement) -> Iterator[Reading]:
    """How the card's price can be shown by alignment, the way that needs least first."""
    price, program = found.price, found.program
    if isinstance(price, Pure):
        if after := sampled(found):
            cite = "Balle, Barthe and Gaboardi 2018"
            yield Reading(after.program, after.price, "amplification by sampling", cite, relation=after.relation)
        yield Reading(program, price)
    elif isinstance(price, Approximate):
        yield Reading(program, Pure(price.epsilon))  # a pure guarantee is an approximate one, whatever its delta
        yield from _mixed(found, price)
    elif isinstance(price, Concentrated):
        root = _root(found)
        if root is not None:
            yield Reading(program, root, "pure privacy is concentrated", "Bun and Steinke 2016, proposition 1.4")
        twin = _twin(found, price.rho, TWINNED)
        if twin is not None:
            yield Reading(twin[0], twin[1], "composition of aligned concentrated noise", _cited(found, twin[2]), twin[2])
    elif isinstance(price, GaussianPrivacy):
        twin = _twin(found, Expression(f"({price.mu}) * ({price.mu}) / 2"), _GAUSSIAN)
        if twin is not None:
            yield Reading(twin[0], twin[1], "composition of aligned Gaussian noise", "Smith and Thakurta 2022", twin[2])


def _mixed(found: Statement, price: Approximate) -> Iterator[Reading]:
    """Pure and concentrated draws side by side, by the theorem of `failures`."""
    split = parts(price)
    if split is None:
        return
    kinds = TWINNED if not split.pure.top else _ONLY_CONCENTRATED
    groups: list[set[int]] = [set() for _ in split.concentrated]
    for draw in found.program.draws:
        if draw.noise.law in kinds:
            scaled = {node.name for node in walk(scale_of(draw.noise)) if isinstance(node, Name)}
            likely = sorted(range(len(groups)), key=lambda at: (not scaled & names_in(split.concentrated[at]), len(groups[at])))
            groups[likely[0]].add(draw.site)
    sites = frozenset[int]().union(*groups)
    twin = _twinned_at(found, (split.pure, *split.concentrated), sites)
    if twin is not None and sites:
        pure, *rest = twin[1]
        others = frozenset(draw.site for draw in found.program.draws) - sites
        each = ((others, pure), *zip(map(frozenset, groups), rest, strict=True))
        known = tuple(part.epsilon for part in rest)
        cite = f"Bun and Steinke 2016, proposition 1.3; {_cited(found, sites)}"
        yield Reading(twin[0], Purses(each, known), "concentrated parts are approximately private", cite, sites)


def _cited(found: Statement, sites: frozenset[int]) -> str:
    chosen = any(draw.noise.law == WEIGHTED for draw in found.program.draws if draw.site in sites)
    cite = "Bun and Steinke 2016, propositions 1.4 and 1.6; Feldman and Zrnic 2021"
    return f"{cite}; Cesar and Rogers 2021" if chosen else cite


def _is_even(case: Mapping[str, Any]) -> bool:
    """One charge for every index, of 2 `by` at most."""
    return case["charge"] is not None and 0 <= Fraction(case["charge"]) <= 2


def _is_steady(case: Mapping[str, Any], private: str) -> bool:
    """One shift whatever is drawn or returned, of $u at most: by its charge, or as it is the move of one private entry."""
    by, charge = case["by"], case["charge"]
    if case["when"] != "true" or any("$noise" in name or "$o" in name for name in by):
        return False
    if charge is not None:
        return 0 <= Fraction(charge) <= 1
    entry = re.compile(_PRIVATE_ENTRY.format(re.escape(private)))
    return len(by) <= 1 and all(abs(times) == 1 and entry.fullmatch(name) for name, times in by.items())


# the twin


def _twin(found: Statement, rho: Expression, laws: tuple[str, ...]) -> tuple[Program, Pure, frozenset[int]] | None:
    """The program with Laplace noise in place of these, its price, and where it is drawn.

    None where the theorem does not speak of the program.
    """
    drawn = {draw.noise.law for draw in found.program.draws}
    if not drawn & set(laws) or drawn & ({*ONE_SIDED, *TWINNED} - set(laws)):
        return None
    sites = frozenset(draw.site for draw in found.program.draws if draw.noise.law in laws)
    try:
        twin = _twinned_at(found, (valued(rho, atom, _unknown),), sites)
    except (Unsupported, LookupError, ArithmeticError):
        return None
    return None if twin is None else (twin[0], twin[1][0], sites)


def _twinned_at(found: Statement, costs: tuple[Ratio, ...], sites: frozenset[int]) -> tuple[Program, tuple[Pure, ...]] | None:
    """The program with the twin's noise at these sites, and its prices."""
    relation = found.relation.relation if isinstance(found.relation, Monotone) else found.relation
    if type(relation) not in (Each, One, L1, Number):
        return None
    changed = {node.target for node in walk(found.program.body) if isinstance(node, Assign | Draw | For)}
    public = frozenset(found.program.parameters) - {relation.parameter} - changed
    try:
        divisors = frozenset[str]().union(*map(_divided_by, costs))
        inverse = divisors & (public - found.whole - found.relation.by.names - _read(found.program.body, sites))
        by = valued(found.relation.by, {name: atom(name) for name in public}.__getitem__, _unknown)
        values = {name: 1 / atom(name) if name in inverse else atom(name) for name in public}
        body = _twinned(found.program.body, sites, values, by)
        return replace(found.program, body=body), tuple(Pure(_spelled(_inverted(cost, inverse))) for cost in costs)
    except (Unsupported, LookupError, ArithmeticError):
        return None  # a price or scale that is no quotient of public parameters


def _read(node: Any, sites: frozenset[int]) -> frozenset[str]:
    """The names that are read anywhere but in the scales of the noise of these sites."""
    if isinstance(node, Draw) and node.site in sites:
        node = (node.count, node.noise.arguments[:1] if node.noise.law == WEIGHTED else ())
    if isinstance(node, tuple):
        return frozenset().union(*(_read(part, sites) for part in node))
    inside = [_read(getattr(node, field.name), sites) for field in fields(node)] if is_dataclass(node) else []
    return frozenset({node.name} if isinstance(node, Name) else ()).union(*inside)


def _divided_by(quotient: Ratio) -> frozenset[str]:
    """The names at whose 0 the quotient has no value."""
    powers = [frozenset(name for name, _ in monomial) for monomial in quotient.bottom]
    return frozenset.intersection(*powers)


def _inverted(quotient: Ratio, names: frozenset[str]) -> Ratio:
    """The quotient with the inverse of each of these names in its place."""
    parts = []
    for part in (quotient.top, quotient.bottom):
        total = constant(0)
        for monomial, factor in part.items():
            term = constant(factor)
            for name, power in monomial:
                term = term * atom(name) ** (-power if name in names else power)
            total = total + term
        parts.append(total)
    return parts[0] / parts[1]


def _twinned(node: Any, sites: frozenset[int], public: Mapping[str, Ratio], by: Ratio) -> Any:
    if isinstance(node, Draw) and node.site in sites:
        scale = scale_of(node.noise)
        plain = (Name, Literal, Unary, Binary)
        if not all(isinstance(part, plain) and (not isinstance(part, Name) or part.name in public) for part in walk(scale)):
            raise Unsupported(1, "a scale is not made of public parameters", "Compute it from parameters only")
        size = constant(evaluate(scale, public))
        if node.noise.law == WEIGHTED:
            return replace(node, noise=Noise(WEIGHTED, (node.noise.arguments[0], _written(_choice(size, by)))))
        return replace(node, noise=Noise("Laplace", (_written(2 * size * size / by),)))
    if isinstance(node, tuple):
        return tuple(_twinned(part, sites, public, by) for part in node)
    if is_dataclass(node) and not isinstance(node, type):
        return replace(node, **{field.name: _twinned(getattr(node, field.name), sites, public, by) for field in fields(node)})
    return node


def _choice(size: Ratio, by: Ratio) -> Ratio:
    """The scale in the twin of a choice by weights of this scale."""
    return 4 * size * size / by


def _written(quotient: Ratio) -> Expr:
    top, bottom = _sum(quotient.top), _sum(quotient.bottom)
    return top if bottom == Literal(Fraction(1)) else Binary("/", top, bottom)


def _spelled(quotient: Ratio) -> str:
    """The quotient as the text of a formula."""
    sums = []
    for part in (quotient.top, quotient.bottom):
        terms = []
        for monomial, factor in sorted(part.items()):
            names = [name for name, power in monomial for _ in range(power)]
            names = [f"len({name[5:]})" if name.startswith("$len.") else name for name in names]
            terms.append(" * ".join([f"({factor})", *names]))
        sums.append(" + ".join(terms) or "0")
    return sums[0] if quotient.bottom == {(): Fraction(1)} else f"({sums[0]}) / ({sums[1]})"


def _sum(part: Polynomial) -> Expr:
    total: Expr | None = None
    for monomial, factor in sorted(part.items()):
        names = [Name(name) for name, power in monomial for _ in range(power)]
        term: Expr = Literal(factor)
        if names and factor == 1:
            term, *names = names
        for name in names:
            term = Binary("*", term, name)
        total = term if total is None else Binary("+", total, term)
    return Literal(Fraction(0)) if total is None else total


# the root


def _root(found: Statement) -> Pure | None:
    """The pure price whose concentrated price is the card's: epsilon of epsilon^2 / 2, in size."""
    assert isinstance(found.price, Concentrated)
    try:
        twice = 2 * valued(found.price.rho, atom, _unknown)
    except (Unsupported, LookupError, ArithmeticError):
        return None
    parts = [_root_of(twice.top), _root_of(twice.bottom)]
    if None in parts or any(name.startswith("$") for name in re.findall(r"[$\w.]+", " ".join(map(str, parts)))):
        return None
    return Pure(f"abs({parts[0]})") if parts[1] == "1" else Pure(f"abs(({parts[0]}) / ({parts[1]}))")


def _root_of(part: Polynomial) -> str | None:
    """The root of a square of one product."""
    if len(part) != 1:
        return None
    [(monomial, factor)] = part.items()
    above, below = (isqrt(max(number, 0)) for number in (factor.numerator, factor.denominator))
    if Fraction(above**2, below**2) != factor or any(power % 2 for _, power in monomial):
        return None
    names = [name for name, power in monomial for _ in range(power // 2)]
    size = f"{above}" if below == 1 else f"{above} / {below}"
    return " * ".join(names if size == "1" and names else [size, *names])


def _unknown(function: str, _: list[Ratio]) -> Ratio:
    raise Unsupported(1, f"{function} has no root or twin here", "Use sums, products and quotients")
