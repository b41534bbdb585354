"""Hints for a proof: an alignment that survives the trials, invariants that carry it to all inputs, bounds on its cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

from twoworlds.proofs.alignments import Alignment, Shift, in_run, options, tests_on
from twoworlds.proofs.annotations import aligned_as, held
from twoworlds.proofs.choices import TOLL
from twoworlds.proofs.clauses import Charges, Clauses
from twoworlds.proofs.costs import priced, sufficient, weights
from twoworlds.proofs.effort import Effort, Exhausted
from twoworlds.proofs.entries import SELECT, followed, reads
from twoworlds.proofs.foretelling import EXIT, Place
from twoworlds.proofs.guesses import AMONG, COUNT, Guess, guesses
from twoworlds.proofs.induction import Induction
from twoworlds.proofs.kinds import Kinds, is_whole, kinds
from twoworlds.proofs.purses import Purses
from twoworlds.proofs.search import candidates
from twoworlds.proofs.templates import Spoken, begun, bounds, cell_formulas, elsewhere, fitting, head_formulas
from twoworlds.proofs.terms import spelled
from twoworlds.proofs.trials import Failed, Sample, Trial, run, trials
from twoworlds.source.program import (
    Append,
    Assign,
    Binary,
    Compare,
    Draw,
    Expr,
    Item,
    Literal,
    Logic,
    Many,
    Name,
    Program,
    Return,
    Store,
    While,
    walk,
)

__all__ = ["MOST_ALIGNMENTS", "Task", "attempt"]

SHIFTED = ("Laplace", "Exponential", "Gumbel", TOLL)
MOST_ALIGNMENTS = 12


@dataclass(frozen=True)
class Task:
    """A lowered program and what is claimed of it."""

    program: Program
    relation: Any
    price: Any
    whole: frozenset[str]
    align: tuple[str, ...] = ()
    invariant: tuple[str, ...] = ()

    @property
    def shifted(self) -> frozenset[int]:
        return frozenset(draw.site for draw in self.program.draws if draw.noise.law in SHIFTED)

    @property
    def adds_up(self) -> bool:
        """Whether all entries together move by at most $u."""
        relation = getattr(self.relation, "relation", self.relation)
        return type(relation).__name__ in ("One", "L1") or getattr(relation, "kind", "") == "manhattan"


def attempt(task: Task, most: int = MOST_ALIGNMENTS) -> Iterator[dict[str, Any]]:
    """Hints for a proof, one set per alignment that survives the trials and has invariants; `most` are looked at.

    The work is counted, and there are no more hints when what a proof may take has been done.
    """
    with suppress(Exhausted):
        yield from _attempted(task, most, Effort())


def _attempted(task: Task, most: int, effort: Effort) -> Iterator[dict[str, Any]]:
    seen = trials(task.program, task.relation, task.price, task.whole)
    found = kinds(task.program, task.relation.parameter, task.whole)
    directed = type(task.relation).__name__ == "Monotone"
    if task.align:
        given = aligned_as(task.align, task.program, task.shifted)
        proofs = (_Proof(task, found, seen, given, guessed, effort=effort) for guessed in _guesses(task.program, found))
        yield from (hints for hints in map(_Proof.tried, proofs) if hints is not None)
    for guessed in _guesses(task.program, found):
        menu = options(task.program, task.relation.parameter, task.shifted, tuple(map(Name, guessed)), directed)
        for alignment in islice(candidates(task.program, menu, seen, effort), most):
            yield from _Proof(task, found, seen, alignment, guessed, effort=effort).proposed()
    for foretold in _foretold(task.program, found):
        numbers = {guess.name: guess.whole for guess in foretold if not guess.of_list}
        places = tuple(_entry(guess) for guess in foretold if guess.whole)
        menu = options(task.program, task.relation.parameter, task.shifted, places, directed, among=True)
        for alignment in islice(candidates(task.program, menu, seen, effort), most):
            yield from _Proof(task, found, seen, alignment, numbers, foretold=foretold, effort=effort).proposed()


def _foretold(program: Program, found: Kinds) -> Iterator[tuple[Guess, ...]]:
    """The whole output, where it has whole numbers and the program returns or reads a list that it built."""
    guessed = guesses(program, found, lists=True)
    if any(guess.whole for guess in guessed) and (any(guess.of_list for guess in guessed) or followed(program, found)):
        yield guessed


def _entry(guess: Guess) -> Expr:
    """What is guessed of the part that comes next."""
    return Item(Name(guess.name), Name(f"$len.{guess.of_list}")) if guess.of_list else Name(guess.name)


def _guesses(program: Program, found: Kinds) -> Iterator[dict[str, bool]]:
    """No guess of the output first; then its numbers, with whether they are whole."""
    yield {}
    parts: dict[str, bool] = {}
    for node in walk(program.body):
        if isinstance(node, Return):
            for at, part in enumerate(node.value.entries if isinstance(node.value, Many) else (node.value,)):
                if not isinstance(part, Literal) or isinstance(part.value, Fraction):
                    parts[f"$o{at}"] = parts.get(f"$o{at}", True) and is_whole(part, found.whole)
    if any(parts.values()):
        yield parts


_EQUAL = Compare("==", Name("$one"), Name("$two"))


class _Proof:
    """One alignment, with what the trials show of it."""

    def __init__(
        self,
        task: Task,
        found: Kinds,
        seen: list[Trial],
        alignment: Alignment,
        guessed: Mapping[str, bool],
        *,
        foretold: tuple[Guess, ...] = (),
        effort: Effort,
    ) -> None:
        self.task, self.kinds, self.seen, self.guessed, self.effort = task, found, seen, guessed, effort
        self.foretold, self.followed = foretold, followed(task.program, found) if foretold else frozenset()
        self.alignment = alignment
        self.more: Callable[[], dict[str, Any]] | None = None
        self.chosen: dict[Any, Any] = {}
        for site, cases in alignment.items():
            self.chosen["when", site] = tuple(case.when for case in cases[:-1])
            self.chosen |= {("shift", site, case): cases[case].shift for case in range(len(cases))}

    def tried(self) -> dict[str, Any] | None:
        """The hints, for an alignment that has not been through the trials."""
        try:
            return self.hints()
        except (Failed, LookupError):
            return None

    def hints(self) -> dict[str, Any] | None:
        charges = self.charges()
        self.chosen |= {("charges", site): units for site, units in charges.items()}
        sample = self.sample()
        clauses = Clauses(
            self.task.program,
            self.task.relation,
            self.kinds,
            self.alignment,
            charges,
            self.guessed,
            self.task.price.epsilon,
            self.foretold,
            self.followed,
        )
        induction = Induction(clauses, self.formulas(sample, clauses.signs), self.effort)
        if not induction.solve():
            return None
        enough = self.enough(clauses, induction, charges)
        if enough is None:
            return None
        kept = list(induction.kept[EXIT].values())
        signed = [at for at, expr in zip(induction.kept[EXIT], kept, strict=True) if expr in self.signed and at not in enough]
        self.more = partial(self.written, charges, clauses, induction, [*enough, *signed]) if signed else None
        return self.written(charges, clauses, induction, enough)

    def proposed(self) -> Iterator[dict[str, Any]]:
        """The hints, if there are any, then with more to say."""
        hints = self.hints()
        if hints is not None:
            yield hints
            yield from self.further(hints)

    def further(self, hints: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The same proof with more to say of parameters, should it not pass without."""
        if self.more is not None and (more := self.more()) != hints:
            yield more

    def sample(self) -> Sample:
        sample = Sample()
        for trial in self.seen:
            run(self.task.program, trial, self.chosen, frozenset(self.alignment), sample)
        return sample.without(self.unspoken).distilled()

    def unspoken(self, name: str) -> bool:
        """Whether the values of a trial under this name are not spoken of in this proof."""
        if name.startswith(SELECT):
            return name[len(SELECT) : -2] not in self.followed
        known = self.guessed.keys() | {guess.name for guess in self.foretold}
        return (name[:2] == "$o" and name[2:].isdigit() and name not in known) or (name in (AMONG, COUNT) and not self.foretold)

    def charges(self) -> Charges:
        """Units that cover each case's shifts; the shift itself where entries add up and the shift is made of them alone."""
        most: dict[tuple[int, int], Fraction] = {}
        for entry in self.sample().cells.pop("$shifts", []):
            key = entry["site"], entry["case"]
            most[key] = max(most.get(key, Fraction(0)), entry["units"])
        found: dict[int, tuple[Fraction, ...] | None] = {}
        tolls = {draw.site for draw in self.task.program.draws if draw.noise.law == TOLL}
        for site, cases in self.alignment.items():
            exact = self.task.adds_up and site not in tolls and all(not case.shift.units for case in cases)
            units = tuple(Fraction(most.get((site, case), Fraction(0)).__ceil__()) for case in range(len(cases)))
            found[site] = None if exact else units
        return found

    def accounts(self, sample: Sample) -> list[Expr]:
        """The charge of each site, and sums weighted as the price weighs them."""
        found: list[Expr] = [Name(f"$K{site}") for site in self.alignment]
        self.ratios = weights(sample.scales)
        for (one, other), ratio in self.ratios.items():
            found.append(Binary("+", Name(f"$K{one}"), Binary("*", Literal(ratio), Name(f"$K{other}"))))
        return found

    def formulas(self, sample: Sample, signs: Mapping[int, list[str]]) -> dict[Place, list[Expr]]:
        foreign = self.foreign(signs)
        accounts = self.accounts(sample)
        params = frozenset(self.task.program.parameters)
        found: dict[Place, list[Expr]] = {}
        loops = [node for node in walk(self.task.program.body) if isinstance(node, While)]
        for loop, rows in sample.heads.items():
            changed = frozenset(node.target for node in walk(loops[loop]) if isinstance(node, Assign | Append | Draw))
            spoken = Spoken(tuple(map(_entry, self.foretold)), reads(self.task.program, self.followed)) if self.foretold else None
            charged = {Name(f"$K{node.site}") for node in walk(loops[loop]) if isinstance(node, Draw)}
            spent = (
                accounts if not spoken else [account for account in accounts if any(node in charged for node in walk(account))]
            )
            formulas = head_formulas(rows, self.kinds, changed, spent, self.task.adds_up, spoken=spoken)
            started = begun(rows, self.kinds, foreign)
            apart = elsewhere(rows, self.kinds, self.places()) if "$where" in rows[0] and len(self.alignment) > 1 else ()
            found["loop", loop] = fitting([*formulas, *held(self.task.invariant), *started, *apart], rows)
        for name, source in sorted(_written_lists(self.task.program, self.kinds).items()):
            rows = sample.cells.get(source, [])
            found["cell", name] = fitting(cell_formulas(rows, self.task.relation.parameter), rows) if rows else []
        for node in walk(self.task.program.body):  # a list under another name; without candidates its entries are equal
            if isinstance(node, Assign) and isinstance(node.value, Name):
                entries = found.get(("cell", node.value.name), [_EQUAL])
                found |= {} if _EQUAL in entries else {("cell", node.target): entries}
        counts = [Name(f"{name}.1") for name in self.kinds.whole & params]
        counts += [Name(f"$len.{name}") for name in self.kinds.lists & params]
        self.bounds = {self.idle(bound): bound for bound in bounds(sample.exits, accounts, sorted(counts, key=str))}
        self.signed = [self.idle(bound) for bounds in foreign.values() for bound in bounds]
        self.bounds |= {self.idle(bound): bound for bounds in foreign.values() for bound in bounds}
        found[EXIT] = fitting(self.bounds, sample.exits)
        return found

    def places(self) -> dict[str, list[Expr]]:
        """Per site that is charged for single entries, the tests on their index under which it draws."""
        private, found = self.task.relation.parameter, dict[str, list[Expr]]()
        for site, cases in self.alignment.items():
            atoms = [atom for case in cases for atom, _ in case.shift.by if isinstance(atom, Item)]
            indices = {atom.index for atom in atoms if atom.sequence == Name(private) and isinstance(atom.index, Name)}
            tests = [test for index in indices for test in tests_on(index, site, self.task.program.body)]
            if type(getattr(self.task.relation, "relation", self.task.relation)).__name__ == "One" and indices:
                found[f"$K{site}"] = tests
        return found

    def foreign(self, signs: Mapping[int, list[str]]) -> dict[str, list[Expr]]:
        """Parameters that only some sites draw with, and that they are not below 0 wherever another site was charged.

        So a price like eps1 + eps2 covers the first part, even where only that was spent.
        """
        found: dict[str, list[Expr]] = {}
        for site, own in sorted(signs.items()):
            for name in sorted({name for names in signs.values() for name in names} - set(own)):
                charged = Binary("*", Literal(Fraction(0)), Name(f"$K{site}"))
                found.setdefault(name, []).append(Compare("<=", charged, Name(name)))
        return found

    def idle(self, bound: Expr) -> Expr:
        """The bound where anything that it speaks of was charged."""
        names = [name for name in dict.fromkeys(walk(bound)) if isinstance(name, Name) and name.name.startswith("$K")]
        return Logic("or", (*_conjunction([Compare("==", name, Literal(Fraction(0))) for name in names]), bound))

    def enough(self, clauses: Clauses, induction: Induction, charges: Charges) -> list[int] | None:
        """The bounds at the exits that keep the cost within the price."""
        z3, unit = clauses.z3, clauses.ghosts["$u"]
        accounts = {f"$K{site}": z3.Real(f"$K{site}") for site in self.alignment}
        values = {**clauses.public, **accounts, "$u": unit}
        kept = induction.kept[EXIT]
        terms = [induction.formula(expr, values) for expr in kept.values()]
        positive = [clauses.public[name] > 0 for names in clauses.signs.values() for name in names]
        given = [*clauses.given, *positive, *(account >= 0 for account in accounts.values())]
        given += [scale > 0 for scale in clauses.scales.values()]
        costs: dict[int, Any] = {}
        for site, scale in clauses.scales.items():
            spent = accounts[f"$K{site}"] if charges[site] is None else unit * accounts[f"$K{site}"]
            costs[site] = spent * scale.arg(1) / scale.arg(0) if z3.is_div(scale) else spent / scale
        price, chosen = self.task.price, set[int]()
        for sites, part in price.each if isinstance(price, Purses) else ((costs.keys(), price),):
            total = sum((cost for site, cost in costs.items() if site in sites), z3.RealVal(0))
            some = sufficient(terms, total, priced(part.epsilon, clauses.parameter_value), given)
            if some is None:
                return None
            chosen.update(some)
        return [list(kept)[at] for at in sorted(chosen)]

    def written(self, charges: Charges, clauses: Clauses, induction: Induction, enough: list[int]) -> dict[str, Any]:
        """The hints as text, reduced to what the proof uses."""
        kept = induction.needed([(EXIT, at) for at in enough])
        places = {place: _all([spelled(expr) for expr in kept[place]]) for place in kept if place != EXIT}
        further = {"among": True, "entries": sorted(self.followed)} if self.foretold else {}
        return {
            **further,
            "guess": bool(self.guessed or self.foretold),
            "shifts": {str(site): self.cases(site, charges[site]) for site in sorted(self.alignment) if site in clauses.scales},
            "invariants": [places.get(("loop", loop), "true") for loop in range(len(clauses.loops))],
            "cells": {name: text for (kind, name), text in places.items() if kind == "cell"},
            "signs": {
                str(site): _all([f"(> {name} 0.0)" for name in names]) for site, names in sorted(clauses.signs.items()) if names
            },
            "rates": self.rates(clauses),
            "bounds": [spelled(self.bounds[induction.kept[EXIT][at]]) for at in enough],
        }

    def rates(self, clauses: Clauses) -> dict[str, list[str]]:
        """Sites whose scale is a fixed multiple of another's, which then stands for both."""
        found: dict[str, list[str]] = {}
        for (one, other), ratio in self.ratios.items():
            if str(one) not in found and {one, other} <= clauses.scales.keys():
                found.setdefault(str(other), [str(one), str(ratio)])
        return found

    def cases(self, site: int, units: tuple[Fraction, ...] | None) -> list[dict[str, Any]]:
        return [
            {
                "when": "true" if case.when is None else spelled(case.when),
                "by": _combination(case.shift),
                "charge": None if units is None else str(units[at]),
            }
            for at, case in enumerate(self.alignment[site])
        ]


def _written_lists(program: Program, found: Kinds) -> dict[str, str]:
    """The lists that a program writes, each with the list whose entries it holds: itself, or what it is a copy of."""
    inside = list(walk(program.body))
    sources = {node.target: node.target for node in inside if isinstance(node, Append | Store)}
    copies = [node for node in inside if isinstance(node, Assign) and node.target in found.lists and isinstance(node.value, Name)]
    for _ in copies:
        for node in copies:
            if isinstance(node.value, Name) and node.value.name in sources:
                sources.setdefault(node.target, sources[node.value.name])
    return sources


def _conjunction(parts: list[Expr]) -> tuple[Expr, ...]:
    return (parts[0] if len(parts) == 1 else Logic("and", tuple(parts)),)


def _all(texts: list[str]) -> str:
    return "true" if not texts else texts[0] if len(texts) == 1 else f"(and {' '.join(texts)})"


def _combination(shift: Shift) -> dict[str, int]:
    found = {spelled(in_run(atom)): times for atom, times in shift.by}
    return {"$u": shift.units, **found} if shift.units else found
