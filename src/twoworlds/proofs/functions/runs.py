"""The trusted part: from a straightened program, a claim and invariants, every obligation of a proof that the claim holds.

Theorem. Let the two runs start in neighbouring inputs. Each loop makes equally many rounds in both (its test is equal), and what
an invariant says holds before the first round and is kept by each. Then it holds after the loop, and where the function returns,
the two outputs are at most `by` apart, for lists of every length. A list that the function builds is known by three numbers that
are never too small: the sum, the largest and the sum of squares of how far its entries are apart. What can fail at run time, a
division or an index, fails in both runs or in neither. Numbers are exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from twoworlds.proofs.functions.claims import Stated
from twoworlds.proofs.functions.points import Pair, Point, Query, larger, parts, same, size, term
from twoworlds.proofs.functions.reader import Reader, placed
from twoworlds.proofs.functions.tables import here
from twoworlds.proofs.kinds import kinds
from twoworlds.proofs.runs import refuse_malformed
from twoworlds.source import program as lang
from twoworlds.worlds.errors import Unsupported
from twoworlds.worlds.expressions import Expression
from twoworlds.worlds.neighbours import L1, L2, AddRemove, Each, Edit, Local, Monotone, Number, One, Replace

__all__ = ["GHOSTS", "RELATIONS", "Runs", "obligations"]

RELATIONS = (Each, One, L1, L2, Number, Local, AddRemove, Replace, Edit)
GHOSTS = ("$l1", "$linf", "$sq")
_LONG = 120


class Runs:
    """Walks both runs at once and collects what must hold; `hints` has the parts of each loop's invariant."""

    def __init__(self, program: lang.Program, stated: Stated, whole: frozenset[str], hints: list[list[str]]) -> None:
        self.program, self.stated, self.hints = program, stated, hints
        relation = stated.neighbours
        self.directed = isinstance(relation, Monotone)
        self.ghosts = (
            GHOSTS if stated.metric == "L2" else GHOSTS[:2]
        )  # squares are hard on solvers, so only where they are asked for
        self.relation: Any = getattr(relation, "relation", relation)
        if type(self.relation) not in RELATIONS:
            raise Unsupported(1, f"{relation} is not covered", "Use a relation of numbers, lists or rows")
        self.private = relation.parameter
        self.kinds = kinds(program, self.private, whole)
        self.of_one = isinstance(self.relation, Number | Local)
        if self.of_one and self.private in self.kinds.lists:
            raise Unsupported(1, f"`{self.private}` is a list in the function and none in {relation}", "Change one of them")
        self.symbols: dict[str, str] = {"$u": "() Real", "$at": "() Real"}
        self.axioms: list[str] = ["(<= 0.0 $u)", "(<= 0.0 $at)", *self.sums()]
        self.queries: list[Query] = []
        self.exits: list[tuple[Point, dict[str, str]]] = []
        loops = (node for node in lang.walk(program.body) if isinstance(node, lang.While))
        self.loops = {id(node): at for at, node in enumerate(loops)}
        self.tests: list[Pair] = []
        self.line = 1

    # symbols

    def symbol(self, name: str, sort: str = "Real") -> str:
        self.symbols[name] = f"() {sort}"
        return f"(to_real {name})" if sort == "Int" else name

    def fresh(self, name: str) -> Pair:
        """Any value in run 1 and any in run 2; ghosts have one value in both."""
        sort = "Bool" if name in self.kinds.truths else "Int" if name in self.kinds.whole or name.startswith("$len.") else "Real"
        one = self.symbol(f"{name}!{len(self.symbols)}", sort)
        return (one, one) if name.startswith("$") else (one, self.symbol(f"{name}!{len(self.symbols)}", sort))

    def fresh_list(self, name: str) -> Pair:
        """A list that the function built, as one unknown function of the index in each run."""
        sort = "Bool" if name in self.kinds.truths else "Real"
        names = [f"{name}!{len(self.symbols) + at}" for at in (0, 1)]
        self.symbols |= dict.fromkeys(names, f"(Real) {sort}")
        return names[0], names[1]

    def claim(self, point: Point, goal: str, why: str, label: tuple[int, int] | None = None) -> None:
        if goal != "true":
            self.queries.append(Query(point.facts, goal, f"line {self.line}: {why}", label, point.parts))

    def short(self, name: str, pair: Pair, point: Point) -> tuple[Pair, Point]:
        """Long terms get a name, so that texts stay small however often a variable is read."""
        if max(map(len, pair)) <= _LONG:
            return pair, point
        sort = "Bool" if name in self.kinds.truths else "Real"
        named = []
        for text in pair if pair[0] != pair[1] else pair[:1]:
            named.append(self.symbol(f"{name}!{len(self.symbols)}", sort))
            point = point.assume(f"(= {named[-1]} {text})")
        return (named[0], named[-1]), point

    # inputs

    def start(self) -> Point:
        point = Point({"$u": ("$u", "$u"), "$at": ("$at", "$at")})
        for name in self.program.parameters:
            point = self.parameter(name, point)
        if hasattr(self.relation, "limit"):
            self.axioms.append(f"(<= $u {point.fill(term(self.relation.by))})")
        return point

    def sums(self) -> list[str]:
        """Of the moves before the first entry, there are none."""
        return ["(= ($moved/1 0.0) 0.0)"] if isinstance(self.relation, L1 | L2) else []

    def parameter(self, name: str, point: Point) -> Point:
        if name in self.kinds.lists or name == here(self.private) or (name == self.private and not self.of_one):
            self.symbols |= {f"{name}.1": "(Real) Real", f"{name}.2": "(Real) Real"}
            length = self.symbol(f"$len.{self.private if name == here(self.private) else name}", "Int")
            self.axioms.append(f"(<= 0.0 {length})")
            point = point.put(f"$len.{name}", (length, length))
            return self.measured(name, point)
        if name != self.private:
            sort = "Bool" if name in self.truth_parameters() else "Int" if name in self.kinds.whole else "Real"
            return point.put(name, (self.symbol(f"{name}.1", sort),) * 2)
        pair = self.symbol(f"{name}.1"), self.symbol(f"{name}.2")
        self.axioms += [] if isinstance(self.relation, Local) else [f"(<= {size(f'(- {pair[1]} {pair[0]})')} $u)"]
        return point.put(name, pair)

    def truth_parameters(self) -> set[str]:
        """Public parameters that are tested as they are."""
        tests = [node.test for node in lang.walk(self.program.body) if isinstance(node, lang.If | lang.Choice | lang.While)]
        return {test.name for test in tests if isinstance(test, lang.Name) and test.name in self.program.parameters}

    def measured(self, name: str, point: Point) -> Point:
        """How far a list that was handed in is apart: nothing, where it is public."""
        known = {"$l1": "0.0", "$linf": "0.0", "$sq": "0.0"}
        if name == self.private:
            relation = self.relation
            known = {ghost: self.symbol(f"{ghost}.{name}") for ghost in self.ghosts}
            self.axioms += [f"(<= 0.0 {known[ghost]})" for ghost in self.ghosts]
            if isinstance(relation, Each | One | L1 | L2):
                self.axioms.append(f"(<= {known['$linf']} $u)")
            if isinstance(relation, One | L1):
                self.axioms.append(f"(<= {known['$l1']} $u)")
            if isinstance(relation, One | L1 | L2) and "$sq" in self.ghosts:
                self.axioms.append(f"(<= {known['$sq']} (* $u $u))")
        for ghost, text in known.items():
            point = point.put(f"{ghost}.{name}", (text, text))
        return point

    def near(self, name: str, index: str) -> list[str]:
        """What the relation says of an entry of a private list; $moved sums up sizes (or squares) of moves before an index."""
        one, other = f"({name}.1 {index})", f"({name}.2 {index})"
        relation, move = self.relation, f"(- {other} {one})"
        elsewhere = f"(or (= {index} $at) (= {one} {other}))"
        if name == here(self.private):
            both = [f"(or (= {entry} 0.0) (= {entry} 1.0))" for entry in (one, other)]
            return [*both, elsewhere]
        if isinstance(relation, AddRemove):
            return [f"(= {one} {other})"]
        facts = [elsewhere] if isinstance(relation, One | Replace | Edit) else []
        if isinstance(relation, Each | One | L1 | L2):
            facts.append(f"(<= {size(move)} $u)")
        if self.directed:
            up = self.symbol("$up", "Bool")
            facts.append(f"(ite {up} (>= {move} 0.0) (<= {move} 0.0))")
        if isinstance(relation, L1 | L2):
            upto, beyond = f"($moved/1 {index})", f"($moved/1 (+ {index} 1.0))"
            step, most = (f"(* {move} {move})", "(* $u $u)") if isinstance(relation, L2) else (size(move), "$u")
            facts.append(f"(=> (>= {index} 0.0) (and (= {beyond} (+ {upto} {step})) (<= 0.0 {upto}) (<= {beyond} {most})))")
        return facts

    # expressions

    def values(self, expr: lang.Expr, point: Point) -> tuple[Pair, Point]:
        reader = Reader(self, point)
        return reader.pair(expr), replace(point.assume(*reader.facts, *reader.passed), read=reader.read)

    # statements

    def walk(self) -> Runs:
        for kind, end in self.block(self.program.body, self.start()):
            if kind == "next":
                self.claim(end, "false", "the function returns on every path")
        return self

    def block(self, steps: tuple[lang.Stmt, ...], point: Point) -> Iterator[tuple[str, Point]]:
        if not steps:
            yield "next", point
            return
        for kind, after in self.step(steps[0], point):
            if kind == "next":
                yield from self.block(steps[1:], after)
            else:
                yield kind, after

    def step(self, step: lang.Stmt, point: Point) -> Iterator[tuple[str, Point]]:
        self.line = step.line
        match step:
            case lang.Assign(_, target, value):
                yield "next", self.assign(target, value, point)
            case lang.Append(_, target, value):
                pair, point = self.values(value, point)
                length = f"(+ {point.env[f'$len.{target}'][0]} 1.0)"
                yield "next", self.moved(target, self.appended(pair), point.put(f"$len.{target}", (length, length)))
            case lang.Store(_, target, index, value):
                yield "next", self.store(target, index, value, point)
            case lang.If(_, test, then, otherwise):
                pair, point = self.values(test, point)
                self.claim(point, same(pair), "both runs take the same branch")
                yield from self.block(then, point.assume(*dict.fromkeys(pair)))
                yield from self.block(otherwise, point.assume(*(f"(not {value})" for value in dict.fromkeys(pair))))
            case lang.While():
                yield from self.loop(step, point)
            case lang.Return(_, value):
                self.leave(value, point)
            case _:
                yield type(step).__name__.lower(), point

    def assign(self, target: str, value: lang.Expr, point: Point) -> Point:
        if value == lang.Many("list", ()):
            point = point.forget({target}).put(f"$len.{target}", ("0.0", "0.0"))
            for ghost in self.ghosts:
                point = point.put(f"{ghost}.{target}", ("0.0", "0.0"))
            return point
        if isinstance(value, lang.Name) and f"$len.{value.name}" in point.env:
            for ghost in ("$len", *self.ghosts):
                point = point.put(f"{ghost}.{target}", point.env[f"{ghost}.{value.name}"])
            return point.forget({target})
        pair, point = self.values(value, point)
        pair, point = self.short(target, pair, point)
        return point.put(target, pair)

    def gap(self, pair: Pair, truth: bool = False) -> str:
        """How far two values are apart; truth values are 0 or 1 apart."""
        if pair[0] == pair[1]:
            return "0.0"
        return f"(ite (= {pair[0]} {pair[1]}) 0.0 1.0)" if truth or self.is_truth(pair) else size(f"(- {pair[1]} {pair[0]})")

    def is_truth(self, pair: Pair) -> bool:
        text = pair[0]
        names = {"true", "false"} | {name for name, sort in self.symbols.items() if sort == "() Bool"}
        if text.startswith("(ite "):
            return self.is_truth((parts(text)[2], ""))
        return text in names or text.startswith(("(and ", "(or ", "(not ", "(= ", "(< ", "(<= ", "(> ", "(>= ", "(distinct "))

    def appended(self, pair: Pair) -> dict[str, str]:
        """What an entry more adds to how far a list is apart."""
        gap = self.gap(pair)
        return {"$l1": f"(+ <before> {gap})", "$linf": larger("<before>", gap), "$sq": f"(+ <before> (* {gap} {gap}))"}

    def moved(self, name: str, how: Mapping[str, str], point: Point) -> Point:
        """The list's distances after a change, each written with <before> for what it was."""
        point = point.forget({name})
        for ghost, text in how.items():
            if ghost not in self.ghosts:
                continue
            ghosted = f"{ghost}.{name}"
            value = text.replace("<before>", point.env[ghosted][0])
            pair, point = self.short(ghosted, (value, value), point)
            point = point.put(ghosted, pair)
        return point

    def store(self, name: str, index: lang.Expr, value: lang.Expr, point: Point) -> Point:
        """One entry changes in each run, at places that may differ: no list moves further than its changed entries do."""
        given, point = self.values(index, point)
        length = point.env[f"$len.{name}"][0]
        at = placed(given[0], length), placed(given[1], length)
        old, point = self.values(_entry(name, index, value), point)
        new, point = self.values(value, point)
        truth = name in self.kinds.truths
        before, after = self.gap(old, truth), self.gap(new, truth)
        one, other = self.gap((old[0], new[0]), truth), self.gap((old[1], new[1]), truth)
        most = point.env[f"$linf.{name}"][0]
        apart = f"(+ {one} {other})"
        how = {
            "$l1": f"(+ (- <before> {before}) {after})",
            "$linf": larger("<before>", after),
            "$sq": f"(+ (- <before> (* {before} {before})) (* {after} {after}))",
        }
        if at[0] != at[1]:
            elsewhere = {
                "$l1": f"(+ <before> {apart})",
                "$linf": f"(+ <before> {larger(one, other)})",
                "$sq": f"(+ <before> (* 2.0 {most} {apart}) (* {one} {one}) (* {other} {other}))",
            }
            how = {ghost: f"(ite (= {at[0]} {at[1]}) {text} {elsewhere[ghost]})" for ghost, text in how.items()}
        return self.moved(name, how, point)

    def loop(self, step: lang.While, point: Point) -> Iterator[tuple[str, Point]]:
        """Any number of rounds, by an invariant that holds before the first and is kept by each."""
        at, line = self.loops[id(step)], step.line
        self.keep(at, point, "the invariant holds before the loop")
        inside = {node.target for node in lang.walk(step.body) if isinstance(node, lang.Assign | lang.Append | lang.Store)}
        longer = {node.target for node in lang.walk(step.body) if isinstance(node, lang.Assign | lang.Append)}
        changed = inside | {f"{ghost}.{name}" for name in inside for ghost in GHOSTS} | {f"$len.{name}" for name in longer}
        head = replace(point, env={name: self.fresh(name) if name in changed else pair for name, pair in point.env.items()})
        head = head.forget(inside)
        for name in changed & head.env.keys():
            head = head.assume(f"(<= 0.0 {head.env[name][0]})") if name.startswith("$") else head
        parts = tuple((head.fill(part), (at, place)) for place, part in enumerate(self.hints[at]))
        head = replace(head.assume(*(part for part, _ in parts)), parts=(*head.parts, *parts))
        test, head = self.values(step.test, head)
        self.claim(head, same(test), "both runs stay in the loop or leave it")
        for kind, after in self.block(step.body, head.assume(*dict.fromkeys(test))):
            if kind == "break":
                yield "next", after
            else:
                self.line = line
                self.keep(at, after, "the invariant is kept")
        yield "next", head.assume(*(f"(not {value})" for value in dict.fromkeys(test)))

    def keep(self, at: int, point: Point, why: str) -> None:
        for place, part in enumerate(self.hints[at]):
            self.claim(point, point.fill(part), why, (at, place))

    def leave(self, value: lang.Expr, point: Point) -> None:
        parts = value.entries if isinstance(value, lang.Many) else (value,)
        total: dict[str, list[str]] = {ghost: [] for ghost in self.ghosts}
        for part in parts:
            if isinstance(part, lang.Name) and f"$len.{part.name}" in point.env:
                if part.name == self.private and isinstance(self.relation, AddRemove | Edit):
                    raise Unsupported(self.line, f"`{part.name}` is returned, and its length is secret", "Return numbers")
                for ghost, texts in total.items():
                    texts.append(point.env[f"{ghost}.{part.name}"][0])
            else:
                pair, point = self.values(part, point)
                gap = self.gap(pair)
                for ghost, texts in total.items():
                    texts.append(f"(* {gap} {gap})" if ghost == "$sq" else gap)
        largest = total["$linf"][0]
        for text in total["$linf"][1:]:
            largest = larger(largest, text)
        found = {"L1": f"(+ 0.0 {' '.join(total['$l1'])})", "Linf": largest, "L2": f"(+ 0.0 {' '.join(total.get('$sq', []))})"}
        found["discrete"] = f"(ite (= {found['L1']} 0.0) 0.0 1.0)"
        self.exits.append((point, found))

    def within(self, by: Expression) -> Iterator[Query]:
        """The outputs are at most this far apart wherever the function returns."""
        bound = Point(self.start_env()).fill(term(by))
        for point, found in self.exits:
            far = found[self.stated.metric]
            goal = f"(<= {far} (* {bound} {bound}))" if self.stated.metric == "L2" else f"(<= {far} {bound})"
            yield Query((*point.facts, f"(<= 0.0 {bound})"), goal, f"the outputs are at most {by} apart", None, point.parts)

    def start_env(self) -> Mapping[str, Pair]:
        """Public parameters and lengths under their names in formulas."""
        found = {}
        for name in self.program.parameters:
            if f"$len.{name}" in self.symbols:
                found[f"$len.{name}"] = (f"(to_real $len.{name})",) * 2
            elif name != self.private and f"{name}.1" in self.symbols:
                text = f"(to_real {name}.1)" if self.symbols[f"{name}.1"] == "() Int" else f"{name}.1"
                found[name] = (text, text)
        return found

    def script(self, queries: list[Query]) -> str:
        """Obligations as one SMT-LIB text: each `check-sat` must answer unsat."""
        lines = [self.head(queries)]
        for query in dict.fromkeys(queries):
            facts = (f"(assert {fact})" for fact in query.facts)
            lines += [f"(push 1) ; {query.why}", *facts, f"(assert (not {query.goal}))", "(check-sat)", "(pop 1)"]
        return "\n".join(lines) + "\n"

    def head(self, queries: list[Query]) -> str:
        parts = [*self.axioms, *(part for query in queries for part in (*query.facts, query.goal))]
        opaque = sorted({token for part in parts for token in re.findall(r"\$[a-z]+/\d", part)})
        lines = ["(set-logic ALL)", *(f"(declare-fun {name} {sort})" for name, sort in self.symbols.items())]
        lines += [f"(declare-fun {name} ({' '.join(['Real'] * int(name[-1]))}) Real)" for name in opaque]
        return "\n".join([*lines, *(f"(assert {axiom})" for axiom in dict.fromkeys(self.axioms))])


def _entry(name: str, index: lang.Expr, value: lang.Expr) -> lang.Expr:
    """What the entry was; where a store happens under a condition, its place is one only then, and may fail only then."""
    entry = lang.Item(lang.Name(name), index)
    if isinstance(index, lang.Choice) and isinstance(value, lang.Choice) and index.test == value.test:
        return lang.Choice(index.test, entry, entry)
    return entry


def obligations(program: lang.Program, stated: Stated, whole: frozenset[str], hints: list[list[str]]) -> str:
    """What makes the hints a proof of the stated sensitivity, as an SMT-LIB script whose checks must all answer unsat."""
    if stated.by is None:
        raise Unsupported(1, "no bound is stated", "State one, such as by=1")
    refuse_malformed(hints)
    runs = Runs(program, stated, whole, hints).walk()
    return runs.script([*runs.queries, *runs.within(stated.by)])
