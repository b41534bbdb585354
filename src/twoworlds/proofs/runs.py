"""Values in two runs at once, as SMT-LIB terms: parameters, entries of lists and expressions, and where they may fail.

A variable x is written x.1 and x.2 in the two runs; ghosts begin with a dollar sign; every number is a term of sort Real.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from typing import Any

from twoworlds.losses.prices import Pure
from twoworlds.proofs.guesses import AMONG, COUNT, Guess, guesses
from twoworlds.proofs.instances import GUESSES, Base, below
from twoworlds.proofs.kinds import is_present, is_whole, kinds, leaves, lists_of_truths
from twoworlds.proofs.purses import Purses
from twoworlds.source import program as lang
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import L1, L2, Each, Metric, Monotone, Number, One

__all__ = ["Pair", "Runs", "State", "formula", "joined", "magnitude", "number", "same"]

RELATIONS = (Each, L1, L2, Metric, Number, One)
_OPERATORS = {"==": "=", "!=": "distinct", "//": "$floor/2", "%": "$modulo/2", "**": "$power/2"}
Pair = tuple[str, str]


@dataclass(frozen=True)
class State:
    """A point of both runs: each variable's value in run 1 and in run 2, and what is known there."""

    env: Mapping[str, Pair]
    facts: tuple[str, ...] = ()

    def put(self, name: str, value: Pair) -> State:
        """The variable has this value; what it held before, a list or a number, is gone."""
        other = name[5:] if name.startswith("$len.") else f"$len.{name}"
        return replace(self, env={**{known: pair for known, pair in self.env.items() if known != other}, name: value})

    def assume(self, *facts: str) -> State:
        return replace(self, facts=(*self.facts, *facts))

    def fill(self, text: str, **further: str) -> str:
        """A hint's formula with the values of this point."""
        known = {name if name[0] == "$" else f"{name}.{run + 1}": pair[run] for name, pair in self.env.items() for run in (0, 1)}
        known |= {
            f"{name[4:]}.{run + 1}": pair[run] for name, pair in self.env.items() if name.startswith("$at.") for run in (0, 1)
        }
        known |= {
            "$none": "(to_real $none)",
            "$where": "(to_real $where)",
            **{f"${name}": value for name, value in further.items()},
        }
        return re.sub(r"[^\s()]+", lambda token: known.get(token[0], token[0]), text)


def number(value: Fraction) -> str:
    size = f"{abs(value.numerator)}.0" if value.denominator == 1 else f"(/ {abs(value.numerator)}.0 {value.denominator}.0)"
    return size if value >= 0 else f"(- {size})"


def same(pair: Pair) -> str:
    return "true" if pair[0] == pair[1] else f"(= {pair[0]} {pair[1]})"


def joined(op: str, *pairs: Pair) -> Pair:
    return f"({op} {' '.join(pair[0] for pair in pairs)})", f"({op} {' '.join(pair[1] for pair in pairs)})"


def magnitude(term: str) -> str:
    return f"(ite (>= {term} 0.0) {term} (- {term}))"


def formula(text: Expression) -> str:
    """A price or bound, over the public parameters; functions without a meaning here are left open."""

    def term(node: Any) -> str:
        if isinstance(node, ast.Constant):
            return number(text.constant(node))
        if isinstance(node, ast.Name):
            return f"{node.id}.1"
        if isinstance(node, ast.UnaryOp):
            return f"(- {term(node.operand)})" if isinstance(node.op, ast.USub) else term(node.operand)
        if isinstance(node, ast.BinOp):
            op = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "$power/2"}[type(node.op)]
            return f"({op} {term(node.left)} {term(node.right)})"
        if node.func.id == "len":
            return f"$len.{node.args[0].id}"
        if node.func.id == "abs":
            return magnitude(term(node.args[0]))
        return f"(${node.func.id}/{len(node.args)} {' '.join(term(argument) for argument in node.args)})"

    return term(text.tree)


def refuse_malformed(hints: Any) -> None:
    """Each text of a hint must be one expression: it is put into a formula and must not end it.

    Nor may it name a symbol of one point of the walk (x!7), nor bind one, as `let` and `forall` do in double brackets: what it
    says must be sayable, and the same, of every point.
    """
    if isinstance(hints, Mapping):
        for key, value in hints.items():
            refuse_malformed(key)
            refuse_malformed(value)
    elif isinstance(hints, list | tuple):
        for value in hints:
            refuse_malformed(value)
    elif isinstance(hints, str):
        depths = list(accumulate((sign == "(") - (sign == ")") for sign in hints))
        apart = any(depth == 0 for depth in depths[:-1]) if hints.startswith("(") else any(sign in "() " for sign in hints)
        binds = re.search(r"\(\s*\(", hints)
        if not re.fullmatch(r"[\w.@$~<>=+*/() -]+", hints) or apart or depths[-1] or binds:
            raise Unsupported(1, f"the hint {hints!r} is not one expression", "Write it in SMT-LIB's brackets")


def _by_steps(relation: Metric) -> bool:
    """Whether two points of the grid are joined by as many steps of `by` as their distance is long: then costs add up to it."""
    return relation.kind != "euclid" and relation.grid is not None and relation.by == Expression.of(relation.grid)


class Runs:
    """Both runs of a program, what is known of its worlds, and the goals met so far as (facts, goal, reason)."""

    def __init__(self, program: lang.Program, relation: Any, price: Any, whole: frozenset[str], hints: Mapping[str, Any]) -> None:
        self.program, self.relation, self.hints = program, relation, hints
        refuse_malformed(hints)
        inner = relation.relation if type(relation) is Monotone else relation
        if type(inner) not in RELATIONS or type(price) not in (Pure, Purses):
            raise Unsupported(1, f"{price} for {relation} is not covered by alignments", "Use Pure, and Each, One, L1 or Number")
        if type(inner) is Metric and not _by_steps(inner):
            why = f"{relation} prices every distance in proportion, and proofs speak of steps of one length"
            raise Unsupported(
                1, why, 'Write Metric(..., kind="manhattan", by=1, grid=1): all points of a grid are joined by steps'
            )
        self.private = relation.parameter
        each, known = (price.each, price.known) if isinstance(price, Purses) else (((None, price),), (price.epsilon,))
        self.purses = [(sites, formula(part.epsilon)) for sites, part in each]
        self.kinds = kinds(program, self.private, whole)
        if (self.private in self.kinds.lists) is (type(inner) is Number):
            raise Unsupported(
                1, f"`{self.private}` is a list in the relation or in the program, not in both", "Change one of them"
            )
        self.symbols: dict[str, str] = {"$u": "() Real"}
        self.axioms = ["(<= 0.0 $u)", f"(<= $u {formula(relation.by)})", *(f"(<= 0.0 {formula(part)})" for part in known)]
        self.queries: list[tuple[tuple[str, ...], str, str]] = []
        self.scales: dict[str, tuple[str, tuple[str, ...]]] = {}
        loops = (node for node in lang.walk(program.body) if isinstance(node, lang.While))
        self.loops = {id(node): at for at, node in enumerate(loops)}
        self.charges = [f"$K{site}" for site in sorted(hints["shifts"], key=int)]
        self.places = "$where" in str(hints)  # whether they speak of the entry that moves
        self.tests: list[Pair] = []
        self.guards: list[Pair] = []
        self.divisors: list[str] = []
        self.followed = frozenset(hints.get("entries", ()))
        self.bases: list[Base] = []
        self.definitions: list[str] = []
        self.guessed = self.guesses() if hints["guess"] and hints.get("among") else ()

    def guesses(self) -> tuple[Guess, ...]:
        """The guesses of an output with its lists, and the ghosts that speak of them."""
        found = guesses(self.program, self.kinds, lists=True)
        self.symbols |= {AMONG: "(Real) Bool", COUNT: "(Real) Real", GUESSES: "() Real"}
        for guess in found:
            if guess.of_list:
                self.symbols |= {guess.length: "() Real", f"{guess.name}!" if guess.whole else guess.name: "(Real) Real"}
            if guess.of_list and guess.whole:
                self.symbols[f"{guess.name}!"] = "(Real) Int"
                self.definitions.append(f"(define-fun {guess.name} ((at Real)) Real (to_real ({guess.name}! at)))")
        return found

    # symbols and goals

    def symbol(self, name: str, sort: str = "Real") -> str:
        self.symbols[name] = f"() {sort}"
        return f"(to_real {name})" if sort == "Int" else name

    def fresh(self, name: str) -> Pair:
        """Any value in run 1 and any in run 2."""
        sort = "Bool" if name in self.kinds.truths else "Int" if name in self.kinds.whole or name.startswith("$len") else "Real"
        if name.startswith("$at."):
            return self.array(name[4:]), self.array(name[4:])
        one = self.symbol(f"{name}!{len(self.symbols)}", sort)
        return (one, one) if name.startswith("$") else (one, self.symbol(f"{name}!{len(self.symbols)}", sort))

    def claim(self, state: State, goal: str, why: str) -> None:
        if goal != "true":
            self.queries.append((state.facts, goal, why))

    def lockstep(self, state: State, why: str, *pairs: Pair) -> None:
        for pair in pairs:
            self.claim(state, same(pair), why)

    def parameter(self, name: str, state: State) -> State:
        """A parameter is equal in both worlds, unless the relation speaks of it; a list has one public length."""
        if name in self.kinds.lists:
            self.symbols |= {f"{name}.1": "(Real) Real", f"{name}.2": "(Real) Real"}
            length = self.symbol(f"$len.{name}", "Int")
            self.axioms.append(f"(<= {'1.0' if name == self.private else '0.0'} {length})")  # an empty list is its only neighbour
            return state.put(f"$len.{name}", (length, length))
        if name != self.private:
            return state.put(name, (self.symbol(f"{name}.1", "Int" if name in self.kinds.whole else "Real"),) * 2)
        pair = self.symbol(f"{name}.1"), self.symbol(f"{name}.2")
        self.axioms += self.near(*pair, "0.0")
        return state.put(name, pair)

    def near(self, one: str, other: str, index: str) -> list[str]:
        """What the relation says of an entry in two worlds; $moved adds up |difference| over the entries before an index."""
        move = f"(- {other} {one})"
        facts = [f"(<= {magnitude(move)} $u)"]
        if type(self.relation) is Monotone:
            up = self.symbol("$up", "Bool")
            facts.append(f"(ite {up} (>= {move} 0.0) (<= {move} 0.0))")
        relation = self.relation.relation if type(self.relation) is Monotone else self.relation
        if type(relation) is One and self.places:
            where = self.symbol("$where", "Int")  # counted from the front: an index below 0 is another entry's second name
            facts.append(f"(=> (>= {index} 0.0) (or (= {index} {where}) (= {move} 0.0)))")
        if self.adds_up:
            upto, beyond = f"($moved/1 {index})", f"($moved/1 (+ {index} 1.0))"
            sums = f"(and (= {beyond} (+ {upto} {magnitude(move)})) (<= 0.0 {upto}) (<= {beyond} $u))"
            facts += [f"(=> (>= {index} 0.0) {sums})", "(= ($moved/1 0.0) 0.0)"]
        return facts

    @property
    def adds_up(self) -> bool:
        """Whether the bound holds for all entries together."""
        relation = self.relation.relation if type(self.relation) is Monotone else self.relation
        return type(relation) in (One, L1) or (type(relation) is Metric and relation.kind == "manhattan")

    def in_order(self, one: str, other: str) -> list[str]:
        """Entries before an index have moved no more than those before a later one."""
        pairs = [(one, other), (other, one)] if self.adds_up else []
        return [
            f"(=> (and (<= 0.0 {low}) (<= (+ {low} 1.0) {high})) (<= ($moved/1 (+ {low} 1.0)) ($moved/1 {high})))"
            for low, high in pairs
        ]

    # expressions

    def values(self, expr: lang.Expr, state: State) -> tuple[Pair, State]:
        facts: list[str] = []
        pair = self.pair(expr, state, facts)
        return pair, state.assume(*facts)

    def pair(self, expr: lang.Expr, state: State, facts: list[str]) -> Pair:
        """The expression in both runs; what the entries of a list are known to be is added to the facts."""
        match expr:
            case lang.Literal(value) if isinstance(value, bool):
                return (str(value).lower(),) * 2
            case lang.Literal(value) if isinstance(value, Fraction):
                return (number(value),) * 2
            case lang.Literal(None):  # as some number: what holds whichever it is holds for one that no number equals
                return (self.symbol("$none", "Int"),) * 2
            case lang.Name(name) if name in state.env:
                return state.env[name]
            case lang.Unary("not", operand):
                return joined("not", self.pair(operand, state, facts))
            case lang.Unary(op, operand):
                return joined(op, self.present(operand, state, facts))
            case lang.Compare("==" | "!=" as op, left, right):
                return joined(_OPERATORS[op], self.pair(left, state, facts), self.pair(right, state, facts))
            case lang.Compare(op, left, right):
                return joined(op, self.present(left, state, facts), self.present(right, state, facts))
            case lang.Logic(op, parts):
                pairs = []
                for part in parts:
                    pairs.append(self.pair(part, state, facts))
                    self.tests.append(pairs[-1])
                    self.guards.append(pairs[-1] if op == "and" else joined("not", pairs[-1]))
                del self.tests[-len(parts) :], self.guards[-len(parts) :]
                return joined(op, *pairs)
            case lang.Choice(test, then, otherwise):
                self.tests.append(self.pair(test, state, facts))
                self.guards.append(self.tests[-1])
                chosen = [self.pair(then, state, facts)]
                self.guards[-1] = joined("not", self.tests[-1])
                chosen.append(self.pair(otherwise, state, facts))
                self.guards.pop()
                return joined("ite", self.tests.pop(), *chosen)
            case lang.Binary("+" | "-" | "*" as op, left, right):
                return joined(op, self.present(left, state, facts), self.present(right, state, facts))
            case lang.Binary("//", left, lang.Literal(1)) if is_whole(left, self.kinds.whole):  # the bounds of a range
                bound = self.pair(left, state, facts)
                self.lockstep(state, "loop bounds are public", bound, *self.tests)
                return bound
            case lang.Binary(op, left, right):
                return self.partial(op, self.present(left, state, facts), self.present(right, state, facts), state)
            case lang.Item(lang.Name(name), index):
                return self.entry(name, self.pair(index, state, facts), state, facts)
            case lang.Call("len", (lang.Name(name),)):
                return state.env[f"$len.{name}"]
        raise Unsupported(
            1, f"{expr} is outside the prover, or has no value on some path", "Use numbers, comparisons and entries"
        )

    def present(self, operand: lang.Expr, state: State, facts: list[str]) -> Pair:
        """An operand of arithmetic or of an order: where it is computed with, it is a number, for None would end one run."""
        pair = self.pair(operand, state, facts)
        if not is_present(operand, self.kinds.present):
            nothing = self.symbol("$none", "Int")
            for run in (0, 1):
                known = state.assume(*facts, *(guard[run] for guard in self.guards))
                self.claim(known, f"(distinct {pair[run]} {nothing})", "None is not computed with")
        return pair

    def apart(self, target: str, value: lang.Expr, state: State) -> list[str]:
        """A number that is given to a name which may hold None is not the one that stands for None.

        That one may be any whole number; as two runs hold finitely many, it may be taken to be none of them.
        """
        if target in self.kinds.present:
            return []
        pairs = [
            state.env[name] for name in leaves(value) if name in self.kinds.present - self.kinds.truths and name in state.env
        ]
        nothing = self.symbol("$none", "Int")
        return [f"(distinct {number} {nothing})" for pair in pairs for number in dict.fromkeys(pair)]

    def partial(self, op: str, left: Pair, right: Pair, state: State) -> Pair:
        """What can fail at run time must fail in both worlds or in neither."""
        self.lockstep(state, "what is divided by is public, and divided in both worlds", right, *self.tests)
        if op != "/":
            self.lockstep(state, f"the operands of {op} are public", left)
            return joined(_OPERATORS[op], left, right)
        if not self.tests:
            self.divisors.append(right[0])
        exact = right[0][0].isdigit() or (self.is_public(left[0]) and self.is_public(right[0]))
        return joined("/" if exact else "$quotient/2", left, right)

    def is_public(self, term: str) -> bool:
        """Made of parameters and numbers alone, hence the same whenever it is evaluated."""
        given = {f"{name}.1" for name in self.program.parameters if name != self.private}
        given |= {f"$len.{name}" for name in self.program.parameters}
        return all(token in given for token in re.findall(r"[^\s()]+", term) if token in self.symbols)

    def entry(self, name: str, index: Pair, state: State, facts: list[str]) -> Pair:
        """An entry of a list: for the private parameter as the relation says, for a list built here as its hint says."""
        if f"$at.{name}" in state.env:
            return self.followed_entry(name, index, state, facts)
        if name in self.followed and name not in self.program.parameters:
            raise Unsupported(1, f"`{name}` may have no value", "Give it one before the branch or loop")
        self.lockstep(state, "the index is public, and read in both worlds", index, *self.tests)
        if name in self.program.parameters:
            one, other = f"({name}.1 {index[0]})", f"({name}.{2 if name == self.private else 1} {index[0]})"
            self.axioms += self.near(one, other, index[0]) if name == self.private else []
            return one, other
        self.claim(state, f"(<= 0.0 {index[0]})", "the index counts from the front")
        pair = self.fresh(name)
        facts += [] if self.tests else [self.cell(name, index[0], pair)]
        return pair

    def cell(self, name: str, index: str, pair: Pair) -> str:
        hint = self.hints["cells"].get(name, "(= $one $two)")
        return State({}).fill(hint, at=index, one=pair[0], two=pair[1])

    # lists that are followed entry by entry

    def array(self, name: str) -> str:
        """A list of which nothing is known."""
        symbol = f"{name}!{len(self.symbols)}"
        self.symbols[symbol] = f"(Real) {'Bool' if name in lists_of_truths(self.program, self.kinds) else 'Real'}"
        return symbol

    def followed_entry(self, name: str, index: Pair, state: State, facts: list[str]) -> Pair:
        """Where the runs read at different indexes, each must find an entry; where they read at one, both do or neither."""
        known = state.assume(*facts)
        self.inside(name, index, known)
        arrays, length = state.env[f"$at.{name}"], state.env[f"$len.{name}"]
        facts += [] if self.tests else [below(index[run], length[run]) for run in (0, 1)]
        return f"(select {arrays[0]} {index[0]})", f"(select {arrays[1]} {index[1]})"

    def inside(self, name: str, index: Pair, state: State) -> None:
        length = state.env[f"$len.{name}"]
        within = []
        for run in (0, 1):
            asked = " ".join(["true", *(guard[run] for guard in self.guards)])
            self.claim(state, f"(=> (and {asked}) (<= 0.0 {index[run]}))", "the index counts from the front")
            within.append(f"(=> (and {asked}) {below(index[run], length[run])})")
        alike = " ".join(["true", *map(same, (index, *self.tests))])
        self.claim(
            state, f"(or (and {alike}) (and {' '.join(within)}))", "the index is within the list, or the same in both runs"
        )

    def entries_hold(self, name: str, state: State) -> None:
        """Every entry of the list is as its hint says: shown for one of which nothing else is known."""
        at = self.symbol(f"$at!{len(self.symbols)}", "Int")
        one, two = (f"(select {array} {at})" for array in state.env[f"$at.{name}"])
        inside = state.assume(f"(<= 0.0 {at})", below(at, state.env[f"$len.{name}"][0]))
        hint = state.fill(self.hints["cells"].get(name, "(= $one $two)"), at=at, one=one, two=two)
        self.claim(inside, hint, "the entry is as the list's hint says")

    def begin(self, name: str, state: State) -> None:
        """At a loop head: a list of which only its hint is known."""
        hint = state.fill(self.hints["cells"].get(name, "(= $one $two)"))
        self.bases.append(Base(name, state.env[f"$at.{name}"], hint, state.env[f"$len.{name}"][0]))
