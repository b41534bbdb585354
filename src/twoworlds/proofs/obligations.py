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
from typing import Any

from twoworlds.proofs.affording import Affording
from twoworlds.proofs.choices import TOLL, compared
from twoworlds.proofs.guesses import settled
from twoworlds.proofs.instances import among_facts, below, entry_facts, spelled_out
from twoworlds.proofs.kinds import is_truth, is_whole, refuse_aliases
from twoworlds.proofs.runs import Pair, State, joined, magnitude, number, same
from twoworlds.source import program as lang
from twoworlds.worlds.errors import Unsupported

__all__ = ["obligations"]

_ENTRY = re.compile(r"\(([^\s()]+)\.1 (.+)\)")
SHIFTED = {"Laplace": "both ways", "Exponential": "up", "Gumbel": "up"}


class Obligations(Affording):
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
                yield from self.block(steps[1:], self.settle(steps[1:], after))
            else:
                yield kind, after

    def settle(self, rest: tuple[lang.Stmt, ...], state: State) -> State:
        """What will be returned as it is, is what is guessed."""
        sure = settled(rest, self.program, self.kinds) if self.guessed else {}
        return state.assume(*(f"(= {state.env[name][0]} {self.guess(at)})" for name, at in sure.items() if name in state.env))

    def step(self, step: lang.Stmt, state: State) -> Iterator[tuple[str, State]]:
        match step:
            case lang.Assign():
                yield "next", self.assign(step.target, step.value, state)
            case lang.Append(_, target, value):
                length = state.env[f"$len.{target}"]
                after = self.write(target, length, value, self.foretold(target, value, state))
                yield "next", after.put(f"$len.{target}", joined("+", length, ("1.0", "1.0")))
            case lang.Store(_, target, index, value):
                at, state = self.values(index, state)
                if f"$at.{target}" in state.env:
                    self.inside(target, at, state)
                    yield "next", self.write(target, at, value, state)
                    return
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
            state = state.put(f"$len.{target}", ("0.0", "0.0"))
            return state.put(f"$at.{target}", self.fresh(f"$at.{target}")) if target in self.followed else state
        if isinstance(value, lang.Name) and f"$len.{value.name}" in state.env:
            if (target in self.followed) is not (value.name in self.followed):
                raise Unsupported(1, f"only one of `{target}` and `{value.name}` is followed", "Follow both: they are one list")
            if target in self.followed:
                state = state.put(f"$len.{target}", state.env[f"$len.{value.name}"])
                return state.put(f"$at.{target}", state.env[f"$at.{value.name}"])
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
        if f"$at.{target}" in state.env:
            arrays = state.env[f"$at.{target}"]
            return state.put(f"$at.{target}", joined("store", arrays, at, pair))
        self.claim(state, self.cell(target, at[0], pair), "the entry is as the list's hint says")
        return state

    def foretold(self, target: str, value: lang.Expr, state: State) -> State:
        """What is appended to a list that is guessed is what the guess says, and there is room for it."""
        for guess in self.guessed:
            if guess.of_list == target:
                pair, state = self.values(value, state)
                length = state.env[f"$len.{target}"][0]
                state = state.assume(f"(= {pair[0]} ({guess.name} {length}))", f"(< {length} {guess.length})")
                self.claim(state, same(pair), "both runs append the same")
        return state

    def loop(self, step: lang.While, state: State) -> Iterator[tuple[str, State]]:
        """Any number of rounds, by an invariant that holds before the first and is kept by each."""
        invariant = self.hints["invariants"][self.loops[id(step)]]
        self.claim(state, state.fill(invariant), "the invariant holds before the loop")
        inside = [node for node in lang.walk(step.body) if hasattr(node, "target")]
        changed = {node.target for node in inside} | {f"$len.{node.target}" for node in inside}
        changed |= {f"$K{node.site}" for node in inside if isinstance(node, lang.Draw)}
        entries = sorted(name for name in self.followed & {node.target for node in inside} if f"$at.{name}" in state.env)
        changed |= {f"$at.{name}" for name in entries}
        written = {node.target for node in inside if isinstance(node, lang.Append | lang.Assign)}
        changed -= {f"$len.{name}" for name in entries if name not in written}  # what is stored takes the place of an entry
        for name in entries:
            self.entries_hold(name, state)
        head = replace(state, env={name: self.fresh(name) if name in changed else pair for name, pair in state.env.items()})
        head = head.assume(head.fill(invariant), *(f"(<= 0.0 {head.env[name][0]})" for name in self.charges))
        for name in entries:
            self.begin(name, head)
        test, head = self.values(step.test, head)
        self.lockstep(head, "both runs stay in the loop or leave it", test)
        for kind, after in self.block(step.body, head.assume(*test)):
            if kind == "break":
                yield "next", after
            else:
                self.claim(after, after.fill(invariant), "the invariant is kept")
                for name in entries:
                    self.entries_hold(name, after)
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
        for guess in self.guessed:
            if guess.of_list:
                state = state.assume(f"(= {state.env[f'$len.{guess.of_list}'][0]} {guess.length})")
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
        if any(guess.of_list == name for guess in self.guessed):
            return  # what was appended was the same
        at, pair = self.fresh("$at")[0], self.fresh(name)
        self.lockstep(state, "both runs return lists of one length", state.env[f"$len.{name}"])
        if f"$at.{name}" in state.env:
            at = self.symbol(f"$at!{len(self.symbols)}", "Int")
            one, two = (f"(select {array} {at})" for array in state.env[f"$at.{name}"])
            inside = state.assume(f"(<= 0.0 {at})", below(at, state.env[f"$len.{name}"][0]))
            self.claim(inside, same((one, two)), "both runs return the same list")
            return
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

    def instances(self, texts: tuple[str, ...]) -> list[str]:
        """What holds of every index, at the indexes that these texts speak of."""
        entries = entry_facts(texts, self.bases) if self.bases else []
        return [*entries, *(among_facts((*texts, *entries), self.guessed) if self.guessed else ())]

    def script(self) -> str:
        """All obligations as one SMT-LIB text: each `check-sat` must answer unsat."""
        parts = [*self.axioms, *(part for facts, goal, _ in self.queries for part in (*facts, goal))]
        opaque = sorted({token for part in parts for token in re.findall(r"\$[a-z]+/\d", part)})
        lines = ["(set-logic ALL)"]
        lines += [f"(declare-fun {name} {sort})" for name, sort in self.symbols.items()]
        lines += [f"(declare-fun {name} ({' '.join(['Real'] * int(name[-1]))}) Real)" for name in opaque]
        lines += [*self.definitions, *(f"(assert {axiom})" for axiom in dict.fromkeys(self.axioms))]
        for facts, goal, why in dict.fromkeys(self.queries):
            lines += [
                f"(push 1) ; {why}",
                *(f"(assert {spelled_out(fact)})" for fact in (*facts, *self.instances((*facts, goal)))),
                f"(assert (not {spelled_out(goal)}))",
                "(check-sat)",
                "(pop 1)",
            ]
        return "\n".join(lines) + "\n"


def obligations(program: lang.Program, relation: Any, price: Any, whole: frozenset[str], hints: Mapping[str, Any]) -> str:
    """What makes the hints a proof of the price for a lowered program, as an SMT-LIB script whose checks must all answer unsat.

    `whole` are the parameters that are whole numbers by declaration.
    """
    walk = Obligations(program, relation, price, whole, hints)
    walk.collect()
    return walk.script()
