"""The trusted part of a proof: from a program and the hints of a search, every obligation, for solvers to discharge.

Theorem. Fix two neighbouring worlds and, where an output o is guessed, o. Let each draw x of run 1 stand for the draw x + a of
run 2, where the shift a depends on what was drawn before and on x. If (same noise) both draws have one law, (injective) x + a
determines x whatever came before, (lockstep) both runs take the same branches around draws, appends and exits, and (same output)
run 2 returns what run 1 returns, then the tapes of run 1 that return o map injectively to tapes of run 2 that return o. So the
chance of o in world 1 is at most exp(cost) times that in world 2, where cost bounds the sum over all draws of ln p(x) / p(x + a):
|a| / b each for the discrete Laplace, a / b with a >= 0 for one-sided exponential noise and for Gumbel noise rounded up to the
grid (supported). The two runs may swap roles because relations are symmetric. (On the grid) shifts are integer combinations of
differences of grid numbers and of $u, the largest multiple of g that is `by` or less, so the proof holds for every grid gZ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from twoworlds.proofs.choices import TOLL, compared
from twoworlds.proofs.kinds import is_truth, is_whole, refuse_aliases
from twoworlds.proofs.runs import Pair, Runs, State, formula, joined, magnitude, number, same
from twoworlds.source import program as lang
from twoworlds.worlds.errors import Unsupported

__all__ = ["obligations"]

_ENTRY = re.compile(r"\(([^\s()]+)\.1 (.+)\)")
SHIFTED = {"Laplace": "both ways", "Exponential": "up", "Gumbel": "up"}


class Obligations(Runs):
    """Walks both runs of a program at once and collects what must hold."""

    def collect(self) -> None:
        refuse_aliases(self.program)
        state = State(dict.fromkeys(self.charges, ("0.0", "0.0")))
        for name in self.program.parameters:
            state = self.parameter(name, state)
        self.given = State({name: pair for name, pair in state.env.items() if name not in self.charges})
        for _, end in self.block(self.program.body, state):
            self.leave(lang.Return(0, lang.Literal(None)), end)
        self.afford()

    # statements

    def block(self, steps: tuple[lang.Stmt, ...], state: State) -> Iterator[tuple[str, State]]:
        """How control leaves the block: "next", "break" or "continue", with the state; exits are dealt with where they are."""
        if not steps:
            yield "next", state
            return
        for kind, after in self.step(steps[0], state):
            if kind == "next":
                yield from self.block(steps[1:], after)
            else:
                yield kind, after

    def step(self, step: lang.Stmt, state: State) -> Iterator[tuple[str, State]]:
        match step:
            case lang.Assign():
                yield "next", self.assign(step.target, step.value, state)
            case lang.Append(_, target, value):
                length = state.env[f"$len.{target}"]
                after = self.write(target, length, value, state)
                yield "next", after.put(f"$len.{target}", joined("+", length, ("1.0", "1.0")))
            case lang.Store(_, target, index, value):
                at, state = self.values(index, state)
                self.lockstep(state, "the index is public", at)
                self.claim(state, f"(<= 0.0 {at[0]})", "the index counts from the front")
                yield "next", self.write(target, at, value, state)
            case lang.Draw():
                yield "next", self.draw(step, state)
            case lang.If(_, test, then, otherwise):
                pair, state = self.values(test, state)
                self.lockstep(state, "both runs take the same branch", pair)
                yield from self.block(then, state.assume(*pair))
                yield from self.block(otherwise, state.assume(*(f"(not {value})" for value in pair)))
            case lang.While():
                yield from self.loop(step, state)
            case lang.Return():
                self.leave(step, state)
            case _:
                yield type(step).__name__.lower(), state

    def assign(self, target: str, value: lang.Expr, state: State) -> State:
        if value == lang.Many("list", ()):
            return state.put(f"$len.{target}", ("0.0", "0.0"))
        if isinstance(value, lang.Name) and f"$len.{value.name}" in state.env:
            at, known = self.fresh("$at"), list[str]()
            given = state.assume(f"(<= 0.0 {at[0]})")
            pair = self.entry(value.name, at, given, known)
            self.claim(given.assume(*known), self.cell(target, at[0], pair), "the copied list is as its hint says")
            return state.put(f"$len.{target}", state.env[f"$len.{value.name}"])
        apart = self.apart(target, value, state)
        pair, state = self.values(value, state)
        return state.put(target, pair).assume(*apart)

    def write(self, target: str, at: Pair, value: lang.Expr, state: State) -> State:
        pair, state = self.values(value, state)
        self.claim(state, self.cell(target, at[0], pair), "the entry is as the list's hint says")
        return state

    def loop(self, step: lang.While, state: State) -> Iterator[tuple[str, State]]:
        """Any number of rounds, by an invariant that holds before the first and is kept by each."""
        invariant = self.hints["invariants"][self.loops[id(step)]]
        self.claim(state, state.fill(invariant), "the invariant holds before the loop")
        inside = [node for node in lang.walk(step.body) if hasattr(node, "target")]
        changed = {node.target for node in inside} | {f"$len.{node.target}" for node in inside}
        changed |= {f"$K{node.site}" for node in inside if isinstance(node, lang.Draw)}
        head = replace(state, env={name: self.fresh(name) if name in changed else pair for name, pair in state.env.items()})
        head = head.assume(head.fill(invariant), *(f"(<= 0.0 {head.env[name][0]})" for name in self.charges))
        test, head = self.values(step.test, head)
        self.lockstep(head, "both runs stay in the loop or leave it", test)
        for kind, after in self.block(step.body, head.assume(*test)):
            if kind == "break":
                yield "next", after
            else:
                self.claim(after, after.fill(invariant), "the invariant is kept")
        yield "next", head.assume(*(f"(not {value})" for value in test))

    def draw(self, step: lang.Draw, state: State) -> State:
        """The same noise in both runs, or noise that is moved at a charge."""
        if step.noise.law == TOLL:
            return self.toll(step, state)
        self.divisors = []
        facts: list[str] = []
        pairs = [self.pair(argument, state, facts) for argument in step.noise.arguments]
        state = state.assume(*facts)
        self.lockstep(state, "both runs draw the same noise", *pairs)
        cases, site = self.hints["shifts"].get(str(step.site)), f"$K{step.site}"
        if cases is None:
            one, _ = self.fresh(step.target)
            inside = (f"(<= 0.0 {one})", f"(< {one} {pairs[0][0]})") if step.noise.law == "Uniform" else ()
            return state.put(step.target, (one, one)).assume(*inside)
        if step.noise.law not in SHIFTED:
            raise Unsupported(step.line, f"{step.noise.law} noise cannot be shifted", "Only Laplace, Exponential and Gumbel can")
        self.one_scale(step, pairs[0][0])
        state = self.sign(step.site, state)
        noise, again = self.fresh(step.target)
        shift, other = self.shift(cases, state, noise), self.shift(cases, state, again)
        self.injective(state, noise, again, shift, other)
        if SHIFTED[step.noise.law] == "up":
            self.supported(state, shift)
        charge = self.charge(cases, state, noise, shift)
        spent = joined("+", state.env[site], (charge, charge))
        return state.put(step.target, (noise, f"(+ {noise} {shift})")).put(site, spent)

    def toll(self, step: lang.Draw, state: State) -> State:
        """The price of a value that is apart in the two runs, in scales; for which value it is paid, see `choices`."""
        scale, value = step.noise.arguments
        self.divisors = []
        self.one_scale(step, self.pair(scale, state, [])[0])
        cases = self.hints["shifts"].get(str(step.site), [])
        if len(cases) != 1:
            raise Unsupported(step.line, "a choice by weights is not charged, or in several ways", "Charge it once")
        gap, state = self.values(value, self.sign(step.site, state))
        state = state.assume(*self.in_order(*(state.env[name][0] for name in compared(step))))
        charge = self.charge(cases, state, "", f"(- {gap[1]} {gap[0]})")
        return state.put(f"$K{step.site}", joined("+", state.env[f"$K{step.site}"], (charge, charge)))

    def sign(self, site: int, state: State) -> State:
        """A scale that was drawn with is above 0, its divisors are not 0; what that says of the parameters is a hint to check."""
        hint = self.hints["signs"].get(str(site))
        if hint is None:
            return state
        hint = self.given.fill(hint)
        self.queries.append((self.drawn(f"$K{site}"), hint, "a scale that was drawn with is positive"))
        return state.assume(hint)

    def drawn(self, charge: str) -> tuple[str, ...]:
        scale, divisors = self.scales[charge]
        return (f"(< 0.0 {scale})", *(f"(distinct {divisor} 0.0)" for divisor in divisors))

    def shift(self, cases: list[dict[str, Any]], state: State, noise: str) -> str:
        return self.choose(cases, state, noise, [self.combination(case["by"], state) for case in cases])

    def choose(self, cases: list[dict[str, Any]], state: State, noise: str, terms: list[str]) -> str:
        """The term of the first case that applies; the last applies always."""
        chosen = terms[-1]
        for case, term in zip(reversed(cases[:-1]), reversed(terms[:-1]), strict=True):
            chosen = chosen if term == chosen else f"(ite {state.fill(case['when'], noise=noise)} {term} {chosen})"
        return chosen

    def combination(self, by: Mapping[str, int], state: State) -> str:
        """An integer combination of $u and of differences between the runs."""
        parts = []
        for atom, times in sorted(by.items()):
            self.on_grid(atom, times)
            self.relate(atom, state)
            one, other = state.fill(atom), state.fill(re.sub(r"\.1(?=[\s()]|$)", ".2", atom))
            parts.append(f"(* {number(Fraction(times))} {atom if atom == '$u' else f'(- {other} {one})'})")
        return f"(+ {' '.join(parts)} 0.0)" if parts else "0.0"

    def relate(self, atom: str, state: State) -> None:
        """What the relation says of an entry that a shift reads."""
        if entry := _ENTRY.fullmatch(atom):
            index = state.fill(entry[2])
            self.axioms += self.near(f"({self.private}.1 {index})", f"({self.private}.2 {index})", index)

    # what a shift must satisfy

    def one_scale(self, step: lang.Draw, scale: str) -> None:
        known = scale, tuple(self.divisors)
        if self.scales.setdefault(f"$K{step.site}", known) != known or not self.is_public(scale):
            raise Unsupported(step.line, "the noise scale changes from draw to draw", "Compute it from parameters only")

    def on_grid(self, atom: str, times: object) -> None:
        entry = _ENTRY.fullmatch(atom)
        steady = atom == "$u" or atom.removesuffix(".1") in self.kinds.steady or (entry and entry[1] == self.private)
        if not steady or type(times) is not int:
            raise Unsupported(
                1, f"a shift by {times} times the difference of {atom} may leave the grid", "Round it to the grid first"
            )

    def injective(self, state: State, noise: str, again: str, shift: str, other: str) -> None:
        if shift != other:
            twice = state.assume(f"(= (+ {noise} {shift}) (+ {again} {other}))")
            self.claim(twice, f"(= {noise} {again})", "no two draws become one")

    def supported(self, state: State, shift: str) -> None:
        self.claim(state, f"(>= {shift} 0.0)", "one-sided noise moves up only")

    def charge(self, cases: list[dict[str, Any]], state: State, noise: str, shift: str) -> str:
        """What the shift is charged: its size, or a number of units of $u that bounds it."""
        if cases[0]["charge"] is None:
            return magnitude(shift)
        units = self.choose(cases, state, noise, [number(abs(Fraction(case["charge"]))) for case in cases])
        self.claim(state, f"(<= {magnitude(shift)} (* {units} $u))", "the charge covers the shift")
        return units

    # exits and the price

    def leave(self, step: lang.Return, state: State) -> None:
        parts = step.value.entries if isinstance(step.value, lang.Many) else (step.value,)
        pairs = []
        for at, part in enumerate(parts):
            if isinstance(part, lang.Literal) and not isinstance(part.value, Fraction):
                continue
            if isinstance(part, lang.Name) and f"$len.{part.name}" in state.env:
                self.leave_list(part.name, state)
                continue
            pair, state = self.values(part, state)
            pairs.append(pair)
            if self.hints["guess"] and not is_truth(part, self.kinds.truths):
                state = state.assume(f"(= {pair[0]} {self.guess(at)})")
        for pair in pairs:
            self.claim(state, same(pair), "both runs return the same")
        spent = replace(self.given, env={**self.given.env, **{name: state.env[name] for name in self.charges}})
        for bound in self.bounds():  # of the parameters as they were handed in, for so the price is charged
            self.claim(state, spent.fill(bound), "the charges stay within their bounds")

    def leave_list(self, name: str, state: State) -> None:
        at, pair = self.fresh("$at")[0], self.fresh(name)
        self.lockstep(state, "both runs return lists of one length", state.env[f"$len.{name}"])
        known = () if name in self.program.parameters else (self.cell(name, at, pair),)
        self.claim(state.assume(*known), same(pair), "both runs return the same list")

    def guess(self, at: int) -> str:
        """The output o, or its part at a place of a tuple: an unknown but fixed number, whole if all returned values are."""
        whole = True
        for node in lang.walk(self.program.body):
            if isinstance(node, lang.Return):
                parts = node.value.entries if isinstance(node.value, lang.Many) else (node.value,)
                part = parts[at] if at < len(parts) else lang.Literal(None)
                whole &= part == lang.Literal(None) or is_whole(part, self.kinds.whole)
        return self.symbol(f"$o{at}", "Int" if whole else "Real")

    def idle(self, bound: str) -> str:
        """What makes a bound on charges void: none of them was ever made."""
        return f"(and {' '.join(f'(= {name} 0.0)' for name in self.charges if name in _tokens(bound))} true)"

    def bounds(self) -> list[str]:
        bounds = self.hints["bounds"]
        if not all(bound.startswith("(<= ") and len(_parts(bound)) == 3 for bound in bounds):
            raise Unsupported(1, "a bound on charges is no inequality", "Write it as (<= charges bound)")
        return [f"(or {self.idle(bound)} {bound})" for bound in bounds]

    def afford(self) -> None:
        """Whichever sites were drawn from, the charges within their bounds cost at most the price, or each purse its own."""
        charges = [self.symbol(name) for name in self.charges if name in self.scales]
        for name in charges:
            self.proportional(name)
        for count in range(1, len(charges) + 1):
            for chosen in combinations(charges, count):
                facts = [f"(<= 0.0 {name})" if name in chosen else f"(= {name} 0.0)" for name in self.charges]
                facts += [self.given.fill(self.hints["signs"][name[2:]]) for name in chosen if name[2:] in self.hints["signs"]]
                facts += [self.given.fill(bound) for bound in self.bounds()]
                for weight in dict.fromkeys(self.weight(name) for name in chosen):
                    facts += self.weighed(weight)
                for sites, price in self.purses:
                    paid = [name for name in chosen if sites is None or int(name[2:]) in sites]
                    total = " ".join(f"(* {number(self.rate(name)[1])} {self.weight(name)} {name})" for name in paid)
                    goal = f"(<= (+ {total} 0.0) {price})" if paid else f"(<= 0.0 {price})"
                    if sites is not None:  # where nothing is charged, it is enough that all purses together are not below 0
                        goal = f"(or (and {' '.join(f'(= {name} 0.0)' for name in chosen)} true) {goal})"
                    self.queries.append((tuple(facts), goal, "the charges cost at most the price"))

    def rate(self, name: str) -> tuple[str, Fraction]:
        """A site whose scale is this many times the scale of this one."""
        site, ratio = self.hints["rates"].get(name[2:], (name[2:], "1"))
        if Fraction(ratio) <= 0:
            raise Unsupported(1, f"a scale is said to be {ratio} times another", "Scales that are drawn with are above 0")
        return f"$K{site}", Fraction(ratio)

    def proportional(self, name: str) -> None:
        other, ratio = self.rate(name)
        if self.scales[other] != self.scales[name] or ratio != 1:
            equal = f"(= {self.scales[other][0]} (* {number(ratio)} {self.scales[name][0]}))"
            self.queries.append((self.drawn(name), equal, "one scale is a multiple of another"))

    def weight(self, name: str) -> str:
        """What one unit of the charge costs, in terms of its reference site: by / b for units of $u, else 1 / b."""
        unit = self.hints["shifts"][name[2:]][0]["charge"] is not None
        return self.symbol(f"{'$unit' if unit else '$size'}{self.rate(name)[0][2:]}")

    def weighed(self, weight: str) -> list[str]:
        """The weight's definition without division, and every bound multiplied by it."""
        scale, by = self.scales[f"$K{weight[5:]}"][0], formula(self.relation.by)
        above, below = _parts(scale)[1:] if scale.startswith("(/ ") else (scale, "1.0")
        unit = weight.startswith("$unit")
        facts = [f"(<= 0.0 {weight})", f"(= (* {above} {weight}) {f'(* {by} {below})' if unit else below})"]
        facts.append(f"(<= (* {weight} $u) (* {weight} {by}))")
        for bound in self.hints["bounds"]:
            _, low, high = _parts(bound)
            more = self.given.fill(f"(<= (* {weight} {low}) (* {weight} {high}))")
            facts.append(f"(or {self.idle(bound)} {more})")
        return facts

    def script(self) -> str:
        """All obligations as one SMT-LIB text: each `check-sat` must answer unsat."""
        parts = [*self.axioms, *(part for facts, goal, _ in self.queries for part in (*facts, goal))]
        opaque = sorted({token for part in parts for token in re.findall(r"\$[a-z]+/\d", part)})
        lines = ["(set-logic ALL)"]
        lines += [f"(declare-fun {name} {sort})" for name, sort in self.symbols.items()]
        lines += [f"(declare-fun {name} ({' '.join(['Real'] * int(name[-1]))}) Real)" for name in opaque]
        lines += [f"(assert {axiom})" for axiom in dict.fromkeys(self.axioms)]
        for facts, goal, why in dict.fromkeys(self.queries):
            lines += [
                f"(push 1) ; {why}",
                *(f"(assert {fact})" for fact in facts),
                f"(assert (not {goal}))",
                "(check-sat)",
                "(pop 1)",
            ]
        return "\n".join(lines) + "\n"


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\s()]+", text)


def _parts(text: str) -> list[str]:
    """The parts of an expression in brackets."""
    parts, depth = [""], 0
    for sign in text[1:-1]:
        depth += (sign == "(") - (sign == ")")
        if sign == " " and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part]


def obligations(program: lang.Program, relation: Any, price: Any, whole: frozenset[str], hints: Mapping[str, Any]) -> str:
    """What makes the hints a proof of the price for a lowered program, as an SMT-LIB script whose checks must all answer unsat.

    `whole` are the parameters that are whole numbers by declaration.
    """
    walk = Obligations(program, relation, price, whole, hints)
    walk.collect()
    return walk.script()
