"""The strongest conjunction of candidates that every clause keeps (Flanagan and Leino 2001), then as few of them as suffice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twoworlds.proofs.clauses import Clauses
from twoworlds.proofs.cores import fewest
from twoworlds.proofs.effort import Effort
from twoworlds.proofs.foretelling import Clause, Place
from twoworlds.source.program import Expr

__all__ = ["Induction"]

_BRIEF = 100_000
_EFFORT = 2_000_000  # z3's own measure of work, so that a verdict does not depend on the clock


class Induction:
    """Candidates at places, and clauses that they must satisfy."""

    def __init__(self, clauses: Clauses, candidates: Mapping[Place, list[Expr]], effort: Effort) -> None:
        import z3  # noqa: PLC0415  an optional extra, and slow to load

        self.z3, self.clauses, self.effort = z3, clauses, effort
        self.kept: dict[Place, dict[int, Expr]] = {place: dict(enumerate(found)) for place, found in candidates.items()}
        self.solvers: dict[int, Any] = {}
        self.unmet: Clause | None = None

    def label(self, place: Place, at: int) -> Any:
        return self.z3.Bool(f"{place[0]}:{place[1]}:{at}")

    def formula(self, expr: Expr, values: Mapping[str, Any]) -> Any:
        """The candidate for these values; None where one of its names has no value."""

        try:
            formula = self.clauses.filled(expr, values)
        except (KeyError, StopIteration):
            return None
        return self.z3.Implies(values["$in"], formula) if "$in" in values else formula

    def solver(self, at: int) -> Any:
        """The clause's facts, with what its places claim switched on by labels."""
        if at not in self.solvers:
            clause = self.clauses.found[at]
            solver = self.z3.SolverFor("QF_UFLIRA")
            solver.set("random_seed", 1)
            solver.set("rlimit", _EFFORT)
            if clause.head is not None:
                for expr in self.kept.get(clause.head, {}).values():
                    self.formula(expr, clause.values)  # what it speaks of may have axioms of its own
            known = [
                (self.label(place, index), self.formula(expr, values))
                for place, values in clause.known
                for index, expr in self.kept.get(place, {}).items()
            ]
            solver.add(*self.clauses.axioms, *clause.facts)
            solver.add(*(self.z3.Implies(label, formula) for label, formula in known if formula is not None))
            self.solvers[at] = solver
        return self.solvers[at]

    def labels(self, clause: Clause) -> list[Any]:
        return [self.label(place, at) for place, _ in clause.known for at in self.kept.get(place, {})]

    def solve(self) -> bool:
        """Drop candidates until all clauses keep the rest; true when then every goal holds."""
        waiting = list(range(len(self.clauses.found)))
        while waiting:
            at = waiting.pop(0)
            clause = self.clauses.found[at]
            if clause.head is not None and self.weaken(at, clause):
                for other, user in enumerate(self.clauses.found):
                    if other not in waiting and any(place == clause.head for place, _ in user.known):
                        waiting.append(other)
        for at, clause in enumerate(self.clauses.found):
            if clause.head is None and not self.follows(at, clause, clause.goal):
                self.unmet = clause
                return False
        return True

    def weaken(self, at: int, clause: Clause) -> bool:
        """Drop the candidates of the head that the clause does not keep; true if there were any."""
        assert clause.head is not None
        candidates = self.kept.get(clause.head, {})
        formulas = {index: self.formula(expr, clause.values) for index, expr in candidates.items()}
        lost = {index for index, formula in formulas.items() if formula is None}
        solver, z3 = self.solver(at), self.z3
        while len(lost) < len(formulas):
            left = {index: formula for index, formula in formulas.items() if index not in lost}
            solver.push()
            solver.add(z3.Or(*(z3.Not(formula) for formula in left.values())))
            answer = self.answer(solver, self.labels(clause))
            if answer == z3.sat:
                model = solver.model()
                broken = {index for index, formula in left.items() if not z3.is_true(model.eval(formula, model_completion=True))}
            else:
                broken = set()
            solver.pop()
            if answer == z3.unsat:
                break
            lost |= broken or {index for index, formula in left.items() if not self.follows(at, clause, formula)}
            if answer == z3.unknown and not broken:
                break
        for index in lost:
            del candidates[index]
        return bool(lost)

    def follows(self, at: int, clause: Clause, goal: Any) -> bool:
        solver = self.solver(at)
        solver.push()
        solver.add(self.z3.Not(goal))
        answer = self.answer(solver, self.labels(clause))
        solver.pop()
        return bool(answer == self.z3.unsat)

    def answer(self, solver: Any, labels: list[Any]) -> Any:
        given = solver.check(*labels)
        self.effort.solved(solver)
        return given

    def core(self, at: int, clause: Clause, goal: Any) -> set[tuple[Place, int]]:
        """The candidates that the goal was derived from."""
        solver = self.solver(at)
        solver.push()
        solver.add(self.z3.Not(goal))
        if self.clauses.foretold:
            solver.set("rlimit", _BRIEF)  # what is not seen to follow soon is said not to: more candidates are kept than needed
        places = [(place, index) for place, _ in clause.known for index in self.kept.get(place, {})]
        chosen = fewest([self.label(*place) for place in places], lambda labels: solver.check(*labels) == self.z3.unsat)
        solver.pop()
        return {places[at] for at in chosen}

    def needed(self, wanted: list[tuple[Place, int]]) -> dict[Place, list[Expr]]:
        """The candidates that the goals and the wanted ones depend on, in their order."""
        found = set(wanted)
        waiting = list(wanted)
        for at, clause in enumerate(self.clauses.found):
            if clause.head is None:
                waiting += self.core(at, clause, clause.goal) - found
                found |= set(waiting)
        while waiting:
            place, index = waiting.pop()
            for at, clause in enumerate(self.clauses.found):
                if clause.head == place:
                    new = self.core(at, clause, self.formula(self.kept[place][index], clause.values)) - found
                    found |= new
                    waiting += new
        return {place: [expr for index, expr in kept.items() if (place, index) in found] for place, kept in self.kept.items()}
